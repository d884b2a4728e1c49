//! PostgreSQL and what speaks its protocol: a pool, pipelined statements, retried conflicts.

mod inspect;
mod integrity;
mod retry;
mod tls;
pub(crate) mod transfer;
mod tx;

use std::str::FromStr;
use std::time::Duration;

use deadpool_postgres::{
    Hook, HookError, Manager, ManagerConfig, Object, Pool, PoolError, RecyclingMethod, Runtime, TimeoutType,
};
use tokio_postgres::config::{LoadBalanceHosts, SslMode};
use tokio_postgres::error::{DbError, SqlState};
use tokio_postgres::{Config, NoTls};

use crate::migrate::{self, Migration};
use crate::{Error, FailPoint, Options, Read, Result, Write};
use retry::Attempts;
use tx::PostgresTx;

/// How long an operation waits for a connection before it is told that the server is busy. A request has a few
/// operations, and whoever waited longer for all of them would rather have been told.
const POOL_WAIT: Duration = Duration::from_millis(400);
/// For one server to answer the knock on its door …
const CONNECT_TIMEOUT: Duration = Duration::from_secs(2);
/// … and for the rest: who we are, and whether it takes writes.
const GREETING_TIMEOUT: Duration = Duration::from_secs(3);
const SILENCE: Duration = Duration::from_secs(10);

const READ: &str = "begin isolation level repeatable read, read only";
const READ_LONG: &str = "begin isolation level repeatable read, read only; set local statement_timeout = 0";
const WRITE: &str = "begin isolation level read committed";
const WRITE_SERIALIZABLE: &str = "begin isolation level serializable";

impl From<tokio_postgres::Error> for Error {
    fn from(error: tokio_postgres::Error) -> Self {
        let Some(state) = error.code() else {
            // Not an answer of the server: the connection broke, or never came about.
            let cause = std::error::Error::source(&error).map(|cause| format!(": {cause}"));
            return Self::Unavailable(format!("{error}{}", cause.unwrap_or_default()));
        };
        let text = error.as_db_error().map_or_else(|| error.to_string(), describe);
        match *state {
            SqlState::T_R_SERIALIZATION_FAILURE | SqlState::T_R_DEADLOCK_DETECTED => Self::Conflict,
            SqlState::QUERY_CANCELED => Self::TooLong,
            // 08 connection, 28 not let in, 3D000 no such database, 53 resources, 57P shutdown, 58 system, 25006 a standby
            _ if ["08", "28", "3D000", "53", "57P", "58", "25006"]
                .iter()
                .any(|class| state.code().starts_with(class)) =>
            {
                Self::Unavailable(text)
            }
            _ => Self::Bug(text),
        }
    }
}

/// The text of an error of the server for logs, without DETAIL and HINT, which may contain values of rows.
fn describe(error: &DbError) -> String {
    let mut text = format!("{}: {} (SQLSTATE {}", error.severity(), error.message(), error.code().code());
    for (name, value) in [("table", error.table()), ("constraint", error.constraint())] {
        if let Some(value) = value {
            text.push_str(&format!(", {name} {value}"));
        }
    }
    text.push(')');
    text
}

/// A machine that loses its power says no goodbye. Left to the system's own settings, a connection to it would be taken
/// for a living one for a quarter of an hour while something is sent, and for two hours while not.
fn notice_silence(config: &mut Config) {
    if config.get_tcp_user_timeout().is_none() {
        config.tcp_user_timeout(SILENCE);
    }
    if config.get_keepalives_interval().is_none() && config.get_keepalives_retries().is_none() {
        config.keepalives_idle(SILENCE).keepalives_interval(SILENCE / 5).keepalives_retries(5);
    }
}

impl From<PoolError> for Error {
    fn from(error: PoolError) -> Self {
        match error {
            PoolError::Timeout(TimeoutType::Wait) => Self::Busy,
            PoolError::Backend(error) => error.into(),
            other => Self::unavailable(other),
        }
    }
}

pub struct Postgres {
    pool: Pool,
    fail_first_attempt: bool,
    fail_point: FailPoint,
}

impl Postgres {
    pub(crate) async fn open(url: &str, migrations: &[Migration], options: &Options) -> Result<Self> {
        let pool = pool(url, options)?;
        let mut client = pool.get().await?;
        migrate::on_postgres(&mut client, migrations).await?;
        drop(client);
        Ok(Self { pool, fail_first_attempt: options.fail_first_attempt, fail_point: options.fail_point.clone() })
    }

    pub(crate) async fn read<R: Read>(&self, operation: &R) -> std::result::Result<R::Out, R::Error> {
        self.read_in(operation, (!R::SINGLE_STATEMENT).then_some(READ)).await
    }

    pub(crate) async fn read_long<R: Read>(&self, operation: &R) -> std::result::Result<R::Out, R::Error> {
        self.read_in(operation, Some(READ_LONG)).await
    }

    async fn read_in<R: Read>(
        &self,
        operation: &R,
        begin: Option<&'static str>,
    ) -> std::result::Result<R::Out, R::Error> {
        let mut attempts = Attempts::new(R::NAME);
        loop {
            let lease = Lease(Some(self.client().await?));
            let mut tx = PostgresTx::new(lease.client()?, begin);
            let out = operation.run(&mut tx).await;
            let failure = tx.failure.take().filter(|_| out.is_err());
            drop(tx);
            lease.give_back();
            match failure {
                None => return out,
                Some(failure) => attempts.again(failure).await?,
            }
        }
    }

    pub(crate) async fn write<W: Write>(&self, operation: &W) -> std::result::Result<W::Out, W::Error> {
        let begin = if W::SERIALIZABLE { WRITE_SERIALIZABLE } else { WRITE };
        let mut attempts = Attempts::new(W::NAME);
        let mut inject = self.fail_first_attempt;
        loop {
            let lease = Lease(Some(self.client().await.map_err(|failure| attempts.verdict(failure))?));
            let mut tx = PostgresTx::new(lease.client()?, Some(begin)).breaking_at(&self.fail_point);
            let out = operation.run(&mut tx).await;
            let outcome = match (tx.failure.take(), out) {
                (Some(failure), _) => Err(failure),
                (None, _) if std::mem::take(&mut inject) => Err(Error::Conflict),
                (None, Err(refused)) => Ok(Err(refused)),
                (None, Ok(out)) => tx.commit().await.map(|()| Ok(out)),
            };
            drop(tx);
            // Another operation can use the connection while this one pauses.
            lease.give_back();
            match outcome {
                Ok(out) => return out,
                Err(failure @ Error::OutcomeUnknown(_)) if !W::REPEATABLE => return Err(failure.into()),
                Err(failure) => attempts.again(failure).await?,
            }
        }
    }

    pub(crate) async fn ping(&self) -> Result<()> {
        Ok(self.client().await?.batch_execute("select 1").await?)
    }

    /// The server overwrites what was deleted when it vacuums; that is its own, and its operator's, to time.
    pub(crate) fn scrub(&self) -> Result<bool> {
        Ok(true)
    }

    async fn client(&self) -> Result<Object> {
        let client = self.pool.get().await?;
        metrics::gauge!("wishbone_store_queue_depth").set(self.pool.status().waiting as f64);
        Ok(client)
    }
}

fn pool(url: &str, options: &Options) -> Result<Pool> {
    let mut config = Config::from_str(url)
        .map_err(|error| Error::Unusable(format!("the database address is not a postgres:// address ({error})")))?;
    config.connect_timeout(CONNECT_TIMEOUT);
    notice_silence(&mut config);
    let servers = config.get_hosts().len().max(config.get_hostaddrs().len());
    if servers > 1 {
        // In turn, one that hangs would keep everybody from the next.
        config.load_balance_hosts(LoadBalanceHosts::Random);
    }
    // Enough to come to the last one when the machines of all others are gone.
    let create_timeout = CONNECT_TIMEOUT * servers as u32 + GREETING_TIMEOUT;
    if config.get_application_name().is_none() {
        config.application_name("wishbone");
    }
    let recycling = ManagerConfig { recycling_method: RecyclingMethod::Fast };
    let manager = match config.get_ssl_mode() {
        SslMode::Require => Manager::from_config(config, tls::connector()?, recycling),
        // Encryption without a check of the certificate would only look safe.
        _ => Manager::from_config(config.ssl_mode(SslMode::Disable).clone(), NoTls, recycling),
    };
    Pool::builder(manager)
        .max_size(options.pool_size)
        .runtime(Runtime::Tokio1)
        .wait_timeout(Some(POOL_WAIT))
        .create_timeout(Some(create_timeout))
        .post_create(fuse(options.fuse))
        .build()
        .map_err(Error::unavailable)
}

/// A connection while an operation uses it. When the operation is given up in the middle, because its caller left or its
/// time is over, nobody knows whether the other end is still there: it is closed then, and not given to the next.
struct Lease(Option<Object>);

impl Lease {
    fn client(&self) -> Result<&Object> {
        self.0.as_ref().ok_or_else(|| Error::bug("the connection was given back"))
    }

    fn give_back(mut self) {
        drop(self.0.take());
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        if let Some(client) = self.0.take() {
            drop(Object::take(client));
        }
    }
}

/// Has the server stop statements that run, or wait for a lock, for too long. Not an option of the
/// connection itself, because poolers such as PgBouncer refuse those.
fn fuse(longest: Duration) -> Hook {
    Hook::async_fn(move |client, _| {
        let set = format!("set statement_timeout = {}", longest.as_millis());
        Box::pin(async move { client.batch_execute(&set).await.map_err(HookError::Backend) })
    })
}
