declare module "*.css" {
  const text: string;
  export default text;
}

/** Made by build.mjs of the files in languages/: a key a line, and for each language its texts in the same order. */
declare module "languages" {
  export const keys: string;
  export const columns: Readonly<Record<string, string>>;
}
