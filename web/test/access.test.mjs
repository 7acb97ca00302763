// What the page asks for, asked by others: nobody's page is told what is not theirs.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { inPage as inOwnPage, launch, open } from "./browser.mjs";
import { House } from "./house.mjs";

const NAMES = { user: ["Market", "Schedule", "Submit", "Jobs", "Sites", "Money", "Policy"], owner: ["Market", "Schedule", "Sites", "Money", "Policy"] };
NAMES.administrator = [...NAMES.user, "Cycles", "People"];

let house;
let browser;
let ada;
let job;
let quote;

before(async () => {
  [house, browser] = await Promise.all([House.open(), launch()]);
  ada = await house.user("ada");
  await house.offers();
  const sent = { walras: "job/1", name: "secret-of-ada", work: 300, sites: ["campus"], budget: 700 };
  job = (await house.call("POST", "/v1/jobs", sent, ada.secret)).job;
  quote = (await house.call("POST", "/v1/quotes", { ...sent, name: "quote-of-ada" }, ada.secret)).quote;
  await house.call("PUT", "/v1/sites/campus/prices", { base: 0.5, users: { ada: 0.4 } });
});

after(async () => {
  await browser?.close();
  await house?.close();
});

/** All that a page asks for in its views: method and address, each once. */
async function askedBy(token, names, more = []) {
  const asked = new Set();
  await inOwnPage({ browser, house }, token, async (page) => {
    page.on("request", (request) => {
      const url = new URL(request.url());
      if (url.pathname.startsWith("/v1/") && url.pathname !== "/v1/events" && request.method() === "GET") asked.add(url.pathname + url.search);
    });
    for (const name of names) {
      await open(page, name);
      await page.waitForTimeout(900);
    }
    for (const path of more) {
      await page.goto(house.url + path);
      await page.waitForTimeout(900);
    }
  });
  return [...asked];
}

/** The same asked by somebody's page, with the cookie that it is signed in by. */
async function answers(token, paths) {
  let all;
  await inOwnPage({ browser, house }, token, async (page) => {
    all = await page.evaluate(async (paths) => {
      const found = [];
      for (const path of paths) {
        const answer = await fetch(path, { headers: { "X-Walras-Page": "1" } });
        found.push([path, answer.status, await answer.text()]);
      }
      return found;
    }, paths);
    // The browser writes down what is refused.
    page.complaints.length = 0;
  });
  return all;
}

test("what pages ask for tells others nothing of what is somebody's own", async () => {
  const own = [`/jobs/${job}`, `/schedule?job=${job}`];
  const asked = [
    ...(await askedBy(ada, NAMES.user, own)),
    ...(await askedBy(await house.token("owner", "olga"), NAMES.owner)),
    ...(await askedBy({ secret: house.administrator }, NAMES.administrator, [...own, "/money?account=user:ada", "/jobs?user=ada"])),
    `/v1/quotes/${quote}`,
    `/v1/jobs/${job}/output`,
  ];
  const paths = [...new Set(asked)];
  assert.ok(paths.length > 25, paths.join("\n"));
  // Whoever it belongs to is told: what is looked for below is there to be found.
  const theirs = await answers(ada, paths);
  assert.ok(theirs.some(([, , body]) => body.includes("secret-of-ada")) && theirs.some(([, , body]) => body.includes("quote-of-ada")));
  const telling = (body) => /secret-of-ada|quote-of-ada|user:ada|"ada"/.test(body);
  for (const [who, token] of [["ben", await house.user("ben")], ["otto", await house.token("owner", "otto")]]) {
    const told = await answers(token, paths);
    assert.ok(told.every(([, status]) => [200, 403, 404].includes(status) || status === 400), told.map(([path, status]) => `${status} ${path}`).join("\n"));
    assert.deepEqual(told.filter(([, , body]) => telling(body)).map(([path]) => `${who}: ${path}`), []);
    assert.ok(told.filter(([, status]) => status === 403).length >= 5, "what is the administrator's is refused");
  }
});
