// When a site, or some of its nodes, sell nothing: kept by the owner, once or every week.
import { useState } from "preact/hooks";
import { api, ask } from "../../api/client";
import type { Prices, Site } from "../../api/types";
import { Do, useAction, Wrong } from "../../parts/action";
import { Card } from "../../parts/card";
import { Choice, Field } from "../../parts/field";
import { asField, clockOf } from "../../parts/format";
import { Empty } from "../../parts/states";
import { DAYS, hourOf, type Stretch, weekday } from "./calendar";

type Blackout = NonNullable<Prices["blackouts"]>[number];

function textOf({ from, to, days, hours }: Blackout): string {
  if (from != null && to != null) return `from ${clockOf(from)} to ${clockOf(to)}`;
  const on = (days ?? []).map((day) => DAYS[day] ?? day).join(", ");
  return `every ${on || "day"}${hours ? ` from ${hours[0]}:00 to ${hours[1]}:00 UTC` : ""}`;
}

/** The same hours of every week, where it lies within one day. */
function weekly({ from, to }: Stretch): Blackout | null {
  const last = to - 1;
  if (last - from >= 86_400_000 || weekday(from) !== weekday(last)) return null;
  return { days: [weekday(from)], hours: [hourOf(from), hourOf(last) + 1] };
}

interface Props {
  site: Site;
  prices: Prices;
  chosen: Stretch | null;
  choose: (stretch: Stretch | null) => void;
  /** Prices, or nodes, are others now. */
  done: () => void;
}

export function Blackouts({ site, prices, chosen, choose, done }: Props) {
  const [which, setWhich] = useState("");
  const doing = useAction();
  const params = { path: { site: site.name } };
  const blackouts = prices.blackouts ?? [];
  const [from, to] = chosen ? [asField(chosen.from), asField(chosen.to)] : ["", ""];
  const change = (part: { from?: string; to?: string }): void => {
    const moment = (text: string | undefined, known: number | undefined): number => (text ? new Date(text).getTime() : (known ?? Date.now()));
    choose({ from: moment(part.from, chosen?.from), to: moment(part.to, chosen?.to) });
  };
  const set = async (next: Blackout[]): Promise<void> => {
    await ask(api.PUT("/v1/sites/{site}/prices", { params, body: { ...prices, blackouts: next } }));
    choose(null);
    done();
  };
  const drain = async ({ from, to }: Stretch): Promise<void> => {
    const body = { from: new Date(from).toISOString(), until: new Date(to).toISOString(), ...(which ? { nodes: [which] } : {}) };
    await ask(api.POST("/v1/sites/{site}/drain", { params, body }));
    choose(null);
    done();
  };
  const ready = chosen !== null && chosen.to > chosen.from;
  const again = chosen && weekly(chosen);
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
      <div class="grid moments">
        <Field label="Keep from" type="datetime-local" value={from} set={(value) => change({ from: value })} />
        <Field label="Until" type="datetime-local" value={to} set={(value) => change({ to: value })} hint="What is reserved already stays so." />
        <Choice label="Nodes to drain" value={which} set={setWhich} choices={[["", "all"], ...site.nodes.map((node) => [node.name, node.name] as const)]} />
      </div>
      <Wrong doing={doing} />
      <p class="actions">
        <Do doing={doing} action={() => (chosen ? set([...blackouts, { from: new Date(chosen.from).toISOString(), to: new Date(chosen.to).toISOString() }]) : Promise.resolve())} disabled={!ready}>
          Sell nothing in this time
        </Do>
        {again && (
          <Do doing={doing} action={() => set([...blackouts, again])}>
            Sell nothing {textOf(again)}
          </Do>
        )}
        <Do doing={doing} action={() => (chosen ? drain(chosen) : Promise.resolve())} disabled={!ready}>
          Drain {which || "all nodes"} in this time
        </Do>
      </p>
    </Card>
  );
}
