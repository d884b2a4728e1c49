// The package as npm would publish it.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { build } from "esbuild";
import { launch, openShop } from "./support/browser.mjs";
import { demoServer } from "./support/server.mjs";

const run = promisify(execFile);
const here = fileURLToPath(new URL("..", import.meta.url));
let server, folder, packed;

before(async () => {
  server = await demoServer();
  folder = await mkdtemp(join(tmpdir(), "wishbone-package-"));
  const { stdout } = await run("npm", ["pack", "--json", "--pack-destination", folder], { cwd: here });
  [packed] = JSON.parse(stdout);
  const target = join(folder, "node_modules", packed.name);
  await mkdir(target, { recursive: true });
  await run("tar", ["-xzf", join(folder, packed.filename), "-C", target, "--strip-components=1"]);
  await writeFile(join(folder, "package.json"), '{"type":"module"}');
});

after(async () => {
  await server?.stop();
  if (folder) await rm(folder, { recursive: true });
});

test("it has the built files, the licences of the project and no others", async () => {
  const files = packed.files.map(({ path }) => path).sort();
  const parts = ["elements.d.ts", "elements.mjs", "legacy.mjs", "live.mjs", "react.d.ts", "vue.d.ts"].map((name) => `dist/wishbone-${name}`);
  const singles = ["alerts", "heart", "index", "list", "lists", "notify", "saved", "share", "shared-list"].map((name) => `dist/elements/${name}.mjs`);
  const own = files.filter((file) => !/^dist\/elements\/shared-[A-Z0-9]{8}\.mjs$/.test(file));
  const core = ["dist/wishbone.d.ts", "dist/wishbone.js", "dist/wishbone.mjs"];
  const licences = ["LICENSE-APACHE", "LICENSE-MIT"];
  assert.deepEqual(own, [...licences, "README.md", ...singles, ...parts, ...core, "package.json"]);
  for (const name of licences) {
    assert.equal(await readFile(join(folder, "node_modules", packed.name, name), "utf8"), await readFile(join(here, "..", name), "utf8"));
  }
});

test("it can be imported outside of a browser, where it keeps nothing and ends", async () => {
  const { url, pid, regid, sessionid } = server;
  await writeFile(
    join(folder, "main.js"),
    `import { createClient, WishboneError } from "wishbone-sdk";
     import { install } from "wishbone-sdk/elements";
     const unset = await createClient().lists.fetch().catch((error) => [error instanceof WishboneError, error.code]);
     const client = createClient(${JSON.stringify({ base: url, store: pid, regid, sessionid })});
     install(client).toast("There is no page.");
     const lists = await client.lists.fetch();
     console.log(JSON.stringify([unset, lists.length > 0, typeof globalThis.wishbone]));`,
  );
  const { stdout } = await run(process.execPath, ["main.js"], { cwd: folder });
  assert.deepEqual(JSON.parse(stdout), [[true, "not-configured"], true, "undefined"]);
});

test("every server has it, with the same files, and npm installs it from there", async () => {
  const address = `${server.url}/sdk/wishbone-sdk.tgz`;
  const project = join(folder, "project");
  await mkdir(project);
  await writeFile(join(project, "package.json"), '{"type":"module"}');
  await run("npm", ["install", "--no-audit", "--no-fund", "--cache", join(folder, "cache"), address], { cwd: project });
  const installed = (path) => join(project, "node_modules/wishbone-sdk", path);
  for (const { path } of packed.files) {
    assert.equal(await readFile(installed(path), "utf8"), await readFile(join(folder, "node_modules", packed.name, path), "utf8"), path);
  }
  const found = await readdir(installed(""), { recursive: true, withFileTypes: true });
  assert.equal(found.filter((entry) => entry.isFile()).length, packed.files.length);
  const bytes = async () => Buffer.from(await (await fetch(address)).arrayBuffer()).toString("base64");
  assert.equal(await bytes(), await bytes());
});

test("a single element is smaller than all, and can be imported outside of a browser", async () => {
  await writeFile(
    join(folder, "single.js"),
    `import { createClient } from "wishbone-sdk";
     import { install } from "wishbone-sdk/elements/heart";
     install(createClient(${JSON.stringify({ base: server.url, store: server.pid })})).toast("There is no page.");`,
  );
  await run(process.execPath, ["single.js"], { cwd: folder });
  const size = async (name) => {
    const entryPoints = [join(folder, "node_modules", packed.name, "dist/elements", name)];
    const { outputFiles } = await build({ entryPoints, bundle: true, format: "esm", minify: true, write: false });
    return outputFiles[0].contents.length;
  };
  const [heart, all] = [await size("heart.mjs"), await size("index.mjs")];
  assert.ok(heart < all * 0.75, `${heart} of ${all}`);
});

test("bundlers leave the imports of its parts alone", async () => {
  const text = await readFile(join(folder, "node_modules", packed.name, "dist/wishbone.mjs"), "utf8");
  const imports = text.match(/\bimport\([^"')]*\)/g);
  assert.match(imports.join(), /^import\(\/\* webpackIgnore: true \*\/ \/\* @vite-ignore \*\/\w+\)$/);
});

test("its types resolve, for modules and bundlers", async () => {
  await writeFile(
    join(folder, "main.ts"),
    `import { createClient, WishboneError, type ChangedItems, type Wishbone } from "wishbone-sdk";
     const client: Wishbone = createClient({ store: "p", base: "https://lists.example" });
     export const added: Promise<ChangedItems> = client.items.add({ epi: 1, empi: "2", du: "/p" });
     import { install, type AddToCart, type Elements } from "wishbone-sdk/elements";
     import { install as installHeart } from "wishbone-sdk/elements/heart";
     installHeart(client);
     // @ts-expect-error without a script tag, the client knows no server
     createClient({ store: "p" });
     export const elements: Elements = install(client, { currency: "EUR", texts: { fi: { save: "Tallenna" } } });
     export const heart: HTMLElement = document.createElement("wishbone-heart");
     document.addEventListener("wishbone:add-to-cart", (event) => {
       const { item, quantity, respondWith }: AddToCart = event.detail;
       respondWith(fetch("/cart", { method: "POST", body: JSON.stringify([item.epi, quantity]) }));
     });
     export const failed = (error: unknown): boolean => error instanceof WishboneError && error.retryable;
     // @ts-expect-error a product has an address
     client.items.add({ epi: 1, empi: 2 });`,
  );
  const tsc = join(here, "node_modules/typescript/bin/tsc");
  for (const [module, resolution] of [["nodenext", "nodenext"], ["esnext", "bundler"]]) {
    const options = ["--strict", "--noEmit", "--target", "es2019", "--lib", "es2019,dom", "--types", ""];
    await run(process.execPath, [tsc, ...options, "--module", module, "--moduleResolution", resolution, "main.ts"], { cwd: folder })
      .catch(({ stdout }) => assert.fail(`${resolution}: ${stdout}`));
  }
});

test("the module makes a client in a page, and no global", async () => {
  const { url, pid } = server;
  const browser = await launch();
  const shop = await openShop(browser);
  try {
    const page = await shop.visit({ src: "data:text/javascript," });
    const seen = await page.evaluate(
      async ([address, options]) => {
        const { createClient } = await import(address);
        const client = createClient(options);
        const heard = new Promise((resolve) => document.addEventListener("wishbone:added", resolve));
        await client.items.add({ epi: 1, empi: 1, du: "https://shop.example/p" });
        return [(await heard).detail.epis, typeof window.wishbone];
      },
      [`${shop.url}/wishbone.mjs`, { base: url, store: pid }],
    );
    assert.deepEqual(seen, [[1], "undefined"]);
  } finally {
    await shop.close();
    await browser.close();
  }
});
