import type { SubscribeOptions, SubscriptionCalls } from "./api";
import type { Core } from "./core";
import { areSubscriptions, isSubscriptions } from "./shapes";
import { pick } from "./transport";

type RemoveOptions = { epi: number | string; topic: string; medium?: string };
type FetchOptions = { topic: string; medium?: string; limit?: number; offset?: number };

/** The namespace `subscriptions`. */
export function subscriptions(core: Core): SubscriptionCalls {
  return {
    add: core.write("subscriptions.add", async (options: SubscribeOptions, send) => {
      const form = pick(options, "topic medium mediumvalue epi empi du targetprice quantity");
      const { subscriptions } = await send({ path: "subscriptions/add", form, accepts: areSubscriptions }, "");
      core.emit("subscribed", { subscriptions });
      return subscriptions;
    }),

    remove: core.write("subscriptions.remove", async (options: RemoveOptions, send) => {
      const form = pick(options, "epi topic medium");
      const { subscriptions } = await send({ path: "subscriptions/remove", form, accepts: areSubscriptions }, "");
      core.emit("unsubscribed", { subscriptions });
      return subscriptions;
    }),

    fetch: core.read("subscriptions.fetch", (options: FetchOptions, send) => {
      const form = pick(options, "topic medium limit offset");
      return send({ path: "subscriptions/fetch-subs", form, accepts: isSubscriptions });
    }),
  };
}
