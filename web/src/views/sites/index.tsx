// Sites: their nodes, and what their owners ask for them.
import { useState } from "preact/hooks";
import { api, ask } from "../../api/client";
import type { Me, Prices, Site } from "../../api/types";
import { useData } from "../../live/data";
import { Do, useAction, Wrong } from "../../parts/action";
import { Badge } from "../../parts/badge";
import { Card, Facts } from "../../parts/card";
import { Field } from "../../parts/field";
import { exactly, plural } from "../../parts/format";
import { Link } from "../../parts/link";
import { Empty, Shown } from "../../parts/states";
import { Blackouts } from "./blackouts";
import { Nodes } from "./nodes";
import { Calendar, type Stretch } from "./calendar";
import { Earned } from "./earned";

export function SitesView({ who, query }: { who: Me; query: URLSearchParams }) {
  const data = useData(() => ask(api.GET("/v1/sites")), [], { on: (event) => event.site != null, every: 5_000 });
  return (
    <>
      <h1>Sites</h1>
      <Shown data={data}>
        {({ sites }) => {
          if (sites.length === 0) return <Empty>No site has joined yet: they are named in walras.toml.</Empty>;
          const own = sites.find((site) => site.owner === who.name && who.role === "owner");
          const shown = sites.find((site) => site.name === query.get("site")) ?? own ?? sites[0];
          return (
            <>
              <ul class="tabs">
                {sites.map((site) => (
                  <li key={site.name}>
                    <Link to={`/sites?site=${encodeURIComponent(site.name)}`} current={site === shown}>
                      {site.name}
                    </Link>
                  </li>
                ))}
              </ul>
              {shown && <SitePage key={shown.name} site={shown} who={who} reload={data.reload} />}
            </>
          );
        }}
      </Shown>
    </>
  );
}

/** The client's types forget that a pair is a pair. */
async function readPrices(site: string): Promise<Prices> {
  return (await ask(api.GET("/v1/sites/{site}/prices", { params: { path: { site } } }))) as Prices;
}

function SitePage({ site, who, reload }: { site: Site; who: Me; reload: () => void }) {
  const prices = useData(
    () => readPrices(site.name),
    [site.name],
    { on: (event) => event.kind === "prices-set" },
  );
  // Prices as they are being written, before they are set.
  const [draft, setDraft] = useState<Prices | null>(null);
  const [chosen, setChosen] = useState<Stretch | null>(null);
  const mayChange = who.role === "administrator" || (who.role === "owner" && who.name === site.owner);
  const done = (): void => {
    setDraft(null);
    prices.reload();
    reload();
  };
  return (
    <>
      <div class="columns">
        <Card title={site.name} aside={<Badge state={site.lost ? "lost" : "up"} />}>
          <Facts
            facts={[
              ["Owner", site.owner],
              ["Sells", { slots: "free time of its nodes", capacity: "processors that are free now", queue: "places in its queue" }[site.kind]],
              ["Connector", site.connector],
              ["Demand factor", `× ${exactly(site.demand)}`],
              ["Nodes", plural(site.nodes.length, "node")],
            ]}
          />
        </Card>
        <Shown data={prices}>{(value) => (mayChange ? <Pricing site={site.name} prices={value} preview={setDraft} done={done} /> : <Asked prices={value} />)}</Shown>
      </div>
      <Shown data={prices}>
        {(value) => (
          <>
            <Card title="The week to come, without demand" aside={draft && <span class="minus">as written, not set yet</span>}>
              <Calendar prices={draft ?? value} nodes={site.nodes} chosen={chosen} choose={mayChange ? setChosen : null} />
            </Card>
            {mayChange && <Blackouts site={site} prices={value} chosen={chosen} choose={setChosen} done={done} />}
          </>
        )}
      </Shown>
      {mayChange && <Earned site={site.name} />}
      <Nodes site={site} mayChange={mayChange} done={reload} />
    </>
  );
}

const Asked = ({ prices }: { prices: Prices }) => (
  <Card title="Prices">
    <Facts facts={[["Base", `${exactly(prices.base)} credits a second`], ...named(prices)]} />
  </Card>
);

function named(prices: Prices): [string, string][] {
  const all = { ...prices.classes, ...prices.nodes };
  return Object.entries(all).map(([name, price]) => [name, `${exactly(price)} credits a second`]);
}

interface PricingProps {
  site: string;
  prices: Prices;
  /** Told what is being written. */
  preview: (prices: Prices | null) => void;
  done: () => void;
}

function Pricing({ site, prices, preview, done }: PricingProps) {
  const [base, setBase] = useState(String(prices.base));
  const [classes, setClasses] = useState<Record<string, string>>(
    Object.fromEntries(Object.entries(prices.classes ?? {}).map(([name, price]) => [name, String(price)])),
  );
  const [saved, setSaved] = useState(false);
  const doing = useAction();
  const written = (of: string, by: Record<string, string>): Prices => ({
    ...prices,
    base: Number(of),
    classes: Object.fromEntries(Object.entries(by).map(([name, price]) => [name, Number(price)])),
  });
  const change = (of: string, by: Record<string, string>): void => {
    setBase(of);
    setClasses(by);
    setSaved(false);
    preview(Number(of) > 0 ? written(of, by) : null);
  };
  const save = async (): Promise<void> => {
    await ask(api.PUT("/v1/sites/{site}/prices", { params: { path: { site } }, body: written(base, classes) }));
    setSaved(true);
    done();
  };
  return (
    <Card title="Prices">
      <Field label="Base price" type="number" step="any" value={base} set={(value) => change(value, classes)} hint="Credits a second, for a node that no other rule names." />
      {Object.entries(classes).map(([name, price]) => (
        <Field key={name} label={`Class ${name}`} type="number" step="any" value={price} set={(value) => change(base, { ...classes, [name]: value })} />
      ))}
      <Wrong doing={doing} />
      <p class="actions">
        <Do doing={doing} action={save} class="main" disabled={!(Number(base) > 0)}>
          Set prices
        </Do>
        <span role="status">{saved ? "The prices are set; what is reserved keeps its own." : ""}</span>
      </p>
    </Card>
  );
}
