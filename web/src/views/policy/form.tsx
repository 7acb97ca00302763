// The rules that are changed most, as fields: every one writes into the change.
import { useState } from "preact/hooks";
import type { Policy } from "../../api/types";
import { Choice, Field } from "../../parts/field";
import { ruleOf, shownOf, valueOf, withRule } from "./rules";

const OBJECTIVES: readonly (readonly [string, string])[] = [
  ["min-time", "min-time: least run time"],
  ["min-cost", "min-cost: least cost"],
  ["max-income", "max-income: most income for owners"],
  ["max-use", "max-use: most of the nodes' time sold"],
  ["min-makespan", "min-makespan: all done soonest"],
  ["weighted", "weighted: totals by weights"],
  ["lexicographic", "lexicographic: one total, then the next"],
  ["satisfaction", "satisfaction: the least content is most content"],
];
const SEARCHES = ["amp", "alp", "criterion=cost", "criterion=runtime", "criterion=finish", "criterion=start", "criterion=price", "criterion=node-time", "criterion=energy"];
const TOTALS = ["cost", "time", "finish", "income", "spare_budget", "spare_time"] as const;
const RANKS = ["waiting", "priority", "deadline", "price", "fair_share", "attempts"] as const;

const words = (key: string): string => key.replaceAll("_", " ");

interface RuleProps {
  label: string;
  hint: string;
  value: string;
  set: (value: string) => void;
}

/** Whether two texts say the same: `0.` is what somebody has written of `0.5` so far. */
function isSame(one: string, other: string): boolean {
  const parts = (text: string): string => text.split(",").map((part) => part.trim()).filter(Boolean).join();
  if (one.trim() !== "" && other.trim() !== "" && Number(one) === Number(other)) return true;
  return parts(one) === parts(other);
}

/** A rule as a field, which stays as it is written as long as it means what the change says. */
function Rule({ value, set, ...field }: RuleProps) {
  const [typed, setTyped] = useState(value);
  const write = (next: string): void => {
    setTyped(next);
    set(next);
  };
  return <Field {...field} value={isSame(typed, value) ? typed : value} set={write} />;
}

interface Props {
  text: string;
  set: (text: string) => void;
  policy: Policy;
}

export function RulesForm({ text, set, policy }: Props) {
  const change = ruleOf(text);
  if (change === null) return <p class="note bad">What is written below is no object of JSON: mend it, or begin anew with {"{}"}, to use the fields.</p>;
  const shown = (...path: string[]): string => shownOf(change, policy, path);
  const write = (value: unknown, ...path: string[]): void => set(withRule(text, policy, path, value));
  const number = (label: string, hint: string, ...path: string[]) => (
    <Rule key={path.join(".")} label={label} hint={hint} value={shown(...path)} set={(value) => write(valueOf(value), ...path)} />
  );
  const [objective, search] = [shown("choice", "objective"), shown("search")];
  const searches = SEARCHES.includes(search) ? SEARCHES : [...SEARCHES, search];
  return (
    <form class="grid rules" onSubmit={(event) => event.preventDefault()}>
      <Choice label="Objective" value={objective} choices={OBJECTIVES} set={(value) => write(value, "choice", "objective")} />
      {objective === "weighted" && TOTALS.map((total) => number(`Weight of ${words(total)}`, "0 to 1,000,000", "choice", "weights", total))}
      {objective === "lexicographic" && (
        <Rule
          label="Order of totals"
          hint={`Of ${TOTALS.map(words).join(", ")}.`}
          value={shown("choice", "order")}
          set={(value) => write(value.split(",").map((total) => total.trim().replaceAll(" ", "_")).filter(Boolean), "choice", "order")}
        />
      )}
      {number("Limit on all costs", "Credits, derived, or none.", "choice", "limits", "budget")}
      {number("Limit on all run times", "Seconds, derived, or none.", "choice", "limits", "time")}
      <Choice label="Search" value={search} choices={searches.map((name) => [name, name] as const)} set={(value) => write(value, "search")} />
      {number("Windows listed for a job", "At most.", "alternatives_max")}
      {number("Jobs planned at once", "At most.", "batch_max")}
      {number("Plan every", "Seconds.", "cycle_every")}
      {RANKS.map((aspect) => number(`Rank: ${words(aspect)}`, "How much it counts in the queue.", "rank", aspect))}
    </form>
  );
}
