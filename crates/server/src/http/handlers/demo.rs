//! The page at `/`, and the files of the demo's start page. Without a demo the latter do not exist.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::Uri;
use axum::http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};

use serde_json::{Value, json};

use crate::app::App;
use crate::demo::page::DemoPage;
use crate::demo::{files, pictures};
use crate::http::request::base_url::BaseUrl;
use crate::http::response::answer::Answer;
use crate::http::response::error;
use crate::http::response::headers::RESOURCE_POLICY;
use crate::mail::outbox::{Outbox, RecentMail};
use crate::mail::transport::Transport;

/// The demo's start page or, on any other server, where to go from here.
pub(crate) async fn page(State(app): State<Arc<App>>, BaseUrl(base): BaseUrl) -> Response {
    match &app.demo {
        Some(page) => served(page, "text/html; charset=utf-8", page.html.clone()),
        None => landing_page(&base),
    }
}

/// Shows nothing about stores: everyone sees the same page.
fn landing_page(base: &str) -> Response {
    let html = include_str!("../../../templates/landing.html")
        .replace("{{version}}", env!("CARGO_PKG_VERSION"))
        .replace("{{base}}", &minijinja::HtmlEscape(base).to_string());
    let policy =
        "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
    let headers =
        [(CONTENT_TYPE, "text/html; charset=utf-8"), (CACHE_CONTROL, "no-cache"), (CONTENT_SECURITY_POLICY, policy)];
    (headers, html).into_response()
}

pub(crate) async fn file(State(app): State<Arc<App>>, Path(name): Path<String>, uri: Uri) -> Response {
    match app.demo.as_ref().zip(files::find(&name)) {
        Some((page, (media_type, text))) => served(page, media_type, text.to_owned()),
        None => error::not_found(uri).await.into_response(),
    }
}

pub(crate) async fn picture(State(app): State<Arc<App>>, Path(name): Path<String>, uri: Uri) -> Response {
    let drawn = app.demo.as_ref().and_then(|page| Some((page, pictures::draw(name.strip_suffix(".svg")?)?)));
    match drawn {
        Some((page, svg)) => served(page, "image/svg+xml", svg),
        None => error::not_found(uri).await.into_response(),
    }
}

/// The mails that the demo wrote, newest first.
pub(crate) async fn mails(State(app): State<Arc<App>>, uri: Uri) -> Response {
    let Some(outbox) = outbox(&app) else { return error::not_found(uri).await.into_response() };
    let mails: Vec<Value> = outbox
        .recent()
        .into_iter()
        .map(|RecentMail { id, to, subject, at, text, .. }| {
            json!({ "id": id, "to": to, "subject": subject, "at": at, "text": text })
        })
        .collect();
    Answer::from(Value::from(mails).to_string().into_bytes()).into_response()
}

/// The HTML part of a mail, for a frame of the start page. Its content security policy forbids everything but styles and images.
pub(crate) async fn mail(State(app): State<Arc<App>>, Path(id): Path<String>, uri: Uri) -> Response {
    let found = outbox(&app).and_then(|outbox| outbox.recent().into_iter().find(|mail| mail.id == id));
    let Some((page, mail)) = app.demo.as_ref().zip(found) else { return error::not_found(uri).await.into_response() };
    let headers = [
        (CONTENT_TYPE, "text/html; charset=utf-8"),
        (CACHE_CONTROL, "no-store"),
        (CONTENT_SECURITY_POLICY, page.mail_policy.as_str()),
    ];
    (headers, mail.html).into_response()
}

fn outbox(app: &App) -> Option<&Outbox> {
    app.demo.as_ref()?;
    match &app.mailer.as_ref()?.transport {
        Transport::Outbox(outbox) => Some(outbox),
        Transport::Smtp(_) => None,
    }
}

/// Not cached: the next demo on this port may be another version. Pictures carry the address that the demo was started
/// with, which may be another origin than the one that the page was opened under.
fn served(page: &DemoPage, media_type: &'static str, text: String) -> Response {
    let headers = [
        (CONTENT_TYPE, media_type),
        (CACHE_CONTROL, "no-cache"),
        (CONTENT_SECURITY_POLICY, page.policy.as_str()),
        (RESOURCE_POLICY, "cross-origin"),
    ];
    (headers, text).into_response()
}
