//! Invalidation keys: what a cached value depends on, and what a write changes.

use uuid::Uuid;
use wishbone_storage::InvalidationKey;

use crate::tokens::ShopperId;

pub(crate) fn shopper_key(store_id: i64, shopper: &ShopperId) -> InvalidationKey {
    InvalidationKey::new(store_id, &shopper.0)
}

pub(crate) fn list_key(store_id: i64, list_id: &Uuid) -> InvalidationKey {
    InvalidationKey::new(store_id, list_id.as_bytes())
}

pub(crate) fn variant_key(store_id: i64, variant_id: i64) -> InvalidationKey {
    InvalidationKey::new(store_id, &variant_id.to_be_bytes())
}

/// Invalidated by a change of the product fields of any variant.
pub(crate) fn catalog_key(store_id: i64) -> InvalidationKey {
    InvalidationKey::new(store_id, b"catalog")
}
