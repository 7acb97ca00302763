// What of a job is started and ends by itself, with what it prints.
import { useState } from "preact/hooks";
import { api, ask, Refusal } from "../../api/client";
import type { Job, Part, Places } from "../../api/types";
import { useData } from "../../live/data";
import { Badge, isOver } from "../../parts/badge";
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
      {shown !== null && <Output key={shown} job={job.job} part={shown} live={!isOver(job.state)} />}
    </Card>
  );
}

/** So much of an output is shown, from its end: a mebibyte. */
const SHOWN_MAX = 1_048_576;

function Output({ job, part, live }: { job: number; part: number; live: boolean }) {
  const data = useData(() => outputOf(job, part), [job, part, live], live ? { every: 3_000 } : {});
  return (
    <Shown data={data}>
      {({ text, before }) =>
        text === "" ? (
          <Empty>Nothing printed, or its site keeps no output.</Empty>
        ) : (
          <>
            {before > 0 && (
              <p class="note">
                The last mebibyte; {before} bytes before it are left out. <a href={`/v1/jobs/${job}/output?part=${part}`}>All of it</a>
              </p>
            )}
            <pre tabIndex={0}>{text}</pre>
          </>
        )
      }
    </Shown>
  );
}

async function outputOf(job: number, part: number): Promise<{ text: string; before: number }> {
  try {
    const params = { path: { job: String(job) }, query: { part } };
    const headers = { Range: `bytes=-${SHOWN_MAX}` };
    const answer = api.GET("/v1/jobs/{job}/output", { params, headers, parseAs: "text" });
    const text = await ask(answer);
    const range = (await answer).response.headers.get("content-range") ?? "";
    return { text, before: Number(/^bytes (\d+)-/.exec(range)?.[1] ?? 0) };
  } catch (error) {
    if (error instanceof Refusal && error.status === 404) return { text: "", before: 0 };
    throw error;
  }
}
