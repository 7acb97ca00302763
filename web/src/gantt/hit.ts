// What lies under a place of the picture.
import { type Block, firstAfter, type Free, type GanttBar, type NodeRow, type Row } from "./model";
import { AXIS, ROW, type Scene } from "./paint";
import { timeAt } from "./window";

export interface Hit {
  row: Row;
  node: NodeRow | null;
  bar: GanttBar | null;
  free: Free | null;
  time: number;
  /** The block of nodes that is shown in sums here. */
  block: Block | null;
}

const NOTHING = null;

export function hit(scene: Scene, x: number, y: number): Hit | null {
  const index = Math.floor((y - AXIS + scene.window.top) / ROW);
  const row = scene.rows[index];
  if (y < AXIS || !row) return NOTHING;
  const time = timeAt(scene.window, x - scene.gutter);
  const nothing = { row, node: null, bar: null, free: null, time, block: null };
  if (x < scene.gutter) return nothing;
  if (row.kind === "site" && row.block) return { ...nothing, block: row.block };
  const within = (y - AXIS + scene.window.top) % ROW;
  const node = row.kind === "node" ? row.of : nodeWithin(row.nodes, within);
  if (!node) return nothing;
  const share = row.kind === "node" ? Math.min(Math.max((within - 3) / (ROW - 6), 0), 0.999) : null;
  return { ...nothing, node, bar: barAt(node, time, share), free: freeAt(node, time) };
}

/** In a folded site every node is a thin line. */
function nodeWithin(nodes: readonly NodeRow[], within: number): NodeRow | null {
  const index = Math.floor(((within - 2) / (ROW - 4)) * nodes.length);
  return nodes[Math.min(Math.max(index, 0), nodes.length - 1)] ?? null;
}

/** What was painted last is on top, in its lane; `share` says how far down the row. */
function barAt(node: NodeRow, time: number, share: number | null): GanttBar | null {
  let found: GanttBar | null = null;
  for (let index = firstAfter(node.bars, time); index < node.bars.length; index += 1) {
    const bar = node.bars[index];
    if (!bar || bar.start > time) break;
    if (bar.end > time && (share === null || Math.floor(share * bar.lanes) === bar.lane)) found = bar;
  }
  return found;
}

function freeAt(node: NodeRow, time: number): Free | null {
  const free = node.free[firstAfter(node.free, time)];
  return free && free.start <= time ? free : null;
}
