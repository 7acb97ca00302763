// For working on the page: builds it anew for every load and passes everything else on to a running service.
//   node dev.mjs [http://127.0.0.1:7878] [PORT]
import { build } from "esbuild";
import { createServer, request } from "node:http";
import { readFile } from "node:fs/promises";
import { settings } from "./build.mjs";

const service = new URL(process.argv[2] ?? "http://127.0.0.1:7878");
const port = Number(process.argv[3] ?? 5173);

async function built() {
  const result = await build({ ...settings, outdir: "dist", write: false, minify: false, sourcemap: "inline" });
  return new Map(result.outputFiles.map((file) => [file.path.endsWith(".css") ? "app.css" : "app.js", file.text]));
}

function pass(incoming, outgoing) {
  const onward = request(
    new URL(incoming.url, service),
    { method: incoming.method, headers: { ...incoming.headers, host: service.host } },
    (answer) => {
      outgoing.writeHead(answer.statusCode, answer.headers);
      answer.pipe(outgoing);
    },
  );
  onward.on("error", () => outgoing.writeHead(502).end());
  incoming.pipe(onward);
}

createServer(async (incoming, outgoing) => {
  const path = new URL(incoming.url, service).pathname;
  try {
    if (path.startsWith("/assets/app.")) {
      const name = path.slice("/assets/".length);
      const media = name.endsWith(".css") ? "text/css" : "text/javascript";
      outgoing.writeHead(200, { "content-type": media }).end((await built()).get(name));
    } else if (path === "/assets/icon.svg") {
      outgoing.writeHead(200, { "content-type": "image/svg+xml" }).end(await readFile("src/icon.svg"));
    } else if (!path.startsWith("/v1") && (incoming.headers.accept ?? "").includes("text/html") && path !== "/docs") {
      outgoing.writeHead(200, { "content-type": "text/html" }).end(await readFile("src/index.html"));
    } else {
      pass(incoming, outgoing);
    }
  } catch (error) {
    outgoing.writeHead(500).end(String(error));
  }
}).listen(port, "127.0.0.1", () => console.log(`http://127.0.0.1:${port} before ${service.href}`));
