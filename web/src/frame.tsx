// What stands around every view: the name, the ways to the others, who is signed in, and a banner when nobody answers.
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { Me } from "./api/types";
import { reach } from "./live/reach";
import { signOut } from "./live/session";
import { useStore } from "./live/store";
import { useAction } from "./parts/action";
import { Link } from "./parts/link";
import { Logo } from "./parts/logo";
import { place } from "./route";
import { viewsFor } from "./views";

export function Frame({ who, children }: { who: Me; children: ComponentChildren }) {
  const where = useStore(place);
  const away = useStore(reach) === "away";
  const [open, setOpen] = useState(false);
  const top = `/${where.path.split("/")[1] ?? ""}`;
  return (
    <div class="frame">
      <a class="skip" href="#view">
        Skip to the view
      </a>
      <header class="top">
        <Link to="/" class="brand" onGo={() => setOpen(false)}>
          <Logo size={26} /> Walras
        </Link>
        <button type="button" class="menu" aria-expanded={open} aria-controls="ways" onClick={() => setOpen(!open)}>
          Menu
        </button>
        <nav id="ways" class={open ? "open" : ""} aria-label="Views">
          <ul>
            {viewsFor(who.role).map((view) => (
              <li key={view.path}>
                <Link to={view.path} current={view.path === top} onGo={() => setOpen(false)}>
                  {view.name}
                </Link>
              </li>
            ))}
          </ul>
          <Identity who={who} />
        </nav>
      </header>
      <div aria-live="polite" class="banner-place">
        {away && <p class="banner">The service does not answer. What you see may be old; the page goes on by itself when it is back.</p>}
      </div>
      <main id="view" tabIndex={-1}>
        {children}
      </main>
    </div>
  );
}

function Identity({ who }: { who: Me }) {
  const doing = useAction();
  const leave = (everywhere: boolean) => () => doing.run(() => signOut(everywhere));
  return (
    <details class="identity">
      <summary>
        <span class="who">{who.name}</span> <span class="role">{who.role}</span>
      </summary>
      <div>
        <button type="button" disabled={doing.busy} onClick={leave(false)}>
          Sign out
        </button>
        <button type="button" disabled={doing.busy} onClick={leave(true)}>
          Sign out everywhere
        </button>
        {doing.wrong && <p class="note bad">{doing.wrong}</p>}
        <a href="/docs">API</a>
      </div>
    </details>
  );
}
