//! The connection pool.

use std::str::FromStr;
use std::time::Duration;

use deadpool_postgres::{Hook, HookError, Manager, ManagerConfig, Object, Pool, RecyclingMethod, Runtime};
use tokio::runtime::Handle;
use tokio::time::timeout;
use tokio_postgres::config::{LoadBalanceHosts, SslMode};
use tokio_postgres::{Config, NoTls};

use super::tls;
use crate::error::{Error, Result};
use crate::options::Options;

/// The time an operation waits for a connection before it fails with [`Error::Busy`]. A request has a few operations,
/// whose waits add up.
const WAIT_TIMEOUT: Duration = Duration::from_millis(400);
/// The timeout of the TCP connection to one server.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(2);
/// The timeout of the startup after it: authentication, and the check for a primary.
const STARTUP_TIMEOUT: Duration = Duration::from_secs(3);
/// The time after which an unresponsive peer is considered dead.
const PEER_TIMEOUT: Duration = Duration::from_secs(10);

pub(super) fn build(url: &str, options: &Options) -> Result<Pool> {
    let mut config = Config::from_str(url)
        .map_err(|error| Error::Unusable(format!("the database URL is not a valid postgres:// URL ({error})")))?;
    config.connect_timeout(CONNECT_TIMEOUT);
    set_peer_timeouts(&mut config);
    let servers = config.get_hosts().len().max(config.get_hostaddrs().len());
    if servers > 1 {
        // In a fixed order, a server that hangs would delay every connection.
        config.load_balance_hosts(LoadBalanceHosts::Random);
    }
    // Long enough to reach the last server when all others are down.
    let create_timeout = CONNECT_TIMEOUT * servers as u32 + STARTUP_TIMEOUT;
    if config.get_application_name().is_none() {
        config.application_name("wishbone");
    }
    let manager_config = ManagerConfig { recycling_method: RecyclingMethod::Fast };
    let manager = match config.get_ssl_mode() {
        SslMode::Require => Manager::from_config(config, tls::connector()?, manager_config),
        // `prefer` does not verify the certificate, so it would give no protection against an active attacker.
        _ => Manager::from_config(config.ssl_mode(SslMode::Disable).clone(), NoTls, manager_config),
    };
    Pool::builder(manager)
        .max_size(options.pool_size)
        .runtime(Runtime::Tokio1)
        .wait_timeout(Some(WAIT_TIMEOUT))
        .create_timeout(Some(create_timeout))
        .post_create(set_statement_timeout(options.statement_timeout))
        .build()
        .map_err(Error::unavailable)
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

/// Sets the timeout by a statement, because poolers such as PgBouncer reject startup options.
fn set_statement_timeout(timeout: Duration) -> Hook {
    Hook::async_fn(move |client, _| {
        let set = format!("set statement_timeout = {}", timeout.as_millis());
        Box::pin(async move { client.batch_execute(&set).await.map_err(HookError::Backend) })
    })
}

/// The time in which a connection must respond after its operation was dropped.
const RECOVERY_TIMEOUT: Duration = Duration::from_secs(1);

/// A pooled connection while an operation uses it. If the operation is dropped before it ends, because its caller is
/// gone or timed out, the connection may be dead: it is reused once it has responded, and otherwise closed. (Closing it at once
/// would let callers who disconnect exhaust the server with new connections.)
pub(super) struct PooledConnection(Option<Object>);

impl PooledConnection {
    pub(super) fn new(client: Object) -> Self {
        Self(Some(client))
    }

    pub(super) fn client(&self) -> Result<&Object> {
        self.0.as_ref().ok_or_else(|| Error::bug("the connection was released"))
    }

    /// Returns the connection to the pool.
    pub(super) fn release(mut self) {
        drop(self.0.take());
    }
}

impl Drop for PooledConnection {
    fn drop(&mut self) {
        let Some(client) = self.0.take() else { return };
        let Ok(runtime) = Handle::try_current() else { return drop(Object::take(client)) };
        runtime.spawn(async move {
            // The response to an empty query comes after those to all earlier statements.
            let responds = timeout(RECOVERY_TIMEOUT, client.batch_execute("")).await;
            if !matches!(responds, Ok(Ok(()))) {
                drop(Object::take(client));
            }
        });
    }
}
