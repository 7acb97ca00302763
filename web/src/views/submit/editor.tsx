// The text of a job, with the numbers of its lines and what is wrong where.
import { useRef } from "preact/hooks";
import type { Draft, Problem } from "../../api/types";

interface Props {
  label: string;
  text: string;
  set: (text: string) => void;
  problem: Problem | null;
}

export function Editor({ label, text, set, problem }: Props) {
  const numbers = useRef<HTMLDivElement>(null);
  const lines = text.split("\n").length;
  return (
    <div class="editor">
      <div class="numbers" ref={numbers} aria-hidden="true">
        {Array.from({ length: lines }, (_, index) => (
          <div key={index} class={problem?.line === index + 1 ? "bad" : ""}>
            {index + 1}
          </div>
        ))}
      </div>
      <textarea
        aria-label={label}
        aria-describedby="read"
        aria-invalid={problem !== null}
        spellcheck={false}
        rows={14}
        value={text}
        onInput={(event) => set(event.currentTarget.value)}
        onScroll={(event) => {
          if (numbers.current) numbers.current.scrollTop = event.currentTarget.scrollTop;
        }}
      />
    </div>
  );
}

/** How the service has read what is written. */
export function Reading({ draft, trouble }: { draft: Draft | null; trouble: string | null }) {
  const problem = draft?.problem ?? null;
  return (
    <div id="read" aria-live="polite" class="editor-says">
      {problem ? (
        <p class="note bad">
          {problem.line != null ? `Line ${problem.line}: ` : ""}
          {problem.field ? `${problem.field}: ` : ""}
          {problem.text}
        </p>
      ) : (
        <p class="quiet">The job can be read.</p>
      )}
      {(draft?.left_out ?? []).map((part) => (
        <p class="note" key={part.line}>
          Line {part.line}: {part.directive} means nothing here and is left out.
        </p>
      ))}
      {trouble && <p class="note bad">{trouble}</p>}
    </div>
  );
}
