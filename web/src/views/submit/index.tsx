// From an idea to a job: written as text or in a form, priced, and accepted.
import { useEffect, useRef, useState } from "preact/hooks";
import { api, ask, freshKey, wordsOf } from "../../api/client";
import type { Draft, JobFile, Me, Quote } from "../../api/types";
import { administers } from "../../live/session";
import { Do, useAction, Wrong } from "../../parts/action";
import { Card } from "../../parts/card";
import { Choice } from "../../parts/field";
import { go } from "../../route";
import { Editor } from "./editor";
import { EXAMPLES } from "./examples";
import { Form } from "./form";
import { Offered } from "./quote";
import { withField } from "./text";
import { WorkflowPicture } from "./workflow";

/** So long after the last key the text is read, in milliseconds. */
const PAUSE = 300;

export function SubmitView({ who }: { who: Me }) {
  const [text, setText] = useState(EXAMPLES[0]?.[1] ?? "");
  const [example, setExample] = useState("parallel");
  const [quote, setQuote] = useState<Quote | null>(null);
  const { draft, trouble } = useDraft(text);
  const doing = useAction();
  const change = (next: string): void => {
    setText(next);
    setQuote(null);
  };
  const choose = (name: string): void => {
    setExample(name);
    change(EXAMPLES.find(([known]) => known === name)?.[1] ?? "");
  };
  const send = async (what: "quote" | "submit", of = text): Promise<void> => {
    const read = await ask(api.POST("/v1/drafts", { body: { text: of } }));
    if (!read.job) throw new Error(read.problem?.text ?? "The job cannot be read.");
    const body = read.job as unknown as JobFile;
    const params = { header: freshKey() };
    if (what === "quote") setQuote(await ask(api.POST("/v1/quotes", { body, params })));
    else go(`/jobs/${(await ask(api.POST("/v1/jobs", { body, params }))).job}`);
  };
  const follow = (next: string): void => {
    change(next);
    doing.run(() => send("quote", next));
  };
  const ready = draft?.job != null;
  return (
    <>
      <div class="heading">
        <h1>Submit a job</h1>
        <Choice label="Start from" value={example} set={choose} choices={EXAMPLES.map(([name]) => [name, name] as const)} />
      </div>
      <div class="columns write">
        <Card title="As text">
          <Editor text={text} set={change} problem={draft?.problem ?? null} leftOut={draft?.left_out ?? []} />
          {trouble && <p class="note bad">{trouble}</p>}
        </Card>
        <Card title="As a form">
          <Form text={text} set={change} forOthers={administers(who.role)} />
          {draft?.job && <WorkflowPicture job={draft.job} />}
        </Card>
      </div>
      <Wrong doing={doing} />
      <p class="actions">
        <Do doing={doing} action={() => send("quote")} class="main" disabled={!ready}>
          Ask for a quote
        </Do>
        <Do doing={doing} action={() => send("submit")} disabled={!ready}>
          Submit without a quote
        </Do>
      </p>
      {quote && <Offered key={quote.quote} quote={quote} change={(key, value) => follow(withField(text, key, value))} again={() => doing.run(() => send("quote"))} />}
    </>
  );
}

/** The text as the service reads it, a moment after it was written. */
function useDraft(text: string): { draft: Draft | null; trouble: string | null } {
  const [draft, setDraft] = useState<Draft | null>(null);
  const [trouble, setTrouble] = useState<string | null>(null);
  const asked = useRef(0);
  useEffect(() => {
    const timer = setTimeout(() => {
      const turn = ++asked.current;
      ask(api.POST("/v1/drafts", { body: { text } })).then(
        (read) => {
          if (turn !== asked.current) return;
          setDraft(read);
          setTrouble(null);
        },
        (error: unknown) => setTrouble(wordsOf(error)),
      );
    }, PAUSE);
    return () => clearTimeout(timer);
  }, [text]);
  return { draft, trouble };
}
