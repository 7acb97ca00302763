// The market as it is now, and how it was.
import { useMemo, useRef } from "preact/hooks";
import { api, ask } from "../api/client";
import type { EventKind, History, Me, Role, Status } from "../api/types";
import { setClock, useNow } from "../live/clock";
import { useData } from "../live/data";
import { recent } from "../live/events";
import { mayRunJobs } from "../live/session";
import { useStore } from "../live/store";
import { Card, Meter, Tile } from "../parts/card";
import { Chart, type Line } from "../parts/chart";
import { clockOf, countOf, dueOf, exactly, inZone, moneyOf, plural, shareOf } from "../parts/format";
import { JobLink, Link } from "../parts/link";
import { Empty, Shown } from "../parts/states";
import { Since } from "./since";
import { Tour } from "./tour";

/** So often the service looks at the market. */
const EVERY = 2_500;
/** At most so many samples are drawn. */
const SAMPLES_MAX = 1_000;

/** Reads what is new since the last time; the service looks by itself, so that this asks nothing of the market. */
async function follow(known: History | null): Promise<History> {
  const after = known?.samples.at(-1)?.at;
  const next = await ask(api.GET("/v1/history", { params: { query: after === undefined ? {} : { after } } }));
  setClock(next.status);
  return { ...next, samples: [...(known?.samples ?? []), ...next.samples].slice(-SAMPLES_MAX) };
}

export function MarketView({ who }: { who: Me }) {
  const known = useRef<History | null>(null);
  const read = async (): Promise<History> => (known.current = await follow(known.current));
  const history = useData(read, [], { every: EVERY });
  return (
    <>
      <h1>Market</h1>
      <Tour role={who.role} />
      <Shown data={history}>
        {(value) => (
          <>
            <Figures status={value.status} />
            <SiteCards sites={value.status.sites} history={value} />
          </>
        )}
      </Shown>
      {history.value && <Charts history={history.value} who={who} />}
      {history.value && <Since history={history.value} />}
      <Feed who={who} />
    </>
  );
}

function Figures({ status }: { status: Status }) {
  const now = useNow();
  const { cycle } = status;
  const proof = cycle.proof ? `: ${cycle.proof.text}` : "";
  const assigned = cycle.assigned ? `; ${cycle.assigned.text}` : "";
  return (
    <dl class="tiles">
      <Tile label="Waiting" value={countOf(status.queued)} hint="jobs without a window, or planned" />
      <Tile label="Reserved" value={countOf(status.reserved)} hint="jobs with a window" />
      <Tile label="Running" value={countOf(status.running)} hint="jobs at work" />
      <Tile label="Ended" value={countOf(status.ended)} hint="since the beginning" />
      <Tile
        wide
        label="Last decision"
        value={`Cycle ${countOf(cycle.cycle)}`}
        hint={`${decidedText(cycle)}${cycle.served} served, ${cycle.unserved} left out${proof}${assigned}${cycle.next_at ? `; next ${dueOf(cycle.next_at, now).replaceAll(" ", "\u00a0")}` : ""}`}
      />
    </dl>
  );
}

const decidedText = ({ decided_at, decided_in }: Status["cycle"]): string =>
  decided_at == null ? "" : `${clockOf(decided_at)}${decided_in == null ? "" : `, in ${exactly(decided_in)} s`}: `;

function SiteCards({ sites, history }: { sites: Status["sites"]; history: History }) {
  const last = history.samples.at(-1);
  return (
    <div class="sites">
      {sites.map((site, index) => {
        const figures = last?.sites[index];
        const share = figures && figures.nodes > 0 ? figures.sold / figures.nodes : 0;
        return (
          <section class="card site" key={site.name}>
            <header>
              <h2>
                <Link to={`/sites?site=${encodeURIComponent(site.name)}`}>{site.name}</Link>
              </h2>
              <span class="quiet">{site.owner}</span>
            </header>
            <p>
              {site.lost
                ? "The site does not answer."
                : `${plural(site.nodes, "node")}, ${figures?.sold ?? 0} at work for the market${site.nodes_lost ? `, ${countOf(site.nodes_lost)} lost` : ""}`}
            </p>
            <Meter share={share} label={`${site.name}: nodes at work for the market`} />
            <p class="quiet">
              {figures?.price != null ? `${exactly(figures.price)} credits a second` : "nothing offered now"}
              {site.demand != null && site.demand !== 1 ? `, demand\u00a0×\u00a0${exactly(site.demand)}` : ""}
            </p>
          </section>
        );
      })}
    </div>
  );
}

function Charts({ history, who }: { history: History; who: Me }) {
  const drawn = useMemo(() => linesOf(history), [history]);
  if (history.samples.length < 2) return <Empty>Charts begin in a moment.</Empty>;
  const { times, jobs, use, prices, income } = drawn;
  return (
    <div class="charts">
      <Card title="Jobs">
        <Chart label="Jobs over time" times={times} lines={jobs} show={countOf} />
      </Card>
      <Card title="Nodes at work for the market">
        <Chart label="Share of nodes at work" times={times} lines={use} show={shareOf} most={1} />
      </Card>
      <Card title="Prices, credits a second">
        <Chart label="Mean price of what is offered" times={times} lines={prices} show={exactly} />
      </Card>
      {income.length > 0 && (
        <Card title={who.role === "owner" ? "Your account" : "Owners' accounts"}>
          <Chart label="Credits on owners' accounts" times={times} lines={income} show={moneyOf} />
        </Card>
      )}
    </div>
  );
}

function linesOf({ sites, samples }: History) {
  const of = (pick: (sample: History["samples"][number], index: number) => number | null): Line[] =>
    sites.map((name, index) => ({ name, values: samples.map((sample) => pick(sample, index)) }));
  const seen = sites.filter((_, index) => samples.at(-1)?.sites[index]?.balance != null);
  return {
    times: samples.map((sample) => Date.parse(sample.at)),
    jobs: [
      { name: "waiting", values: samples.map((sample) => sample.queued) },
      { name: "reserved", values: samples.map((sample) => sample.reserved) },
      { name: "running", values: samples.map((sample) => sample.running) },
    ],
    use: of((sample, index) => {
      const site = sample.sites[index];
      return site && site.nodes > 0 ? site.sold / site.nodes : null;
    }),
    prices: of((sample, index) => sample.sites[index]?.price ?? null),
    income: of((sample, index) => sample.sites[index]?.balance ?? null).filter((line) => seen.includes(line.name)),
  };
}

/** What happens all the time would hide the rest. */
const DULL: ReadonlySet<EventKind> = new Set<EventKind>(["cycle-opened", "cycle-ended", "part-started", "part-ended", "reservation-closed", "reservation-asked"]);

/** What somebody hears of. */
const OF_WHOM: Record<Role, string> = { user: " to your jobs", owner: " at your sites", administrator: "" };

/** A sentence in which the job's number leads to the job. */
function Told({ text, job }: { text: string; job: number }) {
  const [before, after] = text.split(new RegExp(`\\b${job}\\b(.*)`));
  if (after === undefined) return <>{text}</>;
  return (
    <>
      {before}
      <JobLink job={job} />
      {after}
    </>
  );
}

function Feed({ who }: { who: Me }) {
  const events = useStore(recent);
  const told = events.filter((event) => !DULL.has(event.kind) && event.jobs !== 0);
  const linked = mayRunJobs(who.role);
  return (
    <Card title="What happens">
      {told.length === 0 ? (
        <Empty>
          Nothing has happened{OF_WHOM[who.role]} since you opened the page.
        </Empty>
      ) : (
        <ol class="feed">
          {told.slice(0, 14).map((event, index) => (
            <li key={`${event.position}-${index}`}>
              <time dateTime={event.at}>{clockOf(event.at)}</time>
              <span>{linked && event.job != null ? <Told text={inZone(event.text)} job={event.job} /> : inZone(event.text)}</span>
            </li>
          ))}
        </ol>
      )}
    </Card>
  );
}
