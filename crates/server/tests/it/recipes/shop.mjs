import { appendFileSync } from "node:fs";

export function customerOf({ headers }) {
  return headers.cookie === "customer=ann" ? { id: "7 ü", email: "ann@example.com" } : null;
}

export function enqueue(id, event) {
  appendFileSync("events", `${id} ${JSON.stringify(event)}\n`);
}
