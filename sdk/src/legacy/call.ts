/** What themes read of an error, beside `message`. */
export interface LegacyError extends Error {
  description: string;
  /** The HTTP status, 0 where there was no response. */
  status: number;
}

const isFunction = (value: unknown): value is (...args: unknown[]) => unknown => typeof value === "function";

/** Runs a function of the theme, or nothing where it is absent or "". What it throws must not stop the layer. */
export function run(work: unknown, ...args: unknown[]): void {
  if (!isFunction(work)) return;
  try {
    work(...args);
  } catch (error) {
    console.error(error);
  }
}

/** Hands the outcome to the callbacks, if there are any, and returns a Promise of it, which may then be ignored. */
export function deliver<T>(work: () => Promise<T>, ok?: unknown, err?: unknown): Promise<T> {
  const outcome = new Promise<T>((resolve) => resolve(work())).catch((error: unknown) => {
    throw explained(error);
  });
  outcome.then(
    (value) => run(ok, value),
    (error) => (isFunction(err) ? run(err, error) : console.error(error)),
  );
  return outcome;
}

function explained(reason: any): LegacyError {
  const error = reason instanceof Error ? reason : new Error(String(reason));
  const { description, status, httpStatus } = reason || {};
  return Object.assign(error, { description: description || error.message, status: status || httpStatus || 0 });
}

/** Themes pass the id of a list, or an object that has it. */
export function lidOf(list: any): string {
  return String((typeof list === "object" && list ? list.lid : list) || "");
}
