//! Items: reading them (pages, contents, the newest of every list) and changing them.

pub mod encode;
pub mod page;
pub mod contents;
pub mod fetch_lists;
pub mod input;
pub mod working_set;
pub mod change;
pub mod move_items;
