//! The products of the catalogues, and the items that are copied.

use serde_json::{Number, Value, json};

use crate::speed::dataset::{self, StoreData};

/// The product URL of template items, replaced in every copy.
pub(super) const TEMPLATE_URL: &str = "https://template.example/";

/// The template items, in the order of `dataset::TEMPLATES`.
pub(super) fn templates(store: &StoreData) -> Value {
    let item = |number: u64| {
        let variant = dataset::variant(number);
        json!({ "epi": variant, "empi": dataset::product(variant), "du": TEMPLATE_URL })
    };
    let with = |number: u64, key: &str, value: Value| {
        let mut item = item(number);
        item[key] = value;
        item
    };
    let mut unknown = product(store.number, store.variants);
    unknown["du"] = TEMPLATE_URL.into();
    json!([
        item(0),
        with(1, "qty", 2.into()),
        with(2, "note", "For the new flat, if the colour fits the sofa".into()),
        with(3, "cprops", json!({ "size": "M", "engraving": "For Ann", "gift": true })),
        with(4, "clbls", json!(["Living room"])),
        unknown,
    ])
}

/// A typical product variant of a store.
pub(crate) fn product(store: usize, number: u64) -> Value {
    const NOUNS: [&str; 10] =
        ["Shirt", "Lamp", "Chair", "Kettle", "Backpack", "Blanket", "Mug", "Rug", "Clock", "Jacket"];
    const MATERIALS: [&str; 7] =
        ["Linen", "Oak", "Merino Wool", "Stoneware", "Recycled Cotton", "Brass", "Organic Hemp"];
    const COLOURS: [&str; 4] = ["Forest Green", "Natural", "Night Blue", "Terracotta"];
    let variant = dataset::variant(number);
    let id = dataset::product(variant);
    let (noun, material) = (NOUNS[(id % 10) as usize], MATERIALS[(id % 7) as usize]);
    let colour = COLOURS[(number % 4) as usize];
    let price = Number::from_string_unchecked(format!("{}.{:02}", 5 + number % 195, (number * 7) % 100));
    json!({
        "epi": variant, "empi": id, "du": dataset::url(store, variant), "dt": format!("{material} {noun} No. {}", id % 10_000),
        "iu": format!("https://cdn.shop-{}.example/images/{id}-{}.jpg", store, number % 4), "pr": price,
        "ct": format!("Home & Living > {noun}s"), "vi": colour, "bt": "Wishbone & Daughters",
        "sku": format!("{}-{}-{number:06}", &noun[..3].to_uppercase(), number % 4), "stock": number % 50,
    })
}
