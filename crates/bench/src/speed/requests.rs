//! The requests of every operation.

use super::calls::Calls;
use super::driver::{Response, Source};
use super::operations::{Kind, Operation};
use super::shop::source::Shop;
use super::targets::Targets;

const BATCH: usize = 20;

/// An endless stream of random requests of one kind.
struct Requests<'a> {
    calls: Calls<'a>,
    kind: Kind,
}

impl Requests<'_> {
    fn add(&mut self, out: &mut Vec<u8>, count: usize) {
        let targets = self.calls.targets;
        let list = self.calls.rng.pick(&targets.short);
        let shopper = &targets.shoppers[list.shopper];
        let variants: Vec<i64> = (0..count).map(|_| self.calls.variant(shopper.store)).collect();
        self.calls.add(out, shopper.into(), &list.id, &variants);
    }
}

impl Source for Requests<'_> {
    fn write_next(&mut self, _connection: usize, out: &mut Vec<u8>) -> Response {
        let calls = &mut self.calls;
        let targets = calls.targets;
        match self.kind {
            Kind::PageRandom => {
                let list = calls.rng.pick(&targets.paged);
                calls.page(out, list, None);
            }
            Kind::PageHot => {
                let list = calls.hot_list();
                calls.page(out, list, None);
            }
            Kind::PageFirst => {
                let (list, _) = calls.rng.pick(&targets.deep);
                calls.page(out, list, None);
            }
            Kind::PageDeep => {
                let (list, token) = calls.rng.pick(&targets.deep);
                calls.page(out, list, Some(token));
            }
            Kind::FetchLists => calls.fetch_lists(out),
            Kind::Contents => calls.contents(out),
            Kind::Contains => {
                let by = calls.shopper().into();
                calls.contains(out, by, None);
            }
            // The mix has a source of its own.
            Kind::Add | Kind::ShopMix => self.add(out, 1),
            Kind::AddBatch => self.add(out, BATCH),
        }
        Response::Counted
    }
}

impl Operation {
    /// Requests to a server, whose responses are checked where the operation does so.
    pub(crate) fn requests<'a>(&self, targets: &'a Targets, seed: u64) -> Box<dyn Source + 'a> {
        match self.kind {
            Kind::ShopMix => Box::new(Shop::new(targets, seed)),
            kind => Box::new(Requests { calls: Calls::new(targets, self.gzip, seed), kind }),
        }
    }

    /// The same requests to the limit, whose responses are recorded.
    pub(crate) fn requests_to_limit<'a>(&self, targets: &'a Targets, seed: u64) -> Box<dyn Source + 'a> {
        match self.kind {
            Kind::ShopMix => Box::new(Shop::new(targets, seed).unchecked()),
            _ => self.requests(targets, seed),
        }
    }
}
