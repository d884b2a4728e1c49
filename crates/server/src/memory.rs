//! What this process keeps in memory of what it read, where it can know who writes.

use std::sync::Arc;

use wishbone_core::caller::Shopper;
use wishbone_core::kept::{Askings, Kept};
use wishbone_store::{Changes, Since};

use crate::http::kept_pages::{KeptPage, Question};

/// How many bytes of product words there may be.
pub(crate) const WORDS: usize = 64 << 20;
/// How many bytes of each other kind there may be, and how many one takes, about.
const CALLERS: (usize, usize) = (8 << 20, 1 << 10);
const PAGES: (usize, usize) = (32 << 20, 32 << 10);

pub(crate) struct Memory {
    changes: Arc<Changes>,
    callers: Kept<Shopper>,
    pages: Kept<KeptPage>,
    asked: Askings,
}

impl Memory {
    pub(crate) fn new(changes: &Arc<Changes>) -> Self {
        Self {
            changes: Arc::clone(changes),
            callers: Kept::new(changes, CALLERS.0, CALLERS.1),
            pages: Kept::new(changes, PAGES.0, PAGES.1),
            asked: Askings::new(PAGES.0 / PAGES.1),
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

impl Memories<'_> {
    pub(crate) fn callers(&self) -> &Kept<Shopper> {
        &self.memory.callers
    }

    pub(crate) fn pages(&self) -> &Kept<KeptPage> {
        &self.memory.pages
    }

    /// Whether this page was asked for of late.
    pub(crate) fn is_asked_again(&self, question: &Question) -> bool {
        self.memory.asked.again(question)
    }
}
