//! What a seeded database looks like: stores, their catalogues, shoppers, lists. All of it follows from two numbers,
//! how many items there are and the seed.

use std::collections::HashSet;

use sha2::{Digest, Sha256};

use super::dice::Dice;

/// Raised whenever something here or in the seeding changes what is written.
const VERSION: u32 = 1;

/// Shares of the items and variants of each store, the largest first, in percent.
const STORES: [(u64, u64); 4] = [(70, 100_000), (15, 10_000), (10, 10_000), (5, 10_000)];

/// Shares of all items, in percent: on lists of 10,000, and on those that do not fill a page. The rest is on lists of 50 to
/// 60 items, so that a page of 50 is full wherever it is read.
const ON_LONG: u64 = 10;
const ON_SHORT: u64 = 15;
const LONG: u64 = 10_000;

/// June 2025: old enough that no list is from the future.
const EPOCH: i64 = 1_750_000_000_000;
const DAY: u64 = 86_400_000;
const FIRST_VARIANT: i64 = 40_000_000_000_000;
const FIRST_PRODUCT: i64 = 8_000_000_000_000;
/// A product has four variants.
const VARIANTS: i64 = 4;

/// How often, in percent, items are like which of the templates (see `seed`): the last one is not in the catalogue.
pub(crate) const TEMPLATES: [u64; 6] = [55, 10, 10, 10, 10, 5];

pub(crate) struct Shape {
    pub(crate) items: u64,
    pub(crate) seed: u64,
    pub(crate) stores: Vec<StoreShape>,
}

pub(crate) struct StoreShape {
    pub(crate) number: usize,
    pub(crate) pid: String,
    pub(crate) variants: u64,
    /// In the order of their ids, as they lie in the database.
    pub(crate) shoppers: Vec<ShopperShape>,
    pub(crate) lists: Vec<ListShape>,
}

pub(crate) struct ShopperShape {
    pub(crate) id: [u8; 16],
    pub(crate) lists: u64,
    pub(crate) created_at: i64,
}

pub(crate) struct ListShape {
    pub(crate) id: [u8; 16],
    pub(crate) shopper: [u8; 16],
    pub(crate) ordinal: u64,
    pub(crate) size: u64,
    pub(crate) created_at: i64,
    seed: u64,
}

impl ListShape {
    /// The ids of its record and of the device that made it.
    pub(crate) fn more_ids(&self) -> ([u8; 16], [u8; 16]) {
        let mut dice = Dice::new(!self.seed);
        (dice.uuid(), dice.uuid())
    }
}

pub(crate) struct ItemShape {
    pub(crate) id: [u8; 16],
    pub(crate) variant: i64,
    pub(crate) template: usize,
    pub(crate) added_at: i64,
}

impl Shape {
    pub(crate) fn new(items: u64, seed: u64) -> Self {
        let stores = STORES.iter().enumerate().map(|(number, (share, variants))| {
            let dice = Dice::new(seed.wrapping_mul(1_000).wrapping_add(number as u64));
            // Few items need no large catalogue.
            let variants = (*variants).min((items * 2).max(1_000));
            StoreShape::new(number, dice, items * share / 100, variants, long_list(items))
        });
        Self { items, seed, stores: stores.collect() }
    }

    /// Tells apart what must not be taken for each other.
    pub(crate) fn fingerprint(&self) -> String {
        let mut hash = Sha256::new();
        hash.update(format!("{VERSION} {} {} {STORES:?} {TEMPLATES:?}", self.items, self.seed));
        for migration in wishbone_core::registry::MIGRATIONS {
            hash.update(migration.sqlite);
            hash.update(migration.postgres);
        }
        hash.finalize()[..4].iter().map(|byte| format!("{byte:02x}")).collect()
    }

    pub(crate) fn list_count(&self) -> usize {
        self.stores.iter().map(|store| store.lists.len()).sum()
    }

    pub(crate) fn item_count(&self) -> u64 {
        self.stores.iter().flat_map(|store| &store.lists).map(|list| list.size).sum()
    }
}

/// What counts as a long list among so many items.
pub(crate) fn long_list(items: u64) -> u64 {
    LONG.min(items / 4)
}

impl StoreShape {
    fn new(number: usize, mut dice: Dice, items: u64, variants: u64, long: u64) -> Self {
        let random: [u8; 32] = std::array::from_fn(|_| dice.next() as u8);
        let pid = wishbone_core::tokens::pid(&random);
        // Only a large catalogue has enough variants for a list of thousands.
        let long_lists = if variants >= 2 * long { (items * ON_LONG / 100).div_ceil(long) } else { 0 };
        let mut sizes = vec![long; long_lists as usize];
        let short_until = long_lists * long + items * ON_SHORT / 100;
        let mut placed = long_lists * long;
        while placed < items {
            let size = if placed < short_until { 1 + dice.below(49) } else { 50 + dice.below(11) };
            sizes.push(size);
            placed += size;
        }
        // Long lists and short ones are anyone's.
        for last in (1..sizes.len()).rev() {
            sizes.swap(last, dice.below(last as u64 + 1) as usize);
        }
        let (shoppers, lists) = share_out(&mut dice, &sizes);
        Self { number, pid, variants, shoppers, lists }
    }

    pub(crate) fn items<'a>(&'a self, list: &'a ListShape) -> impl Iterator<Item = ItemShape> + 'a {
        let mut dice = Dice::new(list.seed);
        let mut seen = HashSet::with_capacity(list.size as usize);
        let mut added_at = list.created_at;
        (0..list.size).map(move |_| {
            added_at += 1 + dice.below(1_200_000) as i64;
            let template = template(dice.below(100));
            let beyond = if template == TEMPLATES.len() - 1 { self.variants } else { 0 };
            let number = loop {
                let number = beyond + popular(&mut dice, self.variants);
                if seen.insert(number) {
                    break number;
                }
            };
            ItemShape { id: dice.uuid(), variant: variant(number), template, added_at }
        })
    }
}

pub(crate) fn variant(number: u64) -> i64 {
    FIRST_VARIANT + number as i64
}

/// The product of a variant, whether the catalogue knows it or not.
pub(crate) fn product(variant: i64) -> i64 {
    FIRST_PRODUCT + (variant - FIRST_VARIANT) / VARIANTS
}

/// The address of a variant in a store.
pub(crate) fn url(store: usize, variant: i64) -> String {
    format!("https://www.shop-{store}.example/products/{}?variant={variant}", product(variant))
}

/// Some products are on many lists, most on few: the chance falls with the number.
pub(crate) fn popular(dice: &mut Dice, variants: u64) -> u64 {
    let (a, b) = (dice.below(variants), dice.below(variants));
    if dice.below(2) == 0 { a.min(b) } else { a }
}

fn template(percent: u64) -> usize {
    let mut sum = 0;
    TEMPLATES
        .iter()
        .position(|share| {
            sum += share;
            percent < sum
        })
        .unwrap_or(0)
}

/// Each shopper has one to three lists.
fn share_out(dice: &mut Dice, sizes: &[u64]) -> (Vec<ShopperShape>, Vec<ListShape>) {
    let (mut shoppers, mut lists) = (Vec::new(), Vec::with_capacity(sizes.len()));
    let mut rest = sizes;
    while !rest.is_empty() {
        let count = (1 + dice.below(3)).min(rest.len() as u64);
        let (own, others) = rest.split_at(count as usize);
        rest = others;
        let (id, created_at) = (dice.uuid(), EPOCH + dice.below(100 * DAY) as i64);
        shoppers.push(ShopperShape { id, lists: count, created_at });
        for (ordinal, size) in own.iter().enumerate() {
            let created_at = created_at + (ordinal as i64 + 1) * 1_000;
            let list = ListShape {
                id: dice.uuid(),
                shopper: id,
                ordinal: ordinal as u64,
                size: *size,
                created_at,
                seed: dice.next(),
            };
            lists.push(list);
        }
    }
    shoppers.sort_unstable_by_key(|shopper| shopper.id);
    lists.sort_unstable_by_key(|list| list.id);
    (shoppers, lists)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shape_has_about_as_many_items_as_were_asked_for() {
        for items in [2_000, 100_000, 1_000_000] {
            let shape = Shape::new(items, 1);
            let made = shape.item_count();
            assert!(made >= items && made < items + items / 50 + 4 * long_list(items), "{made} of {items}");
        }
    }

    #[test]
    fn most_items_are_on_lists_that_fill_a_page_and_some_on_long_ones() {
        let shape = Shape::new(100_000, 1);
        let lists = || shape.stores.iter().flat_map(|store| &store.lists);
        let paged: u64 = lists().filter(|list| (50..=60).contains(&list.size)).map(|list| list.size).sum();
        assert!(paged > 70_000, "{paged}");
        assert_eq!(lists().filter(|list| list.size == 10_000).count(), 1);
    }

    #[test]
    fn a_list_has_each_variant_once_and_its_items_in_the_order_of_time() {
        let shape = Shape::new(100_000, 1);
        for store in &shape.stores {
            for list in &store.lists {
                let items: Vec<ItemShape> = store.items(list).collect();
                let variants: HashSet<i64> = items.iter().map(|item| item.variant).collect();
                assert_eq!((items.len(), variants.len()), (list.size as usize, list.size as usize));
                assert!(items.windows(2).all(|pair| pair[0].added_at < pair[1].added_at));
            }
        }
    }
}
