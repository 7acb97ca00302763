// What users do with jobs of every kind, in a real browser before a real service.
import assert from "node:assert/strict";
import { test } from "node:test";
import { open, state, write } from "./browser.mjs";
import { ada, house, inPage } from "./scene.mjs";

const file = (page) => page.getByLabel("The job as a file, in YAML");
const script = (page) => page.getByLabel("The job as a script");

test("form, job file and script are one job", async () => {
  await inPage(ada, async (page) => {
    await write(page, "walras: job/1\nname: three\nwork: 5\ndeadline: 2h\n");
    await page.waitForFunction(() => document.querySelectorAll("textarea")[1]?.value.includes("#WALRAS name three"));
    assert.equal(await script(page).inputValue(), "#!/bin/sh\n#WALRAS name three\n#WALRAS work 5\n#WALRAS deadline 2h\n");
    await page.getByLabel("Array").fill("1-4");
    assert.match(await file(page).inputValue(), /^array: 1-4$/m);
    await page.waitForFunction(() => document.querySelectorAll("textarea")[1]?.value.includes("#WALRAS array 1-4"));
    // Who goes on in the script sees the file follow.
    await script(page).fill("#!/bin/sh\n#SBATCH --job-name=turned --array=2-6:2\n#WALRAS work 7\necho hello\n");
    await page.waitForFunction(() => document.querySelectorAll("textarea")[0]?.value.includes("name: turned"));
    assert.match(await file(page).inputValue(), /^array: "?2-6:2"?$/m);
    assert.match(await file(page).inputValue(), /^script: \|\n {2}#!\/bin\/sh$/m);
    assert.ok(await page.getByRole("button", { name: "Ask for a quote" }).isDisabled(), "quotes are for single jobs");
    await script(page).fill("#!/bin/sh\n#SBATCH --job-name=again\n#SBATCH --array=2-6:2\n#WALRAS work 7\n");
    await page.getByLabel("Array").fill("3");
    assert.match(await script(page).inputValue(), /^#SBATCH --array=3$/m);
    // What is wrong is shown where it was written.
    await script(page).fill("#!/bin/sh\n#WALRAS work -7\n");
    await page.getByText(/Line 2: .*-7/).waitFor();
    assert.equal(await script(page).getAttribute("aria-invalid"), "true");
    assert.equal(await file(page).getAttribute("aria-invalid"), "false");
  });
});

test("spans, quotes and hashes are the same in form, job file and script", async () => {
  await inPage(ada, async (page) => {
    await write(page, 'walras: job/1\nname: "a # b"  # not all of it\nwork: 10h\nbudget: 60\n');
    assert.equal(await page.getByLabel("Work").inputValue(), "10h");
    assert.equal(await page.getByLabel("Name").inputValue(), "a # b");
    await page.getByLabel("Budget").fill("70");
    await page.getByLabel("Name").fill("it's # 2");
    const wanted = 'walras: job/1\nname: "it\'s # 2"  # not all of it\nwork: 10h\nbudget: 70\n';
    assert.equal(await file(page).inputValue(), wanted);
    assert.equal(await page.getByLabel("Name").inputValue(), "it's # 2");
    await page.waitForFunction(() => document.querySelectorAll("textarea")[1]?.value.includes("it's # 2"));
    assert.match(await script(page).inputValue(), /^#WALRAS name "it's # 2"$/m);
    // Words are written with spaces between them, and a hash within a word is a letter.
    await page.getByLabel("Name").fill("");
    await page.getByLabel("Name").pressSequentially("two words");
    assert.match(await file(page).inputValue(), /^name: two words$/m);
    await page.getByLabel("Work").fill("");
    await page.getByLabel("Work").pressSequentially("2h 30m");
    assert.match(await file(page).inputValue(), /^work: 2h 30m$/m);
    await file(page).fill("walras: job/1\nname: a#b\nwork: 5\n");
    await page.getByLabel("Name").fill("c");
    assert.equal(await file(page).inputValue(), "walras: job/1\nname: c\nwork: 5\n");
    // And the script, as the service reads it.
    await script(page).fill('#!/bin/sh\n#WALRAS name "x # y"\n#WALRAS work 3m # short\n');
    await page.waitForFunction(() => document.querySelectorAll("textarea")[0]?.value.includes('name: "x # y"'));
    assert.equal(await page.getByLabel("Name").inputValue(), "x # y");
    await page.getByLabel("Work").fill("4m");
    assert.equal(await script(page).inputValue(), '#!/bin/sh\n#WALRAS name "x # y"\n#WALRAS work 4m # short\n');
  });
});

test("an array is one object with elements, and is submitted again", async () => {
  await inPage(ada, async (page) => {
    await open(page, "Submit");
    await page.getByLabel("Start from").selectOption("array");
    // So many that some are left to be cancelled, however long it takes here to come so far.
    await page.getByLabel("Array").fill("1-40%2");
    await page.getByLabel("Budget").fill("900");
    await page.waitForFunction(() => document.querySelectorAll("textarea")[1]?.value.includes("#WALRAS array 1-40%2"));
    await page.getByRole("button", { name: "Submit without a quote" }).click();
    await page.getByRole("heading", { name: "40 elements" }).waitFor();
    const first = await page.getByRole("region", { name: "Elements" }).getByRole("link", { name: /^\d+_1$/ }).textContent();
    await page.getByRole("region", { name: "Elements" }).getByRole("link", { name: first }).click();
    await page.getByRole("heading", { level: 1, name: `Job ${first}` }).waitFor();
    await page.goto(`${house.url}/jobs/${first}`);
    await state(page, "done").waitFor();
    const array = first.split("_")[0];
    await open(page, "Jobs");
    const line = page.getByRole("row", { name: /sweep/ });
    await line.first().waitFor();
    assert.equal(await line.count(), 1, "its elements are not listed beside it");
    await line.getByRole("link").click();
    await page.getByRole("heading", { level: 1, name: `Array ${array}` }).waitFor();
    await page.locator(".elements").getByLabel("State").selectOption("done");
    await page.getByRole("region", { name: "Elements" }).getByRole("link", { name: first }).waitFor();
    await page.getByRole("button", { name: "Cancel the array" }).click();
    await state(page, "cancelled").waitFor();
    await page.getByRole("button", { name: "Submit it again" }).click();
    await page.waitForFunction((old) => !location.pathname.endsWith(`/${old}`), array);
    await page.getByRole("heading", { name: "40 elements" }).waitFor();
    await page.getByRole("button", { name: "Cancel the array" }).click();
    await state(page, "cancelled").waitFor();
  });
});

test("jobs are put in order by a column, and the address says by which", async () => {
  for (const [name, tasks] of [["zeta", 1], ["alpha", 3], ["mu", 2]]) {
    await house.call("POST", "/v1/jobs", { walras: "job/1", name, work: 5, held: true, tasks }, ada.secret);
  }
  await inPage(ada, async (page) => {
    await page.goto(`${house.url}/jobs?state=held`);
    const rows = page.getByRole("region", { name: "Jobs" }).getByRole("row");
    const shown = async () => (await rows.allTextContents()).slice(1).map((text) => /zeta|alpha|mu/.exec(text)?.[0]);
    const order = (names) => page.waitForFunction((names) => [...document.querySelectorAll("tbody tr")].map((row) => /zeta|alpha|mu/.exec(row.textContent)?.[0]).join() === names, names.join());
    await rows.nth(3).waitFor();
    assert.deepEqual(await shown(), ["mu", "alpha", "zeta"], "the newest first");
    await page.getByRole("button", { name: "Nodes" }).click();
    await order(["zeta", "mu", "alpha"]);
    assert.equal(await page.getByRole("columnheader", { name: "Nodes" }).getAttribute("aria-sort"), "ascending");
    await page.getByRole("button", { name: "Nodes" }).click();
    await order(["alpha", "mu", "zeta"]);
    assert.match(page.url(), /sort=-Nodes/);
    await page.reload();
    await order(["alpha", "mu", "zeta"]);
  });
});

test("jobs are found by name, time and states, asked of the service and kept in the address", async () => {
  const made = [];
  for (const name of ["tide-north", "tide-south", "ebb"]) {
    made.push((await house.call("POST", "/v1/jobs", { walras: "job/1", name, work: 5, held: true }, ada.secret)).job);
  }
  await house.call("DELETE", `/v1/jobs/${made[0]}`, undefined, ada.secret);
  await inPage(ada, async (page) => {
    await open(page, "Jobs");
    const names = page.getByRole("region", { name: "Jobs" }).getByRole("link", { name: /tide|ebb/ });
    const shown = (count) => page.waitForFunction((count) => [...document.querySelectorAll("tbody a")].length === count, count);
    const asked = [];
    page.on("request", (request) => asked.push(new URL(request.url())));
    await page.getByLabel("Name").pressSequentially("tide-*", { delay: 20 });
    await shown(2);
    assert.deepEqual((await names.allTextContents()).map((text) => text.split(" ").at(-1)), ["tide-south", "tide-north"]);
    await page.waitForURL("**/jobs?name=tide-*");
    const lists = asked.filter((url) => url.pathname === "/v1/jobs" && url.searchParams.has("name"));
    assert.deepEqual([...new Set(lists.map((url) => url.searchParams.get("name")))], ["tide-*"], "nothing is asked for half a word");
    await page.getByLabel("State").selectOption("over");
    await shown(1);
    assert.match(await names.first().textContent(), /tide-north/);
    await page.getByLabel("State").selectOption("not over");
    await page.getByRole("link", { name: /tide-south/ }).waitFor();
    await page.reload();
    await shown(1);
    assert.equal(await page.getByLabel("Name").inputValue(), "tide-*");
    await page.getByLabel("State").selectOption("all");
    await shown(2);
    await page.getByLabel("Submitted since").fill("2099-01-01T10:30");
    await page.getByText("No job is like that.").waitFor();
    assert.equal(new URL(page.url()).searchParams.get("since"), new Date("2099-01-01T10:30").toISOString());
    await page.reload();
    await page.getByText("No job is like that.").waitFor();
    assert.equal(await page.getByLabel("Submitted since").inputValue(), "2099-01-01T10:30");
    await page.getByRole("link", { name: "Show all." }).click();
    await page.getByRole("link", { name: /ebb/ }).waitFor();
    assert.equal(await page.getByLabel("Name").inputValue(), "");
    // Several states that somebody wrote into the address are one choice.
    await page.goto(`${house.url}/jobs?state=held,cancelled&name=tide-*`);
    await shown(2);
    assert.equal(await page.getByLabel("State").evaluate((it) => it.selectedOptions[0].textContent), "held, cancelled");
  });
  for (const job of made.slice(1)) await house.call("DELETE", `/v1/jobs/${job}`, undefined, ada.secret);
});

test("a job that waits for another says so, and a job that is held is let go", async () => {
  const { job } = await house.call("POST", "/v1/jobs", { walras: "job/1", name: "first", work: 5, held: true }, ada.secret);
  await inPage(ada, async (page) => {
    await write(page, "walras: job/1\nname: second\nwork: 5\n");
    await page.getByLabel("After these jobs").fill(String(job));
    assert.match(await file(page).inputValue(), new RegExp(`^after: \\{ok: \\[${job}\\]\\}$`, "m"));
    await page.getByText("The job can be read.").waitFor();
    await page.getByRole("button", { name: "Submit without a quote" }).click();
    await state(page, "waiting").waitFor();
    await page.getByText(`It waits for job ${job} to end well.`).first().waitFor();
    await page.goto(`${house.url}/jobs/${job}`);
    await page.getByRole("button", { name: "Let the job go" }).click();
    await state(page, "done").waitFor();
    await open(page, "Jobs");
    await page.getByRole("link", { name: /second/ }).click();
    await state(page, "done").waitFor();
  });
});

test("sites hold what is quoted, with a countdown, until it is taken", async () => {
  await inPage(ada, async (page) => {
    await write(page, "walras: job/1\nname: kept\nwork: 5\nbudget: 100\n");
    await page.getByLabel("Have sites hold what is quoted").selectOption("60");
    await page.getByRole("button", { name: "Ask for a quote" }).click();
    await page.getByText(/held for \d+ s/).first().waitFor();
    const left = async () => Number(/binds for (\d+) s/.exec(await page.getByRole("timer").textContent())?.[1] ?? NaN);
    const before = await left();
    await page.waitForFunction((old) => Number(/(\d+) s/.exec(document.querySelector('[role="timer"]')?.textContent)?.[1]) < old, before || 60);
    await page.getByRole("button", { name: "Accept" }).click();
    await state(page, "reserved").waitFor();
    await page.getByRole("button", { name: "Cancel the job" }).click();
    await state(page, "cancelled").waitFor();
  });
});

test("after a submission one is told what to expect", async () => {
  // Nothing can start now: somebody has everything for a while.
  const wide = await house.call("POST", "/v1/jobs", { walras: "job/1", name: "wide", work: 40, tasks: 3, sites: ["campus"] }, ada.secret);
  await inPage(ada, async (page) => {
    await write(page, "walras: job/1\nname: poor\nwork: 20\nbudget: 1\n");
    await page.getByRole("button", { name: "Submit without a quote" }).click();
    await page.getByRole("heading", { name: "What to expect" }).waitFor();
    await page.getByText("As things are, it would not run:").waitFor();
    await page.getByText(/a budget of/).first().waitFor();
    await page.getByRole("button", { name: "Cancel the job" }).click();
    await state(page, "cancelled").waitFor();
  });
  await house.call("DELETE", `/v1/jobs/${wide.job}`, undefined, ada.secret);
});

test("a workflow is shown as planned and as it went, and is found in the schedule with its path", async () => {
  await inPage(ada, async (page) => {
    await open(page, "Submit");
    await page.getByLabel("Start from").selectOption("workflow");
    const picture = page.getByRole("img", { name: "Workflow of 4 tasks" });
    await picture.waitFor();
    // It is drawn as it is written.
    const text = (await file(page).inputValue()).replace("    - { name: join, work: 3 }\n", "    - { name: join, work: 3 }\n    - { name: last, work: 2 }\n");
    await file(page).fill(text + "    - { from: join, to: last }\n");
    await page.getByRole("img", { name: "Workflow of 5 tasks" }).waitFor();
    await page.getByText("A workflow has no script").waitFor();
    await page.getByRole("button", { name: "Submit without a quote" }).click();
    await page.getByRole("heading", { name: "Planned and actual" }).waitFor();
    await page.getByText("the end hangs on it").waitFor();
    await page.getByRole("link", { name: "In the schedule" }).click();
    await page.getByText(/Its end hangs on split, then .*(left|right), then join, then last/).waitFor();
    await page.getByRole("link", { name: "Open the job" }).click();
    await state(page, "done").waitFor();
    await page.getByText(/(earlier|later) than planned|just as planned/).first().waitFor();
    assert.equal(await page.locator(".plan rect.actual").count(), 5);
    assert.equal(await page.locator(".plan path.transfer").count(), 5);
  });
});

test("alternatives of a job that is chosen in the schedule are outlined and listed", async () => {
  // It may start late, so that it is planned and waits.
  const earliest = new Date(Date.now() + 300_000).toISOString();
  const { job } = await house.call("POST", "/v1/jobs", { walras: "job/1", name: "movable", work: 20, tasks: 2, budget: 500, earliest }, ada.secret);
  await inPage(ada, async (page) => {
    await page.goto(`${house.url}/schedule?job=${job}`);
    const listed = page.getByRole("region", { name: "Where else it could run" });
    await listed.waitFor();
    assert.ok((await listed.getByRole("row").count()) > 1);
    await page.getByRole("button", { name: "Let go" }).click();
    await listed.waitFor({ state: "detached" });
    await page.waitForURL("**/schedule");
  });
  const ben = await house.user("ben");
  await inPage(ben, async (page) => {
    await page.goto(`${house.url}/schedule?job=${job}`);
    await page.getByRole("application").waitFor();
    await page.waitForTimeout(800);
    assert.equal(await page.locator(".chosen").count(), 0, "it is not his");
    page.complaints.length = 0;
  });
  await house.call("DELETE", `/v1/jobs/${job}`, undefined, ada.secret);
});
