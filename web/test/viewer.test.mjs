// The page in its viewer's manner: by keys alone, in another zone and language, on several screens at once, and as a file.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { open, signIn, state, visit } from "./browser.mjs";
import { ada, browser, house, inPage } from "./scene.mjs";

/** Presses a key until something that is called so has the focus. */
async function reach(page, name, key = "Tab") {
  for (let presses = 0; presses < 80; presses += 1) {
    await page.keyboard.press(key);
    const at = await page.evaluate(() => {
      const it = document.activeElement;
      return it?.labels?.[0]?.textContent ?? it?.getAttribute("aria-label") ?? it?.textContent?.trim();
    });
    if (at === name) return;
  }
  assert.fail(`${name} is not reached`);
}

test("whoever has only keys signs in, asks for a quote, accepts it and cancels the job", async () => {
  await inPage(null, async (page) => {
    await page.getByLabel("Your token").waitFor();
    await reach(page, "Your token");
    await page.keyboard.insertText(ada.secret);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "Market" }).waitFor();
    await reach(page, "New here? A short way around");
    await page.keyboard.press("Enter");
    await reach(page, "Write a job");
    await page.keyboard.press("Enter");
    await page.getByText("The job can be read.").waitFor();
    await reach(page, "Name");
    await page.keyboard.press("Control+A");
    await page.keyboard.type("by-keys");
    await page.getByText("The job can be read.").waitFor();
    await page.waitForFunction(() => document.querySelectorAll("textarea")[1]?.value.includes("by-keys"));
    await reach(page, "Nodes at once");
    await page.keyboard.press("Control+A");
    await page.keyboard.type("2");
    await page.waitForFunction(() => document.querySelectorAll("textarea")[1]?.value.includes("tasks 2"));
    await reach(page, "Ask for a quote");
    await page.keyboard.press("Enter");
    await page.getByRole("radio").first().waitFor();
    await reach(page, "Accept");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "by-keys" }).waitFor();
    await reach(page, "Cancel the job");
    await page.keyboard.press("Enter");
    await state(page, "cancelled").waitFor();
  });
});

test("times are in the viewer's zone and numbers in the viewer's manner", async () => {
  await house.call("POST", "/v1/deposits", { account: "user:ada", amount: 1_234_567.5 });
  const { job } = await house.call("POST", "/v1/jobs", { walras: "job/1", name: "abroad", work: 5, held: true }, ada.secret);
  const at = new Date((await house.call("GET", `/v1/jobs/${job}`, undefined, ada.secret)).queued_at);
  for (const [locale, timezoneId, amount] of [["de-DE", "Asia/Tokyo", /1\.23\d\.\d{3},/], ["en-US", "America/New_York", /1,23\d,\d{3}\./]]) {
    await inPage(ada, async (page) => {
      await open(page, "Money");
      const balance = await page.locator(".tile", { hasText: "Balance" }).textContent();
      assert.match(balance, amount);
      await open(page, "Jobs");
      const clock = new Intl.DateTimeFormat(locale, { timeZone: timezoneId, hour: "2-digit", minute: "2-digit", second: "2-digit" }).format(at);
      const row = await page.getByRole("row", { name: /abroad/ }).textContent();
      assert.ok(row.replaceAll(/\s/g, " ").includes(clock.replaceAll(/\s/g, " ")), `${row} at ${clock}`);
    }, { locale, timezoneId });
  }
  await house.call("DELETE", `/v1/jobs/${job}`, undefined, ada.secret);
});

test("who signs out everywhere is signed out on other screens too", async () => {
  const other = await visit(browser, house);
  await signIn(other, ada);
  await inPage(ada, async (page) => {
    await page.locator(".identity summary").click();
    await page.getByRole("button", { name: "Sign out everywhere" }).click();
    await page.getByLabel("Your token").waitFor();
    await other.getByLabel("Your token").waitFor();
    assert.equal((await house.call("GET", "/v1/me", undefined, ada.secret)).name, "ada", "the token itself is good still");
  });
  await other.context().close();
});

test("a statement is saved as a file, with all of its lines", async () => {
  await inPage(ada, async (page) => {
    await open(page, "Money");
    const [saved] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Save as CSV" }).click()]);
    assert.equal(saved.suggestedFilename(), "statement.csv");
    const lines = (await readFile(await saved.path(), "utf8")).trim().split(/\r?\n/);
    const { lines: told } = await house.call("GET", "/v1/account/statement?limit=1000", undefined, ada.secret);
    assert.equal(lines.length, told.length + 1);
    assert.ok(told.length > 1 && lines[0].includes("amount"), lines[0]);
  });
});
