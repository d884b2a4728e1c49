//! HTML pages that links in mails lead to.

use axum::http::StatusCode;
use axum::http::header::{
    ACCEPT_LANGUAGE, CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderMap, HeaderValue, REFERRER_POLICY,
};
use axum::response::{IntoResponse, Response};
use wishbone_core::error::Error;
use wishbone_core::mail::shop_url::origin;

use crate::http::response::error::Result;

const POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// A rendered page. It loads nothing but its logo, and runs no script.
pub(crate) fn page_response(
    status: StatusCode,
    page: std::result::Result<String, minijinja::Error>,
    logo: Option<&str>,
) -> Result<Response> {
    let html = page.map_err(Error::internal)?;
    let headers = [
        (CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8")),
        (CACHE_CONTROL, HeaderValue::from_static("no-store")),
        (CONTENT_SECURITY_POLICY, policy(logo)),
        // The URL holds the token.
        (REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
    ];
    Ok((status, headers, html).into_response())
}

/// The policy of a page with a logo, which may be loaded from its origin.
fn policy(logo: Option<&str>) -> HeaderValue {
    let is_plain = |origin: &&str| origin.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-.:/[]".contains(&byte));
    let with_logo = logo.and_then(origin).filter(is_plain).map(|origin| format!("{POLICY}; img-src {origin}"));
    with_logo.and_then(|policy| HeaderValue::try_from(policy).ok()).unwrap_or(HeaderValue::from_static(POLICY))
}

/// The languages that a browser asks for.
pub(crate) fn preferred_language(headers: &HeaderMap) -> Option<&str> {
    headers.get(ACCEPT_LANGUAGE).and_then(|value| value.to_str().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_policy_allows_the_origin_of_the_logo_and_nothing_else() {
        let policy = |logo| policy(logo).to_str().unwrap().strip_prefix(POLICY).unwrap().to_owned();
        assert_eq!(policy(Some("https://cdn.example:8443/a;b.png?c")), "; img-src https://cdn.example:8443");
        for logo in
            [None, Some("https://a.example;script-src *"), Some("https://a,b/"), Some("https://é.example/"), Some("x")]
        {
            assert_eq!(policy(logo), "", "{logo:?}");
        }
    }
}
