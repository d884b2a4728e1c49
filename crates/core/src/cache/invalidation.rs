//! Invalidation keys: what a cached value depends on, and what a write changes.
//!
//! A cached caller has the store's record and the shopper's profile. A cached page has its list's record and items, the
//! profile of the list's owner, product fields and availability, which depends on a setting in the store's record.

use uuid::Uuid;
use wishbone_storage::{CachedTable, InvalidationKey, Result, Row};

use crate::decode::uuid;
use crate::tokens::ShopperId;

/// Invalidated by a change of the store's record.
pub(crate) fn store_key(store_id: i64) -> InvalidationKey {
    InvalidationKey::new(store_id, b"store")
}

pub(crate) fn shopper_key(store_id: i64, shopper: &ShopperId) -> InvalidationKey {
    InvalidationKey::new(store_id, &shopper.0)
}

pub(crate) fn list_key(store_id: i64, list_id: &Uuid) -> InvalidationKey {
    InvalidationKey::new(store_id, list_id.as_bytes())
}

pub(crate) fn variant_key(store_id: i64, variant_id: i64) -> InvalidationKey {
    InvalidationKey::new(store_id, &variant_id.to_be_bytes())
}

/// Invalidated by a change of what items show of any variant.
pub(crate) fn catalog_key(store_id: i64) -> InvalidationKey {
    InvalidationKey::new(store_id, b"catalog")
}

/// What a write must declare when it changes a row of these tables, as tests check.
pub const CACHED_TABLES: &[CachedTable] = &[
    CachedTable {
        name: "stores",
        key: &["store_id"],
        keys: |row| Ok(vec![store_key(row.int(0)?)]),
        uncached: &["updated_at", "login_secret", "previous_key_hash", "previous_key_until", "sms_auth"],
    },
    CachedTable {
        name: "shoppers",
        key: &["store_id", "shopper_id"],
        keys: key_of_shopper,
        uncached: &[
            "list_count",
            "next_list",
            "next_subscription",
            "language",
            "region",
            "device_epoch",
            "alert_digest",
            "alerted_at",
            "untouched_since",
            "reminded_at",
        ],
    },
    // A caller may be authenticated by a session of the former guest.
    CachedTable { name: "guest_sessions", key: &["store_id", "shopper_id"], keys: key_of_shopper, uncached: &[] },
    CachedTable {
        name: "lists",
        key: &["store_id", "list_id"],
        keys: key_of_list,
        uncached: &["ordinal", "next_seq", "merged", "wished_by"],
    },
    CachedTable { name: "items", key: &["store_id", "list_id"], keys: key_of_list, uncached: &[] },
    // A page that shows an editor is not cached: who it is does not matter.
    CachedTable { name: "editors", key: &["store_id", "list_id"], keys: key_of_list, uncached: &["shopper_id"] },
    CachedTable {
        name: "products",
        key: &["store_id", "variant_id"],
        keys: |row| Ok(vec![variant_key(row.int(0)?, row.int(1)?), catalog_key(row.int(0)?)]),
        uncached: &[
            "product_id",
            "url",
            "price",
            "title_key",
            // Availability depends on it, but most changes leave that as it is.
            "stock",
            "was_in_stock",
            "updated_at",
        ],
    },
];

fn key_of_shopper(row: &dyn Row) -> Result<Vec<InvalidationKey>> {
    Ok(vec![shopper_key(row.int(0)?, &ShopperId::from_slice(row.blob(1)?)?)])
}

fn key_of_list(row: &dyn Row) -> Result<Vec<InvalidationKey>> {
    Ok(vec![list_key(row.int(0)?, &uuid(row, 1)?)])
}

/// The other tables: no cached value depends on them.
pub const UNCACHED_TABLES: &[&str] = &[
    "alert_events",
    "comments",
    "copies",
    "deleted_lists",
    "idempotent_responses",
    "list_stamps",
    "mail_templates",
    "mail_texts",
    "mails",
    "merge_steps",
    "merged_comments",
    "merged_items",
    "merged_lists",
    "merged_parts",
    "merges",
    "message_counters",
    "recipients",
    "refused_topics",
    "schema_versions",
    "server",
    "share_links",
    "shares",
    "signing_keys",
    "store_states",
    "subscriptions",
    "undos",
    "unions",
    "webhook_deliveries",
    "webhook_events",
    "webhook_queues",
    "webhooks",
    "wish_transfers",
    "wishes",
];
