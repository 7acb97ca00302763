// A quote: what it costs against when it ends, to pick from; or what would help, to press.
import { useState } from "preact/hooks";
import { api, ask, freshKey } from "../../api/client";
import type { Change, Quote } from "../../api/types";
import { useNow } from "../../live/clock";
import { Do, useAction, Wrong } from "../../parts/action";
import { Card } from "../../parts/card";
import { clockOf, inZone, moneyOf, shareOf, spanOf } from "../../parts/format";
import { go } from "../../route";
import { Scatter } from "./scatter";
import type { Key } from "./text";

interface Props {
  quote: Quote;
  change: (key: Key, value: string) => void;
  again: () => void;
}

export function Offered({ quote, change, again }: Props) {
  return quote.options.length > 0 ? <Options quote={quote} again={again} /> : <Help quote={quote} change={change} />;
}

function Options({ quote, again }: { quote: Quote; again: () => void }) {
  const best = quote.options.reduce((one, other) => (other.satisfaction > one.satisfaction ? other : one));
  const [picked, setPicked] = useState(best.option);
  const now = useNow(500);
  const left = Date.parse(quote.options.find((option) => option.option === picked)?.until ?? quote.until) - now;
  const doing = useAction();
  const take = async (): Promise<void> => {
    const params = { path: { quote: quote.quote }, header: freshKey() };
    const accepted = await ask(api.POST("/v1/quotes/{quote}/accept", { params, body: { option: picked } }));
    go(`/jobs/${accepted.job}`);
  };
  return (
    <Card title={`Quote ${quote.quote}`} class="quote" aside={<Countdown left={left} />}>
      <div class="columns">
        <Scatter options={quote.options} picked={picked} pick={setPicked} />
        <fieldset class="options">
          <legend>Pick a way to run it</legend>
          {quote.options.map((option) => (
            <label key={option.option} class={option.option === picked ? "picked" : ""}>
              <input type="radio" name="option" checked={option.option === picked} onChange={() => setPicked(option.option)} />
              <span>
                <strong>{moneyOf(option.price)} credits</strong>, done by {clockOf(option.finish)}
                <small>
                  from {clockOf(option.start)} on {option.sites.join(", ")}; suits you to {shareOf(option.satisfaction)}
                  {option.confidence != null ? `; ends in time with ${shareOf(option.confidence)}` : ""}
                  {option.held !== "no" ? `; ${heldText(option, Date.parse(option.until) - now)}` : ""}
                </small>
              </span>
            </label>
          ))}
        </fieldset>
      </div>
      <Wrong doing={doing} />
      <p class="actions">
        {left > 0 ? (
          <Do doing={doing} action={take} class="main">
            Accept
          </Do>
        ) : (
          <button type="button" class="main" onClick={again}>
            Ask again
          </button>
        )}
      </p>
    </Card>
  );
}

type Option = Quote["options"][number];

/** Whether its sites hold it, for how long, and what it costs not to take it. */
function heldText(option: Option, left: number): string {
  const fee = option.hold_fee ? `, ${moneyOf(option.hold_fee)} credits if it is not taken` : "";
  if (left <= 0) return "held no more";
  return option.held === "held" ? `held for ${spanOf(left)}${fee}` : `sites are asked to hold it${fee}`;
}

const Countdown = ({ left }: { left: number }) => (
  <span class={left > 10_000 ? "quiet" : "minus"} role="timer">
    {left > 0 ? `binds for ${spanOf(left)}` : "binds no more"}
  </span>
);

/** What a change is called in a job, and its value there. */
function lineOf(change: Change): readonly [Key, string] | null {
  switch (change.kind) {
    case "budget":
    case "price_max":
    case "tasks":
    case "performance_min":
      return change.amount == null ? null : [change.kind, String(change.amount)];
    case "deadline":
      return change.deadline == null ? null : ["deadline", change.deadline];
    case "funds":
    case "resource":
      return null;
  }
}

function Help({ quote, change }: Omit<Props, "again">) {
  return (
    <Card title="It fits nowhere" class="quote">
      <ul>
        {quote.reasons.map((reason) => (
          <li key={reason.text}>{inZone(reason.text)}</li>
        ))}
      </ul>
      {quote.changes.length > 0 && <p>Any one of these changes is enough, and none is larger than it must be:</p>}
      <p class="actions">
        {quote.changes.map((it) => {
          const line = lineOf(it);
          return line ? (
            <button type="button" key={it.text} onClick={() => change(line[0], line[1])}>
              Give it {inZone(it.text)}
            </button>
          ) : (
            <span key={it.text}>{it.text}</span>
          );
        })}
      </p>
    </Card>
  );
}
