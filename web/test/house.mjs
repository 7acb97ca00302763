// A service with two sites, and people in it, for the tests of the page.
import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..");

/** The program: the one that is named, or the one that cargo built. */
export const program = process.env.WALRAS ?? join(root, "target", "debug", "walras");

const CONFIG = `
listen = "127.0.0.1:PORT"
data = "data"
[limits]
requests_per_second = 100000
burst = 100000
[policy]
cycle_every = 1
horizon = 1800
lead = 1
offers_within = 1
plan_within = 10
prepare_within = 2
confirm_within = 2
grace = 5
[policy.quotes]
valid_for = 60
lead = 3
[[site]]
name = "campus"
owner = "olga"
connector = "simulated"
count = 3
price = 0.5
[site.simulated]
seed = 1
takes_min = 0.8
takes_max = 0.9
[[site]]
name = "cloud"
owner = "otto"
connector = "simulated"
count = 2
performance = 3
price = 4
[site.simulated]
seed = 2
takes_min = 0.8
takes_max = 0.9
`;

/** A port that nobody listens on now. */
export async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

export class House {
  /** `more` is added to the configuration; it may name PORT, which is then chosen before. `prepare` is called with its folder. */
  static async open(more = "", prepare = async () => undefined) {
    const house = new House();
    house.config = CONFIG + more;
    house.folder = await mkdtemp(join(tmpdir(), "walras-web-"));
    house.port = more.includes("PORT") ? await freePort() : 0;
    await prepare(house.folder);
    await house.start();
    return house;
  }

  /** Starts the service; once it has a port it keeps it. */
  async start() {
    const config = join(this.folder, "walras.toml");
    await writeFile(config, this.config.replaceAll("PORT", String(this.port)));
    this.process = spawn(program, ["serve", "--config", config], { stdio: ["ignore", "pipe", "pipe"] });
    let said = "";
    const address = await new Promise((resolve, reject) => {
      const hear = (bytes) => {
        said += bytes;
        const found = /listening on (http:\/\/127\.0\.0\.1:(\d+))/.exec(said);
        if (found) resolve(found);
      };
      this.process.stdout.on("data", hear);
      this.process.stderr.on("data", hear);
      this.process.on("exit", (code) => reject(new Error(`the service ended with ${code}: ${said}`)));
      this.process.on("error", reject);
    });
    this.url = address[1];
    this.port = Number(address[2]);
    this.administrator = (await readFile(join(this.folder, "data", "administrator.token"), "utf8")).trim();
  }

  /** Ends the service, as if the machine had lost power. */
  async kill() {
    const ended = new Promise((resolve) => this.process.once("exit", resolve));
    this.process.kill("SIGKILL");
    await ended;
  }

  async close() {
    await this.kill();
    await rm(this.folder, { recursive: true, force: true });
  }

  async call(method, path, body, token = this.administrator) {
    const answer = await fetch(this.url + path, {
      method,
      headers: { Authorization: `Bearer ${token}`, ...(body ? { "Content-Type": "application/json" } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return JSON.parse(text);
  }

  async token(role, name) {
    const made = await this.call("POST", "/v1/tokens", { role, name });
    return { number: made.token.token, secret: made.secret };
  }

  /** Adds a user with money; gives a token. */
  async user(name) {
    await this.call("PUT", `/v1/users/${name}`, { group: "physics" });
    await this.call("POST", "/v1/deposits", { account: `user:${name}`, amount: 1000 });
    return this.token("user", name);
  }

  /** Waits until every site has said what is free. */
  async offers() {
    for (;;) {
      const { offers } = await this.call("GET", "/v1/offers");
      if (new Set(offers.map((offer) => offer.site)).size >= 2) return;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}
