// The job as text. The text is the job: the form shows some of its lines and changes them, and nothing else is kept.
//
// A job file has a line `key: value` for everything that the form knows; a script says the same as `#WALRAS key value`.

export type Key = "name" | "user" | "tasks" | "work" | "budget" | "deadline" | "price_max" | "performance_min" | "priority" | "sites";

export const isScript = (text: string): boolean => text.startsWith("#!");

function pattern(text: string, key: Key): RegExp {
  return isScript(text) ? new RegExp(`^#WALRAS +${key} +(.*?)[ \\t]*$`, "m") : new RegExp(`^${key}: *([^#\\n]*?)([ \\t]+#.*|[ \\t]*)$`, "m");
}

/** The value of a line, as it is written; nothing when there is no such line. */
export function fieldOf(text: string, key: Key): string {
  const value = pattern(text, key).exec(text)?.[1] ?? "";
  return /^(["']).*\1$/.test(value) ? value.slice(1, -1) : value;
}

/** The text with another value; without the line when the value is empty. */
export function withField(text: string, key: Key, value: string): string {
  const line = isScript(text) ? `#WALRAS ${key} ${value}` : `${key}: ${written(key, value)}`;
  const found = pattern(text, key);
  if (found.test(text)) {
    if (value.trim() === "") return text.replace(new RegExp(`${found.source}\\n?`, "m"), "");
    return text.replace(found, (whole, _value: string, rest?: unknown) => line + (typeof rest === "string" && whole.includes("#", 1) ? rest : ""));
  }
  if (value.trim() === "") return text;
  return isScript(text) ? text.replace(/^(#!.*\n?)/, (first) => `${first.trimEnd()}\n${line}\n`) : `${text.trimEnd()}\n${line}\n`;
}

/** Names may hold anything; everything else is written as it is. */
function written(key: Key, value: string): string {
  const plain = /^[A-Za-z][\w .-]*$/.test(value) && !/^(true|false|null|yes|no|on|off)$/i.test(value.trim());
  return (key === "name" || key === "user") && !plain ? JSON.stringify(value) : value;
}
