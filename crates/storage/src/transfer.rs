//! Copies tables between engines and verifies the copy. It needs only the table names, so new tables of the schema are
//! copied without a change here.

use std::future::Future;
use std::hash::{DefaultHasher, Hash, Hasher};

use tokio::sync::mpsc::{Receiver, Sender, channel};

use crate::error::{Error, Result};
use crate::progress::ProgressReporter;
use crate::sql::{Arg, Row};

/// Rows per batch.
pub(crate) const BATCH_ROWS: usize = 500;
/// Batches in the channel, so that reading and writing overlap.
const CHANNEL_CAPACITY: usize = 4;

pub(crate) type Batch = Vec<Vec<Cell>>;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ColumnType {
    Int,
    Double,
    Text,
    Blob,
}

#[derive(Clone, Debug)]
pub(crate) struct Column {
    pub(crate) name: String,
    pub(crate) column_type: ColumnType,
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
    pub(crate) fn read(row: &dyn Row, index: usize, column_type: ColumnType) -> Result<Self> {
        let cell = match column_type {
            ColumnType::Int => row.opt_int(index)?.map(Self::Int),
            ColumnType::Double => row.opt_double(index)?.map(Self::Double),
            ColumnType::Text => row.opt_text(index)?.map(|text| Self::Text(text.to_owned())),
            ColumnType::Blob => row.opt_blob(index)?.map(|blob| Self::Blob(blob.to_owned())),
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

    /// Copies an argument.
    pub(crate) fn copy(arg: &Arg<'_>) -> Self {
        match *arg {
            Arg::Null => Self::Null,
            Arg::Int(value) => Self::Int(value),
            Arg::Double(value) => Self::Double(value),
            Arg::Text(value) => Self::Text(value.to_owned()),
            Arg::Blob(value) => Self::Blob(value.to_owned()),
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

/// Decodes a row whose columns are in the given order.
pub(crate) fn decode_row(row: &dyn Row, columns: &[Column]) -> Result<Vec<Cell>> {
    columns.iter().enumerate().map(|(i, column)| Cell::read(row, i, column.column_type)).collect()
}

/// A consistent snapshot of a database whose rows can be read.
pub(crate) trait Source: Sync {
    fn columns(&self, table: &str) -> impl Future<Output = Result<Vec<Column>>> + Send;
    fn count(&self, table: &str) -> impl Future<Output = Result<u64>> + Send;
    fn read(&self, table: &str, columns: &[Column], to: Sender<Batch>) -> impl Future<Output = Result<()>> + Send;
}

/// A database with the schema and no rows, not visible to others before the commit.
pub(crate) trait Target: Source {
    fn write(&self, table: &str, columns: &[Column], from: Receiver<Batch>) -> impl Future<Output = Result<()>> + Send;
    fn commit(self) -> impl Future<Output = Result<()>> + Send;
}

/// Copies the tables, reads them back, and commits if source and target agree. Returns the number of rows by table.
pub(crate) async fn copy_tables<S: Source, T: Target>(
    source: &S,
    target: T,
    tables: &[&'static str],
    progress: &ProgressReporter,
) -> Result<Vec<(String, u64)>> {
    let mut total = 0;
    for table in tables {
        total += source.count(table).await?;
    }
    let (mut copied, mut done) = (Vec::new(), 0);
    for table in tables {
        let columns = target.columns(table).await?;
        let mut checksum = Checksum::new(format!("moving {table}"), done, total, progress);
        let ((from, read), (sender, receiver)) = (channel(CHANNEL_CAPACITY), channel(CHANNEL_CAPACITY));
        tokio::try_join!(
            source.read(table, &columns, from),
            checksum.forward(read, Some(sender)),
            target.write(table, &columns, receiver)
        )?;
        done += checksum.rows;
        copied.push((table, columns, checksum.rows, checksum.sum));
    }
    done = 0;
    for (table, columns, rows, sum) in &copied {
        let mut checksum = Checksum::new(format!("verifying {table}"), done, total, progress);
        let (from, read) = channel(CHANNEL_CAPACITY);
        tokio::try_join!(target.read(table, columns, from), checksum.forward(read, None))?;
        if (checksum.rows, checksum.sum) != (*rows, *sum) {
            return Err(Error::Unusable(format!(
                "verification of table {table} failed ({rows} rows read, {} rows written): the target was rolled back",
                checksum.rows
            )));
        }
        done += rows;
    }
    target.commit().await?;
    Ok(copied.into_iter().map(|(table, _, rows, _)| ((*table).to_owned(), rows)).collect())
}

/// Returns the number of rows by table if both databases have the same rows. A copy is committed as a whole, so tables that
/// a new schema has rows in, which change without it, are left out by the caller.
pub(crate) async fn compare_tables(
    source: &impl Source,
    target: &impl Source,
    tables: &[&'static str],
    progress: &ProgressReporter,
) -> Result<Option<Vec<(String, u64)>>> {
    let mut total = 0;
    for table in tables {
        let rows = source.count(table).await?;
        if target.count(table).await? != rows {
            return Ok(None);
        }
        total += rows;
    }
    let (mut same, mut done) = (Vec::new(), 0);
    for table in tables {
        let columns = target.columns(table).await?;
        let phase = || format!("comparing {table}");
        let mut checksums = [(); 2].map(|()| Checksum::new(phase(), done, total, progress));
        let [of_source, of_target] = &mut checksums;
        let ((from, read), (from_target, read_target)) = (channel(CHANNEL_CAPACITY), channel(CHANNEL_CAPACITY));
        tokio::try_join!(source.read(table, &columns, from), of_source.forward(read, None))?;
        tokio::try_join!(target.read(table, &columns, from_target), of_target.forward(read_target, None))?;
        if (of_source.rows, of_source.sum) != (of_target.rows, of_target.sum) {
            return Ok(None);
        }
        done += of_source.rows;
        same.push(((*table).to_owned(), of_source.rows));
    }
    Ok(Some(same))
}

/// The row count and an order-independent checksum: the sum of the hashes of all rows.
struct Checksum<'a> {
    phase: String,
    done_before: u64,
    total: u64,
    progress: &'a ProgressReporter,
    rows: u64,
    sum: u64,
}

impl<'a> Checksum<'a> {
    fn new(phase: String, done_before: u64, total: u64, progress: &'a ProgressReporter) -> Self {
        Self { phase, done_before, total, progress, rows: 0, sum: 0 }
    }

    /// Adds every batch to the checksum and passes it on to `to`.
    async fn forward(&mut self, mut from: Receiver<Batch>, to: Option<Sender<Batch>>) -> Result<()> {
        while let Some(batch) = from.recv().await {
            for row in &batch {
                let mut hasher = DefaultHasher::new();
                row.iter().for_each(|cell| cell.hash(&mut hasher));
                self.sum = self.sum.wrapping_add(hasher.finish());
            }
            self.rows += batch.len() as u64;
            self.progress.report(&self.phase, self.done_before + self.rows, self.total)?;
            if let Some(to) = &to
                && to.send(batch).await.is_err()
            {
                // The receiver returns the error itself.
                return Ok(());
            }
        }
        Ok(())
    }
}

/// Column names as a quoted, comma-separated list; some names are SQL keywords.
pub(crate) fn quoted_names(columns: &[Column]) -> String {
    columns.iter().map(|column| format!("\"{}\"", column.name)).collect::<Vec<_>>().join(", ")
}

/// Fails unless the source has the schema version of the target.
pub(crate) fn ensure_current(found: i64, newest: i64) -> Result<()> {
    if found == newest {
        return Ok(());
    }
    Err(Error::Unusable(format!(
        "the database has schema {found}, this program requires schema {newest}: start `wishbone serve` of this version \
         once to update it, then repeat the move"
    )))
}
