// How many jobs the service takes a second while so many pages are open: node bench/pages.mjs [PAGES]
//
// Every page listens to events and asks for what the market shows, as often as a page does; they are of another user than who submits.
// Rounds with and without pages alternate.
// Where others use the machine as well, how many jobs are taken says little: what the service needs of the processors for one, with and
// without pages, says more.
// WALRAS names the program.
import { readFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { House } from "../test/house.mjs";

const pages = Number(process.argv[2] ?? 200);
const CLIENTS = 8;
const ROUND = 8_000;
const ROUNDS = 3;
const EVERY = 2_500;
const sleep = (millis) => new Promise((resolve) => setTimeout(resolve, millis));

const house = await House.open();
const [ada, ben] = [await house.user("ada"), await house.user("ben")];
// Nothing is planned meanwhile: what is measured is taking jobs in, as many as come.
const sharing = { user: { jobs: 10_000_000, node_time: 3_155_760_000, bytes: 10_000_000_000 } };
await house.call("PATCH", "/v1/policy", { cycle_every: 86_400, decide: "at-once", lead: 5, sharing });
await sleep(1_500);

function call(agent, method, path, body, token = ada) {
  return new Promise((resolve, reject) => {
    const headers = { Authorization: `Bearer ${token.secret}`, ...(body ? { "Content-Type": "application/json" } : {}) };
    const sent = request(house.url + path, { method, headers, agent }, (answer) => {
      if (path === "/v1/events") return resolve(answer.resume());
      answer.resume().on("end", () => (answer.statusCode < 400 ? resolve() : reject(new Error(`${path}: ${answer.statusCode}`))));
    });
    sent.on("error", reject).end(body);
  });
}

async function openPages() {
  const agent = new Agent({ keepAlive: true, maxSockets: pages });
  const streams = await Promise.all(Array.from({ length: pages }, () => call(new Agent(), "GET", "/v1/events", undefined, ben)));
  const timers = streams.map(() => {
    const ask = () => call(agent, "GET", `/v1/history?after=${new Date(Date.now() - EVERY).toISOString()}`, undefined, ben).catch(() => undefined);
    let every;
    const first = setTimeout(() => (every = setInterval(ask, EVERY)), Math.random() * EVERY);
    return () => [clearTimeout(first), clearInterval(every)];
  });
  return () => {
    timers.forEach((stop) => stop());
    streams.forEach((stream) => stream.destroy());
    agent.destroy();
  };
}

/** Milliseconds of processors that the service has used, where Linux says so. */
function used() {
  try {
    const fields = readFileSync(`/proc/${house.process.pid}/stat`, "utf8").split(") ")[1].split(" ");
    return (Number(fields[11]) + Number(fields[12])) * 10;
  } catch {
    return NaN;
  }
}

async function round() {
  const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS });
  const job = JSON.stringify({ walras: "job/1", name: "many", work: 60 });
  const until = Date.now() + ROUND;
  let taken = 0;
  const before = used();
  const client = async () => {
    for (; Date.now() < until; taken += 1) await call(agent, "POST", "/v1/jobs", job);
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  agent.destroy();
  return { rate: taken / (ROUND / 1_000), each: (used() - before) / taken };
}

const percent = (now, before) => `${now < before ? "−" : "+"}${Math.abs((100 * now) / before - 100).toFixed(0)} %`;
const sums = { alone: 0, beside: 0, cost: [0, 0] };

for (let turn = 0; turn < ROUNDS; turn += 1) {
  const alone = await round();
  const close = await openPages();
  await sleep(2_000);
  const beside = await round();
  close();
  console.log(
    `${alone.rate.toFixed(0)} jobs a second alone, ${beside.rate.toFixed(0)} with ${pages} pages: ${percent(beside.rate, alone.rate)}; ` +
      `${alone.each.toFixed(2)} and ${beside.each.toFixed(2)} ms of processors for each: ${percent(beside.each, alone.each)}`,
  );
  sums.alone += alone.rate;
  sums.beside += beside.rate;
  sums.cost = [sums.cost[0] + alone.each, sums.cost[1] + beside.each];
  await sleep(1_000);
}
console.log(`in the mean: ${percent(sums.beside, sums.alone)} jobs a second, ${percent(sums.cost[1], sums.cost[0])} of processors for each`);
await house.close();
process.exit(0);
