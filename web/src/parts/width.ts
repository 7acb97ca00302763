// How wide something is on the screen: what is drawn in its own pixels has letters of their own size on a phone too.
import type { RefObject } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";

export function useWidth<E extends Element>(least = 200): [RefObject<E>, number] {
  const place = useRef<E>(null) as RefObject<E>;
  const [width, setWidth] = useState(least);
  useLayoutEffect(() => {
    const home = place.current;
    if (!home) return;
    const measure = (): void => setWidth(Math.max(least, Math.floor(home.getBoundingClientRect().width)));
    measure();
    const watcher = new ResizeObserver(measure);
    watcher.observe(home);
    return () => watcher.disconnect();
  }, [least]);
  return [place, width];
}
