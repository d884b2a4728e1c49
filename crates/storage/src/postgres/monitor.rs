//! Detects a host that is frozen, or gone without a trace: it closes no connection, and its kernel may even acknowledge
//! packets. Only where there is another host to turn to.

use std::io;
use std::pin::pin;
use std::time::Duration;

use deadpool_postgres::ClientWrapper;
use futures_util::future::join_all;
use tokio::runtime::Handle;
use tokio::task::AbortHandle;
use tokio::time::{sleep, timeout};

use super::connect::{Connector, HOST_TIMEOUT};

const INTERVAL: Duration = Duration::from_secs(1);
/// A host is silent if it does not respond to `select 1` on an open connection for twice this time. That statement needs
/// no disk and no lock, and the kernel gives a process that wakes up its turn within milliseconds times the processes
/// that wait for a CPU: 2.5 s is beyond any load under which the database would be of use. A longer pause of this
/// process, on the other hand, ends only the first of the two waits.
const PATIENCE: Duration = Duration::from_millis(1250);

/// The task that probes the hosts, until this is dropped.
pub(super) struct Monitor(AbortHandle);

impl Monitor {
    pub(super) fn start(connector: &Connector) -> Self {
        let connector = connector.clone();
        let hosts = 0..connector.hosts.count();
        let task = async move { join_all(hosts.map(|host| monitor(&connector, host))).await };
        Self(Handle::current().spawn(task).abort_handle())
    }
}

impl Drop for Monitor {
    fn drop(&mut self) {
        self.0.abort();
    }
}

async fn monitor(connector: &Connector, host: usize) {
    let (mut connection, mut pause) = (None, INTERVAL);
    loop {
        sleep(pause).await;
        pause = INTERVAL;
        if !connector.hosts.needs_monitoring(host) {
            connection = None;
        } else if responds(connector, host, &mut connection).await {
            if connector.hosts.set_silent(host, false) {
                tracing::info!(host = host + 1, "the database server responds again");
            }
        } else if connector.hosts.set_silent(host, true) {
            tracing::warn!(host = host + 1, "the database server does not respond: its connections are closed");
            // If it was only slow, it is usable again before operations are given up.
            pause = Duration::ZERO;
        }
    }
}

/// True if the host responds, also with an error: the pool takes note of that itself.
async fn responds(connector: &Connector, host: usize, connection: &mut Option<ClientWrapper>) -> bool {
    if let Some(client) = connection {
        let response = response(client).await;
        if response != Some(true) {
            *connection = None;
        }
        return response.is_some();
    }
    match timeout(HOST_TIMEOUT, connector.connect_to(host)).await {
        Ok(Ok((client, task))) => {
            *connection = Some(ClientWrapper::new(client, task));
            true
        }
        Ok(Err(error)) => !is_timeout(&error),
        Err(_) => false,
    }
}

/// True if the statement succeeded, false if the connection is lost.
async fn response(client: &ClientWrapper) -> Option<bool> {
    let mut response = pin!(client.batch_execute("select 1"));
    for _ in 0..2 {
        if let Ok(response) = timeout(PATIENCE, &mut response).await {
            return Some(response.is_ok());
        }
    }
    None
}

/// True if packets to the host are lost.
fn is_timeout(error: &tokio_postgres::Error) -> bool {
    let cause = std::error::Error::source(error).and_then(|cause| cause.downcast_ref::<io::Error>());
    cause.is_some_and(|cause| cause.kind() == io::ErrorKind::TimedOut)
}
