// What most jobs say, as a form: every field is a line of the text.
import { useState } from "preact/hooks";
import { Field } from "../../parts/field";
import { afterOf, fieldOf, type Key, withAfter, withField } from "./text";

interface Props {
  text: string;
  set: (text: string) => void;
  /** Whether somebody submits for others. */
  forOthers: boolean;
}

interface Known {
  key: Key;
  label: string;
  hint?: string;
}

const OTHERS: Known = { key: "user", label: "User", hint: "Whose job it is: an administrator must say." };

const FIELDS: readonly Known[] = [
  { key: "name", label: "Name" },
  { key: "tasks", label: "Nodes at once" },
  { key: "work", label: "Work", hint: "Seconds on a node of performance 1, or as 2h 30m." },
  { key: "budget", label: "Budget", hint: "The most that it may cost, in credits." },
  { key: "deadline", label: "Deadline", hint: "From now, as 2h 30m, or a moment." },
  { key: "price_max", label: "Highest price", hint: "Credits a second, for each node." },
  { key: "performance_min", label: "Least performance" },
  { key: "priority", label: "Priority" },
  { key: "sites", label: "Only on these sites", hint: "As [campus, cloud]." },
  { key: "array", label: "Array", hint: "One job for each index: 1-10:2%4 are five, four at once." },
];

interface LineProps {
  label: string;
  value: string;
  set: (value: string) => void;
  hint?: string;
}

/** A line of the text as a field; spaces at its end, which no line has, stay while somebody writes on. Values that are no plain numbers can be written. */
function Line({ value, set, ...field }: LineProps) {
  const [typed, setTyped] = useState(value);
  const change = (next: string): void => {
    setTyped(next);
    set(next);
  };
  return <Field {...field} value={typed.trim() === value ? typed : value} set={change} />;
}

export function Form({ text, set, forOthers }: Props) {
  const fields = forOthers ? [OTHERS, ...FIELDS] : FIELDS;
  return (
    <form class="grid" onSubmit={(event) => event.preventDefault()}>
      {fields.map(({ key, label, hint }) => (
        <Line
          key={key}
          label={label}
          value={fieldOf(text, key)}
          set={(value) => set(withField(text, key, value))}
          {...(hint ? { hint } : {})}
        />
      ))}
      <Line label="After these jobs" value={afterOf(text)} set={(value) => set(withAfter(text, value))} hint="They must have ended well first: 17, 18_3." />
    </form>
  );
}
