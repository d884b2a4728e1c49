//! Statements on one PostgreSQL connection. Independent statements are pipelined, and `begin` is sent together with the
//! first of them.

use std::future::{Future, ready};
use std::pin::pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use deadpool_postgres::Object;
use futures_util::future::{Either, join, join_all, join3};
use tokio::time::timeout;
use tokio_postgres::Statement;
use tokio_postgres::error::SqlState;
use tokio_postgres::types::ToSql;

use super::insert_plans::{USE_CUSTOM_PLANS, inserts_values};
use super::literal::ShardKey;
use super::values::fits;
use crate::error::{Error, Result};
use crate::fail_point::FailPoint;
use crate::operation::{Query, Tx};
use crate::sql::{Arg, Bound, Row};
use crate::transfer::Cell;

/// The time beyond the statement timeout after which the server is taken to be dead: it ends a statement itself.
const RESPONSE_MARGIN: Duration = Duration::from_secs(3);
/// The longest wait for a response, also to many statements or to a commit that waits for a synchronous standby. Longer
/// than a request takes.
const MAX_RESPONSE_TIME: Duration = Duration::from_secs(60);

/// Statements that a connection to a worker keeps. Each key has its own, and keys change.
const MAX_STATEMENTS: usize = 1000;

pub(super) enum State {
    /// One statement, without a transaction.
    SingleStatement,
    /// Statements that need not see the same state, or whose operation checks that they have.
    NoTransaction,
    /// `begin` is sent with the first statement.
    NotBegun(&'static str),
    Begun,
    Ended,
}

pub(super) struct PostgresTx<'c> {
    client: &'c Object,
    state: State,
    /// The first failure of a statement; after it the server accepts only a rollback.
    pub(super) failure: Option<Error>,
    /// True after a response did not come in time: the connection is not to be used again.
    pub(super) is_unresponsive: bool,
    /// None for operations that may take long.
    statement_timeout: Option<Duration>,
    write: Option<WriteContext<'c>>,
    /// Sent with the next statements, or with the commit.
    deferred: Vec<Deferred>,
    written_bytes: u64,
    /// On a connection to a worker.
    key: Option<ShardKey>,
    has_custom_plans: bool,
}

struct Prepared {
    statement: Statement,
    /// True for the first statement of a transaction that must not have a generic plan.
    sets_custom_plans: bool,
}

/// A statement whose result is not needed, with copies of its arguments.
struct Deferred {
    prepared: Prepared,
    args: Vec<Cell>,
}

/// What a transaction needs to know to write.
#[derive(Clone, Copy)]
pub(super) struct WriteContext<'c> {
    pub(super) is_serializable: bool,
    pub(super) needs_custom_insert_plans: bool,
    /// Counts commits that the server has reported as incomplete.
    pub(super) incomplete_commits: &'c AtomicU64,
    pub(super) fail_point: &'c FailPoint,
}

/// Rolls back a transaction that was not committed: a read, a failed write, or a dropped operation. The response is not
/// awaited; the next statement on the connection is queued behind it.
impl Drop for PostgresTx<'_> {
    fn drop(&mut self) {
        if matches!(self.state, State::Begun) {
            let rollback = pin!(self.client.batch_execute("rollback"));
            let _: Poll<_> = rollback.poll(&mut Context::from_waker(Waker::noop()));
        }
    }
}

impl<'c> PostgresTx<'c> {
    pub(super) fn new(client: &'c Object, state: State, statement_timeout: Option<Duration>) -> Self {
        Self {
            client,
            state,
            failure: None,
            is_unresponsive: false,
            statement_timeout,
            write: None,
            deferred: Vec::new(),
            written_bytes: 0,
            key: None,
            has_custom_plans: false,
        }
    }

    /// For an operation that runs on the worker of its key.
    pub(super) fn for_key(mut self, key: Option<ShardKey>) -> Self {
        self.key = key;
        self
    }

    pub(super) fn writing(mut self, context: WriteContext<'c>) -> Self {
        self.write = Some(context);
        self
    }

    pub(super) async fn commit(&mut self) -> Result<()> {
        self.pass()?;
        if let State::Begun = std::mem::replace(&mut self.state, State::Ended) {
            let before = self.incomplete_commits();
            // Only a conflict implies that nothing was committed. Even an error response can follow a commit: the
            // server may be shut down between the commit and its response.
            let deferred = std::mem::take(&mut self.deferred);
            let responses = join(execute_deferred(self.client, &deferred), self.client.batch_execute("commit"));
            let responses = self.response(Some(MAX_RESPONSE_TIME), responses).await;
            let (executed, committed) = responses.map_err(Error::into_outcome_unknown)?;
            match executed {
                // The server has not committed: after this response it only rolls back.
                Err(error) if error.as_db_error().is_some() => return Err(self.convert_error(error)),
                executed => executed.and(committed).map_err(|error| match error.into() {
                    Error::Conflict => Error::Conflict,
                    failure => failure.into_outcome_unknown(),
                })?,
            }
            // Perhaps that of another connection; then this one was complete, and its outcome is not wrong but vague.
            if self.incomplete_commits() != before {
                return Err(Error::OutcomeUnknown("the server has reported an incomplete commit".to_owned()));
            }
        }
        self.pass().map_err(Error::into_outcome_unknown)
    }

    fn incomplete_commits(&self) -> u64 {
        self.write.map_or(0, |write| write.incomplete_commits.load(Ordering::SeqCst))
    }

    fn pass(&self) -> Result<()> {
        self.write.map_or(Ok(()), |write| write.fail_point.pass())
    }

    /// Awaits a response of the server, which must come within a time, if one is given.
    async fn response<T>(&mut self, limit: Option<Duration>, response: impl Future<Output = T>) -> Result<T> {
        let Some(limit) = limit else { return Ok(response.await) };
        timeout(limit, response).await.map_err(|_| {
            self.is_unresponsive = true;
            Error::unavailable(format!("no response within {limit:?}"))
        })
    }

    /// The time in which the server must respond to a number of statements. Those that change rows can wait for locks, one
    /// after the other.
    fn limit(&self, statements: usize) -> Option<Duration> {
        let statements = if self.write.is_some() { statements } else { 1 };
        let limit = self.statement_timeout?.saturating_mul(u32::try_from(statements).unwrap_or(u32::MAX));
        Some(limit.saturating_add(RESPONSE_MARGIN).min(MAX_RESPONSE_TIME))
    }

    /// Updates the state for the next statements; returns the `begin` to send before them.
    fn start(&mut self, statements: usize) -> Result<Option<&'static str>> {
        match self.state {
            State::SingleStatement if statements == 1 => self.state = State::Ended,
            State::SingleStatement | State::Ended => {
                return Err(Error::bug("a single-statement operation ran more than one statement"));
            }
            State::NotBegun(begin) => {
                self.state = State::Begun;
                return Ok(Some(begin));
            }
            State::Begun | State::NoTransaction => {}
        }
        Ok(None)
    }

    async fn prepare(&mut self, batch: &[Bound<'_>]) -> Result<Vec<Prepared>> {
        let mut out = Vec::with_capacity(batch.len());
        for bound in batch {
            bound.check()?;
            self.pass()?;
            let client = self.client;
            let statement = match self.key.and_then(|key| key.embed(bound)) {
                Some((text, types)) => {
                    if client.statement_cache.size() >= MAX_STATEMENTS {
                        client.statement_cache.clear();
                    }
                    self.response(self.limit(1), client.prepare_typed_cached(&text, &types)).await
                }
                None => self.response(self.limit(1), client.prepare_cached(bound.sql.text())).await,
            };
            out.push(Prepared { statement: statement??, sets_custom_plans: self.sets_custom_plans(bound) });
        }
        Ok(out)
    }

    fn sets_custom_plans(&mut self, bound: &Bound<'_>) -> bool {
        let is_first = !self.has_custom_plans
            && self.write.is_some_and(|write| write.needs_custom_insert_plans)
            && inserts_values(bound.sql.text());
        self.has_custom_plans |= is_first;
        is_first
    }

    /// Sends `begin`, if necessary, and all statements in order before it awaits the first response.
    async fn pipeline<T, F>(
        &mut self,
        batch: &[Bound<'_>],
        send: impl Fn(Statement, usize) -> F + Send,
    ) -> Result<Vec<T>>
    where
        T: Send,
        F: Future<Output = std::result::Result<T, tokio_postgres::Error>> + Send,
    {
        if batch.is_empty() {
            return Ok(Vec::new());
        }
        let statements = self.prepare(batch).await?;
        let client = self.client;
        let begin = match self.start(batch.len())? {
            Some(begin) => Either::Left(client.batch_execute(begin)),
            None => Either::Right(ready(Ok(()))),
        };
        for bound in batch {
            tracing::trace!(statement = bound.sql.text());
        }
        let deferred = std::mem::take(&mut self.deferred);
        let executed = execute_deferred(client, &deferred);
        let responses = statements.into_iter().enumerate().map(|(i, Prepared { statement, sets_custom_plans })| {
            with_plans(client, sets_custom_plans, send(statement, i))
        });
        let responses = join_all(responses);
        let limit = self.limit(deferred.len() + batch.len());
        let (begun, executed, responses) = self.response(limit, join3(begin, executed, responses)).await?;
        begun?;
        executed.map_err(|error| self.convert_error(error))?;
        // The first error is the cause; the others only say that the transaction is aborted.
        responses.into_iter().map(|response| response.map_err(|error| self.convert_error(error))).collect()
    }

    /// Turns an invalid prepared statement into a conflict, so that the operation prepares it again: the schema has
    /// changed, or a proxy has dropped it. Also a duplicate key at SERIALIZABLE: the operation chose a key that was free
    /// in its snapshot, and sharded engines do not recognise this as a serialization failure.
    fn convert_error(&self, error: tokio_postgres::Error) -> Error {
        let stale = error.as_db_error().is_some_and(|error| {
            *error.code() == SqlState::INVALID_SQL_STATEMENT_NAME || error.routine() == Some("RevalidateCachedQuery")
        });
        if stale {
            self.client.statement_cache.clear();
            return Error::Conflict;
        }
        let is_serializable = self.write.is_some_and(|write| write.is_serializable);
        if is_serializable && error.code() == Some(&SqlState::UNIQUE_VIOLATION) {
            return Error::Conflict;
        }
        error.into()
    }

    fn record_failure<T>(&mut self, out: Result<T>) -> Result<T> {
        if let (Err(error), None) = (&out, &self.failure) {
            self.failure = Some(error.clone());
        }
        out
    }
}

fn parameters<'a>(args: &'a [Arg<'a>]) -> Vec<&'a (dyn ToSql + Sync)> {
    args.iter().map(|arg| arg as &(dyn ToSql + Sync)).collect()
}

/// Fails if an argument cannot be sent: sent with others, the statement would be left out, and they would be committed.
fn check_arguments(batch: &[Bound<'_>], statements: Vec<Prepared>) -> Result<Vec<Prepared>> {
    let is_valid = |(bound, prepared): (&Bound<'_>, &Prepared)| {
        prepared.statement.params().iter().zip(bound.args).all(|(ty, arg)| fits(arg, ty))
    };
    if batch.iter().zip(&statements).all(is_valid) {
        return Ok(statements);
    }
    Err(Error::bug("an argument of a deferred statement does not fit its parameter"))
}

/// Sends a statement, if necessary after the setting for its plan, and awaits the responses to both.
async fn with_plans<T>(
    client: &Object,
    sets_custom_plans: bool,
    response: impl Future<Output = std::result::Result<T, tokio_postgres::Error>>,
) -> std::result::Result<T, tokio_postgres::Error> {
    if !sets_custom_plans {
        return response.await;
    }
    let (set, response) = join(client.batch_execute(USE_CUSTOM_PLANS), response).await;
    set.and(response)
}

/// Sends statements in order; returns the first error.
async fn execute_deferred(client: &Object, deferred: &[Deferred]) -> std::result::Result<(), tokio_postgres::Error> {
    let executed = deferred.iter().map(|Deferred { prepared, args }| async move {
        let args: Vec<Arg<'_>> = args.iter().map(Cell::arg).collect();
        let response = async { client.execute(&prepared.statement, &parameters(&args)).await };
        with_plans(client, prepared.sets_custom_plans, response).await
    });
    join_all(executed).await.into_iter().try_for_each(|response| response.map(drop))
}

impl Query for PostgresTx<'_> {
    async fn query_all(
        &mut self,
        batch: &[Bound<'_>],
        visit: &mut (dyn FnMut(usize, &dyn Row) -> Result<()> + Send),
    ) -> Result<()> {
        let client = self.client;
        let responses = self
            .pipeline(batch, |statement, i| async move { client.query(&statement, &parameters(batch[i].args)).await })
            .await;
        let out = responses.and_then(|responses| {
            responses.iter().enumerate().try_for_each(|(i, rows)| rows.iter().try_for_each(|row| visit(i, row)))
        });
        self.record_failure(out)
    }

    fn is_snapshot(&self) -> bool {
        !matches!(self.state, State::NoTransaction)
    }

    fn require_consistent(&mut self, is_consistent: bool) -> Result<()> {
        self.record_failure(if is_consistent || self.is_snapshot() { Ok(()) } else { Err(Error::Conflict) })
    }
}

impl Tx for PostgresTx<'_> {
    async fn execute_all(&mut self, batch: &[Bound<'_>]) -> Result<Vec<u64>> {
        self.written_bytes += batch.iter().map(Bound::bytes).sum::<u64>();
        let client = self.client;
        let responses = self
            .pipeline(batch, |statement, i| async move { client.execute(&statement, &parameters(batch[i].args)).await })
            .await;
        self.record_failure(responses)
    }

    async fn defer_all(&mut self, batch: &[Bound<'_>]) -> Result<()> {
        self.written_bytes += batch.iter().map(Bound::bytes).sum::<u64>();
        let statements = match self.state {
            State::Begun => self.prepare(batch).await.and_then(|statements| check_arguments(batch, statements)),
            _ => Err(Error::bug("the first statement of a write locks its row, so it cannot be deferred")),
        };
        let statements = self.record_failure(statements)?;
        for (bound, prepared) in batch.iter().zip(statements) {
            tracing::trace!(statement = bound.sql.text());
            self.deferred.push(Deferred { prepared, args: bound.args.iter().map(Cell::copy).collect() });
        }
        Ok(())
    }

    fn written_bytes(&self) -> u64 {
        self.written_bytes
    }
}
