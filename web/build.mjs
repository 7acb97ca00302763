// Builds the page into dist/ (or the folder that is named): the same bytes from the same sources, everywhere.
import { build } from "esbuild";
import { copyFile, mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));

export const settings = {
  absWorkingDir: here,
  entryPoints: { app: "src/main.tsx" },
  bundle: true,
  format: "esm",
  target: "es2022",
  jsx: "automatic",
  jsxImportSource: "preact",
  minify: true,
  legalComments: "eof",
  charset: "utf8",
  logLevel: "warning",
};

export async function buildInto(folder) {
  await mkdir(folder, { recursive: true });
  await build({ ...settings, outdir: folder });
  for (const name of ["index.html", "icon.svg"]) {
    await copyFile(join(here, "src", name), join(folder, name));
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await buildInto(process.argv[2] ?? join(here, "dist"));
}
