//! The page that confirmation mails link to (double opt-in).

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use wishbone_core::mail::customization::FindMailContext;
use wishbone_core::subscriptions::confirm::{ConfirmAddress, Confirmation, ConfirmationLink, FindConfirmation};

use crate::app::App;
use crate::http::handlers::recipients::invalid_link;
use crate::http::request::authentication::read_body;
use crate::http::request::form::Form;
use crate::http::response::error::Result;
use crate::http::response::page::page_response;
use crate::mail::budget::Budget;
use crate::mail::letterhead::Letterhead;
use crate::mail::pages::{ConfirmState, confirm_page};
use crate::mail::pool::Purpose;

/// GET changes nothing: mail programs and virus scanners open links before people do.
pub(crate) async fn page(State(app): State<Arc<App>>, request: Request) -> Result<Response> {
    let link = link(&app, request.uri().query());
    show(&app, link, ConfirmState::AlreadyConfirmed, request.headers()).await
}

pub(crate) async fn answer(State(app): State<Arc<App>>, request: Request) -> Result<Response> {
    let (link, headers) = (link(&app, request.uri().query()), request.headers().clone());
    read_body(request, app.limits.form_bytes).await?;
    let Some(by) = link.clone() else { return show(&app, None, ConfirmState::Confirmed, &headers).await };
    let confirmed = app.database.write(ConfirmAddress { by, moment: app.environment.moment() }).await?;
    let state = if confirmed > 0 { ConfirmState::Confirmed } else { ConfirmState::AlreadyConfirmed };
    show(&app, link, state, &headers).await
}

fn link(app: &App, query: Option<&str>) -> Option<ConfirmationLink> {
    let query = Form::parse(query?.as_bytes()).ok()?;
    ConfirmationLink::of_token(&app.keys, query.get("token")?)
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
    let store_id = context.store.store_id;
    let status = if state == ConfirmState::Expired { StatusCode::NOT_FOUND } else { StatusCode::OK };
    let render =
        move |budget: &Arc<Budget>| confirm_page(&Letterhead::of_context(budget, context), state, &subscriptions, more);
    page_response(status, app.renders.run(store_id, Purpose::Call, render).await?)
}
