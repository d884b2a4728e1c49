import type { EventDetail, EventName, Wishbone } from "../api";
import type { LiveEvent } from "./stream";

export type Change = [EventName, EventDetail<any>];

export const EVERYTHING: Change[] = [["lists-changed", { remote: true }]];

/** Turns the server's events into those of the client, without the ones that this browser has caused itself. */
export class Changes {
  /** Versions of lists that this browser has made. */
  private readonly own = new Set<string>();
  /** The version of each list up to which everything is known. */
  private readonly known = new Map<string, number>();

  constructor(private readonly client: Wishbone) {}

  /** Takes note of an event of the client. */
  note(name: string, detail: any): void {
    const { lid, version } = detail.list || detail;
    this.own.add(lid + version).add(detail.fromlid + detail.fromversion).add(detail.tolid + detail.toversion);
    if (name === "list-created") this.known.set(lid, version);
  }

  async of(events: LiveEvent[]): Promise<Change[]> {
    if (events.some(({ type }) => type === "lists.changed")) return EVERYTHING;
    const news = events.filter((event) => event.lid && !this.isOwn(event));
    if (news.length === 0) return [];
    try {
      const lists = await this.client.lists.fetch({ includeArchived: true });
      return news.map(({ type, lid }) => {
        const list = lists.find((one) => one.lid === lid);
        if (!list) return ["list-deleted", { list: { lid }, remote: true }];
        return [type === "list.created" ? "list-created" : "list-updated", { list, remote: true }];
      });
    } catch {
      return EVERYTHING;
    }
  }

  /** True if this browser has made all versions since the last one that is known. */
  private isOwn({ lid, version = 0 }: LiveEvent): boolean {
    const before = this.known.get(lid as string);
    this.known.set(lid as string, version);
    if (before === undefined || !version) return false;
    for (let made = before + 1; made <= version; made++) if (!this.own.has(lid! + made)) return false;
    return true;
  }
}
