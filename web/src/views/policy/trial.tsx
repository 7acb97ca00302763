// What other rules would have decided in the latest cycles, beside what was decided.
import type { Trial, TrialFigures } from "../../api/types";
import { countOf, moneyOf, plural, shareOf, spanOf } from "../../parts/format";
import { Table } from "../../parts/table";

interface Row {
  name: string;
  before: string;
  after: string;
  verdict: string;
}

const seconds = (value: number | null | undefined): string => (value == null ? "–" : spanOf(value * 1000));
const share = (value: number | null | undefined): string => (value == null ? "–" : shareOf(value));

/** Better, worse, or neither, where less is better. */
function less(before: number | null | undefined, after: number | null | undefined): string {
  if (before == null || after == null) return "–";
  return before === after ? "the same" : after < before ? "better" : "worse";
}

function rowsOf(before: TrialFigures, after: TrialFigures): Row[] {
  // Who serves fewer jobs has less cost and less waiting, and that is not better.
  const ofOthers = before.served !== after.served;
  const unlessOfOthers = (verdict: string): string => (ofOthers ? "of other jobs" : verdict);
  return [
    { name: "Jobs served", before: countOf(before.served), after: countOf(after.served), verdict: less(after.served, before.served) },
    { name: "Cost", before: moneyOf(before.cost), after: moneyOf(after.cost), verdict: unlessOfOthers(less(before.cost, after.cost)) },
    { name: "Mean wait", before: seconds(before.wait), after: seconds(after.wait), verdict: unlessOfOthers(less(before.wait, after.wait)) },
    {
      name: "Mean time to the end",
      before: seconds(before.response),
      after: seconds(after.response),
      verdict: unlessOfOthers(less(before.response, after.response)),
    },
    {
      name: "Satisfaction",
      before: share(before.satisfaction),
      after: share(after.satisfaction),
      verdict: less(after.satisfaction, before.satisfaction),
    },
  ];
}

export function TrialResult({ trial }: { trial: Trial }) {
  if (trial.cycles.length === 0) {
    return <p role="status">Nobody has waited in any cycle since the service started: there is nothing to try it on.</p>;
  }
  const changed = trial.cycles.reduce((sum, cycle) => sum + cycle.changed, 0);
  return (
    <>
      <p role="status">
        {plural(trial.cycles.length, "cycle")} with {plural(trial.before.jobs, "waiting job")} planned again; {plural(changed, "time")} a job
        would have run otherwise.
        {trial.left > 0 && ` ${plural(trial.left, "older cycle")} left out: it took too long.`}
      </p>
      <Table
        label="The rules as they were, and changed"
        rows={rowsOf(trial.before, trial.after)}
        keyOf={(row) => row.name}
        columns={[
          { name: "Figure", cell: (row) => row.name },
          { name: "As it was", cell: (row) => row.before, right: true },
          { name: "Changed", cell: (row) => row.after, right: true },
          { name: "That is", cell: (row) => row.verdict },
        ]}
      />
    </>
  );
}
