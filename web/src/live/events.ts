// What happens, live: one stream of server-sent events for the whole page.
//
// A stream that breaks is opened again, from where it broke; when events were lost, everybody who shows something is told
// to read it again.
//
// A browser has six connections to a service, for all of its tabs: a page that nobody looks at has no stream, and goes on where it
// left off when somebody does.
import type { EventKind, Happening } from "../api/types";
import { mark, unknown } from "./reach";
import { Store } from "./store";

const KINDS: Record<EventKind, true> = {
  "job-queued": true,
  "job-returned": true,
  "job-planned": true,
  "job-freed": true,
  "job-released": true,
  "elements-cut": true,
  "job-ended": true,
  "cycle-opened": true,
  "cycle-decided": true,
  "cycle-ended": true,
  "reservation-asked": true,
  "reservation-held": true,
  "part-started": true,
  "part-ended": true,
  files: true,
  rescheduled: true,
  "reservation-closed": true,
  "quote-given": true,
  "quote-broken": true,
  "node-lost": true,
  "node-down": true,
  "node-back": true,
  "nodes-added": true,
  "node-gone": true,
  "node-taken": true,
  "node-drained": true,
  "node-resumed": true,
  "site-lost": true,
  "site-back": true,
  "site-added": true,
  "site-changed": true,
  "site-leaving": true,
  "site-stays": true,
  "prices-set": true,
  "policy-set": true,
};

/** So many of the latest events are remembered. */
const REMEMBERED = 60;
/** Pauses before a stream is opened again, in milliseconds: the first, and the longest. */
const PAUSE = [500, 8_000] as const;
/** So long a page is hidden, in milliseconds, before its stream is closed: whoever looks at another tab may come back. */
const REST = 2_000;

/** The latest events, newest first. */
export const recent = new Store<readonly Happening[]>([]);
/** Counts how often everything must be read again. */
export const missed = new Store(0);

const listeners = new Set<(event: Happening) => void>();
let source: EventSource | null = null;
let position: number | null = null;
let pause: number = PAUSE[0];
let timer: ReturnType<typeof setTimeout> | undefined;
let rest: ReturnType<typeof setTimeout> | undefined;
/** Whether the stream was closed because nobody looks. */
let resting = false;

/** Hears of every event until it is told not to. */
export function hear(listener: (event: Happening) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Opens the stream. */
export function open(): void {
  close();
  connect();
  look();
}

/** Closes the stream and forgets what it told. */
export function close(): void {
  clearTimeout(timer);
  clearTimeout(rest);
  resting = false;
  source?.close();
  source = null;
  position = null;
  pause = PAUSE[0];
  recent.set([]);
}

/** Rests when nobody has looked for a while; goes on when somebody does. */
function look(): void {
  clearTimeout(rest);
  if (document.hidden) {
    rest = setTimeout(() => {
      if (source === null) return;
      clearTimeout(timer);
      source.close();
      source = null;
      resting = true;
    }, REST);
  } else if (resting) {
    resting = false;
    // Whoever has heard nothing yet does not know what was missed.
    if (position === null) missed.set(missed.value + 1);
    connect();
  }
}

document.addEventListener("visibilitychange", look);

function connect(): void {
  const after = position === null ? "" : `?after=${position}`;
  const stream = new EventSource(`/v1/events${after}`);
  source = stream;
  let broken = false;
  stream.onopen = () => {
    mark("here");
    // After a break something may have changed that nobody told us of.
    if (broken || pause > PAUSE[0]) missed.set(missed.value + 1);
    broken = false;
    pause = PAUSE[0];
  };
  stream.onerror = () => {
    broken = true;
    mark("away");
    if (stream.readyState !== EventSource.CLOSED) return;
    // The browser gives up when it is refused: the service may be starting, or not know us any more.
    unknown.set(unknown.value + 1);
    timer = setTimeout(connect, pause);
    pause = Math.min(pause * 2, PAUSE[1]);
  };
  for (const kind of Object.keys(KINDS)) stream.addEventListener(kind, take);
  stream.addEventListener("lagged", () => missed.set(missed.value + 1));
}

function take(message: MessageEvent<string>): void {
  const event = JSON.parse(message.data) as Happening;
  position = event.position;
  recent.set([event, ...recent.value].slice(0, REMEMBERED));
  for (const listener of listeners) listener(event);
}
