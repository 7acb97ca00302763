// Decisions explained: who got what, what else was ready, who was left out and why, how content everybody is.
import { api, ask } from "../api/client";
import type { DecidedAlternative, DecidedJob, Decision } from "../api/types";
import { useData } from "../live/data";
import { Do, useAction, Wrong } from "../parts/action";
import { Badge } from "../parts/badge";
import { Card, Facts, Meter } from "../parts/card";
import { clockOf, countOf, inZone, moneyOf, plural, shareOf } from "../parts/format";
import { JobLink, Link } from "../parts/link";
import { Empty, Shown } from "../parts/states";
import { Table } from "../parts/table";
import { withQuery } from "../route";
import { DisplacedBy, ReplayCheck } from "./again";

const PAGE = 20;

export function CyclesView({ query }: { query: URLSearchParams }) {
  const before = query.get("before") ?? "";
  const asked = { limit: PAGE, ...(before ? { before: Number(before) } : {}) };
  const data = useData(() => ask(api.GET("/v1/decisions", { params: { query: asked } })), [before], { on: (event) => event.kind === "cycle-decided" });
  const doing = useAction();
  const plan = async (): Promise<void> => {
    await ask(api.POST("/v1/cycles"));
    data.reload();
  };
  return (
    <>
      <div class="heading">
        <h1>Cycles</h1>
        <Do doing={doing} action={plan}>
          Plan now
        </Do>
      </div>
      <Wrong doing={doing} />
      <Shown data={data}>
        {({ decisions, next }) => {
          const shown = decisions.find((decision) => String(decision.cycle) === query.get("cycle")) ?? decisions[0];
          if (!shown) return <Empty>Nothing has been decided yet: submit a job, and the next cycle plans it.</Empty>;
          return (
            <div class="beside">
              <nav aria-label="Decisions">
                <ul class="list">
                  {decisions.map((decision) => (
                    <li key={decision.position}>
                      <Link to={withQuery("/cycles", { before, cycle: String(decision.cycle) })} current={decision === shown}>
                        Cycle {countOf(decision.cycle)}{" "}
                        <small>
                          {clockOf(decision.at)}, {plural(decision.jobs.length, "job")}
                        </small>
                      </Link>
                    </li>
                  ))}
                </ul>
                <p class="pages">
                  {before && <Link to="/cycles">Newest</Link>}
                  {next != null && <Link to={withQuery("/cycles", { before: String(next) })}>Older</Link>}
                </p>
              </nav>
              <div>
                <Explained decision={shown} />
              </div>
            </div>
          );
        }}
      </Shown>
    </>
  );
}

function Explained({ decision }: { decision: Decision }) {
  const content = Object.entries(decision.satisfaction);
  return (
    <>
      <div class="columns">
        <Card title={`Cycle ${countOf(decision.cycle)}`}>
          <Facts
            facts={[
              ["Decided", clockOf(decision.at)],
              ["Served", decision.served],
              ["Cost", `${moneyOf(decision.cost)} credits`],
              ["Proof", decision.proof.text],
              ["In the journal", `entry ${countOf(decision.position)}`],
            ]}
          />
          <p class="quiet">
            <code>walras replay JOURNAL --cycle {decision.cycle}</code> makes the same plan again.
          </p>
          <ReplayCheck key={decision.position} decision={decision} />
        </Card>
        {content.length > 0 && (
          <Card title="How content everybody is">
            {content.map(([name, share]) => (
              <div class="content" key={name}>
                <span>
                  {name} {shareOf(share)}
                </span>
                <Meter share={share} label={`${name} is content to`} />
              </div>
            ))}
          </Card>
        )}
      </div>
      <Card title="Jobs">
        <Table
          label="Jobs of the decision"
          rows={decision.jobs}
          keyOf={(job) => `${job.job} ${job.outcome}`}
          columns={[
            { name: "Job", cell: (job) => <JobLink job={job.job} name={job.name} /> },
            { name: "User", cell: (job) => job.user ?? "–" },
            { name: "Outcome", cell: (job) => <Badge state={job.outcome} /> },
            { name: "What was chosen, or why not", cell: (job) => <ChosenOrWhyNot decision={decision} job={job} /> },
          ]}
        />
      </Card>
    </>
  );
}

function ChosenOrWhyNot({ decision, job }: { decision: Decision; job: DecidedJob }) {
  const [chosen, ...others] = job.alternatives;
  if (!chosen) return <>{inZone(job.why ?? "–")}</>;
  return (
    <>
      <AlternativeText alternative={chosen} /> <DisplacedBy key={decision.position} decision={decision} job={job.job} />
      {others.length > 0 && (
        <details>
          <summary>{plural(others.length, "other alternative")} kept ready</summary>
          <ul>
            {others.map((alternative, index) => (
              <li key={index}>
                <AlternativeText alternative={alternative} />
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}

const AlternativeText = ({ alternative }: { alternative: DecidedAlternative }) => (
  <span>
    {clockOf(alternative.start)} to {clockOf(alternative.finish)}, {moneyOf(alternative.cost)} credits, on {alternative.nodes.join(", ")}
  </span>
);
