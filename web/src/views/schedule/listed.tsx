// The schedule in words.
import { useMemo } from "preact/hooks";
import { isMeant, type Model } from "../../gantt/model";
import { clockOf } from "../../parts/format";
import { JobLink } from "../../parts/link";
import { Empty } from "../../parts/states";
import { Table } from "../../parts/table";

/** The same for those who do not see pictures, and to search in. */
export function Listed({ model, word }: { model: Model; word: string }) {
  const rows = useMemo(() => {
    const all = model.nodes.flatMap((node) =>
      node.bars.filter((bar) => bar.job !== null && (word === "" || isMeant(bar, node, word))).map((bar) => ({ node, bar })),
    );
    return all.sort((one, other) => one.bar.start - other.bar.start).slice(0, 200);
  }, [model, word]);
  return (
    <details class="card">
      <summary>As a table</summary>
      {rows.length === 0 ? (
        <Empty>{word ? "No job is called so." : "No job that you may see has a node in this time."}</Empty>
      ) : (
        <Table
          label="Jobs and their nodes"
          rows={rows}
          keyOf={({ node, bar }) => `${node.site}/${node.node}/${bar.start}/${bar.job}/${bar.kind}`}
          columns={[
            { name: "Job", cell: ({ bar }) => (bar.job === null ? "–" : <JobLink job={bar.job} name={bar.name} />) },
            { name: "User", cell: ({ bar }) => bar.user ?? "–" },
            { name: "Node", cell: ({ node }) => `${node.site}/${node.node}` },
            { name: "From", cell: ({ bar }) => clockOf(bar.start) },
            { name: "To", cell: ({ bar }) => clockOf(bar.end) },
            { name: "What", cell: ({ bar }) => bar.kind },
          ]}
        />
      )}
    </details>
  );
}
