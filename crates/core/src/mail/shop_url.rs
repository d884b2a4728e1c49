//! Which URLs a mail may have. A mail speaks for the shop: a link or picture in it is the shop's own, or there is none.

use serde::{Deserialize, Serialize};

use crate::mail::text::is_direction;
use crate::stores::settings::Settings;

/// A URL as a message carries it, by who has set it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "StoredUrl")]
pub struct MailedUrl {
    /// By the store: in its catalogue or its settings.
    pub shop: Option<String>,
    /// By a shopper.
    pub given: Option<String>,
}

/// A message that was queued by an earlier version does not say who has set a URL.
#[derive(Deserialize)]
#[serde(untagged)]
enum StoredUrl {
    Known { shop: Option<String>, given: Option<String> },
    Unknown(Option<String>),
}

impl From<StoredUrl> for MailedUrl {
    fn from(stored: StoredUrl) -> Self {
        match stored {
            StoredUrl::Known { shop, given } => Self { shop, given },
            StoredUrl::Unknown(given) => Self { shop: None, given },
        }
    }
}

impl MailedUrl {
    pub(crate) fn new(shop: Option<&str>, given: Option<&str>) -> Self {
        Self { shop: shop.and_then(|url| web_address(url).or_else(|| path(url))), given: given.and_then(web_address) }
    }

    pub fn of_shop(url: String) -> Self {
        Self { shop: Some(url), given: None }
    }
}

/// A URL that leads to the shop.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ShopUrl(String);

impl ShopUrl {
    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub fn into_string(self) -> String {
        self.0
    }
}

/// The origins that the store has said are its own: of its page for shared lists, and those whose pages may call.
#[derive(Clone, Debug)]
pub struct ShopOrigins(Vec<String>);

impl ShopOrigins {
    pub fn new(settings: &Settings) -> Self {
        let page = settings.list_url.as_deref().and_then(origin).map(str::to_owned);
        Self(page.into_iter().chain(settings.allowed_origins.iter().cloned()).collect())
    }

    /// The store's own URL; a path on the site that the shopper came from, if that is the shop's, else on its first one.
    /// Without one, a shopper's URL on a site of the shop.
    pub fn own(&self, url: &MailedUrl) -> Option<ShopUrl> {
        let given = url.given.as_deref().filter(|given| self.contain(given));
        let own = match url.shop.as_deref() {
            Some(path) if path.starts_with('/') => {
                let site = given.and_then(origin).or_else(|| self.0.first().map(String::as_str))?;
                format!("{site}{path}")
            }
            Some(shop) => shop.to_owned(),
            None => given?.to_owned(),
        };
        Some(ShopUrl(own))
    }

    /// The start page of the shop, on its first origin.
    pub fn home(&self) -> Option<ShopUrl> {
        self.0.first().map(|origin| ShopUrl(format!("{origin}/")))
    }

    fn contain(&self, url: &str) -> bool {
        origin(url).is_some_and(|origin| self.0.iter().any(|own| own.eq_ignore_ascii_case(origin)))
    }
}

/// The origin of a URL: everything before its path.
pub fn origin(url: &str) -> Option<&str> {
    let authority = url.find("://")? + 3;
    let end = url[authority..].find(['/', '?', '#']).map_or(url.len(), |end| authority + end);
    Some(&url[..end])
}

/// A URL with a scheme that a mail may link to.
fn web_address(text: &str) -> Option<String> {
    let text = text.trim();
    let whole = if text.starts_with("//") { format!("https:{text}") } else { text.to_owned() };
    let scheme = whole.split_once("://")?.0.to_ascii_lowercase();
    (["http", "https"].contains(&scheme.as_str()) && !whole.contains(is_forbidden)).then_some(whole)
}

/// A path on the site of the shop.
fn path(text: &str) -> Option<String> {
    let text = text.trim();
    (text.starts_with('/') && !text.contains(is_forbidden)).then(|| text.to_owned())
}

fn is_forbidden(c: char) -> bool {
    c.is_control() || c.is_whitespace() || is_direction(c) || "<>\"'`\\".contains(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn origins() -> ShopOrigins {
        ShopOrigins::new(&Settings {
            allowed_origins: vec!["https://shop.example".into()],
            list_url: Some("https://lists.example:8443/show?lid={lid}".into()),
            ..Settings::default()
        })
    }

    fn own(origins: &ShopOrigins, shop: Option<&str>, given: Option<&str>) -> Option<String> {
        origins.own(&MailedUrl::new(shop, given)).map(|ShopUrl(url)| url)
    }

    #[test]
    fn a_shoppers_url_is_on_an_origin_of_the_shop() {
        for own_url in [
            "https://shop.example",
            "HTTPS://Shop.example/p/1",
            "https://shop.example?x",
            "https://lists.example:8443/",
        ] {
            assert_eq!(own(&origins(), None, Some(own_url)).as_deref(), Some(own_url));
        }
        for foreign in [
            "https://shop.example.evil.example/",
            "https://shop.example@evil.example/",
            "https://shop.example\\@evil.example/",
            "https://shop.example:444/",
            "http://shop.example/",
            "https://lists.example/",
            "https:///shop.example",
            "//evil.example/",
            "javascript:alert(1)//https://shop.example/",
            "shop.example",
            "/p/1",
            "",
        ] {
            assert_eq!(own(&origins(), None, Some(foreign)), None, "{foreign}");
        }
        assert_eq!(own(&ShopOrigins::new(&Settings::default()), None, Some("https://shop.example/")), None);
    }

    #[test]
    fn the_stores_url_comes_first_and_a_path_is_on_a_site_of_the_shop() {
        let none = ShopOrigins::new(&Settings::default());
        let cases = [
            (Some("https://cdn.example/1"), Some("https://shop.example/2"), Some("https://cdn.example/1")),
            (Some("/1"), Some("https://shop.example/2"), Some("https://shop.example/1")),
            (Some("/1"), Some("https://evil.example/2"), Some("https://lists.example:8443/1")),
            (Some("1"), Some("https://evil.example/2"), None),
            (Some(""), Some("https://shop.example/2"), Some("https://shop.example/2")),
        ];
        for (shop, given, expected) in cases {
            assert_eq!(own(&origins(), shop, given).as_deref(), expected, "{shop:?} {given:?}");
        }
        assert_eq!(own(&none, Some("/1"), Some("https://shop.example/2")), None);
        assert_eq!((origins().home().unwrap().as_str(), none.home()), ("https://lists.example:8443/", None));
        assert_eq!(own(&none, Some("//cdn.example/1"), None).as_deref(), Some("https://cdn.example/1"));
    }

    #[test]
    fn what_an_earlier_version_queued_counts_as_a_shoppers() {
        let stored = |json: &str| serde_json::from_str::<MailedUrl>(json).unwrap();
        assert_eq!(stored("\"https://evil.example\""), MailedUrl::new(None, Some("https://evil.example")));
        assert_eq!(stored("null"), MailedUrl::default());
        let url = MailedUrl::new(Some("https://a.example"), Some("https://b.example"));
        assert_eq!(stored(&serde_json::to_string(&url).unwrap()), url);
    }

    #[test]
    fn only_http_and_https_urls_are_linked() {
        assert_eq!(web_address("//cdn.example/a.png").as_deref(), Some("https://cdn.example/a.png"));
        assert_eq!(web_address(" HTTPS://shop.example/ä?b=1&c ").as_deref(), Some("HTTPS://shop.example/ä?b=1&c"));
        for bad in ["/p/1", "", "ftp://a.example", "javascript://%0aalert(1)", "https://a b", "https://a/\"><b>", "x"] {
            assert_eq!(web_address(bad), None, "{bad}");
        }
    }
}
