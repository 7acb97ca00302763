// What the schedule shows, as it is asked of the service.
//
// Where there are more nodes than can have a row each, the service sums them up by blocks. Then only blocks that are open are read
// node by node, and nodes that are looked for.
import { api, ask, Refusal } from "../../api/client";
import type { Offer, Places, Timetable, TimetableBlock, TimetableRow } from "../../api/types";
import { blockKey } from "../../gantt/model";

type Span = readonly [number, number];

/** What is asked for. */
export interface Wanted {
  span: Span;
  site: string;
  /** What is looked for, and the job that is chosen. */
  word: string;
  job: number | null;
  /** The blocks that are open, by their keys. */
  open: ReadonlySet<string>;
}

export interface Nodes {
  timetable: Timetable;
  /** The rows of blocks that are open. */
  opened: ReadonlyMap<string, readonly TimetableRow[]>;
  /** How many nodes there are in all. */
  all: number;
}

const OFFERS_MAX = 10_000;
/** At most so many nodes are shown of those that are looked for. */
const FOUND_MAX = 500;

/** What is read: wider than what is seen, so that a small step shows something at once. */
export function around(from: number, to: number): Span {
  const width = to - from;
  return [from - width, to + width];
}

const ofSite = (site: string): { site?: string } => (site === "" ? {} : { site });

export async function readNodes({ span: [from, to], site, word, job, open }: Wanted): Promise<Nodes> {
  const times = { from: new Date(from).toISOString(), to: new Date(to).toISOString() };
  const read = (more: { site?: string; first?: number; limit?: number; find?: string; sums?: boolean }): Promise<Timetable> =>
    ask(api.GET("/v1/timetable", { params: { query: { ...times, ...more } } }));
  const timetable = await read({ ...ofSite(site), sums: true });
  const all = timetable.nodes ?? timetable.rows.length;
  const blocks = timetable.blocks ?? [];
  const find = word !== "" ? word : job !== null && open.size === 0 ? String(job) : "";
  if (blocks.length > 0 && find !== "") return { timetable: await read({ ...ofSite(site), find, limit: FOUND_MAX }), opened: new Map(), all };
  const rows = async (block: TimetableBlock): Promise<[string, readonly TimetableRow[]]> => [
    blockKey(block),
    (await read({ site: block.site, first: block.first, limit: block.nodes })).rows,
  ];
  const opened = new Map(await Promise.all(blocks.filter((block) => open.has(blockKey(block))).map(rows)));
  return { timetable, opened, all };
}

/** What is for sale lies below what is taken, so that it may be a little older. */
export async function readOffers(site: string, nodes: Nodes | null): Promise<readonly Offer[]> {
  const read = async (more: { site?: string; first?: number; nodes?: number }): Promise<readonly Offer[]> =>
    (await ask(api.GET("/v1/offers", { params: { query: { limit: OFFERS_MAX, ...more } } }))).offers;
  if (!nodes) return [];
  const blocks = nodes.timetable.blocks ?? [];
  if (blocks.length === 0) return nodes.timetable.rows.length === nodes.all ? read(ofSite(site)) : [];
  const shown = blocks.filter((block) => nodes.opened.has(blockKey(block)));
  return (await Promise.all(shown.map((block) => read({ site: block.site, first: block.first, nodes: block.nodes })))).flat();
}

/** Where a job runs and could run; of nobody, nothing. */
export async function placesOf(job: number | null): Promise<Places | null> {
  if (job === null) return null;
  try {
    return await ask(api.GET("/v1/jobs/{job}/places", { params: { path: { job: String(job) }, query: { alternatives: true } } }));
  } catch (error) {
    if (error instanceof Refusal && error.status === 404) return null;
    throw error;
  }
}
