//! The shares of the calls in the mix.
//!
//! Every listing page asks once which of its products have a heart, and shoppers see far more listing pages than lists.
//! Few visitors add an item, and fewer register or log in. Feeds bring what changed: a product, or a few stocks.

use crate::speed::rng::Rng;

/// A call that is drawn at random.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Call {
    Hearts,
    Page,
    HotPage,
    FetchLists,
    Contents,
    SocialCount,
    Add,
    Remove,
    Register,
    /// A guest's first list.
    CreateList,
    LogIn,
    FeedStock,
    FeedProduct,
    Subscribe,
    Share,
}

/// Where a request comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Origin {
    Drawn(Call),
    /// It follows every change of a list on its connection, and reads it back.
    Change,
    /// It follows every new list on its connection, and adds the first item.
    NewList,
}

/// Requests and their share of all, in thousandths.
#[derive(Clone, Copy, Debug)]
struct Share {
    origin: Origin,
    title: &'static str,
    thousandths: u64,
}

#[rustfmt::skip]
const SHARES: [Share; 17] = [
    drawn(Call::Hearts, "hearts of a listing page (`contains`, 20 products)", 280),
    drawn(Call::Page, "page of 50 of any list", 200),
    drawn(Call::HotPage, "page of 50 of hot lists", 100),
    drawn(Call::FetchLists, "`fetch-lists`", 120),
    drawn(Call::Contents, "`fetch-list-with-contents`", 60),
    drawn(Call::SocialCount, "`social-count` of a product", 20),
    share(Origin::Change, "page or `contains` after an add, a removal or a login, which must see it", 80),
    drawn(Call::Add, "add one item", 40),
    drawn(Call::Remove, "remove one item", 20),
    drawn(Call::Register, "register a guest", 30),
    drawn(Call::CreateList, "create a guest's first list", 10),
    share(Origin::NewList, "add a guest's first item", 10),
    drawn(Call::LogIn, "login that merges a guest's list into the shopper's", 10),
    drawn(Call::FeedStock, "stock feed of 10 variants", 6),
    drawn(Call::FeedProduct, "catalogue feed of one product, 4 variants", 4),
    drawn(Call::Subscribe, "subscribe to a product", 6),
    drawn(Call::Share, "create a share link", 4),
];

const WHOLE: u64 = 1_000;

const fn drawn(call: Call, title: &'static str, thousandths: u64) -> Share {
    share(Origin::Drawn(call), title, thousandths)
}

const fn share(origin: Origin, title: &'static str, thousandths: u64) -> Share {
    Share { origin, title, thousandths }
}

/// The calls to draw from, with their shares.
fn draws() -> impl Iterator<Item = (Call, u64)> {
    SHARES.iter().filter_map(|share| match share.origin {
        Origin::Drawn(call) => Some((call, share.thousandths)),
        Origin::Change | Origin::NewList => None,
    })
}

/// Draws a call.
pub(super) fn draw(rng: &mut Rng) -> Call {
    pick(rng.below(draws().map(|(_, share)| share).sum()))
}

fn pick(number: u64) -> Call {
    let mut sum = 0;
    let picked = draws().find(|(_, share)| {
        sum += share;
        number < sum
    });
    picked.map_or(Call::Hearts, |(call, _)| call)
}

/// Titles and percentages, for the results.
pub(crate) fn percentages() -> Vec<(String, f64)> {
    SHARES.iter().map(|share| (share.title.to_owned(), 100.0 * share.thousandths as f64 / WHOLE as f64)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sum(origins: &[Origin]) -> u64 {
        SHARES.iter().filter(|share| origins.contains(&share.origin)).map(|share| share.thousandths).sum()
    }

    fn sum_of(calls: &[Call]) -> u64 {
        sum(&calls.iter().map(|call| Origin::Drawn(*call)).collect::<Vec<_>>())
    }

    #[test]
    fn the_shares_add_up_and_most_are_reads() {
        assert_eq!(SHARES.iter().map(|share| share.thousandths).sum::<u64>(), WHOLE);
        let reads = [Call::Hearts, Call::Page, Call::HotPage, Call::FetchLists, Call::Contents, Call::SocialCount];
        assert!((850..=900).contains(&(sum_of(&reads) + sum(&[Origin::Change]))));
    }

    #[test]
    fn requests_that_follow_another_one_are_as_frequent_as_it() {
        let first_items = sum(&[Origin::NewList]);
        assert_eq!(first_items, sum_of(&[Call::CreateList]));
        assert_eq!(sum(&[Origin::Change]), sum_of(&[Call::Add, Call::Remove, Call::LogIn]) + first_items);
    }

    #[test]
    fn calls_are_drawn_by_their_shares() {
        let total = draws().map(|(_, share)| share).sum();
        for (call, share) in draws() {
            assert_eq!((0..total).filter(|number| pick(*number) == call).count() as u64, share, "{call:?}");
        }
    }
}
