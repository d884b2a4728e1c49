// Loads files of src/ as one module, so that their parts can be tested without a browser.
import { build } from "esbuild";

export async function source(...names) {
  const { outputFiles } = await build({
    stdin: {
      contents: names.map((name) => `export * from "./${name}";`).join("\n"),
      resolveDir: new URL("../../src/", import.meta.url).pathname,
    },
    bundle: true,
    format: "esm",
    write: false,
    define: { VERSION: '"test"' },
  });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString("base64")}`);
}
