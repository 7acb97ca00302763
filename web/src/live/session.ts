// Who is signed in. The browser keeps the session in a cookie that no script can read.
import { api, ask } from "../api/client";
import type { Me, Role } from "../api/types";
import { setClock } from "./clock";
import * as events from "./events";
import { unknown } from "./reach";
import { Store } from "./store";

/** Whoever is signed in; nobody; or it is not known yet. */
export const me = new Store<Me | null | undefined>(undefined);

/** Where people sign in beside tokens: what they call it. */
export const elsewhere = new Store<string | null>(null);

/** Whether somebody came by a link that is good no more. */
export const stale = new Store(false);

function enter(who: Me | null): void {
  if (who) events.open();
  else events.close();
  me.set(who);
}

async function settle(who: Me | null): Promise<void> {
  if (who) setClock(await ask(api.GET("/v1/status")));
  enter(who);
}

/** Looks who is signed in; takes a code out of the address, when there is one. */
export async function look(): Promise<void> {
  const code = new URLSearchParams(location.hash.slice(1)).get("code");
  stale.set(false);
  if (code !== null) {
    history.replaceState(null, "", location.pathname + location.search);
    try {
      await signIn({ code });
      return;
    } catch {
      // A code is good once: whoever comes back with it may be signed in already.
      stale.set(true);
    }
  }
  const session = await ask(api.GET("/v1/session"));
  elsewhere.set(session.provider ?? null);
  await settle(session.me ?? null);
}

// A link with a code that is followed from here does not load the page again.
addEventListener("hashchange", () => {
  look().catch(() => undefined);
});

export async function signIn(secret: { token: string } | { code: string }): Promise<void> {
  const session = await ask(api.POST("/v1/session", { body: secret }));
  await settle(session.me ?? null);
}

export async function signOut(everywhere: boolean): Promise<void> {
  await ask(api.DELETE("/v1/session", { params: { query: { everywhere } } }));
  enter(null);
}

// A session can end without us: its token is revoked or expires, or somebody signs out everywhere.
unknown.listen(() => {
  if (!me.value) return;
  ask(api.GET("/v1/session")).then(
    (session) => {
      if (!session.me) enter(null);
    },
    () => undefined,
  );
});

export const mayRunJobs = (role: Role): boolean => role === "user" || role === "administrator";
export const maySell = (role: Role): boolean => role === "owner" || role === "administrator";
export const administers = (role: Role): boolean => role === "administrator";
