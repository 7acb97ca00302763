// Who has which node when.
import { useMemo, useState } from "preact/hooks";
import { api, ask, Refusal } from "../api/client";
import type { Places } from "../api/types";
import { Gantt } from "../gantt/gantt";
import { isMeant, type Model, modelOf } from "../gantt/model";
import { NO_OVERLAY, overlayOf } from "../gantt/overlay";
import { now } from "../live/clock";
import { anything, useData } from "../live/data";
import { me, mayRunJobs } from "../live/session";
import { Choice, Field } from "../parts/field";
import { clockOf } from "../parts/format";
import { JobLink } from "../parts/link";
import { Empty, Shown } from "../parts/states";
import { Table } from "../parts/table";
import { go, withQuery } from "../route";
import { Chosen } from "./chosen";

const MINUTE = 60_000;
/** What is read at first: so long before now, and after. */
const SPAN = [-5 * MINUTE, 30 * MINUTE] as const;
/** So many jobs of middling length fit side by side into what is shown at first. */
const SIDE_BY_SIDE = 30;
const OFFERS_MAX = 10_000;

/** What is read: wider than what is seen, so that a small step shows something at once. */
function around(from: number, to: number): readonly [number, number] {
  const width = to - from;
  return [from - width, to + width];
}

/** What is shown at first, from now: so much that jobs can be told apart. */
function spanOf(model: Model): readonly [number, number] {
  const lengths = model.nodes.flatMap((node) => node.bars.filter((bar) => bar.kind !== "owner").map((bar) => bar.end - bar.start));
  const middle = lengths.sort((one, other) => one - other)[lengths.length >> 1] ?? MINUTE / 2;
  const whole = Math.min(Math.max(middle * SIDE_BY_SIDE, 4 * MINUTE), 24 * 60 * MINUTE);
  return [-whole / 3, (whole * 2) / 3];
}

interface Read {
  model: Model;
  /** How many nodes there are; not all may be shown. */
  nodes: number;
}

async function read([from, to]: readonly [number, number], site: string): Promise<Read> {
  const of = site === "" ? {} : { site };
  const query = { from: new Date(from).toISOString(), to: new Date(to).toISOString(), ...of };
  const [timetable, offers] = await Promise.all([
    ask(api.GET("/v1/timetable", { params: { query } })),
    ask(api.GET("/v1/offers", { params: { query: { limit: OFFERS_MAX, ...of } } })),
  ]);
  return { model: modelOf(timetable, offers.offers), nodes: timetable.nodes ?? 0 };
}

export function ScheduleView({ query }: { query: URLSearchParams }) {
  const word = (query.get("find") ?? "").trim().toLowerCase();
  const [shown, setShown] = useState(() => around(now() + SPAN[0], now() + SPAN[1]));
  const site = query.get("site") ?? "";
  const data = useData(() => read(shown, site), [site], { on: anything, every: 4_000 });
  const sites = useData(() => ask(api.GET("/v1/sites")), [], { on: (event) => event.kind === "site-added" });
  const names = (sites.value?.sites ?? []).map((site) => site.name);
  const seen = (from: number, to: number): void => {
    if (from >= shown[0] && to <= shown[1] && shown[1] - shown[0] < 12 * (to - from)) return;
    setShown(around(from, to));
    setTimeout(data.reload);
  };
  const find = query.get("find") ?? "";
  const chosen = Number(query.get("job") ?? "") || null;
  const places = useData(() => placesOf(chosen), [chosen], { on: (event) => event.job != null, every: 10_000 });
  const overlay = useMemo(() => (places.value ? overlayOf(places.value) : NO_OVERLAY), [places.value]);
  const turn = (to: { find?: string; job?: string; site?: string }): void =>
    go(withQuery("/schedule", { find, job: query.get("job") ?? "", site, ...to }), true);
  const choose = (job: number | null): void => turn({ job: job === null ? "" : String(job) });
  const open = (job: number): void => {
    if (!me.value || !mayRunJobs(me.value.role)) return;
    if (job === chosen) go(`/jobs/${job}`);
    else choose(job);
  };
  return (
    <>
      <div class="heading">
        <h1>Schedule</h1>
        <form class="filters" onSubmit={(event) => event.preventDefault()}>
          <Field
            label="Find"
            type="search"
            placeholder="job, user or node"
            value={find}
            set={(next) => turn({ find: next })}
          />
          {names.length > 1 && (
            <Choice
              label="Site"
              value={site}
              set={(next) => turn({ site: next })}
              choices={[["", "all"], ...names.map((name) => [name, name] as const)]}
            />
          )}
        </form>
      </div>
      <Shown data={data}>
        {({ model, nodes }) =>
          model.nodes.length === 0 ? (
            <Empty>No site has joined yet: they are named in walras.toml.</Empty>
          ) : (
            <>
              <Legend />
              {nodes > model.nodes.length && (
                <p class="note">
                  {model.nodes.length} of {nodes} nodes are shown: choose a site to see its own.
                </p>
              )}
              <Gantt model={model} span={spanOf(model)} word={word} chosen={chosen} overlay={overlay} open={open} seen={seen} />
              {chosen !== null && places.value?.job === chosen && <Chosen places={places.value} name={nameOf(model, chosen)} leave={() => choose(null)} />}
              <Listed model={model} word={word} />
            </>
          )
        }
      </Shown>
    </>
  );
}

/** Where a job runs and could run; of nobody, nothing. */
async function placesOf(job: number | null): Promise<Places | null> {
  if (job === null) return null;
  try {
    return await ask(api.GET("/v1/jobs/{job}/places", { params: { path: { job: String(job) }, query: { alternatives: true } } }));
  } catch (error) {
    if (error instanceof Refusal && error.status === 404) return null;
    throw error;
  }
}

function nameOf(model: Model, job: number): string {
  const bars = model.nodes.flatMap((node) => node.bars);
  return bars.find((bar) => bar.job === job)?.name ?? "";
}

const Legend = () => (
  <ul class="legend">
    <li class="runs">runs</li>
    <li class="held">held</li>
    <li class="planned">planned, may move</li>
    <li class="ended">has run</li>
    <li class="owner">owner's use</li>
    <li class="free">for sale: the dearer, the darker</li>
    <li class="other">where the chosen job could run</li>
  </ul>
);

/** The same for those who do not see pictures, and to search in. */
function Listed({ model, word }: { model: Model; word: string }) {
  const rows = useMemo(() => {
    const all = model.nodes.flatMap((node) =>
      node.bars.filter((bar) => bar.job !== null && (word === "" || isMeant(bar, node, word))).map((bar) => ({ node, bar })),
    );
    return all.sort((one, other) => one.bar.start - other.bar.start).slice(0, 200);
  }, [model, word]);
  return (
    <details class="card">
      <summary>As a table</summary>
      {rows.length === 0 ? (
        <Empty>{word ? "No job is called so." : "No job that you may see has a node in this time."}</Empty>
      ) : (
        <Table
          label="Jobs and their nodes"
          rows={rows}
          keyOf={({ node, bar }) => `${node.site}/${node.node}/${bar.start}/${bar.job}/${bar.kind}`}
          columns={[
            { name: "Job", cell: ({ bar }) => (bar.job === null ? "–" : <JobLink job={bar.job} name={bar.name} />) },
            { name: "User", cell: ({ bar }) => bar.user ?? "–" },
            { name: "Node", cell: ({ node }) => `${node.site}/${node.node}` },
            { name: "From", cell: ({ bar }) => clockOf(bar.start) },
            { name: "To", cell: ({ bar }) => clockOf(bar.end) },
            { name: "What", cell: ({ bar }) => bar.kind },
          ]}
        />
      )}
    </details>
  );
}
