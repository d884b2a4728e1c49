//! The route table: who calls which operation, and where. Handlers are attached by the router.

use crate::api::operation::{Caller, Description, Operation};
use crate::api::{
    alerts, catalog, identity, lists, mail, merging, privacy, save_for_later, server, sharing, subscriptions, webhooks,
};

use Caller::{Anyone, Browser, Monitor, Shopper, StoreAdmin};

#[rustfmt::skip]
pub static OPERATIONS: &[Operation] = &[
    post(Shopper, "/api/v3/lists/fetch-user-list", &lists::FETCH_USER_LIST),
    post(Shopper, "/api/v3/lists/fetch-user-lists", &lists::FETCH_USER_LISTS),
    post(Shopper, "/api/v3/lists/fetch-list-with-contents", &lists::FETCH_LIST_WITH_CONTENTS),
    post(Shopper, "/api/v3/lists/fetch-lists", &lists::FETCH_LISTS),
    post(Shopper, "/api/v3/lists/create", &lists::CREATE),
    post(Shopper, "/api/v3/lists/update", &lists::UPDATE),
    post(Shopper, "/api/v3/lists/delete-list", &lists::DELETE_LIST),
    post(Shopper, "/api/v3/lists/update-ctx", &lists::UPDATE_CTX),
    post(Shopper, "/api/v3/lists/move-items", &lists::MOVE_ITEMS),
    post(Shopper, "/api/v3/lists/markPublic", &lists::MARK_PUBLIC),
    post(Shopper, "/api/v3/lists/emailList", &sharing::EMAIL_LIST),
    post(Shopper, "/api/v3/lists/reportShare", &sharing::REPORT_SHARE),
    post(Shopper, "/api/v3/lists/share-links/create", &sharing::CREATE_LINK),
    post(Shopper, "/api/v3/lists/share-links/list", &sharing::LIST_LINKS),
    post(Shopper, "/api/v3/lists/share-links/revoke", &sharing::REVOKE_LINKS),
    post(Shopper, "/api/v3/lists/comments/add", &sharing::ADD_COMMENT),
    post(Shopper, "/api/v3/lists/comments/list", &sharing::LIST_COMMENTS),
    post(Shopper, "/api/v3/lists/comments/delete", &sharing::DELETE_COMMENT),
    post(Shopper, "/api/v3/lists/user-validate-sync", &merging::USER_VALIDATE_SYNC),
    post(Shopper, "/api/v3/lists/contains", &lists::CONTAINS),
    post(Shopper, "/api/v3/lists/live", &lists::LIVE),
    post(Shopper, "/api/v3/product/wishlist/social-count", &lists::SOCIAL_COUNT),
    post(Shopper, "/api/v3/user/save", &identity::SAVE_USER),
    post(Shopper, "/api/v3/lists/sfl/create", &save_for_later::CREATE),
    post(Shopper, "/api/v3/lists/sfl/fetch", &save_for_later::FETCH),
    post(Shopper, "/api/v3/lists/sfl/add", &save_for_later::ADD),
    post(Shopper, "/api/v3/lists/sfl/update", &save_for_later::UPDATE),
    post(Shopper, "/api/v3/lists/sfl/remove", &save_for_later::REMOVE),
    post(Shopper, "/api/v3/lists/sfl/moved-to-cart", &save_for_later::MOVED_TO_CART),
    post(Shopper, "/api/v3/subscriptions/fetch-subs", &subscriptions::FETCH_SUBS),
    post(Shopper, "/api/v3/subscriptions/add", &subscriptions::ADD),
    post(Shopper, "/api/v3/subscriptions/remove", &subscriptions::REMOVE),
    post(Browser, "/api/v3/provider/register", &identity::REGISTER),
    post(Browser, "/api/v3/provider/features", &identity::FEATURES),

    get(StoreAdmin, "/storeadmin/me", &identity::ME),
    post(StoreAdmin, "/storeadmin/v3/user/generate-regid", &identity::GENERATE_REGID),
    post(StoreAdmin, "/storeadmin/v3/user/guest-validate-sync", &merging::GUEST_VALIDATE_SYNC),
    post(StoreAdmin, "/storeadmin/v3/user/merges", &merging::MERGES),
    post(StoreAdmin, "/storeadmin/v3/user/undo-merge", &merging::UNDO_MERGE),
    post(StoreAdmin, "/storeadmin/v3/user/revoke-sessions", &identity::REVOKE_SESSIONS),
    post(StoreAdmin, "/storeadmin/v3/user/export", &privacy::EXPORT),
    post(StoreAdmin, "/storeadmin/v3/user/erase", &privacy::ERASE),
    post(StoreAdmin, "/storeadmin/v3/products/upsert", &catalog::UPSERT),
    post(StoreAdmin, "/storeadmin/v3/products/delete", &catalog::DELETE),
    post(StoreAdmin, "/storeadmin/v3/inventory/update", &catalog::UPDATE_INVENTORY),
    post(StoreAdmin, "/storeadmin/bispa/subscriptions/create", &subscriptions::CREATE),
    post(StoreAdmin, "/storeadmin/v3/subscriptions/list", &alerts::LIST),
    post(StoreAdmin, "/storeadmin/v3/subscriptions/summary", &alerts::SUMMARY),
    post(StoreAdmin, "/storeadmin/v3/subscriptions/retry", &alerts::RETRY),
    post(StoreAdmin, "/storeadmin/v3/mail/templates/list", &mail::LIST_TEMPLATES),
    post(StoreAdmin, "/storeadmin/v3/mail/templates/set", &mail::SET_TEMPLATE),
    post(StoreAdmin, "/storeadmin/v3/mail/templates/reset", &mail::RESET_TEMPLATE),
    post(StoreAdmin, "/storeadmin/v3/mail/texts/list", &mail::LIST_TEXTS),
    post(StoreAdmin, "/storeadmin/v3/mail/texts/set", &mail::SET_TEXTS),
    post(StoreAdmin, "/storeadmin/v3/mail/texts/reset", &mail::RESET_TEXTS),
    post(StoreAdmin, "/storeadmin/v3/mail/preview", &mail::PREVIEW),
    post(StoreAdmin, "/storeadmin/v3/mail/send-test", &mail::SEND_TEST),
    post(StoreAdmin, "/storeadmin/v3/webhooks/create", &webhooks::CREATE),
    post(StoreAdmin, "/storeadmin/v3/webhooks/list", &webhooks::LIST),
    post(StoreAdmin, "/storeadmin/v3/webhooks/deliveries", &webhooks::DELIVERIES),
    post(StoreAdmin, "/storeadmin/v3/webhooks/replay", &webhooks::REPLAY),
    post(StoreAdmin, "/storeadmin/v3/webhooks/rotate", &webhooks::ROTATE),
    post(StoreAdmin, "/storeadmin/v3/webhooks/delete", &webhooks::DELETE),

    get(Anyone, "/sdk/wishbone.js", &server::SCRIPT),
    get(Anyone, "/sdk/wishbone.mjs", &server::MODULE),
    get(Anyone, "/sdk/wishbone-elements.mjs", &server::ELEMENTS),
    get(Anyone, "/sdk/wishbone-live.mjs", &server::LIVE),
    get(Anyone, "/sdk/wishbone-legacy.mjs", &server::LEGACY),
    get(Anyone, "/sdk/wishbone.d.ts", &server::TYPES),
    get(Anyone, "/sdk/wishbone-sdk.tgz", &server::PACKAGE),
    get(Anyone, "/openapi.json", &server::OPENAPI),
    get(Anyone, "/docs", &server::DOCS),
    get(Monitor, "/healthz", &server::HEALTHZ),
    get(Monitor, "/readyz", &server::READYZ),

    get(Anyone, server::SHARED_PAGE, &server::SHARED_LIST_PAGE),
    get(Anyone, server::UNSUBSCRIBE_PAGE, &server::RECIPIENT_PAGE),
    post(Anyone, server::UNSUBSCRIBE_PAGE, &server::RECIPIENT_ANSWER),
    get(Anyone, server::CONFIRM_PAGE, &server::CONFIRMATION_PAGE),
    post(Anyone, server::CONFIRM_PAGE, &server::CONFIRMATION_ANSWER),
    get(Anyone, server::PREFERENCES_PAGE, &server::PREFERENCE_PAGE),
    post(Anyone, server::PREFERENCES_PAGE, &server::PREFERENCE_ANSWER),
];

const fn post(caller: Caller, path: &'static str, description: &'static Description) -> Operation {
    Operation { caller, method: "POST", path, description: Some(description) }
}

const fn get(caller: Caller, path: &'static str, description: &'static Description) -> Operation {
    Operation { caller, method: "GET", path, description: Some(description) }
}
