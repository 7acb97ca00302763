// A labelled field of a form.
import { useEffect, useId, useRef, useState } from "preact/hooks";

/** So long after the last key a filter is told, in milliseconds. */
const PAUSE = 350;

interface Props {
  label: string;
  value: string;
  set: (value: string) => void;
  hint?: string;
  type?: "text" | "number" | "search" | "password" | "datetime-local";
  min?: number;
  step?: string;
  required?: boolean;
  autocomplete?: "off" | "current-password";
  placeholder?: string;
}

export function Field({ label, value, set, hint, type = "text", min, step, required, autocomplete, placeholder }: Props) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        // What the types know of one kind of field holds for all that are used here.
        type={type as "text"}
        value={value}
        min={min}
        step={step}
        required={required ?? false}
        autocomplete={autocomplete ?? "off"}
        placeholder={placeholder}
        aria-describedby={hint ? `${id}-hint` : undefined}
        onInput={(event) => set(event.currentTarget.value)}
      />
      {hint && <small id={`${id}-hint`}>{hint}</small>}
    </div>
  );
}

/** A field whose value is told when somebody has stopped writing: each value is a question to the service. */
export function Filter({ value, set, ...field }: Props) {
  const [written, setWritten] = useState(value);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => {
    setWritten(value);
    return () => clearTimeout(timer.current);
  }, [value]);
  const change = (next: string): void => {
    setWritten(next);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => set(next), PAUSE);
  };
  return <Field {...field} value={written} set={change} />;
}

interface ChoiceProps {
  label: string;
  value: string;
  set: (value: string) => void;
  choices: readonly (readonly [string, string])[];
}

export function Choice({ label, value, set, choices }: ChoiceProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select id={id} value={value} onChange={(event) => set(event.currentTarget.value)}>
        {choices.map(([of, text]) => (
          <option key={of} value={of}>
            {text}
          </option>
        ))}
      </select>
    </div>
  );
}
