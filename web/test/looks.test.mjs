// Every view for every role, light and dark: no complaint, nothing that breaks WCAG A or AA, nothing wider than the screen.
// The pictures are kept in target/web.
import assert from "node:assert/strict";
import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { launch, signIn, violations, visit } from "./browser.mjs";
import { House } from "./house.mjs";

const pictures = join(dirname(fileURLToPath(import.meta.url)), "..", "..", "target", "web");
const WIDTHS = [1440, 1024, 390];
const VIEWS = {
  user: ["/", "/schedule", "/schedule?job=4", "/submit", "/jobs", "/jobs/1", "/jobs/5", "/jobs/6", "/sites", "/money", "/policy"],
  owner: ["/", "/sites", "/money"],
  administrator: ["/", "/schedule", "/jobs", "/money", "/policy", "/cycles", "/people", "/nothing"],
};

const WORKFLOW = {
  walras: "workflow/1",
  name: "mosaic",
  tasks: [["split", 4], ["left", 9], ["right", 6], ["join", 3]].map(([name, work]) => ({ name, work })),
  edges: [["split", "left"], ["split", "right"], ["left", "join"], ["right", "join"]].map(([from, to]) => ({ from, to })),
};

let house;
let browser;
let tokens;

before(async () => {
  [house, browser] = await Promise.all([House.open(), launch()]);
  await mkdir(pictures, { recursive: true });
  const ada = await house.user("ada");
  tokens = { user: ada, owner: await house.token("owner", "olga"), administrator: { secret: house.administrator } };
  await house.offers();
  for (const [name, job] of Object.entries({
    weather: { tasks: 3, work: 60, budget: 300 },
    fit: { work: 40 },
    "too-much": { tasks: 5, work: 40, budget: 1 },
    later: { tasks: 2, work: 50 },
    mosaic: { workflow: WORKFLOW },
    sweep: { work: 5, array: "1-6%2" },
  })) {
    await house.call("POST", "/v1/jobs", { walras: "job/1", name, ...job }, ada.secret);
  }
});

after(async () => {
  await browser?.close();
  await house?.close();
});

/** A quote belongs to what is looked at. */
async function quoted(page) {
  await page.getByRole("button", { name: "Ask for a quote" }).click();
  await page.locator(".quote").waitFor();
}

for (const colorScheme of ["light", "dark"]) {
  for (const [role, views] of Object.entries(VIEWS)) {
    test(`${role}, ${colorScheme}`, async () => {
      const page = await visit(browser, house, { colorScheme });
      assert.deepEqual(await violations(page), [], "signing in");
      await signIn(page, tokens[role]);
      for (const view of views) {
        await page.goto(house.url + view);
        await page.locator("main h1").first().waitFor();
        await page.waitForTimeout(500);
        if (view === "/submit") await quoted(page);
        assert.deepEqual(await violations(page), [], view);
        for (const width of WIDTHS) {
          await page.setViewportSize({ width, height: 900 });
          await page.waitForTimeout(120);
          const wide = await page.evaluate(() => document.documentElement.scrollWidth);
          assert.ok(wide <= width, `${view} is ${wide} pixels wide on ${width}`);
          const name = `${role}${view === "/" ? "-market" : view.replaceAll(/[/?=]/g, "-")}-${colorScheme}-${width}.png`;
          await page.screenshot({ path: join(pictures, name), fullPage: true });
        }
        await page.setViewportSize({ width: 1440, height: 900 });
      }
      assert.deepEqual(page.complaints, []);
      await page.context().close();
    });
  }
}
