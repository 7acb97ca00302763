// The VO's rules, as they are; an administrator changes how jobs are assigned by choosing, and all rules as JSON.
import { useState } from "preact/hooks";
import { api, ask } from "../api/client";
import type { Me, Policy, Trial } from "../api/types";
import { useData } from "../live/data";
import { administers } from "../live/session";
import { Do, useAction, Wrong } from "../parts/action";
import { Card, Facts } from "../parts/card";
import { Shown } from "../parts/states";
import { Assigning } from "./assigning";
import { TrialResult } from "./trial";

export function PolicyView({ who }: { who: Me }) {
  const data = useData(() => ask(api.GET("/v1/policy")), [], { on: (event) => event.kind === "policy-set" });
  return (
    <>
      <h1>Policy</h1>
      <Shown data={data}>
        {(policy) => (
          <>
            <div class="stacks">
              {groupsOf(policy).map(([name, facts]) => (
                <Card title={name} key={name}>
                  <Facts facts={facts} />
                </Card>
              ))}
            </div>
            {administers(who.role) && (
              <>
                <Assigning now={policy.assign ?? "windows"} done={data.reload} />
                <Edit done={data.reload} />
              </>
            )}
          </>
        )}
      </Shown>
    </>
  );
}

const nameOf = (key: string): string => key.replaceAll("_", " ");
const titleOf = (key: string): string => nameOf(key.charAt(0).toUpperCase() + key.slice(1));

function valueOf(value: unknown): string {
  if (value === null || value === undefined) return "–";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** Plain rules together, and every group of rules by itself. */
function groupsOf(policy: Policy): [string, [string, string][]][] {
  const plain: [string, string][] = [];
  const groups: [string, [string, string][]][] = [["Rules", plain]];
  for (const [key, value] of Object.entries(policy)) {
    if (value !== null && typeof value === "object" && !Array.isArray(value)) {
      groups.push([titleOf(key), Object.entries(value).map(([inner, of]) => [nameOf(inner), valueOf(of)])]);
    } else {
      plain.push([nameOf(key), valueOf(value)]);
    }
  }
  return groups;
}

function Edit({ done }: { done: () => void }) {
  const [text, setText] = useState('{ "choice": { "objective": "min-cost" } }');
  const [saved, setSaved] = useState(false);
  const [trial, setTrial] = useState<Trial | null>(null);
  const doing = useAction();
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
    setSaved(true);
    done();
  };
  return (
    <Card title="Change some of the rules">
      <p class="quiet">What is left out stays as it is. Times are in seconds, shares between 0 and 1.</p>
      <textarea
        aria-label="The rules to change, as JSON"
        rows={5}
        spellcheck={false}
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value);
          setSaved(false);
          setTrial(null);
        }}
      />
      <Wrong doing={doing} />
      {trial && <TrialResult trial={trial} />}
      <p class="actions">
        <Do doing={doing} action={tryIt}>Try them on the latest cycles</Do>
        <Do doing={doing} action={save} class="main">
          Change the rules
        </Do>
        <span role="status">{saved ? "The rules are changed." : ""}</span>
      </p>
    </Card>
  );
}
