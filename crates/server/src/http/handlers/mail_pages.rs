//! What the pages behind the links of mails have in common.

use std::sync::Arc;

use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use wishbone_core::mail::customization::MailContext;

use crate::app::App;
use crate::http::edge::admission::overloaded;
use crate::http::request::form::Form;
use crate::http::response::error::Result;
use crate::http::response::page::{page_response, preferred_language};
use crate::limit_key::HashedKey;
use crate::mail::budget::Budget;
use crate::mail::letterhead::Letterhead;
use crate::mail::pages::invalid_link_page;
use crate::mail::pool::{NO_STORE, Purpose};
use crate::slot_limiter::Slot;

/// Reads the token of a link.
pub(super) fn read_link<T>(query: Option<&str>, of_token: impl FnOnce(&str) -> Option<T>) -> Option<T> {
    let query = Form::parse(query?.as_bytes()).ok()?;
    of_token(query.get("token")?)
}

/// Begins a call of a link. Without a token there is no link, and nothing to wait for.
pub(super) fn enter(app: &App, query: Option<&str>) -> Result<Slot<HashedKey>> {
    let link = read_link(query, |token| Some(HashedKey::of(token)));
    Ok(app.mail_links.acquire(link).ok_or_else(overloaded)?)
}

/// A page of a store.
pub(super) async fn store_page(
    app: &App,
    status: StatusCode,
    context: MailContext,
    render: impl FnOnce(&Letterhead) -> std::result::Result<String, minijinja::Error> + Send + 'static,
) -> Result<Response> {
    let (store_id, logo) = (context.store.store_id, context.store.settings.alerts.logo.clone());
    let render = move |budget: &Arc<Budget>| render(&Letterhead::of_context(budget, context));
    let pictures: Vec<&str> = logo.as_deref().into_iter().collect();
    page_response(status, app.renders.run(store_id, Purpose::Call, render).await?, &pictures)
}

/// The page of a link that this server did not make, or whose store is gone.
pub(super) async fn invalid_link(app: &App, headers: &HeaderMap) -> Result<Response> {
    let language = preferred_language(headers).map(str::to_owned);
    let render = move |budget: &Arc<Budget>| invalid_link_page(budget, language.as_deref());
    page_response(StatusCode::NOT_FOUND, app.renders.run(NO_STORE, Purpose::Call, render).await?, &[])
}
