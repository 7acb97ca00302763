// A browser whose pages must not complain: errors on the console and failed requests are kept to be looked at.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { chromium } from "playwright-core";

const CHROMIUM = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

export async function launch() {
  const executablePath = process.env.CHROMIUM ?? CHROMIUM.find(existsSync);
  if (!executablePath) throw new Error("there is no Chromium: `scripts/setup web` installs it");
  return chromium.launch({ executablePath, args: FLAGS });
}

/** The page is the one in a folder, before the program as it was built: whoever works on the page need not build the program. */
async function serveFrom(context, folder) {
  for (const [name, contentType] of [["app.js", "text/javascript"], ["app.css", "text/css"]]) {
    const [word, ending] = name.split(".");
    const path = new RegExp(`/assets/${word}-\\w+\\.${ending}$`);
    await context.route(path, async (route) => route.fulfill({ body: await readFile(join(folder, name)), contentType }));
  }
}

/** A page of its own: nobody is signed in. */
export async function visit(browser, house, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options });
  if (process.env.PAGE) await serveFrom(context, process.env.PAGE);
  const page = await context.newPage();
  // A busy machine is slow, and that is no fault of the page.
  page.setDefaultTimeout(60_000);
  page.complaints = [];
  page.bodies = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) page.complaints.push(message.text());
  });
  // Whoever is asked whether they are sure is.
  page.on("dialog", (dialog) => dialog.accept());
  page.on("pageerror", (error) => page.complaints.push(String(error)));
  page.on("request", (request) => {
    const url = new URL(request.url());
    if (!["blob:", "data:"].includes(url.protocol) && url.origin !== house.url) page.complaints.push(`asked ${url.origin}`);
  });
  page.on("response", async (response) => {
    if (response.status() >= 400) page.complaints.push(`${response.status()} ${response.url()}`);
    if ((response.headers()["content-type"] ?? "").includes("json")) {
      page.bodies.push(await response.text().catch(() => ""));
    }
  });
  await page.goto(house.url);
  return page;
}

export async function signIn(page, token) {
  await page.getByLabel("Your token").fill(token.secret);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("heading", { level: 1, name: "Market" }).waitFor();
}

/** Goes to a view by the menu, as people do. */
export async function open(page, name) {
  const menu = page.getByRole("button", { name: "Menu" });
  if (await menu.isVisible()) await menu.click();
  await page.getByRole("navigation", { name: "Views" }).getByRole("link", { name, exact: true }).click();
}

const require = createRequire(import.meta.url);
let axe;

/** What breaks the rules of WCAG, A and AA, on the page as it is. */
export async function violations(page) {
  axe ??= await readFile(require.resolve("axe-core/axe.min.js"), "utf8");
  await page.evaluate(axe);
  return page.evaluate(async () => {
    const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];
    const found = await globalThis.axe.run(document, { runOnly: { type: "tag", values: tags } });
    return found.violations.map((it) => `${it.id}: ${it.nodes.map((node) => node.html.slice(0, 160)).join(" | ")}`);
  });
}

/** Runs a test in a page of its own, which must not complain. */
export async function inPage({ browser, house }, token, run, options) {
  const page = await visit(browser, house, options);
  try {
    if (token) await signIn(page, token);
    await run(page);
    assert.deepEqual(page.complaints, []);
  } finally {
    await page.context().close();
  }
}

/** Writes a job file in the view for it, and waits until it is read. */
export async function write(page, text) {
  await open(page, "Submit");
  await page.getByLabel("The job as a file, in YAML").fill(text);
  await page.getByText("The job can be read.").waitFor();
}

/** The state of the job whose page is open. */
export const state = (page, name) => page.locator(".heading .badge", { hasText: name });
