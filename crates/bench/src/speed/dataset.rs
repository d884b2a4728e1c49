//! The contents of a seeded database: stores, catalogues, shoppers and lists. They are determined by the number of
//! items and the seed.

use std::collections::HashSet;

use ring::digest::{Context, SHA256};

use super::rng::Rng;

/// To be incremented when the generated data changes.
const VERSION: u32 = 3;

/// The share of items in percent and the number of variants of each store.
const STORES: [(u64, u64); 4] = [(70, 100_000), (15, 10_000), (10, 10_000), (5, 10_000)];

/// Shares of items in percent: on lists of 10,000, and on lists shorter than a page. All others are on lists of 50 to
/// 60 items, so that a page of 50 is full.
const ON_LONG: u64 = 10;
const ON_SHORT: u64 = 15;
const LONG: u64 = 10_000;

/// June 2025, so that all times are in the past.
const EPOCH: i64 = 1_750_000_000_000;
const DAY: u64 = 86_400_000;
const FIRST_VARIANT: i64 = 40_000_000_000_000;
const FIRST_PRODUCT: i64 = 8_000_000_000_000;
/// Variants per product.
pub(crate) const VARIANTS: i64 = 4;

/// Shares of the item templates (see `seed`) in percent. The last one is not in the catalogue.
pub(crate) const TEMPLATES: [u64; 6] = [55, 10, 10, 10, 10, 5];

pub(crate) struct Dataset {
    pub(crate) items: u64,
    pub(crate) seed: u64,
    pub(crate) stores: Vec<StoreData>,
}

pub(crate) struct StoreData {
    pub(crate) number: usize,
    pub(crate) pid: String,
    pub(crate) variants: u64,
    /// Ordered by id, as in the database.
    pub(crate) shoppers: Vec<ShopperData>,
    pub(crate) lists: Vec<ListData>,
}

pub(crate) struct ShopperData {
    pub(crate) id: [u8; 16],
    pub(crate) lists: u64,
    pub(crate) created_at: i64,
}

pub(crate) struct ListData {
    pub(crate) id: [u8; 16],
    pub(crate) shopper: [u8; 16],
    pub(crate) ordinal: u64,
    pub(crate) size: u64,
    pub(crate) created_at: i64,
    seed: u64,
}

impl ListData {
    /// The ids of its record and of its device.
    pub(crate) fn more_ids(&self) -> ([u8; 16], [u8; 16]) {
        let mut rng = Rng::new(!self.seed);
        (rng.uuid(), rng.uuid())
    }
}

pub(crate) struct ItemData {
    pub(crate) id: [u8; 16],
    pub(crate) variant: i64,
    pub(crate) template: usize,
    pub(crate) added_at: i64,
}

impl Dataset {
    pub(crate) fn new(items: u64, seed: u64) -> Self {
        let stores = STORES.iter().enumerate().map(|(number, (share, variants))| {
            let rng = Rng::new(seed.wrapping_mul(1_000).wrapping_add(number as u64));
            // A small catalogue for few items.
            let variants = (*variants).min((items * 2).max(1_000));
            StoreData::new(number, rng, items * share / 100, variants, long_list(items))
        });
        Self { items, seed, stores: stores.collect() }
    }

    /// A hash of everything that determines the contents of the database.
    pub(crate) fn fingerprint(&self) -> String {
        let mut hash = Context::new(&SHA256);
        hash.update(format!("{VERSION} {} {} {STORES:?} {TEMPLATES:?}", self.items, self.seed).as_bytes());
        for migration in wishbone_core::registry::MIGRATIONS {
            hash.update(migration.sqlite.as_bytes());
            hash.update(migration.postgres.as_bytes());
        }
        hash.finish().as_ref()[..4].iter().map(|byte| format!("{byte:02x}")).collect()
    }

    pub(crate) fn list_count(&self) -> usize {
        self.stores.iter().map(|store| store.lists.len()).sum()
    }

    pub(crate) fn item_count(&self) -> u64 {
        self.stores.iter().flat_map(|store| &store.lists).map(|list| list.size).sum()
    }
}

/// The size of long lists in a database of this many items.
pub(crate) fn long_list(items: u64) -> u64 {
    LONG.min(items / 4)
}

impl StoreData {
    fn new(number: usize, mut rng: Rng, items: u64, variants: u64, long: u64) -> Self {
        let random: [u8; 32] = std::array::from_fn(|_| rng.next() as u8);
        let pid = wishbone_core::tokens::pid(&random);
        // A long list needs a large catalogue.
        let long_lists = if variants >= 2 * long { (items * ON_LONG / 100).div_ceil(long) } else { 0 };
        let mut sizes = vec![long; long_lists as usize];
        let short_until = long_lists * long + items * ON_SHORT / 100;
        let mut placed = long_lists * long;
        while placed < items {
            let size = if placed < short_until { 1 + rng.below(49) } else { 50 + rng.below(11) };
            sizes.push(size);
            placed += size;
        }
        // Assigns sizes to shoppers at random.
        for last in (1..sizes.len()).rev() {
            sizes.swap(last, rng.below(last as u64 + 1) as usize);
        }
        let (shoppers, lists) = assign_lists(&mut rng, &sizes);
        Self { number, pid, variants, shoppers, lists }
    }

    pub(crate) fn items<'a>(&'a self, list: &'a ListData) -> impl Iterator<Item = ItemData> + 'a {
        let mut rng = Rng::new(list.seed);
        let mut seen = HashSet::with_capacity(list.size as usize);
        let mut added_at = list.created_at;
        (0..list.size).map(move |_| {
            added_at += 1 + rng.below(1_200_000) as i64;
            let template = template(rng.below(100));
            let beyond = if template == TEMPLATES.len() - 1 { self.variants } else { 0 };
            let number = loop {
                let number = beyond + popular(&mut rng, self.variants);
                if seen.insert(number) {
                    break number;
                }
            };
            ItemData { id: rng.uuid(), variant: variant(number), template, added_at }
        })
    }
}

pub(crate) fn variant(number: u64) -> i64 {
    FIRST_VARIANT + number as i64
}

/// The product of a variant, which need not be in the catalogue.
pub(crate) fn product(variant: i64) -> i64 {
    FIRST_PRODUCT + (variant - FIRST_VARIANT) / VARIANTS
}

/// The product URL of a variant.
pub(crate) fn url(store: usize, variant: i64) -> String {
    format!("https://www.shop-{store}.example/products/{}?variant={variant}", product(variant))
}

/// The address of a shopper.
pub(crate) fn email(shopper: &[u8; 16]) -> String {
    format!("shopper.{}@example.com", &uuid::Uuid::from_bytes(*shopper).simple().to_string()[..12])
}

/// A random variant number, with lower numbers more likely.
pub(crate) fn popular(rng: &mut Rng, variants: u64) -> u64 {
    let (a, b) = (rng.below(variants), rng.below(variants));
    if rng.below(2) == 0 { a.min(b) } else { a }
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

/// Assigns one to three lists to each shopper.
fn assign_lists(rng: &mut Rng, sizes: &[u64]) -> (Vec<ShopperData>, Vec<ListData>) {
    let (mut shoppers, mut lists) = (Vec::new(), Vec::with_capacity(sizes.len()));
    let mut rest = sizes;
    while !rest.is_empty() {
        let count = (1 + rng.below(3)).min(rest.len() as u64);
        let (own, others) = rest.split_at(count as usize);
        rest = others;
        let (id, created_at) = (rng.uuid(), EPOCH + rng.below(100 * DAY) as i64);
        shoppers.push(ShopperData { id, lists: count, created_at });
        for (ordinal, size) in own.iter().enumerate() {
            let created_at = created_at + (ordinal as i64 + 1) * 1_000;
            let list = ListData {
                id: rng.uuid(),
                shopper: id,
                ordinal: ordinal as u64,
                size: *size,
                created_at,
                seed: rng.next(),
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
    fn a_dataset_has_about_as_many_items_as_requested() {
        for items in [2_000, 100_000, 1_000_000] {
            let dataset = Dataset::new(items, 1);
            let made = dataset.item_count();
            assert!(made >= items && made < items + items / 50 + 4 * long_list(items), "{made} of {items}");
        }
    }

    #[test]
    fn most_items_are_on_lists_that_fill_a_page_and_some_on_long_ones() {
        let dataset = Dataset::new(100_000, 1);
        let lists = || dataset.stores.iter().flat_map(|store| &store.lists);
        let paged: u64 = lists().filter(|list| (50..=60).contains(&list.size)).map(|list| list.size).sum();
        assert!(paged > 70_000, "{paged}");
        assert_eq!(lists().filter(|list| list.size == 10_000).count(), 1);
    }

    #[test]
    fn the_items_of_a_list_have_distinct_variants_and_ascending_times() {
        let dataset = Dataset::new(100_000, 1);
        for store in &dataset.stores {
            for list in &store.lists {
                let items: Vec<ItemData> = store.items(list).collect();
                let variants: HashSet<i64> = items.iter().map(|item| item.variant).collect();
                assert_eq!((items.len(), variants.len()), (list.size as usize, list.size as usize));
                assert!(items.windows(2).all(|pair| pair[0].added_at < pair[1].added_at));
            }
        }
    }
}
