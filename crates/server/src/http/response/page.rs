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

/// Origins that pictures of a page are loaded from, and their length: proxies limit headers.
const MAX_ORIGINS: usize = 10;
const MAX_ORIGIN: usize = 260;

/// A rendered page. It loads nothing but these pictures, and runs no script.
pub(crate) fn page_response(
    status: StatusCode,
    page: std::result::Result<String, minijinja::Error>,
    pictures: &[&str],
) -> Result<Response> {
    let html = page.map_err(Error::internal)?;
    let headers = [
        (CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8")),
        (CACHE_CONTROL, HeaderValue::from_static("no-store")),
        (CONTENT_SECURITY_POLICY, policy(pictures)),
        // The URL holds the token.
        (REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
    ];
    Ok((status, headers, html).into_response())
}

/// The policy of a page with pictures, which may be loaded from their origins.
fn policy(pictures: &[&str]) -> HeaderValue {
    let is_plain = |origin: &&str| {
        origin.len() <= MAX_ORIGIN
            && origin.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-.:/[]".contains(&byte))
    };
    let mut origins: Vec<&str> = Vec::new();
    for origin in pictures.iter().copied().filter_map(origin).filter(is_plain) {
        if origins.len() < MAX_ORIGINS && !origins.contains(&origin) {
            origins.push(origin);
        }
    }
    let with_pictures = (!origins.is_empty()).then(|| format!("{POLICY}; img-src {}", origins.join(" ")));
    with_pictures.and_then(|policy| HeaderValue::try_from(policy).ok()).unwrap_or(HeaderValue::from_static(POLICY))
}

/// The languages that a browser asks for.
pub(crate) fn preferred_language(headers: &HeaderMap) -> Option<&str> {
    headers.get(ACCEPT_LANGUAGE).and_then(|value| value.to_str().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_policy_allows_the_origins_of_pictures_and_nothing_else() {
        let policy = |pictures: &[&str]| policy(pictures).to_str().unwrap().strip_prefix(POLICY).unwrap().to_owned();
        assert_eq!(policy(&["https://cdn.example:8443/a;b.png?c"]), "; img-src https://cdn.example:8443");
        assert_eq!(
            policy(&["https://a.example/1", "x", "http://b.example", "https://a.example/2"]),
            "; img-src https://a.example http://b.example"
        );
        assert_eq!(policy(&[]), "");
        for picture in ["https://a.example;script-src *", "https://a,b/", "https://é.example/", "x", "data:image/png,"]
        {
            assert_eq!(policy(&[picture]), "", "{picture}");
        }
        let many: Vec<String> = (0..100).map(|n| format!("https://{n}.example/1")).collect();
        assert_eq!(policy(&many.iter().map(String::as_str).collect::<Vec<_>>()).matches("https").count(), MAX_ORIGINS);
        assert_eq!(policy(&[&format!("https://{}.example", "a".repeat(MAX_ORIGIN))]), "");
    }
}
