//! The store that a command is about.

use anyhow::{Context, ensure};
use clap::Args;
use wishbone_core::operator::Operator;
use wishbone_core::stores::admin::StoreAdmin;
use wishbone_core::stores::deletion::{ListDeletions, StoreDeletion};
use wishbone_core::stores::manage::ListStores;
use wishbone_core::stores::record::{FindStore, StoreRecord};
use wishbone_storage::Database;

use crate::cli::hint::hint;

#[derive(Args)]
pub(super) struct StoreArg {
    /// The store: its pid or its name, see `wishbone store list`
    #[arg(value_name = "STORE")]
    store: String,
}

/// A store, or what is left of one.
pub(super) enum FoundStore {
    Store(Box<StoreRecord>),
    Deleting(StoreDeletion),
}

impl FoundStore {
    /// The pid and the name.
    pub(super) fn names(&self) -> (&str, &str) {
        match self {
            Self::Store(store) => (&store.pid, &store.name),
            Self::Deleting(deletion) => (&deletion.pid, &deletion.name),
        }
    }
}

impl StoreArg {
    /// Finds the store by its pid, else by its name regardless of case.
    pub(super) async fn find(&self, database: &Database) -> anyhow::Result<StoreRecord> {
        if let Some(store) = database.read(FindStore { pid: self.store.trim().to_owned() }).await? {
            return Ok(store);
        }
        let stores = database.read(ListStores { by: Operator::of_this_machine() }).await?;
        self.choose(stores, |store| (&store.pid, &store.name))
    }

    /// Finds a store, also one that is being deleted.
    pub(super) async fn find_any(&self, database: &Database) -> anyhow::Result<FoundStore> {
        let by = Operator::of_this_machine();
        let stores = database.read(ListStores { by }).await?.into_iter().map(Box::new).map(FoundStore::Store);
        let deleting = database.read(ListDeletions { by }).await?.into_iter().map(FoundStore::Deleting);
        self.choose(stores.chain(deleting).collect(), FoundStore::names)
    }

    /// The operator, acting for the store.
    pub(super) async fn admin(&self, database: &Database) -> anyhow::Result<StoreAdmin> {
        Ok(StoreAdmin::by_operator(Operator::of_this_machine(), self.find(database).await?))
    }

    /// The one of the stores that is meant, given the pid and the name of each.
    fn choose<T>(&self, mut stores: Vec<T>, names: fn(&T) -> (&str, &str)) -> anyhow::Result<T> {
        let given = self.store.trim();
        if let Some(at) = stores.iter().position(|store| names(store).0 == given) {
            return Ok(stores.swap_remove(at));
        }
        stores.retain(|store| names(store).1.to_lowercase() == given.to_lowercase());
        let pids: Vec<&str> = stores.iter().map(|store| names(store).0).collect();
        ensure!(pids.len() < 2, "{} stores are named {given}: use the pid of one, {}", pids.len(), pids.join(" or "));
        stores.pop().with_context(|| format!("unknown store {given}: run `{}`", hint("store list")))
    }
}
