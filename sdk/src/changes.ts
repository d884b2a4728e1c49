import type { ChangedItems, EventDetails, FailedItem, ListItem } from "./api";
import type { Core, Send } from "./core";
import { hasCode, invalid, refused } from "./errors";
import { type Element, isChange } from "./shapes";
import { type Fields, pick } from "./transport";

export interface Kind {
  readonly path: string;
  /** The form field with the items. */
  readonly field: string;
  /** Where the answer has those that succeeded. */
  readonly answer: string;
  readonly event: "added" | "updated" | "removed" | "saved-added" | "saved-updated" | "saved-removed" | "saved-moved-to-cart";
  /** The items leave the list. */
  readonly removes?: boolean;
}

/** What the options of a change of items say, whichever of their forms a page chose. */
export interface Change {
  readonly lid: string | undefined;
  readonly items: object[];
  readonly ifversion: number | undefined;
  /** One item, and so one outcome. */
  readonly single: boolean;
}

export function changeOf(options: any): Change {
  const { lid, items = options, ifversion } = options;
  const single = !Array.isArray(items);
  const all = single ? [items] : items;
  if (all.length === 0 || all.some((item: any) => !item || !item.epi)) {
    throw invalid("An item has no epi, or there is none. Pass {epi, empi, du} for each.");
  }
  return { lid, items: all, ifversion, single };
}

const REFERENCE = "epi empi";
const FIELDS = `${REFERENCE} du qty note cprops clbls dt iu pr ct vi bt sku`;

/** Carries out a change of one list, in as many calls as it takes. */
export async function changeItems(core: Core, kind: Kind, lid: string, change: Change, send: Send, more?: Fields) {
  const { path, field, answer, event, removes } = kind;
  const result: ChangedItems = { lid, items: [], failed: [] };
  await inParts(change, removes, async (part, ifversion, index) => {
    const form = { lid, [field]: part, ...more, ifversion };
    const given = await send({ path, form, accepts: isChange(answer) }, `-${index}`);
    const elements = [...(given[answer] || []), ...(given["itemsfailed"] || [])];
    const items = elements.filter((element): element is ListItem => !hasFailed(element));
    result.items.push(...items);
    result.failed.push(...elements.filter(hasFailed));
    const epis = numbers(removes ? part : items);
    const { version } = given as { version?: number };
    const detail: EventDetails["added"] = { lid, version, epis, items };
    if (epis.length > 0) core.emit(event, detail);
  });
  return orFailure(result, change);
}

/**
 * Changes a list that the page has not named. What was known of it may be out of date: deleted by another device, or
 * the list of a guest whom the server no longer knows. Then it is looked for once more.
 */
export async function inOwnList<T>(
  known: Map<string, string>,
  scope: string,
  find: () => Promise<string>,
  work: (lid: string) => Promise<T>,
): Promise<T> {
  const before = known.get(scope);
  if (before) {
    try {
      return await work(before);
    } catch (error) {
      if (!hasCode(error, "list-not-found") && !hasCode(error, "forbidden")) throw error;
    }
  }
  const lid = await find();
  known.set(scope, lid);
  return work(lid);
}

/** Calls `work` with parts that the server takes in one call each, in order. */
export async function inParts(
  { items, ifversion }: Change,
  onlyReferences: boolean | undefined,
  work: (part: Fields[], ifversion: number | undefined, index: number) => Promise<void>,
): Promise<void> {
  const parts = partsOf(items.map((item) => pick(item, onlyReferences ? REFERENCE : FIELDS)));
  for (const [index, part] of parts.entries()) {
    // The first part raises the version itself.
    await work(part, index === 0 ? ifversion : undefined, index);
  }
}

// The server takes 500 elements and 1 MiB per call. It stores the answer under the idempotency key only up to 512 KiB,
// and an item of the answer can be much larger than that of the request.
const MAX_ITEMS = 200;
const MAX_CHARACTERS = 100_000;

export function partsOf<T>(items: T[]): T[][] {
  const parts: T[][] = [];
  let characters = 0;
  for (const item of items) {
    const length = JSON.stringify(item).length;
    characters += length;
    const last = parts[parts.length - 1];
    if (last && last.length < MAX_ITEMS && characters <= MAX_CHARACTERS) last.push(item);
    else {
      parts.push([item]);
      characters = length;
    }
  }
  return parts;
}

/** Where there was one item and it failed, the call has failed. */
export function orFailure<T extends { failed: FailedItem[] }>(result: T, { single }: Change): T {
  const [first] = result.failed;
  if (single && first) throw refused(first["error-code"], first.msg, { httpStatus: 200 });
  return result;
}

export function numbers(items: ReadonlyArray<{ epi?: unknown }>): number[] {
  return items.map(({ epi }) => Number(epi));
}

function hasFailed(element: Element): element is FailedItem {
  return "hasError" in element;
}
