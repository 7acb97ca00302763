// Measures the schedule in Chromium: node bench/run.mjs [NODES BARS]
import { build } from "esbuild";
import { createServer } from "node:http";
import { settings } from "../build.mjs";
import { launch } from "../test/browser.mjs";

const [nodes = "1000", bars = "20000"] = process.argv.slice(2);
const made = await build({ ...settings, entryPoints: { app: "bench/gantt.tsx" }, outdir: "dist", write: false });
const files = new Map(made.outputFiles.map((file) => [file.path.endsWith(".css") ? "/app.css" : "/app.js", file.text]));
const page = '<!doctype html><link rel="stylesheet" href="/app.css"><div id="page"></div><script type="module" src="/app.js"></script>';
const server = createServer((asked, answer) => {
  const path = new URL(asked.url, "http://here").pathname;
  const media = path.endsWith(".css") ? "text/css" : path.endsWith(".js") ? "text/javascript" : "text/html";
  answer.writeHead(200, { "content-type": media }).end(files.get(path) ?? page);
}).listen(0, "127.0.0.1");
await new Promise((resolve) => server.once("listening", resolve));

const browser = await launch();
const view = await browser.newPage({ viewport: { width: 1440, height: 900 } });
await view.goto(`http://127.0.0.1:${server.address().port}/?nodes=${nodes}&bars=${bars}`);
await view.waitForFunction(() => performance.getEntriesByName("first paint").length > 0);
const first = await view.evaluate(() => performance.getEntriesByName("first paint")[0].duration);

/** Moves for a while; gives how many frames there were a second, and the slowest of them. */
const moved = (kind) =>
  view.evaluate(async (kind) => {
    const canvas = document.querySelector("canvas");
    const times = [];
    for (let step = 0; step < 90; step += 1) {
      const delta = step % 30 < 15 ? 60 : -60;
      const init = kind === "zoom" ? { deltaY: delta } : kind === "scroll" ? { deltaY: delta, shiftKey: true } : { deltaX: delta };
      canvas.dispatchEvent(new WheelEvent("wheel", { ...init, clientX: 700, clientY: 300, cancelable: true, bubbles: true }));
      times.push(await new Promise(requestAnimationFrame));
    }
    const gaps = times.slice(1).map((time, index) => time - times[index]).sort((one, other) => one - other);
    const mean = gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length;
    return { rate: 1_000 / mean, slow: gaps[Math.floor(gaps.length * 0.95)] };
  }, kind);

console.log(`${nodes} nodes, ${bars} bars: first paint after ${first.toFixed(0)} ms`);
for (const kind of ["pan", "zoom", "scroll"]) {
  const { rate, slow } = await moved(kind);
  console.log(`${kind}: ${rate.toFixed(0)} frames a second, 95 of 100 within ${slow.toFixed(0)} ms`);
}
await browser.close();
server.close();
