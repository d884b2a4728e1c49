//! Items: reading (pages, contents, the newest of every list), changing and moving them.

pub mod encode;
pub mod page;
pub mod contents;
pub mod fetch_lists;
pub mod input;
pub mod working_set;
pub mod change;
pub mod move_items;
