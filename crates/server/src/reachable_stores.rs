//! The stores that jobs serve. While a part of a sharded database is unreachable, these are the stores of the rest.

use std::time::{Duration, Instant};

use futures_util::{StreamExt, stream};
use tokio::sync::Mutex;
use tokio::time::timeout;
use wishbone_core::error::Result;
use wishbone_core::moment::Millis;
use wishbone_core::operator::Operator;
use wishbone_core::stores::work::{FindStores, FindStoresWithWork, ProbeStore, Work};
use wishbone_storage::{Database, Error};

/// How long jobs serve only the stores that could be reached, before they try all of them again.
const PROBE_INTERVAL: Duration = Duration::from_secs(30);
/// The time in which the shard of a store responds to a probe.
const PROBE_TIMEOUT: Duration = Duration::from_secs(1);
/// Probes at the same time.
const PROBES: usize = 4;

/// The stores that could be reached when others could not, and when that was.
#[derive(Default)]
pub(crate) struct ReachableStores(Mutex<Option<(Instant, Vec<i64>)>>);

impl ReachableStores {
    /// Returns the stores with work of a kind. While a shard is unreachable, returns all stores of the others.
    pub(crate) async fn with_work(&self, database: &Database, work: Work, now: Millis) -> Result<Vec<i64>> {
        let mut reachable = self.0.lock().await;
        if let Some((since, stores)) = &*reachable
            && since.elapsed() < PROBE_INTERVAL
        {
            return Ok(stores.clone());
        }
        let by = Operator::of_this_machine();
        match database.read(FindStoresWithWork { by, work, now }).await {
            Ok(stores) => {
                if reachable.take().is_some() {
                    tracing::info!("all shards of the database can be reached again");
                }
                Ok(stores)
            }
            Err(error @ (Error::ShardUnavailable(_) | Error::Timeout)) => {
                let all = database.read(FindStores { by }).await?;
                let stores = probe(database, &all).await;
                let unreachable = all.len() - stores.len();
                tracing::warn!(%error, unreachable, "a shard of the database cannot be reached: jobs serve the other stores");
                *reachable = Some((Instant::now(), stores.clone()));
                Ok(stores)
            }
            Err(error) => Err(error.into()),
        }
    }
}

/// Returns those of the stores whose shard responds.
async fn probe(database: &Database, stores: &[i64]) -> Vec<i64> {
    let by = Operator::of_this_machine();
    let probes = stream::iter(stores.iter().copied()).map(|store_id| async move {
        let response = timeout(PROBE_TIMEOUT, database.read(ProbeStore { by, store_id })).await;
        matches!(response, Ok(Ok(()))).then_some(store_id)
    });
    probes.buffered(PROBES).filter_map(std::future::ready).collect().await
}
