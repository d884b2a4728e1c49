//! Encoded requests, of every kind that is measured.

use std::io::Write;

use uuid::Uuid;

use super::client::encoded;
use super::dice::Dice;
use super::driver::Source;
use super::operations::Kind;
use super::shape::{self, popular};
use super::targets::{ListTarget, ShopperTarget, Targets};

/// How many lists are read again and again.
pub(crate) const HOT: usize = 200;
const BATCH: usize = 20;
const ASKED_FOR: usize = 20;

/// Appends a POST of a form.
pub(crate) fn form_request(out: &mut Vec<u8>, path: &str, pid: &str, gzip: bool, body: &[&str]) {
    let length: usize = body.iter().map(|part| part.len()).sum();
    let encoding = if gzip { "accept-encoding: gzip\r\n" } else { "" };
    // Writing to memory does not fail.
    let _ = write!(
        out,
        "POST {path}?pid={pid} HTTP/1.1\r\nhost: 127.0.0.1\r\naccept: application/json\r\n{encoding}\
         content-type: application/x-www-form-urlencoded\r\ncontent-length: {length}\r\n\r\n"
    );
    body.iter().for_each(|part| out.extend_from_slice(part.as_bytes()));
}

/// An endless stream of requests of one kind.
pub(crate) struct Requests<'a> {
    targets: &'a Targets,
    kind: Kind,
    gzip: bool,
    dice: Dice,
}

impl<'a> Requests<'a> {
    pub(crate) fn new(targets: &'a Targets, kind: Kind, gzip: bool, seed: u64) -> Self {
        Self { targets, kind, gzip, dice: Dice::new(seed) }
    }

    fn write(&mut self, out: &mut Vec<u8>, kind: Kind) {
        let targets = self.targets;
        match kind {
            Kind::PageRandom => targets.page(out, self.dice.pick(&targets.paged), None, self.gzip),
            Kind::PageHot => {
                let hot = &targets.paged[..HOT.min(targets.paged.len())];
                targets.page(out, self.dice.pick(hot), None, self.gzip);
            }
            Kind::PageFirst => targets.page(out, &self.dice.pick(&targets.deep).0, None, self.gzip),
            Kind::PageDeep => {
                let (list, token) = self.dice.pick(&targets.deep);
                targets.page(out, list, Some(token), self.gzip);
            }
            Kind::FetchLists => {
                let shopper = self.dice.pick(&targets.shoppers);
                self.call(out, "/api/v3/lists/fetch-lists", shopper, &[]);
            }
            Kind::Contents => {
                let list = self.dice.pick(&targets.paged);
                self.call_list(out, "/api/v3/lists/fetch-list-with-contents", list, &[]);
            }
            Kind::Contains => {
                let shopper = self.dice.pick(&targets.shoppers);
                let variants: Vec<String> = (0..ASKED_FOR).map(|_| self.variant(shopper).0.to_string()).collect();
                let epis = encoded(&format!("[{}]", variants.join(",")));
                self.call(out, "/api/v3/lists/contains", shopper, &["&epis=", &epis]);
            }
            Kind::Add => {
                let list = *self.dice.pick(&targets.short);
                self.add(out, &list, 1);
            }
            Kind::AddBatch => {
                let list = *self.dice.pick(&targets.short);
                self.add(out, &list, BATCH);
            }
            Kind::Mix => match self.dice.below(100) {
                ..40 => self.write(out, Kind::PageRandom),
                40..60 => self.write(out, Kind::PageHot),
                60..75 => self.write(out, Kind::FetchLists),
                75..85 => self.write(out, Kind::Contents),
                85..90 => self.write(out, Kind::Contains),
                // To the lists that are read.
                _ => {
                    let list = *self.dice.pick(&targets.paged);
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
        let variant = shape::variant(popular(&mut self.dice, store.variants));
        (variant, shape::product(variant), shape::url(store.number, variant))
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
