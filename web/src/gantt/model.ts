// Nodes and what they are used for, as the picture needs it: times as numbers, bars in order, sites that fold.
import type { BarKind, Offer, Timetable } from "../api/types";

export interface GanttBar {
  start: number;
  end: number;
  kind: BarKind;
  job: number | null;
  name: string | null;
  user: string | null;
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
  /** By start; those of one node overlap only where a plan lies under what is held. */
  bars: readonly GanttBar[];
  free: readonly Free[];
}

export interface Model {
  nodes: readonly NodeRow[];
  /** The cheapest and the dearest price that is offered. */
  prices: readonly [number, number];
}

/** A line of the picture: a site's heading, or one of its nodes. */
export type Row = { kind: "site"; site: string; folded: boolean; nodes: readonly NodeRow[] } | { kind: "node"; of: NodeRow };

export function modelOf(timetable: Timetable, offers: readonly Offer[]): Model {
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
  const nodes = timetable.rows.map((row) => ({
    site: row.site,
    node: row.node,
    lost: row.lost,
    bars: row.bars.map((bar) => ({
      start: Date.parse(bar.start),
      end: Date.parse(bar.end),
      kind: bar.kind,
      job: bar.job ?? null,
      name: bar.name ?? null,
      user: bar.user ?? null,
    })),
    free: free.get(`${row.site}/${row.node}`) ?? [],
  }));
  return { nodes, prices };
}

/** The lines of the picture, in order; nodes of folded sites are left out. */
export function rowsOf(model: Model, folded: ReadonlySet<string>): Row[] {
  const sites = new Map<string, NodeRow[]>();
  for (const node of model.nodes) {
    const list = sites.get(node.site);
    if (list) list.push(node);
    else sites.set(node.site, [node]);
  }
  const rows: Row[] = [];
  for (const [site, nodes] of sites) {
    const closed = folded.has(site);
    rows.push({ kind: "site", site, folded: closed, nodes });
    if (!closed) for (const of of nodes) rows.push({ kind: "node", of });
  }
  return rows;
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
