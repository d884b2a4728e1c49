//! Direct connections to the workers of a Citus cluster. The worker that has the rows of a key runs statements about them
//! itself; through the coordinator, each would be planned twice. Any worker gives the right answer for any key, so a key
//! that was moved is only slower until it is looked up again.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::time::timeout;

use super::connection::PooledConnection;
use super::pool::{CITUS_VERSION, ConnectionPool};
use crate::error::{Error, Result};
use crate::options::Options;

/// The time after which the worker of a key is looked up again.
const LOOK_UP_INTERVAL: Duration = Duration::from_secs(60);
/// The time after which a worker that could not be reached is tried again. The coordinator may reach it nevertheless.
const UNREACHABLE_INTERVAL: Duration = Duration::from_secs(300);
/// The number of keys that use workers. Each has prepared statements of its own on each connection; operations on further
/// keys go through the coordinator.
const MAX_KEYS: usize = 32;

/// The worker that has the rows of a key, if it can plan statements itself. The function is volatile: without the `select`
/// it would run for every shard of every table.
const ADDRESS: &str = "
    select n.nodename, n.nodeport from pg_dist_placement p join pg_dist_node n on n.groupid = p.groupid
    where p.shardid = (select get_shard_id_for_distribution_column(to_regclass($1::text), $2::bigint))
      and n.groupid <> 0 and n.isactive and n.noderole = 'primary' and n.hasmetadata and n.metadatasynced";
const IS_DISTRIBUTED: &str =
    "select 1 from pg_dist_partition where logicalrelid = to_regclass($1::text) and partmethod = 'h'";

pub(super) struct Workers {
    url: String,
    options: Options,
    table: &'static str,
    known: Mutex<Known>,
}

#[derive(Default)]
struct Known {
    workers: Vec<Worker>,
    /// The index of the worker of each key, and when it was looked up. `None` is the coordinator.
    keys: HashMap<i64, (Instant, Option<usize>)>,
}

struct Worker {
    address: (String, u16),
    pool: Arc<ConnectionPool>,
    /// When it could not be reached.
    unreachable_since: Option<Instant>,
}

impl Workers {
    /// `None` unless the table is distributed.
    pub(super) async fn find(url: &str, coordinator: &ConnectionPool, options: &Options) -> Result<Option<Self>> {
        let Some((table, _)) = options.distributed_by else { return Ok(None) };
        let client = coordinator.get().await?;
        let is_distributed = client.query_opt(CITUS_VERSION, &[]).await?.is_some()
            && client.query_opt(IS_DISTRIBUTED, &[&table]).await?.is_some();
        // As many as the requests for one worker may use.
        let options = Options { pool_size: (options.pool_size / 2).max(1), ..options.clone() };
        Ok(is_distributed.then(|| Self { url: url.to_owned(), options, table, known: Mutex::default() }))
    }

    /// The connections to the worker of a key; `None` is the coordinator.
    pub(super) async fn of_key(&self, coordinator: &ConnectionPool, key: i64) -> Option<Arc<ConnectionPool>> {
        if let Some(known) = self.known().of_key(key) {
            return known;
        }
        match self.look_up(coordinator, key).await {
            Ok(index) => self.known().set(key, index),
            Err(error) => {
                tracing::debug!(%error, "the worker of a key could not be looked up");
                self.known().keep(key)
            }
        }
    }

    /// For some time uses the coordinator instead of a worker that could not be reached.
    pub(super) fn mark_unreachable(&self, pool: &Arc<ConnectionPool>) {
        let mut known = self.known();
        if let Some(worker) = known.workers.iter_mut().find(|worker| Arc::ptr_eq(&worker.pool, pool)) {
            tracing::warn!(worker = ?worker.address, "no connection to a worker: using the coordinator");
            worker.unreachable_since = Some(Instant::now());
        }
    }

    /// The index of the worker of a key.
    async fn look_up(&self, coordinator: &ConnectionPool, key: i64) -> Result<Option<usize>> {
        let connection = PooledConnection::for_read(coordinator.get().await?, None);
        let row = {
            let client = connection.client()?;
            timeout(self.options.statement_timeout, client.query_opt(ADDRESS, &[&self.table, &key])).await
        };
        let Ok(row) = row else {
            connection.close();
            return Err(Error::Timeout);
        };
        connection.release();
        let Some(row) = row? else { return Ok(None) };
        let index = self.known().index_of((row.try_get(0)?, row.try_get(1)?), |name, port| {
            ConnectionPool::of_worker(&self.url, (name, port), &self.options)
        })?;
        Ok(Some(index))
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Known {
    /// `None` if it must be looked up.
    fn of_key(&mut self, key: i64) -> Option<Option<Arc<ConnectionPool>>> {
        let is_current = |since: &Instant| since.elapsed() < LOOK_UP_INTERVAL;
        if let Some((since, index)) = self.keys.get(&key)
            && is_current(since)
        {
            return Some(index.and_then(|index| self.workers[index].pool()));
        }
        if self.keys.len() >= MAX_KEYS {
            self.keys.retain(|_, (since, _)| is_current(since));
        }
        (self.keys.len() >= MAX_KEYS).then_some(None)
    }

    fn set(&mut self, key: i64, index: Option<usize>) -> Option<Arc<ConnectionPool>> {
        self.keys.insert(key, (Instant::now(), index));
        index.and_then(|index| self.workers[index].pool())
    }

    /// Goes on with the worker that was known before: it is right, or knows which one is.
    fn keep(&mut self, key: i64) -> Option<Arc<ConnectionPool>> {
        let (_, index) = *self.keys.get(&key)?;
        self.set(key, index)
    }

    fn index_of(
        &mut self,
        (name, port): (String, i32),
        connect: impl FnOnce(&str, u16) -> Result<ConnectionPool>,
    ) -> Result<usize> {
        let address = (name, u16::try_from(port).map_err(Error::bug)?);
        if let Some(index) = self.workers.iter().position(|worker| worker.address == address) {
            return Ok(index);
        }
        let pool = Arc::new(connect(&address.0, address.1)?);
        self.workers.push(Worker { address, pool, unreachable_since: None });
        Ok(self.workers.len() - 1)
    }
}

impl Worker {
    /// `None` if it could not be reached lately.
    fn pool(&self) -> Option<Arc<ConnectionPool>> {
        let is_unreachable = self.unreachable_since.is_some_and(|at| at.elapsed() < UNREACHABLE_INTERVAL);
        (!is_unreachable).then(|| Arc::clone(&self.pool))
    }
}
