// Times, spans and money in the viewer's manner and zone.
const CLOCK = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", second: "2-digit" });
const DAY = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short" });
const FULL = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });
const MONEY = new Intl.NumberFormat(undefined, { maximumFractionDigits: 2 });
const EXACT = new Intl.NumberFormat(undefined, { maximumFractionDigits: 6 });
const COUNT = new Intl.NumberFormat(undefined);
const PERCENT = new Intl.NumberFormat(undefined, { style: "percent", maximumFractionDigits: 0 });

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY_LONG = 24 * HOUR;

type Moment = string | number;

const at = (moment: Moment): Date => new Date(moment);

/** What stays on one line. */
const unbroken = (text: string): string => text.replaceAll(" ", "\u00a0");

/** The time of day; with the date when it is another day. */
export function clockOf(moment: Moment): string {
  const date = at(moment);
  const today = date.toDateString() === new Date().toDateString();
  const clock = unbroken(CLOCK.format(date));
  return today ? clock : `${unbroken(DAY.format(date))}, ${clock}`;
}

export const fullTime = (moment: Moment): string => FULL.format(at(moment));

/** A moment as a field for dates has it, in the viewer's zone. */
export function asField(moment: Moment): string {
  const date = at(moment);
  return new Date(date.getTime() - date.getTimezoneOffset() * MINUTE).toISOString().slice(0, 16);
}

/** How long: the two largest units. */
export function spanOf(millis: number): string {
  const whole = Math.round(Math.abs(millis) / 1_000) * 1_000;
  const units: [number, string][] = [
    [DAY_LONG, "d"],
    [HOUR, "h"],
    [MINUTE, "min"],
    [1_000, "s"],
  ];
  const parts: string[] = [];
  let left = whole;
  for (const [size, name] of units) {
    const count = Math.floor(left / size);
    left -= count * size;
    if (count > 0 || (size === 1_000 && parts.length === 0)) parts.push(`${count} ${name}`);
    if (parts.length === 2) break;
  }
  return parts.join(" ");
}

/** How far from now: "in 2 min", "3 s ago". */
export function fromNow(moment: Moment, now: number): string {
  const far = at(moment).getTime() - now;
  if (Math.abs(far) < 1_000) return "now";
  return far > 0 ? `in ${spanOf(far)}` : `${spanOf(far)} ago`;
}

/** When something is due: whoever waits for what is overdue waits for no time that has passed. */
export const dueOf = (moment: Moment, now: number): string => (at(moment).getTime() <= now ? "now" : fromNow(moment, now));

export const moneyOf = (amount: number): string => MONEY.format(amount);
export const exactly = (amount: number): string => EXACT.format(amount);
export const countOf = (count: number): string => COUNT.format(count);
export const shareOf = (share: number): string => PERCENT.format(share);

/** A sentence of the service with its points in time as the viewer's. */
export function inZone(text: string): string {
  return text.replace(/\b\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z/g, (stamp) => clockOf(stamp));
}

/** A word with its count. */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${countOf(count)} ${count === 1 ? one : many}`;
}
