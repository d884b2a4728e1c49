//! The demo: a believable store, its pictures and its start page, all made here.

mod catalogue;
mod drawings;
mod fill;
mod page;
mod pictures;

pub use fill::{DemoCounts, DemoItem, DemoStore, MAIL_DOMAIN, fill};
pub(crate) use page::form_field;
pub use page::{DemoPage, curls};

/// A file of the start page, by name.
pub(crate) fn file(name: &str) -> Option<(&'static str, &'static str)> {
    match name {
        "style.css" => Some(("text/css; charset=utf-8", include_str!("page/style.css"))),
        "page.js" => Some(("text/javascript; charset=utf-8", include_str!("page/page.js"))),
        "icon.svg" => Some(("image/svg+xml", include_str!("page/icon.svg"))),
        _ => None,
    }
}

/// The picture of a product, by the name in its address.
pub(crate) fn picture(name: &str) -> Option<String> {
    pictures::draw(name)
}
