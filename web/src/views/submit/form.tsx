// What most jobs say, as a form: every field is a line of the text.
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
  type?: "number";
}

const OTHERS: Known = { key: "user", label: "User", hint: "Whose job it is: an administrator must say." };

const FIELDS: readonly Known[] = [
  { key: "name", label: "Name" },
  { key: "tasks", label: "Nodes at once", type: "number" },
  { key: "work", label: "Work", type: "number", hint: "Seconds on a node of performance 1." },
  { key: "budget", label: "Budget", type: "number", hint: "The most that it may cost, in credits." },
  { key: "deadline", label: "Deadline", hint: "From now, as 2h 30m, or a moment." },
  { key: "price_max", label: "Highest price", type: "number", hint: "Credits a second, for each node." },
  { key: "performance_min", label: "Least performance", type: "number" },
  { key: "priority", label: "Priority", type: "number" },
  { key: "sites", label: "Only on these sites", hint: "As [campus, cloud]." },
  { key: "array", label: "Array", hint: "One job for each index: 1-10:2%4 are five, four at once." },
];

export function Form({ text, set, forOthers }: Props) {
  const fields = forOthers ? [OTHERS, ...FIELDS] : FIELDS;
  return (
    <form class="grid" onSubmit={(event) => event.preventDefault()}>
      {fields.map(({ key, label, hint, type }) => (
        <Field
          key={key}
          label={label}
          value={fieldOf(text, key)}
          set={(value) => set(withField(text, key, value))}
          {...(hint ? { hint } : {})}
          {...(type ? { type, step: "any" } : {})}
        />
      ))}
      <Field label="After these jobs" value={afterOf(text)} set={(value) => set(withAfter(text, value))} hint="They must have ended well first: 17, 18_3." />
    </form>
  );
}
