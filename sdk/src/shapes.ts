import type { FailedItem, Identity, List, ListContents, ListItem, ListWithItems, SavedPage } from "./api";
import type { QueuedWrite, ShareLink, Subscription, Subscriptions, UserList, UserLists } from "./api";

// A proxy's error page or another service can answer 200 with valid JSON. These checks keep such an answer from
// reaching a page as "no lists"; they look at what a page needs to go on, not at every field.

export type Check<T> = (value: unknown) => value is T;
type Checks = Readonly<Record<string, (value: unknown) => boolean>>;

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value of a JSON text, or undefined if it is none. */
export function parse(text: string | null): unknown {
  try {
    return JSON.parse(text || "");
  } catch {
    return undefined;
  }
}

export function isAnything(value: unknown): value is any {
  return value !== undefined;
}

const shape =
  <T>(checks: Checks): Check<T> =>
  (value): value is T =>
    isRecord(value) && Object.entries(checks).every(([key, check]) => check(value[key]));

const arrayOf =
  <T>(check: (value: unknown) => boolean): Check<T[]> =>
  (value): value is T[] =>
    Array.isArray(value) && value.every(check);

const isText = (value: unknown) => typeof value === "string";
const isFilled = (value: unknown) => typeof value === "string" && value !== "";
const isNumber = (value: unknown) => typeof value === "number";
const isSuccess = (value: unknown) => value === "success";
const isNext = (value: unknown) => value === null || isText(value);
const isAbsent = (value: unknown) => value === undefined;

const LIST = { lid: isText, lname: isText };
const areItems = arrayOf<ListItem>(shape({ epi: isNumber }));
const areRecords = arrayOf<any>(isRecord);

export const isList = shape<List>(LIST);
export const isListWithItems = shape<ListWithItems>({ ...LIST, listcontents: areItems });
export const areLists = arrayOf<ListWithItems>(isListWithItems);
export const isUserLists = shape<UserLists & { next?: string }>({ status: isSuccess, data: arrayOf(isList) });
export const isUserList = shape<UserList>({
  status: isSuccess,
  data: isListWithItems,
  pagination: shape({ next: isNext }),
});
export const isListContents = shape<ListContents>({ list: isListWithItems, items: areItems });
export const isSavedPage = shape<SavedPage>({ list: isList, items: areItems, pagination: shape({ next: isNext }) });

export type Element = ListItem | FailedItem;

/** The answer to a change of items: its elements are under `key`, and those that failed there too or under another. */
export const isChange = (key: string) => shape<Record<string, Element[]>>({ [key]: areRecords });
interface Move {
  moved: ListItem[];
  already: ListItem[];
  failed: FailedItem[];
  fromversion: number;
  toversion: number;
}

export const isMove = shape<Move>({
  moved: areItems,
  already: areItems,
  failed: areRecords,
});
export const isContained = shape<{ data: Record<string, string[]> }>({ status: isSuccess, data: isRecord });
export const areCounts = shape<{ data: Array<{ empi: number; count: number }> }>({
  status: isSuccess,
  data: arrayOf(shape({ empi: isNumber, count: isNumber })),
});

export const isLink = shape<{ link: ShareLink }>({ status: isSuccess, link: shape({ key: isFilled }) });
export const areLinks = shape<{ links: ShareLink[] }>({ status: isSuccess, links: areRecords });
export const isRevocation = shape<{ revoked: number }>({ status: isSuccess, revoked: isNumber });
export const isMailed = shape<{ listinfo: List; msg: string }>({ listinfo: isList, errors: isAbsent });
export const isReport = shape<{ lid: string }>({ lid: isText });
export const isSaved = shape<{ message: string }>({ message: isText });
export const areSubscriptions = shape<{ subscriptions: Subscription[] }>({ status: isSuccess, subscriptions: areRecords });
export const isSubscriptions = shape<Subscriptions>({ total: isNumber, subscriptions: areRecords });
export const isCredentials = shape<Pick<Identity, "regid" | "sessionid">>({ regid: isFilled, sessionid: isFilled });
export const isFeatures = (answer: unknown): answer is { data: { features: string[] } } =>
  isRecord(answer) && isRecord(answer["data"]) && Array.isArray(answer["data"]["features"]);
export const isEntry = shape<QueuedWrite>({ key: isText });
