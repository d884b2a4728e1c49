//! Encoded calls with random targets.

use uuid::Uuid;

use super::dataset::{self, popular};
use super::rng::Rng;
use super::targets::{ListTarget, ShopperTarget, Targets};
use crate::http::client::{encoded, form_request};

/// The number of hot lists.
pub(crate) const HOT: usize = 200;
const CONTAINS: usize = 20;

pub(crate) struct Calls<'a> {
    pub(crate) targets: &'a Targets,
    pub(crate) rng: Rng,
    gzip: bool,
}

/// Who makes a call.
#[derive(Clone, Copy)]
pub(crate) struct Caller<'a> {
    pub(crate) store: usize,
    /// `regid=…&sessionid=…`
    pub(crate) credentials: &'a str,
}

impl<'a> From<&'a ShopperTarget> for Caller<'a> {
    fn from(shopper: &'a ShopperTarget) -> Self {
        Self { store: shopper.store, credentials: &shopper.credentials }
    }
}

impl<'a> Calls<'a> {
    pub(crate) fn new(targets: &'a Targets, gzip: bool, seed: u64) -> Self {
        Self { targets, rng: Rng::new(seed), gzip }
    }

    pub(crate) fn shopper(&mut self) -> &'a ShopperTarget {
        self.rng.pick(&self.targets.shoppers)
    }

    /// A variant in the catalogue of a store.
    pub(crate) fn variant(&mut self, store: usize) -> i64 {
        dataset::variant(popular(&mut self.rng, self.targets.stores[store].variants))
    }

    pub(crate) fn page(&self, out: &mut Vec<u8>, list: &ListTarget, next: Option<&str>) {
        self.targets.page(out, list, next, self.gzip);
    }

    pub(crate) fn any_page(&mut self, out: &mut Vec<u8>) {
        let list = self.rng.pick(&self.targets.paged);
        self.page(out, list, None);
    }

    pub(crate) fn hot_page(&mut self, out: &mut Vec<u8>) {
        let paged = &self.targets.paged;
        let list = self.rng.pick(&paged[..HOT.min(paged.len())]);
        self.page(out, list, None);
    }

    pub(crate) fn fetch_lists(&mut self, out: &mut Vec<u8>) {
        let by = self.shopper().into();
        self.call(out, "lists/fetch-lists", by, &[]);
    }

    pub(crate) fn contents(&mut self, out: &mut Vec<u8>) {
        let list = self.rng.pick(&self.targets.paged);
        let by = (&self.targets.shoppers[list.shopper]).into();
        self.call(out, "lists/fetch-list-with-contents", by, &["&lid=", &lid(&list.id)]);
    }

    /// The hearts of a listing page.
    pub(crate) fn hearts(&mut self, out: &mut Vec<u8>) {
        let by = self.shopper().into();
        self.contains(out, by, None);
    }

    /// Random variants, and perhaps a given one.
    pub(crate) fn contains(&mut self, out: &mut Vec<u8>, by: Caller<'_>, variant: Option<i64>) {
        let random = CONTAINS - usize::from(variant.is_some());
        let others = std::iter::repeat_with(|| self.variant(by.store)).take(random);
        let epis: Vec<String> = others.chain(variant).map(|epi| epi.to_string()).collect();
        let epis = encoded(&format!("[{}]", epis.join(",")));
        self.call(out, "lists/contains", by, &["&epis=", &epis]);
    }

    pub(crate) fn add(&self, out: &mut Vec<u8>, by: Caller<'_>, list: &[u8; 16], variants: &[i64]) {
        let number = self.targets.stores[by.store].number;
        let item = |epi: &i64| {
            let (empi, du) = (dataset::product(*epi), dataset::url(number, *epi));
            format!(r#"{{"epi":{epi},"empi":{empi},"du":"{du}"}}"#)
        };
        let items = variants.iter().map(item).collect::<Vec<_>>().join(",");
        self.call(out, "lists/update-ctx", by, &["&lid=", &lid(list), "&a=", &encoded(&format!("[{items}]"))]);
    }

    pub(crate) fn remove(&self, out: &mut Vec<u8>, by: Caller<'_>, list: &[u8; 16], epi: i64) {
        let items = encoded(&format!(r#"[{{"epi":{epi}}}]"#));
        self.call(out, "lists/update-ctx", by, &["&lid=", &lid(list), "&d=", &items]);
    }

    pub(crate) fn call(&self, out: &mut Vec<u8>, path: &str, by: Caller<'_>, more: &[&str]) {
        let pid = &self.targets.stores[by.store].pid;
        form_request(out, &format!("/api/v3/{path}"), pid, self.gzip, &[&[by.credentials], more].concat());
    }
}

/// The id of a list as callers send it.
pub(crate) fn lid(list: &[u8; 16]) -> String {
    Uuid::from_bytes(*list).to_string()
}
