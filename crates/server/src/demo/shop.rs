//! The products of the demo shop as its pages show them, and their stock, which the shop itself keeps.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::Serialize;
use serde_json::Value;

/// What a delivery brings of a variant that was sold out.
pub(crate) const DELIVERY: u64 = 25;

#[derive(Clone, Debug, Serialize)]
pub(crate) struct Product {
    pub(crate) id: i64,
    pub(crate) title: String,
    pub(crate) brand: String,
    pub(crate) category: String,
    /// Of the product's page; also names it there.
    pub(crate) slug: String,
    pub(crate) url: String,
    pub(crate) variants: Vec<Variant>,
}

#[derive(Clone, Debug, Serialize)]
pub(crate) struct Variant {
    pub(crate) id: i64,
    pub(crate) title: String,
    pub(crate) colour: String,
    /// Empty for a product without sizes.
    pub(crate) size: String,
    pub(crate) price: String,
    pub(crate) picture: String,
    /// `None` if it is not counted.
    pub(crate) stock: Option<u64>,
}

#[derive(Clone, Debug, Serialize)]
pub(crate) struct Category {
    pub(crate) title: String,
    pub(crate) slug: String,
    pub(crate) picture: String,
}

pub(crate) struct Shop(Mutex<Vec<Product>>);

impl Shop {
    /// From variants in the format of the product feed, those of a product in a row.
    pub(super) fn new(feed: &[Value]) -> Self {
        let mut products: Vec<Product> = Vec::new();
        for entry in feed {
            let text = |key: &str| entry[key].as_str().unwrap_or_default().to_owned();
            let id = entry["empi"].as_i64().unwrap_or_default();
            let title = text("vi");
            let (colour, size) = title.split_once(" / ").unwrap_or((&title, ""));
            let variant = Variant {
                id: entry["epi"].as_i64().unwrap_or_default(),
                colour: colour.to_owned(),
                size: size.to_owned(),
                price: entry["pr"].to_string(),
                picture: path(&text("iu")),
                stock: entry["stock"].as_u64(),
                title,
            };
            match products.last_mut().filter(|product| product.id == id) {
                Some(product) => product.variants.push(variant),
                None => {
                    let url = text("du");
                    let slug = url.rsplit('/').next().unwrap_or_default().to_owned();
                    let (title, brand, category) = (text("dt"), text("bt"), text("ct"));
                    products.push(Product { id, title, brand, category, slug, url, variants: vec![variant] });
                }
            }
        }
        Self(Mutex::new(products))
    }

    pub(crate) fn products(&self) -> Vec<Product> {
        self.lock().clone()
    }

    pub(crate) fn product(&self, slug: &str) -> Option<Product> {
        self.lock().iter().find(|product| product.slug == slug).cloned()
    }

    /// In the order of the catalogue, each with the picture of its first product.
    pub(crate) fn categories(&self) -> Vec<Category> {
        let mut seen = BTreeMap::new();
        for (number, product) in self.lock().iter().enumerate() {
            let picture = || product.variants.first().map(|variant| variant.picture.clone()).unwrap_or_default();
            seen.entry(product.category.clone()).or_insert_with(|| (number, picture()));
        }
        let mut found: Vec<_> = seen.into_iter().collect();
        found.sort_by_key(|(_, (number, _))| *number);
        found.into_iter().map(|(title, (_, picture))| Category { slug: slug(&title), title, picture }).collect()
    }

    /// The stock of a variant, `None` if it is not counted; no value if there is no such variant.
    pub(crate) fn stock(&self, variant_id: i64) -> Option<Option<u64>> {
        let products = self.lock();
        products.iter().flat_map(|product| &product.variants).find(|it| it.id == variant_id).map(|it| it.stock)
    }

    /// Sets the stock of a variant; false if there is no such variant.
    pub(crate) fn restock(&self, variant_id: i64, stock: u64) -> bool {
        let mut products = self.lock();
        let variant = products.iter_mut().flat_map(|product| &mut product.variants).find(|it| it.id == variant_id);
        variant.map(|variant| variant.stock = Some(stock)).is_some()
    }

    /// Sets the price of a variant. Returns the product's id, `None` if there is no such variant.
    pub(crate) fn reprice(&self, variant_id: i64, price: &str) -> Option<i64> {
        self.lock().iter_mut().find_map(|product| {
            let variant = product.variants.iter_mut().find(|it| it.id == variant_id)?;
            price.clone_into(&mut variant.price);
            Some(product.id)
        })
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Product>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The path of an address of the demo, which may be open under another name than the one it was started with.
fn path(url: &str) -> String {
    url.find("/demo/").map_or(url, |start| &url[start..]).to_owned()
}

/// `Jackets & Knitwear` as `jackets-knitwear`.
pub(crate) fn slug(title: &str) -> String {
    let words = title.split(|letter: char| !letter.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_ascii_lowercase).collect::<Vec<_>>().join("-")
}
