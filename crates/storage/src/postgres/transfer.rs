//! PostgreSQL as one side of a move: one transaction from beginning to end, with locks that keep others from writing.

use std::pin::pin;

use deadpool_postgres::Object;
use futures_util::TryStreamExt;
use tokio::sync::mpsc::{Receiver, Sender};
use tokio_postgres::binary_copy::BinaryCopyInWriter;
use tokio_postgres::types::{ToSql, Type};

use super::pool;
use crate::migrate::{self, Migration};
use crate::transfer::{Batch, Column, Kind, ROWS, Side, Target, cells, ensure_current, quoted};
use crate::{Arg, Error, Options, Result};

/// Who uses the same address has the same name.
const OTHERS: &str = "
    select count(*) from pg_stat_activity
    where datname = current_database() and application_name = current_setting('application_name')
      and pid <> pg_backend_pid()";

/// A connection in the middle of a transaction. Without a commit the server takes everything back.
pub(crate) struct Session(Object);

impl Session {
    async fn begin(url: &str, isolation: &str) -> Result<Self> {
        let client = pool(url, &Options { pool_size: 1, ..Options::default() })?.get().await?;
        client.batch_execute(&format!("set statement_timeout = 0; begin isolation level {isolation}")).await?;
        Ok(Self(client))
    }

    /// A source.
    pub(crate) async fn open(url: &str, migrations: &[Migration], tables: &[&str]) -> Result<Self> {
        let session = Self::begin(url, "repeatable read").await?;
        ensure_current(migrate::version_on_postgres(&**session.0).await?, migrate::newest(migrations))?;
        let others: i64 = session.0.query_one(OTHERS, &[]).await?.try_get(0)?;
        if others > 0 {
            return Err(Error::Unusable(
                "a server, or another command, is connected to the PostgreSQL database: stop it first. What it wrote \
                 during the move would be lost"
                    .to_owned(),
            ));
        }
        session.0.batch_execute(&format!("lock table {} in share mode", tables.join(", "))).await?;
        Ok(session)
    }

    pub(crate) async fn make(url: &str, migrations: &[Migration], tables: &[&str]) -> Result<Self> {
        let session = Self::begin(url, "read committed").await?;
        migrate::apply_on_postgres(&**session.0, migrations).await?;
        session.0.batch_execute(&format!("lock table {} in exclusive mode", tables.join(", "))).await?;
        for table in tables.iter().filter(|table| !migrate::has_rows_of_its_own(migrations, table)) {
            if session.count(table).await? > 0 {
                return Err(Error::Unusable(format!(
                    "the target is not empty (it has rows in {table}): make a new database, and move there"
                )));
            }
        }
        for table in tables {
            session.0.batch_execute(&format!("delete from {table}")).await?;
        }
        Ok(session)
    }
}

impl Side for Session {
    async fn columns(&self, table: &str) -> Result<Vec<Column>> {
        let statement = self.0.prepare(&format!("select * from {table}")).await?;
        let columns = statement.columns().iter().map(|column| Column {
            name: column.name().to_owned(),
            kind: match *column.type_() {
                Type::TEXT => Kind::Text,
                Type::BYTEA => Kind::Blob,
                Type::FLOAT8 => Kind::Double,
                _ => Kind::Int,
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
        let rows = self.0.query_raw(&format!("select {} from {table}", quoted(columns)), none).await?;
        let (mut rows, mut batch) = (pin!(rows), Vec::with_capacity(ROWS));
        while let Some(row) = rows.try_next().await? {
            batch.push(cells(&row, columns)?);
            if batch.len() == ROWS && to.send(std::mem::take(&mut batch)).await.is_err() {
                return Ok(());
            }
        }
        let _ = to.send(batch).await;
        Ok(())
    }
}

impl Target for Session {
    async fn write(&self, table: &str, columns: &[Column], mut from: Receiver<Batch>) -> Result<()> {
        let types: Vec<Type> = columns
            .iter()
            .map(|column| match column.kind {
                Kind::Int => Type::INT8,
                Kind::Double => Type::FLOAT8,
                Kind::Text => Type::TEXT,
                Kind::Blob => Type::BYTEA,
            })
            .collect();
        let copy = format!("copy {table} ({}) from stdin (format binary)", quoted(columns));
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

    async fn keep(self) -> Result<()> {
        self.0.batch_execute("commit").await?;
        // So that the first plans are good ones; should it fail, the server does it by itself.
        let _ = self.0.batch_execute("analyze").await;
        Ok(())
    }
}

fn parameters<'a>(args: &'a [Arg<'a>]) -> Vec<&'a (dyn ToSql + Sync)> {
    args.iter().map(|arg| arg as &(dyn ToSql + Sync)).collect()
}
