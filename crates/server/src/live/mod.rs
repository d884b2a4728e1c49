//! Live lists: streams of events that tell shoppers of changes of their lists.

pub(crate) mod events;
pub(crate) mod registry;
