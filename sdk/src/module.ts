export { createClient } from "./client";
export { WishboneError } from "./errors";
