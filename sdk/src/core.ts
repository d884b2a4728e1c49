import type { EventDetails, EventName } from "./api";
import { Call } from "./call";
import { identityChanged, timedOut, WishboneError } from "./errors";
import type { Events } from "./events";
import type { Entry } from "./outbox";
import { retrying } from "./retry";
import type { Sender } from "./sender";
import type { Operation, Session } from "./session";
import type { Transport } from "./transport";

/**
 * Makes one request. A write names its part of the call, "" where it is the only one, or brings an idempotency key of
 * its own; a read does neither.
 */
export type Send = <T>(operation: Operation<T>, part?: string | { key: string }) => Promise<T>;
type Work<O, T> = (options: O, send: Send) => Promise<T>;
/** The runtime form of the methods in api/; options may be left out where there are callbacks. */
type Method<T> = (options?: any, onSuccess?: any, onError?: any) => Promise<T>;

interface Command {
  readonly work: Work<any, unknown>;
  readonly once: boolean;
}

interface WriteOptions<O> {
  readonly once?: boolean;
  readonly validate?: (options: O) => unknown;
}

/** Throws where its work must not go on. */
export type Checked = Pick<Call<any>, "check">;
const UNCHECKED: Checked = { check() {} };

const READ_ATTEMPTS = 3;
const WRITE_ATTEMPTS = 4;

/** What the namespaces are made of: reads, writes that wait in the queue, and events. */
export class Core {
  /** Set by the client: the sender in turn carries out its writes with `execute`. */
  sender!: Sender;
  private readonly commands = new Map<string, Command>();
  private readonly underWay = new Set<Call<any>>();

  constructor(
    readonly session: Session,
    readonly transport: Transport,
    readonly events: Events,
    /** Tells the other tabs of an event. */
    private readonly broadcast: (name: string, detail: object) => void,
  ) {}

  /** A call that changes nothing. */
  read<O, T>(name: string, work: Work<O, T>): Method<T> {
    return this.method(name, true, (options: O, call) => work(options, this.reader(call)));
  }

  /**
   * A change that can wait for the network. What it does must depend on its options and on what it reads, since another
   * page may carry it out. `once` is for what must not be repeated without its key; `validate` throws at the time of
   * the call what is wrong with its options.
   */
  write<O, T>(name: string, work: Work<O, T>, { once = false, validate }: WriteOptions<O> = {}): Method<T> {
    this.commands.set(name, { work, once });
    return this.method(name, false, async (options: O) => {
      validate?.(options);
      return this.submit(name, options);
    });
  }

  /** Makes a write as part of another call. */
  submit(name: string, options: unknown): Promise<any> {
    return this.sender.submit(name, options, newKey());
  }

  /** A change that is only of use at once: it is sent after those that wait, or fails. */
  direct<O, T>(name: string, work: Work<O, T>): Method<T> {
    return this.method(name, true, async (options: O, call) => {
      await this.sender.flush();
      return work(options, this.writer(newKey(), WRITE_ATTEMPTS, call));
    });
  }

  /** Turns work into a function of the page: with callbacks, a Promise and, if `limited`, a timeout of the whole call. */
  method<O, T>(name: string, limited: boolean, work: (options: O, call: Call<T>) => Promise<T>): Method<T> {
    return (...args) => {
      if (typeof args[0] === "function") args.unshift(undefined);
      const [options, onSuccess, onError] = args;
      const { base, timeout } = this.session.settings;
      const call = new Call<T>((error) => {
        clearTimeout(timer);
        this.underWay.delete(call);
        if (error) this.report(error, name, options, false);
      });
      const timer = limited ? setTimeout(() => call.stop(timedOut(base, timeout)), timeout) : undefined;
      this.underWay.add(call);
      return call.deliver(this.start(work, options, call), onSuccess, onError);
    };
  }

  /** Carries out a change of the queue. */
  async execute({ name, args, key }: Entry, first: boolean): Promise<unknown> {
    const command = this.commands.get(name);
    if (!command) throw new WishboneError("internal", `This script has no ${name}. Reload the page.`);
    // A browser that says it is offline may be wrong: one attempt finds out.
    const attempts = first && globalThis.navigator?.onLine !== false ? WRITE_ATTEMPTS : 1;
    // A change is its shopper's: it must not go on as the next one. A logout empties the queue, also that of a guest, who
    // has the same scope as the next one.
    const check = () => {
      if (!this.sender.pending().some((one) => one.key === key)) throw identityChanged();
    };
    return command.work(args, this.writer(key, attempts, { check }));
  }

  isOnce({ name }: Entry): boolean {
    return this.commands.get(name)?.once || false;
  }

  reader(call: Checked = UNCHECKED): Send {
    return this.writer("", READ_ATTEMPTS, call);
  }

  /** Reports a change, here and in the other tabs. */
  emit<N extends EventName>(name: N, detail: EventDetails[N]): void {
    this.notify(name, detail);
    this.broadcast(name, detail);
  }

  /** Reports a change in this tab. */
  notify(name: string, detail: object): void {
    this.transport.written();
    this.events.emit(name, detail);
  }

  report(error: WishboneError, name: string, args: unknown, replayed: boolean): void {
    // Another shopper's turn is not a failure.
    if (error.code !== "identity-changed") this.events.emit("error", { error, name, args, replayed });
  }

  /** Ends all calls that are under way, except the one that is the reason. */
  stop(reason: WishboneError = identityChanged(), except?: Call<any>): void {
    this.underWay.forEach((call) => call !== except && call.stop(reason));
  }

  private async start<T>(work: (options: any, call: Call<T>) => Promise<T>, options: any, call: Call<T>): Promise<T> {
    this.session.configured();
    return work(options ?? {}, call);
  }

  private writer(key: string, attempts: number, call: Checked): Send {
    const check = () => call.check();
    return (operation, part) => {
      const patience = { attempts, within: this.session.settings.timeout };
      const full = typeof part === "object" ? part.key : part === undefined ? part : key + part;
      // An answer for the last shopper must not be reported as a change of this one's.
      const checked = (answer: any) => (check(), answer);
      return retrying(() => this.session.send(operation as Operation<any>, full, check).then(checked), patience);
    };
  }
}

/** 128 random bits. crypto.randomUUID would need a secure page. */
function newKey(): string {
  return crypto.getRandomValues(new Uint32Array(4)).join("-");
}
