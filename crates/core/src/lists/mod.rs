//! Lists: row, access, records, cursors, and every operation on a list as a whole.

pub mod row;
pub mod item_members;
pub mod changes;
pub mod access;
pub mod editors;
pub mod view;
pub mod events;
pub mod cursor;
pub mod create;
pub mod update;
pub mod wishes;
pub mod copy;
pub mod merge_journal;
pub mod duplicate;
pub mod delete;
pub mod save_for_later;
pub mod fetch;
pub mod live;
