import type { List, ListContents, ListItem, ListWithItems, UserList, UserLists } from "./api";

// A proxy's error page or another service can answer 200 with valid JSON. These checks keep such an answer from
// reaching a page as "no lists"; they look at what a page needs to go on, not at every field.

type Unchecked = Record<string, unknown>;

export function isRecord(value: unknown): value is Unchecked {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isList(value: unknown): value is List {
  return isRecord(value) && typeof value["lid"] === "string" && typeof value["lname"] === "string";
}

function isListWithItems(value: unknown): value is ListWithItems {
  return isList(value) && areItems((value as unknown as Unchecked)["listcontents"]);
}

function areItems(value: unknown): value is ListItem[] {
  return Array.isArray(value) && value.every((item) => isRecord(item) && typeof item["epi"] === "number");
}

export function isUserLists(value: unknown): value is UserLists {
  if (!isRecord(value) || value["status"] !== "success") return false;
  const data = value["data"];
  return Array.isArray(data) && data.every(isList);
}

export function isUserList(value: unknown): value is UserList {
  if (!isRecord(value) || value["status"] !== "success") return false;
  const pagination = value["pagination"];
  if (!isRecord(pagination)) return false;
  const next = pagination["next"];
  return (next === null || typeof next === "string") && isListWithItems(value["data"]);
}

export function isListContents(value: unknown): value is ListContents {
  return isRecord(value) && isListWithItems(value["list"]) && areItems(value["items"]);
}

export function isCredentials(value: unknown): value is { regid: string; sessionid: string } {
  const filled = (text: unknown) => typeof text === "string" && text !== "";
  return isRecord(value) && filled(value["regid"]) && filled(value["sessionid"]);
}
