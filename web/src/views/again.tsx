// A decision looked at again: whether it follows from what was known, and for whom a job's window changed anything.
import { useState } from "preact/hooks";
import { api, ask } from "../api/client";
import type { DecidedAlternative, Decision, Displaced, Replay } from "../api/types";
import { Do, useAction, Wrong } from "../parts/action";
import { clockOf, moneyOf } from "../parts/format";
import { JobLink } from "../parts/link";

/** Plans a cycle again. */
export function ReplayCheck({ decision }: { decision: Decision }) {
  const [found, setFound] = useState<Replay | null>(null);
  const doing = useAction();
  const check = async (): Promise<void> => {
    setFound(null);
    setFound(await ask(api.GET("/v1/decisions/{position}/replay", { params: { path: { position: String(decision.position) } } })));
  };
  return (
    <>
      <p class="actions">
        <Do doing={doing} action={check}>
          Plan it again
        </Do>
        <span role="status">{found && (found.same ? "The same decision, to the last digit." : "Another decision: this must not be.")}</span>
      </p>
      <Wrong doing={doing} />
    </>
  );
}

/** Plans a cycle again without a job. */
export function DisplacedBy({ decision, job }: { decision: Decision; job: number }) {
  const [found, setFound] = useState<Displaced | null>(null);
  const doing = useAction();
  const look = async (): Promise<void> => {
    const params = { path: { position: String(decision.position) }, query: { job } };
    setFound(await ask(api.GET("/v1/decisions/{position}/displaced", { params })));
  };
  return (
    <>
      {!found && (
        <Do doing={doing} action={look} class="small">
          Whom did it displace?
        </Do>
      )}
      <Wrong doing={doing} />
      {found && (
        <div role="status">
          {found.others.length === 0 && "Without it nobody would have run otherwise."}
          {found.others.map((other) => (
            <p key={other.job}>
              Without it <JobLink job={other.job} name={other.name} /> would have run {alternativeText(other.without)}; it has {alternativeText(other.with)}.
            </p>
          ))}
        </div>
      )}
    </>
  );
}

const alternativeText = (alternative: DecidedAlternative | null | undefined): string =>
  alternative ? `${clockOf(alternative.start)} to ${clockOf(alternative.finish)} for ${moneyOf(alternative.cost)} credits` : "nowhere";
