//! Operations, and the statements they may run.

use std::future::Future;

use crate::error::{Error, Result};
use crate::sql::{Bound, FromRow, Row};

/// Statements that return rows.
pub trait Query: Send {
    /// Runs independent statements, pipelined in one round trip on PostgreSQL, and passes every row to `visit` with the
    /// index of its statement, in order.
    fn query_all(
        &mut self,
        batch: &[Bound<'_>],
        visit: &mut (dyn FnMut(usize, &dyn Row) -> Result<()> + Send),
    ) -> impl Future<Output = Result<()>> + Send;

    /// True if all statements see the same state; false for a read that does not [need it](Read::needs_snapshot).
    fn is_snapshot(&self) -> bool {
        true
    }

    /// Fails if statements that are no snapshot have seen different states; the read is then run again as one.
    fn require_consistent(&mut self, _is_consistent: bool) -> Result<()> {
        Ok(())
    }

    /// Returns every row of one statement, decoded.
    fn rows<R: FromRow>(&mut self, statement: Bound<'_>) -> impl Future<Output = Result<Vec<R>>> + Send {
        async move {
            let mut out = Vec::new();
            self.query_all(&[statement], &mut |_, row| {
                out.push(R::from_row(row)?);
                Ok(())
            })
            .await?;
            Ok(out)
        }
    }

    /// Returns the first row of one statement, decoded.
    fn first<R: FromRow>(&mut self, statement: Bound<'_>) -> impl Future<Output = Result<Option<R>>> + Send {
        async move {
            let mut out = None;
            self.query_all(&[statement], &mut |_, row| {
                if out.is_none() {
                    out = Some(R::from_row(row)?);
                }
                Ok(())
            })
            .await?;
            Ok(out)
        }
    }
}

/// A read-write transaction.
pub trait Tx: Query {
    /// Runs independent statements, pipelined in one round trip on PostgreSQL; returns the number of rows each changed.
    fn execute_all(&mut self, batch: &[Bound<'_>]) -> impl Future<Output = Result<Vec<u64>>> + Send;

    fn execute(&mut self, statement: Bound<'_>) -> impl Future<Output = Result<u64>> + Send {
        async move { Ok(self.execute_all(&[statement]).await?[0]) }
    }

    /// Runs statements whose results are not needed. On PostgreSQL they are sent with the next statement, or with the
    /// commit, and need no round trip of their own; a failure is reported there.
    fn defer_all(&mut self, batch: &[Bound<'_>]) -> impl Future<Output = Result<()>> + Send;

    /// About how many bytes the statements executed so far have written, also if they replaced or deleted others.
    fn written_bytes(&self) -> u64;
}

/// A read-only operation. All of its statements see the same snapshot, unless it [does not need one](Self::needs_snapshot).
pub trait Read: Send + Sync + 'static {
    /// Labels metrics and logs.
    const NAME: &'static str;
    /// True if the operation runs exactly one statement, and so needs no transaction for a consistent snapshot.
    const SINGLE_STATEMENT: bool = false;
    type Out: Send + 'static;
    type Error: From<Error> + Send + 'static;

    /// The key of the rows that all statements are about. On a Citus cluster the worker that has them runs the operation.
    fn shard_key(&self) -> Option<i64> {
        None
    }

    /// False if statements that see different states give a right result too, or one that [`Query::require_consistent`]
    /// recognises. On PostgreSQL the operation then runs without a transaction, which costs two statements.
    fn needs_snapshot(&self) -> bool {
        true
    }

    fn run<Q: Query>(&self, query: &mut Q) -> impl Future<Output = std::result::Result<Self::Out, Self::Error>> + Send;
}

/// An atomic operation that changes data.
///
/// `run` takes `&self` because it is called again after a conflict. It awaits only its transaction, and takes time, ids
/// and randomness from its fields.
///
/// On PostgreSQL it runs at READ COMMITTED: its first statement updates, and thereby locks, the row it is about. Where
/// there is no such row, [`Write::SERIALIZABLE`] raises the isolation level.
pub trait Write: Send + Sync + 'static {
    /// Labels metrics and logs.
    const NAME: &'static str;
    const SERIALIZABLE: bool = false;
    /// True if running it again after a commit changes nothing and returns the same result. Such a write is also
    /// retried when the outcome of its commit is unknown.
    const IDEMPOTENT: bool = false;
    type Out: Send + 'static;
    type Error: From<Error> + Send + 'static;

    /// As for [`Read`].
    fn shard_key(&self) -> Option<i64> {
        None
    }

    fn run<T: Tx>(&self, tx: &mut T) -> impl Future<Output = std::result::Result<Self::Out, Self::Error>> + Send;
}
