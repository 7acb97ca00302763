// What a view shows while there is nothing to show.
import type { ComponentChildren } from "preact";
import { Away, wordsOf } from "../api/client";
import type { Data } from "../live/data";

export const Loading = () => (
  <p class="quiet" role="status">
    Reading…
  </p>
);

export const Empty = ({ children }: { children: ComponentChildren }) => <p class="quiet empty">{children}</p>;

export function Trouble({ error, again }: { error: unknown; again?: () => void }) {
  // The banner says so already.
  if (error instanceof Away) return <Loading />;
  return (
    <div class="note bad" role="alert">
      <p>{wordsOf(error)}</p>
      {again && (
        <button type="button" onClick={again}>
          Try again
        </button>
      )}
    </div>
  );
}

interface Props<T> {
  data: Data<T>;
  children: (value: T) => ComponentChildren;
}

/** What was read, or what is the matter. */
export function Shown<T>({ data, children }: Props<T>) {
  if (data.value !== null) return <>{children(data.value)}</>;
  if (data.error !== null) return <Trouble error={data.error} again={data.reload} />;
  return <Loading />;
}
