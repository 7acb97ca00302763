// The nodes of a site, and what their owner does with them.
import { useState } from "preact/hooks";
import { api, ask } from "../../api/client";
import type { Site } from "../../api/types";
import { now } from "../../live/clock";
import { Do, useAction, Wrong } from "../../parts/action";
import { Badge } from "../../parts/badge";
import { Card } from "../../parts/card";
import { Choice, Filter } from "../../parts/field";
import { clockOf, countOf, exactly } from "../../parts/format";
import { Empty } from "../../parts/states";
import { type Column, Table } from "../../parts/table";

type Node = Site["nodes"][number];

/** Of more nodes, so many are shown at a time, and they can be looked for. */
const PAGE = 100;

const isDrained = (node: Node): boolean => node.drained.some(({ from, until }) => Date.parse(from) <= now() && (until == null || Date.parse(until) > now()));

const stateOf = (node: Node): string => (node.lost ? "lost" : isDrained(node) ? "drained" : "up");

/** When it sells nothing, and will not. */
function drainedText(node: Node): string {
  const times = node.drained.map(({ from, until }) => `${clockOf(from)} to ${until ? clockOf(until) : "further notice"}`);
  return times.join("; ") || "–";
}

/** Which of many nodes are shown. */
function usePage(nodes: readonly Node[]) {
  const [find, setFind] = useState("");
  const [state, setState] = useState("");
  const [first, setFirst] = useState(0);
  const meant = nodes.filter((node) => node.name.toLowerCase().includes(find.trim().toLowerCase()) && (state === "" || stateOf(node) === state));
  const from = first < meant.length ? first : 0;
  const and =
    (set: (value: string) => void) =>
    (value: string): void => {
      set(value);
      setFirst(0);
    };
  return { find, setFind: and(setFind), state, setState: and(setState), from, setFirst, meant, shown: meant.slice(from, from + PAGE) };
}

function Pager({ page: { find, setFind, state, setState, from, setFirst, meant, shown }, all }: { page: ReturnType<typeof usePage>; all: number }) {
  return (
    <>
      <form class="filters" onSubmit={(event) => event.preventDefault()}>
        <Filter label="Find a node" type="search" value={find} set={setFind} />
        <Choice label="State" value={state} set={setState} choices={[["", "all"], ...["up", "drained", "lost"].map((name) => [name, name] as const)]} />
      </form>
      {meant.length === 0 ? (
        <Empty>No node is like that.</Empty>
      ) : (
        <p class="actions">
          <span role="status">
            {countOf(from + 1)} to {countOf(from + shown.length)} of {countOf(meant.length)}
            {meant.length < all && `, ${countOf(all)} in all`}
          </span>
          <button type="button" disabled={from === 0} onClick={() => setFirst(Math.max(0, from - PAGE))}>
            Before
          </button>
          <button type="button" disabled={from + PAGE >= meant.length} onClick={() => setFirst(from + PAGE)}>
            After
          </button>
        </p>
      )}
    </>
  );
}

export function Nodes({ site, mayChange, done }: { site: Site; mayChange: boolean; done: () => void }) {
  const doing = useAction();
  const page = usePage(site.nodes);
  const params = { path: { site: site.name } };
  const drain = async (nodes: string[]): Promise<void> => {
    await ask(api.POST("/v1/sites/{site}/drain", { params, body: { nodes } }));
    done();
  };
  const resume = async (nodes: string[]): Promise<void> => {
    await ask(api.POST("/v1/sites/{site}/resume", { params, body: { nodes } }));
    done();
  };
  const columns: Column<Node>[] = [
    { name: "Node", cell: (node) => node.name },
    { name: "State", cell: (node) => <Badge state={stateOf(node)} /> },
    { name: "Drained", cell: drainedText },
    { name: "Class", cell: (node) => node.class ?? "–" },
    { name: "Performance", right: true, cell: (node) => exactly(node.performance) },
    { name: "Base price", right: true, cell: (node) => exactly(node.price) },
  ];
  if (mayChange) {
    const action = (node: Node) =>
      node.drained.length > 0 ? (
        <Do doing={doing} action={() => resume([node.name])}>
          Sell {node.name} again
        </Do>
      ) : (
        <Do doing={doing} action={() => drain([node.name])}>
          Drain {node.name}
        </Do>
      );
    columns.push({ name: "For the owner", cell: action });
  }
  return (
    <Card title="Nodes">
      {mayChange && <p>A drained node sells nothing new; what is held there stays.</p>}
      <Wrong doing={doing} />
      {site.nodes.length > PAGE && <Pager page={page} all={site.nodes.length} />}
      <Table label="Nodes" rows={page.shown} keyOf={(node) => node.name} columns={columns} />
    </Card>
  );
}
