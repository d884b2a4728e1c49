//! The router: attaches a handler to every operation of the API.

use std::collections::HashMap;
use std::sync::Arc;

use axum::Router;
use axum::handler::Handler;
use axum::http::Uri;
use axum::routing::{MethodFilter, MethodRouter};

use crate::api;
use crate::api::operation::{Caller, Description, Operation};
use crate::api::routes::OPERATIONS;
use crate::app::App;
use crate::http::handlers::{
    alerts, catalog, comments, confirmations, counts, demo, diagnosis, identity, items, links, list_mail, lists, live,
    mail, merging, move_items, openapi, preferences, privacy, probes, recipients, reports, save_for_later, sdk, shared,
    subscriptions, webhooks,
};
use crate::http::request::observation::{Answering, Observed, Observing};
use crate::http::response::error;

/// An operation and its handler.
pub struct Route {
    pub operation: Operation,
    /// Adds the handler to those of the path.
    attach: Attach,
}

type Attach = Box<dyn FnOnce(MethodRouter<Arc<App>>, Arc<Observed>) -> MethodRouter<Arc<App>>>;

impl Route {
    fn new<T: 'static>(operation: Operation, handler: impl Handler<T, Arc<App>, Future = Answering>) -> Self {
        let filter = if operation.method == "GET" { MethodFilter::GET } else { MethodFilter::POST };
        let attach: Attach = Box::new(move |handlers, observed| handlers.on(filter, Observing { observed, handler }));
        Self { operation, attach }
    }
}

/// Handles an operation of the route table. Tests make sure that every operation has exactly one handler.
fn on<T: 'static>(description: &Description, handler: impl Handler<T, Arc<App>, Future = Answering>) -> Route {
    let is_meant = |operation: &&Operation| operation.description.is_some_and(|it| it.id == description.id);
    let operation = OPERATIONS.iter().find(is_meant).copied().unwrap_or(UNKNOWN);
    Route::new(operation, handler)
}

/// A page that is not part of the API.
fn unlisted<T: 'static>(path: &'static str, handler: impl Handler<T, Arc<App>, Future = Answering>) -> Route {
    Route::new(Operation { caller: Caller::Anyone, method: "GET", path, description: None }, handler)
}

/// A form of such a page.
fn unlisted_post<T: 'static>(path: &'static str, handler: impl Handler<T, Arc<App>, Future = Answering>) -> Route {
    Route::new(Operation { caller: Caller::Anyone, method: "POST", path, description: None }, handler)
}

/// What is at no path of the API.
const UNKNOWN: Operation = Operation { caller: Caller::Browser, method: "", path: "unknown", description: None };

#[rustfmt::skip]
pub fn routes() -> Vec<Route> {
    vec![
        on(&api::lists::FETCH_USER_LIST, items::fetch_user_list),
        on(&api::lists::FETCH_USER_LISTS, lists::fetch_user_lists),
        on(&api::lists::FETCH_LIST_WITH_CONTENTS, items::fetch_list_with_contents),
        on(&api::lists::FETCH_LISTS, lists::fetch_lists),
        on(&api::lists::CREATE, lists::create),
        on(&api::lists::UPDATE, lists::update),
        on(&api::lists::DELETE_LIST, lists::delete_list),
        on(&api::lists::UPDATE_CTX, items::update_ctx),
        on(&api::lists::MOVE_ITEMS, move_items::move_items),
        on(&api::lists::MARK_PUBLIC, lists::mark_public),
        on(&api::sharing::EMAIL_LIST, list_mail::email_list),
        on(&api::sharing::REPORT_SHARE, reports::report_share),
        on(&api::sharing::CREATE_LINK, links::create),
        on(&api::sharing::LIST_LINKS, links::list),
        on(&api::sharing::REVOKE_LINKS, links::revoke),
        on(&api::sharing::ADD_COMMENT, comments::add),
        on(&api::sharing::LIST_COMMENTS, comments::list),
        on(&api::sharing::DELETE_COMMENT, comments::delete),
        on(&api::merging::USER_VALIDATE_SYNC, merging::user_validate_sync),
        on(&api::lists::LIVE, live::live),
        on(&api::lists::CONTAINS, counts::contains),
        on(&api::lists::SOCIAL_COUNT, counts::social_count),
        on(&api::identity::SAVE_USER, identity::save_user),
        on(&api::save_for_later::CREATE, save_for_later::create),
        on(&api::save_for_later::FETCH, save_for_later::fetch),
        on(&api::save_for_later::ADD, save_for_later::add),
        on(&api::save_for_later::UPDATE, save_for_later::update),
        on(&api::save_for_later::REMOVE, save_for_later::remove),
        on(&api::save_for_later::MOVED_TO_CART, save_for_later::moved_to_cart),
        on(&api::subscriptions::FETCH_SUBS, subscriptions::fetch_subs),
        on(&api::subscriptions::ADD, subscriptions::add),
        on(&api::subscriptions::REMOVE, subscriptions::remove),
        on(&api::identity::REGISTER, identity::register),
        on(&api::identity::FEATURES, identity::features),

        on(&api::identity::ME, identity::me),
        on(&api::identity::GENERATE_REGID, identity::generate_regid),
        on(&api::merging::GUEST_VALIDATE_SYNC, merging::guest_validate_sync),
        on(&api::merging::MERGES, merging::merges),
        on(&api::merging::UNDO_MERGE, merging::undo_merge),
        on(&api::identity::REVOKE_SESSIONS, identity::revoke_sessions),
        on(&api::privacy::EXPORT, privacy::export),
        on(&api::privacy::ERASE, privacy::erase),
        on(&api::catalog::UPSERT, catalog::upsert),
        on(&api::catalog::DELETE, catalog::delete),
        on(&api::catalog::UPDATE_INVENTORY, catalog::update_inventory),
        on(&api::subscriptions::CREATE, subscriptions::create),
        on(&api::alerts::LIST, alerts::list),
        on(&api::alerts::SUMMARY, alerts::summary),
        on(&api::alerts::RETRY, alerts::retry),
        on(&api::mail::LIST_TEMPLATES, mail::list_templates),
        on(&api::mail::SET_TEMPLATE, mail::set_template),
        on(&api::mail::RESET_TEMPLATE, mail::reset_template),
        on(&api::mail::LIST_TEXTS, mail::list_texts),
        on(&api::mail::SET_TEXTS, mail::set_texts),
        on(&api::mail::RESET_TEXTS, mail::reset_texts),
        on(&api::mail::PREVIEW, mail::preview),
        on(&api::mail::SEND_TEST, mail::send_test),
        on(&api::webhooks::CREATE, webhooks::create),
        on(&api::webhooks::LIST, webhooks::list),
        on(&api::webhooks::DELIVERIES, webhooks::deliveries),
        on(&api::webhooks::REPLAY, webhooks::replay),
        on(&api::webhooks::ROTATE, webhooks::rotate),
        on(&api::webhooks::DELETE, webhooks::delete),

        on(&api::server::SCRIPT, sdk::script),
        on(&api::server::MODULE, sdk::module),
        on(&api::server::ELEMENTS, sdk::elements),
        on(&api::server::LIVE, sdk::live),
        on(&api::server::LEGACY, sdk::legacy),
        on(&api::server::TYPES, sdk::types),
        on(&api::server::PACKAGE, sdk::package),
        on(&api::server::OPENAPI, openapi::json),
        on(&api::server::DOCS, openapi::page),
        on(&api::server::HEALTHZ, probes::healthz),
        on(&api::server::READYZ, probes::readyz),

        on(&api::server::SHARED_LIST_PAGE, shared::page),
        on(&api::server::RECIPIENT_PAGE, recipients::page),
        on(&api::server::RECIPIENT_ANSWER, recipients::answer),
        on(&api::server::CONFIRMATION_PAGE, confirmations::page),
        on(&api::server::CONFIRMATION_ANSWER, confirmations::answer),
        on(&api::server::PREFERENCE_PAGE, preferences::page),
        on(&api::server::PREFERENCE_ANSWER, preferences::answer),

        unlisted(diagnosis::PATH, diagnosis::show),
        unlisted("/", demo::home),
        unlisted("/demo/mails", demo::mails),
        unlisted("/demo/mails/{id}", demo::mail),
        unlisted("/demo/{file}", demo::file),
        unlisted("/demo/category/{name}", demo::category),
        unlisted("/demo/products/{name}", demo::product),
        unlisted("/demo/stock/{epi}", demo::stock),
        unlisted("/demo/variants/{empi}", demo::variants),
        unlisted("/demo/pictures/{file}", demo::picture),
        unlisted_post("/demo/login", demo::login),
        unlisted_post("/demo/restock", demo::restock),
        unlisted_post("/demo/price", demo::price),
    ]
}

pub fn router(app: &Arc<App>) -> Router {
    let mut router = Router::new();
    let mut by_path: HashMap<&str, MethodRouter<Arc<App>>> = HashMap::new();
    for Route { operation, attach } in routes() {
        let path = operation.path;
        let observed = Observed::new(app, operation);
        let first = || {
            let handler = move |uri: Uri| async move { error::method_not_allowed(&uri, operation.method) };
            let observed = Arc::clone(&observed);
            MethodRouter::new().fallback(Observing { observed, handler })
        };
        let handlers = by_path.remove(path).unwrap_or_else(first);
        by_path.insert(path, attach(handlers, observed));
    }
    for (path, handlers) in by_path {
        router = router.route(path, handlers);
    }
    router
        .fallback(Observing { observed: Observed::new(app, UNKNOWN), handler: error::not_found })
        .with_state(Arc::clone(app))
}
