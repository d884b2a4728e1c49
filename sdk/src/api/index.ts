// What a page sees: this folder holds types only. The build publishes its files as dist/wishbone.d.ts, in this order and in
// one piece.
export type * from "./records";
export type * from "./options";
export type * from "./errors";
export type * from "./methods";
export type * from "./events";
export type * from "./client";
