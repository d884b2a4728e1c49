import type { WishboneError as Api } from "./api";

export interface Details {
  httpStatus?: number;
  requestId?: string;
  retryable?: boolean;
  retryAfter?: number;
}

export class WishboneError extends Error implements Api {
  override readonly name = "WishboneError";
  readonly httpStatus: number = 0;
  readonly requestId: string = "";
  readonly retryable: boolean = false;
  readonly retryAfter: number = 0;

  constructor(readonly code: string, message: string, details: Details = {}) {
    super(message);
    Object.assign(this, details);
  }
}

export function notConfigured(message: string): WishboneError {
  return new WishboneError("not-configured", message);
}

export function unreachable(address: string): WishboneError {
  return new WishboneError(
    "network",
    `${address} could not be reached. Check the connection, the address, and that the store allows this page's origin.`,
    { retryable: true },
  );
}

export function timedOut(address: string, milliseconds: number): WishboneError {
  return new WishboneError(
    "timeout",
    `${address} did not answer within ${milliseconds} ms. Try again, or raise the timeout in init().`,
    { retryable: true },
  );
}

export function identityChanged(): WishboneError {
  return new WishboneError("identity-changed", "The shopper changed during this call. Call again.", {
    retryable: true,
  });
}

export function invalid(message: string): WishboneError {
  return new WishboneError("invalid-parameter", message);
}

export function queueFull(): WishboneError {
  return new WishboneError(
    "queue-full",
    "Too many changes wait for the network. Try again when it is back.",
    { retryable: true },
  );
}

export function expired(name: string): WishboneError {
  return new WishboneError(
    "expired",
    `${name} could not be sent in time and may have been carried out. Check, and call again if needed.`,
  );
}

export function badResponse(address: string, what: string, details: Details): WishboneError {
  const trace = details.requestId ? ` Find request ${details.requestId} in the server's log.` : "";
  const next = details.retryable
    ? "Try again in a moment; if it goes on, check the server."
    : "Check that this is a Wishbone server, and that no proxy changes its answers.";
  return new WishboneError("bad-response", `${address} answered with ${what}. ${next}${trace}`, details);
}

// The server says what is wrong; for these, the page's author also needs to know where in the page to mend it.
const ADVICE: ReadonlyMap<string, string> = new Map([
  ["bad-regid", "Pass a new regid and sessionid from your server to init(), or log in again."],
  ["unknown-store", "Compare data-store with the store's pid."],
  ["user-not-logged-in", "Pass the regid and sessionid of a logged-in shopper to init(), or call shopper.login()."],
]);

export function refused(code: string, said: string, details: Details): WishboneError {
  const sentence = said && !/[.!?]$/.test(said) ? `${said}.` : said;
  const message = [sentence, ADVICE.get(code)].filter(Boolean).join(" ");
  return new WishboneError(code, message || `The server refused the call: ${code}.`, details);
}

// Rate limits per hour and day exist too: a change that they hold back must not hold back all others.
const LONGEST_RATE_LIMIT = 30;
const AWAY = [502, 503, 504];

/** True where nothing is wrong with the call itself, and its repetition with the same key is safe. */
export function isTransient(error: unknown): error is WishboneError {
  if (!(error instanceof WishboneError)) return false;
  const { code, httpStatus, retryAfter } = error;
  if (httpStatus === 429) return retryAfter <= LONGEST_RATE_LIMIT;
  return code === "network" || code === "timeout" || code === "outcome-unknown" || AWAY.includes(httpStatus);
}

export function hasCode(error: unknown, code: string): error is WishboneError {
  return error instanceof WishboneError && error.code === code;
}

export function asWishboneError(error: unknown): WishboneError {
  if (error instanceof WishboneError) return error;
  return new WishboneError("internal", `The call could not be made: ${error}. Check its values.`);
}
