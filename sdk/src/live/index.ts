import type { Wishbone } from "../api";
import { type Change, Changes, EVERYTHING } from "./changes";
import { follow } from "./follow";
import type { LiveEvent } from "./stream";

// A page that nobody has looked at for so long need not be told at once.
const PAUSE = 60_000;

/** What the tab that reads the stream tells the others. */
interface Message {
  readonly scope: string;
  /** Of the last event; absent where a tab that has just come asks for it. */
  readonly id?: string;
  readonly changes?: Change[];
}

/**
 * Follows the changes that other devices make to the shopper's lists. One tab of the browser reads the stream, and the
 * others hear from it. A guest has no other device, so there is nothing to follow.
 */
export function install(client: Wishbone, { pause = PAUSE }: { pause?: number } = {}): void {
  const changes = new Changes(client);
  const channel = openChannel(receive);
  /** The shopper that is followed, "" for none. */
  let scope = "";
  /** The id of the last event that this tab knows. */
  let id = "";
  let reading = false;
  let away = false;
  let run = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;

  const tell = (message: object) => channel?.postMessage({ ...message, scope });
  const emit = (all: Change[]) => all.forEach(([name, detail]) => client.emit(name, detail));

  function receive(message: Message): void {
    if (!scope || message.scope !== scope) return;
    if (message.id) {
      id = message.id;
      emit(message.changes || []);
    } else if (reading && id) tell({ id });
  }

  async function read(signal: AbortSignal, streams: boolean): Promise<void> {
    let calls = 0;
    const take = async (events: LiveEvent[]) => {
      // Without an id, the server cannot say what was missed while the first calls failed.
      const news = id || calls === 1 ? await changes.of(events) : EVERYTHING;
      if (signal.aborted) return;
      id = events[events.length - 1]!.id;
      tell({ id, changes: news });
      emit(news);
    };
    const request = () => {
      calls += 1;
      const { base, store } = client.settings;
      const { regid = "", sessionid = "" } = client.shopper.current() || {};
      const form = { regid, sessionid, "last-event-id": id };
      return { address: `${base}/api/v3/lists/live?pid=${encodeURIComponent(store)}`, form };
    };
    reading = true;
    await follow({ signal, streams, request, take });
  }

  async function start({ signal }: AbortController): Promise<void> {
    tell({});
    try {
      await (channel && navigator.locks)!.request(`wishbone.live ${scope}`, { signal }, () => read(signal, true));
    } catch {
      // Only secure pages have locks. A stream for each tab would use up the browser's connections, so each one polls.
      if (!signal.aborted) await read(signal, false);
    }
  }

  /** Begins, goes on or ends, as shopper and page require. */
  function update(): void {
    const shopper = away ? null : client.shopper.current();
    const { base, store } = client.settings;
    const now = shopper && shopper.from !== "guest" ? `${base} ${store} ${shopper.regid.slice(-16)}` : "";
    if (now === scope) return;
    run.abort();
    run = new AbortController();
    reading = false;
    scope = now;
    if (scope) void start(run);
  }

  function setAway(value: boolean): void {
    away = value;
    update();
  }

  function look(): void {
    clearTimeout(timer);
    if (document.hidden) timer = setTimeout(setAway, pause, true);
    else setAway(false);
  }

  client.on("*", (detail, name) => {
    changes.note(name, detail);
    if (/^log/.test(name)) id = "";
    update();
  });
  // The browser can keep the page for the way back, but not with a stream.
  addEventListener("pagehide", () => setAway(true));
  addEventListener("pageshow", look);
  document.addEventListener("visibilitychange", look);
  update();
  look();
}

/** Undefined in older browsers, and where the page is not allowed to have one. */
function openChannel(receive: (message: Message) => void): BroadcastChannel | undefined {
  try {
    const channel = new BroadcastChannel("wishbone.live");
    channel.onmessage = ({ data }) => receive(data);
    return channel;
  } catch {
    return undefined;
  }
}
