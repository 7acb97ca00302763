// What a job asked for, has and costs.
import type { Job, Me } from "../../api/types";
import { useNow } from "../../live/clock";
import { administers } from "../../live/session";
import { isOver } from "../../parts/badge";
import { Card, Facts } from "../../parts/card";
import { clockOf, fromNow, fullTime, moneyOf } from "../../parts/format";
import { Link } from "../../parts/link";

export function Terms({ job, who }: { job: Job; who: Me }) {
  const now = useNow(5_000);
  const time = (moment: string | null | undefined) =>
    moment ? (
      <time dateTime={moment} title={fullTime(moment)}>
        {clockOf(moment)} <span class="quiet">{fromNow(moment, now)}</span>
      </time>
    ) : (
      "–"
    );
  const over = isOver(job.state);
  const facts: [string, preact.ComponentChildren][] = [
    ["Submitted", time(job.queued_at)],
    [over || job.state === "running" ? "Started" : "Starts", time(job.start)],
    [over ? "Ended" : "Ends", time(job.finish)],
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
      <Facts facts={facts.filter(([, value]) => value !== "–")} />
    </Card>
  );
}
