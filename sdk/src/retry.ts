import { isTransient } from "./errors";

const FIRST_PAUSE = 250;
const LONGEST_PAUSE = 60_000;

export interface Patience {
  readonly attempts: number;
  /** No attempt begins later than this many milliseconds after the first. */
  readonly within: number;
}

export interface Clock {
  readonly now: () => number;
  readonly random: () => number;
  readonly wait: (milliseconds: number) => Promise<void>;
}

export const clock: Clock = {
  now: Date.now,
  random: Math.random,
  wait: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
};

/** Repeats what failed for a reason that may pass. The last error is the outcome. */
export async function retrying<T>(
  attempt: () => Promise<T>,
  { attempts, within }: Patience,
  { now, random, wait }: Clock = clock,
): Promise<T> {
  const end = now() + within;
  for (let count = 1; ; count++) {
    try {
      return await attempt();
    } catch (error) {
      if (count >= attempts || !isTransient(error)) throw error;
      const pause = pauseAfter(count, error.retryAfter, random);
      if (now() + pause > end) throw error;
      await wait(pause);
    }
  }
}

/** Doubles with each failure, and differs between browsers, so that they do not all come back at the same moment. */
export function pauseAfter(failures: number, retryAfter: number, random: () => number = clock.random): number {
  const longest = Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** (failures - 1));
  return retryAfter * 1000 + longest * (0.5 + random() / 2);
}
