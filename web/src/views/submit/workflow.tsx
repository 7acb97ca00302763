// The tasks of a workflow as it is written: what waits for what, from left to right.
interface Edge {
  from: string;
  to: string;
}

const [WIDE, TALL, GAP_X, GAP_Y] = [96, 28, 42, 12];
/** Larger workflows are not drawn. */
const TASKS_MAX = 60;

function strings(list: unknown, key: string): string[] {
  if (!Array.isArray(list)) return [];
  return list.map((entry: Record<string, unknown>) => String(entry[key] ?? ""));
}

/** How many steps lie before each task; those in a circle, which the service refuses, stay where they are. */
function depths(tasks: readonly string[], edges: readonly Edge[]): Map<string, number> {
  const depth = new Map(tasks.map((task) => [task, 0]));
  for (let round = 0; round < tasks.length; round += 1) {
    let changed = false;
    for (const { from, to } of edges) {
      const next = (depth.get(from) ?? 0) + 1;
      if (next > (depth.get(to) ?? 0) && next < tasks.length) {
        depth.set(to, next);
        changed = true;
      }
    }
    if (!changed) break;
  }
  return depth;
}

export function WorkflowPicture({ job }: { job: Record<string, unknown> }) {
  const workflow = job["workflow"] as Record<string, unknown> | undefined;
  if (typeof workflow !== "object") return null;
  const tasks = strings(workflow["tasks"], "name");
  if (tasks.length === 0 || tasks.length > TASKS_MAX) return null;
  const [froms, tos] = [strings(workflow["edges"], "from"), strings(workflow["edges"], "to")];
  const edges = froms.map((from, index) => ({ from, to: tos[index] ?? "" }));
  const depth = depths(tasks, edges);
  const columns = new Map<number, string[]>();
  for (const task of tasks) columns.set(depth.get(task) ?? 0, [...(columns.get(depth.get(task) ?? 0) ?? []), task]);
  const most = Math.max(...[...columns.values()].map((column) => column.length));
  const [width, height] = [columns.size * (WIDE + GAP_X) - GAP_X + 4, most * (TALL + GAP_Y) - GAP_Y + 4];
  const at = (task: string): { x: number; y: number } => {
    const column = columns.get(depth.get(task) ?? 0) ?? [];
    const above = (height - (column.length * (TALL + GAP_Y) - GAP_Y)) / 2;
    return { x: 2 + (depth.get(task) ?? 0) * (WIDE + GAP_X), y: above + column.indexOf(task) * (TALL + GAP_Y) };
  };
  return (
    <svg class="workflow" viewBox={`0 0 ${width} ${height}`} style={{ maxWidth: `${width}px` }} role="img" aria-label={`Workflow of ${tasks.length} tasks`}>
      {edges.map(({ from, to }) => {
        const [one, other] = [at(from), at(to)];
        const [x, y, u, v] = [one.x + WIDE, one.y + TALL / 2, other.x, other.y + TALL / 2];
        return <path key={`${from} ${to}`} d={`M${x},${y}C${x + GAP_X / 2},${y} ${u - GAP_X / 2},${v} ${u},${v}`} />;
      })}
      {tasks.map((task) => (
        <g key={task} transform={`translate(${at(task).x},${at(task).y})`}>
          <rect width={WIDE} height={TALL} rx="5" />
          <text x={WIDE / 2} y={TALL / 2 + 4} text-anchor="middle">
            {task.length > 13 ? `${task.slice(0, 12)}…` : task}
          </text>
        </g>
      ))}
    </svg>
  );
}
