//! In-memory caches: invalidation keys, the admission filter, the versioned cache, the product cache and compact pages.

pub mod invalidation;
pub mod admission;
pub mod versioned;
pub mod products;
pub mod compact_page;
