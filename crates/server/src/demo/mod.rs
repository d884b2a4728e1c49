//! The demo: a believable store, its pictures and its start page, all made here.

pub mod catalogue;
mod drawings;
pub mod pictures;
pub mod fill;
pub mod page;
pub mod files;
