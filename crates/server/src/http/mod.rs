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

use std::sync::Arc;

use axum::Router;
use axum::middleware::from_fn_with_state;
use axum::routing::{MethodRouter, get, post};
use tower_http::CompressionLevel;
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::{NotForContentType, Predicate, SizeAbove};

use crate::app::App;
use crate::mail::RECIPIENT_PAGE;

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
    methods: MethodRouter<Arc<App>>,
}

/// The target of the log lines of requests.
pub(crate) const REQUEST_LINES: &str = observe::TARGET;

/// What requests do, in the words of metrics and logs.
#[derive(Clone, Copy, Debug)]
pub struct Operation {
    pub path: &'static str,
    pub caller: Caller,
}

#[rustfmt::skip]
pub fn routes() -> Vec<Route> {
    use Caller::{Anyone, Browser, Shopper, StoreAdmin};
    let route = |caller, path, methods| Route { path, caller, methods };
    vec![
        route(Shopper, "/api/v3/lists/fetch-user-list", post(items::fetch_user_list)),
        route(Shopper, "/api/v3/lists/fetch-user-lists", post(lists::fetch_user_lists)),
        route(Shopper, "/api/v3/lists/fetch-list-with-contents", post(items::fetch_list_with_contents)),
        route(Shopper, "/api/v3/lists/fetch-lists", post(lists::fetch_lists)),
        route(Shopper, "/api/v3/lists/create", post(lists::create)),
        route(Shopper, "/api/v3/lists/update", post(lists::update)),
        route(Shopper, "/api/v3/lists/delete-list", post(lists::delete_list)),
        route(Shopper, "/api/v3/lists/update-ctx", post(items::update_ctx)),
        route(Shopper, "/api/v3/lists/move-items", post(moves::move_items)),
        route(Shopper, "/api/v3/lists/markPublic", post(lists::mark_public)),
        route(Shopper, "/api/v3/lists/emailList", post(list_mail::email_list)),
        route(Shopper, "/api/v3/lists/reportShare", post(shares::report_share)),
        route(Shopper, "/api/v3/lists/share-links/create", post(share_links::create)),
        route(Shopper, "/api/v3/lists/share-links/list", post(share_links::list)),
        route(Shopper, "/api/v3/lists/share-links/revoke", post(share_links::revoke)),
        route(Shopper, "/api/v3/lists/comments/add", post(comments::add)),
        route(Shopper, "/api/v3/lists/comments/list", post(comments::list)),
        route(Shopper, "/api/v3/lists/comments/delete", post(comments::delete)),
        route(Shopper, "/api/v3/lists/user-validate-sync", post(merging::user_validate_sync)),
        route(Shopper, "/api/v3/lists/contains", post(social::contains)),
        route(Shopper, "/api/v3/product/wishlist/social-count", post(social::social_count)),
        route(Shopper, "/api/v3/user/save", post(identity::save_user)),
        route(Shopper, "/api/v3/lists/sfl/create", post(save_for_later::create)),
        route(Shopper, "/api/v3/lists/sfl/fetch", post(save_for_later::fetch)),
        route(Shopper, "/api/v3/lists/sfl/add", post(save_for_later::add)),
        route(Shopper, "/api/v3/lists/sfl/update", post(save_for_later::update)),
        route(Shopper, "/api/v3/lists/sfl/remove", post(save_for_later::remove)),
        route(Shopper, "/api/v3/lists/sfl/moved-to-cart", post(save_for_later::moved_to_cart)),
        route(Shopper, "/api/v3/subscriptions/fetch-subs", post(subscriptions::fetch_subs)),
        route(Browser, "/api/v3/provider/register", post(identity::register)),

        route(StoreAdmin, "/storeadmin/me", get(identity::me)),
        route(StoreAdmin, "/storeadmin/v3/user/generate-regid", post(identity::generate_regid)),
        route(StoreAdmin, "/storeadmin/v3/user/guest-validate-sync", post(merging::guest_validate_sync)),
        route(StoreAdmin, "/storeadmin/v3/user/merges", post(merging::merges)),
        route(StoreAdmin, "/storeadmin/v3/user/undo-merge", post(merging::undo_merge)),
        route(StoreAdmin, "/storeadmin/v3/user/revoke-sessions", post(identity::revoke_sessions)),
        route(StoreAdmin, "/storeadmin/v3/user/export", post(privacy::export)),
        route(StoreAdmin, "/storeadmin/v3/user/erase", post(privacy::erase)),
        route(StoreAdmin, "/storeadmin/v3/products/upsert", post(catalog::upsert)),
        route(StoreAdmin, "/storeadmin/v3/products/delete", post(catalog::delete)),
        route(StoreAdmin, "/storeadmin/v3/inventory/update", post(catalog::update_inventory)),
        route(StoreAdmin, "/storeadmin/bispa/subscriptions/create", post(subscriptions::create)),

        route(Anyone, "/sdk/wishbone.js", get(sdk::script)),
        route(Anyone, "/sdk/wishbone.d.ts", get(sdk::types)),
        route(Anyone, "/healthz", get(probes::healthz)),
        route(Anyone, "/readyz", get(probes::readyz)),
        route(Anyone, "/metrics", get(probes::metrics)),

        route(Anyone, RECIPIENT_PAGE, get(recipients::page).post(recipients::answer)),

        route(Anyone, "/", get(demo::page)),
        route(Anyone, "/demo/mails", get(demo::mails)),
        route(Anyone, "/demo/mails/{id}", get(demo::mail)),
        route(Anyone, "/demo/{file}", get(demo::file)),
        route(Anyone, "/demo/pictures/{file}", get(demo::picture)),
    ]
}

/// Smaller answers fit into a packet as they are.
const LEAST_COMPRESSED: u64 = 1_024;

pub fn router(app: &Arc<App>) -> Router {
    let mut router = Router::new();
    let worth_it = SizeAbove::new(LEAST_COMPRESSED).and(NotForContentType::IMAGES);
    let compressed = CompressionLayer::new().quality(CompressionLevel::Fastest).compress_when(worth_it);
    for Route { path, caller, methods } in routes() {
        let operation = Operation { path, caller };
        let observed = from_fn_with_state((Arc::clone(app), operation), observe::request);
        router = router.route(path, methods.layer(compressed.clone()).layer(observed));
    }
    let unknown = Operation { path: "unknown", caller: Caller::Browser };
    let fallback =
        axum::routing::any(error::not_found).layer(from_fn_with_state((Arc::clone(app), unknown), observe::request));
    router.fallback_service(fallback.with_state(Arc::clone(app))).with_state(Arc::clone(app))
}
