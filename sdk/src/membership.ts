import type { Place } from "./api";
import { Batch } from "./batch";
import type { Core } from "./core";
import { invalid } from "./errors";
import { isContained, isRecord } from "./shapes";

const MAX_IDS = 250;

/**
 * Which lists have which variant, or which variants of a product: asked once per page, and kept true by the changes that
 * this browser makes. With `lty` only lists of this type count.
 */
export class Membership {
  private readonly known = new Map<number, Promise<Place[]>>();
  private readonly batch: Batch<number, Place[]>;
  /** Lists that are known to be of the type. */
  private readonly lists = new Set<string>();

  constructor(
    private readonly core: Core,
    private readonly field: "epis" | "empis",
    private readonly lty?: string,
  ) {
    this.batch = new Batch(MAX_IDS, (ids) => this.load(ids));
  }

  async get(given: unknown): Promise<Place[]> {
    const id = idOf(given, this.field.slice(0, -1));
    // Nobody has registered yet, so nobody has a list.
    if (!this.known.has(id) && !this.core.session.current()) this.known.set(id, Promise.resolve([]));
    const known = this.known.get(id) || this.fetch(id);
    // A copy: the page may change what it gets.
    return (await known).map((place) => ({ ...place }));
  }

  private fetch(id: number): Promise<Place[]> {
    const places = this.batch.get(id);
    this.keep(id, places);
    return places;
  }

  private keep(id: number, places: Promise<Place[]>): void {
    this.known.set(id, places);
    places.catch(() => this.known.get(id) === places && this.known.delete(id));
  }

  private async load(ids: number[]): Promise<Map<number, Place[]>> {
    const form = { [this.field]: ids, lty: this.lty };
    const { data } = await this.core.reader()({ path: "lists/contains", form, accepts: isContained });
    const placesOf = (id: number): Place[] => {
      const found = data[id] || [];
      const byVariant = isRecord(found) ? found : { [id]: found };
      return Object.entries(byVariant).flatMap(([epi, lids]) => (lids as string[]).map((lid) => ({ epi: Number(epi), lid })));
    };
    const all = new Map(ids.map((id) => [id, placesOf(id)]));
    all.forEach((places) => places.forEach(({ lid }) => this.lists.add(lid)));
    return all;
  }

  /** Takes in what an event says. */
  follow(name: string, detail: any): void {
    const { lid, fromlid, tolid, epis } = detail;
    if (/^(saved-)?added$/.test(name)) this.add(detail, lid);
    else if (/^(saved-)?(removed|moved-to-cart)$/.test(name)) this.remove(epis, lid);
    else if (name === "moved") {
      this.remove(epis, fromlid);
      this.add(detail, tolid);
    } else if (name === "list-deleted") this.remove(undefined, detail.list.lid);
    // Archived lists do not count, copies bring items along, and another shopper has other lists.
    else if (/^list|^log/.test(name)) this.known.clear();
  }

  private add({ epis, items }: { epis: number[]; items?: any[] }, lid: string): void {
    // Events of a page may name the variants alone.
    if (this.field === "empis" && !items) return this.known.clear();
    const pairs = this.field === "epis" ? epis.map((epi) => [epi, epi]) : items!.map(({ epi, empi }) => [epi, empi]);
    for (const [epi, id] of pairs) {
      // A list of another type perhaps: the server is asked again.
      if (this.lty && !this.lists.has(lid)) this.known.delete(id);
      else this.change(id, (places) => [...places.filter((one) => one.epi !== epi || one.lid !== lid), { epi, lid }]);
    }
  }

  /** Without variants: all that are on the list. */
  private remove(epis: number[] | undefined, lid: string): void {
    const ids = this.field === "epis" && epis ? epis : [...this.known.keys()];
    for (const id of ids) {
      this.change(id, (places) => places.filter((one) => one.lid !== lid || (epis && !epis.includes(one.epi))));
    }
  }

  private change(id: number, work: (places: Place[]) => Place[]): void {
    // An answer that is still under way may be from before the change; applying it twice does no harm.
    const before = this.known.get(id);
    if (before) this.keep(id, before.then(work));
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
