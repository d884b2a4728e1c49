import { badResponse, refused, timedOut, unreachable } from "./errors";
import { isRecord } from "./shapes";

export type Fields = Readonly<Record<string, string | number | boolean | null | undefined>>;

export interface Request<T> {
  readonly base: string;
  readonly path: string;
  readonly query: Fields;
  /** Absent means an empty body. */
  readonly form?: Fields;
  readonly timeout: number;
  /** Tells the right answer from anything else that came with a 200. */
  readonly accepts: (answer: unknown) => answer is T;
}

export interface Answer {
  readonly httpStatus: number;
  readonly requestId: string;
  readonly text: string;
}

/** One POST. Resolves with the accepted answer, or rejects with a WishboneError; never takes longer than its timeout. */
export function post<T>(request: Request<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = new AbortController();
    const timer = setTimeout(() => {
      reject(timedOut(request.base, request.timeout));
      abort.abort();
    }, request.timeout);
    exchange(request, abort.signal)
      .then((answer) => read(request, answer))
      .then(resolve, reject)
      .then(() => clearTimeout(timer));
  });
}

async function exchange(request: Request<unknown>, signal: AbortSignal): Promise<Answer> {
  const address = `${request.base}/api/v3/${request.path}?${encode(request.query)}`;
  const init: RequestInit = {
    method: "POST",
    // This and a form's type are among the few headers that need no CORS preflight; keep it that way.
    headers: { Accept: "application/json" },
    credentials: "omit",
    signal,
  };
  if (request.form) {
    init.headers = { ...init.headers, "Content-Type": "application/x-www-form-urlencoded" };
    init.body = encode(request.form);
  }

  try {
    const response = await fetch(address, init);
    const requestId = response.headers.get("x-request-id") || "";
    return { httpStatus: response.status, requestId, text: await response.text() };
  } catch {
    throw unreachable(request.base);
  }
}

/** Turns an answer into its JSON, or throws what is wrong with it. */
export function read<T>({ base, accepts }: Pick<Request<T>, "base" | "accepts">, answer: Answer): T {
  const { httpStatus, requestId } = answer;
  const details = { httpStatus, requestId, retryable: httpStatus === 429 || httpStatus >= 500 };
  const body = parse(answer.text);
  if (isRecord(body)) {
    const code = body["type"] === "sw-badregid" ? "bad-regid" : body["error-code"];
    if (typeof code === "string" && code) throw refused(code, words(body["error-msg"], body["message"]), details);
  }
  if (httpStatus !== 200) throw badResponse(base, `HTTP ${httpStatus} and no reason`, details);
  if (body === undefined) throw badResponse(base, "something that is not JSON", details);
  if (!accepts(body)) throw badResponse(base, "JSON of an unexpected shape", details);
  return body;
}

/** Form encoding; what is absent is left out, since the server takes an empty value as an absent one. */
export function encode(fields: Fields): string {
  const pairs = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) {
    if (value !== undefined && value !== null && value !== "") pairs.append(name, String(value));
  }
  return pairs.toString();
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function words(...candidates: unknown[]): string {
  return candidates.find((one): one is string => typeof one === "string" && one !== "") || "";
}
