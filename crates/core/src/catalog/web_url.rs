//! URLs that callers send and pages link to (`du`, `iu`): of http and https, or relative. Those that were stored before this
//! was checked are read as empty.

use std::borrow::Cow;
use std::ops::Range;

/// True for an http or https URL, and for a relative one, whose first segment must be plain: a page that decodes entities
/// or percent signs there could make a scheme of it (`javascript&colon;…`).
pub(crate) fn is_web_url(text: &str) -> bool {
    // Browsers ignore these around a URL, and some of them inside.
    let text = text.trim_matches(|c: char| c <= ' ');
    if text.contains(char::is_control) {
        return false;
    }
    if let Some(rest) = without_prefix(text, "https://").or_else(|| without_prefix(text, "http://")) {
        return rest.starts_with(|c: char| !c.is_whitespace() && !"/\\?#".contains(c));
    }
    let segment = text.split(['/', '?', '#']).next().unwrap_or_default();
    segment.chars().all(|c| c.is_alphanumeric() || "-._~".contains(c))
}

/// A stored URL as it is shown.
pub(crate) fn shown(url: &str) -> &str {
    if is_web_url(url) { url } else { "" }
}

/// Encoded product fields as they are shown.
pub(crate) fn shown_fields(fields: &str) -> Cow<'_, str> {
    const KEY: &str = r#""iu":""#;
    // The first match is the key: quotes in the title before it are escaped.
    let hidden = fields.find(KEY).and_then(|at| hidden_at(fields.as_bytes(), at + KEY.len()));
    match hidden {
        None => Cow::Borrowed(fields),
        Some(Range { start, end }) => Cow::Owned([&fields[..start], &fields[end..]].concat()),
    }
}

/// The range of an encoded URL that is not shown. It begins at `at`, after its quotation mark.
pub(crate) fn hidden_at(members: &[u8], at: usize) -> Option<Range<usize>> {
    let rest = members.get(at..)?;
    // Nearly all of them, on every page that is read.
    if [b"https://".as_slice(), b"http://", b"/"].iter().any(|start| rest.starts_with(start)) {
        return None;
    }
    let mut is_escaped = false;
    let length = rest.iter().position(|byte| {
        let is_end = *byte == b'"' && !is_escaped;
        is_escaped = *byte == b'\\' && !is_escaped;
        is_end
    })?;
    let url = at..at + length;
    let text: Option<String> = serde_json::from_slice(members.get(at - 1..=url.end)?).ok();
    (!text.is_some_and(|text| is_web_url(&text))).then_some(url)
}

fn without_prefix<'a>(text: &'a str, prefix: &str) -> Option<&'a str> {
    let (start, rest) = text.split_at_checked(prefix.len())?;
    start.eq_ignore_ascii_case(prefix).then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ACCEPTED: [&str; 14] = [
        "",
        "https://shop.example/p/1?a=1&b=2#c",
        "HTTP://SHOP.EXAMPLE",
        " https://shop.example/p \n",
        "https://shop.example/javascript:alert(1)",
        "https://пример.example/картинка 1.png",
        "https://[::1]:8080/",
        "/products/lamp?variant=1",
        "//cdn.example/a.png",
        "/javascript:alert(1)",
        "products/lamp",
        "shop.example/p:1",
        "?variant=1",
        "#reviews",
    ];

    const REJECTED: [&str; 29] = [
        "javascript:alert(1)",
        " JavaScript:alert(1)",
        "java\tscript:alert(1)",
        "java\nscript:alert(1)",
        "\u{1}javascript:alert(1)",
        "\u{a0}javascript:alert(1)",
        "javascript&colon;alert(1)",
        "javascript&#58;alert(1)",
        "javascript&#x3a;alert(1)",
        "&#106;avascript:alert(1)",
        "javascript&amp;colon;alert(1)",
        "java&Tab;script&colon;alert(1)",
        "javascript%3Aalert(1)",
        "javascript\u{ff1a}alert(1)",
        "data:text/html,<script>alert(1)</script>",
        "data:image/png;base64,AAAA",
        "vbscript:x",
        "blob:https://shop.example/1",
        "file:///etc/passwd",
        "ftp://shop.example/",
        "mailto:ann@example.com",
        "gid://shopify/Product/1",
        "localhost:8080/p",
        "https:",
        "https://",
        "https:///p",
        "https:\\\\shop.example",
        "https&colon;//shop.example/",
        "https://shop.example/a\nb",
    ];

    #[test]
    fn only_http_and_https_and_relative_urls_are_accepted() {
        for url in ACCEPTED {
            assert!(is_web_url(url), "{url}");
        }
        for url in REJECTED {
            assert!(!is_web_url(url), "{url}");
            assert_eq!(shown(url), "");
        }
    }

    #[test]
    fn encoded_fields_are_shown_without_a_url_that_would_be_rejected() {
        let fields = |url: &str| format!(r#""dt":"a \"iu\":\" b\\","iu":{},"pr":1"#, serde_json::json!(url));
        for url in ACCEPTED {
            assert_eq!(shown_fields(&fields(url)), fields(url));
        }
        for url in REJECTED.into_iter().filter(|url| !url.starts_with("http")) {
            for url in [url.to_owned(), format!("{url}\"\\")] {
                assert_eq!(shown_fields(&fields(&url)), fields(""), "{url}");
            }
        }
        for damaged in ["", r#""iu":""#, r#""iu":"x"#, r#""iu":"\"#] {
            assert_eq!(shown_fields(damaged), damaged);
        }
    }
}
