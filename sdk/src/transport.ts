import { badResponse, refused, timedOut, unreachable } from "./errors";
import { isRecord, parse } from "./shapes";
import { withWebAddresses } from "./web-address";

/** Arrays and objects are sent as JSON text. */
export type Fields = Readonly<Record<string, unknown>>;

export interface Request<T> {
  readonly base: string;
  readonly path: string;
  readonly query: Fields;
  readonly form: Fields;
  /** The idempotency key of a write, "" for one that needs none; absent for a read. */
  readonly key?: string | undefined;
  readonly timeout: number;
  /** Tells the right answer from anything else that came with a 200. */
  readonly accepts: (answer: unknown) => answer is T;
}

export interface Answer {
  readonly httpStatus: number;
  readonly requestId: string;
  /** Seconds, 0 where the server does not say. */
  readonly retryAfter?: number;
  /** The version that a write has made of its list, where the body does not have it. */
  readonly version?: number;
  readonly text: string;
}

export class Transport {
  private reads = new Map<string, Promise<Answer>>();

  /** One POST. Resolves with the accepted answer, or rejects with a WishboneError; never takes longer than its timeout. */
  post<T>(request: Request<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const abort = new AbortController();
      const timer = setTimeout(() => {
        reject(timedOut(request.base, request.timeout));
        abort.abort();
      }, request.timeout);
      this.answer(request, abort.signal)
        .then((answer) => read(request, answer))
        .then(resolve, reject)
        .then(() => clearTimeout(timer));
    });
  }

  /** Something was written: reads that begin from now on must not share the answer of one from before. */
  written(): void {
    this.reads = new Map();
  }

  /** Identical reads under way share one request; each parses the answer, so that none can change another's objects. */
  private answer(request: Request<unknown>, signal: AbortSignal): Promise<Answer> {
    const address = `${request.base}/api/v3/${request.path}?${encode(request.query)}`;
    const body = encode(request.form);
    const { reads } = this;
    const id = `${address} ${body}`;
    const isRead = request.key === undefined;
    const known = reads.get(id);
    if (isRead && known) return known;

    const answer = exchange(request.base, address, body, request.key, signal);
    const end = () => void reads.delete(id);
    if (isRead) {
      reads.set(id, answer);
      answer.then(end, end);
    }
    return answer;
  }
}

async function exchange(
  base: string,
  address: string,
  body: string,
  key: string | undefined,
  signal: AbortSignal,
): Promise<Answer> {
  // This and a form's type are among the few headers that need no CORS preflight. Only a write has one more, its key;
  // browsers remember the answer to that preflight for two hours.
  const headers: HeadersInit = { Accept: "application/json", "Content-Type": "application/x-www-form-urlencoded" };
  if (key) headers["Idempotency-Key"] = key;
  try {
    const response = await fetch(address, { method: "POST", headers, body, credentials: "omit", signal });
    const requestId = response.headers.get("x-request-id") || "";
    const number = (name: string) => Number(response.headers.get(name));
    const retryAfter = number("retry-after") || 0;
    const version = number("x-list-version");
    return { httpStatus: response.status, requestId, retryAfter, version, text: await response.text() };
  } catch {
    throw unreachable(base);
  }
}

/** Turns an answer into its JSON, or throws what is wrong with it. */
export function read<T>({ base, accepts }: Pick<Request<T>, "base" | "accepts">, answer: Answer): T {
  const { httpStatus, requestId, retryAfter = 0 } = answer;
  const details = { httpStatus, requestId, retryAfter, retryable: httpStatus === 429 || httpStatus >= 500 };
  const body = withWebAddresses(parse(answer.text));
  if (isRecord(body)) {
    const code = body["type"] === "sw-badregid" ? "bad-regid" : body["error-code"];
    if (typeof code === "string" && code) throw refused(code, words(body["error-msg"], body["message"]), details);
  }
  if (httpStatus !== 200) throw badResponse(base, `HTTP ${httpStatus} and no reason`, details);
  if (body === undefined) throw badResponse(base, "something that is not JSON", details);
  if (!accepts(body)) throw badResponse(base, "JSON of an unexpected shape", details);
  return answer.version ? { version: answer.version, ...body } : body;
}

/** Form encoding; what is absent is left out, since the server takes an empty value as an absent one. */
export function encode(fields: Fields): string {
  const pairs = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined || value === null || value === "") continue;
    pairs.append(name, typeof value === "object" ? JSON.stringify(value) : String(value));
  }
  return pairs.toString();
}

/** The named fields of an object, in this order: pages may pass whole records, of which the server needs little. */
export function pick(from: object, names: string): Fields {
  const source = from as Fields;
  return Object.fromEntries(names.split(" ").map((name) => [name, source[name]]));
}

function words(...candidates: unknown[]): string {
  return candidates.find((one): one is string => typeof one === "string" && one !== "") || "";
}
