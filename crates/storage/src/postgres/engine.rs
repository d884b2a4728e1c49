//! The PostgreSQL engine.

use std::sync::Arc;
use std::time::Duration;

use deadpool_postgres::Object;
use tokio::time::timeout;

use super::connection::{Held, PooledConnection};
use super::literal::ShardKey;
use super::migrate::migrate;
use super::pool::ConnectionPool;
use super::retry::Attempts;
use super::tx::{PostgresTx, State, WriteContext};
use super::workers::Workers;
use crate::error::{Error, Result};
use crate::fail_point::FailPoint;
use crate::migration::Migration;
use crate::operation::{Read, Write};
use crate::options::Options;

const BEGIN_READ: &str = "begin isolation level repeatable read, read only";
const BEGIN_LONG_READ: &str = "begin isolation level repeatable read, read only; set local statement_timeout = 0";
const BEGIN_WRITE: &str = "begin isolation level read committed";
const BEGIN_SERIALIZABLE_WRITE: &str = "begin isolation level serializable";

pub struct Postgres {
    pool: Arc<ConnectionPool>,
    workers: Option<Workers>,
    /// The column that keys are values of.
    key_column: &'static str,
    statement_timeout: Duration,
    fail_first_attempt: bool,
    fail_point: FailPoint,
}

/// The connections that an operation uses.
struct Route {
    pool: Arc<ConnectionPool>,
    /// Of an operation that runs on a worker.
    key: Option<ShardKey>,
}

impl Postgres {
    pub(crate) async fn open(url: &str, migrations: &[Migration], options: &Options) -> Result<Self> {
        let pool = ConnectionPool::new(url, options)?;
        let mut client = pool.get().await?;
        migrate(&mut client, migrations).await?;
        drop(client);
        let workers = Workers::find(url, &pool, options).await?;
        Ok(Self {
            pool: Arc::new(pool),
            workers,
            key_column: options.distributed_by.map_or("", |(_, column)| column),
            statement_timeout: options.statement_timeout,
            fail_first_attempt: options.fail_first_attempt,
            fail_point: options.fail_point.clone(),
        })
    }

    pub(crate) async fn read<R: Read>(&self, operation: &R) -> std::result::Result<R::Out, R::Error> {
        self.read_in(operation, (!R::SINGLE_STATEMENT).then_some(BEGIN_READ), None).await
    }

    pub(crate) async fn read_long<R: Read>(
        &self,
        held: impl Send + 'static,
        operation: &R,
    ) -> std::result::Result<R::Out, R::Error> {
        self.read_in(operation, Some(BEGIN_LONG_READ), Some(Box::new(held))).await
    }

    async fn read_in<R: Read>(
        &self,
        operation: &R,
        begin: Option<&'static str>,
        mut held: Option<Held>,
    ) -> std::result::Result<R::Out, R::Error> {
        let statement_timeout = held.is_none().then_some(self.statement_timeout);
        let mut attempts = Attempts::new(R::NAME);
        let mut skips_transaction = !operation.needs_snapshot();
        loop {
            let route = self.route(operation.shard_key()).await;
            let client = match route.pool.get().await {
                Ok(client) => client,
                Err(failure) => {
                    self.mark_unreachable(&route, &failure);
                    attempts.retry_after(failure).await?;
                    continue;
                }
            };
            let connection = PooledConnection::for_read(client, held.take());
            let state = match begin {
                _ if std::mem::take(&mut skips_transaction) => State::NoTransaction,
                Some(begin) => State::NotBegun(begin),
                None => State::SingleStatement,
            };
            let mut tx = PostgresTx::new(connection.client()?, state, statement_timeout).for_key(route.key);
            let out = operation.run(&mut tx).await;
            let failure = tx.failure.take().filter(|_| out.is_err());
            let is_unresponsive = tx.is_unresponsive;
            drop(tx);
            match is_unresponsive {
                true => connection.close(),
                false => held = connection.release(),
            }
            match failure {
                None => return out,
                Some(failure) => {
                    self.mark_unreachable(&route, &failure);
                    attempts.retry_after(failure).await?;
                }
            }
        }
    }

    pub(crate) async fn write<W: Write>(&self, operation: &W) -> std::result::Result<W::Out, W::Error> {
        let begin = if W::SERIALIZABLE { BEGIN_SERIALIZABLE_WRITE } else { BEGIN_WRITE };
        let mut attempts = Attempts::new(W::NAME);
        let mut inject_conflict = self.fail_first_attempt;
        loop {
            let route = self.route(operation.shard_key()).await;
            let connection = match route.pool.get_for_write().await {
                Ok(connection) => PooledConnection::for_write(connection),
                Err(failure) => {
                    self.mark_unreachable(&route, &failure);
                    attempts.retry_after(failure).await?;
                    continue;
                }
            };
            let context = WriteContext {
                is_serializable: W::SERIALIZABLE,
                needs_custom_insert_plans: route.pool.needs_custom_insert_plans(),
                incomplete_commits: route.pool.incomplete_commits(),
                fail_point: &self.fail_point,
            };
            let tx = PostgresTx::new(connection.client()?, State::NotBegun(begin), Some(self.statement_timeout));
            let mut tx = tx.for_key(route.key).writing(context);
            let out = operation.run(&mut tx).await;
            let outcome = match (tx.failure.take(), out) {
                (Some(failure), _) => Err(failure),
                (None, _) if std::mem::take(&mut inject_conflict) => Err(Error::Conflict),
                (None, Err(error)) => Ok(Err(error)),
                (None, Ok(out)) => tx.commit().await.map(|()| Ok(out)),
            };
            let is_unresponsive = tx.is_unresponsive;
            drop(tx);
            // Before the pause between two attempts.
            match is_unresponsive {
                true => connection.close(),
                false => drop(connection.release()),
            }
            if let Err(failure) = &outcome {
                self.mark_unreachable(&route, failure);
            }
            match outcome {
                Ok(out) => return out,
                Err(failure @ Error::OutcomeUnknown(_)) if !W::IDEMPOTENT => return Err(failure.into()),
                Err(failure) => attempts.retry_after(failure).await?,
            }
        }
    }

    /// The worker of a key, if it is known and can be reached; otherwise the coordinator, or the only server.
    async fn route(&self, key: Option<i64>) -> Route {
        if let (Some(workers), Some(value)) = (&self.workers, key)
            && let Some(pool) = workers.of_key(&self.pool, value).await
        {
            return Route { pool, key: Some(ShardKey { column: self.key_column, value }) };
        }
        Route { pool: Arc::clone(&self.pool), key: None }
    }

    /// After a failure of a worker, uses the coordinator, which knows whether the rows can be reached in another way.
    fn mark_unreachable(&self, route: &Route, failure: &Error) {
        let is_lost = matches!(failure, Error::Unavailable(_) | Error::OutcomeUnknown(_));
        if let (Some(workers), Some(_), true) = (&self.workers, route.key, is_lost) {
            workers.mark_unreachable(&route.pool);
        }
    }

    pub(crate) async fn ping(&self) -> Result<()> {
        let connection = PooledConnection::for_read(self.client().await?, None);
        let response = timeout(self.statement_timeout, connection.client()?.batch_execute("select 1")).await;
        let Ok(response) = response else {
            connection.close();
            return Err(Error::Timeout);
        };
        connection.release();
        Ok(response?)
    }

    /// Does nothing: vacuuming is left to the server and its operator.
    pub(crate) fn purge_deleted(&self) -> Result<bool> {
        Ok(true)
    }

    pub(super) async fn client(&self) -> Result<Object> {
        self.pool.get().await
    }
}
