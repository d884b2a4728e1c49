//! The TCP listener, its connections and their graceful shutdown.

use std::io::{ErrorKind, Read, Write};
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use axum::Router;
use axum::http::Request;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use hyper_util::server::graceful::{GracefulShutdown, Watcher};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::time::{sleep, timeout};
use tokio_io_timeout::TimeoutStream;
use tower::ServiceExt;
use wishbone_core::error::Code;

use crate::http::edge::address::{Arrival, Proxies, limit_key};
use crate::http::edge::refusals::{ExplainRefusals, refusal};
use crate::http::edge::scheduling_delay::{DelayProbe, Measured};
use crate::shutdown::ShutdownPhase;
use crate::slot_limiter::{Slot, SlotLimiter};
use crate::supervisor;

/// Time for in-flight requests to complete after the listener has closed.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(20);
/// Idle timeout of a connection between requests, and read timeout of a request's head. Longer than the 60 seconds that
/// are common for load balancers, so that they close first and never send a request into a closing connection.
const IDLE_TIMEOUT: Duration = if cfg!(test) { Duration::from_millis(100) } else { Duration::from_secs(75) };
/// Write timeout: a response that the client does not read stays in memory.
const WRITE_TIMEOUT: Duration = Duration::from_secs(30);
/// Limit on a request's head, and size of the read buffer, which every connection has.
const READ_BUFFER: usize = 64 << 10;

/// Serves until shutdown starts, keeps serving for the grace period, then completes in-flight requests. Calls `drain` when
/// the grace period starts.
pub async fn serve(
    service: Router,
    listener: TcpListener,
    limits: &ConnectionLimits,
    mut shutdown: watch::Receiver<ShutdownPhase>,
    drain: impl FnOnce(),
) {
    let (close, closing) = watch::channel(false);
    let limiter = SlotLimiter::new(limits.connections, limits.connections_per_address);
    let acceptor = Acceptor { connections: GracefulShutdown::new(), closing, limiter, proxies: limits.proxies.clone() };
    let mut draining = shutdown.clone();
    let grace = async {
        let _ = draining.wait_for(|phase| *phase >= ShutdownPhase::Draining).await;
        drain();
        sleep(limits.drain_grace).await;
    };
    tokio::select! {
        () = accept(&listener, service, &acceptor) => {}
        () = grace => {}
        _ = shutdown.wait_for(|phase| *phase == ShutdownPhase::Immediate) => {}
    }
    drop(listener);
    let _ = close.send(true);
    tokio::select! {
        () = acceptor.connections.shutdown() => {}
        _ = shutdown.wait_for(|phase| *phase == ShutdownPhase::Immediate) => {
            tracing::warn!("exiting immediately with requests in flight");
        }
        () = sleep(SHUTDOWN_TIMEOUT) => tracing::warn!("exiting with requests still in flight"),
    }
}

/// Limits on connections.
#[derive(Clone, Debug)]
pub struct ConnectionLimits {
    pub connections: usize,
    /// Connections from one address, unless it is a trusted proxy.
    pub connections_per_address: usize,
    pub proxies: Proxies,
    /// Time to keep serving after shutdown starts, so that load balancers can switch to other nodes.
    pub drain_grace: Duration,
}

/// Serves a router over the same HTTP stack, without limits or shutdown: the baseline of benchmarks. Boxed, so that it
/// is compiled in this crate, with the same optimizations as the server.
pub fn serve_bare(service: Router, listener: TcpListener) -> Pin<Box<dyn Future<Output = ()>>> {
    Box::pin(async move {
        let (_close, closing) = watch::channel(false);
        let limiter = SlotLimiter::new(usize::MAX, usize::MAX);
        let acceptor = Acceptor { connections: GracefulShutdown::new(), closing, limiter, proxies: Proxies::default() };
        accept(&listener, service, &acceptor).await;
    })
}

/// Open connections, and the limits on new ones.
struct Acceptor {
    connections: GracefulShutdown,
    /// True once shutdown closes idle connections.
    closing: watch::Receiver<bool>,
    limiter: Arc<SlotLimiter<IpAddr>>,
    proxies: Proxies,
}

impl Acceptor {
    /// The address of a proxy stands for many clients, so only the total is limited.
    fn acquire(&self, peer: IpAddr) -> Option<Slot<IpAddr>> {
        let is_proxy = self.proxies.trust(peer.to_canonical());
        self.limiter.acquire((!is_proxy).then(|| limit_key(peer)))
    }
}

/// Counts an open connection, until it is dropped.
struct OpenConnection;

impl OpenConnection {
    fn new() -> Self {
        metrics::gauge!("wishbone_connections").increment(1.0);
        Self
    }
}

impl Drop for OpenConnection {
    fn drop(&mut self) {
        metrics::gauge!("wishbone_connections").decrement(1.0);
    }
}

async fn accept(listener: &TcpListener, service: Router, acceptor: &Acceptor) {
    let mut rejected = RejectedConnections::default();
    loop {
        match listener.accept().await {
            Ok((stream, peer)) => match acceptor.acquire(peer.ip()) {
                Some(slot) => {
                    let probe = DelayProbe::new();
                    let client = Client { stream, peer, probe: Arc::clone(&probe), slot };
                    let served =
                        connection(client, service.clone(), acceptor.connections.watcher(), acceptor.closing.clone());
                    supervisor::start_connection(Measured::new(probe, served));
                }
                None => rejected.reject(stream),
            },
            Err(error) if is_client_error(&error) => {}
            Err(error) => {
                // Most likely out of file descriptors: retrying at once would only burn CPU.
                tracing::error!(%error, "cannot accept connections: raise the limit on open files");
                sleep(Duration::from_secs(1)).await;
            }
        }
    }
}

/// Rejected connections. Logged at most once a second, since they may be many.
#[derive(Default)]
struct RejectedConnections {
    count: u64,
    logged_at: Option<Instant>,
}

impl RejectedConnections {
    fn reject(&mut self, stream: TcpStream) {
        let message = "too many connections: retry after the time in Retry-After";
        let response = refusal("503 Service Unavailable", "retry-after: 1\r\n", Code::Overloaded, message);
        // Neither call blocks. Closing a socket with unread data resets the connection and discards the response.
        if let Ok(mut stream) = stream.into_std() {
            let _ = stream.write(&response);
            let _ = stream.read(&mut [0; 4_096]);
        }
        metrics::counter!("wishbone_connections_refused_total").increment(1);
        self.count += 1;
        if self.logged_at.is_none_or(|at| at.elapsed() >= Duration::from_secs(1)) {
            tracing::warn!(
                rejected = self.count,
                "too many connections: raise --max-connections if the machine has room"
            );
            *self = Self { count: 0, logged_at: Some(Instant::now()) };
        }
    }
}

fn is_client_error(error: &std::io::Error) -> bool {
    matches!(error.kind(), ErrorKind::ConnectionRefused | ErrorKind::ConnectionAborted | ErrorKind::ConnectionReset)
}

/// An accepted connection.
struct Client {
    stream: TcpStream,
    peer: SocketAddr,
    probe: Arc<DelayProbe>,
    slot: Slot<IpAddr>,
}

async fn connection(client: Client, service: Router, watcher: Watcher, mut closing: watch::Receiver<bool>) {
    let Client { stream, peer, probe, slot: _slot } = client;
    let _open = OpenConnection::new();
    // Responses are written whole, so Nagle's algorithm would only delay them.
    let _ = stream.set_nodelay(true);
    // hyper allocates buffers at once; a connection that has sent nothing needs none.
    tokio::select! {
        biased;
        readable = timeout(IDLE_TIMEOUT, stream.readable()) => if !matches!(readable, Ok(Ok(()))) { return },
        _ = closing.wait_for(|closing| *closing) => return,
    }
    let mut server = Builder::new(TokioExecutor::new());
    server.http1().timer(TokioTimer::new()).header_read_timeout(IDLE_TIMEOUT).max_buf_size(READ_BUFFER);
    server.http2().timer(TokioTimer::new()).keep_alive_interval(IDLE_TIMEOUT);
    let has_request = Arc::new(AtomicBool::new(false));
    let request_flag = Arc::clone(&has_request);
    let service = TowerToHyperService::new(service.map_request(move |mut request: Request<_>| {
        request_flag.store(true, Ordering::Relaxed);
        request.extensions_mut().insert(Arrival { peer: peer.ip(), delay: probe.delay() });
        request
    }));
    let mut stream = TimeoutStream::new(stream);
    stream.set_write_timeout(Some(WRITE_TIMEOUT));
    tokio::select! {
        served = watcher.watch(server.serve_connection(TokioIo::new(ExplainRefusals::new(Box::pin(stream))), service)) => {
            if let Err(error) = served {
                tracing::debug!(%error, "connection ended with an error");
            }
        }
        () = idle(&has_request) => tracing::debug!("connection closed: idle before its first request"),
    }
}

/// Completes if no request arrives within the idle timeout. hyper itself waits without limit for the bytes that
/// distinguish HTTP/1 from HTTP/2.
async fn idle(has_request: &AtomicBool) {
    sleep(IDLE_TIMEOUT).await;
    if has_request.load(Ordering::Relaxed) {
        std::future::pending::<()>().await;
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::*;

    #[tokio::test]
    async fn a_connection_without_a_request_is_closed() {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let connections = GracefulShutdown::new();
        for raw in ["", "P", "PRI * HTTP/2.0\r\n", "GET / HTTP/1.1\r\n"] {
            let mut client = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
            client.write_all(raw.as_bytes()).await.unwrap();
            let (stream, peer) = listener.accept().await.unwrap();
            let slot = SlotLimiter::new(1, 1).acquire(Some(IpAddr::V4(Ipv4Addr::LOCALHOST))).unwrap();
            let (_close, closing) = watch::channel(false);
            let probe = DelayProbe::new();
            let accepted = Client { stream, peer, probe: Arc::clone(&probe), slot };
            let served = connection(accepted, Router::new(), connections.watcher(), closing);
            let ended = timeout(Duration::from_secs(20), Measured::new(probe, served)).await;
            assert!(ended.is_ok(), "after {raw:?}");
            // Some get an error response first.
            let _ = client.read_to_end(&mut Vec::new()).await;
        }
    }
}
