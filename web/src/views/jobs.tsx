// Jobs in a list; what is filtered stands in the address.
import { api, ask } from "../api/client";
import type { Job, JobState, Me } from "../api/types";
import { useNow } from "../live/clock";
import { useData } from "../live/data";
import { administers } from "../live/session";
import { Badge, isOver, STATES, stateText } from "../parts/badge";
import { Choice, Field } from "../parts/field";
import { clockOf, fromNow, moneyOf } from "../parts/format";
import { JobLink, Link } from "../parts/link";
import { Empty, Shown } from "../parts/states";
import { type Column, orderOf, Table } from "../parts/table";
import { go, withQuery } from "../route";

const PAGE = 50;

interface Filter {
  state: string;
  user: string;
  before: string;
  sort: string;
}

export function JobsView({ who, query }: { who: Me; query: URLSearchParams }) {
  const asked = (name: string): string => query.get(name) ?? "";
  const filter: Filter = { state: asked("state"), user: asked("user"), before: asked("before"), sort: asked("sort") };
  const data = useData(() => read(filter), [filter.state, filter.user, filter.before], { on: (event) => event.job != null });
  const change = (part: Partial<Filter>): void => go(withQuery("/jobs", { ...filter, before: "", ...part }), true);
  return (
    <>
      <div class="heading">
        <h1>Jobs</h1>
        <Link to="/submit" class="button main">
          Submit a job
        </Link>
      </div>
      <form class="filters" onSubmit={(event) => event.preventDefault()}>
        <Choice
          label="State"
          value={filter.state}
          set={(state) => change({ state })}
          choices={[["", "all"], ...STATES.map((state) => [state, stateText(state)] as const)]}
        />
        {administers(who.role) && <Field label="User" value={filter.user} set={(user) => change({ user })} />}
      </form>
      <Shown data={data}>
        {({ jobs, next }) => (
          <>
            {jobs.length === 0 ? (
              <Empty>
                {filter.state || filter.user || filter.before ? "No job is like that." : "There are no jobs yet."}{" "}
                <Link to="/submit">Submit one.</Link>
              </Empty>
            ) : (
              <List jobs={jobs} who={who} sort={filter.sort} reorder={(sort) => change({ sort, before: filter.before })} />
            )}
            <p class="pages">
              {filter.before && <Link to={withQuery("/jobs", { ...filter, before: "" })}>Newest</Link>}
              {next != null && <Link to={withQuery("/jobs", { ...filter, before: String(next) })}>Older</Link>}
            </p>
          </>
        )}
      </Shown>
    </>
  );
}

function read({ state, user, before }: Filter) {
  const query = {
    limit: PAGE,
    ...(state ? { state: state as JobState } : {}),
    ...(user ? { user } : {}),
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
  if (job.start) return `starts ${fromNow(job.start, now)}`;
  return `waits since ${clockOf(job.queued_at)}`;
}
