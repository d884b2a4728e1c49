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
    write: fn(&mut Calls<'a>, &mut Vec<u8>),
}

impl Source for Requests<'_> {
    fn write_next(&mut self, _connection: usize, out: &mut Vec<u8>) -> Response {
        (self.write)(&mut self.calls, out);
        Response::Counted
    }
}

impl Operation {
    /// Requests to a server, whose responses are checked where the operation does so.
    pub(crate) fn requests<'a>(&self, targets: &'a Targets, seed: u64) -> Box<dyn Source + 'a> {
        let write: fn(&mut Calls<'a>, &mut Vec<u8>) = match self.kind {
            Kind::ShopMix => return Box::new(Shop::new(targets, seed)),
            Kind::PageRandom => Calls::any_page,
            Kind::PageFirst => Calls::first_page,
            Kind::PageDeep => Calls::deep_page,
            Kind::FetchLists => Calls::fetch_lists,
            Kind::Contents => Calls::contents,
            Kind::Contains => Calls::hearts,
            Kind::Add => |calls, out| calls.add_to_short_list(out, 1),
            Kind::AddBatch => |calls, out| calls.add_to_short_list(out, BATCH),
        };
        Box::new(Requests { calls: Calls::new(targets, self.gzip, seed), write })
    }

    /// The same requests to the limit, whose responses are recorded.
    pub(crate) fn requests_to_limit<'a>(&self, targets: &'a Targets, seed: u64) -> Box<dyn Source + 'a> {
        match self.kind {
            Kind::ShopMix => Box::new(Shop::new(targets, seed).unchecked()),
            _ => self.requests(targets, seed),
        }
    }
}

impl Calls<'_> {
    fn first_page(&mut self, out: &mut Vec<u8>) {
        let (list, _) = self.rng.pick(&self.targets.deep);
        self.page(out, list, None);
    }

    fn deep_page(&mut self, out: &mut Vec<u8>) {
        let (list, token) = self.rng.pick(&self.targets.deep);
        self.page(out, list, Some(token));
    }

    fn add_to_short_list(&mut self, out: &mut Vec<u8>, count: usize) {
        let list = self.rng.pick(&self.targets.short);
        let shopper = &self.targets.shoppers[list.shopper];
        let variants: Vec<i64> = (0..count).map(|_| self.variant(shopper.store)).collect();
        self.add(out, shopper.into(), &list.id, &variants);
    }
}
