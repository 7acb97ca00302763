// From an idea to a job: written in a form, as a job file or as a script, priced, and accepted.
import { useEffect, useRef, useState } from "preact/hooks";
import { api, ask, freshKey, wordsOf } from "../../api/client";
import type { Draft, JobFile, Me, Quote } from "../../api/types";
import { outlooks } from "../../live/outlooks";
import { administers } from "../../live/session";
import { Do, useAction, Wrong } from "../../parts/action";
import { Card } from "../../parts/card";
import { Choice } from "../../parts/field";
import { go } from "../../route";
import { Editor, Reading } from "./editor";
import { EXAMPLES } from "./examples";
import { Form } from "./form";
import { Offered } from "./quote";
import { fieldOf, isScript, withField } from "./text";
import { WorkflowPicture } from "./workflow";
import { asFile, asScript } from "./written";

/** So long after the last key the text is read, in milliseconds. */
const PAUSE = 300;
/** For how many seconds sites can be asked to hold what is quoted. */
const HOLDS = [["", "no"], ["60", "for a minute"], ["300", "for 5 minutes"], ["1800", "for half an hour"]] as const;

/** What the service has read, and out of which text. */
type Read = Draft & { of: string };
type Source = "file" | "script";

/** What somebody was writing when they went to another view; a page that is loaded anew has forgotten it. */
let unsent: { whose: string; text: string; example: string; source: Source } | null = null;

export function SubmitView({ who }: { who: Me }) {
  const begun = unsent?.whose === who.name ? unsent : null;
  const [text, setText] = useState(begun?.text ?? EXAMPLES[0]?.[1] ?? "");
  const [example, setExample] = useState(begun?.example ?? "parallel");
  const [source, setSource] = useState<Source>(begun?.source ?? "file");
  const [hold, setHold] = useState("");
  const [quote, setQuote] = useState<Quote | null>(null);
  const { draft, trouble } = useDraft(text);
  const doing = useAction();
  useEffect(() => {
    unsent = { whose: who.name, text, example, source };
  }, [who.name, text, example, source]);
  const change = (next: string): void => {
    setText(next);
    setQuote(null);
  };
  const write = (next: string, into: Source): void => {
    setSource(into);
    change(next);
  };
  const choose = (name: string): void => {
    const next = EXAMPLES.find(([known]) => known === name)?.[1] ?? "";
    setExample(name);
    write(next, isScript(next) ? "script" : "file");
  };
  const send = async (what: "quote" | "submit", of = text): Promise<void> => {
    const read = await ask(api.POST("/v1/drafts", { body: { text: of } }));
    if (!read.job) throw new Error(read.problem?.text ?? "The job cannot be read.");
    const body = read.job as unknown as JobFile;
    const header = freshKey();
    if (what === "quote") {
      setQuote(await ask(api.POST("/v1/quotes", { body, params: { header, query: hold ? { hold: Number(hold) } : {} } })));
      return;
    }
    const { job, outlook } = await ask(api.POST("/v1/jobs", { body, params: { header, query: { outlook: true } } }));
    if (outlook) outlooks.set(job, outlook);
    unsent = null;
    go(`/jobs/${job}`);
  };
  const follow = (next: string): void => {
    change(next);
    doing.run(() => send("quote", next));
  };
  const ready = draft?.job != null;
  const array = draft?.job?.["array"] != null;
  return (
    <>
      <div class="heading">
        <h1>Submit a job</h1>
        <Choice label="Start from" value={example} set={choose} choices={EXAMPLES.map(([name]) => [name, name] as const)} />
      </div>
      <div class="write">
        <Card title="As a form">
          <Form text={text} set={change} forOthers={administers(who.role)} />
          {draft?.job && <WorkflowPicture job={draft.job} />}
        </Card>
        <Texts text={text} source={source} write={write} draft={draft} />
        <div class="send">
          <Reading draft={draft} trouble={trouble} />
          <Wrong doing={doing} />
          <div class="actions">
            <Do doing={doing} action={() => send("quote")} class="main" disabled={!ready || array}>
              Ask for a quote
            </Do>
            <Choice label="Have sites hold what is quoted" value={hold} set={setHold} choices={HOLDS} />
            <Do doing={doing} action={() => send("submit")} disabled={!ready}>
              Submit without a quote
            </Do>
          </div>
          {array && <p class="quiet">Quotes are for single jobs: an array is submitted, and its elements are planned one by one.</p>}
        </div>
      </div>
      {quote && <Offered key={quote.quote} quote={quote} change={(key, value) => follow(withField(text, key, value))} again={() => doing.run(() => send("quote"))} />}
    </>
  );
}

interface TextsProps {
  text: string;
  source: Source;
  write: (text: string, into: Source) => void;
  draft: Read | null;
}

/** Job file and script side by side: who writes in one of them sees the other follow. */
function Texts({ text, source, write, draft }: TextsProps) {
  const other = useRef<string | null>("");
  if (draft?.job && draft.of === text) {
    const job = { ...draft.job, ...asWritten(text) };
    other.current = source === "script" ? asFile(job) : asScript(job);
  }
  const [file, script] = source === "script" ? [other.current ?? "", text] : [text, other.current];
  const problemIn = (which: Source) => (which === source ? (draft?.problem ?? null) : null);
  return (
    <>
      <Card title="As a job file">
        <Editor label="The job as a file, in YAML" text={file} set={(next) => write(next, "file")} problem={problemIn("file")} />
      </Card>
      <Card title="As a script">
        {script === null ? (
          <p class="quiet">A workflow has no script: its tasks stand in the job file.</p>
        ) : (
          <Editor label="The job as a script" text={script} set={(next) => write(next, "script")} problem={problemIn("script")} />
        )}
      </Card>
    </>
  );
}

/** Times from now, and spans such as 10h, stay so, however often the text is written anew. */
function asWritten(text: string): Record<string, string> {
  const spans = (["work", "deadline"] as const).map((key) => [key, fieldOf(text, key)] as const);
  // A number is one however it is written.
  return Object.fromEntries(spans.filter(([, value]) => value !== "" && Number.isNaN(Number(value))));
}

/** The text as the service reads it, a moment after it was written. */
function useDraft(text: string): { draft: Read | null; trouble: string | null } {
  const [draft, setDraft] = useState<Read | null>(null);
  const [trouble, setTrouble] = useState<string | null>(null);
  const asked = useRef(0);
  useEffect(() => {
    const timer = setTimeout(() => {
      const turn = ++asked.current;
      ask(api.POST("/v1/drafts", { body: { text } })).then(
        (read) => {
          if (turn !== asked.current) return;
          setDraft({ ...read, of: text });
          setTrouble(null);
        },
        (error: unknown) => setTrouble(wordsOf(error)),
      );
    }, PAUSE);
    return () => clearTimeout(timer);
  }, [text]);
  return { draft, trouble };
}
