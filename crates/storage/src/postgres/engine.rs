//! The PostgreSQL engine.

use std::time::Duration;

use deadpool_postgres::Object;
use tokio::time::timeout;

use super::connection::{Held, PooledConnection};
use super::migrate::migrate;
use super::pool::ConnectionPool;
use super::retry::Attempts;
use super::tx::{PostgresTx, WriteContext};
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
    pool: ConnectionPool,
    statement_timeout: Duration,
    fail_first_attempt: bool,
    fail_point: FailPoint,
}

impl Postgres {
    pub(crate) async fn open(url: &str, migrations: &[Migration], options: &Options) -> Result<Self> {
        let pool = ConnectionPool::new(url, options)?;
        let mut client = pool.get().await?;
        migrate(&mut client, migrations).await?;
        drop(client);
        Ok(Self {
            pool,
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
        loop {
            let client = match self.pool.get().await {
                Ok(client) => client,
                Err(failure) => {
                    attempts.retry_after(failure).await?;
                    continue;
                }
            };
            let connection = PooledConnection::for_read(client, held.take());
            let mut tx = PostgresTx::new(connection.client()?, begin, statement_timeout);
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
                Some(failure) => attempts.retry_after(failure).await?,
            }
        }
    }

    pub(crate) async fn write<W: Write>(&self, operation: &W) -> std::result::Result<W::Out, W::Error> {
        let begin = if W::SERIALIZABLE { BEGIN_SERIALIZABLE_WRITE } else { BEGIN_WRITE };
        let context = WriteContext {
            is_serializable: W::SERIALIZABLE,
            incomplete_commits: self.pool.incomplete_commits(),
            fail_point: &self.fail_point,
        };
        let mut attempts = Attempts::new(W::NAME);
        let mut inject_conflict = self.fail_first_attempt;
        loop {
            let connection = match self.pool.get_for_write().await {
                Ok(connection) => PooledConnection::for_write(connection),
                Err(failure) => {
                    attempts.retry_after(failure).await?;
                    continue;
                }
            };
            let tx = PostgresTx::new(connection.client()?, Some(begin), Some(self.statement_timeout));
            let mut tx = tx.writing(context);
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
            match outcome {
                Ok(out) => return out,
                Err(failure @ Error::OutcomeUnknown(_)) if !W::IDEMPOTENT => return Err(failure.into()),
                Err(failure) => attempts.retry_after(failure).await?,
            }
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
