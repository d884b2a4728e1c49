//! The shares of the calls in the mix.
//!
//! Every listing page asks once which of its products have a heart, and shoppers see far more listing pages than lists.
//! Few visitors add an item, and fewer register or log in. Feeds bring what changed: a product, or a few stocks.

/// A call in the mix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Call {
    Contains,
    Page,
    HotPage,
    FetchLists,
    Contents,
    SocialCount,
    /// Reads what the same connection has just written, and must see it.
    ReadBack,
    Add,
    Remove,
    Register,
    /// A guest's first list.
    CreateList,
    /// A guest's first item.
    FirstItem,
    LogIn,
    FeedStock,
    FeedProduct,
    Subscribe,
    Share,
}

/// A call and its share of all requests, in thousandths.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Share {
    pub(super) call: Call,
    pub(super) title: &'static str,
    pub(super) thousandths: u64,
}

#[rustfmt::skip]
pub(crate) const SHARES: [Share; 17] = [
    share(Call::Contains, "hearts of a listing page (`contains`, 20 products)", 280),
    share(Call::Page, "page of 50 of any list", 200),
    share(Call::HotPage, "page of 50 of hot lists", 100),
    share(Call::FetchLists, "`fetch-lists`", 120),
    share(Call::Contents, "`fetch-list-with-contents`", 60),
    share(Call::SocialCount, "`social-count` of a product", 20),
    share(Call::ReadBack, "page or `contains` after an add, a removal or a login, which must see it", 80),
    share(Call::Add, "add one item", 40),
    share(Call::Remove, "remove one item", 20),
    share(Call::Register, "register a guest", 30),
    share(Call::CreateList, "create a guest's first list", 10),
    share(Call::FirstItem, "add a guest's first item", 10),
    share(Call::LogIn, "login that merges a guest's list into the shopper's", 10),
    share(Call::FeedStock, "stock feed of 10 variants", 6),
    share(Call::FeedProduct, "catalogue feed of one product, 4 variants", 4),
    share(Call::Subscribe, "subscribe to a product", 6),
    share(Call::Share, "create a share link", 4),
];

pub(super) const WHOLE: u64 = 1_000;

const fn share(call: Call, title: &'static str, thousandths: u64) -> Share {
    Share { call, title, thousandths }
}

impl Call {
    /// Whether the call always follows another one on its connection. Others are drawn at random.
    fn is_drawn(self) -> bool {
        !matches!(self, Self::ReadBack | Self::FirstItem)
    }
}

/// The sum of the shares from which `drawn` chooses.
pub(super) fn drawn_total() -> u64 {
    SHARES.iter().filter(|share| share.call.is_drawn()).map(|share| share.thousandths).sum()
}

/// The call for a random number below `drawn_total`.
pub(super) fn drawn(mut number: u64) -> Call {
    for share in SHARES.iter().filter(|share| share.call.is_drawn()) {
        if number < share.thousandths {
            return share.call;
        }
        number -= share.thousandths;
    }
    Call::Contains
}

/// Titles and percentages, for the results.
pub(crate) fn percentages() -> Vec<(String, f64)> {
    SHARES.iter().map(|share| (share.title.to_owned(), 100.0 * share.thousandths as f64 / WHOLE as f64)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sum(calls: &[Call]) -> u64 {
        SHARES.iter().filter(|share| calls.contains(&share.call)).map(|share| share.thousandths).sum()
    }

    #[test]
    fn the_shares_add_up_and_most_are_reads() {
        assert_eq!(SHARES.iter().map(|share| share.thousandths).sum::<u64>(), WHOLE);
        let reads = [
            Call::Contains,
            Call::Page,
            Call::HotPage,
            Call::FetchLists,
            Call::Contents,
            Call::SocialCount,
            Call::ReadBack,
        ];
        assert!((850..=900).contains(&sum(&reads)));
    }

    #[test]
    fn calls_that_follow_another_one_are_as_frequent_as_it() {
        assert_eq!(sum(&[Call::ReadBack]), sum(&[Call::Add, Call::Remove, Call::FirstItem, Call::LogIn]));
        assert_eq!(sum(&[Call::FirstItem]), sum(&[Call::CreateList]));
    }

    #[test]
    fn calls_are_drawn_by_their_shares() {
        let draws = |call| (0..drawn_total()).filter(|number| drawn(*number) == call).count() as u64;
        for share in SHARES.iter().filter(|share| share.call.is_drawn()) {
            assert_eq!(draws(share.call), share.thousandths, "{:?}", share.call);
        }
    }
}
