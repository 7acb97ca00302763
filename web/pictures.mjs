// Pictures for the README and the book, from the demo: node pictures.mjs [FOLDER]
//
// The demo's VO is made and filled by `walras demo`, then served again with more jobs coming, and looked at. WALRAS names the program.
import { spawn, spawnSync } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { launch, signIn, visit } from "./test/browser.mjs";
import { program } from "./test/house.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const folder = process.argv[2] ?? join(here, "..", "docs", "images");
const PORT = 7979;
const url = `http://127.0.0.1:${PORT}`;
/** So long the market lives before it is looked at, in milliseconds. */
const LIFE = 100_000;
const JOBS = ["single", "parallel", "bag", "gpu", "workflow", "quoted", "bag", "parallel"];
const USERS = ["ada", "ben", "cleo"];

const sleep = (millis) => new Promise((resolve) => setTimeout(resolve, millis));

async function submit(place, name, user) {
  const token = (await readFile(join(place, "tokens", user), "utf8")).trim();
  const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
  const text = await readFile(join(place, "jobs", `${name}.yaml`), "utf8");
  const draft = await (await fetch(`${url}/v1/drafts`, { method: "POST", headers, body: JSON.stringify({ text }) })).json();
  await fetch(`${url}/v1/jobs`, { method: "POST", headers, body: JSON.stringify(draft.job) });
}

/** A picture as WebP, which is a third of what PNG needs; the browser packs it. */
async function save(page, name) {
  const png = (await page.screenshot()).toString("base64");
  const packer = await page.context().browser().newPage();
  const webp = await packer.evaluate(async (data) => {
    const image = new Image();
    image.src = `data:image/png;base64,${data}`;
    await image.decode();
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [image.width, image.height];
    canvas.getContext("2d").drawImage(image, 0, 0);
    return canvas.toDataURL("image/webp", 0.82).split(",")[1];
  }, png);
  await packer.close();
  await writeFile(join(folder, `${name}.webp`), Buffer.from(webp, "base64"));
}

const place = join(await mkdtemp(join(tmpdir(), "walras-pictures-")), "demo");
spawnSync(program, ["demo", place, "--seconds", "15", "--json"]);
const config = join(place, "walras.toml");
await writeFile(config, (await readFile(config, "utf8")).replace(/^listen = .*$/m, `listen = "127.0.0.1:${PORT}"`));
const service = spawn(program, ["serve", "--config", config], { stdio: "ignore" });
const browser = await launch();
try {
  const until = Date.now() + LIFE;
  for (let number = 0; Date.now() < until; number += 1) {
    await sleep(2_500);
    await submit(place, JOBS[number % JOBS.length], USERS[number % USERS.length]).catch(() => undefined);
  }
  await mkdir(folder, { recursive: true });
  const token = async (name) => ({ secret: (await readFile(join(place, name), "utf8")).trim() });
  for (const colorScheme of ["light", "dark"]) {
    const options = { colorScheme, viewport: { width: 1200, height: 760 } };
    const admin = await visit(browser, { url }, options);
    await signIn(admin, await token("data/administrator.token"));
    await submit(place, "parallel", "ada");
    await submit(place, "gpu", "cleo");
    await sleep(3_000);
    await save(admin, `web-market-${colorScheme}`);
    await admin.goto(`${url}/schedule`);
    await submit(place, "workflow", "ben");
    await submit(place, "bag", "ada");
    await sleep(4_000);
    await save(admin, `web-schedule-${colorScheme}`);
    const ada = await visit(browser, { url }, options);
    await signIn(ada, await token("tokens/ada"));
    await ada.goto(`${url}/submit`);
    await ada.getByText("The job can be read.").waitFor();
    await ada.getByRole("button", { name: "Ask for a quote" }).click();
    await ada.getByRole("radio").first().waitFor();
    // All of it side by side.
    await ada.setViewportSize({ width: 1_440, height: 1_290 });
    await ada.evaluate(() => scrollTo(0, 0));
    await sleep(500);
    await save(ada, `web-quote-${colorScheme}`);
  }
} finally {
  await browser.close();
  service.kill();
  await rm(dirname(place), { recursive: true, force: true });
}
