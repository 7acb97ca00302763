// What every user, and every group, may have here at a time.
import { useState } from "preact/hooks";
import { api, ask } from "../../api/client";
import type { Policy } from "../../api/types";
import { useData } from "../../live/data";
import { Do, useAction, Wrong } from "../../parts/action";
import { Card } from "../../parts/card";
import { Field } from "../../parts/field";
import { Shown } from "../../parts/states";

type Sharing = NonNullable<Policy["sharing"]>;
type Of = NonNullable<Sharing["user"]>;
type Known = "jobs" | "node_time" | "quotes" | "keys" | "bytes";

const FIELDS: readonly { key: Known; label: string; hint: string }[] = [
  { key: "jobs", label: "Jobs", hint: "That have not ended." },
  { key: "node_time", label: "Work", hint: "Of these, in seconds at performance 1." },
  { key: "quotes", label: "Quotes", hint: "That bind." },
  { key: "keys", label: "Requests", hint: "That are remembered." },
  { key: "bytes", label: "Bytes", hint: "Of jobs and quotes." },
];

export function Limits() {
  const data = useData(() => ask(api.GET("/v1/policy")), [], { on: (event) => event.kind === "policy-set" });
  return (
    <div class="columns">
      <Shown data={data}>
        {({ sharing }) =>
          sharing ? (
            <>
              <Change title="What every user may have at a time" whose="user" limits={sharing.user ?? {}} done={data.reload} />
              <Change title="What every group may have at a time" whose="group" limits={sharing.group ?? {}} done={data.reload} />
            </>
          ) : (
            <Card title="What users may have at a time">
              <p>The queue is not shared by rules: there are no limits. The policy&rsquo;s “sharing” sets them.</p>
            </Card>
          )
        }
      </Shown>
    </div>
  );
}

function Change({ title, whose, limits, done }: { title: string; whose: "user" | "group"; limits: Of; done: () => void }) {
  const [values, setValues] = useState<Partial<Record<Known, string>>>({});
  const doing = useAction();
  const shown = (key: Known): string => values[key] ?? String(limits[key] ?? "");
  const save = async (): Promise<void> => {
    const changed = Object.fromEntries(Object.entries(values).map(([key, value]) => [key, Number(value)]));
    await ask(api.PATCH("/v1/policy", { body: { sharing: { [whose]: changed } } }));
    setValues({});
    done();
  };
  const wrong = Object.values(values).some((value) => !(Number(value) >= 0) || value.trim() === "");
  return (
    <Card title={title}>
      <div class="grid">
        {FIELDS.map(({ key, label, hint }) => (
          <Field key={key} label={label} type="number" min={0} step="any" value={shown(key)} set={(value) => setValues({ ...values, [key]: value })} hint={hint} />
        ))}
      </div>
      <Wrong doing={doing} />
      <Do doing={doing} action={save} disabled={Object.keys(values).length === 0 || wrong}>
        Set these limits for every {whose}
      </Do>
    </Card>
  );
}
