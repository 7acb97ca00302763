// What a view shows: read when it opens, and again when something happens that concerns it.
import { useEffect, useRef, useState } from "preact/hooks";
import type { Happening } from "../api/types";
import { hear, missed } from "./events";

/** After an event so much time passes, in milliseconds, in which others may follow. */
const GATHER = 350;
/** So much time lies between two readings of the same, in milliseconds, however much happens: hundreds of pages may be open. */
const APART = 2_000;

export interface Data<T> {
  value: T | null;
  error: unknown;
  /** Whether nothing has come yet. */
  loading: boolean;
  reload: () => void;
}

export interface When {
  /** Which events change it; none, without. */
  on?: (event: Happening) => boolean;
  /** How often it is read in any case, in milliseconds; never, without. */
  every?: number;
  /** How long it is not read again after it was, whatever happens, in milliseconds. */
  apart?: number;
}

/** Reads something for as long as the view is shown; `of` says what it depends on. */
export function useData<T>(load: () => Promise<T>, of: readonly unknown[], when: When = {}): Data<T> {
  const [state, setState] = useState<Omit<Data<T>, "reload">>({ value: null, error: null, loading: true });
  const latest = useRef({ load, when });
  latest.current = { load, when };
  const reload = useRef<() => void>(() => undefined);
  useEffect(() => {
    let shown = true;
    let busy = false;
    /** Whether there is something new that was not read. */
    let again = false;
    let begun = 0;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let clock: ReturnType<typeof setTimeout> | undefined;
    const read = async (): Promise<void> => {
      if (busy) {
        again = true;
        return;
      }
      busy = true;
      again = false;
      begun = performance.now();
      clearTimeout(clock);
      const { load, when } = latest.current;
      try {
        const value = await load();
        if (shown) setState({ value, error: null, loading: false });
      } catch (error) {
        // What was read before is better than nothing.
        if (shown) setState((old) => ({ value: old.value, error, loading: false }));
      }
      busy = false;
      if (!shown) return;
      if (again) later();
      // Whoever has just read what happened need not be told by the clock as well.
      clearTimeout(clock);
      if (when.every !== undefined) clock = setTimeout(later, when.every);
    };
    const later = (): void => {
      again = true;
      // Nobody looks: it is read when somebody does.
      if (timer !== undefined || document.hidden) return;
      timer = setTimeout(
        () => {
          timer = undefined;
          if (!document.hidden) void read();
        },
        Math.max(GATHER, begun + (latest.current.when.apart ?? APART) - performance.now()),
      );
    };
    const seen = (): void => {
      if (!document.hidden && again) later();
    };
    setState({ value: null, error: null, loading: true });
    reload.current = () => void read();
    void read();
    const deaf = hear((event) => {
      if (latest.current.when.on?.(event)) later();
    });
    const unmissed = missed.listen(later);
    document.addEventListener("visibilitychange", seen);
    return () => {
      shown = false;
      clearTimeout(timer);
      clearTimeout(clock);
      deaf();
      unmissed();
      document.removeEventListener("visibilitychange", seen);
    };
  }, of);
  return { ...state, reload: () => reload.current() };
}
