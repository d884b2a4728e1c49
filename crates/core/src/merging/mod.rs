//! Merging a guest into a shopper on login: plan, journal, merge, dry run and undo.

pub mod plan;
pub mod events;
pub mod journal;
pub mod union;
pub mod settle;
pub mod merge;
pub mod preview;
pub mod login;
pub mod detach;
pub mod restore;
pub mod undo;
