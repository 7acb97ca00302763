// What owners do with their calendar, and administrators with people; in a real browser before a real service.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { inPage as inOwnPage, launch, open, visit } from "./browser.mjs";
import { freePort, House, root } from "./house.mjs";

let house;
let browser;
let ada;

before(async () => {
  [house, browser] = await Promise.all([House.open(), launch()]);
  ada = await house.user("ada");
  await house.offers();
});

after(async () => {
  await browser?.close();
  await house?.close();
});

const inPage = (token, run, options) => inOwnPage({ browser, house }, token, run, options);

/** Drags over the calendar from one cell to another, by day and hour. */
async function drag(page, from, to) {
  const box = await page.locator("svg.week").boundingBox();
  const scale = box.width / (92 + 24 * 24);
  const at = ([day, hour]) => [box.x + (92 + hour * 24 + 12) * scale, box.y + (18 + day * 20 + 10) * scale];
  await page.mouse.move(...at(from));
  await page.mouse.down();
  await page.mouse.move(...at(to), { steps: 4 });
  await page.mouse.up();
}

test("an owner keeps hours and drains nodes by dragging over the calendar", async () => {
  const olga = await house.token("owner", "olga");
  await inPage(olga, async (page) => {
    await open(page, "Sites");
    await page.locator("svg.week").scrollIntoViewIfNeeded();
    await drag(page, [2, 9], [2, 11]);
    assert.equal(await page.locator("svg.week rect.chosen").count(), 3);
    await page.getByRole("button", { name: /^Sell nothing every .* from 9:00 to 12:00 UTC$/ }).click();
    await page.getByRole("button", { name: /^Sell again every/ }).waitFor();
    const { blackouts } = await house.call("GET", "/v1/sites/campus/prices");
    assert.deepEqual(blackouts.map((it) => it.hours), [[9, 12]]);
    await page.getByRole("button", { name: /^Sell again every/ }).click();
    await page.getByText("All free time is for sale.").waitFor();

    const { nodes } = await house.call("GET", "/v1/sites/campus");
    await page.getByLabel("Nodes to drain").selectOption(nodes[1].name);
    await drag(page, [3, 22], [4, 1]);
    await page.getByRole("button", { name: `Drain ${nodes[1].name} in this time` }).click();
    await page.locator("svg.week rect.drained").first().waitFor();
    const drained = (await house.call("GET", "/v1/sites/campus")).nodes.map((node) => node.drained);
    assert.deepEqual(drained.map((times) => times.length), [0, 1, 0]);
    const [{ from, until }] = drained[1];
    assert.equal(Date.parse(until) - Date.parse(from), 4 * 3_600_000);
    assert.equal(new Date(from).getUTCHours(), 22);
    await page.getByRole("button", { name: `Sell ${nodes[1].name} again` }).click();
    await page.locator("svg.week rect.drained").first().waitFor({ state: "detached" });
  });
});

test("prices are previewed before they are set, and idle time has a price at which it would have sold", async () => {
  const olga = await house.token("owner", "olga");
  // 0.2 a second, where 0.5 is asked; it waits in vain.
  const { job } = await house.call("POST", "/v1/jobs", { walras: "job/1", name: "poor", work: 60, budget: 12 }, ada.secret);
  for (;;) {
    const { sites } = await house.call("GET", "/v1/reports/unsold?site=campus", undefined, olga.secret);
    if (sites[0].steps.length > 0) break;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  await inPage(olga, async (page) => {
    await open(page, "Sites");
    await page.getByText("0.5 credits a second at all hours").waitFor();
    await page.getByLabel("Base price").fill("0.9");
    await page.getByText("0.9 credits a second at all hours").waitFor();
    await page.getByText("as written, not set yet").waitFor();
    assert.equal((await house.call("GET", "/v1/sites/campus/prices")).base, 0.5);
    await page.getByText(/At 0\.2 instead of 0\.5 credits a second, 1 job that nobody served/).waitFor();
    await page.getByRole("heading", { name: "Earned in the last 30 days" }).waitFor();
    await page.getByRole("link", { name: "cloud" }).click();
    await page.getByRole("heading", { name: "cloud" }).waitFor();
    assert.equal(await page.getByRole("heading", { name: "Earned in the last 30 days" }).count(), 0, "that is not hers to know");
  });
  await house.call("DELETE", `/v1/jobs/${job}`, undefined, ada.secret);
});

test("an administrator sees and changes limits, and makes tokens that may do little", async () => {
  await inPage({ secret: house.administrator }, async (page) => {
    await open(page, "People");
    await page.getByRole("button", { name: "Change ada" }).click();
    await page.getByLabel("Credit").fill("25");
    await page.getByLabel("May spend").fill("300");
    await page.getByLabel("Period").fill("48");
    await page.getByRole("button", { name: "Save the user" }).click();
    await page.getByRole("cell", { name: /300 left of 300 in 2 d/ }).waitFor();
    const { users } = await house.call("GET", "/v1/users");
    assert.deepEqual(users.map((user) => [user.name, user.lowest, user.group]), [["ada", -25, "physics"]]);
    await page.getByRole("button", { name: "Change ada" }).click();
    await page.getByLabel("May spend").fill("");
    await page.getByRole("button", { name: "Save the user" }).click();
    await page.getByRole("cell", { name: "no limit" }).waitFor();
    assert.deepEqual(await house.call("GET", "/v1/budgets"), []);

    const card = page.locator(".card", { has: page.getByRole("heading", { name: "What every user may have at a time" }) });
    await card.getByLabel("Jobs").fill("77");
    await card.getByRole("button", { name: "Set these limits for every user" }).click();
    await page.waitForFunction(() => [...document.querySelectorAll(".card button")].filter((it) => it.textContent.includes("every user")).every((it) => it.disabled));
    // The button is off while it is done, too.
    const set = async () => (await house.call("GET", "/v1/policy")).sharing.user.jobs;
    for (let tries = 0; tries < 100 && (await set()) !== 77; tries += 1) await page.waitForTimeout(100);
    assert.equal(await set(), 77);

    await page.getByLabel("For whom").fill("ada");
    await page.getByLabel("What it may do").selectOption("read-only");
    await page.getByLabel("Expires").selectOption("86400");
    await page.getByRole("button", { name: "Make a token" }).click();
    const secret = await page.locator("code.secret").textContent();
    await page.getByRole("cell", { name: "only read", exact: true }).waitFor();
    assert.equal((await house.call("GET", "/v1/me", undefined, secret)).name, "ada");
    await assert.rejects(house.call("POST", "/v1/jobs", { walras: "job/1", name: "x", work: 1 }, secret), /403/);
  });
});

test("people sign in at a provider by the button", async () => {
  const port = await freePort();
  const provider = spawn(join(root, "target", "tools", "python", "bin", "oidc-provider-mock"), ["--port", String(port)], { stdio: "ignore" });
  const folder = `[oidc]\nname = "Campus"\nissuer = "http://localhost:${port}"\nclient_id = "walras"\nclient_secret_file = "oidc.secret"\naddress = "http://localhost:PORT/"\n`;
  let other;
  try {
    for (let tries = 0; tries < 300; tries += 1) {
      if (await fetch(`http://localhost:${port}/.well-known/openid-configuration`).then((it) => it.ok, () => false)) break;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    other = await House.open(folder, async (place) => writeFile(join(place, "oidc.secret"), "a secret\n"));
    await other.user("ada");
    const page = await visit(browser, { url: `http://localhost:${other.port}` });
    // The provider's own page would fetch its letters from elsewhere.
    await page.context().route(/^https:/, (route) => route.abort());
    assert.deepEqual(page.complaints, []);
    await page.getByRole("link", { name: "Sign in at Campus" }).click();
    await page.locator("input[name=sub]").fill("ada");
    await page.locator("button[type=submit], input[type=submit]").first().click();
    await page.getByRole("heading", { level: 1, name: "Market" }).waitFor();
    assert.equal(page.url(), `http://localhost:${other.port}/`);
    assert.match(await page.locator(".identity summary").textContent(), /ada.*user/);
    // What the provider's page did is not ours.
    page.complaints.length = 0;
    await page.reload();
    await page.getByRole("heading", { level: 1, name: "Market" }).waitFor();
    assert.deepEqual(page.complaints, []);
    await page.context().close();
  } finally {
    provider.kill();
    await other?.close();
  }
});

test("an administrator chooses how jobs are assigned to sites that sell capacity", async () => {
  assert.equal((await house.call("GET", "/v1/policy")).assign, "windows");
  await inPage({ secret: house.administrator }, async (page) => {
    await open(page, "Policy");
    const choice = page.getByLabel("How jobs are assigned");
    assert.equal(await choice.inputValue(), "windows");
    const methods = await choice.locator("option").evaluateAll((options) => options.map((option) => option.value));
    assert.deepEqual(methods, ["windows", "greedy", "greedy-cost", "mmc", "hga", "lpga", "exact", "split"]);
    await choice.selectOption("lpga");
    await page.getByRole("button", { name: "Assign like this" }).click();
    await page.getByText("Jobs are assigned by lpga.").waitFor();
    assert.equal((await house.call("GET", "/v1/policy")).assign, "lpga");
    // What is in force is what is chosen when somebody looks again.
    await page.reload();
    await page.getByRole("heading", { name: "Sites that sell capacity" }).waitFor();
    assert.equal(await choice.inputValue(), "lpga");
  });
  await house.call("PATCH", "/v1/policy", { assign: "windows" });
  await inPage(ada, async (page) => {
    await open(page, "Policy");
    await page.getByRole("heading", { name: "Rules" }).waitFor();
    assert.equal(await page.getByLabel("How jobs are assigned").count(), 0, "users only read the rules");
  });
});
