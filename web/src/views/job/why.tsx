// Why a job is where it is, and what has happened to it.
import type { Explanation, Outlook } from "../../api/types";
import { Card, Facts } from "../../parts/card";
import { clockOf, fullTime, inZone, moneyOf, shareOf } from "../../parts/format";
import { Empty } from "../../parts/states";

export function Reasons({ why }: { why: Explanation }) {
  const { reasons, changes, rank } = why;
  if (reasons.length === 0 && changes.length === 0 && !rank) return null;
  return (
    <Card title="Why">
      {reasons.length > 0 && (
        <ul>
          {reasons.map((reason) => (
            <li key={reason.text}>{inZone(reason.text)}</li>
          ))}
        </ul>
      )}
      {changes.length > 0 && (
        <>
          <h3>It would have a window with any one of</h3>
          <ul>
            {changes.map((change) => (
              <li key={change.text}>{inZone(change.text)}</li>
            ))}
          </ul>
        </>
      )}
      {rank && (
        <>
          <h3>
            Place {rank.place} of {rank.of} in the queue{rank.overdue ? ", overdue" : ""}
          </h3>
          <Facts facts={Object.entries(rank.aspects).map(([name, millionths]) => [name.replaceAll("_", " "), shareOf(millionths / 1e6)])} />
        </>
      )}
    </Card>
  );
}

export const Past = ({ why }: { why: Explanation }) => (
  <Card title="What happened">
    {why.history.length === 0 ? (
      <Empty>Nothing yet.</Empty>
    ) : (
      <ol class="feed">
        {why.history.map((event, index) => (
          <li key={index}>
            <time dateTime={event.at} title={fullTime(event.at)}>
              {clockOf(event.at)}
            </time>
            <span>{inZone(event.text)}</span>
          </li>
        ))}
      </ol>
    )}
  </Card>
);

/** What the next plan would do with it, as was said when it was submitted. */
export function Expected({ outlook }: { outlook: Outlook }) {
  const { start, finish, price, sites, reasons, changes, elements, after = [] } = outlook;
  const cost = price != null ? ` for ${moneyOf(price)} credits${elements ? " each" : ""}` : "";
  return (
    <Card title="What to expect" class="outlook">
      {start && finish ? (
        <p>
          As things are, {elements ? "its first elements" : "it"} would run from {clockOf(start)} to {clockOf(finish)} on {sites.join(", ")}
          {cost}
          {after.length > 0 ? `, after ${after.join(", ")}` : ""}. That is no promise.
        </p>
      ) : reasons.length > 0 ? (
        <>
          <p>As things are, it would not run:</p>
          <ul>
            {reasons.map((reason) => (
              <li key={reason.text}>{inZone(reason.text)}</li>
            ))}
          </ul>
          {changes.length > 0 && <p>Any one of these would be enough: {changes.map((change) => inZone(change.text)).join("; ")}.</p>}
        </>
      ) : sites.length > 0 ? (
        <p>
          It waits{after.length > 0 ? ` for ${after.join(", ")}` : ""}, nobody knows how long. As things are it would then run on {sites.join(", ")}
          {cost}.
        </p>
      ) : (
        <p>No site has said yet what is free.</p>
      )}
    </Card>
  );
}
