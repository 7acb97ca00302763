// What an owner asks: by class, by node, by hour and by day, with the week that it comes to as it is written.
import { useState } from "preact/hooks";
import { api, ask } from "../../api/client";
import type { Prices, Site } from "../../api/types";
import { Do, useAction, Wrong } from "../../parts/action";
import { Card, Facts } from "../../parts/card";
import { Choice, Field } from "../../parts/field";
import { exactly } from "../../parts/format";
import { DAYS } from "./calendar";
import { type Draft, draftOf, pricesOf } from "./draft";

/** For those who may not change them. */
export const Asked = ({ prices }: { prices: Prices }) => (
  <Card title="Prices">
    <Facts facts={[["Base", `${exactly(prices.base)} credits a second`], ...named(prices)]} />
  </Card>
);

function named(prices: Prices): [string, string][] {
  const all = { ...prices.classes, ...prices.nodes };
  return Object.entries(all).map(([name, price]) => [name, `${exactly(price)} credits a second`]);
}

interface Props {
  site: Site;
  prices: Prices;
  /** Told what is being written. */
  preview: (prices: Prices | null) => void;
  done: () => void;
}

export function Pricing({ site, prices, preview, done }: Props) {
  const [draft, setDraft] = useState<Draft>(() => draftOf(prices, site.nodes));
  const [saved, setSaved] = useState(false);
  const doing = useAction();
  const meant = pricesOf(draft, prices);
  const change = (part: Partial<Draft>): void => {
    const next = { ...draft, ...part };
    setDraft(next);
    setSaved(false);
    preview(pricesOf(next, prices));
  };
  const save = async (): Promise<void> => {
    if (!meant) return;
    await ask(api.PUT("/v1/sites/{site}/prices", { params: { path: { site: site.name } }, body: meant }));
    setSaved(true);
    done();
  };
  return (
    <Card title="Prices">
      <Field label="Base price" type="number" step="any" value={draft.base} set={(base) => change({ base })} hint="Credits a second, for a node that no other rule names." />
      {Object.entries(draft.classes).map(([name, price]) => (
        <Field key={name} label={`Class ${name}`} type="number" step="any" value={price} set={(value) => change({ classes: { ...draft.classes, [name]: value } })} />
      ))}
      <ByNode site={site} draft={draft} change={change} />
      <Factors
        title="By hour of the day"
        hint="Prices are multiplied by these, in UTC."
        names={draft.hours.map((_, hour) => `${String(hour).padStart(2, "0")}:00`)}
        values={draft.hours}
        set={(hours) => change({ hours })}
      />
      <Factors title="By day of the week" hint="Prices are multiplied by these as well." names={DAYS} values={draft.weekdays} set={(weekdays) => change({ weekdays })} />
      <Wrong doing={doing} />
      <p class="actions">
        <Do doing={doing} action={save} class="main" disabled={meant === null}>
          Set prices
        </Do>
        <span role="status">{saved ? "The prices are set; what is reserved keeps its own." : meant ? "" : "Prices and factors are numbers above 0."}</span>
      </p>
    </Card>
  );
}

function ByNode({ site, draft, change }: { site: Site; draft: Draft; change: (part: Partial<Draft>) => void }) {
  const own = Object.entries(draft.nodes);
  const others = site.nodes.filter((node) => draft.nodes[node.name] === undefined);
  const add = (name: string): void => {
    const price = site.nodes.find((node) => node.name === name)?.price ?? Number(draft.base);
    change({ nodes: { ...draft.nodes, [name]: String(price) } });
  };
  return (
    <details class="more" open={own.length > 0}>
      <summary>By node</summary>
      <div class="grid">
        {own.map(([name, price]) => (
          <Field key={name} label={`Node ${name}`} type="number" step="any" value={price} set={(value) => change({ nodes: { ...draft.nodes, [name]: value } })} hint="Empty: as the others." />
        ))}
      </div>
      {others.length > 0 && <Choice label="Give a node its own price" value="" set={add} choices={[["", "choose"], ...others.map((node) => [node.name, node.name] as const)]} />}
    </details>
  );
}

interface FactorsProps {
  title: string;
  hint: string;
  names: readonly string[];
  values: readonly string[];
  set: (values: string[]) => void;
}

function Factors({ title, hint, names, values, set }: FactorsProps) {
  const differ = values.some((value) => Number(value) !== 1);
  return (
    <details class="more">
      <summary>
        {title} <span class="quiet">{differ ? "" : "the same always"}</span>
      </summary>
      <p class="quiet">{hint}</p>
      <div class="grid factors">
        {names.map((name, index) => (
          <Field key={name} label={name} type="number" min={0} step="any" value={values[index] ?? "1"} set={(value) => set(values.map((old, place) => (place === index ? value : old)))} />
        ))}
      </div>
    </details>
  );
}
