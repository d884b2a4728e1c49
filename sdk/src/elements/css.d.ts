declare module "*.css" {
  const text: string;
  export default text;
}

/** Made by build.mjs of the files in languages/: the texts of each language, in the order of the keys. */
declare module "languages" {
  export const keys: readonly string[];
  export const tables: Readonly<Record<string, readonly string[]>>;
}
