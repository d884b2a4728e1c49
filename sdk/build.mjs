// Makes dist/ from src/. With --check it makes it elsewhere and compares: dist/ is committed, because the server
// embeds it and must build without Node.
import { mkdtemp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = fileURLToPath(new URL(".", import.meta.url));
const dist = join(here, "dist");
const files = ["wishbone.js", "wishbone.d.ts"];

async function make(outdir) {
  const { version, license } = JSON.parse(await readFile(join(here, "package.json"), "utf8"));
  const banner = `/*! Wishbone client script ${version} | ${license} */`;
  await mkdir(outdir, { recursive: true });
  await build({
    absWorkingDir: here,
    entryPoints: ["src/index.ts"],
    outfile: join(outdir, "wishbone.js"),
    bundle: true,
    format: "iife",
    target: "es2019",
    minify: true,
    legalComments: "none",
    banner: { js: banner },
    define: { VERSION: JSON.stringify(version) },
    logLevel: "warning",
  });
  const types = await readFile(join(here, "src/api.ts"), "utf8");
  await writeFile(join(outdir, "wishbone.d.ts"), `${banner}\n${types.replace(/^\/\/.*\n\n/, "\n")}`);
}

async function stale() {
  const fresh = await mkdtemp(join(tmpdir(), "wishbone-sdk-"));
  try {
    await make(fresh);
    const text = (dir, file) => readFile(join(dir, file), "utf8").catch(() => "");
    const pairs = await Promise.all(files.map(async (file) => [file, await text(fresh, file), await text(dist, file)]));
    return pairs.filter(([, made, committed]) => made !== committed).map(([file]) => file);
  } finally {
    await rm(fresh, { recursive: true });
  }
}

if (process.argv.includes("--check")) {
  const old = await stale();
  if (old.length > 0) {
    console.error(`sdk/dist is not what sdk/src makes (${old.join(", ")}). Run "npm run build" in sdk/ and commit sdk/dist.`);
    process.exit(1);
  }
} else {
  await make(dist);
}
