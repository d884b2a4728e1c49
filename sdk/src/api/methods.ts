import type { List, ListItem, ListWithItems } from "./records";
import type { ChangedItems, CreateListOptions, EnsureListOptions } from "./options";
import type { FetchListWithContentsOptions, FetchListsOptions, FetchUserListOptions, Identity } from "./options";
import type { ItemRef, Items, ListContents, LoginToken, MovedItems, Page, PageOptions, Place } from "./options";
import type { Product, SavedPage, ShareLink, ShopperDetails, SubscribeOptions, Subscription } from "./options";
import type { Subscriptions, Topic, UpdateListOptions, UserList, UserLists } from "./options";
import type { WishboneError } from "./errors";

export type OnSuccess<T> = (result: T) => void;
export type OnError = (error: WishboneError) => void;
type Maybe<T> = T | "" | null | undefined;

/**
 * Every call returns a Promise. If a callback is given, exactly one of the two is called, once, and never before the
 * call has returned; the Promise may then be ignored.
 */
export interface Method<Options, Result> {
  (options: Options, onSuccess?: Maybe<OnSuccess<Result>>, onError?: Maybe<OnError>): Promise<Result>;
}

/** A method whose options may be left out. */
export interface EasyMethod<Options, Result> {
  (options?: Options | null, onSuccess?: Maybe<OnSuccess<Result>>, onError?: Maybe<OnError>): Promise<Result>;
  (onSuccess: OnSuccess<Result>, onError?: Maybe<OnError>): Promise<Result>;
}

export interface Wishlist {
  fetchUserLists(onSuccess?: Maybe<OnSuccess<UserLists>>, onError?: Maybe<OnError>): Promise<UserLists>;
  readonly fetchUserList: Method<FetchUserListOptions, UserList>;
  readonly fetchListWithContents: Method<FetchListWithContentsOptions, ListContents>;
}

export interface Lists {
  /** All lists of the shopper: wishlists first, then other types, save-for-later lists last, each oldest first. */
  readonly fetch: EasyMethod<FetchListsOptions, Array<List & { listcontents?: ListItem[] }>>;
  /** One page of a list, newest items first. */
  readonly page: Method<PageOptions, Page>;
  /** A list with all its items. */
  readonly details: Method<FetchListWithContentsOptions, ListContents>;
  readonly create: Method<CreateListOptions, ListWithItems>;
  readonly update: Method<UpdateListOptions, List>;
  /** Gives the list as it was. */
  readonly delete: Method<{ lid: string; ifversion?: number | undefined }, List>;
  /** The shopper's default wishlist, or the list of this name and type; made where it is missing. */
  readonly ensure: EasyMethod<EnsureListOptions, List>;
}

type OrWithType<E> = E | { epis: E; lty?: string | undefined };
type OfProducts<E> = { empis: E; lty?: string | undefined };

export interface ItemCalls {
  readonly add: Method<Items<Product>, ChangedItems>;
  readonly update: Method<Items<Product>, ChangedItems>;
  readonly remove: Method<Items<ItemRef>, ChangedItems>;
  /** Adds the product to the default wishlist (or to `lid`), or removes it from all wishlists (or from `lid`). */
  readonly toggle: Method<Product & { lid?: string | undefined }, { added: boolean }>;
  readonly move: Method<
    { fromlid: string; tolid: string; items: ItemRef | ItemRef[]; ifversion?: number | undefined },
    MovedItems
  >;
  /**
   * The lids of the shopper's lists that have this variant; for an array, an object of them by epi. `lty` restricts them
   * to lists of one type: "wl" for hearts, as in `toggle`. Calls of the same moment are one request.
   */
  contains(epi: OrWithType<number | string>, onSuccess?: Maybe<OnSuccess<string[]>>, onError?: Maybe<OnError>): Promise<string[]>;
  contains(
    epis: OrWithType<ReadonlyArray<number | string>>,
    onSuccess?: Maybe<OnSuccess<Record<string, string[]>>>,
    onError?: Maybe<OnError>,
  ): Promise<Record<string, string[]>>;
  /** The variants of this product that are on lists; for an array, an object of them by empi. */
  contains(product: OfProducts<number | string>, onSuccess?: Maybe<OnSuccess<Place[]>>, onError?: Maybe<OnError>): Promise<Place[]>;
  contains(
    products: OfProducts<ReadonlyArray<number | string>>,
    onSuccess?: Maybe<OnSuccess<Record<string, Place[]>>>,
    onError?: Maybe<OnError>,
  ): Promise<Record<string, Place[]>>;
}

export interface SaveForLater {
  /** The shopper's save-for-later list with its newest items; makes the list on first use. */
  readonly init: EasyMethod<{ lname?: string | undefined; lnote?: string | undefined }, SavedPage>;
  readonly fetch: EasyMethod<{ next?: string | null | undefined; itemslimit?: number | undefined }, SavedPage>;
  readonly add: Method<Items<Product>, ChangedItems>;
  readonly update: Method<Items<Product>, ChangedItems>;
  readonly remove: Method<Items<ItemRef>, ChangedItems>;
  /** Takes the items off the list, because they are in the cart now. */
  readonly movedToCart: Method<Items<ItemRef>, ChangedItems>;
}

export interface Sharing {
  readonly createLink: Method<
    {
      lid: string;
      scope?: "view" | "edit" | undefined;
      expires?: number | undefined;
      label?: string | undefined;
      fromname?: string | undefined;
    },
    ShareLink
  >;
  readonly links: Method<{ lid: string }, ShareLink[]>;
  readonly revokeLink: Method<{ lid: string; key: string } | { lid: string; all: true }, { revoked: number }>;
  readonly mail: Method<
    { lid: string; toemail: string; fromname?: string | undefined; note?: string | undefined },
    { list: List; msg: string }
  >;
  /** Counts a share that happened elsewhere, such as "facebook". */
  readonly reportSocial: Method<{ lid: string; medium: string; fromname?: string | undefined }, { lid: string }>;
  /** `public: false` makes the list private again. */
  readonly markPublic: Method<{ lid: string; public?: boolean | undefined }, ListWithItems>;
}

export interface Counts {
  /** How many shoppers have the product on a wishlist. Calls of the same moment are one request. */
  social(empi: number | string, onSuccess?: Maybe<OnSuccess<number>>, onError?: Maybe<OnError>): Promise<number>;
  social(
    empis: ReadonlyArray<number | string>,
    onSuccess?: Maybe<OnSuccess<Record<string, number>>>,
    onError?: Maybe<OnError>,
  ): Promise<Record<string, number>>;
}

export interface SubscriptionCalls {
  readonly add: Method<SubscribeOptions, Subscription[]>;
  readonly remove: Method<{ epi: number | string; topic: Topic; medium?: "email" | "sms" | undefined }, Subscription[]>;
  readonly fetch: Method<
    { topic: Topic; medium?: "email" | "sms" | undefined; limit?: number | undefined; offset?: number | undefined },
    Subscriptions
  >;
}

export interface Shopper {
  readonly save: Method<ShopperDetails, { message: string }>;
  /**
   * Logs the guest in with a token of the shop's server, and merges the guest's lists. Pass the token, or a function
   * that asks the shop's server for one: the token is signed for `regid`.
   */
  readonly login: Method<LoginToken | ((identity: Identity) => LoginToken | Promise<LoginToken>), Identity>;
  logout(): void;
  /** Who calls are made as; registers a guest where there is nobody yet. */
  readonly identity: EasyMethod<{}, Identity>;
  /** The same without a request; null where no guest was needed so far. */
  current(): Identity | null;
}
