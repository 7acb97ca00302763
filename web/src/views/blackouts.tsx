// When a site sells nothing: kept free by its owner, once or every week.
import { useState } from "preact/hooks";
import { api, ask } from "../api/client";
import type { Prices } from "../api/types";
import { Do, useAction, Wrong } from "../parts/action";
import { Card } from "../parts/card";
import { Field } from "../parts/field";
import { clockOf } from "../parts/format";
import { Empty } from "../parts/states";
import { DAYS } from "./week";

type Blackout = NonNullable<Prices["blackouts"]>[number];

function textOf({ from, to, days, hours }: Blackout): string {
  if (from != null && to != null) return `from ${clockOf(from)} to ${clockOf(to)}`;
  const on = (days ?? []).map((day) => DAYS[day] ?? day).join(", ");
  return `every ${on || "day"}${hours ? ` from ${hours[0]}:00 to ${hours[1]}:00 UTC` : ""}`;
}

export function Blackouts({ site, prices, done }: { site: string; prices: Prices; done: () => void }) {
  const [from, setFrom] = useState("");
  const [to, setTo] = useState("");
  const doing = useAction();
  const blackouts = prices.blackouts ?? [];
  const set = async (next: Blackout[]): Promise<void> => {
    await ask(api.PUT("/v1/sites/{site}/prices", { params: { path: { site } }, body: { ...prices, blackouts: next } }));
    done();
  };
  const add = async (): Promise<void> => {
    await set([...blackouts, { from: new Date(from).toISOString(), to: new Date(to).toISOString() }]);
    setFrom("");
    setTo("");
  };
  return (
    <Card title="When nothing is sold">
      {blackouts.length === 0 && <Empty>All free time is for sale.</Empty>}
      <ul class="rows">
        {blackouts.map((blackout, index) => (
          <li key={index}>
            {textOf(blackout)}
            <Do doing={doing} action={() => set(blackouts.filter((_, place) => place !== index))}>
              Sell again {textOf(blackout)}
            </Do>
          </li>
        ))}
      </ul>
      <div class="grid">
        <Field label="Keep from" type="datetime-local" value={from} set={setFrom} />
        <Field label="Until" type="datetime-local" value={to} set={setTo} hint="What is reserved already stays so." />
      </div>
      <Wrong doing={doing} />
      <Do doing={doing} action={add} disabled={!from || !to || to <= from}>
        Sell nothing in this time
      </Do>
    </Card>
  );
}
