//! Connections to one of several hosts, and what the server says on them besides responses.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use deadpool_postgres::Connect;
use tokio::io::{AsyncRead, AsyncWrite, empty};
use tokio::runtime::Handle;
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_postgres::error::DbError;
use tokio_postgres::tls::TlsStream;
use tokio_postgres::{AsyncMessage, Client, Config, Connection, Error, NoTls};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::hosts::Hosts;

/// The time in which a host must accept a connection and complete its startup: authentication, the check for a primary,
/// and the settings of the session.
pub(super) const HOST_TIMEOUT: Duration = Duration::from_secs(5);

/// A client, and the task that runs its connection.
pub(super) type Connected = (Client, JoinHandle<()>);

#[derive(Clone)]
pub(super) struct Connector {
    pub(super) hosts: Arc<Hosts>,
    pub(super) tls: Option<MakeRustlsConnect>,
    /// Statements that every session starts with.
    pub(super) setup: String,
    /// Counts the warnings of [`is_incomplete_commit`] on all connections.
    pub(super) incomplete_commits: Arc<AtomicU64>,
}

impl Connect for Connector {
    fn connect(&self, _: &Config) -> Pin<Box<dyn Future<Output = Result<Connected, Error>> + Send + '_>> {
        Box::pin(self.connect_to_any())
    }
}

impl Connector {
    async fn connect_to_any(&self) -> Result<Connected, Error> {
        let mut failure = None;
        for host in self.hosts.candidates() {
            let silence = self.hosts.falls_silent(host);
            let attempt = timeout(HOST_TIMEOUT, self.connect_to(host));
            let attempt = tokio::select! {
                attempt = attempt => attempt,
                () = silence => continue,
            };
            match attempt {
                Ok(Ok(connected)) => {
                    self.hosts.connected(host);
                    return Ok(connected);
                }
                Ok(Err(error)) => failure = Some(error),
                Err(_) => tracing::debug!(host, "no response of the database server"),
            }
        }
        match failure {
            Some(error) => Err(error),
            // tokio-postgres has no constructor for its errors; this is its error for a connection that was closed.
            None => Config::new().user("none").connect_raw(empty(), NoTls).await.map(|(client, connection)| {
                (client, Handle::current().spawn(run(connection, Arc::clone(&self.incomplete_commits))))
            }),
        }
    }

    /// Connects to one host, without a limit on the time.
    pub(super) async fn connect_to(&self, host: usize) -> Result<Connected, Error> {
        let config = self.hosts.config(host);
        match &self.tls {
            Some(tls) => {
                let (client, connection) = config.connect(tls.clone()).await?;
                self.start(host, client, connection).await
            }
            None => {
                let (client, connection) = config.connect(NoTls).await?;
                self.start(host, client, connection).await
            }
        }
    }

    /// Sets up the session, and runs the connection in the background until it is closed or its host falls silent. Then
    /// operations that wait for a response fail at once, and the pool discards the connection.
    async fn start<S, T>(&self, host: usize, client: Client, connection: Connection<S, T>) -> Result<Connected, Error>
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
        T: TlsStream + Unpin + Send + 'static,
    {
        let silence = self.hosts.falls_silent(host);
        let mut connection = Box::pin(run(connection, Arc::clone(&self.incomplete_commits)));
        tokio::select! {
            biased;
            done = client.batch_execute(&self.setup) => done?,
            // The connection was lost; the next statement on it fails.
            () = &mut connection => {}
        }
        let task = Handle::current().spawn(async move {
            tokio::select! {
                () = connection => {}
                () = silence => {}
            }
        });
        Ok((client, task))
    }
}

/// Runs a connection. A notice is counted before the response that follows it is delivered.
async fn run<S, T>(mut connection: Connection<S, T>, incomplete_commits: Arc<AtomicU64>)
where
    S: AsyncRead + AsyncWrite + Unpin,
    T: TlsStream + Unpin,
{
    loop {
        match poll_fn(|context| connection.poll_message(context)).await {
            Some(Ok(AsyncMessage::Notice(notice))) if is_incomplete_commit(&notice) => {
                incomplete_commits.fetch_add(1, Ordering::SeqCst);
                tracing::warn!(code = notice.code().code(), "the database reports an incomplete commit");
            }
            // The text may contain values of rows.
            Some(Ok(AsyncMessage::Notice(notice))) => {
                tracing::debug!(severity = notice.severity(), code = notice.code().code(), "notice of the database");
            }
            Some(Ok(_)) => {}
            Some(Err(error)) => return tracing::warn!(%error, "connection to the database lost"),
            None => return,
        }
    }
}

/// True for the warnings after which a commit is acknowledged although it may be lost: Citus could not commit on a
/// worker, or a commit was cancelled while it waited for the synchronous standby. Citus does not translate its messages;
/// PostgreSQL does, so its function is compared.
fn is_incomplete_commit(notice: &DbError) -> bool {
    notice.message().starts_with("failed to commit transaction on ") || notice.routine() == Some("SyncRepWaitForLSN")
}
