//! Checks of a whole database, for `wishbone check`.

pub mod fault;
pub mod rules;
pub mod stores;
pub mod enumerated;
pub mod contents;
pub mod check;
