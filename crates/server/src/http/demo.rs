//! The demo's start page and its pictures. Without a demo these paths hold nothing.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::Uri;
use axum::http::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};

use super::error;
use crate::app::App;
use crate::demo;

const POLICY: &str = "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

pub(super) async fn page(State(app): State<Arc<App>>, uri: Uri) -> Response {
    match &app.demo {
        Some(page) => served("text/html; charset=utf-8", page.html.clone()),
        None => error::not_found(uri).await.into_response(),
    }
}

pub(super) async fn file(State(app): State<Arc<App>>, Path(name): Path<String>, uri: Uri) -> Response {
    match app.demo.as_ref().and_then(|_| demo::file(&name)) {
        Some((media_type, text)) => served(media_type, text.to_owned()),
        None => error::not_found(uri).await.into_response(),
    }
}

pub(super) async fn picture(State(app): State<Arc<App>>, Path(name): Path<String>, uri: Uri) -> Response {
    let drawn = app.demo.as_ref().and_then(|_| demo::picture(name.strip_suffix(".svg")?));
    match drawn {
        Some(svg) => served("image/svg+xml", svg),
        None => error::not_found(uri).await.into_response(),
    }
}

fn served(media_type: &'static str, text: String) -> Response {
    ([(CONTENT_TYPE, media_type), (CONTENT_SECURITY_POLICY, POLICY)], text).into_response()
}
