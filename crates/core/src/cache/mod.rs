//! In-memory caches: invalidation keys, the admission filter, the versioned cache, and the product cache.

pub mod invalidation;
pub mod admission;
pub mod versioned;
pub mod products;
