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
  user: ["/", "/schedule", "/schedule?job=4", "/submit", "/jobs", "/jobs/1", "/jobs/3", "/jobs/5", "/jobs/6", "/sites", "/money", "/policy"],
  owner: ["/", "/schedule", "/sites", "/money", "/policy"],
  administrator: ["/", "/schedule", "/submit", "/jobs", "/sites", "/money", "/policy", "/cycles", "/people", "/nothing"],
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
  // Whoever is rich sees long numbers.
  await house.call("POST", "/v1/deposits", { account: "user:ada", amount: 123_456_789.12 });
  tokens = { user: ada, owner: await house.token("owner", "olga"), administrator: { secret: house.administrator } };
  await house.offers();
  for (const [name, job] of Object.entries({
    weather: { tasks: 3, work: 60, budget: 300, deadline: new Date(Date.now() + 1_200_000).toISOString() },
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

/** Tiles and cells whose content is wider than they are. */
const spilled = (page) =>
  page.evaluate(() => {
    const wider = (it) => it.scrollWidth > it.clientWidth + 1;
    return [...document.querySelectorAll(".tile, .facts dd, .card > header")].filter(wider).map((it) => it.textContent);
  });

/** Words on the line of a job's time that cover others, leave the picture, or stand at no mark. */
const misplaced = (page) =>
  page.evaluate(() => {
    const line = document.querySelector(".timeline");
    if (!line) return [];
    const marks = [...line.querySelectorAll(".mark")].map((it) => it.getBoundingClientRect().x);
    const words = [...line.querySelectorAll("text")].map((it) => ({ text: it.textContent, box: it.getBoundingClientRect() }));
    if (words.length < marks.length) return ["not every mark has its word"];
    const [frame, near] = [line.getBoundingClientRect(), (x) => marks.some((mark) => Math.abs(mark - x) < 5)];
    return words.flatMap(({ text, box }, index) => [
      ...(box.left < frame.left - 1 || box.right > frame.right + 1 || box.bottom > frame.bottom + 1 ? [`${text} leaves the picture`] : []),
      ...(near(box.left) || near(box.right) ? [] : [`${text} stands at no mark`]),
      ...words.slice(index + 1).flatMap((other) => {
        const apart = box.right <= other.box.left || other.box.right <= box.left || box.bottom <= other.box.top + 3 || other.box.bottom <= box.top + 3;
        return apart ? [] : [`${text} covers ${other.text}`];
      }),
    ]);
  });

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
        if (view === "/submit" && role === "user") await quoted(page);
        assert.deepEqual(await violations(page), [], view);
        for (const width of WIDTHS) {
          await page.setViewportSize({ width, height: 900 });
          await page.waitForTimeout(120);
          // A picture is drawn again for another width, which takes a busy machine a moment.
          const fits = (most) => document.documentElement.scrollWidth <= most;
          await page.waitForFunction(fits, width, { timeout: 5_000 }).catch(() => {});
          const wide = await page.evaluate(() => document.documentElement.scrollWidth);
          assert.ok(wide <= width, `${view} is ${wide} pixels wide on ${width}`);
          assert.deepEqual(await spilled(page), [], `${view} on ${width}`);
          assert.deepEqual(await misplaced(page), [], `${view} on ${width}`);
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
