// Jobs in a list; what is filtered stands in the address.
import { api, ask } from "../api/client";
import type { Job, Me } from "../api/types";
import { useNow } from "../live/clock";
import { useData } from "../live/data";
import { administers } from "../live/session";
import { Badge, isOver, STATES, stateText } from "../parts/badge";
import { Choice, Filter } from "../parts/field";
import { asField, clockOf, dueOf, moneyOf } from "../parts/format";
import { JobLink, Link } from "../parts/link";
import { Empty, Shown } from "../parts/states";
import { type Column, orderOf, Table } from "../parts/table";
import { go, withQuery } from "../route";

const PAGE = 50;

/** What stands in the address, by the names that the service has for it. */
const ASKED = ["state", "user", "name", "since", "before", "sort"] as const;
type Asked = Record<(typeof ASKED)[number], string>;

const OPEN = STATES.filter((state) => !isOver(state)).join(",");
const OVER = STATES.filter(isOver).join(",");
const CHOICES: readonly (readonly [string, string])[] = [["", "all"], [OPEN, "not over"], [OVER, "over"], ...STATES.map((state) => [state, stateText(state)] as const)];

/** What can be chosen; several states that somebody wrote into the address can be too. */
const choicesWith = (state: string): typeof CHOICES =>
  CHOICES.some(([known]) => known === state) ? CHOICES : [...CHOICES, [state, state.split(",").map(stateText).join(", ")]];

export function JobsView({ who, query }: { who: Me; query: URLSearchParams }) {
  const asked = Object.fromEntries(ASKED.map((name) => [name, query.get(name) ?? ""])) as Asked;
  const { state, user, name, since, before, sort } = asked;
  const data = useData(() => read(asked), [state, user, name, since, before], { on: (event) => event.job != null });
  const change = (part: Partial<Asked>): void => go(withQuery("/jobs", { ...asked, before: "", ...part }), true);
  const filtered = state || user || name || since || before;
  return (
    <>
      <div class="heading">
        <h1>Jobs</h1>
        <Link to="/submit" class="button main">
          Submit a job
        </Link>
      </div>
      <form class="filters" onSubmit={(event) => event.preventDefault()}>
        <Choice label="State" value={state} set={(next) => change({ state: next })} choices={choicesWith(state)} />
        <Filter label="Name" type="search" value={name} set={(next) => change({ name: next.trim() })} placeholder="weather, or wea*" />
        <Filter label="Submitted since" type="datetime-local" value={momentOf(since)} set={(next) => change({ since: next && new Date(next).toISOString() })} />
        {administers(who.role) && <Filter label="User" type="search" value={user} set={(next) => change({ user: next.trim() })} />}
      </form>
      <Shown data={data}>
        {({ jobs, next }) => (
          <>
            {jobs.length === 0 ? (
              <Empty>
                {filtered ? "No job is like that." : "There are no jobs yet."} {filtered ? <Link to="/jobs">Show all.</Link> : <Link to="/submit">Submit one.</Link>}
              </Empty>
            ) : (
              <List jobs={jobs} who={who} sort={sort} reorder={(by) => change({ sort: by, before })} />
            )}
            {sort && (before || next != null) && (
              <p class="quiet">
                The service lists jobs newest first: only the {jobs.length} that are shown are in this order. <Link to={withQuery("/jobs", { ...asked, sort: "" })}>Newest first</Link>
              </p>
            )}
            <p class="pages">
              {before && <Link to={withQuery("/jobs", { ...asked, before: "" })}>Newest</Link>}
              {next != null && <Link to={withQuery("/jobs", { ...asked, before: String(next) })}>Older</Link>}
            </p>
          </>
        )}
      </Shown>
    </>
  );
}

/** A moment of the address as the field has it; what is no moment is shown as none, and the service says what is wrong with it. */
const momentOf = (text: string): string => (Number.isNaN(Date.parse(text)) ? "" : asField(text));

function read({ state, user, name, since, before }: Asked) {
  const query = {
    limit: PAGE,
    ...(state ? { state } : {}),
    ...(user ? { user } : {}),
    ...(name ? { name } : {}),
    ...(since ? { since } : {}),
    ...(before ? { before: Number(before) } : {}),
  };
  return ask(api.GET("/v1/jobs", { params: { query } }));
}

interface ListProps {
  jobs: readonly Job[];
  who: Me;
  sort: string;
  reorder: (sort: string) => void;
}

/** The jobs of this page of the list, newest first or in the order that is asked for. */
function List({ jobs, who, sort, reorder }: ListProps) {
  const now = useNow(5_000);
  const columns: Column<Job>[] = [
    { name: "Job", by: (job) => job.job, cell: (job) => <JobLink job={job.job} id={job.id} name={job.name} /> },
    ...(administers(who.role) ? [{ name: "User", by: (job: Job) => job.user, cell: (job: Job) => job.user }] : []),
    { name: "State", by: (job) => STATES.indexOf(job.state), cell: (job) => <Badge state={job.state} /> },
    { name: "Nodes", right: true, by: (job) => job.tasks * (job.array?.count ?? 1), cell: nodesOf },
    { name: "When", by: (job) => Date.parse(job.finish ?? job.start ?? job.queued_at), cell: (job) => whenOf(job, now) },
    { name: "Where", by: (job) => job.sites.join(", "), cell: (job) => job.sites.join(", ") || "–" },
    { name: "Credits", right: true, by: creditsOf, cell: (job) => moneyOf(creditsOf(job)) },
  ];
  return (
    <div class="card">
      <Table label="Jobs" columns={columns} rows={jobs} keyOf={(job) => job.job} order={orderOf(sort)} reorder={reorder} />
    </div>
  );
}

/** What it was charged, or what is held for it so far, or what it costs at most where it is planned. */
function creditsOf(job: Job): number {
  if (job.state === "planned" && job.promise) return job.promise.cost;
  return isOver(job.state) ? job.charged : job.held + job.charged;
}

/** How many nodes it needs, or how many tasks and elements it has. */
function nodesOf(job: Job): string {
  const own = job.workflow ? `${job.tasks} tasks` : String(job.tasks);
  return job.array ? `${job.array.count} × ${own}` : own;
}

function whenOf(job: Job, now: number): string {
  if (isOver(job.state)) return job.finish ? `ended ${clockOf(job.finish)}` : `submitted ${clockOf(job.queued_at)}`;
  if (job.state === "running") return job.finish ? `until ${clockOf(job.finish)}` : "now";
  if (job.start) return `starts ${dueOf(job.start, now)}`;
  return `waits since ${clockOf(job.queued_at)}`;
}
