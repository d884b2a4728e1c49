// Files of docs/recipes, taken from the code below a heading with their name, and bundled as a shop would do it.
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { compileScript, parse } from "vue/compiler-sfc";

const PAGES = new URL("../../../docs/recipes/", import.meta.url);
const SDK = fileURLToPath(new URL("../..", import.meta.url));

/** The files of a page, by name. */
export async function filesOf(page) {
  const text = await readFile(new URL(page, PAGES), "utf8");
  const blocks = text.matchAll(/^##+ `([^`\n]+)`\n(?:(?!#|```).*\n)*```\w+\n([^]*?)^```$/gm);
  return Object.fromEntries([...blocks].map(([, name, code]) => [name, code]));
}

/** One script of `entry` and the files that it imports; "wishbone-sdk" is the built module. */
export async function bundle(entry, files) {
  const recipe = {
    name: "recipe",
    setup({ onLoad, onResolve }) {
      onResolve({ filter: /^wishbone-sdk$/ }, () => ({ path: `${SDK}dist/wishbone.mjs` }));
      onResolve({ filter: /^wishbone-sdk\/elements/ }, ({ path }) => ({ path: `${SDK}dist/elements/${path.split("/")[2] || "index"}.mjs` }));
      onResolve({ filter: /^\.\// }, ({ path, importer, namespace }) => {
        const isOfRecipe = namespace === "recipe" || importer === "<stdin>";
        return isOfRecipe ? { path: path.slice(2), namespace: "recipe" } : undefined;
      });
      onLoad({ filter: /./, namespace: "recipe" }, ({ path }) => {
        if (!(path in files)) throw new Error(`the recipe has no file ${path}`);
        const contents = path.endsWith(".vue") ? compiled(path, files[path]) : files[path];
        return { contents, loader: "jsx", resolveDir: SDK };
      });
    },
  };
  const { outputFiles } = await build({
    stdin: { contents: entry, loader: "jsx", resolveDir: SDK },
    bundle: true,
    format: "esm",
    jsx: "automatic",
    write: false,
    define: {
      "process.env.NODE_ENV": '"production"',
      __VUE_OPTIONS_API__: "false",
      __VUE_PROD_DEVTOOLS__: "false",
      __VUE_PROD_HYDRATION_MISMATCH_DETAILS__: "false",
    },
    logLevel: "error",
    plugins: [recipe],
  });
  return outputFiles[0].text;
}

function compiled(name, source) {
  const { descriptor, errors } = parse(source, { filename: name });
  if (errors.length > 0) throw errors[0];
  return compileScript(descriptor, { id: name, inlineTemplate: true }).content;
}
