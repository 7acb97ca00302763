// What owners do with their calendar, and administrators with people; in a real browser before a real service.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { open, visit } from "./browser.mjs";
import { freePort, House, root } from "./house.mjs";
import { ada, browser, house, inPage } from "./scene.mjs";

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

test("an owner prices hours, days and nodes, and the week follows", async () => {
  const olga = await house.token("owner", "olga");
  const { nodes } = await house.call("GET", "/v1/sites/campus");
  await inPage(olga, async (page) => {
    await open(page, "Sites");
    await page.getByText("0.5 credits a second at all hours").waitFor();
    await page.getByText("By hour of the day").click();
    await page.getByLabel("22:00", { exact: true }).fill("0.4");
    await page.getByText("From 0.2 to 0.5 credits a second").waitFor();
    await page.getByText("By day of the week").click();
    await page.getByLabel("Sun", { exact: true }).fill("0.5");
    await page.getByText("From 0.1 to 0.5 credits a second").waitFor();
    await page.getByText("By node").click();
    await page.getByLabel("Give a node its own price").selectOption(nodes[1].name);
    await page.getByLabel(`Node ${nodes[1].name}`).fill("2");
    await page.getByLabel("For node").selectOption(nodes[1].name);
    await page.getByText("From 0.4 to 2 credits a second").waitFor();
    assert.deepEqual((await house.call("GET", "/v1/sites/campus/prices")).hours, [], "nothing is set yet");
    await page.getByLabel("22:00", { exact: true }).fill("");
    assert.ok(await page.getByRole("button", { name: "Set prices" }).isDisabled());
    await page.getByLabel("22:00", { exact: true }).fill("0.4");
    await page.getByRole("button", { name: "Set prices" }).click();
    await page.getByText("The prices are set").waitFor();
    const set = await house.call("GET", "/v1/sites/campus/prices");
    assert.deepEqual([set.hours[21], set.hours[22], set.weekdays, set.nodes], [1, 0.4, [1, 1, 1, 1, 1, 1, 0.5], { [nodes[1].name]: 2 }]);
    // Factors that change nothing are taken back.
    await page.getByLabel("22:00", { exact: true }).fill("1");
    await page.getByLabel(`Node ${nodes[1].name}`).fill("");
    await page.getByRole("button", { name: "Set prices" }).click();
    await page.getByText("The prices are set").waitFor();
    const after = await house.call("GET", "/v1/sites/campus/prices");
    assert.deepEqual([after.hours, after.nodes], [[], {}]);
  });
  await house.call("PUT", "/v1/sites/campus/prices", { base: 0.5 });
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

test("an administrator sees what is left of groups' budgets, and limits them", async () => {
  await inPage({ secret: house.administrator }, async (page) => {
    await open(page, "People");
    await page.getByLabel("Whose spending").selectOption("group physics");
    await page.getByLabel("Most for all of them").fill("400");
    await page.getByLabel("In every").fill("48");
    await page.getByRole("button", { name: "Set the limit" }).click();
    const groups = page.getByRole("region", { name: "Budgets of groups" });
    await groups.getByRole("cell", { name: "400 left of 400 in 2 d" }).waitFor();
    await page.getByRole("region", { name: "Users" }).getByRole("cell", { name: "with physics: 400 left of 400 in 2 d" }).first().waitFor();
    const budgets = await house.call("GET", "/v1/budgets");
    assert.deepEqual(budgets.map(({ spender, amount, period }) => [spender, amount, period]), [["group:physics", 400, 172_800]]);
    // What somebody of the group has reserved is not left to the others.
    const { job } = await house.call("POST", "/v1/jobs", { walras: "job/1", name: "spends", work: 100 }, ada.secret);
    await open(page, "Money");
    await page.getByText(/^group physics: 3\d\d.* left of 400 in 2 d$/).waitFor();
    await page.getByRole("meter", { name: "group physics: spent" }).waitFor();
    await house.call("DELETE", `/v1/jobs/${job}`, undefined, ada.secret);
    await open(page, "People");
    await groups.getByRole("button", { name: "Lift the limit of group physics" }).click();
    await page.getByText("No group’s spending is limited.").waitFor();
    assert.deepEqual(await house.call("GET", "/v1/budgets"), []);
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

test("an administrator changes objective, limits, search and weights in fields, after trying them", async () => {
  const before = await house.call("GET", "/v1/policy");
  await inPage({ secret: house.administrator }, async (page) => {
    await open(page, "Policy");
    const text = page.getByLabel("The rules to change, as JSON");
    const written = async () => JSON.parse(await text.inputValue());
    assert.ok(await page.getByRole("button", { name: "Change the rules" }).isDisabled(), "nothing is changed yet");
    assert.equal(await page.getByLabel("Objective").inputValue(), before.choice.objective);
    await page.getByLabel("Objective").selectOption("weighted");
    await page.getByLabel("Weight of cost").fill("");
    await page.getByLabel("Weight of cost").pressSequentially("0.25");
    await page.getByLabel("Weight of time").fill("2");
    await page.getByLabel("Limit on all costs").fill("5000");
    await page.getByLabel("Search").selectOption("criterion=finish");
    await page.getByLabel("Rank: deadline").fill("7");
    const { objective, ...rest } = before.choice;
    assert.deepEqual(await written(), {
      choice: { ...rest, objective: "weighted", weights: { cost: 0.25, time: 2 }, limits: { ...before.choice.limits, budget: 5000 } },
      search: "criterion=finish",
      rank: { deadline: 7 },
    }, `what was ${objective}`);
    // Whoever writes goes on where the fields are, and the other way round.
    await text.fill('{ "attempts_max": 6, "choice": ');
    await page.getByText("What is written below is no object of JSON").waitFor();
    await text.fill('{ "attempts_max": 6 }');
    await page.getByLabel("Objective").selectOption("lexicographic");
    await page.getByLabel("Order of totals").fill("finish, spare budget");
    await page.getByLabel("Plan every").fill("2");
    assert.deepEqual(await written(), { attempts_max: 6, choice: { ...rest, objective: "lexicographic", order: ["finish", "spare_budget"] }, cycle_every: 2 });
    await page.getByRole("button", { name: "Try them on the latest cycles" }).click();
    await page.getByText(/planned again|nothing to try it on/).waitFor();
    assert.equal((await house.call("GET", "/v1/policy")).attempts_max, before.attempts_max, "trying changes nothing");
    await page.getByRole("button", { name: "Change the rules" }).click();
    await page.getByText("The rules are changed.").waitFor();
    const after = await house.call("GET", "/v1/policy");
    assert.deepEqual([after.choice.objective, after.choice.order, after.choice.limits, after.attempts_max, after.cycle_every], ["lexicographic", ["finish", "spare_budget"], before.choice.limits, 6, 2]);
    assert.deepEqual(await written(), {}, "it is done");
    // The rules are read again.
    await page.waitForFunction(() => [...document.querySelectorAll("select")].some((it) => it.value === "lexicographic"));
  });
  await house.call("PATCH", "/v1/policy", { choice: before.choice, attempts_max: before.attempts_max, cycle_every: before.cycle_every });
});
