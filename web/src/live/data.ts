// What a view shows: read when it opens, and again when something happens that concerns it.
import { useEffect, useRef, useState } from "preact/hooks";
import type { Happening } from "../api/types";
import { hear, missed } from "./events";

/** After an event so much time passes, in milliseconds, in which others may follow. */
const GATHER = 350;

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
    let again = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const read = async (): Promise<void> => {
      if (busy) {
        again = true;
        return;
      }
      busy = true;
      try {
        const value = await latest.current.load();
        if (shown) setState({ value, error: null, loading: false });
      } catch (error) {
        // What was read before is better than nothing.
        if (shown) setState((old) => ({ value: old.value, error, loading: false }));
      }
      busy = false;
      if (again && shown) {
        again = false;
        later();
      }
    };
    const later = (): void => {
      if (timer !== undefined) return;
      timer = setTimeout(() => {
        timer = undefined;
        if (!document.hidden) void read();
        else again = true;
      }, GATHER);
    };
    const seen = (): void => {
      if (!document.hidden && again) {
        again = false;
        later();
      }
    };
    setState({ value: null, error: null, loading: true });
    reload.current = () => void read();
    void read();
    const deaf = hear((event) => {
      if (latest.current.when.on?.(event)) later();
    });
    const unmissed = missed.listen(later);
    const every = latest.current.when.every;
    const clock = every === undefined ? undefined : setInterval(later, every);
    document.addEventListener("visibilitychange", seen);
    return () => {
      shown = false;
      clearTimeout(timer);
      clearInterval(clock);
      deaf();
      unmissed();
      document.removeEventListener("visibilitychange", seen);
    };
  }, of);
  return { ...state, reload: () => reload.current() };
}

/** Every event. */
export const anything = (): boolean => true;
