// A job as the service has read it, written anew: as a job file, or as a script. What one editor says the other shows.

type Job = Readonly<Record<string, unknown>>;

/** Keys that stand first, in this order. */
const FIRST = ["walras", "name", "user", "tasks", "work", "array", "budget", "deadline", "earliest", "after"];
/** What no directive of a script says. */
const NOT_IN_SCRIPTS = ["walras", "workflow", "strategy", "ranges", "aggregation", "command", "script"];
/** Words that YAML does not take as text. */
const NOT_TEXT = /^(true|false|null|yes|no|on|off|~|[\d.+-].*)$/i;

function ordered(job: Job): [string, unknown][] {
  const rank = (key: string): number => (FIRST.includes(key) ? FIRST.indexOf(key) : FIRST.length);
  return Object.entries(job).sort(([one], [other]) => rank(one) - rank(other) || (one < other ? -1 : 1));
}

/** A value on one line. */
function flow(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(flow).join(", ")}]`;
  if (typeof value === "object" && value !== null) {
    return `{ ${Object.entries(value).map(([key, of]) => `${flow(key)}: ${flow(of)}`).join(", ")} }`;
  }
  if (typeof value !== "string") return String(value);
  return /^[A-Za-z][\w ./-]*$/.test(value) && !NOT_TEXT.test(value) ? value : JSON.stringify(value);
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null && !Array.isArray(value);

/** A value after its key, on its line or below it. */
function block(value: unknown, indent: string): string {
  if (typeof value === "string" && value.includes("\n")) {
    const keep = value.endsWith("\n\n") ? "+" : value.endsWith("\n") ? "" : "-";
    return ` |${keep}\n${value.replace(/\n$/, "").split("\n").map((line) => (line ? `${indent}${line}` : "")).join("\n")}\n`;
  }
  if (isObject(value) && Object.values(value).some((of) => typeof of === "object")) {
    return `\n${Object.entries(value).map(([key, of]) => `${indent}${key}:${block(of, `${indent}  `)}`).join("")}`;
  }
  if (Array.isArray(value) && value.some(isObject)) return `\n${value.map((of) => `${indent}- ${flow(of)}\n`).join("")}`;
  return ` ${flow(value)}\n`;
}

/** The job as a file. */
export function asFile(job: Job): string {
  return ordered(job).map(([key, value]) => `${key}:${block(value, "  ")}`).join("");
}

const quoted = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);

/** What the script does, without its directives. */
function bodyOf(job: Job): [string, string] {
  const command = Array.isArray(job["command"]) ? job["command"].map((word) => quoted(String(word))).join(" ") : "";
  if (typeof job["script"] !== "string") return ["#!/bin/sh", command ? `exec ${command}\n` : ""];
  const [first = "#!/bin/sh", ...rest] = job["script"].split("\n");
  const kept = rest.filter((line) => !/^#(WALRAS|SBATCH)\b/.test(line)).join("\n");
  return [first, command ? `set -- ${command}\n${kept}` : kept];
}

/** The job as a script; nothing of a workflow, whose tasks no script can say. */
export function asScript(job: Job): string | null {
  if (job["workflow"] !== undefined) return null;
  const [first, body] = bodyOf(job);
  const said = ordered(job).filter(([key]) => !NOT_IN_SCRIPTS.includes(key));
  const value = (of: unknown): string => (typeof of === "string" && !/(^|\s)#|["']/.test(of) ? of : flow(of));
  return `${first}\n${said.map(([key, of]) => `#WALRAS ${key} ${value(of)}\n`).join("")}${body}`;
}
