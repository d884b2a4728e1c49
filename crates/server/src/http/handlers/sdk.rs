//! The client script and its types, as they were built and committed.

use axum::http::header::{ACCESS_CONTROL_ALLOW_ORIGIN, CACHE_CONTROL, CONTENT_TYPE};
use axum::response::IntoResponse;

use crate::http::response::headers::RESOURCE_POLICY;

const SCRIPT: &str = include_str!("../../../../../sdk/dist/wishbone.js");
const TYPES: &str = include_str!("../../../../../sdk/dist/wishbone.d.ts");

pub(crate) async fn script() -> impl IntoResponse {
    file("text/javascript; charset=utf-8", SCRIPT)
}

pub(crate) async fn types() -> impl IntoResponse {
    file("text/plain; charset=utf-8", TYPES)
}

/// Anyone may load it. An hour is short enough for a fix to reach every shop in a morning.
fn file(media_type: &'static str, text: &'static str) -> impl IntoResponse {
    let headers =
        [(CONTENT_TYPE, media_type), (CACHE_CONTROL, "public, max-age=3600"), (ACCESS_CONTROL_ALLOW_ORIGIN, "*")];
    (headers, [(RESOURCE_POLICY, "cross-origin")], text)
}
