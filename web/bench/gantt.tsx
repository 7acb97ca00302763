// The schedule with more in it than anybody has: how long it takes to paint, and how smoothly it moves.
import { render } from "preact";
import { Gantt } from "../src/gantt/gantt";
import type { Model, NodeRow } from "../src/gantt/model";
import type { BarKind } from "../src/api/types";
import "../src/style/base.css";
import "../src/style/views.css";

const query = new URLSearchParams(location.search);
const [nodes, bars] = [Number(query.get("nodes") ?? 1_000), Number(query.get("bars") ?? 20_000)];
const KINDS: readonly BarKind[] = ["owner", "planned", "held", "running", "ended"];
const MINUTE = 60_000;

/** Numbers that follow from a seed. */
function chance(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

function made(): Model {
  const next = chance(1);
  const each = Math.ceil(bars / nodes);
  const begin = Date.now() - 60 * MINUTE;
  const rows: NodeRow[] = Array.from({ length: nodes }, (_, index) => {
    let at = begin;
    const row: NodeRow = { site: `site-${Math.floor(index / 50)}`, node: `n${index}`, lost: false, bars: [], free: [] };
    const list = Array.from({ length: each }, (_unused, place) => {
      const start = at + next() * 4 * MINUTE;
      at = start + (1 + next() * 8) * MINUTE;
      const job = index * each + place;
      return { start, end: at, kind: KINDS[Math.floor(next() * KINDS.length)] ?? "held", job, name: `job-${job}`, user: "ada", lane: 0, lanes: 1 };
    });
    return { ...row, bars: list, free: [{ start: begin, end: at, price: next() }] };
  });
  return { nodes: rows, prices: [0, 1], blocks: [], span: [begin, Date.now()] };
}

const model = made();
const place = document.getElementById("page");
if (place) {
  performance.mark("begin");
  render(<Gantt model={model} span={[-60 * MINUTE, 120 * MINUTE]} word="" open={() => undefined} />, place);
  requestAnimationFrame(() => requestAnimationFrame(() => performance.measure("first paint", "begin")));
}
