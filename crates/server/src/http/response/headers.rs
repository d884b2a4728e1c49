//! What every answer says to browsers and caches. A handler that needs something else says it first.

use axum::body::Body;
use axum::http::HeaderMap;
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderName, HeaderValue, REFERRER_POLICY,
    X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use axum::response::Response;

pub(crate) const RESOURCE_POLICY: HeaderName = HeaderName::from_static("cross-origin-resource-policy");

/// For answers that are data. Strict-Transport-Security is up to the proxy that has the certificate.
#[rustfmt::skip]
pub(crate) static HEADERS: [(HeaderName, HeaderValue); 7] = [
    (X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
    // Lists are private, and change.
    (CACHE_CONTROL, HeaderValue::from_static("no-store")),
    // Opened in a tab, data loads nothing and is shown in no frame.
    (CONTENT_SECURITY_POLICY, HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'")),
    (X_FRAME_OPTIONS, HeaderValue::from_static("DENY")),
    // Addresses of this API contain ids.
    (REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
    // Pages read answers by CORS, which this does not touch; as a picture or script they load nothing.
    (RESOURCE_POLICY, HeaderValue::from_static("same-origin")),
    (HeaderName::from_static("x-robots-tag"), HeaderValue::from_static("noindex")),
];

pub(crate) fn secure(headers: &mut HeaderMap) {
    for (name, value) in &HEADERS {
        headers.entry(name).or_insert_with(|| value.clone());
    }
}

/// A success with an encoded JSON body.
pub(crate) fn as_json(body: Body) -> Response {
    let mut response = Response::new(body);
    let headers = response.headers_mut();
    // Room for those that every response gets.
    headers.reserve(2 * HEADERS.len());
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}
