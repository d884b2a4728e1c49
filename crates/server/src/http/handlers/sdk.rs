//! The client script, the same as a module, and its type definitions, built and committed in `sdk/dist`.

use axum::http::header::{ACCESS_CONTROL_ALLOW_ORIGIN, CACHE_CONTROL, CONTENT_TYPE};
use axum::response::IntoResponse;

use crate::http::response::headers::RESOURCE_POLICY;

const SCRIPT: &str = include_str!("../../../../../sdk/dist/wishbone.js");
const MODULE: &str = include_str!("../../../../../sdk/dist/wishbone.mjs");
const TYPES: &str = include_str!("../../../../../sdk/dist/wishbone.d.ts");

pub(crate) async fn script() -> impl IntoResponse {
    file("text/javascript; charset=utf-8", SCRIPT)
}

pub(crate) async fn module() -> impl IntoResponse {
    file("text/javascript; charset=utf-8", MODULE)
}

pub(crate) async fn types() -> impl IntoResponse {
    file("text/plain; charset=utf-8", TYPES)
}

/// Loadable from any origin. An hour of caching lets a fix reach every shop within a morning.
fn file(media_type: &'static str, text: &'static str) -> impl IntoResponse {
    let headers =
        [(CONTENT_TYPE, media_type), (CACHE_CONTROL, "public, max-age=3600"), (ACCESS_CONTROL_ALLOW_ORIGIN, "*")];
    (headers, [(RESOURCE_POLICY, "cross-origin")], text)
}
