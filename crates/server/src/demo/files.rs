//! Files of the demo shop, besides its pages.

/// A file by name, with its media type.
pub(crate) fn find(name: &str) -> Option<(&'static str, &'static str)> {
    match name {
        "shop.css" => Some(("text/css; charset=utf-8", include_str!("shop_files/shop.css"))),
        "shop.js" => Some((SCRIPT, include_str!("shop_files/shop.js"))),
        "cart.js" => Some((SCRIPT, include_str!("shop_files/cart.js"))),
        "product.js" => Some((SCRIPT, include_str!("shop_files/product.js"))),
        "outbox.js" => Some((SCRIPT, include_str!("shop_files/outbox.js"))),
        "guide.js" => Some((SCRIPT, include_str!("shop_files/guide.js"))),
        "logo.svg" => Some((PICTURE, include_str!("shop_files/logo.svg"))),
        "icon.svg" => Some((PICTURE, include_str!("shop_files/icon.svg"))),
        _ => None,
    }
}

const SCRIPT: &str = "text/javascript; charset=utf-8";
const PICTURE: &str = "image/svg+xml";

/// The templates of the shop's pages.
pub(super) const TEMPLATES: &[(&str, &str)] = &[
    ("layout.html", include_str!("shop_files/layout.html")),
    ("card.html", include_str!("shop_files/card.html")),
    ("home.html", include_str!("shop_files/home.html")),
    ("category.html", include_str!("shop_files/category.html")),
    ("product.html", include_str!("shop_files/product.html")),
    ("wishlist.html", include_str!("shop_files/wishlist.html")),
    ("shared.html", include_str!("shop_files/shared.html")),
    ("cart.html", include_str!("shop_files/cart.html")),
    ("outbox.html", include_str!("shop_files/outbox.html")),
    ("guide.html", include_str!("shop_files/guide.html")),
    ("developers.html", include_str!("shop_files/developers.html")),
    ("missing.html", include_str!("shop_files/missing.html")),
];
