//! Encoded requests for every operation.

use uuid::Uuid;

use super::dataset::{self, popular};
use super::driver::Source;
use super::operations::{Kind, Operation};
use super::rng::Rng;
use super::targets::{ListTarget, ShopperTarget, Targets};
use crate::http::client::{encoded, form_request};

/// The number of hot lists.
pub(crate) const HOT: usize = 200;
const BATCH: usize = 20;
const CONTAINS: usize = 20;

/// An endless stream of random requests of one kind.
pub(crate) struct Requests<'a> {
    targets: &'a Targets,
    kind: Kind,
    gzip: bool,
    rng: Rng,
}

impl<'a> Requests<'a> {
    pub(crate) fn new(targets: &'a Targets, kind: Kind, gzip: bool, seed: u64) -> Self {
        Self { targets, kind, gzip, rng: Rng::new(seed) }
    }

    fn write(&mut self, out: &mut Vec<u8>, kind: Kind) {
        let targets = self.targets;
        match kind {
            Kind::PageRandom => targets.page(out, self.rng.pick(&targets.paged), None, self.gzip),
            Kind::PageHot => {
                let hot = &targets.paged[..HOT.min(targets.paged.len())];
                targets.page(out, self.rng.pick(hot), None, self.gzip);
            }
            Kind::PageFirst => targets.page(out, &self.rng.pick(&targets.deep).0, None, self.gzip),
            Kind::PageDeep => {
                let (list, token) = self.rng.pick(&targets.deep);
                targets.page(out, list, Some(token), self.gzip);
            }
            Kind::FetchLists => {
                let shopper = self.rng.pick(&targets.shoppers);
                self.call(out, "/api/v3/lists/fetch-lists", shopper, &[]);
            }
            Kind::Contents => {
                let list = self.rng.pick(&targets.paged);
                self.call_list(out, "/api/v3/lists/fetch-list-with-contents", list, &[]);
            }
            Kind::Contains => {
                let shopper = self.rng.pick(&targets.shoppers);
                let variants: Vec<String> = (0..CONTAINS).map(|_| self.variant(shopper).0.to_string()).collect();
                let epis = encoded(&format!("[{}]", variants.join(",")));
                self.call(out, "/api/v3/lists/contains", shopper, &["&epis=", &epis]);
            }
            Kind::Add => {
                let list = *self.rng.pick(&targets.short);
                self.add(out, &list, 1);
            }
            Kind::AddBatch => {
                let list = *self.rng.pick(&targets.short);
                self.add(out, &list, BATCH);
            }
            Kind::Mix => match self.rng.below(100) {
                ..40 => self.write(out, Kind::PageRandom),
                40..60 => self.write(out, Kind::PageHot),
                60..75 => self.write(out, Kind::FetchLists),
                75..85 => self.write(out, Kind::Contents),
                85..90 => self.write(out, Kind::Contains),
                // To the lists that are also read.
                _ => {
                    let list = *self.rng.pick(&targets.paged);
                    self.add(out, &list, 1);
                }
            },
        }
    }

    fn add(&mut self, out: &mut Vec<u8>, list: &ListTarget, count: usize) {
        let shopper = &self.targets.shoppers[list.shopper];
        let items: Vec<String> = (0..count)
            .map(|_| {
                let (variant, product, url) = self.variant(shopper);
                format!(r#"{{"epi":{variant},"empi":{product},"du":"{url}"}}"#)
            })
            .collect();
        let items = encoded(&format!("[{}]", items.join(",")));
        self.call_list(out, "/api/v3/lists/update-ctx", list, &["&a=", &items]);
    }

    fn variant(&mut self, shopper: &ShopperTarget) -> (i64, i64, String) {
        let store = &self.targets.stores[shopper.store];
        let variant = dataset::variant(popular(&mut self.rng, store.variants));
        (variant, dataset::product(variant), dataset::url(store.number, variant))
    }

    fn call_list(&self, out: &mut Vec<u8>, path: &str, list: &ListTarget, more: &[&str]) {
        let mut lid = [0; 36];
        let lid = Uuid::from_bytes(list.id).hyphenated().encode_lower(&mut lid);
        self.call(out, path, &self.targets.shoppers[list.shopper], &[&["&lid=", lid], more].concat());
    }

    fn call(&self, out: &mut Vec<u8>, path: &str, shopper: &ShopperTarget, more: &[&str]) {
        let pid = &self.targets.stores[shopper.store].pid;
        form_request(out, path, pid, self.gzip, &[&[shopper.credentials.as_str()], more].concat());
    }
}

impl Source for Requests<'_> {
    fn write_next(&mut self, out: &mut Vec<u8>) {
        self.write(out, self.kind);
    }
}

impl Operation {
    pub(crate) fn requests<'a>(&self, targets: &'a Targets, seed: u64) -> Requests<'a> {
        Requests::new(targets, self.kind, self.gzip, seed)
    }
}
