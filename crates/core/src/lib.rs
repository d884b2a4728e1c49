//! Wishbone without HTTP: stores, shoppers, lists, items, the catalogue and subscriptions, as
//! operations that run on any engine of the storage seam.

/// Declares the statements of a module, and a list of them for the tests that look at every one.
macro_rules! statements {
    ($($vis:vis $name:ident = $sql:expr;)*) => {
        $($vis const $name: wishbone_store::Sql = wishbone_store::Sql::new($sql);)*
        pub(crate) const STATEMENTS: &[(&str, wishbone_store::Sql)] = &[$((stringify!($name), $name)),*];
    };
}

pub mod access;
pub mod caller;
mod carried;
pub mod catalog;
pub mod check;
mod check_contents;
mod check_rules;
mod check_stores;
mod collation;
pub mod comments;
pub mod copies;
pub mod dictionary;
mod editors;
pub mod erase;
mod error;
pub mod export;
pub mod guests;
pub mod identity;
pub mod item_changes;
pub mod item_input;
mod item_writer;
pub mod items;
mod items_at_hand;
pub mod json;
pub mod kept;
pub mod list_mail;
pub mod lists;
pub mod login;
pub mod login_secret;
pub mod mails;
pub mod merge;
pub mod merge_journal;
mod merge_plan;
pub mod merge_preview;
mod moment;
pub mod moves;
pub mod once;
pub mod page;
pub mod product_fields;
pub mod recipients;
pub mod record;
pub mod save_for_later;
pub mod server;
pub mod share_links;
pub mod shares;
pub mod shoppers;
pub mod social;
pub mod squeezed;
pub mod stores;
pub mod subscriptions;
pub mod unmerge;
pub mod words;

pub use error::{Code, Error, Limit, Result};
pub use moment::{Millis, Moment};

use wishbone_store::{Migration, Sql};

/// Reads an `epi` or `empi` that is a parameter of its own.
pub fn product_id(parameter: &str, value: &serde_json::Value) -> Result<i64> {
    product_fields::id(parameter, value).map_err(|rule| Error::new(Code::InvalidParameter, rule))
}

macro_rules! migration {
    ($number:literal, $name:literal, $file:literal) => {
        Migration {
            number: $number,
            name: $name,
            sqlite: include_str!(concat!("../schema/sqlite/", $file)),
            postgres: include_str!(concat!("../schema/postgres/", $file)),
        }
    };
}

/// The schema, step by step.
pub const MIGRATIONS: &[Migration] = &[
    migration!(1, "lists", "0001_lists.sql"),
    migration!(2, "profiles", "0002_profiles.sql"),
    migration!(3, "sharing", "0003_sharing.sql"),
    migration!(4, "merging", "0004_merging.sql"),
    migration!(5, "mail", "0005_mail.sql"),
    migration!(6, "answers", "0006_answers.sql"),
    migration!(7, "copies", "0007_copies.sql"),
    migration!(8, "server", "0008_server.sql"),
    migration!(9, "catalog_stamp", "0009_catalog_stamp.sql"),
];

/// Every statement of every module, by name, for the tests that hold them to the rules.
pub fn statements() -> Vec<(String, Sql)> {
    let modules = [
        ("access", access::STATEMENTS),
        ("catalog", catalog::STATEMENTS),
        ("carried", carried::STATEMENTS),
        ("check", check::STATEMENTS),
        ("check_contents", check_contents::STATEMENTS),
        ("check_rules", check_rules::STATEMENTS),
        ("check_stores", check_stores::STATEMENTS),
        ("comments", comments::STATEMENTS),
        ("copies", copies::STATEMENTS),
        ("editors", editors::STATEMENTS),
        ("erase", erase::STATEMENTS),
        ("export", export::STATEMENTS),
        ("guests", guests::STATEMENTS),
        ("item_changes", item_changes::STATEMENTS),
        ("items_at_hand", items_at_hand::STATEMENTS),
        ("items", items::STATEMENTS),
        ("list_mail", list_mail::STATEMENTS),
        ("lists", lists::STATEMENTS),
        ("mails", mails::STATEMENTS),
        ("moves", moves::STATEMENTS),
        ("once", once::STATEMENTS),
        ("recipients", recipients::STATEMENTS),
        ("share_links", share_links::STATEMENTS),
        ("login_secret", login_secret::STATEMENTS),
        ("merge", merge::STATEMENTS),
        ("shares", shares::STATEMENTS),
        ("merge_journal", merge_journal::STATEMENTS),
        ("merge_preview", merge_preview::STATEMENTS),
        ("server", server::STATEMENTS),
        ("shoppers", shoppers::STATEMENTS),
        ("social", social::STATEMENTS),
        ("stores", stores::STATEMENTS),
        ("subscriptions", subscriptions::STATEMENTS),
        ("unmerge", unmerge::STATEMENTS),
    ];
    let named = |(module, statements): (&str, &[(&str, Sql)])| -> Vec<(String, Sql)> {
        statements.iter().map(|(name, sql)| (format!("{module}::{name}"), *sql)).collect()
    };
    modules.into_iter().flat_map(named).collect()
}
