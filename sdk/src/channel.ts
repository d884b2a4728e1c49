import { isRecord } from "./shapes";

const NAME = "wishbone.channel";

export type Message = Record<string, unknown>;

/** Returns a function that tells the other tabs of this origin. */
export function openChannel(storage: () => Storage, receive: (message: Message) => void): (message: Message) => void {
  const take = (message: unknown) => isRecord(message) && receive(message);
  try {
    const channel = new BroadcastChannel(NAME);
    channel.onmessage = (event) => take(event.data);
    return (message) => channel.postMessage(message);
  } catch {
    // An older browser: storage events reach the other tabs too.
    addEventListener("storage", ({ key, newValue }) => {
      if (key === NAME && newValue) take(JSON.parse(newValue));
    });
    return (message) => {
      try {
        storage().setItem(NAME, JSON.stringify(message));
        storage().removeItem(NAME);
      } catch {
        // Without storage there is nothing that tabs could share.
      }
    };
  }
}
