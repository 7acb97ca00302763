// Very many nodes, in sums: the same as in the picture, in words, with the keys to open it.
import { loadAt, blockKey, type Block, type Model } from "../../gantt/model";
import { useNow } from "../../live/clock";
import { Card } from "../../parts/card";
import { countOf } from "../../parts/format";
import { Table } from "../../parts/table";

export function Blocks({ model, unfold }: { model: Model; unfold: (block: string) => void }) {
  const now = useNow(5_000);
  const of = (block: Block, pick: "used" | "planned" | "owner"): string => {
    const load = loadAt(block, model.span, now);
    return load ? countOf(Math.round(load[pick])) : "–";
  };
  return (
    <Card title="Nodes by site">
      <Table
        label="Nodes by site"
        rows={model.blocks}
        keyOf={blockKey}
        columns={[
          { name: "Nodes of", cell: (block) => block.name },
          { name: "How many", right: true, cell: (block) => countOf(block.nodes) },
          { name: "Reserved now", right: true, cell: (block) => of(block, "used") },
          { name: "Planned now", right: true, cell: (block) => of(block, "planned") },
          { name: "Owner's now", right: true, cell: (block) => of(block, "owner") },
          { name: "Lost", right: true, cell: (block) => countOf(block.lost) },
          {
            name: "Each of them",
            cell: (block) => (
              <button type="button" class="small" aria-expanded={block.open !== null} onClick={() => unfold(blockKey(block))}>
                {block.open ? "Fold" : "Show"} {block.name}
              </button>
            ),
          },
        ]}
      />
    </Card>
  );
}
