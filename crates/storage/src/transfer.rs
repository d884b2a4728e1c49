//! All rows of a database to another engine, and proof that they arrived. It knows tables by their names alone, so that
//! a new table of the schema is moved without a change here.

use std::future::Future;
use std::hash::{DefaultHasher, Hash, Hasher};

use tokio::sync::mpsc::{Receiver, Sender, channel};

use crate::{Arg, Error, Result, Row, Watch};

/// Rows that travel together.
pub(crate) const ROWS: usize = 500;
/// Batches that may wait: one side reads on while the other writes.
const WAITING: usize = 4;

pub(crate) type Batch = Vec<Vec<Cell>>;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Int,
    Double,
    Text,
    Blob,
}

#[derive(Clone, Debug)]
pub(crate) struct Column {
    pub(crate) name: String,
    pub(crate) kind: Kind,
}

#[derive(Clone, Debug)]
pub(crate) enum Cell {
    Null,
    Int(i64),
    Double(f64),
    Text(String),
    Blob(Vec<u8>),
}

impl Cell {
    pub(crate) fn of(row: &dyn Row, at: usize, kind: Kind) -> Result<Self> {
        let cell = match kind {
            Kind::Int => row.opt_int(at)?.map(Self::Int),
            Kind::Double => row.opt_double(at)?.map(Self::Double),
            Kind::Text => row.opt_text(at)?.map(|text| Self::Text(text.to_owned())),
            Kind::Blob => row.opt_blob(at)?.map(|blob| Self::Blob(blob.to_owned())),
        };
        Ok(cell.unwrap_or(Self::Null))
    }

    pub(crate) fn arg(&self) -> Arg<'_> {
        match self {
            Self::Null => Arg::Null,
            Self::Int(value) => Arg::Int(*value),
            Self::Double(value) => Arg::Double(*value),
            Self::Text(value) => Arg::Text(value),
            Self::Blob(value) => Arg::Blob(value),
        }
    }

    fn hash(&self, hasher: &mut DefaultHasher) {
        std::mem::discriminant(self).hash(hasher);
        match self {
            Self::Null => {}
            Self::Int(value) => value.hash(hasher),
            Self::Double(value) => value.to_bits().hash(hasher),
            Self::Text(value) => value.hash(hasher),
            Self::Blob(value) => value.hash(hasher),
        }
    }
}

/// A row of a source, or of a target that is being filled, in the columns' order.
pub(crate) fn cells(row: &dyn Row, columns: &[Column]) -> Result<Vec<Cell>> {
    columns.iter().enumerate().map(|(i, column)| Cell::of(row, i, column.kind)).collect()
}

/// One side of a move: one state of a database, held until the end.
pub(crate) trait Side: Sync {
    fn columns(&self, table: &str) -> impl Future<Output = Result<Vec<Column>>> + Send;
    fn count(&self, table: &str) -> impl Future<Output = Result<u64>> + Send;
    fn read(&self, table: &str, columns: &[Column], to: Sender<Batch>) -> impl Future<Output = Result<()>> + Send;
}

/// A database that has the schema and no rows, and is nobody else's until it is kept.
pub(crate) trait Target: Side {
    fn write(&self, table: &str, columns: &[Column], from: Receiver<Batch>) -> impl Future<Output = Result<()>> + Send;
    fn keep(self) -> impl Future<Output = Result<()>> + Send;
}

/// Copies the tables, reads them back, and keeps them if nothing differs. Answers how many rows each has.
pub(crate) async fn transfer<S: Side, T: Target>(
    source: &S,
    target: T,
    tables: &[&'static str],
    watch: &Watch,
) -> Result<Vec<(String, u64)>> {
    let mut total = 0;
    for table in tables {
        total += source.count(table).await?;
    }
    let (mut moved, mut done) = (Vec::new(), 0);
    for table in tables {
        let columns = target.columns(table).await?;
        let mut tally = Tally::new(format!("moving {table}"), done, total, watch);
        let ((from, read), (sender, receiver)) = (channel(WAITING), channel(WAITING));
        tokio::try_join!(
            source.read(table, &columns, from),
            tally.take(read, Some(sender)),
            target.write(table, &columns, receiver)
        )?;
        done += tally.rows;
        moved.push((table, columns, tally.rows, tally.sum));
    }
    done = 0;
    for (table, columns, rows, sum) in &moved {
        let mut tally = Tally::new(format!("verifying {table}"), done, total, watch);
        let (from, read) = channel(WAITING);
        tokio::try_join!(target.read(table, columns, from), tally.take(read, None))?;
        if (tally.rows, tally.sum) != (*rows, *sum) {
            return Err(Error::Unusable(format!(
                "the table {table} differs after it was written ({rows} rows were read, {} arrived), so nothing was kept",
                tally.rows
            )));
        }
        done += rows;
    }
    target.keep().await?;
    Ok(moved.into_iter().map(|(table, _, rows, _)| ((*table).to_owned(), rows)).collect())
}

/// Counts rows as they pass, and sums their hashes, which is the same in any order.
struct Tally<'a> {
    doing: String,
    before: u64,
    total: u64,
    watch: &'a Watch,
    rows: u64,
    sum: u64,
}

impl<'a> Tally<'a> {
    fn new(doing: String, before: u64, total: u64, watch: &'a Watch) -> Self {
        Self { doing, before, total, watch, rows: 0, sum: 0 }
    }

    async fn take(&mut self, mut from: Receiver<Batch>, to: Option<Sender<Batch>>) -> Result<()> {
        while let Some(batch) = from.recv().await {
            for row in &batch {
                let mut hasher = DefaultHasher::new();
                row.iter().for_each(|cell| cell.hash(&mut hasher));
                self.sum = self.sum.wrapping_add(hasher.finish());
            }
            self.rows += batch.len() as u64;
            self.watch.tell(&self.doing, self.before + self.rows, self.total)?;
            if let Some(to) = &to
                && to.send(batch).await.is_err()
            {
                // The writer says itself what went wrong.
                return Ok(());
            }
        }
        Ok(())
    }
}

/// `"a", "b"`: some columns have names that are words of SQL.
pub(crate) fn quoted(columns: &[Column]) -> String {
    columns.iter().map(|column| format!("\"{}\"", column.name)).collect::<Vec<_>>().join(", ")
}

/// Whether a source has the schema that the target will have.
pub(crate) fn ensure_current(found: i64, newest: i64) -> Result<()> {
    if found == newest {
        return Ok(());
    }
    Err(Error::Unusable(format!(
        "the database has schema {found}, and this program moves schema {newest}: start `wishbone serve` of this version on \
         it once, which brings it up to date, then move it"
    )))
}
