// Paints the picture. Only what can be seen is looked at: rows by their place, bars from the first that reaches the window.
import type { Theme } from "../parts/theme";
import { ticks } from "./axis";
import { type Block, firstAfter, type GanttBar, isMeant, type Model, type NodeRow, type Row } from "./model";
import { type Overlay, paintOverlay, placesOfRows } from "./overlay";
import { type Window, xAt } from "./window";

export const ROW = 24;
export const AXIS = 30;
/** How tall a bar is that can be written on. */
const LETTERS = 12;

export interface Scene {
  model: Model;
  rows: readonly Row[];
  window: Window;
  theme: Theme;
  now: number;
  width: number;
  height: number;
  /** How wide the names are. */
  gutter: number;
  /** The job that is pointed at or chosen. */
  job: number | null;
  /** What is looked for, in lower case; nothing when empty. */
  word: string;
  /** What is drawn for a job that is chosen. */
  overlay: Overlay;
}

type Canvas = CanvasRenderingContext2D;

export function paint(canvas: Canvas, scene: Scene): void {
  const { width, height, theme, gutter } = scene;
  canvas.fillStyle = theme.surface;
  canvas.fillRect(0, 0, width, height);
  canvas.font = "12px system-ui, sans-serif";
  canvas.textBaseline = "middle";
  clipped(canvas, gutter, AXIS, width - gutter, height - AXIS, () => {
    grid(canvas, scene);
    eachRow(scene, (row, y) => {
      if (row.kind === "node") nodeRow(canvas, scene, row.of, y, ROW);
      else if (row.block) load(canvas, scene, row.block, y);
      else if (row.folded) foldedRow(canvas, scene, row.nodes, y);
      else heading(canvas, scene, y);
    });
    chosen(canvas, scene);
    nowLine(canvas, scene);
  });
  axis(canvas, scene);
  clipped(canvas, 0, AXIS, gutter, height - AXIS, () => eachRow(scene, (row, y) => name(canvas, scene, row, y)));
  canvas.strokeStyle = theme.line;
  canvas.strokeRect(gutter - 0.5, -1, width, AXIS + 0.5);
  canvas.strokeRect(-1, -1, gutter + 0.5, height + 2);
}

function chosen(canvas: Canvas, scene: Scene): void {
  if (scene.overlay.outlines.length === 0) return;
  const y = (index: number): number => AXIS + index * ROW - scene.window.top;
  paintOverlay({ canvas, theme: scene.theme, x: (time) => place(scene, time), y, row: ROW }, scene.overlay, placesOfRows(scene.rows));
}

function clipped(canvas: Canvas, x: number, y: number, width: number, height: number, draw: () => void): void {
  canvas.save();
  canvas.beginPath();
  canvas.rect(x, y, width, height);
  canvas.clip();
  draw();
  canvas.restore();
}

function eachRow(scene: Scene, draw: (row: Row, y: number) => void): void {
  const first = Math.floor(scene.window.top / ROW);
  const last = Math.ceil((scene.window.top + scene.height - AXIS) / ROW);
  for (let index = first; index < Math.min(last, scene.rows.length); index += 1) {
    const row = scene.rows[index];
    if (row) draw(row, AXIS + index * ROW - scene.window.top);
  }
}

const place = (scene: Scene, time: number): number => scene.gutter + xAt(scene.window, time);

function grid(canvas: Canvas, scene: Scene): void {
  canvas.fillStyle = scene.theme.line;
  for (const tick of ticksOf(scene)) canvas.fillRect(Math.round(place(scene, tick.at)), AXIS, 1, scene.height);
}

function ticksOf(scene: Scene) {
  const { window, width, gutter } = scene;
  return ticks(window.from, window.from + (width - gutter) * window.scale, 84 * window.scale);
}

function axis(canvas: Canvas, scene: Scene): void {
  canvas.fillStyle = scene.theme.background;
  canvas.fillRect(0, 0, scene.width, AXIS);
  canvas.fillStyle = scene.theme.muted;
  canvas.textAlign = "left";
  clipped(canvas, scene.gutter, 0, scene.width - scene.gutter, AXIS, () => {
    for (const tick of ticksOf(scene)) {
      const x = place(scene, tick.at) + 4;
      // Half a time says another.
      if (x + canvas.measureText(tick.text).width <= scene.width) canvas.fillText(tick.text, x, AXIS / 2);
    }
  });
}

function heading(canvas: Canvas, scene: Scene, y: number): void {
  canvas.fillStyle = scene.theme.background;
  canvas.fillRect(scene.gutter, y, scene.width, ROW);
}

function name(canvas: Canvas, scene: Scene, row: Row, y: number): void {
  const { theme, gutter } = scene;
  canvas.textAlign = "left";
  canvas.fillStyle = row.kind === "site" ? theme.background : theme.surface;
  canvas.fillRect(0, y, gutter, ROW);
  if (row.kind === "site") {
    canvas.font = "600 12px system-ui, sans-serif";
    canvas.fillStyle = theme.text;
    canvas.fillText(`${row.folded ? "▸" : "▾"} ${row.site}`, 8, y + ROW / 2, gutter - 12);
    canvas.font = "12px system-ui, sans-serif";
  } else {
    canvas.fillStyle = row.of.lost ? theme.now : theme.muted;
    canvas.fillText(`${row.of.node}${row.of.lost ? " lost" : ""}`, 22, y + ROW / 2, gutter - 26);
  }
}

/** How many nodes of a block are used for what: from below, the owner's use, what is reserved, and what is planned on top. */
function load(canvas: Canvas, scene: Scene, block: Block, y: number): void {
  const { theme, model } = scene;
  const [from, to] = model.span;
  const wide = (to - from) / block.used.length;
  const full = ROW - 2;
  canvas.fillStyle = theme.background;
  canvas.fillRect(scene.gutter, y, scene.width, ROW);
  for (let step = 0; step < block.used.length; step += 1) {
    const left = Math.floor(place(scene, from + step * wide));
    const right = Math.floor(place(scene, from + (step + 1) * wide));
    if (right < scene.gutter) continue;
    if (left > scene.width) break;
    let bottom = y + ROW - 1;
    for (const [nodes, colour, alpha] of [
      [block.owner[step] ?? 0, theme.owner, 1],
      [block.used[step] ?? 0, theme.accent, 0.75],
      [block.planned[step] ?? 0, theme.accent, 0.3],
    ] as const) {
      // What is planned where an owner came between is not in two places.
      // A few nodes of many are seen, too.
      const tall = Math.min(nodes > 0 ? Math.max((nodes / block.nodes) * full, 1) : 0, bottom - y - 1);
      canvas.globalAlpha = alpha;
      canvas.fillStyle = colour;
      canvas.fillRect(left, bottom - tall, right - left, tall);
      bottom -= tall;
    }
  }
  canvas.globalAlpha = 1;
}

/** All nodes of a folded site in one row, one thin line each. */
function foldedRow(canvas: Canvas, scene: Scene, nodes: readonly NodeRow[], y: number): void {
  const each = (ROW - 4) / nodes.length;
  nodes.forEach((node, index) => nodeRow(canvas, scene, node, y + 2 + index * each, each));
}

function nodeRow(canvas: Canvas, scene: Scene, row: NodeRow, y: number, height: number): void {
  const { window, width, gutter } = scene;
  const to = window.from + (width - gutter) * window.scale;
  for (let index = firstAfter(row.free, window.from); index < row.free.length; index += 1) {
    const free = row.free[index];
    if (!free || free.start >= to) break;
    canvas.globalAlpha = shade(free.price, scene.model.prices);
    canvas.fillStyle = scene.theme.free;
    const x = place(scene, free.start);
    canvas.fillRect(x, y + 1, Math.max(place(scene, free.end) - x, 0.5), height - 2);
  }
  canvas.globalAlpha = 1;
  let painted = -Infinity;
  for (let index = firstAfter(row.bars, window.from); index < row.bars.length; index += 1) {
    const bar = row.bars[index];
    if (!bar || bar.start >= to) break;
    const end = place(scene, bar.end);
    // What lies within a pixel that is painted already would not be seen.
    if (bar.lanes === 1 && end < painted + 0.5) continue;
    painted = Math.max(painted, end);
    paintBar(canvas, scene, row, bar, y, height);
  }
}

/** The dearer, the darker; cheap time is still seen. */
function shade(price: number, [least, most]: readonly [number, number]): number {
  return most > least ? 0.07 + 0.25 * ((price - least) / (most - least)) : 0.12;
}

export function colourOf(theme: Theme, job: number | null): string {
  return job === null ? theme.muted : (theme.series[job % theme.series.length] ?? theme.muted);
}

function paintBar(canvas: Canvas, scene: Scene, row: NodeRow, bar: GanttBar, y: number, height: number): void {
  const { theme } = scene;
  const x = place(scene, bar.start);
  const wide = Math.max(place(scene, bar.end) - x, 1);
  const thin = height < 10;
  const [edge, whole] = thin ? [y, Math.max(height, 1)] : [y + 3, height - 6];
  const tall = whole / bar.lanes;
  const top = edge + bar.lane * tall;
  if (bar.kind === "owner") {
    // It is no job: it fills its row, as what is for sale does.
    canvas.fillStyle = theme.owner;
    canvas.fillRect(x, thin ? y : y + 1, wide, thin ? tall : height - 2);
    return;
  }
  const colour = colourOf(theme, bar.job);
  const dim = scene.word !== "" && !isMeant(bar, row, scene.word);
  canvas.globalAlpha = (dim ? 0.15 : 1) * (bar.kind === "ended" ? 0.45 : 1);
  canvas.fillStyle = colour;
  canvas.strokeStyle = colour;
  if (bar.kind === "running" || bar.kind === "ended") {
    canvas.fillRect(x, top, wide, tall);
  } else {
    const full = canvas.globalAlpha;
    canvas.globalAlpha = full * (bar.kind === "held" ? 0.4 : 0.14);
    canvas.fillRect(x, top, wide, tall);
    canvas.globalAlpha = full;
    canvas.setLineDash(bar.kind === "held" || thin ? [] : [4, 3]);
    if (wide > 3 && !thin) canvas.strokeRect(x + 0.5, top + 0.5, wide - 1, tall - 1);
    canvas.setLineDash([]);
  }
  canvas.globalAlpha = 1;
  if (bar.job !== null && bar.job === scene.job) {
    canvas.strokeStyle = theme.text;
    canvas.lineWidth = 2;
    canvas.strokeRect(x, top, wide, tall);
    canvas.lineWidth = 1;
  }
  const named = bar.job !== null && bar.job === scene.overlay.named;
  if (tall > LETTERS && !dim && !named) label(canvas, scene, bar, x, wide, y + height / 2);
}

function label(canvas: Canvas, scene: Scene, bar: GanttBar, x: number, wide: number, middle: number): void {
  const text = bar.job === null ? "" : bar.name ? `${bar.job} ${bar.name}` : String(bar.job);
  const left = Math.max(x, scene.gutter);
  const room = x + wide - left - 8;
  if (text === "" || room < 8 * String(bar.job).length) return;
  const solid = bar.kind === "running";
  canvas.fillStyle = solid ? scene.theme.surface : scene.theme.text;
  canvas.textAlign = "left";
  const short = canvas.measureText(text).width <= room ? text : String(bar.job);
  canvas.fillText(short, left + 4, middle, room);
}

function nowLine(canvas: Canvas, scene: Scene): void {
  const x = place(scene, scene.now);
  canvas.fillStyle = scene.theme.now;
  canvas.fillRect(x - 1, AXIS, 2, scene.height);
}
