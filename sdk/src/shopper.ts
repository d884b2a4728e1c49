import type { Identity, LoginToken, MergedList, Shopper, ShopperDetails } from "./api";
import type { Call } from "./call";
import type { Core, Send } from "./core";
import { hasCode } from "./errors";
import type { Credentials } from "./identity";
import { isCredentials, isSaved } from "./shapes";
import { pick } from "./transport";

type Token = LoginToken | ((identity: Identity) => LoginToken | Promise<LoginToken>);

export interface Doors {
  /** Makes later calls as this shopper, here, in the other tabs, and after a reload. Ends all calls but this one. */
  enter(shopper: Credentials, lists: MergedList[] | undefined, by: Call<any>): void;
  leave(): void;
}

/** The namespace `shopper`. */
export function shopper(core: Core, { enter, leave }: Doors): Shopper {
  const { session } = core;

  async function sync(token: Token, send: Send): Promise<Credentials & { lists?: MergedList[] }> {
    const identity = await session.identity();
    const signed = typeof token === "function" ? await token(identity) : token;
    const form = pick(signed, "extuid useremail expires token platform");
    try {
      // Without a key: repeating a login changes nothing, and the server stores no credentials.
      return await send({ path: "lists/user-validate-sync", form, accepts: isCredentials });
    } catch (error) {
      // The guest had to be replaced, and the token is for the one before.
      const isReplaced = session.current()?.regid !== identity.regid;
      if (typeof token === "function" && isReplaced && hasCode(error, "forbidden")) return sync(token, send);
      throw error;
    }
  }

  const login = core.method("shopper.login", true, async ({ token }: { token: Token }, call): Promise<Identity> => {
    // What the guest did before must be there when the lists are merged.
    await core.sender.flush();
    const { regid, sessionid, lists } = await sync(token, core.reader(call));
    call.check();
    enter({ regid, sessionid }, lists, call);
    return { regid, sessionid, from: "login" };
  });

  return {
    login: (token, onSuccess, onError) => login({ token }, onSuccess, onError),

    logout: leave,

    save: core.write("shopper.save", async (details: ShopperDetails, send) => {
      const form = pick(details, "fname lname acceptMarketing language region alertdigest");
      const saved = await send({ path: "user/save", form, accepts: isSaved }, "");
      core.emit("shopper-saved", {});
      return saved;
    }),

    identity: core.read("shopper.identity", () => session.identity()),

    current: () => session.current() || null,
  };
}
