//! Statements on one SQLite connection. They block the thread, so every future is ready at its first poll.

use std::cell::Cell;
use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use rusqlite::types::{ToSql, ToSqlOutput, ValueRef};
use rusqlite::{CachedStatement, Connection, StatementStatus};

use super::timeout;
use crate::error::{Error, Result};
use crate::fail_point::FailPoint;
use crate::operation::{Query, Tx};
use crate::sql::{Arg, Bound, Row};

/// Polls an operation once. Awaiting anything but the transaction is a bug, and must not block the thread.
pub(super) fn poll_once<F, T, E>(name: &'static str, future: F) -> std::result::Result<T, E>
where
    F: Future<Output = std::result::Result<T, E>>,
    E: From<Error>,
{
    timeout::restart();
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(out) => out,
        Poll::Pending => Err(Error::Bug(format!("{name} awaited something other than its transaction")).into()),
    }
}

/// Runs a transaction control statement.
pub(super) fn control(connection: &Connection, text: &'static str) -> Result<()> {
    connection.prepare_cached(text)?.raw_execute()?;
    Ok(())
}

pub(super) struct SqliteTx<'c> {
    connection: &'c mut Connection,
    /// The first failure of a statement. The transaction is then rolled back, whatever the operation returns, as on
    /// PostgreSQL.
    pub(super) failure: Option<Error>,
    fail_point: Option<&'c FailPoint>,
    written_bytes: u64,
    /// Instructions so far, if they are counted.
    steps: Option<Cell<u64>>,
}

impl<'c> SqliteTx<'c> {
    pub(super) fn new(connection: &'c mut Connection) -> Self {
        Self { connection, failure: None, fail_point: None, written_bytes: 0, steps: None }
    }

    /// Counts instructions, for tests.
    pub(super) fn counting(self, is_enabled: bool) -> Self {
        Self { steps: is_enabled.then(Cell::default), ..self }
    }

    pub(super) fn steps(&self) -> u64 {
        self.steps.as_ref().map_or(0, Cell::get)
    }

    fn count(&self, statement: &CachedStatement<'_>) {
        if let Some(steps) = &self.steps {
            steps.set(steps.get() + u64::try_from(statement.reset_status(StatementStatus::VmStep)).unwrap_or_default());
        }
    }

    /// For writes.
    pub(super) fn with_fail_point(self, fail_point: &'c FailPoint) -> Self {
        Self { fail_point: Some(fail_point), ..self }
    }

    pub(super) fn prepare(&self, statement: &Bound<'_>) -> Result<CachedStatement<'_>> {
        statement.check()?;
        self.fail_point.map_or(Ok(()), FailPoint::pass)?;
        tracing::trace!(statement = statement.sql.text());
        let mut prepared = self.connection.prepare_cached(statement.sql.text())?;
        for (i, arg) in statement.args.iter().enumerate() {
            prepared.raw_bind_parameter(i + 1, arg)?;
        }
        Ok(prepared)
    }

    fn query_now(
        &self,
        number: usize,
        statement: &Bound<'_>,
        visit: &mut (dyn FnMut(usize, &dyn Row) -> Result<()> + Send),
    ) -> Result<()> {
        let mut prepared = self.prepare(statement)?;
        let mut rows = prepared.raw_query();
        while let Some(row) = rows.next()? {
            visit(number, &SqliteRow(row))?;
        }
        drop(rows);
        self.count(&prepared);
        Ok(())
    }

    fn execute_now(&self, statement: &Bound<'_>) -> Result<u64> {
        let mut prepared = self.prepare(statement)?;
        let count = prepared.raw_execute()? as u64;
        self.count(&prepared);
        Ok(count)
    }

    fn record_failure<T>(&mut self, out: Result<T>) -> Result<T> {
        if let (Err(error), None) = (&out, &self.failure) {
            self.failure = Some(error.clone());
        }
        out
    }
}

impl Query for SqliteTx<'_> {
    async fn query_all(
        &mut self,
        batch: &[Bound<'_>],
        visit: &mut (dyn FnMut(usize, &dyn Row) -> Result<()> + Send),
    ) -> Result<()> {
        let out = batch.iter().enumerate().try_for_each(|(i, statement)| self.query_now(i, statement, visit));
        self.record_failure(out)
    }
}

impl Tx for SqliteTx<'_> {
    async fn execute_all(&mut self, batch: &[Bound<'_>]) -> Result<Vec<u64>> {
        self.written_bytes += batch.iter().map(Bound::bytes).sum::<u64>();
        let out = batch.iter().map(|statement| self.execute_now(statement)).collect();
        self.record_failure(out)
    }

    async fn defer_all(&mut self, batch: &[Bound<'_>]) -> Result<()> {
        self.execute_all(batch).await.map(drop)
    }

    fn written_bytes(&self) -> u64 {
        self.written_bytes
    }
}

impl ToSql for Arg<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self {
            Arg::Null => ValueRef::Null,
            Arg::Int(value) => ValueRef::Integer(*value),
            Arg::Double(value) => ValueRef::Real(*value),
            Arg::Text(value) => ValueRef::Text(value.as_bytes()),
            Arg::Blob(value) => ValueRef::Blob(value),
        }))
    }
}

pub(super) struct SqliteRow<'a, 's>(pub(super) &'a rusqlite::Row<'s>);

impl Row for SqliteRow<'_, '_> {
    fn opt_int(&self, column: usize) -> Result<Option<i64>> {
        self.0.get_ref(column)?.as_i64_or_null().map_err(Error::bug)
    }

    fn opt_double(&self, column: usize) -> Result<Option<f64>> {
        self.0.get_ref(column)?.as_f64_or_null().map_err(Error::bug)
    }

    fn opt_text(&self, column: usize) -> Result<Option<&str>> {
        self.0.get_ref(column)?.as_str_or_null().map_err(Error::bug)
    }

    fn text_bytes(&self, column: usize) -> Result<&[u8]> {
        self.0.get_ref(column)?.as_bytes().map_err(Error::bug)
    }

    fn opt_blob(&self, column: usize) -> Result<Option<&[u8]>> {
        self.0.get_ref(column)?.as_blob_or_null().map_err(Error::bug)
    }
}
