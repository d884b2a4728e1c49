//! The demo: a sample store with its pictures and start page.

pub mod catalogue;
mod drawings;
pub mod pictures;
pub mod fill;
pub mod page;
pub mod files;
