/** The data of an event, with its id. */
export interface LiveEvent {
  readonly id: string;
  readonly type: string;
  readonly lid: string | null;
  readonly version?: number;
}

/** Why there was no stream, where the server has said it. */
export interface Refusal {
  readonly status?: number;
  /** Seconds that the server asks to wait. */
  readonly retryAfter?: number;
}

// The server begins with an event. A proxy that collects responses holds it back.
const OPENING = 8_000;
// The server sends a comment every 15 seconds.
const SILENCE = 40_000;

/**
 * Makes one call of `lists/live` and hands over its events as they arrive. Resolves at the end of a stream that has had
 * an event, also if it was cut off; rejects with a Refusal or another error if there was none.
 */
export async function connect(
  address: string,
  form: Record<string, string>,
  signal: AbortSignal,
  take: (events: LiveEvent[]) => Promise<void>,
): Promise<void> {
  const abort = new AbortController();
  const end = () => abort.abort();
  signal.addEventListener("abort", end);
  let timer = setTimeout(end, OPENING);
  let opened = false;
  try {
    const body = new URLSearchParams(form);
    const response = await fetch(address, { method: "POST", body, credentials: "omit", signal: abort.signal });
    const { status } = response;
    if (status !== 200) throw { status, retryAfter: Number(response.headers.get("retry-after")) || 0 } as Refusal;
    const reader = response.body!.getReader();
    const decoder = new TextDecoder();
    let text = "";
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      const blocks = (text + decoder.decode(value, { stream: true })).split("\n\n");
      text = blocks.pop() as string;
      const events = blocks.map(parse).filter((event): event is LiveEvent => !!event);
      opened = opened || events.length > 0;
      clearTimeout(timer);
      timer = setTimeout(end, opened ? SILENCE : OPENING);
      if (events.length > 0) await take(events);
    }
  } catch (error) {
    if (!opened) throw error;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", end);
  }
  if (!opened) throw {} as Refusal;
}

/** A block of lines; comments have no data. */
function parse(block: string): LiveEvent | undefined {
  const field = (name: string) => block.match(new RegExp(`^${name}: (.*)$`, "m"))?.[1];
  const data = field("data");
  return data ? { ...JSON.parse(data), id: field("id") || "" } : undefined;
}
