//! The PostgreSQL engine.

use deadpool_postgres::{Object, Pool};

use super::migrate::migrate;
use super::pool::{self, PooledConnection};
use super::retry::Attempts;
use super::tx::PostgresTx;
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
    pool: Pool,
    fail_first_attempt: bool,
    fail_point: FailPoint,
}

impl Postgres {
    pub(crate) async fn open(url: &str, migrations: &[Migration], options: &Options) -> Result<Self> {
        let pool = pool::build(url, options)?;
        let mut client = pool.get().await?;
        migrate(&mut client, migrations).await?;
        drop(client);
        Ok(Self { pool, fail_first_attempt: options.fail_first_attempt, fail_point: options.fail_point.clone() })
    }

    pub(crate) async fn read<R: Read>(&self, operation: &R) -> std::result::Result<R::Out, R::Error> {
        self.read_in(operation, (!R::SINGLE_STATEMENT).then_some(BEGIN_READ)).await
    }

    pub(crate) async fn read_long<R: Read>(&self, operation: &R) -> std::result::Result<R::Out, R::Error> {
        self.read_in(operation, Some(BEGIN_LONG_READ)).await
    }

    async fn read_in<R: Read>(
        &self,
        operation: &R,
        begin: Option<&'static str>,
    ) -> std::result::Result<R::Out, R::Error> {
        let mut attempts = Attempts::new(R::NAME);
        loop {
            let connection = PooledConnection::new(self.client().await?);
            let mut tx = PostgresTx::new(connection.client()?, begin);
            let out = operation.run(&mut tx).await;
            let failure = tx.failure.take().filter(|_| out.is_err());
            drop(tx);
            connection.release();
            match failure {
                None => return out,
                Some(failure) => attempts.retry_after(failure).await?,
            }
        }
    }

    pub(crate) async fn write<W: Write>(&self, operation: &W) -> std::result::Result<W::Out, W::Error> {
        let begin = if W::SERIALIZABLE { BEGIN_SERIALIZABLE_WRITE } else { BEGIN_WRITE };
        let mut attempts = Attempts::new(W::NAME);
        let mut inject_conflict = self.fail_first_attempt;
        loop {
            let client = self.client().await.map_err(|failure| attempts.final_error(failure))?;
            let connection = PooledConnection::new(client);
            let mut tx = PostgresTx::new(connection.client()?, Some(begin)).with_fail_point(&self.fail_point);
            let out = operation.run(&mut tx).await;
            let outcome = match (tx.failure.take(), out) {
                (Some(failure), _) => Err(failure),
                (None, _) if std::mem::take(&mut inject_conflict) => Err(Error::Conflict),
                (None, Err(error)) => Ok(Err(error)),
                (None, Ok(out)) => tx.commit().await.map(|()| Ok(out)),
            };
            drop(tx);
            // Released before the pause between two attempts.
            connection.release();
            match outcome {
                Ok(out) => return out,
                Err(failure @ Error::OutcomeUnknown(_)) if !W::IDEMPOTENT => return Err(failure.into()),
                Err(failure) => attempts.retry_after(failure).await?,
            }
        }
    }

    pub(crate) async fn ping(&self) -> Result<()> {
        Ok(self.client().await?.batch_execute("select 1").await?)
    }

    /// Does nothing: vacuuming is left to the server and its operator.
    pub(crate) fn purge_deleted(&self) -> Result<bool> {
        Ok(true)
    }

    pub(super) async fn client(&self) -> Result<Object> {
        let client = self.pool.get().await?;
        metrics::gauge!("wishbone_database_queue_depth").set(self.pool.status().waiting as f64);
        Ok(client)
    }
}
