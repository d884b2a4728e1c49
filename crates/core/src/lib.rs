//! Wishbone without HTTP: every operation of the product, written once for all storage engines.
//!
//! Modules are declared in dependency order: a module imports only from those declared before it, which a guard test
//! enforces. `rustfmt.toml` therefore leaves `mod` lines in their order.

/// Declares the statements of a module, and a list of them for [`registry::statements`].
macro_rules! statements {
    ($($vis:vis $name:ident = $sql:expr;)*) => {
        $($vis const $name: wishbone_storage::Sql = wishbone_storage::Sql::new($sql);)*
        pub(crate) const STATEMENTS: &[(&str, wishbone_storage::Sql)] = &[$((stringify!($name), $name)),*];
    };
}

pub mod error;
pub mod moment;
pub mod json;
pub mod json_parts;
mod decode;
mod attempts;
pub mod tokens;
pub mod operator;
pub mod stores;
pub mod identity;
pub mod idempotency;
pub mod webhooks;
pub mod encrypted_secrets;
pub mod catalog;
pub mod lists;
pub mod items;
pub mod sharing;
pub mod mail;
pub mod subscriptions;
pub mod alerts;
pub mod merging;
pub mod privacy;
pub mod integrity;
pub mod registry;
