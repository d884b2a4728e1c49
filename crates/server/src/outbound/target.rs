//! The URL of an outbound request, and the addresses that it leads to.

use std::net::{IpAddr, SocketAddr};

use url::{Host, Url};

use crate::outbound::networks::is_public;

pub const MAX_URL_LENGTH: usize = 2_000;

const RULE: &str = "must be an http or https URL of at most 2000 characters without user and password, such as \
                    https://shop.example/webhooks";

/// A checked URL.
#[derive(Debug)]
pub struct Target(Url);

impl Target {
    /// Parses a URL. The error is a rule, to follow the name of a parameter. Literal addresses of private networks are
    /// rejected unless `allow_private`; names are resolved by [`Self::addresses`].
    pub fn parse(text: &str, allow_private: bool) -> Result<Self, String> {
        let is_plain = text.len() <= MAX_URL_LENGTH && !text.contains(|c: char| c.is_control() || c.is_whitespace());
        let url = Url::parse(text).ok().filter(|_| is_plain).ok_or(RULE)?;
        let is_web = ["http", "https"].contains(&url.scheme());
        let has_login = !url.username().is_empty() || url.password().is_some();
        if !is_web || has_login || url.fragment().is_some() || url.port_or_known_default().is_none() {
            return Err(RULE.to_owned());
        }
        let target = Self(url);
        let is_private = match target.0.host() {
            None => return Err(RULE.to_owned()),
            Some(Host::Domain(name)) => {
                let name = name.trim_end_matches('.');
                name == "localhost" || name.ends_with(".localhost")
            }
            Some(Host::Ipv4(address)) => !is_public(address.into()),
            Some(Host::Ipv6(address)) => !is_public(address.into()),
        };
        if is_private && !allow_private {
            return Err(private("leads", &target.host()));
        }
        Ok(target)
    }

    pub(super) fn is_https(&self) -> bool {
        self.0.scheme() == "https"
    }

    pub(super) fn host(&self) -> String {
        self.0.host_str().unwrap_or_default().to_owned()
    }

    /// The value of the header `Host`.
    pub(super) fn authority(&self) -> String {
        self.0.port().map_or_else(|| self.host(), |port| format!("{}:{port}", self.host()))
    }

    pub(super) fn path_and_query(&self) -> &str {
        &self.0[url::Position::BeforePath..url::Position::AfterQuery]
    }

    /// The host as a literal address.
    pub(super) fn address(&self) -> Option<IpAddr> {
        match self.0.host()? {
            Host::Ipv4(address) => Some(address.into()),
            Host::Ipv6(address) => Some(address.into()),
            Host::Domain(_) => None,
        }
    }

    /// Resolves the host. A host with an address in a private network is rejected as a whole, unless `allow_private`. Callers
    /// connect to these very addresses, so that a second look-up cannot lead elsewhere.
    pub(super) async fn addresses(&self, allow_private: bool) -> Result<Vec<SocketAddr>, String> {
        let port = self.0.port_or_known_default().unwrap_or(443);
        let found: Vec<SocketAddr> = match self.address() {
            Some(address) => vec![(address, port).into()],
            None => tokio::net::lookup_host((self.host(), port))
                .await
                .map_err(|_| format!("the host name {} cannot be resolved", self.host()))?
                .collect(),
        };
        if found.is_empty() {
            return Err(format!("the host name {} has no address", self.host()));
        }
        match found.iter().find(|address| !is_public(address.ip())) {
            Some(_) if !allow_private => Err(format!("the URL {}", private("leads", &self.host()))),
            _ => Ok(found),
        }
    }
}

fn private(leads: &str, host: &str) -> String {
    format!(
        "{leads} to a private network ({host}): use a public address, or ask the operator to run `wishbone serve \
         --allow-private-webhooks`"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literal_private_addresses_are_rejected_in_any_notation() {
        for private in [
            "http://127.0.0.1/",
            "http://127.1/",
            "http://2130706433/",
            "http://0x7f.1/",
            "http://0177.0.0.1:8080/x",
            "http://[::1]/",
            "http://[::ffff:10.0.0.1]/",
            "https://localhost/",
            "https://a.localhost./",
            "http://0/",
            "http://169.254.169.254/latest/meta-data",
            "http://１２７.0.0.1/",
        ] {
            let error = Target::parse(private, false).unwrap_err();
            assert!(error.contains("private network"), "{private}: {error}");
            assert!(Target::parse(private, true).is_ok(), "{private}");
        }
        for good in ["https://shop.example/hooks?x=1", "http://shop.example:8080", "https://8.8.8.8/"] {
            assert!(Target::parse(good, false).is_ok(), "{good}");
        }
    }

    #[test]
    fn what_is_no_web_address_is_rejected_even_if_private_ones_are_allowed() {
        let long = format!("https://shop.example/{}", "x".repeat(MAX_URL_LENGTH));
        for bad in [
            "",
            "shop.example",
            "ftp://shop.example",
            "file:///etc/passwd",
            "https://",
            "https://user:pw@shop.example",
            "https://shop.example/#part",
            "https://shop .example/",
            "https://shop.example/\n",
            "javascript:alert(1)",
            &long,
        ] {
            assert!(Target::parse(bad, true).unwrap_err().contains("http or https URL"), "{bad}");
        }
    }

    #[test]
    fn the_request_line_and_host_are_those_of_the_url() {
        let target = Target::parse("http://Shop.example:8080/a%20b?c=d", false).unwrap();
        assert_eq!((target.path_and_query(), target.authority().as_str()), ("/a%20b?c=d", "shop.example:8080"));
        assert_eq!(Target::parse("https://[2606:4700::1]/", false).unwrap().authority(), "[2606:4700::1]");
    }

    #[tokio::test]
    async fn a_name_that_resolves_to_a_private_address_is_rejected() {
        // Of the system's hosts file, on every machine.
        let target = Target(Url::parse("http://localhost:1/").unwrap());
        assert!(target.addresses(false).await.unwrap_err().contains("private network"));
        assert!(!target.addresses(true).await.unwrap().is_empty());
    }
}
