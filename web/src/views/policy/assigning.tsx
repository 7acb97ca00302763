// How jobs get processors of sites that sell capacity: one of the rules, with what each choice means.
import { useState } from "preact/hooks";
import { api, ask } from "../../api/client";
import type { Assign } from "../../api/types";
import { Do, useAction, Wrong } from "../../parts/action";
import { Card } from "../../parts/card";
import { Choice } from "../../parts/field";

const MEANINGS: Record<Assign, string> = {
  windows: "windows: as on all other sites",
  greedy: "greedy: earliest deadline first, to the lowest price per second",
  "greedy-cost": "greedy-cost: earliest deadline first, to where the job costs least",
  mmc: "mmc: the linear relaxation made whole",
  hga: "hga: evolution from greedy",
  lpga: "lpga: evolution from mmc",
  exact: "exact: the best assignment, proven or with a gap",
  split: "split: jobs that may be split are",
};
const METHODS = Object.entries(MEANINGS);

export function Assigning({ now, done }: { now: Assign; done: () => void }) {
  const [method, setMethod] = useState<string>(now);
  const [saved, setSaved] = useState(false);
  const doing = useAction();
  const save = async (): Promise<void> => {
    await ask(api.PATCH("/v1/policy", { body: { assign: method as Assign } }));
    setSaved(true);
    done();
  };
  return (
    <Card title="Sites that sell capacity">
      <p class="quiet">Jobs get their processors by windows, or are assigned together once a cycle; who gets none waits for the next.</p>
      <Choice
        label="How jobs are assigned"
        value={method}
        choices={METHODS}
        set={(value) => {
          setMethod(value);
          setSaved(false);
        }}
      />
      <Wrong doing={doing} />
      <p class="actions">
        <Do doing={doing} action={save} class="main">
          Assign like this
        </Do>
        <span role="status">{saved ? `Jobs are assigned by ${method}.` : ""}</span>
      </p>
    </Card>
  );
}
