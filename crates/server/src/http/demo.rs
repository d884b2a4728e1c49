//! The demo's start page and its pictures. Without a demo these paths hold nothing.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::Uri;
use axum::http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};

use super::error;
use super::headers::RESOURCE_POLICY;
use crate::app::App;
use crate::demo::{self, DemoPage};

pub(super) async fn page(State(app): State<Arc<App>>, uri: Uri) -> Response {
    match &app.demo {
        Some(page) => served(page, "text/html; charset=utf-8", page.html.clone()),
        None => error::not_found(uri).await.into_response(),
    }
}

pub(super) async fn file(State(app): State<Arc<App>>, Path(name): Path<String>, uri: Uri) -> Response {
    match app.demo.as_ref().zip(demo::file(&name)) {
        Some((page, (media_type, text))) => served(page, media_type, text.to_owned()),
        None => error::not_found(uri).await.into_response(),
    }
}

pub(super) async fn picture(State(app): State<Arc<App>>, Path(name): Path<String>, uri: Uri) -> Response {
    let drawn = app.demo.as_ref().and_then(|page| Some((page, demo::picture(name.strip_suffix(".svg")?)?)));
    match drawn {
        Some((page, svg)) => served(page, "image/svg+xml", svg),
        None => error::not_found(uri).await.into_response(),
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
