//! The caches of a process that sees every write of its database.

use std::sync::Arc;

use wishbone_core::cache::versioned::VersionedCache;
use wishbone_core::identity::caller::Shopper;
use wishbone_storage::{ChangeTracker, ReadVersion};

use crate::cache::pages::PageCache;

/// Size of the product cache in bytes.
pub(crate) const PRODUCT_CACHE: usize = 48 << 20;
/// Size of the cache of authenticated callers in bytes. A miss costs a read.
const CALLER_CACHE: usize = 64 << 20;
/// Typical size of a caller in bytes.
const CALLER: usize = 1 << 10;

pub(crate) struct Caches {
    tracker: Arc<ChangeTracker>,
    pub(crate) callers: VersionedCache<Shopper>,
    /// `None` if pages are not cached.
    pub(crate) pages: Option<PageCache>,
}

impl Caches {
    pub(crate) fn new(tracker: &Arc<ChangeTracker>, page_bytes: usize) -> Self {
        Self {
            tracker: Arc::clone(tracker),
            callers: VersionedCache::new(tracker, CALLER_CACHE, CALLER),
            pages: PageCache::new(tracker, page_bytes),
        }
    }

    /// The version of data read from now on. `None` after a write by another process until the caches are invalidated:
    /// until then they must not be used.
    pub(crate) fn read_version(&self) -> Option<ReadVersion> {
        self.tracker.read_version()
    }
}
