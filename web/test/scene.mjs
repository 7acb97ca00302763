// What most tests of the page begin with: a service that sells, a browser, and ada, who has money. Each file of tests has its own, which end
// with it.
import { after, before } from "node:test";
import { inPage as inPageOf, launch } from "./browser.mjs";
import { House } from "./house.mjs";

export let house;
export let browser;
export let ada;

before(async () => {
  [house, browser] = await Promise.all([House.open(), launch()]);
  ada = await house.user("ada");
  await house.offers();
});

after(async () => {
  await browser?.close();
  await house?.close();
});

/** Runs a test in a page of its own, which must not complain. */
export const inPage = (token, run, options) => inPageOf({ browser, house }, token, run, options);
