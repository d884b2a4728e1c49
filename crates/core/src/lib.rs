//! Wishbone without HTTP: stores, shoppers, lists, items, the catalogue and subscriptions, as
//! operations that run on any engine of the storage seam.

/// Declares the statements of a module, and a list of them for the tests that look at every one.
macro_rules! statements {
    ($($vis:vis $name:ident = $sql:expr;)*) => {
        $($vis const $name: wishbone_store::Sql = wishbone_store::Sql::new($sql);)*
        pub(crate) const STATEMENTS: &[(&str, wishbone_store::Sql)] = &[$((stringify!($name), $name)),*];
    };
}

pub mod caller;
pub mod catalog;
pub mod check;
mod collation;
mod error;
pub mod identity;
pub mod item_changes;
pub mod item_input;
pub mod items;
pub mod json;
pub mod lists;
mod moment;
pub mod page;
mod product_fields;
pub mod record;
pub mod save_for_later;
pub mod shoppers;
pub mod stores;
pub mod subscriptions;

pub use error::{Code, Error, Result};
pub use moment::{Millis, Moment};

use wishbone_store::{Migration, Sql};

/// The schema, step by step.
pub const MIGRATIONS: &[Migration] = &[Migration {
    number: 1,
    name: "lists",
    sqlite: include_str!("../schema/sqlite/0001_lists.sql"),
    postgres: include_str!("../schema/postgres/0001_lists.sql"),
}];

/// Every statement of every module, by name, for the tests that hold them to the rules.
pub fn statements() -> Vec<(String, Sql)> {
    let modules = [
        ("catalog", catalog::STATEMENTS),
        ("check", check::STATEMENTS),
        ("item_changes", item_changes::STATEMENTS),
        ("items", items::STATEMENTS),
        ("lists", lists::STATEMENTS),
        ("shoppers", shoppers::STATEMENTS),
        ("stores", stores::STATEMENTS),
        ("subscriptions", subscriptions::STATEMENTS),
    ];
    let named = |(module, statements): (&str, &[(&str, Sql)])| -> Vec<(String, Sql)> {
        statements.iter().map(|(name, sql)| (format!("{module}::{name}"), *sql)).collect()
    };
    modules.into_iter().flat_map(named).collect()
}
