// What part of the picture is seen: a stretch of time, and how far the rows are scrolled.

export interface Window {
  /** The time at the left edge, in milliseconds. */
  from: number;
  /** Milliseconds a pixel. */
  scale: number;
  /** How many pixels of rows are above the upper edge. */
  top: number;
}

/** A pixel is at least a hundredth of a second, and at most ten hours. */
const SCALES = [10, 36_000_000] as const;

export const timeAt = (window: Window, x: number): number => window.from + x * window.scale;
export const xAt = (window: Window, time: number): number => (time - window.from) / window.scale;

export function pan(window: Window, dx: number, dy: number, height: number): Window {
  const top = Math.min(Math.max(0, window.top + dy), Math.max(0, height));
  return { ...window, from: window.from + dx * window.scale, top };
}

/** Magnifies around a place: the time under it stays there. */
export function zoom(window: Window, x: number, factor: number): Window {
  const scale = Math.min(Math.max(window.scale * factor, SCALES[0]), SCALES[1]);
  return { ...window, scale, from: timeAt(window, x) - x * scale };
}

/** Shows a stretch of time on so many pixels. */
export function showing(from: number, to: number, width: number): Window {
  return { from, scale: Math.max((to - from) / Math.max(width, 1), SCALES[0]), top: 0 };
}
