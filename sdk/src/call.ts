import { WishboneError } from "./errors";

type Take<V> = (value: V) => void;

/** One call of the page, from its start until exactly one outcome has been handed over. */
export class Call<T> {
  private stopped: WishboneError | undefined;
  private reject: Take<WishboneError> = () => {};

  constructor(private readonly ended: () => void) {}

  /** Ends the call with this error, whatever its requests still bring. */
  stop(reason: WishboneError): void {
    this.stopped = this.stopped || reason;
    this.reject(this.stopped);
  }

  /** To be asked between the steps of the work, so that a stopped call starts nothing new. */
  check(): void {
    if (this.stopped) throw this.stopped;
  }

  /**
   * Hands the outcome to the callbacks where there is one, else returns a Promise of it. Typed `any` because the
   * overloads in api.ts tell the page which of the two it gets.
   */
  deliver(work: Promise<T>, onSuccess: unknown, onError: unknown): any {
    if (typeof onSuccess !== "function" && typeof onError !== "function") {
      return new Promise<T>((resolve, reject) => this.settle(work, resolve, reject));
    }
    this.settle(work, callback(onSuccess), callback(onError, (error) => console.error(error)));
  }

  private settle(work: Promise<T>, succeed: Take<T>, fail: Take<WishboneError>): void {
    const outcome = new Promise<T>((resolve, reject) => {
      this.reject = reject;
      work.then(resolve, reject);
    });
    outcome.then(
      (value) => {
        this.ended();
        // Asked again, because the shopper may have changed after the answer was accepted and before this moment.
        if (this.stopped) fail(this.stopped);
        else succeed(value);
      },
      (error: unknown) => {
        this.ended();
        fail(asWishboneError(error));
      },
    );
  }
}

/** What a page's callback throws is the page's own error: reported as uncaught, and no reason to call the other one. */
function callback<V>(value: unknown, otherwise: Take<V> = () => {}): Take<V> {
  const take = typeof value === "function" ? (value as Take<V>) : otherwise;
  return (outcome) => {
    try {
      take(outcome);
    } catch (error) {
      setTimeout(() => {
        throw error;
      });
    }
  };
}

function asWishboneError(error: unknown): WishboneError {
  if (error instanceof WishboneError) return error;
  return new WishboneError("internal", `The call could not be made: ${error}. Check the values that it was given.`);
}
