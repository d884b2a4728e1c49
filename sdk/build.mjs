// Makes dist/ from src/. With --check it makes it elsewhere and compares: dist/ is committed, because the server
// embeds it and must build without Node.
import { mkdtemp, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build, transform } from "esbuild";

const here = fileURLToPath(new URL(".", import.meta.url));
const dist = join(here, "dist");
// Files that the script loads on demand, and the most that each may take, gzipped. A third of the elements are texts in
// eight languages.
const parts = { live: 2_000, elements: 34_000, legacy: 12_200 };
const TYPES = ["elements", "react", "vue"];
// What a shop's visitors download before anything else can happen.
const MAX_GZIPPED = 14_000;
// Properties that only the core's own objects have, renamed to save space. Nothing of the API, the server, the browser,
// or a message between tabs may be among them.
const INTERNAL = [
  ["accepts", "announced", "answer", "ask", "attempts", "batch", "broadcast", "change", "check", "commands", "configured"],
  ["deliver", "direct", "directory", "drop", "ended", "events", "execute", "field", "flush", "follow", "forget"],
  ["identities", "isOnce", "keep", "known", "later", "leave", "listeners", "lost", "notify", "once", "outcome"],
  ["peek", "pending", "post", "reader", "reads", "register", "removes", "report", "restart", "sender", "session", "settle", "single"],
  ["start", "stopped", "storage", "stored", "submit", "transport", "underWay", "unstored", "validate", "wait", "waiting"],
  ["wake", "within", "writer", "written"],
].flat();
// The same of the elements: members that no page, template or other script uses.
const INTERNAL_OF_ELEMENTS = [
  ["allToCart", "byline", "cartButton", "cartLink", "confirmation", "countView", "createForm", "dialogButton", "discussion"],
  ["emailProblem", "focusNext", "focusOn", "hasAlerts", "hears", "isCreating", "isFurtherBack", "isLoadingMore", "isMailing"],
  ["isOrdered", "itemDialog", "keepFocus", "linkKey", "linkView", "listens", "loadCount", "loadPictures", "mailForm"],
  ["nameGiven", "needsLoad", "offerChange", "orQueued", "overview", "reloads", "renameForm", "reorder", "scheduled", "shareNatively"],
  ["shopAddress", "subscription", "unsubscribe", "counted", "discard", "editing", "endUndo", "inCart", "isLoaded", "isPressed"],
  ["isQueued", "isSending", "moveToCart", "outside", "placed", "refuse", "resend", "switcher", "toCart", "wanted", "isAbout", "isOpen", "robots", "sending"],
].flat();

/** Imports of .css files give their minified text. */
const styles = {
  name: "styles",
  setup(build) {
    build.onLoad({ filter: /\.css$/ }, async ({ path }) => {
      const { code } = await transform(await readFile(path, "utf8"), { loader: "css", minify: true });
      return { contents: code.trim(), loader: "text" };
    });
  },
};

// Compresses better if languages that have words in common are neighbours.
const RELATED = ["en", "nl", "de", "fr", "es", "pt", "it"];

/** The import "languages" is the keys and, for each language, its texts, a line each: keys and quotes would be a tenth of the file. */
const languages = {
  name: "languages",
  setup(build) {
    build.onResolve({ filter: /^languages$/ }, ({ path }) => ({ path, namespace: "languages" }));
    build.onLoad({ filter: /.*/, namespace: "languages" }, async () => {
      const folder = join(here, "src/elements/languages");
      const names = (await readdir(folder)).map((file) => file.replace(/\.json$/, ""));
      const place = (name) => `${RELATED.indexOf(name)} ${name}`;
      names.sort((a, b) => (place(a) < place(b) ? -1 : 1));
      const read = async (name) => JSON.parse(await readFile(join(folder, name), "utf8"));
      const keys = Object.keys(await read("en.json"));
      const column = async (name) => [name, await read(`${name}.json`).then((texts) => keys.map((key) => texts[key]).join("\n"))];
      const columns = Object.fromEntries(await Promise.all(names.map(column)));
      return { contents: JSON.stringify({ keys: keys.join("\n"), columns }), loader: "json" };
    });
  },
};

async function make(outdir) {
  const { version, license } = JSON.parse(await readFile(join(here, "package.json"), "utf8"));
  const banner = `/*! Wishbone client script ${version} | ${license} */`;
  await mkdir(outdir, { recursive: true });
  const bundle = (entry, file, format, more) => build({
    absWorkingDir: here,
    entryPoints: [entry],
    outfile: join(outdir, file),
    bundle: true,
    format,
    target: "es2020",
    minify: true,
    legalComments: "none",
    banner: { js: banner },
    define: { VERSION: JSON.stringify(version) },
    plugins: [styles, languages],
    logLevel: "warning",
    ...more,
  });
  const renamed = (names) => ({ mangleProps: new RegExp(`^(${names.join("|")})$`) });
  const core = renamed(INTERNAL);
  await bundle("src/index.ts", "wishbone.js", "iife", core);
  await bundle("src/module.ts", "wishbone.mjs", "esm", core);
  await keepImports(join(outdir, "wishbone.mjs"));
  const elements = renamed(INTERNAL_OF_ELEMENTS);
  for (const name in parts) await bundle(`src/${name}/index.ts`, `wishbone-${name}.mjs`, "esm", name === "elements" && elements);
  await buildSingles(join(outdir, "elements"));
  const text = (source) => readFile(join(here, source), "utf8");
  const index = await text("src/api/index.ts");
  const subjects = await Promise.all([...index.matchAll(/"\.\/(\w+)"/g)].map(([, name]) => text(`src/api/${name}.ts`)));
  const types = subjects.map((subject) => subject.replace(/^(import .*\n)+\n/, "")).join("\n");
  await writeFile(join(outdir, "wishbone.d.ts"), `${banner}\n\n${types}`);
  const published = { "../api": "./wishbone.js", "./api": "./wishbone-elements.js" };
  for (const name of TYPES) {
    const source = await text(`src/elements/${name === "elements" ? "api.ts" : `${name}.d.ts`}`);
    const types = source.replace(/^\/\/.*\n\n/, "\n").replace(/"(\.\.?\/api)"/g, (_, from) => `"${published[from]}"`);
    await writeFile(join(outdir, `wishbone-${name}.d.ts`), `${banner}\n${types}`);
  }

  /** Each element as a module of its own, for bundlers. What several need is in files that they share. */
  async function buildSingles(outdir) {
    await rm(outdir, { recursive: true, force: true });
    await build({
      absWorkingDir: here,
      entryPoints: { index: "src/elements/index.ts", ...(await singles()) },
      outdir,
      outExtension: { ".js": ".mjs" },
      chunkNames: "shared-[hash]",
      bundle: true,
      splitting: true,
      format: "esm",
      target: "es2020",
      minify: true,
      legalComments: "none",
      banner: { js: banner },
      plugins: [styles, languages],
      logLevel: "warning",
      ...elements,
    });
  }
}

async function singles() {
  const sources = (await readdir(join(here, "src/elements/single"))).sort();
  return Object.fromEntries(sources.map((file) => [file.replace(/\.ts$/, ""), `src/elements/single/${file}`]));
}

/** All files of a directory, with their paths in it. */
async function filesIn(directory) {
  const found = await readdir(directory, { recursive: true, withFileTypes: true });
  return found.filter((entry) => entry.isFile()).map(({ parentPath, name }) => relative(directory, join(parentPath, name))).sort();
}

/**
 * Tells the bundlers of shops to leave imports of addresses alone: webpack replaces them with ones that always fail. In src
 * the comments would be lost, since minifying removes them.
 */
async function keepImports(file) {
  const text = await readFile(file, "utf8");
  await writeFile(file, text.replace(/\bimport\((?=\w+\))/g, "import(/* webpackIgnore: true */ /* @vite-ignore */"));
}

async function tooLarge() {
  const sizes = await Promise.all((await filesIn(dist)).map(async (file) => [file, await readFile(join(dist, file))]));
  for (const [file, text] of sizes) console.log(`${file}: ${text.length} bytes, ${gzipSync(text).length} gzipped`);
  const limit = (file) => parts[file.match(/^wishbone-(\w+)\./)?.[1]] || MAX_GZIPPED;
  // A single element is a part of the elements: it has no limit of its own.
  const scripts = sizes.filter(([file, text]) => /^wishbone.*js$/.test(file) && gzipSync(text).length > limit(file));
  return scripts.map(([file]) => `${file} (limit ${limit(file)})`);
}

async function stale() {
  const fresh = await mkdtemp(join(tmpdir(), "wishbone-sdk-"));
  try {
    await make(fresh);
    const text = (dir, file) => readFile(join(dir, file), "utf8").catch(() => "");
    const files = [...new Set([...(await filesIn(fresh)), ...(await filesIn(dist))])];
    const pairs = await Promise.all(files.map(async (file) => [file, await text(fresh, file), await text(dist, file)]));
    return pairs.filter(([, made, committed]) => made !== committed).map(([file]) => file);
  } finally {
    await rm(fresh, { recursive: true });
  }
}

const isCheck = process.argv.includes("--check");
if (!isCheck) await make(dist);
const old = isCheck ? await stale() : [];
const large = await tooLarge();
if (old.length > 0) {
  console.error(`sdk/dist is not what sdk/src makes (${old.join(", ")}). Run "npm run build" in sdk/ and commit sdk/dist.`);
}
if (large.length > 0) {
  console.error(`Too large gzipped: ${large.join(", ")}. Remove something, or load it on demand.`);
}
if (old.length + large.length > 0) process.exit(1);
