//! The unsubscribe page that mails link to, and one-click unsubscribe (RFC 8058).

use std::sync::Arc;

use axum::extract::{RawQuery, Request, State};
use axum::http::StatusCode;
use axum::http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY};
use axum::response::{IntoResponse, Response};
use wishbone_core::error::Error;
use wishbone_core::mail::recipients::{FindMailPreference, MailPreference, Recipient, SetMailPreference};

use crate::app::App;
use crate::http::request::authentication::read_body;
use crate::http::request::form::Form;
use crate::http::response::error::Result;
use crate::mail::templates::recipient_page;

/// GET changes nothing: mail programs and virus scanners open links before people do.
pub(crate) async fn page(State(app): State<Arc<App>>, RawQuery(query): RawQuery) -> Result<Response> {
    match recipient(&app, query.as_deref()) {
        Some(by) => shown(app.database.read(FindMailPreference { by }).await?.as_ref()),
        None => shown(None),
    }
}

/// Called by the button of the page, or by a mail program with `List-Unsubscribe=One-Click`.
pub(crate) async fn answer(State(app): State<Arc<App>>, request: Request) -> Result<Response> {
    let Some(by) = recipient(&app, request.uri().query()) else { return shown(None) };
    let body = read_body(request, app.limits.form_bytes).await?;
    let wants_again = Form::parse(&body).is_ok_and(|form| form.get("again") == Some("true"));
    app.database.write(SetMailPreference { by, unsubscribed: !wants_again, now: app.environment.now() }).await?;
    shown(app.database.read(FindMailPreference { by }).await?.as_ref())
}

fn recipient(app: &App, query: Option<&str>) -> Option<Recipient> {
    let query = Form::parse(query?.as_bytes()).ok()?;
    Recipient::of_token(&app.keys, query.get("token")?)
}

fn shown(standing: Option<&MailPreference>) -> Result<Response> {
    let html = recipient_page(standing).map_err(Error::internal)?;
    let status = if standing.is_some() { StatusCode::OK } else { StatusCode::NOT_FOUND };
    let policy =
        "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";
    let headers = [
        (CONTENT_TYPE, "text/html; charset=utf-8"),
        (CACHE_CONTROL, "no-store"),
        (CONTENT_SECURITY_POLICY, policy),
        // The URL holds the token.
        (REFERRER_POLICY, "no-referrer"),
    ];
    Ok((status, headers, html).into_response())
}
