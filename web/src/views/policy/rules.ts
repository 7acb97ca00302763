// A change of the rules as text. The text is the change: the form writes some of its lines, and nothing else is kept.
import type { Policy } from "../../api/types";

type Json = { [key: string]: unknown };

const isObject = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value);

/** What is written; nothing where it is not JSON, or no object. */
export function ruleOf(text: string): Json | null {
  try {
    const read: unknown = JSON.parse(text);
    return isObject(read) ? read : null;
  } catch {
    return null;
  }
}

/** The value at a path, in what is to be changed or else as it is now; as a field shows it. */
export function shownOf(change: Json, policy: Policy, path: readonly string[]): string {
  const at = (of: unknown): unknown => path.reduce<unknown>((value, key) => (isObject(value) ? value[key] : undefined), of);
  // What is chosen by is changed as a whole.
  const from = path[0] === "choice" && change["choice"] !== undefined ? change : policy;
  const value = at(change) ?? at(from);
  if (value === undefined || value === null) return "";
  return Array.isArray(value) ? value.join(", ") : String(value);
}

/** The objective decides what else belongs to it. */
function fitting(choice: Json): Json {
  const { weights, order, exact: _digits, ...rest } = choice;
  const objective = rest["objective"];
  return {
    ...rest,
    ...(objective === "weighted" ? { weights: weights ?? { cost: 1 } } : {}),
    ...(objective === "lexicographic" ? { order: order ?? ["cost", "finish"] } : {}),
  };
}

/** The change with another value at a path; without it when that is empty. The service takes `choice` as a whole: what is not in it is forgotten. */
export function withRule(text: string, policy: Policy, path: readonly string[], value: unknown): string {
  const change = structuredClone(ruleOf(text) ?? {});
  if (path[0] === "choice") change["choice"] ??= structuredClone(policy.choice ?? {});
  let inner = change;
  for (const key of path.slice(0, -1)) {
    const next = isObject(inner[key]) ? (inner[key] as Json) : {};
    inner[key] = next;
    inner = next;
  }
  const last = path.at(-1) ?? "";
  if (value === "" || value === undefined) delete inner[last];
  else inner[last] = value;
  if (isObject(change["choice"])) change["choice"] = fitting(change["choice"]);
  for (const [key, of] of Object.entries(change)) if (isObject(of) && Object.keys(of).length === 0) delete change[key];
  return JSON.stringify(change, null, 2);
}

/** A number as it is written; words stay words. */
export const valueOf = (text: string): unknown => (text.trim() !== "" && Number.isFinite(Number(text)) ? Number(text) : text.trim());
