//! The URL that a client used to reach this server.

use std::convert::Infallible;
use std::sync::Arc;

use axum::extract::FromRequestParts;
use axum::http::header::HOST;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName};

use crate::app::App;
use crate::http::edge::address::Arrival;

/// The URL at which clients reach this server, without a slash at its end: the one that the operator set or, without
/// one, that of the request.
pub(crate) struct BaseUrl(pub(crate) String);

const FORWARDED_HOST: HeaderName = HeaderName::from_static("x-forwarded-host");
const FORWARDED_PROTO: HeaderName = HeaderName::from_static("x-forwarded-proto");

impl FromRequestParts<Arc<App>> for BaseUrl {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, Infallible> {
        if let Some(url) = &app.public_url {
            return Ok(Self(url.trim_end_matches('/').to_owned()));
        }
        let arrival = parts.extensions.get::<Arrival>();
        let is_proxied = arrival.is_some_and(|arrival| app.proxies.trust(arrival.peer.to_canonical()));
        let is_tls = arrival.is_some_and(|arrival| arrival.is_tls);
        let authority = parts.uri.authority().map(|authority| authority.as_str());
        Ok(Self(requested_url(&parts.headers, authority, is_proxied, is_tls)))
    }
}

/// The scheme and host of a request. Clients can send any text as a host, so only host names and addresses are used.
fn requested_url(headers: &HeaderMap, authority: Option<&str>, is_proxied: bool, is_tls: bool) -> String {
    let forwarded = |name: HeaderName| {
        let value = headers.get(name).filter(|_| is_proxied)?.to_str().ok()?;
        Some(value.split(',').next()?.trim())
    };
    let is_host = |host: &&str| {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b".-_:[]".contains(&byte);
        (1..=255).contains(&host.len()) && host.bytes().all(is_plain)
    };
    let host = headers.get(HOST).and_then(|host| host.to_str().ok());
    let hosts = [forwarded(FORWARDED_HOST), authority, host];
    let host = hosts.into_iter().flatten().find(is_host).unwrap_or("localhost");
    let scheme = match forwarded(FORWARDED_PROTO) {
        Some(scheme @ ("http" | "https")) => scheme,
        _ if is_tls => "https",
        _ => "http",
    };
    format!("{scheme}://{host}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_url_of_a_request_is_its_own_or_that_of_a_trusted_proxy() {
        let url = |is_proxied: bool, pairs: &[(&'static str, &'static str)]| {
            let headers = pairs.iter().map(|(name, value)| (HeaderName::from_static(name), value.parse().unwrap()));
            requested_url(&headers.collect(), None, is_proxied, false)
        };
        let forwarded = [
            ("host", "10.0.0.1:8080"),
            ("x-forwarded-host", "lists.example, inner.example"),
            ("x-forwarded-proto", "https"),
        ];
        assert_eq!(url(true, &forwarded), "https://lists.example");
        assert_eq!(url(false, &forwarded), "http://10.0.0.1:8080");
        assert_eq!(url(false, &[("host", "[::1]:8080")]), "http://[::1]:8080");
        assert_eq!(
            url(true, &[("host", "lists.example"), ("x-forwarded-proto", "javascript")]),
            "http://lists.example"
        );
        let over_tls = |proto: &'static str| {
            let headers = [("host", "lists.example"), ("x-forwarded-proto", proto)];
            let headers = headers.map(|(name, value)| (HeaderName::from_static(name), value.parse().unwrap()));
            requested_url(&headers.into_iter().collect(), None, proto == "http", true)
        };
        assert_eq!(over_tls("https"), "https://lists.example");
        assert_eq!(over_tls(""), "https://lists.example");
        assert_eq!(over_tls("http"), "http://lists.example", "a trusted proxy that connects over TLS itself");
        for host in ["", "a b", "\"><script>", "$(reboot)", "`reboot`", "a'b", "user@host", "host/path"] {
            assert_eq!(url(false, &[("host", host)]), "http://localhost", "{host}");
        }
    }
}
