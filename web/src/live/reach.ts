// Whether the service can be reached, and whether it still knows us.
import { Store } from "./store";

export type Reach = "here" | "away";

export const reach = new Store<Reach>("here");

export function mark(state: Reach): void {
  reach.set(state);
}

/** Counts how often the service did not know who is asking. */
export const unknown = new Store(0);
