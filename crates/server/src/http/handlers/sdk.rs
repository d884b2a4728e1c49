//! The client script, the same as a module, the parts that it loads on demand, and its type definitions, built and
//! committed in `sdk/dist`.

use axum::http::header::{ACCESS_CONTROL_ALLOW_ORIGIN, CACHE_CONTROL, CONTENT_TYPE};
use axum::response::IntoResponse;

use crate::http::response::headers::RESOURCE_POLICY;

const SCRIPT: &str = include_str!("../../../../../sdk/dist/wishbone.js");
const MODULE: &str = include_str!("../../../../../sdk/dist/wishbone.mjs");
const ELEMENTS: &str = include_str!("../../../../../sdk/dist/wishbone-elements.mjs");
const LIVE: &str = include_str!("../../../../../sdk/dist/wishbone-live.mjs");
const LEGACY: &str = include_str!("../../../../../sdk/dist/wishbone-legacy.mjs");
const TYPES: &str = include_str!("../../../../../sdk/dist/wishbone.d.ts");

pub(crate) async fn script() -> impl IntoResponse {
    javascript(SCRIPT)
}

pub(crate) async fn module() -> impl IntoResponse {
    javascript(MODULE)
}

pub(crate) async fn elements() -> impl IntoResponse {
    javascript(ELEMENTS)
}

pub(crate) async fn live() -> impl IntoResponse {
    javascript(LIVE)
}

pub(crate) async fn legacy() -> impl IntoResponse {
    javascript(LEGACY)
}

pub(crate) async fn types() -> impl IntoResponse {
    file("text/plain; charset=utf-8", TYPES)
}

fn javascript(text: &'static str) -> impl IntoResponse {
    file("text/javascript; charset=utf-8", text)
}

/// Loadable from any origin. An hour of caching lets a fix reach every shop within a morning.
fn file(media_type: &'static str, text: &'static str) -> impl IntoResponse {
    let headers =
        [(CONTENT_TYPE, media_type), (CACHE_CONTROL, "public, max-age=3600"), (ACCESS_CONTROL_ALLOW_ORIGIN, "*")];
    (headers, [(RESOURCE_POLICY, "cross-origin")], text)
}
