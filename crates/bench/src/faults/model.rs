//! The expected data of a shopper.

use std::collections::BTreeSet;

/// The number of variants that a worker uses for random items. Those above fill long lists.
pub(crate) const SMALL_VARIANTS: i64 = 300;
/// Distinct ranges of variants: on shared lists, each worker verifies only its own.
pub(crate) const VARIANTS_PER_WORKER: i64 = 1_000_000;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Item {
    pub(crate) epi: i64,
    pub(crate) qty: i64,
    pub(crate) note: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Own,
    SaveForLater,
    /// A shopper's own list that others write to.
    Shared,
    /// Another shopper's list, accessed by the key of a share link.
    Foreign,
}

#[derive(Clone, Debug)]
pub(crate) struct List {
    /// Unknown until the server has returned it.
    pub(crate) lid: Option<String>,
    pub(crate) name: String,
    pub(crate) kind: Kind,
    /// In order of addition.
    pub(crate) items: Vec<Item>,
    /// False after items were moved here, because they keep their time of addition.
    pub(crate) is_ordered: bool,
    /// The version in the last response; `None` if other clients or background jobs may have changed it.
    pub(crate) version: Option<i64>,
    /// True while a background job copies items to it.
    pub(crate) is_copying: bool,
}

impl List {
    pub(crate) fn new(name: String, kind: Kind) -> Self {
        Self { lid: None, name, kind, items: Vec::new(), is_ordered: true, version: None, is_copying: false }
    }

    pub(crate) fn has(&self, epi: i64) -> bool {
        self.items.iter().any(|item| item.epi == epi)
    }

    /// Adds an item; an existing one keeps its position.
    pub(crate) fn add(&mut self, added: &Item) {
        match self.items.iter_mut().find(|item| item.epi == added.epi) {
            Some(item) => *item = added.clone(),
            None => self.items.push(added.clone()),
        }
    }

    pub(crate) fn update(&mut self, changed: &Item) {
        if let Some(item) = self.items.iter_mut().find(|item| item.epi == changed.epi) {
            *item = changed.clone();
        }
    }

    pub(crate) fn remove(&mut self, epi: i64) -> Option<Item> {
        let position = self.items.iter().position(|item| item.epi == epi)?;
        Some(self.items.remove(position))
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Shopper {
    /// `None` for guests.
    pub(crate) email: Option<String>,
    pub(crate) regid: String,
    pub(crate) sessionid: String,
    pub(crate) lists: Vec<List>,
    /// Variants with a back-in-stock subscription.
    pub(crate) subscriptions: BTreeSet<i64>,
}
