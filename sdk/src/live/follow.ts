import { connect, type LiveEvent, type Refusal } from "./stream";

const SECOND = 1_000;
const LONGEST_PAUSE = 60 * SECOND;
const POLL_INTERVAL = 10 * SECOND;
const MAX_POLLS = 64;

interface Work {
  readonly signal: AbortSignal;
  /** False to poll only. */
  readonly streams: boolean;
  /** Asked anew for each call. */
  request(): { address: string; form: Record<string, string> };
  take(events: LiveEvent[]): Promise<void>;
}

/**
 * Follows the events until the signal ends it, or until the server refuses this caller. Where a stream does not open but
 * a poll succeeds, something on the way does not let streams through: they are tried again ever more rarely.
 */
export async function follow({ signal, streams, request, take }: Work): Promise<void> {
  let failures = 0;
  let blocked = 0;
  let polls = streams ? 0 : Infinity;
  while (!signal.aborted) {
    const isPoll = polls > 0;
    const began = Date.now();
    let pause = 0;
    try {
      const { address, form } = request();
      await connect(address, { ...form, timeout: isPoll ? "0" : "300" }, signal, take);
      if (isPoll) {
        polls -= 1;
        failures = 0;
        pause = POLL_INTERVAL;
      } else {
        blocked = 0;
        // One that is cut off again and again must not come back every second.
        failures = Date.now() - began > POLL_INTERVAL ? 0 : failures + 1;
      }
    } catch (error) {
      const { status = 0, retryAfter = 0 } = error as Refusal;
      // This caller may not, whatever the time.
      if (status >= 400 && status < 429) return;
      failures += 1;
      pause = retryAfter * SECOND;
      if (streams) polls = isPoll ? 0 : Math.min(MAX_POLLS, 2 ** (blocked += 1));
    }
    // Differs between browsers, so that they do not all come back at the same moment.
    const backoff = Math.min(LONGEST_PAUSE, SECOND * 2 ** failures) * (0.5 + Math.random() / 2);
    await wait(pause + backoff, signal);
  }
}

/** Waits, but not longer than until the network is back. */
function wait(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      removeEventListener("online", end);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    addEventListener("online", end);
    signal.addEventListener("abort", end);
    if (signal.aborted) end();
  });
}
