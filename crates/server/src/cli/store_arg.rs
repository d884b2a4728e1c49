//! The store that a command is about.

use anyhow::{Context, ensure};
use clap::Args;
use wishbone_core::operator::Operator;
use wishbone_core::stores::admin::StoreAdmin;
use wishbone_core::stores::manage::ListStores;
use wishbone_core::stores::record::{FindStore, StoreRecord};
use wishbone_storage::Database;

#[derive(Args)]
pub(super) struct StoreArg {
    /// The store: its pid or its name, see `wishbone store list`
    #[arg(value_name = "STORE")]
    store: String,
}

impl StoreArg {
    /// Finds the store by its pid, else by its name regardless of case.
    pub(super) async fn find(&self, database: &Database) -> anyhow::Result<StoreRecord> {
        let given = self.store.trim();
        if let Some(store) = database.read(FindStore { pid: given.to_owned() }).await? {
            return Ok(store);
        }
        let mut stores = database.read(ListStores { by: Operator::of_this_machine() }).await?;
        stores.retain(|store| store.name.to_lowercase() == given.to_lowercase());
        let pids: Vec<&str> = stores.iter().map(|store| &*store.pid).collect();
        ensure!(pids.len() < 2, "{} stores are named {given}: use the pid of one, {}", pids.len(), pids.join(" or "));
        stores.pop().with_context(|| format!("unknown store {given}: run `wishbone store list`"))
    }

    /// The operator, acting for the store.
    pub(super) async fn admin(&self, database: &Database) -> anyhow::Result<StoreAdmin> {
        Ok(StoreAdmin::by_operator(Operator::of_this_machine(), self.find(database).await?))
    }
}
