import type { Wishbone } from "../api";

export function install(_client: Wishbone): void {}
