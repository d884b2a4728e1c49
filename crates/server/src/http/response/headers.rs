//! Security and cache headers of every response. A value that a handler has set takes precedence.

use std::sync::LazyLock;

use axum::body::Body;
use axum::http::HeaderMap;
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderName, HeaderValue, REFERRER_POLICY,
    X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use axum::response::Response;

const ROBOTS_TAG: HeaderName = HeaderName::from_static("x-robots-tag");
pub(crate) const RESOURCE_POLICY: HeaderName = HeaderName::from_static("cross-origin-resource-policy");

/// Defaults for JSON responses. Strict-Transport-Security is set where TLS is terminated.
#[rustfmt::skip]
pub(crate) static HEADERS: [(HeaderName, HeaderValue); 7] = [
    (X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
    // Lists are private and change.
    (CACHE_CONTROL, HeaderValue::from_static("no-store")),
    // A response opened in a tab loads nothing and is not framed.
    (CONTENT_SECURITY_POLICY, HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'")),
    (X_FRAME_OPTIONS, HeaderValue::from_static("DENY")),
    // URLs of this API contain ids.
    (REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
    // Pages read responses by CORS, which this does not affect; they cannot embed them as images or scripts.
    (RESOURCE_POLICY, HeaderValue::from_static("same-origin")),
    (ROBOTS_TAG, HeaderValue::from_static("noindex")),
];

/// The headers of a JSON response, to be copied: inserting them one by one takes longer.
static JSON_HEADERS: LazyLock<HeaderMap> = LazyLock::new(|| {
    let mut headers = HeaderMap::with_capacity(2 * HEADERS.len());
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.extend(HEADERS.iter().cloned());
    headers
});

pub(crate) fn secure(headers: &mut HeaderMap) {
    // Nothing else sets this one, so `as_json` has set all.
    if headers.contains_key(&ROBOTS_TAG) {
        return;
    }
    for (name, value) in &HEADERS {
        headers.entry(name).or_insert_with(|| value.clone());
    }
}

/// A response with status 200 and a JSON body.
pub(crate) fn as_json(body: Body) -> Response {
    let mut response = Response::new(body);
    response.headers_mut().clone_from(&JSON_HEADERS);
    response
}
