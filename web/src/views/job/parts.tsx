// What of a job is started and ends by itself, with what it prints.
import { useState } from "preact/hooks";
import { api, ask, Refusal } from "../../api/client";
import type { Job, Part, Places } from "../../api/types";
import { useData } from "../../live/data";
import { Badge } from "../../parts/badge";
import { Card } from "../../parts/card";
import { clockOf } from "../../parts/format";
import { Empty, Shown } from "../../parts/states";
import { type Column, Table } from "../../parts/table";

export function Parts({ job, places }: { job: Job; places: Places | null }) {
  const [shown, setShown] = useState<number | null>(null);
  const planned = (number: number): string => {
    const place = places?.parts.find((part) => part.part === number)?.planned;
    return place ? `${clockOf(place.start)} to ${clockOf(place.end)}` : "–";
  };
  const columns: Column<Part>[] = [
    { name: "Part", cell: (part) => part.task ?? part.part },
    { name: "State", cell: (part) => <Badge state={part.state} /> },
    { name: "Where", cell: (part) => (part.node ? `${part.site}/${part.node}` : part.site) },
    { name: "Planned", cell: (part) => planned(part.part) },
    { name: "From", cell: (part) => clockOf(part.start) },
    { name: "To", cell: (part) => clockOf(part.end) },
    {
      name: "Output",
      cell: (part) => (
        <button type="button" aria-pressed={shown === part.part} onClick={() => setShown(shown === part.part ? null : part.part)}>
          Output of {part.task ?? part.part}
        </button>
      ),
    },
  ];
  return (
    <Card title="Parts">
      <Table label="Parts of the job" columns={columns} rows={job.parts} keyOf={(part) => part.part} />
      {shown !== null && <Output key={shown} job={job.job} part={shown} />}
    </Card>
  );
}

function Output({ job, part }: { job: number; part: number }) {
  const data = useData(() => outputOf(job, part), [job, part], { every: 3_000 });
  return (
    <Shown data={data}>
      {(text) => (text === "" ? <Empty>Nothing printed, or its site keeps no output.</Empty> : <pre tabIndex={0}>{text}</pre>)}
    </Shown>
  );
}

async function outputOf(job: number, part: number): Promise<string> {
  try {
    const params = { path: { job: String(job) }, query: { part } };
    // The beginning will do for a page, however long it is.
    const headers = { Range: "bytes=0-1048575" };
    return await ask(api.GET("/v1/jobs/{job}/output", { params, headers, parseAs: "text" }));
  } catch (error) {
    if (error instanceof Refusal && error.status === 404) return "";
    throw error;
  }
}
