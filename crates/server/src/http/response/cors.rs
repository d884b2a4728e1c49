//! Cross-origin calls: shopper operations may be called from the store's allowed origins, never with
//! credentials; store-admin operations from none.

use axum::body::Body;
use axum::http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, HeaderValue, VARY,
};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use wishbone_core::stores::record::StoreRecord;

const EXPOSED: HeaderValue = HeaderValue::from_static(
    "x-request-id, x-list-version, retry-after, ratelimit-limit, ratelimit-remaining, ratelimit-reset",
);

/// Adds what a browser needs to see to let the page read an answer. Where no store is known, the
/// answer is an error that tells nothing of any store, and everyone may read it.
pub(crate) fn allow(headers: &mut HeaderMap, origin: Option<&HeaderValue>, store: Option<&StoreRecord>) {
    let Some(origin) = origin else { return };
    match store {
        Some(store) if !store.settings.allowed_origins.is_empty() => {
            headers.append(VARY, HeaderValue::from_static("origin"));
            let listed = |allowed: &String| allowed.as_bytes().eq_ignore_ascii_case(origin.as_bytes());
            if !store.settings.allowed_origins.iter().any(listed) {
                return;
            }
            headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin.clone());
        }
        _ => {
            headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
        }
    }
    headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, EXPOSED);
}

/// The answer to a browser that asks before it calls.
pub(crate) fn preflight() -> Response {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::NO_CONTENT;
    let headers = response.headers_mut();
    headers.insert(ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static("POST"));
    // fetch-subs requires the header user-agent, and pages may set it.
    headers.insert(
        ACCESS_CONTROL_ALLOW_HEADERS,
        HeaderValue::from_static(
            "content-type, accept, user-agent, idempotency-key, x-api-key, x-request-id, x-requested-with",
        ),
    );
    headers.insert(ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("7200"));
    response
}
