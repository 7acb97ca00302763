// One job: where it is and why, what happened to it, what it costs, what it printed.
import { useState } from "preact/hooks";
import { api, ask, Refusal } from "../api/client";
import type { Explanation, Job, Me, Part } from "../api/types";
import { useNow } from "../live/clock";
import { useData } from "../live/data";
import { administers } from "../live/session";
import { Do, useAction, Wrong } from "../parts/action";
import { Badge, isOver } from "../parts/badge";
import { Card, Facts } from "../parts/card";
import { clockOf, fromNow, fullTime, inZone, moneyOf, shareOf } from "../parts/format";
import { Link } from "../parts/link";
import { Empty, Shown, Trouble } from "../parts/states";
import { type Column, Table } from "../parts/table";
import { Timeline } from "./timeline";

export function JobPage({ job, who }: { job: number; who: Me }) {
  const path = { params: { path: { job: String(job) } } };
  const own = { on: (event: { job?: number | null }) => event.job === job };
  const data = useData(() => ask(api.GET("/v1/jobs/{job}", path)), [job], { ...own, every: 10_000 });
  const why = useData(() => ask(api.GET("/v1/jobs/{job}/explanation", path)), [job], own);
  const doing = useAction();
  if (data.error instanceof Refusal && data.error.status === 404) {
    return (
      <>
        <h1>Job {job}</h1>
        <Empty>
          There is no such job, or it is not yours. <Link to="/jobs">All jobs</Link>
        </Empty>
      </>
    );
  }
  const cancel = async (): Promise<void> => {
    await ask(api.DELETE("/v1/jobs/{job}", path));
    data.reload();
    why.reload();
  };
  return (
    <Shown data={data}>
      {(view) => (
        <>
          <div class="heading">
            <h1>
              Job {view.job} <span class="quiet">{view.name}</span>
            </h1>
            <Badge state={view.state} />
            {!isOver(view.state) && (
              <Do doing={doing} action={cancel} class="danger">
                Cancel the job
              </Do>
            )}
          </div>
          <Wrong doing={doing} />
          {why.value && <p class="summary">{inZone(why.value.summary)}</p>}
          <Timeline job={view} />
          <div class="columns">
            <Terms job={view} who={who} />
            {why.value && <Reasons why={why.value} />}
          </div>
          {view.parts.length > 0 && <Parts job={view} />}
          {why.value ? <Past why={why.value} /> : why.error !== null && <Trouble error={why.error} again={why.reload} />}
        </>
      )}
    </Shown>
  );
}

function Terms({ job, who }: { job: Job; who: Me }) {
  const now = useNow(5_000);
  const time = (moment: string | null | undefined) =>
    moment ? (
      <time dateTime={moment} title={fullTime(moment)}>
        {clockOf(moment)} <span class="quiet">{fromNow(moment, now)}</span>
      </time>
    ) : (
      "–"
    );
  const facts: [string, preact.ComponentChildren][] = [
    ["Submitted", time(job.queued_at)],
    ["Starts", time(job.start)],
    ["Ends", time(job.finish)],
    ["Deadline", time(job.deadline)],
    ["Budget", job.budget != null ? `${moneyOf(job.budget)} credits` : "none"],
    ["Held", `${moneyOf(job.held)} credits`],
    ["Charged", `${moneyOf(job.charged)} credits`],
    ["Sites", job.sites.join(", ") || "–"],
    [job.workflow ? "Tasks" : "Nodes", job.tasks],
    ["Failed attempts", job.attempts],
  ];
  if (administers(who.role)) facts.unshift(["User", <Link to={`/jobs?user=${encodeURIComponent(job.user)}`}>{job.user}</Link>]);
  if (job.promise) {
    const { start, finish, cost } = job.promise;
    facts.push(["Promised", `by ${clockOf(start)}, done by ${clockOf(finish)}, at most ${moneyOf(cost)} credits`]);
  }
  return (
    <Card title="Terms">
      <Facts facts={facts} />
    </Card>
  );
}

function Reasons({ why }: { why: Explanation }) {
  const { reasons, changes, rank } = why;
  if (reasons.length === 0 && changes.length === 0 && !rank) return null;
  return (
    <Card title="Why">
      {reasons.length > 0 && (
        <ul>
          {reasons.map((reason) => (
            <li key={reason.text}>{inZone(reason.text)}</li>
          ))}
        </ul>
      )}
      {changes.length > 0 && (
        <>
          <h3>It would have a window with any one of</h3>
          <ul>
            {changes.map((change) => (
              <li key={change.text}>{inZone(change.text)}</li>
            ))}
          </ul>
        </>
      )}
      {rank && (
        <>
          <h3>
            Place {rank.place} of {rank.of} in the queue{rank.overdue ? ", overdue" : ""}
          </h3>
          <Facts facts={Object.entries(rank.aspects).map(([name, millionths]) => [name.replaceAll("_", " "), shareOf(millionths / 1e6)])} />
        </>
      )}
    </Card>
  );
}

function Parts({ job }: { job: Job }) {
  const [shown, setShown] = useState<number | null>(null);
  const columns: Column<Part>[] = [
    { name: "Part", cell: (part) => part.task ?? part.part },
    { name: "State", cell: (part) => <Badge state={part.state} /> },
    { name: "Where", cell: (part) => (part.node ? `${part.site}/${part.node}` : part.site) },
    { name: "From", cell: (part) => clockOf(part.start) },
    { name: "To", cell: (part) => clockOf(part.end) },
    {
      name: "Output",
      cell: (part) => (
        <button type="button" aria-pressed={shown === part.part} onClick={() => setShown(shown === part.part ? null : part.part)}>
          Output of {part.task ?? part.part}
        </button>
      ),
    },
  ];
  return (
    <Card title="Parts">
      <Table label="Parts of the job" columns={columns} rows={job.parts} keyOf={(part) => part.part} />
      {shown !== null && <Output key={shown} job={job.job} part={shown} />}
    </Card>
  );
}

function Output({ job, part }: { job: number; part: number }) {
  const data = useData(() => outputOf(job, part), [job, part], { every: 3_000 });
  return (
    <Shown data={data}>
      {(text) => (text === "" ? <Empty>Nothing printed, or its site keeps no output.</Empty> : <pre tabIndex={0}>{text}</pre>)}
    </Shown>
  );
}

async function outputOf(job: number, part: number): Promise<string> {
  try {
    const params = { path: { job: String(job) }, query: { part } };
    // The beginning will do for a page, however long it is.
    const headers = { Range: "bytes=0-1048575" };
    return await ask(api.GET("/v1/jobs/{job}/output", { params, headers, parseAs: "text" }));
  } catch (error) {
    if (error instanceof Refusal && error.status === 404) return "";
    throw error;
  }
}

const Past = ({ why }: { why: Explanation }) => (
  <Card title="What happened">
    {why.history.length === 0 ? (
      <Empty>Nothing yet.</Empty>
    ) : (
      <ol class="feed">
        {why.history.map((event, index) => (
          <li key={index}>
            <time dateTime={event.at} title={fullTime(event.at)}>
              {clockOf(event.at)}
            </time>
            <span>{inZone(event.text)}</span>
          </li>
        ))}
      </ol>
    )}
  </Card>
);
