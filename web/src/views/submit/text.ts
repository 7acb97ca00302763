// The job as text. The text is the job: the form shows some of its lines and changes them, and nothing else is kept.
//
// A job file has a line `key: value` for everything that the form knows; a script says the same as `#WALRAS key value`.

export type Key = "name" | "user" | "tasks" | "work" | "budget" | "deadline" | "price_max" | "performance_min" | "priority" | "sites" | "array" | "after";

/** What a script may also say in Slurm's words, one in a line. */
const SLURM: Partial<Record<Key, string>> = { name: "job-name", tasks: "ntasks", array: "array" };

export const isScript = (text: string): boolean => text.startsWith("#!");

/** Text in quotes, in which a `#` begins no comment; elsewhere an apostrophe is a letter. */
const QUOTED = `(?<=[[{,: \\t])(?:"(?:[^"\\\\\\n]|\\\\.)*"|'(?:[^'\\n]|'')*')`;
/** The value of a line of YAML: all that stands before a comment, which begins with a `#` after a space. */
const VALUE = `(?:${QUOTED}|(?![ \\t]+#|[ \\t]*$)[^\\n])*`;

function pattern(text: string, key: Key): RegExp {
  const [before, least] = isScript(text) ? [`#WALRAS +${key}`, "[ \\t]+"] : [`${key}:`, "(?:[ \\t]+(?!#))?"];
  return new RegExp(`^${before}${least}(${VALUE})([ \\t]+#.*|[ \\t]*)$`, "m");
}

/** A value as it is meant: without its quotes. */
function unquoted(value: string): string {
  if (/^'.*'$/.test(value)) return value.slice(1, -1).replaceAll("''", "'");
  if (!/^".*"$/.test(value)) return value;
  try {
    return String(JSON.parse(value));
  } catch {
    return value.slice(1, -1);
  }
}

/** The line in which a script says it in Slurm's words; where both are said, ours counts. */
function slurmLine(text: string, key: Key): RegExp | null {
  const word = SLURM[key];
  if (!word || !isScript(text) || pattern(text, key).test(text)) return null;
  const line = new RegExp(`^(#SBATCH +--${word}[= ])([^ \\n]*)[ \\t]*$`, "m");
  return line.test(text) ? line : null;
}

/** The value of a line, as it is written; nothing when there is no such line. */
export function fieldOf(text: string, key: Key): string {
  const value = slurmLine(text, key)?.exec(text)?.[2] ?? pattern(text, key).exec(text)?.[1] ?? "";
  return unquoted(value);
}

/** The text with another value; without the line when the value is empty. */
export function withField(text: string, key: Key, value: string): string {
  const slurm = slurmLine(text, key);
  if (slurm && !/\s/.test(value)) {
    return value === "" ? text.replace(new RegExp(`${slurm.source}\\n?`, "m"), "") : text.replace(slurm, (_, word: string) => word + value);
  }
  const line = `${isScript(text) ? `#WALRAS ${key}` : `${key}:`} ${written(key, value)}`;
  const found = pattern(text, key);
  if (found.test(text)) {
    if (value.trim() === "") return text.replace(new RegExp(`${found.source}\\n?`, "m"), "");
    return text.replace(found, (_whole, _value: string, rest?: unknown) => line + (typeof rest === "string" && rest.includes("#") ? rest : ""));
  }
  if (value.trim() === "") return text;
  return isScript(text) ? text.replace(/^(#!.*\n?)/, (first) => `${first.trimEnd()}\n${line}\n`) : `${text.trimEnd()}\n${line}\n`;
}

/** Names may hold anything; everything else is written as it is. */
function written(key: Key, value: string): string {
  const text = value.trim();
  const plain = /^[A-Za-z][\w .-]*$/.test(text) && !/^(true|false|null|yes|no|on|off)$/i.test(text);
  return (key === "name" || key === "user") && !plain ? JSON.stringify(text) : text;
}

/** The jobs that must have ended well first, as they are listed; other conditions as they are written. */
export function afterOf(text: string): string {
  const written = fieldOf(text, "after");
  return /^\{ *ok: *\[([^[\]]*)\] *\}$/.exec(written)?.[1]?.replaceAll('"', "") ?? written;
}

/** The text with other jobs to wait for. */
export function withAfter(text: string, value: string): string {
  const listed = /^[\d_, ]+$/.test(value);
  const jobs = value.split(",").map((job) => job.trim()).filter(Boolean);
  const quoted = jobs.map((job) => (job.includes("_") ? JSON.stringify(job) : job));
  return withField(text, "after", listed ? `{ok: [${quoted.join(", ")}]}` : value);
}
