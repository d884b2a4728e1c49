//! What is measured.

use super::requests::Requests;
use super::targets::Targets;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    PageRandom,
    PageHot,
    PageFirst,
    PageDeep,
    FetchLists,
    Contents,
    Contains,
    Add,
    AddBatch,
    Mix,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Operation {
    pub(crate) name: &'static str,
    pub(crate) title: &'static str,
    pub(crate) kind: Kind,
    pub(crate) gzip: bool,
}

#[rustfmt::skip]
pub(crate) const OPERATIONS: [Operation; 12] = [
    operation("page-random", "page of 50, any list", Kind::PageRandom, false),
    operation("page-random-gzip", "page of 50, any list, gzip", Kind::PageRandom, true),
    operation("page-hot", "page of 50, lists read again and again", Kind::PageHot, false),
    operation("page-hot-gzip", "page of 50, read again and again, gzip", Kind::PageHot, true),
    operation("page-1", "page 1 of 10,000 items", Kind::PageFirst, false),
    operation("page-200", "page 200 of 10,000 items", Kind::PageDeep, false),
    operation("fetch-lists", "fetch-lists", Kind::FetchLists, false),
    operation("contents", "fetch-list-with-contents", Kind::Contents, false),
    operation("contains", "contains, 20 products", Kind::Contains, false),
    operation("add", "add one item", Kind::Add, false),
    operation("add-20", "add 20 items in a call", Kind::AddBatch, false),
    operation("mix", "mix, 90 % reads", Kind::Mix, false),
];

const fn operation(name: &'static str, title: &'static str, kind: Kind, gzip: bool) -> Operation {
    Operation { name, title, kind, gzip }
}

impl Operation {
    pub(crate) fn requests<'a>(&self, targets: &'a Targets, seed: u64) -> Requests<'a> {
        Requests::new(targets, self.kind, self.gzip, seed)
    }

    /// The limit tells answers apart by their path, and this path has shorter ones.
    pub(crate) fn has_limit(&self) -> bool {
        self.kind != Kind::AddBatch
    }
}
