// The nodes of a site, and what their owner does with them.
import { api, ask } from "../api/client";
import type { Site } from "../api/types";
import { Do, useAction, Wrong } from "../parts/action";
import { Badge } from "../parts/badge";
import { Card } from "../parts/card";
import { exactly } from "../parts/format";
import { type Column, Table } from "../parts/table";

type Node = Site["nodes"][number];

const stateOf = (node: Node): string => (node.lost ? "lost" : node.drained.length > 0 ? "drained" : "up");

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
