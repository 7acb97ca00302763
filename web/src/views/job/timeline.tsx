// A job's time as one line: waiting, running, what was promised, the deadline, now.
import type { Job } from "../../api/types";
import { useNow } from "../../live/clock";
import { isOver } from "../../parts/badge";
import { clockOf } from "../../parts/format";
import { useWidth } from "../../parts/width";
import { labelsOf } from "./labels";

interface Mark {
  at: number;
  name: string;
  kind: string;
}

const [EDGE, MIDDLE, BELOW, ROW] = [6, 22, 56, 19];

function marksOf(job: Job, now: number): Mark[] {
  const over = isOver(job.state);
  const marks: Mark[] = [{ at: Date.parse(job.queued_at), name: "submitted", kind: "plain" }];
  const add = (moment: string | null | undefined, name: string, kind: string): void => {
    if (moment) marks.push({ at: Date.parse(moment), name, kind });
  };
  add(job.start, over || job.state === "running" ? "started" : "starts", "plain");
  add(job.finish, over ? "ended" : "ends", "plain");
  if (!over) add(job.promise?.finish, "promised", "limit");
  add(job.deadline, "deadline", "limit");
  if (!over) marks.push({ at: now, name: "now", kind: "now" });
  return marks;
}

export function Timeline({ job }: { job: Job }) {
  const now = useNow(1_000);
  const [place, width] = useWidth<HTMLDivElement>();
  const marks = marksOf(job, now);
  const first = Math.min(...marks.map((mark) => mark.at));
  const last = Math.max(...marks.map((mark) => mark.at), first + 1_000);
  const x = (at: number): number => Math.round(EDGE + ((at - first) / (last - first)) * (width - 2 * EDGE));
  const [start, finish] = [job.start, job.finish].map((moment) => (moment ? Date.parse(moment) : null));
  const said = (mark: Mark): string => (mark.kind === "now" ? mark.name : `${mark.name} ${clockOf(mark.at)}`);
  const label = marks.map((mark) => `${mark.name} ${clockOf(mark.at)}`).join(", ");
  const labels = labelsOf(marks.map((mark) => ({ x: x(mark.at), text: said(mark) })), width);
  const rows = Math.max(...labels.map((it) => it.row)) + 1;
  return (
    <div class="time" ref={place}>
      <svg class="timeline" width={width} height={BELOW + rows * ROW} role="img" aria-label={`Timeline: ${label}`}>
        <line class="waiting" x1={x(marks[0]?.at ?? first)} x2={x(start ?? (isOver(job.state) ? last : now))} y1={MIDDLE} y2={MIDDLE} />
        {start != null && finish != null && <Run state={job.state} from={x(start)} to={x(finish)} now={x(Math.min(Math.max(now, start), finish))} />}
        {marks.map((mark, index) => (
          <line key={mark.name} class={`mark ${mark.kind}`} x1={x(mark.at)} x2={x(mark.at)} y1={MIDDLE - 16} y2={BELOW + (labels[index]?.row ?? 0) * ROW - 10} />
        ))}
        {marks.map((mark, index) => (
          <text key={mark.name} class={mark.kind} x={x(mark.at)} y={BELOW + (labels[index]?.row ?? 0) * ROW + 4} text-anchor={labels[index]?.anchor} aria-hidden="true">
            {said(mark)}
          </text>
        ))}
      </svg>
    </div>
  );
}

/** While it runs, what has passed is darker than what is to come. */
function Run({ state, from, to, now }: { state: Job["state"]; from: number; to: number; now: number }) {
  const bar = (end: number, name: string) => <rect class={name} x={from} width={Math.max(3, end - from)} y={MIDDLE - 10} height={20} rx="4" />;
  return state === "running" ? (
    <>
      {bar(to, "run is-to-come")}
      {bar(now, "run is-running")}
    </>
  ) : (
    bar(to, `run is-${state}`)
  );
}
