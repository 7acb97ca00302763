// Nodes and what they are used for, as the picture needs it: times as numbers, bars in order, sites that fold.
import type { BarKind, Offer, Timetable, TimetableBlock, TimetableRow } from "../api/types";

export interface GanttBar {
  start: number;
  end: number;
  kind: BarKind;
  job: number | null;
  name: string | null;
  user: string | null;
  /** Where several jobs share a node, which of so many lanes of its row this one has. */
  lane: number;
  lanes: number;
}

/** Time that is for sale. */
export interface Free {
  start: number;
  end: number;
  price: number;
}

export interface NodeRow {
  site: string;
  node: string;
  lost: boolean;
  /** By start; those of one lane overlap only where a plan lies under what is held. */
  bars: readonly GanttBar[];
  free: readonly Free[];
}

/** Some hundred nodes of a site: summed up, and its nodes where they are open. */
export interface Block extends TimetableBlock {
  name: string;
  open: readonly NodeRow[] | null;
}

export interface Model {
  nodes: readonly NodeRow[];
  /** The cheapest and the dearest price that is offered. */
  prices: readonly [number, number];
  /** All nodes, where they are too many for a row each. */
  blocks: readonly Block[];
  /** What the sums of blocks reach over. */
  span: readonly [number, number];
}

/** A line of the picture: a site's or a block's heading, or one of its nodes. */
export type Row =
  | { kind: "site"; site: string; folded: boolean; nodes: readonly NodeRow[]; block: Block | null }
  | { kind: "node"; of: NodeRow };

export const blockKey = (block: Pick<TimetableBlock, "site" | "first">): string => `${block.site}/${block.first}`;

/** What a block is called: its site, and which of its nodes these are where there are others. */
export function blockName(block: TimetableBlock, all: readonly TimetableBlock[]): string {
  const alone = all.filter((other) => other.site === block.site).length === 1;
  return alone ? block.site : `${block.site} ${block.first + 1}–${block.first + block.nodes}`;
}

/** Gives lanes to bars that overlap, by start: each has the first that is free. What is planned lies under the others. */
function inLanes(bars: GanttBar[]): GanttBar[] {
  let group: GanttBar[] = [];
  let ends: number[] = [];
  for (const bar of bars) {
    if (bar.kind === "owner" || bar.kind === "planned") continue;
    if (ends.every((end) => end <= bar.start)) [group, ends] = [[], []];
    const free = ends.findIndex((end) => end <= bar.start);
    bar.lane = free < 0 ? ends.length : free;
    ends[bar.lane] = bar.end;
    group.push(bar);
    for (const other of free < 0 ? group : [bar]) other.lanes = ends.length;
  }
  return bars;
}

const nodeRow = (row: TimetableRow, free: ReadonlyMap<string, Free[]>): NodeRow => ({
  site: row.site,
  node: row.node,
  lost: row.lost,
  bars: inLanes(row.bars.map((bar) => ({
    start: Date.parse(bar.start),
    end: Date.parse(bar.end),
    kind: bar.kind,
    job: bar.job ?? null,
    name: bar.name ?? null,
    user: bar.user ?? null,
    lane: 0,
    lanes: 1,
  }))),
  free: free.get(`${row.site}/${row.node}`) ?? [],
});

/** `opened` has the rows of blocks that are open, by their keys. */
export function modelOf(timetable: Timetable, offers: readonly Offer[], opened: ReadonlyMap<string, readonly TimetableRow[]> = new Map()): Model {
  const free = new Map<string, Free[]>();
  let prices: [number, number] = [Infinity, 0];
  for (const offer of offers) {
    if (offer.node == null) continue;
    const key = `${offer.site}/${offer.node}`;
    const list = free.get(key) ?? [];
    list.push({ start: Date.parse(offer.start), end: Date.parse(offer.end), price: offer.price });
    free.set(key, list);
    prices = [Math.min(prices[0], offer.price), Math.max(prices[1], offer.price)];
  }
  const summed = timetable.blocks ?? [];
  const blocks = summed.map((block): Block => {
    const rows = opened.get(blockKey(block));
    return { ...block, name: blockName(block, summed), open: rows?.map((row) => nodeRow(row, free)) ?? null };
  });
  const nodes = blocks.length > 0 ? blocks.flatMap((block) => block.open ?? []) : timetable.rows.map((row) => nodeRow(row, free));
  return { nodes, prices, blocks, span: [Date.parse(timetable.from), Date.parse(timetable.to)] };
}

/** The lines of the picture, in order; nodes of folded sites are left out. */
export function rowsOf(model: Model, folded: ReadonlySet<string>): Row[] {
  const rows: Row[] = [];
  const add = (site: string, block: Block | null, nodes: readonly NodeRow[], closed: boolean): void => {
    rows.push({ kind: "site", site, folded: closed, nodes, block });
    if (!closed) for (const of of nodes) rows.push({ kind: "node", of });
  };
  for (const block of model.blocks) add(block.name, block, block.open ?? [], block.open === null);
  if (rows.length > 0) return rows;
  const sites = new Map<string, NodeRow[]>();
  for (const node of model.nodes) {
    const list = sites.get(node.site);
    if (list) list.push(node);
    else sites.set(node.site, [node]);
  }
  for (const [site, nodes] of sites) add(site, null, nodes, folded.has(site));
  return rows;
}

/** How many nodes of a block are used for what at a moment; nothing where it was not asked. */
export function loadAt(block: Block, [from, to]: Model["span"], moment: number): { used: number; planned: number; owner: number } | null {
  const step = Math.floor(((moment - from) / (to - from)) * block.used.length);
  const [used, planned, owner] = [block.used[step], block.planned[step], block.owner[step]];
  return used === undefined || planned === undefined || owner === undefined ? null : { used, planned, owner };
}

/** The first of a sorted list that ends after a moment: what lies before it cannot be seen. */
export function firstAfter(list: readonly { end: number }[], moment: number): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const entry = list[middle];
    if (entry && entry.end > moment) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Whether somebody who looks for a word means this bar. */
export function isMeant(bar: GanttBar, row: NodeRow, word: string): boolean {
  if (bar.job === null) return false;
  const texts = [String(bar.job), bar.name ?? "", bar.user ?? "", `${row.site}/${row.node}`];
  return texts.some((text) => text.toLowerCase().includes(word));
}
