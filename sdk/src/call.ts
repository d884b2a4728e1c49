import { guarded } from "./events";
import { asWishboneError, type WishboneError } from "./errors";

type Take<V> = (value: V) => void;

/** One call of the page, from its start until exactly one outcome has been handed over. */
export class Call<T> {
  private stopped: WishboneError | undefined;
  private reject: Take<WishboneError> = () => {};

  constructor(private readonly ended: (error?: WishboneError) => void) {}

  /** Ends the call with this error, whatever its requests still bring. */
  stop(reason: WishboneError): void {
    this.stopped = this.stopped || reason;
    this.reject(this.stopped);
  }

  /** To be asked between the steps of the work, so that a stopped call starts nothing new. */
  check(): void {
    if (this.stopped) throw this.stopped;
  }

  /** A Promise of the outcome, which is also handed to the callbacks where there is one. */
  deliver(work: Promise<T>, onSuccess: unknown, onError: unknown): Promise<T> {
    const outcome = this.outcome(work);
    // Themes pass "" for a callback that they do not need, and know nothing of the Promise.
    if (onSuccess !== undefined || onError !== undefined) {
      // An error that no callback takes must not disappear.
      outcome.then(isFunction(onSuccess) ? guarded(onSuccess) : null, guarded(isFunction(onError) ? onError : console.error));
    }
    return outcome;
  }

  private outcome(work: Promise<T>): Promise<T> {
    const first = new Promise<T>((resolve, reject) => {
      this.reject = reject;
      work.then(resolve, reject);
    });
    return first
      .then((value) => {
        // Asked again, because the shopper may have changed after the answer was accepted and before this moment.
        this.check();
        this.ended();
        return value;
      })
      .catch((reason: unknown) => {
        const error = asWishboneError(reason);
        this.ended(error);
        throw error;
      });
  }
}

function isFunction(value: unknown): value is (value: unknown) => unknown {
  return typeof value === "function";
}
