//! The connection pool. Reads keep connections of their own: writes that wait, for locks or for a synchronous standby,
//! do not stop them.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use deadpool_postgres::{Hook, Manager, ManagerConfig, Object, Pool, RecyclingMethod, Runtime, Timeouts};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout};
use tokio_postgres::Config;
use tokio_postgres::config::SslMode;

use super::connect::Connector;
use super::hosts::{Hosts, parse, without_hosts};
use super::insert_plans::InsertPlans;
use super::monitor::Monitor;
use super::tls;
use crate::error::{Error, Result};
use crate::options::Options;
use crate::trace::TARGET;

/// The time an operation waits for a connection before it fails with [`Error::Busy`]. A request has a few operations,
/// whose waits add up.
const WAIT_TIMEOUT: Duration = Duration::from_millis(400);
/// The timeout of the TCP connection to one address.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(2);
/// The time after which an unresponsive peer is considered dead.
const PEER_TIMEOUT: Duration = Duration::from_secs(10);
/// One connection in four, rounded up, is for reads only. A pool of a single connection has none.
const READ_SHARE: usize = 4;

/// Citus finds the shard of a statement when it plans it, from the store's id. A generic plan does not know the id: it
/// runs changes of joined tables on all shards, or fails.
const CUSTOM_PLANS_ON_CITUS: &str =
    "select set_config('plan_cache_mode', 'force_custom_plan', false) from pg_extension where extname = 'citus'";

/// No row without the extension.
pub(super) const CITUS_VERSION: &str = "select extversion from pg_extension where extname = 'citus'";

pub(super) struct ConnectionPool {
    pool: Pool,
    hosts: Arc<Hosts>,
    /// One for each connection that writes may hold.
    write_permits: Arc<Semaphore>,
    waiting_writes: AtomicUsize,
    incomplete_commits: Arc<AtomicU64>,
    /// Of a worker.
    insert_plans: Option<Arc<InsertPlans>>,
    _monitor: Option<Monitor>,
}

impl ConnectionPool {
    /// Connects with the first operation.
    pub(super) fn new(url: &str, options: &Options) -> Result<Self> {
        let (config, connector) = connector(parse(url)?, CUSTOM_PLANS_ON_CITUS, options)?;
        let monitor = (connector.hosts.count() > 1).then(|| Monitor::start(&connector));
        Self::with(config, connector, monitor, None, options)
    }

    /// Of a worker of a Citus cluster, which the coordinator of the URL knows by a name and a port. Its sessions cache
    /// plans, as on plain PostgreSQL.
    pub(super) fn of_worker(url: &str, (name, port): (&str, u16), options: &Options) -> Result<Self> {
        let mut config = without_hosts(&parse(url)?);
        config.host(name).port(port);
        let (config, connector) = connector(config, "", options)?;
        // There is the coordinator to turn to.
        let monitor = Monitor::start(&connector);
        let insert_plans = Arc::new(InsertPlans::default());
        Self::with(config, connector, Some(monitor), Some(insert_plans), options)
    }

    fn with(
        config: Config,
        connector: Connector,
        monitor: Option<Monitor>,
        insert_plans: Option<Arc<InsertPlans>>,
        options: &Options,
    ) -> Result<Self> {
        let incomplete_commits = Arc::clone(&connector.incomplete_commits);
        let hosts = Arc::clone(&connector.hosts);
        let manager_config = ManagerConfig { recycling_method: RecyclingMethod::Fast };
        let mut builder = Pool::builder(Manager::from_connect(config, connector, manager_config))
            .max_size(options.pool_size)
            .runtime(Runtime::Tokio1)
            .wait_timeout(Some(WAIT_TIMEOUT));
        if let Some(plans) = insert_plans.clone() {
            builder = builder.post_create(Hook::async_fn(move |client, _| {
                let plans = Arc::clone(&plans);
                Box::pin(async move {
                    plans.choose(client).await;
                    Ok(())
                })
            }));
        }
        let pool = builder.build().map_err(Error::unavailable)?;
        let writes = (options.pool_size - options.pool_size.div_ceil(READ_SHARE)).max(1);
        Ok(Self {
            pool,
            hosts,
            write_permits: Arc::new(Semaphore::new(writes)),
            waiting_writes: AtomicUsize::new(0),
            incomplete_commits,
            insert_plans,
            _monitor: monitor,
        })
    }

    pub(super) async fn get(&self) -> Result<Object> {
        self.get_within(WAIT_TIMEOUT).await
    }

    pub(super) async fn get_for_write(&self) -> Result<(Object, OwnedSemaphorePermit)> {
        let began = Instant::now();
        let waiting = Waiting::count(&self.waiting_writes);
        let permit = timeout(WAIT_TIMEOUT, Arc::clone(&self.write_permits).acquire_owned()).await;
        drop(waiting);
        let permit = permit.map_err(|_| Error::Busy)?.map_err(Error::bug)?;
        let client = self.get_within(WAIT_TIMEOUT.saturating_sub(began.elapsed())).await?;
        Ok((client, permit))
    }

    async fn get_within(&self, wait: Duration) -> Result<Object> {
        let client = self.pool.timeout_get(&Timeouts { wait: Some(wait), ..self.pool.timeouts() }).await;
        let client = client.map_err(|error| match error.into() {
            Error::Unavailable(cause) => Error::Unavailable(format!("{}: {cause}", self.hosts.names())),
            other => other,
        })?;
        let waiting = self.pool.status().waiting + self.waiting_writes.load(Ordering::Relaxed);
        metrics::gauge!("wishbone_database_queue_depth").set(waiting as f64);
        tracing::info!(target: TARGET, "connection acquired");
        Ok(client)
    }

    /// How many commits on any connection were reported as incomplete.
    pub(super) fn incomplete_commits(&self) -> &AtomicU64 {
        &self.incomplete_commits
    }

    /// True if inserts must not have generic plans.
    pub(super) fn needs_custom_insert_plans(&self) -> bool {
        self.insert_plans.as_ref().is_some_and(|plans| plans.are_custom())
    }
}

/// Counts an operation that waits, also if it is dropped meanwhile.
struct Waiting<'p>(&'p AtomicUsize);

impl<'p> Waiting<'p> {
    fn count(counter: &'p AtomicUsize) -> Self {
        counter.fetch_add(1, Ordering::Relaxed);
        Self(counter)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

fn connector(mut config: Config, setup: &str, options: &Options) -> Result<(Config, Connector)> {
    config.connect_timeout(CONNECT_TIMEOUT);
    set_peer_timeouts(&mut config);
    if config.get_application_name().is_none() {
        config.application_name("wishbone");
    }
    let tls = match config.get_ssl_mode() {
        SslMode::Require => Some(tls::connector()?),
        // `prefer` does not verify the certificate, so it would give no protection against an active attacker.
        _ => {
            config.ssl_mode(SslMode::Disable);
            None
        }
    };
    // By statements, because poolers such as PgBouncer reject startup options. Warnings report incomplete commits.
    let timeout = options.statement_timeout.as_millis();
    let setup = format!("set statement_timeout = {timeout}; set client_min_messages = warning; {setup}");
    let hosts = Arc::new(Hosts::new(&config)?);
    Ok((config, Connector { hosts, tls, setup, incomplete_commits: Arc::default() }))
}

/// Detects a peer that lost power and so cannot close the connection. With Linux's defaults this takes 15 minutes while
/// data is being sent, and two hours on an idle connection.
fn set_peer_timeouts(config: &mut Config) {
    if config.get_tcp_user_timeout().is_none() {
        config.tcp_user_timeout(PEER_TIMEOUT);
    }
    if config.get_keepalives_interval().is_none() && config.get_keepalives_retries().is_none() {
        config.keepalives_idle(PEER_TIMEOUT).keepalives_interval(PEER_TIMEOUT / 5).keepalives_retries(5);
    }
}
