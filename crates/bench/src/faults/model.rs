//! What a shopper must have, if the server keeps its word.

use std::collections::BTreeSet;

/// Variants below this number, counted from a worker's first, are drawn at random; those above fill long lists.
pub(crate) const SMALL: i64 = 300;
/// The variants of one worker; on lists that several write to, each looks after its own.
pub(crate) const OF_A_WORKER: i64 = 1_000_000;

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
    /// Others write to it too.
    Shared,
    /// Somebody else's, reached by the key of a link.
    Foreign,
}

#[derive(Clone, Debug)]
pub(crate) struct List {
    /// Not known while nobody has told.
    pub(crate) lid: Option<String>,
    pub(crate) name: String,
    pub(crate) kind: Kind,
    /// In the order in which they were added.
    pub(crate) items: Vec<Item>,
    /// False once items came from another list, which keep their place in time.
    pub(crate) is_ordered: bool,
    /// As the last answer told it; `None` where others, or background work, may have raised it.
    pub(crate) version: Option<i64>,
    /// Background work fills it.
    pub(crate) is_copying: bool,
}

impl List {
    pub(crate) fn new(name: String, kind: Kind) -> Self {
        Self { lid: None, name, kind, items: Vec::new(), is_ordered: true, version: None, is_copying: false }
    }

    pub(crate) fn has(&self, epi: i64) -> bool {
        self.items.iter().any(|item| item.epi == epi)
    }

    /// Adding what is there keeps its place.
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
        let place = self.items.iter().position(|item| item.epi == epi)?;
        Some(self.items.remove(place))
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Person {
    /// A guest has none.
    pub(crate) email: Option<String>,
    pub(crate) regid: String,
    pub(crate) sessionid: String,
    pub(crate) lists: Vec<List>,
    /// Variants that the shopper waits for.
    pub(crate) subscriptions: BTreeSet<i64>,
}
