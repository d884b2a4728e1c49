import type { Counts } from "./api";
import { Batch } from "./batch";
import type { Core } from "./core";
import { forEach, idOf } from "./membership";
import { areCounts } from "./shapes";

const MAX_EMPIS = 100;

/** The namespace `counts`. */
export function counts(core: Core): Counts {
  const batch = new Batch<number, number>(MAX_EMPIS, async (empis) => {
    const operation = { path: "product/wishlist/social-count", form: { empis }, accepts: areCounts };
    const { data } = await core.reader()(operation);
    return new Map(data.map(({ empi, count }) => [empi, count]));
  });
  const ask = async (empi: unknown) => (await batch.get(idOf(empi, "empi"))) || 0;
  return { social: core.method("counts.social", true, (empis: unknown) => forEach(empis, ask)) as Counts["social"] };
}
