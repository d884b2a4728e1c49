//! The catalogue of Fernweh & Co., the fictional shop of the demo: outdoor, travel and home goods.
//!
//! The table has one line per product; [`products`] expands it into one variant per colour and size. Nothing is random,
//! so ids are the same at every start. Some titles begin with an accented letter or are in another script, to show that
//! sorting by title handles them.

use std::str::FromStr;

use serde_json::{Number, Value, json};

struct Brand {
    title: &'static str,
    sku_prefix: &'static str,
}

const FERNWEH: Brand = Brand { title: "Fernweh", sku_prefix: "FW" };
const NORDHANG: Brand = Brand { title: "Nordhang", sku_prefix: "NH" };
const SOEDERLICHT: Brand = Brand { title: "Söderlicht", sku_prefix: "SL" };
const TALGRUND: Brand = Brand { title: "Talgrund", sku_prefix: "TG" };
const TEA_AND_TERN: Brand = Brand { title: "Tea & Tern", sku_prefix: "TT" };
const WOLLE: Brand = Brand { title: "Weiß & Wolle", sku_prefix: "WW" };

/// The last three fields are lists, separated by a comma and a space.
struct Product {
    title: &'static str,
    /// A name from `drawings.rs`.
    drawing: &'static str,
    brand: Brand,
    /// One price per size, as text to preserve trailing zeros; the last one applies to all further sizes.
    prices: &'static str,
    /// Names from `pictures.rs`.
    colours: &'static str,
    /// Empty for a product without sizes.
    sizes: &'static str,
}

const fn product(
    title: &'static str,
    drawing: &'static str,
    brand: Brand,
    prices: &'static str,
    colours: &'static str,
    sizes: &'static str,
) -> Product {
    Product { title, drawing, brand, prices, colours, sizes }
}

const GOODS: &[Product] = &[
    product("Alpine rain jacket", "rain-jacket", NORDHANG, "189.95", "moss", "XS, S, M, L, XL"),
    product("Drizzle anorak", "rain-jacket", FERNWEH, "129.95", "rust, ink", "S–M, L–XL"),
    product("Húsavík storm parka", "rain-jacket", NORDHANG, "289", "slate", "S, M, L, XL"),
    product("Kids’ puddle jacket", "rain-jacket", FERNWEH, "54.95, 59.95", "poppy", "98, 110, 122, 134, 146"),
    product("Över fjell windbreaker", "rain-jacket", NORDHANG, "99.50", "teal, amber", "S–M, L–XL"),
    product("Fjord jumper", "sweater", WOLLE, "119.95", "ink", "XS, S, M, L, XL"),
    product("Shepherd’s jumper", "sweater", WOLLE, "134.95", "fern", "XS, S, M, L, XL"),
    product("Élan merino pullover", "sweater", WOLLE, "139", "plum, sand", "S–M, L–XL"),
    product("Ísafold jumper", "sweater", WOLLE, "164.95", "snow", "S, M, L, XL"),
    product("Ангара wool jumper", "sweater", WOLLE, "149.95", "rust, slate", "S–M, L–XL"),
    product("Wayfarer felt hat", "sun-hat", FERNWEH, "64.95", "sand, coal, moss, rust", ""),
    product("Piñón field hat", "sun-hat", FERNWEH, "49.95", "oak", "55 cm, 57 cm, 59 cm, 61 cm"),
    product("Lido sun hat", "sun-hat", TALGRUND, "39.90", "snow, sky, rose", ""),
    product("Øst bobble hat", "beanie", WOLLE, "34.95", "rose, ink, amber, mint, poppy", ""),
    product("Harbour beanie", "beanie", WOLLE, "29.95", "teal, slate, coal, rust, snow", ""),
    product("Kids’ bobble hat", "beanie", WOLLE, "22.50", "poppy, sky, lilac, mint", ""),
    product("Hut socks", "socks", WOLLE, "19.95", "teal, rust", "36–39, 40–44"),
    product("Long-walk socks", "socks", TALGRUND, "17.95", "moss", "35–37, 38–40, 41–43, 44–46"),
    product("Überlandsocken", "socks", TALGRUND, "21.95", "plum, amber", "36–39, 40–44"),
    product("Ski-touring socks", "socks", NORDHANG, "24.95", "ink, poppy", "36–39, 40–44"),
    product("Ridge hiking boots", "boots", TALGRUND, "219.95", "oak", "38, 39, 40, 41, 42"),
    product("Moorland boots", "boots", TALGRUND, "189.95", "rust", "39, 40, 41, 42, 43"),
    product("Čierna winter boots", "boots", NORDHANG, "239.95", "coal", "40, 41, 42, 43, 44"),
    product("Kids’ trail boots", "boots", TALGRUND, "74.95, 79.95", "sky", "28, 29, 30, 31, 32"),
    product("Orchard ankle boots", "boots", FERNWEH, "159", "poppy, fern", "38, 41"),
    product("Day pack", "backpack", TALGRUND, "79.95", "teal, clay, moss, coal, amber", ""),
    product("Trek pack", "backpack", TALGRUND, "149.95, 169.95, 189.95, 209.95", "ink", "35 l, 45 l, 55 l, 65 l"),
    product("Rucksack Übermorgen", "backpack", FERNWEH, "119.95", "moss, rust, slate, plum", ""),
    product("Kids’ explorer pack", "backpack", TALGRUND, "44.95", "poppy, sky, lilac, mint", ""),
    product("Weekender duffel", "duffel", FERNWEH, "98.95", "clay, ink, moss, coal", ""),
    product("Expedition duffel", "duffel", NORDHANG, "129.95, 159.95", "poppy, amber", "60 l, 90 l"),
    product("Ålesund ferry bag", "duffel", NORDHANG, "84.95", "sky, slate, teal, snow, rust", ""),
    product("Ñandú travel duffel", "duffel", TALGRUND, "109.95", "plum, oak, fern", ""),
    product("Two-nights tent", "tent", NORDHANG, "249.95, 299.95", "sky, moss", "2 people, 3 people"),
    product("Base-camp tent", "tent", NORDHANG, "449, 529", "amber, fern", "4 people, 6 people"),
    product("Garden tipi", "tent", FERNWEH, "139.95", "snow, rose, mint, sky, lilac", ""),
    product("Three-season sleeping bag", "sleeping-bag", NORDHANG, "179.95, 194.95", "ink, plum", "Regular, Long"),
    product("Frostfrei sleeping bag", "sleeping-bag", NORDHANG, "259.95, 274.95", "rust, slate", "Regular, Long"),
    product("Kids’ sleeping bag", "sleeping-bag", FERNWEH, "69.95", "poppy, teal, lilac, amber", ""),
    product("Fireside chair", "camp-chair", TALGRUND, "89.95", "snow, moss, rust, ink, amber", ""),
    product("Low beach chair", "camp-chair", TALGRUND, "69.50", "sky, poppy, mint, sand", ""),
    product("Director’s chair", "camp-chair", FERNWEH, "99.95", "coal, clay, teal", ""),
    product("Pocket stove", "stove", NORDHANG, "49.95", "amber, moss, slate", ""),
    product("Hüttenkocher", "stove", NORDHANG, "74.95", "poppy, teal, coal, copper", ""),
    product("Picnic knife", "pocket-knife", TALGRUND, "32.95", "mint, oak, poppy, coal", ""),
    product("Opa’s pocket knife", "pocket-knife", FERNWEH, "45", "copper, ink, moss", ""),
    product("Storm lantern", "lantern", SOEDERLICHT, "42.95", "coal, poppy, moss, teal, copper", ""),
    product("夜明け Yoake lantern", "lantern", SOEDERLICHT, "68.95", "snow, copper, ink, mint", ""),
    product("Veranda lantern", "lantern", SOEDERLICHT, "36.50", "slate, rust, amber, fern", ""),
    product("Trail headlamp", "headlamp", NORDHANG, "39.95", "fern, ink, poppy, coal, amber", ""),
    product("Night-run headlamp", "headlamp", NORDHANG, "54.95", "teal, lilac, rust, slate", ""),
    product("Ölzweig table lamp", "table-lamp", SOEDERLICHT, "119.95", "moss, clay, snow, amber", ""),
    product("Pilz table lamp", "table-lamp", SOEDERLICHT, "89.95", "poppy, mint, sky, rose, ink", ""),
    product("Reading lamp Lübeck", "table-lamp", SOEDERLICHT, "139.95", "coal, fern, copper, plum", ""),
    product("Enamel mug", "mug", FERNWEH, "12.95", "snow, ink, moss, poppy, sky", ""),
    product("Campfire mug", "mug", TALGRUND, "14.50", "coal, rust, teal, amber, fern", ""),
    product("Großer Morgenbecher", "mug", TEA_AND_TERN, "18.95", "clay, oak, slate, lilac", ""),
    product("Insulated bottle", "bottle", TALGRUND, "27.95, 34.95", "lilac, ink", "0.5 l, 1 l"),
    product("Summit bottle", "bottle", NORDHANG, "31.95", "teal, poppy, slate, moss, sand", ""),
    product("Kids’ bottle", "bottle", FERNWEH, "16.95", "sky, rose, mint, amber", ""),
    product("Ōtori tea set", "teapot", TEA_AND_TERN, "84.95", "slate, coal, mint, clay", ""),
    product("Ceylon teapot", "teapot", TEA_AND_TERN, "46.95, 54.95", "teal, plum", "0.8 l, 1.2 l"),
    product("山茶 Yamacha teapot", "teapot", TEA_AND_TERN, "72.95", "moss, ink, snow", ""),
    product("Nesting bowls", "bowls", TEA_AND_TERN, "38.95", "copper, teal, sand, sky, rose", ""),
    product("Ægir soup bowls", "bowls", TEA_AND_TERN, "44.95", "slate, ink, fern, snow", ""),
    product("Σίφνος stoneware bowls", "bowls", TEA_AND_TERN, "52.95", "clay, sky, oak", ""),
    product("Éclair moulds", "baking-mould", FERNWEH, "26.95", "rust, mint, rose, slate", ""),
    product("Ladyfinger tray", "baking-mould", FERNWEH, "22.95", "copper, teal, coal", ""),
    product("Äpfel-Kiste", "apple-crate", FERNWEH, "14.90, 24.90", "poppy, moss", "3 kg, 6 kg"),
    product("Quince crate", "apple-crate", FERNWEH, "19.90", "amber", ""),
    product("Alpine passes map", "map", FERNWEH, "14.95", "fern, rust, slate, sand", ""),
    product("Atlas of small islands", "map", FERNWEH, "34.95", "teal, amber, rose", ""),
    product("Χάρτης island-hopping map", "map", FERNWEH, "12.95", "sky", ""),
    product("Pocket compass", "compass", NORDHANG, "24.95", "rose, ink, amber, fern, coal", ""),
    product("Navigator’s compass", "compass", NORDHANG, "79.95", "copper, teal, oak", ""),
    product("Kids’ first compass", "compass", FERNWEH, "9.95", "poppy, sky, lilac, mint", ""),
    product("Field notebook", "notebook", FERNWEH, "11.95", "moss, rust, ink, sand, teal", ""),
    product("Carnet d’été", "notebook", FERNWEH, "9.50, 13.50", "sky, rose", "A6, A5"),
    product("Записки travel journal", "notebook", FERNWEH, "24.95", "plum, oak, coal", ""),
    product("Picnic blanket", "blanket", FERNWEH, "59.95", "poppy, fern, sky, amber", ""),
    product("Wool blanket", "blanket", WOLLE, "129.95, 159.95", "rust, slate", "130 × 170 cm, 150 × 200 cm"),
    product("Łąka meadow throw", "blanket", WOLLE, "94.95", "mint, rose, lilac, sand, moss", ""),
    product("Jardín cushion", "cushion", WOLLE, "39.95", "sky, clay, plum, fern, amber", ""),
    product("Hearth cushion", "cushion", WOLLE, "34.95, 42.95", "rust, ink", "40 cm, 50 cm"),
    product("Øresund outdoor cushion", "cushion", WOLLE, "29.95", "teal, snow, poppy, slate", ""),
    product("Cedar candle", "candle", SOEDERLICHT, "21.95", "fern, clay, ink, plum", ""),
    product("Crème brûlée candle", "candle", SOEDERLICHT, "23.95", "sand, amber, rose", ""),
    product("Last-of-summer candle", "candle", SOEDERLICHT, "27", "rust", ""),
];

/// Stock levels, assigned to variants in turn; `None` is not tracked.
#[rustfmt::skip]
const STOCK: [Option<u32>; 23] = [
    Some(14), Some(32), Some(0), Some(8), None, Some(61), Some(3), Some(25), Some(19), Some(0), Some(44), Some(12),
    Some(1), None, Some(90), Some(7), Some(27), Some(0), Some(36), Some(2), Some(15), None, Some(50),
];

/// All variants, in the format of the product feed. `base` is the demo's URL.
pub(super) fn products(base: &str) -> Vec<Value> {
    let mut variants = Vec::new();
    for (product_id, product) in (1001_u64..).zip(GOODS) {
        let Product { title, drawing, brand, colours, sizes, .. } = product;
        let slug = slug(title);
        let each = colours.split(", ").flat_map(|colour| {
            sizes.split(", ").zip(prices_by_size(product)).map(move |(size, price)| (colour, size, price))
        });
        for (variant_id, (colour, size, price)) in (product_id * 100 + 1..).zip(each) {
            variants.push(json!({
                "epi": variant_id,
                "empi": product_id,
                "du": format!("{base}/demo/products/{slug}"),
                "dt": title,
                "iu": format!("{base}/demo/pictures/{drawing}-{colour}.svg"),
                "pr": Number::from_str(price).map_or(Value::Null, Value::Number),
                "ct": category(drawing),
                "vi": variant_title(colour, size),
                "bt": brand.title,
                "sku": sku(brand, product_id, colour, size),
                "stock": STOCK[variants.len() % STOCK.len()],
            }));
        }
    }
    variants
}

/// The category of a product, which follows from its drawing.
fn category(drawing: &str) -> &'static str {
    match drawing {
        "rain-jacket" | "sweater" => "Jackets & Knitwear",
        "sun-hat" | "beanie" | "socks" => "Hats & Socks",
        "boots" => "Boots",
        "backpack" | "duffel" => "Bags & Packs",
        "tent" | "sleeping-bag" | "camp-chair" | "stove" | "pocket-knife" => "Camp",
        "lantern" | "headlamp" | "table-lamp" => "Light",
        "mug" | "bottle" | "teapot" | "bowls" | "baking-mould" | "apple-crate" => "Kitchen & Table",
        "map" | "compass" | "notebook" => "Maps & Paper",
        _ => "Living",
    }
}

fn prices_by_size(product: &Product) -> impl Iterator<Item = &'static str> {
    let last = product.prices.rsplit(", ").next().unwrap_or_default();
    product.prices.split(", ").chain(std::iter::repeat(last))
}

fn variant_title(colour: &str, size: &str) -> String {
    let (initial, rest) = colour.split_at(1);
    let colour = initial.to_uppercase() + rest;
    if size.is_empty() { colour } else { format!("{colour} / {size}") }
}

fn sku(brand: &Brand, product_id: u64, colour: &str, size: &str) -> String {
    let size: String = size.chars().filter(char::is_ascii_alphanumeric).collect();
    let parts = [brand.sku_prefix, &product_id.to_string(), colour, &size];
    parts.join("-").trim_end_matches('-').to_uppercase()
}

/// Transliterations for slugs: each word is a letter followed by its replacement. An apostrophe is dropped.
const SPELLINGS: &str = "åa ąa äae æae čc ée èe íi łl ñn óo ōo øo öoe úu ûu üue ßss ’";

/// The title as a URL slug. Letters of other scripts are dropped.
fn slug(title: &str) -> String {
    let mut letters = String::new();
    for letter in title.to_lowercase().chars() {
        match SPELLINGS.split(' ').find_map(|word| word.strip_prefix(letter)) {
            Some(spelling) => letters.push_str(spelling),
            None if letter.is_ascii_alphanumeric() => letters.push(letter),
            None => letters.push(' '),
        }
    }
    letters.split_whitespace().collect::<Vec<_>>().join("-")
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;
    use crate::demo::pictures;

    const BASE: &str = "http://localhost:8080";

    fn distinct(variants: &[Value], key: &str) -> usize {
        variants.iter().map(|variant| variant[key].to_string()).collect::<BTreeSet<_>>().len()
    }

    #[test]
    fn the_catalogue_has_enough_variants_for_a_list_of_300() {
        let variants = products(BASE);
        assert!(variants.len() >= 320, "{} variants", variants.len());
        assert!(distinct(&variants, "empi") >= 48, "{} products", distinct(&variants, "empi"));
        let mut counts = BTreeMap::<String, usize>::new();
        for variant in &variants {
            *counts.entry(variant["dt"].to_string()).or_default() += 1;
        }
        assert!(counts.values().all(|count| (1..=5).contains(count)), "{counts:?}");
    }

    #[test]
    fn ids_and_urls_are_unique() {
        let variants = products(BASE);
        assert_eq!(distinct(&variants, "epi"), variants.len());
        assert_eq!(distinct(&variants, "sku"), variants.len());
        assert_eq!(distinct(&variants, "du"), distinct(&variants, "empi"));
        assert_eq!(distinct(&variants, "dt"), distinct(&variants, "empi"));
    }

    #[test]
    fn every_picture_can_be_drawn() {
        for variant in products(BASE) {
            let address = variant["iu"].as_str().unwrap();
            let file = address.strip_prefix(BASE).and_then(|path| path.strip_prefix("/demo/pictures/")).unwrap();
            assert!(pictures::draw(file.strip_suffix(".svg").unwrap()).is_some(), "{file}");
        }
    }

    #[test]
    fn prices_keep_their_digits() {
        let variants = products(BASE);
        assert!(variants.iter().all(|variant| variant["pr"].is_number()));
        let crates: Vec<_> = variants.iter().filter(|variant| variant["dt"] == "Äpfel-Kiste").collect();
        let prices: Vec<_> = crates.iter().map(|variant| variant["pr"].to_string()).collect();
        assert_eq!(prices, ["14.90", "24.90", "14.90", "24.90"]);
        assert_eq!(crates[0]["vi"], "Poppy / 3 kg");
        assert_eq!(crates[0]["du"], "http://localhost:8080/demo/products/aepfel-kiste");
    }
}
