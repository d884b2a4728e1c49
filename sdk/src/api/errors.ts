/** The codes that the script itself gives. */
export type OwnCode =
  | "network"
  | "timeout"
  | "bad-response"
  | "not-configured"
  | "identity-changed"
  | "invalid-parameter"
  | "queue-full"
  | "expired"
  | "internal";

/** Why a call failed. `message` says what to do next. */
export declare class WishboneError extends Error {
  override readonly name: "WishboneError";
  /**
   * The server's error-code ("user-not-logged-in", "bad-regid", "list-not-found" …), or one of the script's own.
   * "internal" is both: a fault of the server, or with httpStatus 0 a call that could not be made from its values.
   */
  readonly code: OwnCode | (string & {});
  /** 0 where no answer arrived. */
  readonly httpStatus: number;
  /** Find the request in the server's log with it; "" where unknown. */
  readonly requestId: string;
  /** True where the same call may succeed later without a change. */
  readonly retryable: boolean;
  /** Seconds that the server asks to wait; 0 where it does not say. */
  readonly retryAfter: number;
}
