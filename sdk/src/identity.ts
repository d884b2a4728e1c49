import { isCredentials, parse } from "./shapes";

export interface Credentials {
  readonly regid: string;
  readonly sessionid: string;
}

type Register = () => Promise<Credentials>;

/**
 * The browser's guests and logged-in shoppers, one of each per server and store. They live in localStorage so that
 * every tab and the next visit is the same; where storage is missing, full or forbidden, as long as the page.
 */
export class Identities {
  // Only what storage refused to keep, so it is always newer than what storage still holds.
  private readonly unstored = new Map<string, Credentials>();
  private readonly pending = new Map<string, Promise<Credentials>>();

  /** `storage` is a function because even touching window.localStorage can throw. */
  constructor(private readonly storage: () => Storage) {}

  /** The guest for this key; calls that come while one is being registered share it. */
  async get(key: string, register: Register): Promise<Credentials> {
    return this.pending.get(key) || this.peek(key) || this.register(key, register);
  }

  /** A guest in the place of one that the server does not know (any more). */
  async replace(key: string, bad: Credentials, register: Register): Promise<Credentials> {
    const known = this.peek(key);
    // Another call or tab may have replaced it already; a second registration would lose that one's items.
    if (known && known.regid === bad.regid) this.drop(key);
    return this.get(key, register);
  }

  keep(key: string, credentials: Credentials): void {
    this.drop(key);
    this.write(key, credentials);
  }

  forget(key: string): void {
    this.pending.delete(key);
    this.drop(key);
  }

  private register(key: string, register: Register): Promise<Credentials> {
    const mine: Promise<Credentials> = register().then(
      (fresh) => {
        // Forgotten while it was under way: the next shopper on this device must not find it.
        if (this.pending.get(key) !== mine) return fresh;
        this.pending.delete(key);
        // The first tab wins; the server has written nothing yet for the guest that is dropped here.
        return this.peek(key) || this.write(key, fresh);
      },
      (error) => {
        if (this.pending.get(key) === mine) this.pending.delete(key);
        throw error;
      },
    );
    this.pending.set(key, mine);
    return mine;
  }

  /** What is stored, without registering anybody. */
  peek(key: string): Credentials | undefined {
    const unstored = this.unstored.get(key);
    if (unstored) return unstored;
    try {
      const value = parse(this.storage().getItem(key));
      return isCredentials(value) ? value : undefined;
    } catch {
      return undefined;
    }
  }

  private write(key: string, { regid, sessionid }: Credentials): Credentials {
    const guest = { regid, sessionid };
    try {
      this.storage().setItem(key, JSON.stringify(guest));
    } catch {
      this.unstored.set(key, guest);
    }
    return guest;
  }

  private drop(key: string): void {
    this.unstored.delete(key);
    try {
      this.storage().removeItem(key);
    } catch {
      // Nothing was kept there.
    }
  }
}

export function guestKey({ base, store }: { base: string; store: string }): string {
  return `wishbone.guest ${base} ${store}`;
}

export function shopperKey({ base, store }: { base: string; store: string }): string {
  return `wishbone.shopper ${base} ${store}`;
}
