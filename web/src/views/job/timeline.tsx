// A job's time as one line: waiting, running, what was promised, the deadline, now.
import type { Job } from "../../api/types";
import { useNow } from "../../live/clock";
import { isOver } from "../../parts/badge";
import { clockOf } from "../../parts/format";

interface Mark {
  at: number;
  name: string;
  kind: string;
}

const WIDTH = 1_000;
const HEIGHT = 74;

export function Timeline({ job }: { job: Job }) {
  const now = useNow(1_000);
  const queued = Date.parse(job.queued_at);
  const marks: Mark[] = [{ at: queued, name: "submitted", kind: "plain" }];
  const add = (moment: string | null | undefined, name: string, kind: string): void => {
    if (moment) marks.push({ at: Date.parse(moment), name, kind });
  };
  add(job.start, isOver(job.state) || job.state === "running" ? "started" : "starts", "plain");
  add(job.finish, isOver(job.state) ? "ended" : "ends", "plain");
  add(job.deadline, "deadline", "limit");
  if (!isOver(job.state)) marks.push({ at: now, name: "now", kind: "now" });
  const first = queued;
  const last = Math.max(...marks.map((mark) => mark.at), first + 1_000);
  const x = (at: number): number => 12 + ((at - first) / (last - first)) * (WIDTH - 24);
  const start = job.start ? Date.parse(job.start) : null;
  const finish = job.finish ? Date.parse(job.finish) : null;
  const label = marks.map((mark) => `${mark.name} ${clockOf(mark.at)}`).join(", ");
  const ordered = [...marks].sort((one, other) => one.at - other.at);
  return (
    <div class="time">
      <svg class="timeline" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={`Timeline: ${label}`} preserveAspectRatio="none">
        <line class="waiting" x1={x(first)} x2={x(start ?? (isOver(job.state) ? last : now))} y1="30" y2="30" />
        {start !== null && finish !== null && <rect class={`run is-${job.state}`} x={x(start)} width={Math.max(3, x(finish) - x(start))} y="20" height="20" rx="4" />}
        {marks.map((mark) => (
          <line key={mark.name} class={`mark ${mark.kind}`} x1={x(mark.at)} x2={x(mark.at)} y1="12" y2="48" />
        ))}
      </svg>
      <ol aria-hidden="true">
        {ordered.map((mark) => (
          <li key={mark.name} class={mark.kind}>
            {mark.name} {mark.kind === "now" ? "" : clockOf(mark.at)}
          </li>
        ))}
      </ol>
    </div>
  );
}
