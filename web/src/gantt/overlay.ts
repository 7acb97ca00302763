// What is drawn over the schedule for one job that is chosen: its alternatives and its plan as outlines, data on its way, the path
// on which its end hangs.
import type { PlaceOf, Places } from "../api/types";
import type { Theme } from "../parts/theme";
import type { Row } from "./model";

export interface Outline {
  /** `SITE/NODE`. */
  at: string;
  start: number;
  end: number;
  kind: "alternative" | "planned";
  text: string;
  critical: boolean;
}

export interface Flow {
  from: { at: string; time: number };
  to: { at: string; time: number };
  critical: boolean;
}

export interface Overlay {
  /** The job whose tasks are written into their outlines. */
  named: number | null;
  outlines: readonly Outline[];
  flows: readonly Flow[];
}

export const NO_OVERLAY: Overlay = { named: null, outlines: [], flows: [] };

const nameOf = (place: PlaceOf): string => `${place.site}/${place.node ?? ""}`;

function outlineOf(place: PlaceOf, kind: Outline["kind"], text: string, critical = false): Outline {
  return { at: nameOf(place), start: Date.parse(place.start), end: Date.parse(place.end), kind, text, critical };
}

export function overlayOf(places: Places): Overlay {
  const planned = places.parts.flatMap((part) => (part.planned ? [outlineOf(part.planned, "planned", part.task ?? "", part.critical)] : []));
  const others = places.alternatives.flatMap((alternative, index) => alternative.places.map((place) => outlineOf(place, "alternative", String(index + 1))));
  const flows = places.transfers.flatMap(({ from, to, start, end, critical }) => {
    const [one, other] = [places.parts[from]?.planned, places.parts[to]?.planned];
    if (!one || !other) return [];
    return [{ from: { at: nameOf(one), time: Date.parse(start) }, to: { at: nameOf(other), time: Date.parse(end) }, critical }];
  });
  return { named: planned.some((outline) => outline.text !== "") ? places.job : null, outlines: [...others, ...planned], flows };
}

/** In which row each node is: its own, or that of its folded site. */
export function placesOfRows(rows: readonly Row[]): Map<string, number> {
  const found = new Map<string, number>();
  rows.forEach((row, index) => {
    if (row.kind === "node") found.set(`${row.of.site}/${row.of.node}`, index);
    else if (row.folded) for (const node of row.nodes) found.set(`${node.site}/${node.node}`, index);
  });
  return found;
}

interface Pen {
  canvas: CanvasRenderingContext2D;
  theme: Theme;
  x: (time: number) => number;
  /** The upper edge of a row. */
  y: (row: number) => number;
  /** How tall a row is. */
  row: number;
}

export function paintOverlay(pen: Pen, overlay: Overlay, rows: Map<string, number>): void {
  for (const outline of overlay.outlines) paintOutline(pen, outline, rows.get(outline.at));
  for (const flow of overlay.flows) paintFlow(pen, flow, rows.get(flow.from.at), rows.get(flow.to.at));
}

function paintOutline({ canvas, theme, x, y, row }: Pen, outline: Outline, at: number | undefined): void {
  if (at === undefined) return;
  const [left, top] = [x(outline.start), y(at) + 1.5];
  const wide = Math.max(x(outline.end) - left, 2);
  canvas.lineWidth = outline.critical ? 2.5 : 1.5;
  canvas.strokeStyle = outline.critical ? theme.now : outline.kind === "planned" ? theme.text : theme.accent;
  canvas.setLineDash(outline.kind === "planned" ? [] : [6, 3]);
  canvas.strokeRect(left, top, wide, row - 3);
  canvas.setLineDash([]);
  canvas.lineWidth = 1;
  if (outline.text === "" || wide < 8 * outline.text.length + 6) return;
  canvas.fillStyle = theme.text;
  canvas.textAlign = "right";
  canvas.fillText(outline.text, left + wide - 5, top + (row - 3) / 2);
}

function paintFlow({ canvas, theme, x, y, row }: Pen, flow: Flow, from: number | undefined, to: number | undefined): void {
  if (from === undefined || to === undefined) return;
  const [x1, y1, x2, y2] = [x(flow.from.time), y(from) + row / 2, x(flow.to.time), y(to) + row / 2];
  canvas.strokeStyle = flow.critical ? theme.now : theme.text;
  canvas.lineWidth = flow.critical ? 2 : 1;
  canvas.beginPath();
  canvas.moveTo(x1, y1);
  canvas.bezierCurveTo(x1 + 14, y1, x2 - 14, y2, x2, y2);
  canvas.stroke();
  canvas.lineWidth = 1;
}
