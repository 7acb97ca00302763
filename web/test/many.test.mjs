// The schedule with more nodes and jobs than anybody reads: in a real browser, before a real service.
import assert from "node:assert/strict";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { inPage as inOwnPage, launch, open, violations } from "./browser.mjs";
import { House, root } from "./house.mjs";

const FARM = `
[[site]]
name = "farm"
owner = "olga"
connector = "simulated"
count = 2400
price = 0.2
[site.simulated]
seed = 3
`;
const [NODES, BARS] = [1_000, 20_000];
const MINUTE = 60_000;
const pictures = join(root, "target", "web");

let house;
let browser;
let ada;

before(async () => {
  [house, browser] = await Promise.all([House.open(FARM), launch()]);
  await mkdir(pictures, { recursive: true });
  ada = await house.user("ada");
  await house.offers();
});

after(async () => {
  await browser?.close();
  await house?.close();
});

const inPage = (run, options) => inOwnPage({ browser, house }, ada, run, options);

test("very many nodes are grouped by site, opened, and found by name, job and user", async () => {
  const job = { walras: "job/1", name: "harvest", work: 120, tasks: 3, sites: ["farm"], budget: 500 };
  const { job: number } = await house.call("POST", "/v1/jobs", job, ada.secret);
  for (const colorScheme of ["light", "dark"]) {
    await inPage(
      async (page) => {
        await open(page, "Schedule");
        const blocks = page.getByRole("region", { name: "Nodes by site" });
        await blocks.waitFor();
        const names = await blocks.getByRole("row").locator("td:first-child, th[scope=row]").allTextContents();
        assert.deepEqual(names, ["campus", "cloud", "farm 1–480", "farm 481–960", "farm 961–1440", "farm 1441–1920", "farm 1921–2400"]);
        assert.deepEqual(await violations(page), []);
        for (const width of [1440, 1024, 390]) {
          await page.setViewportSize({ width, height: 900 });
          await page.waitForTimeout(300);
          assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= width);
          await page.screenshot({ path: join(pictures, `user-schedule-grouped-${colorScheme}-${width}.png`), fullPage: true });
        }
        await page.setViewportSize({ width: 1440, height: 900 });
        // Only what is opened is read node by node.
        const asked = [];
        page.on("request", (request) => asked.push(new URL(request.url())));
        await blocks.getByRole("button", { name: "Show farm 481–960" }).press("Enter");
        await blocks.getByRole("button", { name: "Fold farm 481–960" }).waitFor();
        const stretch = asked.find((url) => url.pathname === "/v1/timetable" && url.searchParams.has("first"));
        assert.deepEqual([stretch.searchParams.get("site"), stretch.searchParams.get("first"), stretch.searchParams.get("limit")], ["farm", "480", "480"]);
        await page.screenshot({ path: join(pictures, `user-schedule-opened-${colorScheme}-1440.png`), fullPage: true });
        await blocks.getByRole("button", { name: "Fold farm 481–960" }).click();
        await blocks.getByRole("button", { name: "Show farm 481–960" }).waitFor();
        // A press on the picture does the same: the first line is campus.
        const picture = await page.getByRole("application").boundingBox();
        await page.mouse.click(picture.x + 40, picture.y + 42);
        await blocks.getByRole("button", { name: "Fold campus" }).waitFor();
        // What is looked for is looked for everywhere.
        await page.getByLabel("Find").fill("harvest");
        await page.getByText("3 of 2,405 nodes have “harvest”").waitFor();
        await page.getByText("As a table").click();
        await page.getByRole("link", { name: `${number} harvest` }).first().waitFor();
        await page.getByLabel("Find").fill("farm/n2399");
        await page.getByText("1 of 2,405 nodes has “farm/n2399”").waitFor();
        await page.getByLabel("Find").fill("");
        await blocks.waitFor();
        // Nor need anybody know on which of them a job is.
        await page.goto(`${house.url}/schedule?job=${number}`);
        await page.getByText(/of 2,405 nodes have “job \d+”/).waitFor();
      },
      { colorScheme },
    );
  }
  await house.call("DELETE", `/v1/jobs/${number}`, undefined, ada.secret);
});

test("nodes of a large site are shown by the hundred, and found", async () => {
  await inPage(async (page) => {
    await page.goto(`${house.url}/sites?site=farm`);
    const nodes = page.getByRole("region", { name: "Nodes", exact: true });
    await page.getByText("1 to 100 of 2,400").waitFor();
    assert.equal(await nodes.getByRole("row").count(), 101);
    await page.getByRole("button", { name: "After" }).click();
    await page.getByText("101 to 200 of 2,400").waitFor();
    await nodes.getByRole("cell", { name: "n101", exact: true }).waitFor();
    await page.getByLabel("Find a node").fill("n240");
    await page.getByText("1 to 2 of 2, 2,400 in all").waitFor();
    await page.getByLabel("State").selectOption("lost");
    await page.getByText("No node is like that.").waitFor();
  });
});

/** As many nodes and bars as the service would tell of, without its having to run twenty thousand jobs. */
function timetable() {
  const begin = Date.now() - 60 * MINUTE;
  const kinds = ["owner", "planned", "held", "running", "ended"];
  let state = 1;
  const next = () => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32;
  const stamp = (at) => new Date(at).toISOString();
  const each = BARS / NODES;
  const rows = Array.from({ length: NODES }, (_, node) => {
    let at = begin;
    const bars = Array.from({ length: each }, (_unused, place) => {
      const start = at + next() * 4 * MINUTE;
      at = start + (1 + next() * 8) * MINUTE;
      const job = node * each + place;
      return { start: stamp(start), end: stamp(at), kind: kinds[Math.floor(next() * kinds.length)], job, name: `job-${job}`, user: "ada" };
    });
    return { site: `site-${Math.floor(node / 50)}`, node: `n${node}`, lost: false, bars };
  });
  return JSON.stringify({ now: stamp(Date.now()), from: stamp(begin), to: stamp(Date.now() + 180 * MINUTE), rows, nodes: NODES });
}

/** Moves for a while; gives how many frames there were a second. */
const rate = (page, kind) =>
  page.evaluate(async (kind) => {
    const canvas = document.querySelector("canvas");
    const times = [];
    for (let step = 0; step < 60; step += 1) {
      const delta = step % 30 < 15 ? 60 : -60;
      const init = kind === "zoom" ? { deltaY: delta } : { deltaX: delta };
      canvas.dispatchEvent(new WheelEvent("wheel", { ...init, clientX: 700, clientY: 400, cancelable: true, bubbles: true }));
      times.push(await new Promise(requestAnimationFrame));
    }
    return (1_000 * (times.length - 1)) / (times.at(-1) - times[0]);
  }, kind);

test("a thousand nodes with twenty thousand bars are painted within 1.5 s, and move smoothly", async (context) => {
  await inPage(async (page) => {
    const body = timetable();
    await page.context().route(/\/v1\/timetable/, (route) => route.fulfill({ body, contentType: "application/json" }));
    // When the first name of a node is on the screen, counted from when the address was entered.
    await page.addInitScript(() => {
      const write = CanvasRenderingContext2D.prototype.fillText;
      CanvasRenderingContext2D.prototype.fillText = function (text, ...rest) {
        if (/^n\d+$/.test(text) && window.firstPaint === undefined) {
          window.firstPaint = null;
          requestAnimationFrame(() => (window.firstPaint = performance.now()));
        }
        return write.call(this, text, ...rest);
      };
    });
    // Others may be using this machine: it is enough that it can be.
    const best = { paint: Infinity, pan: 0, zoom: 0 };
    for (let tries = 0; tries < 12 && !(best.paint < 1_500 && best.pan >= 30 && best.zoom >= 30); tries += 1) {
      await page.goto(`${house.url}/schedule`);
      await page.waitForFunction(() => typeof window.firstPaint === "number");
      best.paint = Math.min(best.paint, await page.evaluate(() => window.firstPaint));
      for (const kind of ["pan", "zoom"]) best[kind] = Math.max(best[kind], await rate(page, kind));
    }
    context.diagnostic(`first paint ${best.paint.toFixed(0)} ms, pan ${best.pan.toFixed(0)} and zoom ${best.zoom.toFixed(0)} frames a second`);
    assert.ok(best.paint < 1_500, `${best.paint} ms`);
    assert.ok(best.pan >= 30 && best.zoom >= 30, JSON.stringify(best));
  });
});
