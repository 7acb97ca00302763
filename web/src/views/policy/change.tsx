// Rules are changed in a form or as JSON, after they were tried on what was decided before.
import { useState } from "preact/hooks";
import { api, ask } from "../../api/client";
import type { Policy, Trial } from "../../api/types";
import { Do, useAction, Wrong } from "../../parts/action";
import { Card } from "../../parts/card";
import { RulesForm } from "./form";
import { TrialResult } from "./trial";

export function Change({ policy, done }: { policy: Policy; done: () => void }) {
  const [text, setText] = useState("{}");
  const [saved, setSaved] = useState(false);
  const [trial, setTrial] = useState<Trial | null>(null);
  const doing = useAction();
  const write = (next: string): void => {
    setText(next);
    setSaved(false);
    setTrial(null);
  };
  const body = (): Policy => {
    try {
      return JSON.parse(text) as Policy;
    } catch (error) {
      throw new Error(`This is not JSON: ${error instanceof Error ? error.message : "?"}`);
    }
  };
  const tryIt = async (): Promise<void> => {
    setTrial(null);
    setTrial(await ask(api.POST("/v1/policy/trial", { body: body() })));
  };
  const save = async (): Promise<void> => {
    await ask(api.PATCH("/v1/policy", { body: body() }));
    setText("{}");
    setSaved(true);
    done();
  };
  const empty = text.trim() === "{}";
  return (
    <Card title="Change some of the rules">
      <RulesForm text={text} set={write} policy={policy} />
      <p class="quiet">
        This is what is sent, and all other rules can be written here as well. Of “choice” all is replaced; what else is left out stays as it is. Times are in seconds,
        shares between 0 and 1.
      </p>
      <textarea
        aria-label="The rules to change, as JSON"
        rows={Math.min(18, Math.max(5, text.split("\n").length))}
        spellcheck={false}
        value={text}
        onInput={(event) => write(event.currentTarget.value)}
      />
      <Wrong doing={doing} />
      {trial && <TrialResult trial={trial} />}
      <p class="actions">
        <Do doing={doing} action={tryIt} disabled={empty}>
          Try them on the latest cycles
        </Do>
        <Do doing={doing} action={save} class="main" disabled={empty}>
          Change the rules
        </Do>
        <span role="status">{saved ? "The rules are changed." : ""}</span>
      </p>
    </Card>
  );
}
