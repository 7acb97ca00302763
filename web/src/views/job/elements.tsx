// The elements of an array: how many are where, and those that are or were jobs.
import { useState } from "preact/hooks";
import { api, ask } from "../../api/client";
import type { Job, JobState } from "../../api/types";
import { useData } from "../../live/data";
import { Badge, STATES, stateText } from "../../parts/badge";
import { Card } from "../../parts/card";
import { Choice } from "../../parts/field";
import { clockOf, countOf, moneyOf, plural } from "../../parts/format";
import { JobLink } from "../../parts/link";
import { Empty, Shown } from "../../parts/states";
import { Table } from "../../parts/table";

const PAGE = 50;

export function Elements({ job, array }: { job: Job; array: NonNullable<Job["array"]> }) {
  const [state, setState] = useState("");
  const [before, setBefore] = useState<number | null>(null);
  const query = {
    array: job.job,
    limit: PAGE,
    ...(state ? { state: state as JobState } : {}),
    ...(before !== null ? { before } : {}),
  };
  const data = useData(() => ask(api.GET("/v1/jobs", { params: { query } })), [job.job, state, before], { on: (event) => event.job === job.job });
  const choose = (next: string): void => {
    setState(next);
    setBefore(null);
  };
  const filter = <Choice label="State" value={state} set={choose} choices={[["", "all"], ...STATES.map((it) => [it, stateText(it)] as const)]} />;
  return (
    <Card title={plural(array.count, "element")} class="elements" aside={<span class="quiet">{array.elements}</span>}>
      <Counts array={array} />
      {array.pending > 0 && (
        <p class="quiet">
          {plural(array.pending, "element")} wait for their turn: {array.pending_elements}.
        </p>
      )}
      {filter}
      <Shown data={data}>
        {({ jobs, next }) =>
          jobs.length === 0 ? (
            <Empty>{state ? "No element is there." : "None of them has had its turn yet."}</Empty>
          ) : (
            <>
              <Table
                label="Elements"
                rows={jobs}
                keyOf={(element) => element.job}
                columns={[
                  { name: "Element", cell: (element) => <JobLink job={element.job} id={element.id} /> },
                  { name: "State", cell: (element) => <Badge state={element.state} /> },
                  { name: "Starts", cell: (element) => (element.start ? clockOf(element.start) : "–") },
                  { name: "Ends", cell: (element) => (element.finish ? clockOf(element.finish) : "–") },
                  { name: "Where", cell: (element) => element.sites.join(", ") || "–" },
                  { name: "Credits", right: true, cell: (element) => moneyOf(element.held + element.charged) },
                ]}
              />
              <p class="pages">
                {before !== null && (
                  <button type="button" onClick={() => setBefore(null)}>
                    Latest
                  </button>
                )}
                {next != null && (
                  <button type="button" onClick={() => setBefore(next)}>
                    Earlier
                  </button>
                )}
              </p>
            </>
          )
        }
      </Shown>
    </Card>
  );
}

/** How many are in each state, as parts of a bar with words below. */
function Counts({ array }: { array: NonNullable<Job["array"]> }) {
  const states: [string, number][] = [...STATES.map((state) => [state, array.states[state] ?? 0] as [string, number]), ["pending", array.pending]];
  const some = states.filter(([, count]) => count > 0);
  return (
    <>
      <div class="counts" aria-hidden="true">
        {some.map(([state, count]) => (
          <div key={state} class={`is-${state}`} style={{ flexGrow: count }} />
        ))}
      </div>
      <ul class="legend">
        {some.map(([state, count]) => (
          <li key={state} class={`is-${state}`}>
            {countOf(count)} {stateText(state)}
          </li>
        ))}
      </ul>
    </>
  );
}
