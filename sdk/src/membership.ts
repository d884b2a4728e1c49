import { Batch } from "./batch";
import type { Core } from "./core";
import { invalid } from "./errors";
import { isContained } from "./shapes";

const MAX_EPIS = 250;

/**
 * Which lists have which variant: asked once per page, and kept true by the changes that this browser makes. With `lty`
 * only lists of this type count.
 */
export class Membership {
  private readonly known = new Map<number, Promise<string[]>>();
  private readonly batch: Batch<number, string[]>;
  /** Lists that are known to be of the type. */
  private readonly lists = new Set<string>();

  constructor(
    private readonly core: Core,
    private readonly lty?: string,
  ) {
    this.batch = new Batch(MAX_EPIS, (epis) => this.load(epis));
  }

  async get(epi: unknown): Promise<string[]> {
    const id = idOf(epi, "epi");
    // Nobody has registered yet, so nobody has a list.
    if (!this.known.has(id) && !this.core.session.current()) this.known.set(id, Promise.resolve([]));
    const known = this.known.get(id) || this.fetch(id);
    // A copy: the page may change what it gets.
    return [...(await known)];
  }

  /** One variant's lists, or an object of them for several. */
  ask(epis: unknown): Promise<any> {
    return forEach(epis, (epi) => this.get(epi));
  }

  private fetch(id: number): Promise<string[]> {
    const lids = this.batch.get(id);
    this.known.set(id, lids);
    lids.catch(() => this.known.get(id) === lids && this.known.delete(id));
    return lids;
  }

  private async load(epis: number[]): Promise<Map<number, string[]>> {
    const form = { epis, lty: this.lty };
    const { data } = await this.core.reader()({ path: "lists/contains", form, accepts: isContained });
    Object.values(data).flat().forEach((lid) => this.lists.add(lid));
    return new Map(epis.map((epi) => [epi, data[epi] || []]));
  }

  /** Takes in what an event says. */
  follow(name: string, detail: any): void {
    const { lid, fromlid, tolid, epis } = detail;
    if (/^(saved-)?added$/.test(name)) this.change(epis, lid, "");
    else if (/^(saved-)?(removed|moved-to-cart)$/.test(name)) this.change(epis, "", lid);
    else if (name === "moved") this.change(epis, tolid, fromlid);
    else if (name === "list-deleted") this.change([...this.known.keys()], "", detail.list.lid);
    // Archived lists do not count, copies bring items along, and another shopper has other lists.
    else if (/^list|^log/.test(name)) this.known.clear();
  }

  private change(epis: number[], to: string, from: string): void {
    for (const epi of epis) {
      const before = this.known.get(epi);
      if (!before) continue;
      // A list of another type perhaps: the server is asked again.
      if (to && this.lty && !this.lists.has(to)) {
        this.known.delete(epi);
        continue;
      }
      // An answer that is still under way may be from before the change; applying it twice does no harm.
      const after = before.then((lids) => [...new Set([...lids, to])].filter((lid) => lid && lid !== from));
      this.known.set(epi, after);
      after.catch(() => this.known.get(epi) === after && this.known.delete(epi));
    }
  }
}

/** A wrong id must fail alone, not with all that were asked for at the same moment. */
export function idOf(value: unknown, name: string): number {
  const id = Number(value);
  if (Number.isSafeInteger(id) && id > 0) return id;
  throw invalid(`${name} must be an integer from 1 to 2^53-1, not "${value}".`);
}

/** One answer for one id, or an object of answers for an array of ids. */
export async function forEach<T>(ids: unknown, ask: (id: unknown) => Promise<T>): Promise<T | Record<string, T>> {
  if (!Array.isArray(ids)) return ask(ids);
  const answers = await Promise.all(ids.map(async (id) => [String(id), await ask(id)] as const));
  return Object.fromEntries(answers);
}
