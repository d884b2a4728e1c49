// Loads a file of src/ as a module, so that its parts can be tested without a browser.
import { build } from "esbuild";

export async function source(name) {
  const { outputFiles } = await build({
    entryPoints: [new URL(`../../src/${name}.ts`, import.meta.url).pathname],
    bundle: true,
    format: "esm",
    write: false,
    define: { VERSION: '"test"' },
  });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString("base64")}`);
}
