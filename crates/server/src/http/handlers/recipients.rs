//! The unsubscribe page that mails link to, and one-click unsubscribe (RFC 8058).

use std::sync::Arc;

use axum::extract::{RawQuery, Request, State};
use axum::http::header::{ACCEPT_LANGUAGE, CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use wishbone_core::error::Error;
use wishbone_core::mail::customization::FindMailContext;
use wishbone_core::mail::recipients::{FindMailPreference, Recipient, SetMailPreference};

use crate::app::App;
use crate::http::request::authentication::read_body;
use crate::http::request::form::Form;
use crate::http::response::error::Result;
use crate::mail::letterhead::Letterhead;
use crate::mail::pages::{UnsubscribeState, invalid_link_page, unsubscribe_page};

/// GET changes nothing: mail programs and virus scanners open links before people do.
pub(crate) async fn page(
    State(app): State<Arc<App>>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Result<Response> {
    show(&app, recipient(&app, query.as_deref()), &headers).await
}

/// Called by the button of the page, or by a mail program with `List-Unsubscribe=One-Click`.
pub(crate) async fn answer(State(app): State<Arc<App>>, request: Request) -> Result<Response> {
    let headers = request.headers().clone();
    let Some(by) = recipient(&app, request.uri().query()) else { return show(&app, None, &headers).await };
    let body = read_body(request, app.limits.form_bytes).await?;
    let wants_again = Form::parse(&body).is_ok_and(|form| form.get("again") == Some("true"));
    app.database.write(SetMailPreference { by, unsubscribed: !wants_again, now: app.environment.now() }).await?;
    show(&app, Some(by), &headers).await
}

fn recipient(app: &App, query: Option<&str>) -> Option<Recipient> {
    let query = Form::parse(query?.as_bytes()).ok()?;
    Recipient::of_token(&app.keys, query.get("token")?)
}

async fn show(app: &App, by: Option<Recipient>, headers: &HeaderMap) -> Result<Response> {
    let found = match by {
        Some(by) => {
            let context = app.database.read(FindMailContext { by, address: None }).await?;
            context.zip(app.database.read(FindMailPreference { by }).await?)
        }
        None => None,
    };
    let status = if found.is_some() { StatusCode::OK } else { StatusCode::NOT_FOUND };
    let html = match found {
        Some((context, preference)) => {
            let state =
                if preference.unsubscribed { UnsubscribeState::Unsubscribed } else { UnsubscribeState::Subscribed };
            unsubscribe_page(&Letterhead::of_context(context), None, state)
        }
        None => invalid_link_page(headers.get(ACCEPT_LANGUAGE).and_then(|value| value.to_str().ok())),
    };
    let html = html.map_err(Error::internal)?;
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
