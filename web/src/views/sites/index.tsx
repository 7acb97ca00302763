// Sites: their nodes, and what their owners ask for them.
import { useState } from "preact/hooks";
import { api, ask } from "../../api/client";
import type { Me, Prices, Site } from "../../api/types";
import { useData } from "../../live/data";
import { Badge } from "../../parts/badge";
import { Card, Facts } from "../../parts/card";
import { Choice } from "../../parts/field";
import { clockOf, exactly, plural } from "../../parts/format";
import { Link } from "../../parts/link";
import { Empty, Shown } from "../../parts/states";
import { Blackouts } from "./blackouts";
import { Nodes } from "./nodes";
import { Calendar, type Stretch } from "./calendar";
import { Earned } from "./earned";
import { Asked, Pricing } from "./pricing";

export function SitesView({ who, query }: { who: Me; query: URLSearchParams }) {
  const data = useData(() => ask(api.GET("/v1/sites")), [], { on: (event) => event.site != null || event.kind === "site-added", every: 10_000 });
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

/** Whether nodes have different prices. */
const hasOwn = ({ classes, nodes }: Prices): boolean => Object.keys({ ...classes, ...nodes }).length > 0;

/** The prices with what is asked for one of the nodes as their base. */
function pricesFor(prices: Prices, nodes: Site["nodes"], name: string): Prices {
  const of = nodes.find((node) => node.name === name)?.class ?? "";
  return { ...prices, base: prices.nodes?.[name] ?? prices.classes?.[of] ?? prices.base };
}

function SitePage({ site, who, reload }: { site: Site; who: Me; reload: () => void }) {
  const prices = useData(
    () => readPrices(site.name),
    [site.name],
    { on: (event) => event.kind === "prices-set" && event.site === site.name },
  );
  // Prices as they are being written, before they are set.
  const [draft, setDraft] = useState<Prices | null>(null);
  const [chosen, setChosen] = useState<Stretch | null>(null);
  // Whose week is shown.
  const [node, setNode] = useState("");
  const mayChange = who.role === "administrator" || (who.role === "owner" && who.name === site.owner);
  const done = (): void => {
    setDraft(null);
    prices.reload();
    reload();
  };
  return (
    <>
      <div class="columns">
        <Card title={site.name} aside={<Badge state={site.lost ? "lost" : site.leaving ? "leaving" : "up"} />}>
          <Facts
            facts={[
              ["Owner", site.owner],
              ["Sells", { slots: "free time of its nodes", capacity: "processors that are free now", queue: "places in its queue" }[site.kind]],
              ["Connector", site.connector],
              ["Demand factor", `× ${exactly(site.demand)}`],
              ["Nodes", plural(site.nodes.length, "node")],
              ...(site.trouble ? [["Trouble", `${site.trouble.why}, since ${clockOf(site.trouble.since)}`] as [string, string]] : []),
            ]}
          />
        </Card>
        <Shown data={prices}>{(value) => (mayChange ? <Pricing site={site} prices={value} preview={setDraft} done={done} /> : <Asked prices={value} />)}</Shown>
      </div>
      <Shown data={prices}>
        {(value) => (
          <>
            <Card title="The week to come, without demand" aside={draft && <span class="minus">as written, not set yet</span>}>
              {hasOwn(draft ?? value) && (
                <Choice label="For node" value={node} set={setNode} choices={[["", "one that no other rule names"], ...site.nodes.map((it) => [it.name, it.name] as const)]} />
              )}
              <Calendar prices={pricesFor(draft ?? value, site.nodes, node)} nodes={site.nodes} chosen={chosen} choose={mayChange ? setChosen : null} />
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
