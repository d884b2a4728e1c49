//! The router: every route on one screen.

pub mod address;
mod answer;
pub mod auth;
mod catalog;
mod comments;
mod cors;
mod crowd;
mod demo;
mod error;
pub mod form;
pub mod gate;
mod headers;
mod identity;
mod items;
pub mod kept_pages;
pub mod large;
mod list_mail;
mod lists;
pub mod maintenance;
mod merging;
mod moves;
mod observe;
mod openapi;
mod privacy;
pub mod probes;
pub mod rate;
mod recipients;
mod save_for_later;
mod sdk;
pub mod serve;
mod share_links;
mod shares;
mod social;
mod subscriptions;
mod turns;

use std::collections::HashMap;
use std::sync::Arc;

use axum::Router;
use axum::handler::Handler;
use axum::http::Method;
use axum::routing::{MethodFilter, MethodRouter};
use tower_http::CompressionLevel;
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::{NotForContentType, Predicate, SizeAbove};

pub(crate) use auth::LONGEST_KEY;
pub(crate) use comments::MOST_RECORDS as MOST_COMMENTS;
pub(crate) use error::status;
pub(crate) use identity::LONGEST_WORD;
pub(crate) use items::{LEAST_ITEMS, MOST_ITEMS};
pub(crate) use subscriptions::MOST_RECORDS as MOST_SUBSCRIPTIONS;

use self::observe::{Answering, Observed, Observing};
use crate::app::App;
use crate::mail::RECIPIENT_PAGE;
use crate::openapi::{self as about, About};

/// Who calls a route. This decides about cross-origin calls, and which table tests a route is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Caller {
    /// Browsers and apps, with a regid and a sessionid.
    Shopper,
    /// Browsers that have no identity yet.
    Browser,
    /// The store's own server, with its API key.
    StoreAdmin,
    /// Anyone who can reach the server: probes and files.
    Anyone,
}

pub struct Route {
    pub path: &'static str,
    pub caller: Caller,
    pub method: Method,
    /// None for the demo's own pages.
    pub about: Option<&'static About>,
    /// Adds the handler to those of the path.
    attach: Attach,
    /// Its handler compresses what it answers; no layer need look at it.
    compresses: bool,
}

type Attach = Box<dyn FnOnce(MethodRouter<Arc<App>>, Arc<Observed>) -> MethodRouter<Arc<App>>>;

impl Route {
    fn new<T: 'static>(
        (caller, method, path): (Caller, Method, &'static str),
        about: Option<&'static About>,
        handler: impl Handler<T, Arc<App>, Future = Answering>,
    ) -> Self {
        let filter = if method == Method::GET { MethodFilter::GET } else { MethodFilter::POST };
        let attach: Attach = Box::new(move |handlers, observed| handlers.on(filter, Observing { observed, handler }));
        Self { path, caller, method, about, attach, compresses: false }
    }

    fn compressing(self) -> Self {
        Self { compresses: true, ..self }
    }
}

/// The target of the log lines of requests.
pub(crate) const REQUEST_LINES: &str = observe::TARGET;

/// What requests do, in the words of metrics and logs.
#[derive(Clone, Copy, Debug)]
pub struct Operation {
    pub path: &'static str,
    pub caller: Caller,
    pub about: Option<&'static About>,
}

fn post<T: 'static>(
    caller: Caller,
    path: &'static str,
    handler: impl Handler<T, Arc<App>, Future = Answering>,
    about: &'static About,
) -> Route {
    Route::new((caller, Method::POST, path), Some(about), handler)
}

fn get<T: 'static>(
    caller: Caller,
    path: &'static str,
    handler: impl Handler<T, Arc<App>, Future = Answering>,
    about: &'static About,
) -> Route {
    Route::new((caller, Method::GET, path), Some(about), handler)
}

/// A page of the demo.
fn unlisted<T: 'static>(path: &'static str, handler: impl Handler<T, Arc<App>, Future = Answering>) -> Route {
    Route::new((Caller::Anyone, Method::GET, path), None, handler)
}

#[rustfmt::skip]
pub fn routes() -> Vec<Route> {
    use Caller::{Anyone, Browser, Shopper, StoreAdmin};
    vec![
        post(Shopper, "/api/v3/lists/fetch-user-list", items::fetch_user_list, &about::lists::FETCH_USER_LIST).compressing(),
        post(Shopper, "/api/v3/lists/fetch-user-lists", lists::fetch_user_lists, &about::lists::FETCH_USER_LISTS),
        post(Shopper, "/api/v3/lists/fetch-list-with-contents", items::fetch_list_with_contents, &about::lists::FETCH_LIST_WITH_CONTENTS),
        post(Shopper, "/api/v3/lists/fetch-lists", lists::fetch_lists, &about::lists::FETCH_LISTS),
        post(Shopper, "/api/v3/lists/create", lists::create, &about::lists::CREATE),
        post(Shopper, "/api/v3/lists/update", lists::update, &about::lists::UPDATE),
        post(Shopper, "/api/v3/lists/delete-list", lists::delete_list, &about::lists::DELETE_LIST),
        post(Shopper, "/api/v3/lists/update-ctx", items::update_ctx, &about::lists::UPDATE_CTX),
        post(Shopper, "/api/v3/lists/move-items", moves::move_items, &about::lists::MOVE_ITEMS),
        post(Shopper, "/api/v3/lists/markPublic", lists::mark_public, &about::lists::MARK_PUBLIC),
        post(Shopper, "/api/v3/lists/emailList", list_mail::email_list, &about::sharing::EMAIL_LIST),
        post(Shopper, "/api/v3/lists/reportShare", shares::report_share, &about::sharing::REPORT_SHARE),
        post(Shopper, "/api/v3/lists/share-links/create", share_links::create, &about::sharing::CREATE_LINK),
        post(Shopper, "/api/v3/lists/share-links/list", share_links::list, &about::sharing::LIST_LINKS),
        post(Shopper, "/api/v3/lists/share-links/revoke", share_links::revoke, &about::sharing::REVOKE_LINKS),
        post(Shopper, "/api/v3/lists/comments/add", comments::add, &about::sharing::ADD_COMMENT),
        post(Shopper, "/api/v3/lists/comments/list", comments::list, &about::sharing::LIST_COMMENTS),
        post(Shopper, "/api/v3/lists/comments/delete", comments::delete, &about::sharing::DELETE_COMMENT),
        post(Shopper, "/api/v3/lists/user-validate-sync", merging::user_validate_sync, &about::logins::USER_VALIDATE_SYNC),
        post(Shopper, "/api/v3/lists/contains", social::contains, &about::lists::CONTAINS),
        post(Shopper, "/api/v3/product/wishlist/social-count", social::social_count, &about::lists::SOCIAL_COUNT),
        post(Shopper, "/api/v3/user/save", identity::save_user, &about::identity::SAVE_USER),
        post(Shopper, "/api/v3/lists/sfl/create", save_for_later::create, &about::saved::CREATE),
        post(Shopper, "/api/v3/lists/sfl/fetch", save_for_later::fetch, &about::saved::FETCH),
        post(Shopper, "/api/v3/lists/sfl/add", save_for_later::add, &about::saved::ADD),
        post(Shopper, "/api/v3/lists/sfl/update", save_for_later::update, &about::saved::UPDATE),
        post(Shopper, "/api/v3/lists/sfl/remove", save_for_later::remove, &about::saved::REMOVE),
        post(Shopper, "/api/v3/lists/sfl/moved-to-cart", save_for_later::moved_to_cart, &about::saved::MOVED_TO_CART),
        post(Shopper, "/api/v3/subscriptions/fetch-subs", subscriptions::fetch_subs, &about::subscriptions::FETCH_SUBS),
        post(Browser, "/api/v3/provider/register", identity::register, &about::identity::REGISTER),

        get(StoreAdmin, "/storeadmin/me", identity::me, &about::identity::ME),
        post(StoreAdmin, "/storeadmin/v3/user/generate-regid", identity::generate_regid, &about::identity::GENERATE_REGID),
        post(StoreAdmin, "/storeadmin/v3/user/guest-validate-sync", merging::guest_validate_sync, &about::logins::GUEST_VALIDATE_SYNC),
        post(StoreAdmin, "/storeadmin/v3/user/merges", merging::merges, &about::logins::MERGES),
        post(StoreAdmin, "/storeadmin/v3/user/undo-merge", merging::undo_merge, &about::logins::UNDO_MERGE),
        post(StoreAdmin, "/storeadmin/v3/user/revoke-sessions", identity::revoke_sessions, &about::identity::REVOKE_SESSIONS),
        post(StoreAdmin, "/storeadmin/v3/user/export", privacy::export, &about::privacy::EXPORT),
        post(StoreAdmin, "/storeadmin/v3/user/erase", privacy::erase, &about::privacy::ERASE),
        post(StoreAdmin, "/storeadmin/v3/products/upsert", catalog::upsert, &about::catalog::UPSERT),
        post(StoreAdmin, "/storeadmin/v3/products/delete", catalog::delete, &about::catalog::DELETE),
        post(StoreAdmin, "/storeadmin/v3/inventory/update", catalog::update_inventory, &about::catalog::UPDATE_INVENTORY),
        post(StoreAdmin, "/storeadmin/bispa/subscriptions/create", subscriptions::create, &about::subscriptions::CREATE),

        get(Anyone, "/sdk/wishbone.js", sdk::script, &about::server::SCRIPT),
        get(Anyone, "/sdk/wishbone.d.ts", sdk::types, &about::server::TYPES),
        get(Anyone, "/openapi.json", openapi::json, &about::server::OPENAPI),
        get(Anyone, "/docs", openapi::page, &about::server::DOCS),
        get(Anyone, "/healthz", probes::healthz, &about::server::HEALTHZ),
        get(Anyone, "/readyz", probes::readyz, &about::server::READYZ),
        get(Anyone, "/metrics", probes::metrics, &about::server::METRICS),

        get(Anyone, RECIPIENT_PAGE, recipients::page, &about::server::RECIPIENT_PAGE),
        post(Anyone, RECIPIENT_PAGE, recipients::answer, &about::server::RECIPIENT_ANSWER),

        unlisted("/", demo::page),
        unlisted("/demo/mails", demo::mails),
        unlisted("/demo/mails/{id}", demo::mail),
        unlisted("/demo/{file}", demo::file),
        unlisted("/demo/pictures/{file}", demo::picture),
    ]
}

/// Smaller answers fit into a packet as they are.
const LEAST_COMPRESSED: u64 = 1_024;

pub fn router(app: &Arc<App>) -> Router {
    let mut router = Router::new();
    let worth_it = SizeAbove::new(LEAST_COMPRESSED).and(NotForContentType::IMAGES);
    let compressed = CompressionLayer::new().quality(CompressionLevel::Fastest).compress_when(worth_it);
    let mut by_path: HashMap<&str, (MethodRouter<Arc<App>>, bool)> = HashMap::new();
    for Route { path, caller, about, attach, compresses, .. } in routes() {
        let observed = Observed::new(app, Operation { path, caller, about });
        let first = || {
            let (observed, handler) = (Arc::clone(&observed), error::method_not_allowed);
            MethodRouter::new().fallback(Observing { observed, handler })
        };
        let handlers = by_path.remove(path).map_or_else(first, |(handlers, _)| handlers);
        by_path.insert(path, (attach(handlers, observed), compresses));
    }
    for (path, (handlers, compresses)) in by_path {
        router = router.route(path, if compresses { handlers } else { handlers.layer(compressed.clone()) });
    }
    let unknown = Operation { path: "unknown", caller: Caller::Browser, about: None };
    router
        .fallback(Observing { observed: Observed::new(app, unknown), handler: error::not_found })
        .with_state(Arc::clone(app))
}
