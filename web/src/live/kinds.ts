// Which events change what is shown.
import type { EventKind, Happening } from "../api/types";

const BARS: ReadonlySet<EventKind> = new Set<EventKind>([
  "job-returned",
  "job-planned",
  "job-freed",
  "job-ended",
  "elements-cut",
  "reservation-asked",
  "reservation-held",
  "reservation-closed",
  "rescheduled",
  "part-started",
  "part-ended",
]);

const MONEY: ReadonlySet<EventKind> = new Set<EventKind>(["reservation-asked", "reservation-held", "reservation-closed", "rescheduled", "quote-given", "quote-broken"]);

/** Whether it changes who has which node when. */
export const movesBars = (event: Happening): boolean => BARS.has(event.kind) || event.site != null || event.kind === "site-added";

/** Whether it puts money elsewhere. */
export const movesMoney = (event: Happening): boolean => MONEY.has(event.kind);
