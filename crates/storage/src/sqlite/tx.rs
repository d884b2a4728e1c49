//! Statements on one SQLite connection. Nothing here ever waits, so every future is ready at once.

use std::cell::Cell;
use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use rusqlite::types::{ToSql, ToSqlOutput, ValueRef};
use rusqlite::{CachedStatement, Connection};

use super::FUSE_STEPS;
use crate::{Arg, Bound, Error, FailPoint, Query, Result, Row, Tx};

/// Polls an operation one time. One that awaits anything but its transaction is a bug that must
/// not hang a thread.
pub(super) fn finish<F, T, E>(name: &'static str, future: F) -> std::result::Result<T, E>
where
    F: Future<Output = std::result::Result<T, E>>,
    E: From<Error>,
{
    FUSE.set(0);
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(out) => out,
        Poll::Pending => Err(Error::Bug(format!("{name} awaited something other than its transaction")).into()),
    }
}

thread_local! {
    /// Looks of the fuse since the operation on this thread began.
    static FUSE: Cell<usize> = const { Cell::new(0) };
}

pub(super) fn install_fuse(connection: &mut Connection, looks: usize) -> Result<()> {
    let blown = move || {
        FUSE.set(FUSE.get() + 1);
        FUSE.get() > looks
    };
    Ok(connection.progress_handler(FUSE_STEPS, Some(blown))?)
}

/// begin, commit, savepoint and their like.
pub(super) fn control(connection: &Connection, text: &'static str) -> Result<()> {
    connection.prepare_cached(text)?.raw_execute()?;
    Ok(())
}

pub(super) struct SqliteTx<'c> {
    connection: &'c mut Connection,
    /// Whether a statement failed: then the transaction must not be kept, whatever the operation
    /// answers, because PostgreSQL would not keep it either.
    pub(super) failure: Option<Error>,
    fail_point: Option<&'c FailPoint>,
}

impl<'c> SqliteTx<'c> {
    pub(super) fn new(connection: &'c mut Connection) -> Self {
        Self { connection, failure: None, fail_point: None }
    }

    /// For a write.
    pub(super) fn breaking_at(self, fail_point: &'c FailPoint) -> Self {
        Self { fail_point: Some(fail_point), ..self }
    }

    pub(super) fn bound(&self, statement: &Bound<'_>) -> Result<CachedStatement<'_>> {
        statement.check()?;
        self.fail_point.map_or(Ok(()), FailPoint::pass)?;
        tracing::trace!(statement = statement.sql.sqlite);
        let mut prepared = self.connection.prepare_cached(statement.sql.sqlite)?;
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
        let mut prepared = self.bound(statement)?;
        let mut rows = prepared.raw_query();
        while let Some(row) = rows.next()? {
            visit(number, &SqliteRow(row))?;
        }
        Ok(())
    }

    fn execute_now(&self, statement: &Bound<'_>) -> Result<u64> {
        Ok(self.bound(statement)?.raw_execute()? as u64)
    }

    fn note<T>(&mut self, out: Result<T>) -> Result<T> {
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
        self.note(out)
    }
}

impl Tx for SqliteTx<'_> {
    async fn execute_all(&mut self, batch: &[Bound<'_>]) -> Result<Vec<u64>> {
        let out = batch.iter().map(|statement| self.execute_now(statement)).collect();
        self.note(out)
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

    fn opt_blob(&self, column: usize) -> Result<Option<&[u8]>> {
        self.0.get_ref(column)?.as_blob_or_null().map_err(Error::bug)
    }
}
