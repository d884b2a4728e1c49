//! The demo: a sample store with its pictures, and a small shop in front of it.

pub mod catalogue;
mod drawings;
pub mod pictures;
pub mod fill;
pub mod shop;
pub mod files;
pub mod page;
