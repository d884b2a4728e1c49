//! Cross-origin resource sharing. Shopper operations may be called from the store's allowed origins, without cookies;
//! store-admin operations from no origin.

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

/// Adds the headers that let the calling page read the response. Without a known store the response is an error that
/// contains no data of any store, so every origin may read it.
pub(crate) fn allow(headers: &mut HeaderMap, origin: Option<&HeaderValue>, store: Option<&StoreRecord>) {
    let Some(origin) = origin else { return };
    match store {
        Some(store) if !store.settings.allowed_origins.is_empty() => {
            headers.append(VARY, HeaderValue::from_static("origin"));
            let matches = |allowed: &String| allowed.as_bytes().eq_ignore_ascii_case(origin.as_bytes());
            if !store.settings.allowed_origins.iter().any(matches) {
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

/// The response to a preflight request.
pub(crate) fn preflight() -> Response {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::NO_CONTENT;
    let headers = response.headers_mut();
    headers.insert(ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static("POST"));
    // fetch-subs requires the header user-agent, which pages may set.
    headers.insert(
        ACCESS_CONTROL_ALLOW_HEADERS,
        HeaderValue::from_static(
            "content-type, accept, user-agent, idempotency-key, last-event-id, x-api-key, x-request-id, x-requested-with",
        ),
    );
    headers.insert(ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("7200"));
    response
}
