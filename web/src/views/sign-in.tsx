// Signing in with a token.
import { useState } from "preact/hooks";
import { elsewhere, signIn, stale } from "../live/session";
import { useStore } from "../live/store";
import { useAction, Wrong } from "../parts/action";
import { Field } from "../parts/field";
import { Logo } from "../parts/logo";

export function SignIn() {
  const [token, setToken] = useState("");
  const doing = useAction();
  const provider = useStore(elsewhere);
  const late = useStore(stale);
  const enter = (event: Event): void => {
    event.preventDefault();
    doing.run(() => signIn({ token: token.trim() }));
  };
  return (
    <main class="alone">
      <h1>
        <Logo size={36} /> Walras
      </h1>
      <p>A market for compute time: jobs with budgets and deadlines meet priced free time.</p>
      {late && <p class="note bad">This link has been used or has expired: ask for another, or sign in with a token.</p>}
      <form class="card" onSubmit={enter}>
        <Field
          label="Your token"
          type="password"
          value={token}
          set={setToken}
          required
          autocomplete="current-password"
          hint="An administrator makes one for you: walras token make. It is sent once and kept by nobody but the service."
        />
        <Wrong doing={doing} />
        <button type="submit" class="main" disabled={doing.busy || token.trim() === ""}>
          Sign in
        </button>
      </form>
      {provider !== null && (
        <p>
          <a class="button" href="/sign-in">
            Sign in at {provider}
          </a>
        </p>
      )}
      <p class="quiet">
        Programs use the <a href="/docs">API</a>.
      </p>
    </main>
  );
}
