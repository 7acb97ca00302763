// Wheel, drag, touch and keys, as changes of what is seen.
import { AXIS, ROW, type Scene } from "./paint";
import { pan, type Window, zoom } from "./window";

export interface Hands {
  /** What is painted; nothing before the first painting. */
  scene: () => Scene | null;
  move: (window: Window) => void;
  /** Pointed at, without pressing. */
  point: (x: number, y: number) => void;
  leave: () => void;
  /** Pressed and let go in one place. */
  press: (x: number, y: number) => void;
  home: () => void;
}

/** A pointer that moves less than this, in pixels, presses. */
const STILL = 4;
const STEP = 80;

/** Listens on an element; gives back how to stop. */
export function attach(element: HTMLElement, hands: Hands): () => void {
  const fingers = new Map<number, { x: number; y: number }>();
  let moved = 0;
  const local = (event: MouseEvent): { x: number; y: number } => {
    const box = element.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };
  const shift = (dx: number, dy: number): void => {
    const scene = hands.scene();
    if (!scene) return;
    const below = scene.rows.length * ROW - (scene.height - AXIS);
    hands.move(pan(scene.window, dx, dy, below));
  };
  const magnify = (x: number, factor: number): void => {
    const scene = hands.scene();
    if (scene) hands.move(zoom(scene.window, Math.max(0, x - scene.gutter), factor));
  };
  const listeners = {
    wheel: (event: WheelEvent): void => {
      event.preventDefault();
      if (event.shiftKey) shift(0, event.deltaY || event.deltaX);
      else if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) shift(event.deltaX, 0);
      else magnify(local(event).x, Math.exp(Math.max(-120, Math.min(120, event.deltaY)) * 0.003));
    },
    pointerdown: (event: PointerEvent): void => {
      element.setPointerCapture(event.pointerId);
      fingers.set(event.pointerId, local(event));
      if (fingers.size === 1) moved = 0;
    },
    pointermove: (event: PointerEvent): void => {
      const to = local(event);
      const from = fingers.get(event.pointerId);
      if (!from) {
        hands.point(to.x, to.y);
        return;
      }
      const other = [...fingers].find(([id]) => id !== event.pointerId)?.[1];
      if (other) {
        const [before, after] = [Math.abs(from.x - other.x), Math.abs(to.x - other.x)];
        if (before > 8 && after > 8) magnify((to.x + other.x) / 2, before / after);
        moved = Infinity;
      } else {
        moved += Math.abs(to.x - from.x) + Math.abs(to.y - from.y);
        if (moved >= STILL) shift(from.x - to.x, from.y - to.y);
      }
      fingers.set(event.pointerId, to);
    },
    pointerup: (event: PointerEvent): void => {
      const to = local(event);
      if (fingers.delete(event.pointerId) && moved < STILL) hands.press(to.x, to.y);
    },
    pointercancel: (event: PointerEvent): void => void fingers.delete(event.pointerId),
    pointerleave: (): void => hands.leave(),
    keydown: (event: KeyboardEvent): void => {
      const scene = hands.scene();
      if (!scene) return;
      const middle = (scene.gutter + scene.width) / 2;
      const keys: Record<string, () => void> = {
        ArrowLeft: () => shift(-STEP, 0),
        ArrowRight: () => shift(STEP, 0),
        ArrowUp: () => shift(0, -ROW),
        ArrowDown: () => shift(0, ROW),
        PageUp: () => shift(0, -scene.height / 2),
        PageDown: () => shift(0, scene.height / 2),
        "+": () => magnify(middle, 0.8),
        "=": () => magnify(middle, 0.8),
        "-": () => magnify(middle, 1.25),
        Home: () => hands.home(),
      };
      const action = keys[event.key];
      if (!action || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      action();
    },
  };
  for (const [kind, listener] of Object.entries(listeners)) {
    element.addEventListener(kind, listener as EventListener, { passive: false });
  }
  return () => {
    for (const [kind, listener] of Object.entries(listeners)) element.removeEventListener(kind, listener as EventListener);
  };
}
