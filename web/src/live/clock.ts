// The service's time, which may run faster than ours.
import { useEffect, useState } from "preact/hooks";
import type { Status } from "../api/types";

let base = { at: performance.now(), shown: Date.now(), speed: 1 };

/** Sets the clock by what the service says. */
export function setClock(status: Pick<Status, "now" | "speed">): void {
  base = { at: performance.now(), shown: Date.parse(status.now), speed: status.speed };
}

/** The service's time, in milliseconds since 1970. */
export function now(): number {
  return base.shown + (performance.now() - base.at) * base.speed;
}

/** The service's time, told every so many milliseconds. */
export function useNow(every = 1_000): number {
  const [time, setTime] = useState(now);
  useEffect(() => {
    const timer = setInterval(() => setTime(now()), every);
    return () => clearInterval(timer);
  }, [every]);
  return time;
}
