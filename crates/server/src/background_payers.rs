//! Who pays for what is written, or is refunded for what is deleted, in the background: by list.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use uuid::Uuid;

use crate::write_quotas::Payer;

/// Lists after which all are forgotten, which costs refunds only: what is written in the background was charged before.
const MANY: usize = 10_000;

#[derive(Default)]
pub(crate) struct BackgroundPayers(Mutex<HashMap<Uuid, Payer>>);

impl BackgroundPayers {
    pub(crate) fn insert(&self, list: Uuid, payer: Payer) {
        let mut payers = self.lock();
        if payers.len() >= MANY {
            payers.clear();
        }
        payers.insert(list, payer);
    }

    pub(crate) fn get(&self, list: Uuid) -> Option<Payer> {
        self.lock().get(&list).cloned()
    }

    pub(crate) fn remove(&self, list: Uuid) -> Option<Payer> {
        self.lock().remove(&list)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Uuid, Payer>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
