//! The page that confirmation mails link to (double opt-in).

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use wishbone_core::mail::customization::FindMailContext;
use wishbone_core::subscriptions::confirm::{ConfirmAddress, Confirmation, ConfirmationLink, FindConfirmation};

use crate::app::App;
use crate::http::handlers::mail_pages::{enter, invalid_link, read_link, store_page};
use crate::http::request::body::read_body;
use crate::http::response::error::Result;
use crate::mail::pages::{ConfirmState, confirm_page};

/// GET changes nothing: mail programs and virus scanners open links before people do.
pub(crate) async fn page(State(app): State<Arc<App>>, request: Request) -> Result<Response> {
    let _slot = enter(&app, request.uri().query())?;
    let link = link(&app, request.uri().query());
    show(&app, link, ConfirmState::AlreadyConfirmed, request.headers()).await
}

pub(crate) async fn answer(State(app): State<Arc<App>>, request: Request) -> Result<Response> {
    let _slot = enter(&app, request.uri().query())?;
    let (link, headers) = (link(&app, request.uri().query()), request.headers().clone());
    read_body(request, &app, app.limits.form_bytes).await?;
    let Some(by) = link.clone() else { return show(&app, None, ConfirmState::Confirmed, &headers).await };
    let confirmed = app.database.write(ConfirmAddress { by, moment: app.environment.moment() }).await?;
    let state = if confirmed > 0 { ConfirmState::Confirmed } else { ConfirmState::AlreadyConfirmed };
    show(&app, link, state, &headers).await
}

fn link(app: &App, query: Option<&str>) -> Option<ConfirmationLink> {
    read_link(query, |token| ConfirmationLink::of_token(&app.keys, token))
}

/// Shows the page; `confirmed` is its state if nothing is left to confirm.
async fn show(
    app: &App,
    link: Option<ConfirmationLink>,
    confirmed: ConfirmState,
    headers: &HeaderMap,
) -> Result<Response> {
    let Some(link) = link else {
        return invalid_link(app, headers).await;
    };
    let Confirmation { recipient, address, is_gone, is_confirmed, subscriptions, more } =
        app.database.read(FindConfirmation { by: link.clone() }).await?;
    let context = app
        .database
        .read(FindMailContext { by: recipient, address: Some(address), for_confirmation: !is_confirmed })
        .await?;
    let Some(context) = context else {
        return invalid_link(app, headers).await;
    };
    let state = match is_confirmed {
        _ if is_gone => ConfirmState::Expired,
        true => confirmed,
        false if link.has_expired(app.environment.now()) => ConfirmState::Expired,
        false => ConfirmState::Pending,
    };
    let status = if state == ConfirmState::Expired { StatusCode::NOT_FOUND } else { StatusCode::OK };
    store_page(app, status, context, move |letterhead| confirm_page(letterhead, state, &subscriptions, more)).await
}
