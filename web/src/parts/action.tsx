// Something that is done by pressing a button: once at a time, and with what came of it.
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { wordsOf } from "../api/client";

export interface Doing {
  busy: boolean;
  /** What went wrong the last time, in words. */
  wrong: string | null;
  run: (action: () => Promise<void>) => void;
}

export function useAction(): Doing {
  const [busy, setBusy] = useState(false);
  const [wrong, setWrong] = useState<string | null>(null);
  const run = (action: () => Promise<void>): void => {
    if (busy) return;
    setBusy(true);
    setWrong(null);
    action()
      .catch((error: unknown) => setWrong(wordsOf(error)))
      .finally(() => setBusy(false));
  };
  return { busy, wrong, run };
}

interface Props {
  doing: Doing;
  action: () => Promise<void>;
  children: ComponentChildren;
  class?: string;
  disabled?: boolean;
  /** What is asked before, where it cannot be taken back. */
  sure?: string;
}

export const Do = ({ doing, action, children, class: className, disabled, sure }: Props) => (
  <button
    type="button"
    class={className}
    disabled={doing.busy || disabled}
    onClick={() => {
      if (sure === undefined || confirm(sure)) doing.run(action);
    }}
  >
    {children}
  </button>
);

export const Wrong = ({ doing }: { doing: Doing }) => (
  <div aria-live="assertive">{doing.wrong && <p class="note bad">{doing.wrong}</p>}</div>
);
