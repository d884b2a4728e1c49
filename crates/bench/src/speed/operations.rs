//! The measured operations.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    PageRandom,
    PageFirst,
    PageDeep,
    FetchLists,
    Contents,
    Contains,
    Add,
    AddBatch,
    ShopMix,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Operation {
    pub(crate) name: &'static str,
    pub(crate) title: &'static str,
    pub(crate) kind: Kind,
    pub(crate) gzip: bool,
}

#[rustfmt::skip]
pub(crate) const OPERATIONS: [Operation; 10] = [
    operation("page-random", "page of 50, any list", Kind::PageRandom, false),
    operation("page-random-gzip", "page of 50, any list, gzip", Kind::PageRandom, true),
    operation("page-1", "page 1 of 10,000 items", Kind::PageFirst, false),
    operation("page-200", "page 200 of 10,000 items", Kind::PageDeep, false),
    operation("fetch-lists", "fetch-lists", Kind::FetchLists, false),
    operation("contents", "fetch-list-with-contents", Kind::Contents, false),
    operation("contains", "contains, 20 products", Kind::Contains, false),
    operation("add", "add one item", Kind::Add, false),
    operation("add-20", "add 20 items in one call", Kind::AddBatch, false),
    operation("shop-mix", "mix of a shop", Kind::ShopMix, false),
];

const fn operation(name: &'static str, title: &'static str, kind: Kind, gzip: bool) -> Operation {
    Operation { name, title, kind, gzip }
}

impl Operation {
    /// False for batches: the limit selects a response by its path, which they share with single adds.
    pub(crate) fn has_limit(&self) -> bool {
        self.kind != Kind::AddBatch
    }
}
