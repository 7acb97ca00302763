// The rules of the house, held against the page's sources.
import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const sources = join(dirname(fileURLToPath(import.meta.url)), "..", "src");
const LINES_MAX = 400;
/** What would let text become a page, a secret stay behind, or another host be asked. */
const FORBIDDEN = ["innerHTML", "outerHTML", "insertAdjacentHTML", "localStorage", "sessionStorage", "eval(", "http://", "https://"];

async function files() {
  const all = await readdir(sources, { recursive: true });
  const own = all.filter((name) => /\.(ts|tsx|css|html)$/.test(name) && name !== join("api", "schema.d.ts"));
  return Promise.all(own.map(async (name) => [name, await readFile(join(sources, name), "utf8")]));
}

test("no file is too long to read", async () => {
  const long = (await files()).filter(([, text]) => text.split("\n").length > LINES_MAX).map(([name]) => name);
  assert.deepEqual(long, []);
});

test("nothing is written that must not be", async () => {
  const found = (await files()).flatMap(([name, text]) => FORBIDDEN.filter((word) => text.includes(word)).map((word) => `${name}: ${word}`));
  assert.deepEqual(found, []);
});

test("a room knows only rooms below its own", async () => {
  const order = ["api", "live", "parts", "gantt", "views"];
  // Requests tell whether the service was reached, and that is all they know of what is live.
  const allowed = new Set(["api/client.ts live/reach"]);
  const wrong = [];
  for (const [name, text] of await files()) {
    const room = order.indexOf(name.split("/")[0]);
    for (const [, path] of text.matchAll(/from "((?:\.\.\/)+[\w/-]+)"/g)) {
      const other = path.replace(/^(\.\.\/)+/, "");
      if (room >= 0 && order.indexOf(other.split("/")[0]) > room && !allowed.has(`${name} ${other}`)) wrong.push(`${name} knows ${other}`);
    }
  }
  assert.deepEqual(wrong, []);
});
