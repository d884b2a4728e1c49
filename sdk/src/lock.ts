import { type Clock, clock } from "./retry";

export type Locked = (name: string, work: () => Promise<void>) => Promise<void>;

/** Runs `work` in one tab at a time. Idempotency keys keep a failure of this from doing harm; it keeps the order. */
export function oneTabAtATime(storage: () => Storage): Locked {
  return async (name, work) => {
    let started = false;
    try {
      // Only secure pages have locks, and where storage is forbidden they are too.
      await navigator.locks.request(name, () => {
        started = true;
        return work();
      });
    } catch (error) {
      if (started) throw error;
      await leased(storage, name, work);
    }
  };
}

// A tab that was closed or crashed holds up the others no longer than this.
const LEASE = 20_000;
const RENEWAL = 5_000;
const SETTLING = 40;
const RETRY = 400;

/** A lease in storage. Of two tabs that take it at the same moment, the one that wrote last has it. */
export async function leased(
  storage: () => Storage,
  name: string,
  work: () => Promise<void>,
  { now, random, wait }: Clock = clock,
): Promise<void> {
  const me = String(random());
  const key = `wishbone.lease ${name}`;
  const holder = () => (storage().getItem(key) || "").split(" ");
  const take = () => storage().setItem(key, `${me} ${now() + LEASE}`);
  try {
    for (;;) {
      const [other, until] = holder();
      if (other && Number(until) > now()) {
        await wait(RETRY);
        continue;
      }
      take();
      await wait(SETTLING);
      if (holder()[0] === me) break;
    }
  } catch {
    // Without storage no other tab has anything to do with this one.
    return work();
  }
  const renewal = setInterval(() => {
    try {
      take();
    } catch {
      // It runs out, and another tab may go on.
    }
  }, RENEWAL);
  try {
    await work();
  } finally {
    clearInterval(renewal);
    try {
      if (holder()[0] === me) storage().removeItem(key);
    } catch {
      // It runs out.
    }
  }
}
