// The marks of the time axis: round times, not too close to each other.
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const STEPS = [
  SECOND,
  5 * SECOND,
  10 * SECOND,
  30 * SECOND,
  MINUTE,
  2 * MINUTE,
  5 * MINUTE,
  10 * MINUTE,
  30 * MINUTE,
  HOUR,
  2 * HOUR,
  6 * HOUR,
  12 * HOUR,
  DAY,
  7 * DAY,
  28 * DAY,
  364 * DAY,
];

const WITH_SECONDS = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", second: "2-digit" });
const TIME = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });
const DATE = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short" });

export interface Tick {
  at: number;
  text: string;
}

/** Round times between two moments, at least so many milliseconds apart. */
export function ticks(from: number, to: number, apart: number): Tick[] {
  const step = STEPS.find((size) => size >= apart) ?? 364 * DAY;
  const zone = new Date(from).getTimezoneOffset() * MINUTE;
  const found: Tick[] = [];
  for (let at = Math.ceil((from - zone) / step) * step + zone; at < to; at += step) {
    const format = step < MINUTE ? WITH_SECONDS : step < DAY ? TIME : DATE;
    found.push({ at, text: format.format(at) });
  }
  return found;
}
