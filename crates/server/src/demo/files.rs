//! Files of the start page.

/// A file of the start page, by name.
pub(crate) fn find(name: &str) -> Option<(&'static str, &'static str)> {
    match name {
        "style.css" => Some(("text/css; charset=utf-8", include_str!("page/style.css"))),
        "page.js" => Some(("text/javascript; charset=utf-8", include_str!("page/page.js"))),
        "icon.svg" => Some(("image/svg+xml", include_str!("page/icon.svg"))),
        _ => None,
    }
}
