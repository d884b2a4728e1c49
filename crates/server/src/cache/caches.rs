//! The caches of a process that sees every write of its database.

use std::sync::Arc;

use wishbone_core::cache::versioned::VersionedCache;
use wishbone_core::identity::caller::{SharedStores, Shopper};
use wishbone_storage::{ChangeTracker, ReadVersion};

use crate::cache::pages::PageCache;

/// Bytes of product fields.
pub(crate) const PRODUCTS: usize = 48 << 20;
/// Bytes of authenticated callers, and of one of them, about. A caller who is not cached costs a read.
const CALLERS: (usize, usize) = (64 << 20, 1 << 10);

pub(crate) struct Caches {
    tracker: Arc<ChangeTracker>,
    pub(crate) callers: VersionedCache<Shopper>,
    pub(crate) stores: SharedStores,
    /// `None` if pages are not cached.
    pub(crate) pages: Option<PageCache>,
}

impl Caches {
    pub(crate) fn new(tracker: &Arc<ChangeTracker>, page_bytes: usize) -> Self {
        Self {
            tracker: Arc::clone(tracker),
            callers: VersionedCache::new(tracker, CALLERS.0, CALLERS.1),
            stores: SharedStores::default(),
            pages: PageCache::new(tracker, page_bytes),
        }
    }

    /// The version of whatever is read from now on. `None` while another process has written and this one has not yet
    /// taken note: then no cached value may be used.
    pub(crate) fn read_version(&self) -> Option<ReadVersion> {
        self.tracker.read_version()
    }
}
