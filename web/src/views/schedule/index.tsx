// Who has which node when.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { api, ask } from "../../api/client";
import { Gantt } from "../../gantt/gantt";
import { type Model, modelOf } from "../../gantt/model";
import { NO_OVERLAY, overlayOf } from "../../gantt/overlay";
import { now } from "../../live/clock";
import { useData } from "../../live/data";
import { movesBars } from "../../live/kinds";
import { me, mayRunJobs } from "../../live/session";
import { Choice, Filter } from "../../parts/field";
import { countOf } from "../../parts/format";
import { Link } from "../../parts/link";
import { Empty, Shown } from "../../parts/states";
import { go, withQuery } from "../../route";
import { Blocks } from "./blocks";
import { Chosen } from "./chosen";
import { Listed } from "./listed";
import { around, placesOf, readNodes, readOffers } from "./read";

const MINUTE = 60_000;
/** What is read at first: so long before now, and after. */
const SPAN = [-5 * MINUTE, 30 * MINUTE] as const;
/** So many jobs of middling length fit side by side into what is shown at first. */
const SIDE_BY_SIDE = 30;

/** So often they are read in any case, in milliseconds: owners come and go without a word. */
const [BARS_EVERY, OFFERS_EVERY] = [8_000, 10_000];

/** What is shown at first, from now: so much that jobs can be told apart. */
function spanOf(model: Model): readonly [number, number] {
  const lengths = model.nodes.flatMap((node) => node.bars.filter((bar) => bar.kind !== "owner").map((bar) => bar.end - bar.start));
  const middle = lengths.sort((one, other) => one - other)[lengths.length >> 1] ?? MINUTE / 2;
  const whole = Math.min(Math.max(middle * SIDE_BY_SIDE, 2 * MINUTE), 24 * 60 * MINUTE);
  return [-whole / 3, (whole * 2) / 3];
}

/** A job's own time with some room around it, for those who came to see it. */
function timeOf(model: Model, job: number | null): readonly [number, number] | null {
  if (job === null) return null;
  let [first, last] = [Infinity, -Infinity];
  for (const node of model.nodes) {
    for (const bar of node.bars) {
      if (bar.job === job) [first, last] = [Math.min(first, bar.start), Math.max(last, bar.end)];
    }
  }
  if (last < first) return null;
  const room = Math.max(last - first, MINUTE / 4);
  return [first - room, last + room];
}

export function ScheduleView({ query }: { query: URLSearchParams }) {
  const find = query.get("find") ?? "";
  const word = find.trim().toLowerCase();
  const site = query.get("site") ?? "";
  const chosen = Number(query.get("job") ?? "") || null;
  const [shown, setShown] = useState(() => around(now() + SPAN[0], now() + SPAN[1]));
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const data = useData(() => readNodes({ span: shown, site, word, job: chosen, open }), [site], { on: movesBars, every: BARS_EVERY });
  const opened = [...(data.value?.opened.keys() ?? [])].join();
  const offers = useData(() => readOffers(site, data.value), [site, data.value === null, opened], { on: (event) => event.site != null, every: OFFERS_EVERY });
  // Of very many nodes only some are here: others must be asked for.
  const some = data.value !== null && data.value.all > data.value.timetable.rows.length;
  const asked = useRef([word, chosen, open] as const);
  useEffect(() => {
    const changed = asked.current[0] !== word || asked.current[1] !== chosen || asked.current[2] !== open;
    asked.current = [word, chosen, open];
    if (changed && some) data.reload();
  }, [word, chosen, open]);
  const model = useMemo(() => data.value && modelOf(data.value.timetable, offers.value ?? [], data.value.opened), [data.value, offers.value]);
  const status = useData(() => ask(api.GET("/v1/status")), [], { on: (event) => event.kind === "site-added" });
  const names = (status.value?.sites ?? []).map((site) => site.name);
  const seen = (from: number, to: number): void => {
    if (from >= shown[0] && to <= shown[1] && shown[1] - shown[0] < 12 * (to - from)) return;
    setShown(around(from, to));
    setTimeout(data.reload);
  };
  const places = useData(() => placesOf(chosen), [chosen], { on: (event) => event.job === chosen, every: 10_000 });
  const overlay = useMemo(() => (places.value ? overlayOf(places.value) : NO_OVERLAY), [places.value]);
  const turn = (to: { find?: string; job?: string; site?: string }): void =>
    go(withQuery("/schedule", { find, job: query.get("job") ?? "", site, ...to }), true);
  const choose = (job: number | null): void => turn({ job: job === null ? "" : String(job) });
  const press = (job: number): void => {
    if (!me.value || !mayRunJobs(me.value.role)) return;
    if (job === chosen) go(`/jobs/${job}`);
    else choose(job);
  };
  const unfold = (block: string): void => setOpen((old) => new Set(old.has(block) ? [...old].filter((it) => it !== block) : [...old, block]));
  return (
    <>
      <div class="heading">
        <h1>Schedule</h1>
        <form class="filters" onSubmit={(event) => event.preventDefault()}>
          <Filter label="Find" type="search" placeholder="job, user or node" value={find} set={(next) => turn({ find: next })} />
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
        {({ all }) =>
          model === null ? null : all === 0 ? (
            <Empty>No site has joined yet: they are named in walras.toml.</Empty>
          ) : (
            <>
              <Legend summed={model.blocks.length > 0} others={me.value?.role !== "administrator"} />
              {model.blocks.length === 0 && all > model.nodes.length && <Found shown={model.nodes.length} all={all} word={word || `job ${chosen ?? ""}`} />}
              <Gantt model={model} span={spanOf(model)} begin={timeOf(model, chosen)} word={word} chosen={chosen} overlay={overlay} open={press} unfold={unfold} seen={seen} />
              {chosen !== null && places.value?.job === chosen && <Chosen places={places.value} name={nameOf(model, chosen)} leave={() => choose(null)} />}
              {model.blocks.length > 0 && <Blocks model={model} unfold={unfold} />}
              <Listed model={model} word={word} />
            </>
          )
        }
      </Shown>
    </>
  );
}

/** Of very many nodes, those that were looked for. */
const Found = ({ shown, all, word }: { shown: number; all: number; word: string }) => (
  <p class="note">
    {shown === 0 ? "None" : countOf(shown)} of {countOf(all)} nodes {shown === 1 ? "has" : "have"} “{word}” in {shown === 1 ? "its name or a job on it" : "their names or jobs on them"}, in the time that is shown.{" "}
    <Link to="/schedule">All nodes</Link>
  </p>
);

function nameOf(model: Model, job: number): string {
  const bars = model.nodes.flatMap((node) => node.bars);
  return bars.find((bar) => bar.job === job)?.name ?? "";
}

const Legend = ({ summed, others }: { summed: boolean; others: boolean }) => (
  <ul class="legend">
    <li class="runs">runs</li>
    <li class="held">held</li>
    <li class="planned">planned, may move</li>
    <li class="ended">has run</li>
    {others && <li class="others">others' jobs</li>}
    <li class="owner">owner's use</li>
    <li class="free">for sale: the dearer, the darker</li>
    <li class="other">where the chosen job could run</li>
    {summed && <li class="sum">how many nodes of a site are reserved, planned and used by the owner: a click shows them</li>}
  </ul>
);
