// Where in the page somebody is: the address says it, so that every view can be linked to.
import { Store } from "./live/store";

export interface Place {
  path: string;
  query: URLSearchParams;
}

function here(): Place {
  return { path: location.pathname, query: new URLSearchParams(location.search) };
}

export const place = new Store<Place>(here());

addEventListener("popstate", () => place.set(here()));

/** Goes somewhere. */
export function go(to: string, replace = false): void {
  if (replace) history.replaceState(null, "", to);
  else history.pushState(null, "", to);
  place.set(here());
  if (!replace) scrollTo(0, 0);
}

/** The address of where we are, with other filters; empty ones are left out. */
export function withQuery(path: string, query: Record<string, string | undefined>): string {
  const entries = Object.entries(query).filter((entry): entry is [string, string] => !!entry[1]);
  const text = new URLSearchParams(entries).toString();
  return text ? `${path}?${text}` : path;
}
