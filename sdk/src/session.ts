import type { Identity } from "./api";
import { missing, type Settings, UNSET } from "./config";
import { hasCode, identityChanged, notConfigured, type WishboneError } from "./errors";
import { type Credentials, guestKey, type Identities, shopperKey } from "./identity";
import { type Check, isCredentials, isFeatures } from "./shapes";
import type { Fields, Transport } from "./transport";

/** A shopper operation under /api/v3/: what is sent beside the identity, and how its answer is recognised. */
export interface Operation<T> {
  readonly path: string;
  readonly query?: Fields | undefined;
  readonly form?: Fields | undefined;
  readonly accepts: Check<T>;
}

type Watch = () => void;

/** Who calls are made as, and how one is made: as the page's shopper, the logged-in one, or this browser's guest. */
export class Session {
  settings = UNSET;

  constructor(
    private readonly identities: Identities,
    private readonly transport: Transport,
    /** The server no longer accepts the logged-in shopper. */
    private readonly ended: (reason: WishboneError) => void,
  ) {}

  /** The identity, without registering a guest. */
  current(): Identity | undefined {
    const { regid, sessionid } = this.settings;
    if (regid) return { regid, sessionid, from: "page" };
    const shopper = this.identities.peek(shopperKey(this.settings));
    if (shopper) return { ...shopper, from: "login" };
    const guest = this.identities.peek(guestKey(this.settings));
    return guest && { ...guest, from: "guest" };
  }

  async identity(): Promise<Identity> {
    const settings = this.configured();
    const guest = () => this.identities.get(guestKey(settings), () => this.register(settings));
    return this.current() || { ...(await guest()), from: "guest" };
  }

  /** The settings, or an error that says what is missing. */
  configured(): Settings {
    const problem = missing(this.settings);
    if (problem) throw notConfigured(problem);
    return this.settings;
  }

  /** Names the data of server, store and shopper in the browser; a guest who is replaced goes on under the same name. */
  scope(): string {
    const { base, store } = this.settings;
    const identity = this.current();
    // The end of a regid is a signature: enough to tell shoppers apart, and not enough to act as one.
    const who = identity && identity.from !== "guest" ? identity.regid.slice(-16) : "guest";
    return `${base} ${store} ${who}`;
  }

  /** Makes one request; `check` throws where the call was stopped meanwhile. */
  async send<T>(operation: Operation<T>, key: string | undefined, check: Watch): Promise<T> {
    const { settings } = this;
    // Before somebody is registered: the shopper may have logged out since the last attempt.
    check();
    const identity = await this.identity();
    check();
    try {
      return await this.post(settings, operation, identity, key);
    } catch (error) {
      if (!hasCode(error, "bad-regid")) throw error;
      check();
      // Another tab may have logged in or out meanwhile. A guest may also have been replaced, and goes on.
      const now = this.current();
      const isSame = identity.from === "guest" ? !now || now.from === "guest" : now?.regid === identity.regid;
      if (!isSame) throw identityChanged();
      if (identity.from === "login") this.ended(error);
      if (identity.from !== "guest") throw error;
      const guest = await this.identities.replace(guestKey(settings), identity, () => this.register(settings));
      check();
      return this.post(settings, operation, guest, key);
    }
  }

  /** The optional features that the store has. */
  async features(): Promise<string[]> {
    const settings = this.configured();
    const { data } = await this.anonymous(settings, { path: "provider/features", accepts: isFeatures });
    return data.features;
  }

  private post<T>(settings: Settings, operation: Operation<T>, by: Credentials, key: string | undefined): Promise<T> {
    const { base, store, timeout } = settings;
    const { path, accepts } = operation;
    const query = { pid: store, ...operation.query };
    const { regid, sessionid } = by;
    const form = { regid, sessionid, ...operation.form };
    return this.transport.post({ base, path, query, form, key, timeout, accepts });
  }

  /** A guest of this browser: the server asks for nothing but the store, and writes nothing before the guest does. */
  private register(settings: Settings): Promise<Credentials> {
    return this.anonymous(settings, { path: "provider/register", accepts: isCredentials }, "");
  }

  /** A call about the store, as nobody. */
  private anonymous<T>({ base, store, timeout }: Settings, { path, accepts }: Operation<T>, key?: string): Promise<T> {
    return this.transport.post({ base, path, query: { pid: store }, form: {}, key, timeout, accepts });
  }
}
