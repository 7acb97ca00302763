// The nodes of a site, and what their owner does with them.
import { api, ask } from "../../api/client";
import type { Site } from "../../api/types";
import { now } from "../../live/clock";
import { Do, useAction, Wrong } from "../../parts/action";
import { Badge } from "../../parts/badge";
import { Card } from "../../parts/card";
import { clockOf, exactly } from "../../parts/format";
import { type Column, Table } from "../../parts/table";

type Node = Site["nodes"][number];

const isDrained = (node: Node): boolean => node.drained.some(({ from, until }) => Date.parse(from) <= now() && (until == null || Date.parse(until) > now()));

const stateOf = (node: Node): string => (node.lost ? "lost" : isDrained(node) ? "drained" : "up");

/** When it sells nothing, and will not. */
function drainedText(node: Node): string {
  const times = node.drained.map(({ from, until }) => `${clockOf(from)} to ${until ? clockOf(until) : "further notice"}`);
  return times.join("; ") || "–";
}

export function Nodes({ site, mayChange, done }: { site: Site; mayChange: boolean; done: () => void }) {
  const doing = useAction();
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
      <Table label="Nodes" rows={site.nodes} keyOf={(node) => node.name} columns={columns} />
    </Card>
  );
}
