//! Merging a guest into a shopper on login: plan, journal, merge, dry run and undo.

pub mod plan;
pub mod events;
pub mod journal;
pub mod union;
pub mod pending;
pub mod belongings;
pub mod merge_steps;
pub mod merge;
pub mod preview;
pub mod recorded_list;
pub mod detach;
pub mod restore;
pub mod undo;
pub mod undo_steps;
pub mod settle;
pub mod login;
