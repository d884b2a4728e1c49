//! What this process keeps in memory of what it read, where it can know who writes.

use std::sync::Arc;

use wishbone_core::caller::{SharedStores, Shopper};
use wishbone_core::kept::Kept;
use wishbone_store::{Changes, Since};

use crate::http::kept_pages::KeptPages;

/// How many bytes of product words there may be.
pub(crate) const WORDS: usize = 48 << 20;
/// How many bytes of callers there may be, and how many one takes, about. Who is not among them proves anew who they are,
/// with a look into the database.
const CALLERS: (usize, usize) = (64 << 20, 1 << 10);

pub(crate) struct Memory {
    changes: Arc<Changes>,
    callers: Kept<Shopper>,
    stores: SharedStores,
    /// If any are to be kept.
    pages: Option<KeptPages>,
}

impl Memory {
    pub(crate) fn new(changes: &Arc<Changes>, page_bytes: usize) -> Self {
        Self {
            changes: Arc::clone(changes),
            callers: Kept::new(changes, CALLERS.0, CALLERS.1),
            stores: SharedStores::default(),
            pages: KeptPages::new(changes, page_bytes),
        }
    }

    /// For one request: what is trusted is as it was now, or newer.
    pub(crate) fn now(&self) -> Option<Memories<'_>> {
        self.changes.now().map(|since| Memories { memory: self, since })
    }
}

/// The memory as one request sees it.
#[derive(Clone, Copy)]
pub(crate) struct Memories<'a> {
    memory: &'a Memory,
    /// Whatever is read from now on is at least this new.
    pub(crate) since: Since,
}

impl<'a> Memories<'a> {
    pub(crate) fn callers(&self) -> &'a Kept<Shopper> {
        &self.memory.callers
    }

    pub(crate) fn stores(&self) -> &'a SharedStores {
        &self.memory.stores
    }

    pub(crate) fn pages(&self) -> Option<&'a KeptPages> {
        self.memory.pages.as_ref()
    }
}
