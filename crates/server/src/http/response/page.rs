//! HTML pages that links in mails lead to.

use axum::http::StatusCode;
use axum::http::header::{
    ACCEPT_LANGUAGE, CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderMap, REFERRER_POLICY,
};
use axum::response::{IntoResponse, Response};
use wishbone_core::error::Error;

use crate::http::response::error::Result;

const POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// A rendered page. It loads nothing and runs no script.
pub(crate) fn page_response(
    status: StatusCode,
    page: std::result::Result<String, minijinja::Error>,
) -> Result<Response> {
    let html = page.map_err(Error::internal)?;
    let headers = [
        (CONTENT_TYPE, "text/html; charset=utf-8"),
        (CACHE_CONTROL, "no-store"),
        (CONTENT_SECURITY_POLICY, POLICY),
        // The URL holds the token.
        (REFERRER_POLICY, "no-referrer"),
    ];
    Ok((status, headers, html).into_response())
}

/// The languages that a browser asks for.
pub(crate) fn preferred_language(headers: &HeaderMap) -> Option<&str> {
    headers.get(ACCEPT_LANGUAGE).and_then(|value| value.to_str().ok())
}
