// The page in a real browser, before a real service.
import assert from "node:assert/strict";
import { test } from "node:test";
import { open, signIn, state, visit, write } from "./browser.mjs";
import { ada, browser, house, inPage } from "./scene.mjs";

test("signing in, by role, and out", async () => {
  await inPage(null, async (page) => {
    await page.getByLabel("Your token").fill("walras_nobody");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByText("It is not valid").waitFor();
    // The browser writes down that it was refused.
    page.complaints.length = 0;
    await signIn(page, ada);
    const views = page.getByRole("navigation", { name: "Views" }).getByRole("link");
    assert.deepEqual(await views.allTextContents(), ["Market", "Schedule", "Submit", "Jobs", "Sites", "Money", "Policy"]);
    const cookies = await page.context().cookies();
    assert.deepEqual(cookies.map((it) => [it.httpOnly, it.sameSite]), [[true, "Strict"]]);
    assert.equal(await page.evaluate(() => document.cookie + JSON.stringify({ ...localStorage, ...sessionStorage })), "{}");
    await page.reload();
    await page.getByRole("heading", { level: 1, name: "Market" }).waitFor();
    await page.locator(".identity summary").click();
    await page.getByRole("button", { name: "Sign out", exact: true }).click();
    await page.getByLabel("Your token").waitFor();
  });
  const olga = await house.token("owner", "olga");
  await inPage(olga, async (page) => {
    const views = page.getByRole("navigation", { name: "Views" }).getByRole("link");
    assert.deepEqual(await views.allTextContents(), ["Market", "Schedule", "Sites", "Money", "Policy"]);
  });
});

test("a code in the address signs in once", async () => {
  const { code } = await house.call("POST", "/v1/codes", undefined, ada.secret);
  await inPage(null, async (page) => {
    // Somebody who is at the door already follows the link.
    await page.goto(`${house.url}/#code=${code}`);
    await page.getByRole("heading", { level: 1, name: "Market" }).waitFor();
    assert.equal(page.url(), `${house.url}/`);
    await page.reload();
    await page.getByRole("heading", { level: 1, name: "Market" }).waitFor();
  });
});

test("a quote is asked for, an option picked and accepted, and the job watched to its end", async () => {
  await inPage(ada, async (page) => {
    await write(page, "walras: job/1\nname: picked\ntasks: 2\nwork: 6\nbudget: 200\n");
    await page.getByRole("button", { name: "Ask for a quote" }).click();
    const options = page.getByRole("radio");
    await options.first().waitFor();
    assert.ok((await options.count()) >= 2, "both sites have something to offer");
    await options.last().check();
    await page.getByRole("button", { name: "Accept" }).click();
    await page.getByRole("heading", { name: "picked" }).waitFor();
    await state(page, "running").waitFor();
    await state(page, "done").waitFor();
    await page.getByText("is done; it cost").waitFor();
    await open(page, "Money");
    await page.getByRole("cell", { name: "charge" }).or(page.getByRole("cell", { name: "lien" })).first().waitFor();
  });
});

test("a job that fits nowhere is helped by one press", async () => {
  await inPage(ada, async (page) => {
    await write(page, "walras: job/1\nname: poor\nwork: 20\nbudget: 1\n");
    await page.getByRole("button", { name: "Ask for a quote" }).click();
    await page.getByRole("heading", { name: "It fits nowhere" }).waitFor();
    await page.getByRole("button", { name: /a budget of/ }).click();
    await page.getByRole("radio").first().waitFor();
    const text = await page.getByLabel("The job as a file, in YAML").inputValue();
    assert.match(text, /^budget: \d+(\.\d+)?$/m);
    assert.equal(await page.getByLabel("Budget").inputValue(), /^budget: (.*)$/m.exec(text)[1]);
  });
});

test("text and form are one, and a mistake is named with its line", async () => {
  await inPage(ada, async (page) => {
    await write(page, "walras: job/1\nname: both\nwork: 5   # seconds\n");
    const text = page.getByLabel("The job as a file, in YAML");
    await page.getByLabel("Nodes at once").fill("3");
    await page.getByLabel("Work").fill("7");
    assert.equal(await text.inputValue(), "walras: job/1\nname: both\nwork: 7   # seconds\ntasks: 3\n");
    await page.getByLabel("Nodes at once").fill("-3");
    await page.getByText(/Line 4: tasks: -3/).waitFor();
    assert.ok(await page.getByRole("button", { name: "Ask for a quote" }).isDisabled());
    // Whoever looks something up meanwhile goes on where they were.
    await open(page, "Jobs");
    await open(page, "Submit");
    assert.equal(await text.inputValue(), "walras: job/1\nname: both\nwork: 7   # seconds\ntasks: -3\n");
  });
});

test("a workflow is drawn, submitted, and cancelled", async () => {
  await inPage(ada, async (page) => {
    await open(page, "Submit");
    await page.getByLabel("Start from").selectOption("workflow");
    await page.getByRole("img", { name: "Workflow of 4 tasks" }).waitFor();
    await page.getByRole("button", { name: "Submit without a quote" }).click();
    await page.getByRole("heading", { name: "mosaic" }).waitFor();
    await page.getByRole("button", { name: "Cancel the job" }).click();
    await state(page, "cancelled").waitFor();
    assert.equal(await page.getByRole("button", { name: "Cancel the job" }).count(), 0);
    await open(page, "Jobs");
    await page.getByLabel("State").selectOption("cancelled");
    await page.getByRole("link", { name: /mosaic/ }).waitFor();
    await page.waitForURL("**/jobs?state=cancelled");
  });
});

test("an owner changes a price and sees it in the next quote", async () => {
  const olga = await house.token("owner", "olga");
  const job = { walras: "job/1", name: "priced", work: 10, sites: ["campus"] };
  const price = async () => Math.min(...(await house.call("POST", "/v1/quotes", job, ada.secret)).options.map((it) => it.price));
  await inPage(olga, async (page) => {
    assert.equal(await price(), 5);
    await open(page, "Sites");
    await page.getByLabel("Base price").fill("0.7");
    await page.getByRole("button", { name: "Set prices" }).click();
    await page.getByText("The prices are set").waitFor();
    assert.equal(await price(), 7);
    await page.getByLabel("Keep from").fill("2000-01-01T00:00");
    await page.getByLabel("Until").fill("2099-01-01T00:00");
    await page.getByRole("button", { name: "Sell nothing in this time" }).click();
    await page.getByRole("button", { name: /Sell again/ }).waitFor();
    assert.equal(await price(), Infinity, "nothing is sold");
    await page.getByRole("button", { name: /Sell again/ }).click();
    await page.getByText("All free time is for sale.").waitFor();
    assert.equal(await price(), 7);
    await page.getByRole("link", { name: "cloud" }).click();
    await page.getByRole("heading", { name: "cloud" }).waitFor();
    assert.equal(await page.getByRole("button", { name: "Set prices" }).count(), 0, "that is not hers to price");
    assert.equal(await page.getByRole("button", { name: /Drain/ }).count(), 0, "nor to drain");
  });
  await house.call("PUT", "/v1/sites/campus/prices", { base: 0.5 });
});

test("an owner drains a node, and sells it again", async () => {
  const olga = await house.token("owner", "olga");
  const { nodes } = await house.call("GET", "/v1/sites/campus");
  const job = { walras: "job/1", name: "wide", work: 10, tasks: nodes.length, sites: ["campus"] };
  const options = async () => (await house.call("POST", "/v1/quotes", job, ada.secret)).options.length;
  await inPage(olga, async (page) => {
    assert.ok((await options()) > 0, "all nodes are for sale");
    await open(page, "Sites");
    await page.getByRole("button", { name: `Drain ${nodes[0].name}` }).click();
    await page.getByText("drained", { exact: true }).waitFor();
    assert.equal(await options(), 0, "one is missing");
    await page.getByRole("button", { name: `Sell ${nodes[0].name} again` }).click();
    await page.getByRole("button", { name: `Drain ${nodes[0].name}` }).waitFor();
    assert.ok((await options()) > 0, "all nodes are for sale again");
  });
});

test("the schedule shows jobs, can be searched, moved by keys, and leads to a job", async () => {
  const { job } = await house.call("POST", "/v1/jobs", { walras: "job/1", name: "seen", work: 30, tasks: 2 }, ada.secret);
  await inPage(ada, async (page) => {
    await open(page, "Schedule");
    const picture = page.getByRole("application");
    await picture.focus();
    for (const key of ["ArrowRight", "ArrowLeft", "+", "-", "Home"]) await page.keyboard.press(key);
    await page.getByLabel("Find").fill("seen");
    await page.waitForURL("**/schedule?find=seen");
    await page.getByText("As a table").click();
    await page.getByRole("link", { name: `${job} seen` }).first().click();
    await page.getByRole("heading", { name: "seen" }).waitFor();
  });
  await house.call("DELETE", `/v1/jobs/${job}`, undefined, ada.secret);
});

test("keys and wheel before the schedule is painted do nothing", async () => {
  await inPage(ada, async (page) => {
    // A page behind others gets no frames, so nothing is painted.
    await page.evaluate(() => {
      window.requestAnimationFrame = () => 0;
    });
    await open(page, "Schedule");
    const picture = page.getByRole("application");
    await picture.focus();
    await page.waitForTimeout(300);
    for (const key of ["ArrowRight", "PageDown", "+", "Home"]) await page.keyboard.press(key);
    await picture.hover();
    await page.mouse.wheel(0, 50);
  });
});

test("an administrator sees why a cycle decided, and manages people", async () => {
  const { job } = await house.call("POST", "/v1/jobs", { walras: "job/1", name: "decided", work: 30 }, ada.secret);
  await inPage({ secret: house.administrator }, async (page) => {
    await open(page, "Cycles");
    // This one, whatever is decided meanwhile.
    await page.getByRole("navigation", { name: "Decisions" }).getByRole("link").first().click();
    await page.getByRole("heading", { name: /^Cycle \d/ }).waitFor();
    await page.getByRole("button", { name: "Plan it again" }).click();
    await page.getByText("The same decision, to the last digit.").waitFor();
    await page.getByRole("button", { name: "Whom did it displace?" }).first().click();
    await page.getByText(/^Without it /).first().waitFor();
    await open(page, "People");
    await page.getByLabel("For whom").fill("cleo");
    await page.getByRole("button", { name: "Make a token" }).click();
    const secret = await page.locator("code.secret").textContent();
    assert.match(secret, /^walras_/);
    await page.reload();
    await page.getByRole("heading", { name: "People" }).waitFor();
    assert.equal(await page.locator("code.secret").count(), 0, "it is shown once");
    await open(page, "Policy");
    await page.getByLabel("The rules to change, as JSON").fill('{"attempts_max": 5}');
    await page.getByRole("button", { name: "Try them on the latest cycles" }).click();
    await page.getByText(/cycles? with .* planned again/).waitFor();
    await page.getByRole("region", { name: "The rules as they were, and changed" }).waitFor();
    assert.notEqual((await house.call("GET", "/v1/policy")).attempts_max, 5, "trying changes nothing");
    await page.getByRole("button", { name: "Change the rules" }).click();
    await page.getByText("The rules are changed.").waitFor();
    assert.equal((await house.call("GET", "/v1/policy")).attempts_max, 5);
  });
  await house.call("DELETE", `/v1/jobs/${job}`, undefined, ada.secret);
});

test("a user's page never receives another's data", async () => {
  const { job } = await house.call("POST", "/v1/jobs", { walras: "job/1", name: "secret-of-ada", work: 30 }, ada.secret);
  await inPage(await house.user("ben"), async (page) => {
    for (const name of ["Schedule", "Submit", "Jobs", "Sites", "Money", "Policy", "Market"]) {
      await open(page, name);
      await page.waitForTimeout(700);
    }
    assert.ok(page.bodies.length > 10);
    const told = page.bodies.filter((body) => body.includes("secret-of-ada") || body.includes('"ada"') || body.includes("user:ada"));
    assert.deepEqual(told, []);
    assert.doesNotMatch(await page.content(), /secret-of-ada/);
    await page.goto(`${house.url}/jobs/${job}`);
    await page.getByText("There is no such job, or it is not yours.").waitFor();
    await page.goto(`${house.url}/people`);
    await page.getByText("This view is not for the role user.").waitFor();
    page.complaints.length = 0;
  });
  await house.call("DELETE", `/v1/jobs/${job}`, undefined, ada.secret);
});

test("a token that is revoked ends the page that is open with it", async () => {
  const dora = await house.user("dora");
  await inPage(dora, async (page) => {
    await house.call("DELETE", `/v1/tokens/${dora.number}`);
    await page.getByLabel("Your token").waitFor();
    page.complaints.length = 0;
  });
});

test("a stream that is cut goes on, and what was missed is shown", async () => {
  await inPage(ada, async (page) => {
    await open(page, "Jobs");
    await page.getByRole("table").waitFor();
    await page.context().setOffline(true);
    const { job } = await house.call("POST", "/v1/jobs", { walras: "job/1", name: "missed", work: 5 }, ada.secret);
    await page.getByText("The service does not answer.").waitFor();
    await page.context().setOffline(false);
    await page.getByRole("link", { name: `${job} missed` }).waitFor();
    await page.getByText("The service does not answer.").waitFor({ state: "detached" });
    page.complaints.length = 0;
  });
});

test("whoever comes by a link that is used up is told so", async () => {
  const page = await visit(browser, house);
  await page.goto(`${house.url}/#code=${"0".repeat(32)}`);
  await page.getByText("This link has been used or has expired").waitFor();
  await page.context().close();
});

/** Somebody turns to another tab, or comes back. */
const hide = (page, hidden) =>
  page.evaluate((hidden) => {
    Object.defineProperty(document, "hidden", { configurable: true, get: () => hidden });
    document.dispatchEvent(new Event("visibilitychange"));
  }, hidden);

test("however much happens, a view reads once in two seconds, and nothing while nobody looks", async () => {
  await inPage(ada, async (page) => {
    const asked = [];
    page.on("request", (request) => asked.push(new URL(request.url()).pathname));
    const reads = () => asked.filter((path) => path.startsWith("/v1/") && path !== "/v1/events");
    let job;
    const submit = async (count) => {
      for (let number = 0; number < count; number += 1) {
        job = (await house.call("POST", "/v1/jobs", { walras: "job/1", name: "many", work: 1, held: true }, ada.secret)).job;
        await house.call("DELETE", `/v1/jobs/${job}`, undefined, ada.secret);
        await page.waitForTimeout(200);
      }
    };
    for (const [view, most] of [["Jobs", 1], ["Money", 2], ["Schedule", 2], ["Sites", 1]]) {
      await open(page, view);
      await page.waitForTimeout(2_500);
      asked.length = 0;
      const begun = Date.now();
      await submit(16);
      const rounds = Math.ceil((Date.now() - begun) / 2_000) + 1;
      assert.ok(reads().length <= most * rounds, `${view}: ${reads().join(" ")} in ${rounds} rounds`);
      if (view === "Jobs") assert.ok(reads().length > 0, "it follows");
    }
    await open(page, "Jobs");
    await page.getByRole("table").waitFor();
    await page.waitForTimeout(2_500);
    await hide(page, true);
    asked.length = 0;
    await submit(8);
    assert.deepEqual(reads(), [], "nobody looks");
    await hide(page, false);
    await page.getByRole("link", { name: `${job} many` }).waitFor();
    page.complaints.length = 0;
  });
});

test("a page that nobody looks at has no stream, and goes on when somebody does", async () => {
  await inPage(ada, async (page) => {
    await open(page, "Jobs");
    await page.getByRole("table").waitFor();
    const stream = (request) => new URL(request.url()).pathname === "/v1/events";
    const closed = Promise.race(["requestfailed", "requestfinished"].map((kind) => page.waitForEvent(kind, stream)));
    await hide(page, true);
    await closed;
    const { job } = await house.call("POST", "/v1/jobs", { walras: "job/1", name: "unseen", work: 5 }, ada.secret);
    const opened = page.waitForEvent("request", stream);
    await hide(page, false);
    await opened;
    await page.getByRole("link", { name: `${job} unseen` }).waitFor();
    page.complaints.length = 0;
  });
});

test("a service that is killed and started again finds its pages still signed in", async () => {
  await inPage(ada, async (page) => {
    await house.kill();
    await page.getByText("The service does not answer.").waitFor();
    await house.start();
    await page.getByText("The service does not answer.").waitFor({ state: "detached" });
    // What the browser wrote down while nobody answered.
    page.complaints.length = 0;
    await house.offers();
    await write(page, "walras: job/1\nname: afterwards\nwork: 3\nbudget: 50\n");
    await page.getByRole("button", { name: "Submit without a quote" }).click();
    await state(page, "done").waitFor();
  });
});
