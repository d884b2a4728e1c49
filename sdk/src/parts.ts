import type { Wishbone } from "./api";
import { WishboneError } from "./errors";

/** What a file that is loaded on demand exports. It uses the public interface only. */
interface Part {
  install(client: Wishbone, options?: object): unknown;
}

/** Loads a part of the script, such as "elements", once. `address` is the directory of its files. */
export class Parts {
  private readonly loaded = new Map<string, Promise<unknown>>();

  constructor(private readonly address: () => string) {}

  load(client: Wishbone, name: string, options?: object): Promise<unknown> {
    const loading = this.loaded.get(name) || this.fetch(name).then((part) => part.install(client, options));
    this.loaded.set(name, loading);
    // The next call tries again.
    loading.catch(() => this.loaded.delete(name));
    return loading;
  }

  private async fetch(name: string): Promise<Part> {
    const file = `${this.address()}wishbone-${name}.mjs`;
    try {
      return await import(file);
    } catch {
      throw new WishboneError("network", `${file} could not be loaded. Check the address and the page's script-src.`);
    }
  }
}
