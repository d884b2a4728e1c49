//! The shoppers and lists that requests refer to.

use std::collections::HashMap;
use std::fs;
use std::ops::Range;
use std::path::Path;

use anyhow::{Context, ensure};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use uuid::Uuid;
use wishbone_core::tokens::{Keys, Regid, RegidKind, ShopperId};

use super::dataset::{Dataset, long_list};
use super::seed::seeder::{self, StoreAccess};
use crate::http::client::{Client, encoded, form_request};

pub(crate) struct Targets {
    pub(crate) stores: Vec<StoreTarget>,
    pub(crate) shoppers: Vec<ShopperTarget>,
    /// Lists of 50 to 60 items, which fill a page.
    pub(crate) paged: Vec<ListTarget>,
    pub(crate) short: Vec<ListTarget>,
    pub(crate) long: Vec<ListTarget>,
    /// Long lists with the token of page 200, or of the last full page.
    pub(crate) deep: Vec<(ListTarget, String)>,
}

pub(crate) struct StoreTarget {
    pub(crate) number: usize,
    pub(crate) id: i64,
    /// Percent-encoded.
    pub(crate) pid: String,
    /// The header of the store's own calls.
    pub(crate) authorization: String,
    pub(crate) variants: u64,
    /// Its part of the shoppers.
    pub(crate) shoppers: Range<usize>,
}

pub(crate) struct ShopperTarget {
    pub(crate) store: usize,
    pub(crate) id: [u8; 16],
    /// `regid=…&sessionid=…`
    pub(crate) credentials: String,
}

#[derive(Clone, Copy)]
pub(crate) struct ListTarget {
    pub(crate) shopper: usize,
    pub(crate) id: [u8; 16],
}

const DEEP_PAGE: u64 = 200;

impl Targets {
    pub(crate) fn new(seeded: &Path, dataset: &Dataset) -> anyhow::Result<Self> {
        let keys = keys(&seeded.join("data/secret.key"))?;
        let accesses = seeder::stores(seeded)?;
        let mut out = Self {
            stores: Vec::new(),
            shoppers: Vec::new(),
            paged: Vec::new(),
            short: Vec::new(),
            long: Vec::new(),
            deep: Vec::new(),
        };
        for (store, StoreAccess { id, apikey }) in dataset.stores.iter().zip(accesses) {
            let first = out.shoppers.len();
            let mut numbers = HashMap::with_capacity(store.shoppers.len());
            for shopper in &store.shoppers {
                let regid =
                    Regid { kind: RegidKind::LoggedIn, store_id: id, shopper: ShopperId(shopper.id), generation: 0 };
                let credentials = format!("regid={}&sessionid={}", keys.regid(regid), keys.sessionid(&regid, 0, 0));
                numbers.insert(shopper.id, out.shoppers.len());
                out.shoppers.push(ShopperTarget { store: store.number, id: shopper.id, credentials });
            }
            for list in &store.lists {
                let target = ListTarget { shopper: numbers[&list.shopper], id: list.id };
                match list.size {
                    ..50 => out.short.push(target),
                    50..=60 => out.paged.push(target),
                    _ => out.long.push(target),
                }
            }
            let (number, variants) = (store.number, store.variants);
            out.stores.push(StoreTarget {
                number,
                id,
                pid: encoded(&store.pid),
                authorization: format!("Basic {}", STANDARD.encode(format!("{}:{apikey}", store.pid))),
                variants,
                shoppers: first..out.shoppers.len(),
            });
        }
        Ok(out)
    }

    /// Fetches the pages of long lists up to page 200.
    pub(crate) fn find_deep_pages(&mut self, client: &mut Client, items: u64) -> anyhow::Result<()> {
        let pages = (long_list(items) / 50).min(DEEP_PAGE);
        for list in self.long.iter().take(10) {
            let mut token = String::new();
            for _ in 1..pages {
                let mut request = Vec::new();
                self.page(
                    &mut request,
                    list,
                    Some(&token).filter(|token| !token.is_empty()).map(String::as_str),
                    false,
                );
                let page = client.json(&request)?;
                ensure!(page["data"]["listcontents"].as_array().is_some_and(|items| items.len() == 50), "{page}");
                token = page["pagination"]["next"].as_str().context("the long list has too few pages")?.to_owned();
            }
            self.deep.push((*list, token));
        }
        Ok(())
    }

    pub(crate) fn page(&self, out: &mut Vec<u8>, list: &ListTarget, next: Option<&str>, gzip: bool) {
        let shopper = &self.shoppers[list.shopper];
        let mut lid = [0; 36];
        let lid = Uuid::from_bytes(list.id).hyphenated().encode_lower(&mut lid);
        let (before, next) = next.map_or(("", ""), |next| ("&next=", next));
        let body = [&shopper.credentials, "&lid=", lid, before, next];
        form_request(out, "/api/v3/lists/fetch-user-list", &self.stores[shopper.store].pid, gzip, &body);
    }
}

fn keys(path: &Path) -> anyhow::Result<Keys> {
    let text = fs::read_to_string(path)?;
    let lines = text.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    let keys = lines.map(|line| STANDARD.decode(line)).collect::<Result<Vec<_>, _>>()?;
    Keys::new(&keys).context("the seeded database has no key")
}
