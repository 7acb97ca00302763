// One job: where it is and why, what happened to it, what it costs, what it printed.
import { useRef } from "preact/hooks";
import { api, ask, freshKey, Refusal } from "../../api/client";
import type { Happening, Job, Me } from "../../api/types";
import { useData } from "../../live/data";
import { outlooks } from "../../live/outlooks";
import { Do, useAction, Wrong } from "../../parts/action";
import { Badge, isOver } from "../../parts/badge";
import { inZone } from "../../parts/format";
import { Link } from "../../parts/link";
import { Empty, Shown, Trouble } from "../../parts/states";
import { go } from "../../route";
import { Elements } from "./elements";
import { Parts } from "./parts";
import { Plan } from "./plan";
import { Terms } from "./terms";
import { Timeline } from "./timeline";
import { Expected, Past, Reasons } from "./why";

/** `job` is a number, or the name of an element, such as 17_3. */
export function JobPage({ job, who }: { job: string; who: Me }) {
  const path = { params: { path: { job } } };
  // Whoever follows an array hears of its elements, and the other way round.
  const followed = useRef(Number(job.split("_")[0]));
  const own = { on: (event: Happening) => event.job === followed.current };
  const data = useData(() => ask(api.GET("/v1/jobs/{job}", path)), [job], { ...own, every: 10_000 });
  if (data.value?.id) followed.current = Number(data.value.id.split("_")[0]);
  const why = useData(() => ask(api.GET("/v1/jobs/{job}/explanation", path)), [job], own);
  const places = useData(() => ask(api.GET("/v1/jobs/{job}/places", path)), [job], own);
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
  const read = (): void => [data, why, places].forEach((it) => it.reload());
  return (
    <Shown data={data}>
      {(view) => {
        const outlook = outlooks.get(view.job);
        return (
          <>
            <Heading job={view} read={read} />
            {why.value && <p class="summary">{inZone(why.value.summary)}</p>}
            {!view.array && <Timeline job={view} />}
            {outlook && !isOver(view.state) && !view.start && <Expected outlook={outlook} />}
            {view.array && <Elements job={view} array={view.array} />}
            <div class="columns">
              <Terms job={view} who={who} />
              {why.value && <Reasons why={why.value} />}
            </div>
            {places.value && places.value.parts.length > 0 && <Plan places={places.value} />}
            {view.parts.length > 0 && <Parts job={view} places={places.value} />}
            {why.value ? <Past why={why.value} /> : why.error !== null && <Trouble error={why.error} again={why.reload} />}
          </>
        );
      }}
    </Shown>
  );
}

/** What it is called, where it is, and what can be done with it. */
function Heading({ job, read }: { job: Job; read: () => void }) {
  const doing = useAction();
  const params = { path: { job: String(job.job) } };
  const cancel = async (): Promise<void> => {
    await ask(api.DELETE("/v1/jobs/{job}", { params }));
    read();
  };
  const release = async (): Promise<void> => {
    await ask(api.POST("/v1/jobs/{job}/release", { params }));
    read();
  };
  const again = async (): Promise<void> => {
    const more = await ask(api.POST("/v1/jobs/{job}/again", { params: { ...params, header: freshKey() } }));
    go(`/jobs/${more.job}`);
  };
  const what = job.array ? "array" : "job";
  return (
    <>
      <div class="heading">
        <h1>
          {job.array ? "Array" : "Job"} {job.id || job.job} <span class="quiet">{job.name}</span>
        </h1>
        <Badge state={job.state} />
        {job.state === "held" && (
          <Do doing={doing} action={release} class="main">
            Let the {what} go
          </Do>
        )}
        {!isOver(job.state) && (
          <Do doing={doing} action={cancel} class="danger" sure={`Cancel the ${what}? What it has done is lost.`}>
            Cancel the {what}
          </Do>
        )}
        <Do doing={doing} action={again}>
          Submit it again
        </Do>
        {!job.array && job.start && <Link to={`/schedule?job=${job.job}`}>In the schedule</Link>}
      </div>
      <Wrong doing={doing} />
    </>
  );
}
