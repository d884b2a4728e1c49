//! PostgreSQL as source or target of a transfer: one transaction, with locks that block other writers.

use std::pin::pin;
use std::time::Duration;

use deadpool_postgres::Object;
use futures_util::TryStreamExt;
use tokio::sync::mpsc::{Receiver, Sender};
use tokio_postgres::binary_copy::BinaryCopyInWriter;
use tokio_postgres::types::{ToSql, Type};

use super::migrate;
use super::pool::ConnectionPool;
use crate::error::{Error, Result};
use crate::migration::{Migration, has_initial_rows, newest};
use crate::options::Options;
use crate::sql::Arg;
use crate::transfer::{
    BATCH_ROWS, Batch, Column, ColumnType, Source, Target, decode_row, ensure_current, quoted_names,
};

/// How often, and how far apart, a move looks for other connections before it gives up.
const DISCONNECT_CHECKS: u32 = 10;
const DISCONNECT_INTERVAL: Duration = Duration::from_millis(100);

/// Connections of other Wishbone processes, which have the same application name.
pub(super) const OTHER_CONNECTIONS: &str = "
    select count(*) from pg_stat_activity
    where datname = current_database() and application_name = current_setting('application_name')
      and pid <> pg_backend_pid()";

/// A connection with an open transaction, which is rolled back unless it is committed.
pub(crate) struct PostgresSession(Object);

impl PostgresSession {
    async fn begin(url: &str, isolation: &str) -> Result<Self> {
        let client = ConnectionPool::new(url, &Options { pool_size: 1, ..Options::default() })?.get().await?;
        client.batch_execute(&format!("set statement_timeout = 0; begin isolation level {isolation}")).await?;
        Ok(Self(client))
    }

    pub(crate) async fn open_source(url: &str, migrations: &[Migration], tables: &[&str]) -> Result<Self> {
        let session = Self::begin(url, "repeatable read").await?;
        ensure_current(migrate::schema_version(&**session.0).await?, newest(migrations))?;
        if session.has_others().await? {
            return Err(Error::Unusable(
                "another process is connected to the PostgreSQL database: stop it first, because its writes during the \
                 move would be lost"
                    .to_owned(),
            ));
        }
        session.0.batch_execute(&format!("lock table {} in share mode", tables.join(", "))).await?;
        Ok(session)
    }

    /// True if another process is connected. Waits for connections to end, as those of a process that has just ended do.
    async fn has_others(&self) -> Result<bool> {
        for _ in 0..DISCONNECT_CHECKS {
            if self.0.query_one(OTHER_CONNECTIONS, &[]).await?.try_get::<_, i64>(0)? == 0 {
                return Ok(false);
            }
            tokio::time::sleep(DISCONNECT_INTERVAL).await;
            // The view does not change within a transaction.
            self.0.batch_execute("select pg_stat_clear_snapshot()").await?;
        }
        Ok(true)
    }

    /// Returns the target, and the first table that has rows.
    pub(crate) async fn open_target(
        url: &str,
        migrations: &[Migration],
        tables: &[&'static str],
    ) -> Result<(Self, Option<&'static str>)> {
        let session = Self::begin(url, "read committed").await?;
        migrate::apply(&**session.0, migrations).await?;
        session.0.batch_execute(&format!("lock table {} in exclusive mode", tables.join(", "))).await?;
        for table in tables.iter().filter(|table| !has_initial_rows(migrations, table)) {
            if session.count(table).await? > 0 {
                return Ok((session, Some(table)));
            }
        }
        for table in tables {
            session.0.batch_execute(&format!("delete from {table}")).await?;
        }
        Ok((session, None))
    }
}

impl Source for PostgresSession {
    async fn columns(&self, table: &str) -> Result<Vec<Column>> {
        let statement = self.0.prepare(&format!("select * from {table}")).await?;
        let columns = statement.columns().iter().map(|column| Column {
            name: column.name().to_owned(),
            column_type: match *column.type_() {
                Type::TEXT => ColumnType::Text,
                Type::BYTEA => ColumnType::Blob,
                Type::FLOAT8 => ColumnType::Double,
                _ => ColumnType::Int,
            },
        });
        Ok(columns.collect())
    }

    async fn count(&self, table: &str) -> Result<u64> {
        let count: i64 = self.0.query_one(&format!("select count(*) from {table}"), &[]).await?.try_get(0)?;
        u64::try_from(count).map_err(Error::bug)
    }

    async fn read(&self, table: &str, columns: &[Column], to: Sender<Batch>) -> Result<()> {
        let none: [&(dyn ToSql + Sync); 0] = [];
        let rows = self.0.query_raw(&format!("select {} from {table}", quoted_names(columns)), none).await?;
        let (mut rows, mut batch) = (pin!(rows), Vec::with_capacity(BATCH_ROWS));
        while let Some(row) = rows.try_next().await? {
            batch.push(decode_row(&row, columns)?);
            if batch.len() == BATCH_ROWS && to.send(std::mem::take(&mut batch)).await.is_err() {
                return Ok(());
            }
        }
        let _ = to.send(batch).await;
        Ok(())
    }
}

impl Target for PostgresSession {
    async fn write(&self, table: &str, columns: &[Column], mut from: Receiver<Batch>) -> Result<()> {
        let types: Vec<Type> = columns
            .iter()
            .map(|column| match column.column_type {
                ColumnType::Int => Type::INT8,
                ColumnType::Double => Type::FLOAT8,
                ColumnType::Text => Type::TEXT,
                ColumnType::Blob => Type::BYTEA,
            })
            .collect();
        let copy = format!("copy {table} ({}) from stdin (format binary)", quoted_names(columns));
        let mut writer = pin!(BinaryCopyInWriter::new(self.0.copy_in(&copy).await?, &types));
        while let Some(batch) = from.recv().await {
            for row in &batch {
                let args: Vec<_> = row.iter().map(|cell| cell.arg()).collect();
                writer.as_mut().write(&parameters(&args)).await?;
            }
        }
        writer.finish().await?;
        Ok(())
    }

    async fn commit(self) -> Result<()> {
        self.0.batch_execute("commit").await.map_err(|error| Error::from(error).into_outcome_unknown())?;
        // For good query plans from the start; if it fails, autovacuum does it later.
        let _ = self.0.batch_execute("analyze").await;
        Ok(())
    }
}

fn parameters<'a>(args: &'a [Arg<'a>]) -> Vec<&'a (dyn ToSql + Sync)> {
    args.iter().map(|arg| arg as &(dyn ToSql + Sync)).collect()
}
