//! Listening, and stopping without dropping what was accepted.

use std::io::{ErrorKind, Read, Write};
use std::net::SocketAddr;
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

use crate::http::edge::address::{Arrival, Proxies};
use crate::http::edge::connection_limiter::{ConnectionLimiter, ConnectionSlot};
use crate::http::edge::scheduling_delay::{DelayProbe, Measured};
use crate::http::response::headers::HEADERS;
use crate::shutdown::ShutdownPhase;
use crate::supervisor;

/// How long requests under way get to finish once the server is told to stop.
const DRAIN: Duration = Duration::from_secs(20);
/// How long a connection may be silent between requests, or take over the head of one. Longer than the
/// 60 seconds after which the usual load balancers close theirs, so that they never send into a closing one.
const SILENCE: Duration = if cfg!(test) { Duration::from_millis(100) } else { Duration::from_secs(75) };
/// How long a client may take nothing of an answer: what it does not take is kept in memory.
const STUCK: Duration = Duration::from_secs(30);
/// What a request's head may have, and what is read ahead of a body: with many connections it adds up.
const HEAD: usize = 64 << 10;

/// Serves until told to stop, keeps serving for a grace period, then finishes what was accepted. `drain` is called when
/// the grace period starts.
pub async fn serve(
    service: Router,
    listener: TcpListener,
    limits: &ConnectionLimits,
    mut shutdown: watch::Receiver<ShutdownPhase>,
    drain: impl FnOnce(),
) {
    let (close, closing) = watch::channel(false);
    let limiter = ConnectionLimiter::new(limits.connections, limits.connections_per_address);
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
            tracing::warn!("exiting at once with requests under way");
        }
        () = sleep(DRAIN) => tracing::warn!("exiting with requests still under way"),
    }
}

/// What connections are held to.
#[derive(Clone, Debug)]
pub struct ConnectionLimits {
    pub connections: usize,
    /// Of one address that is no trusted proxy.
    pub connections_per_address: usize,
    pub proxies: Proxies,
    /// How long to keep serving after shutdown began, so that load balancers can turn elsewhere.
    pub drain_grace: Duration,
}

/// Serves another router over the same connections, without end: what a benchmark compares the server with. Boxed, so that
/// it is compiled here, as the server is.
pub fn serve_bare(service: Router, listener: TcpListener) -> Pin<Box<dyn Future<Output = ()>>> {
    Box::pin(async move {
        let (_close, closing) = watch::channel(false);
        let limiter = ConnectionLimiter::new(usize::MAX, usize::MAX);
        let acceptor = Acceptor { connections: GracefulShutdown::new(), closing, limiter, proxies: Proxies::default() };
        accept(&listener, service, &acceptor).await;
    })
}

/// All who are inside, and who may enter.
struct Acceptor {
    connections: GracefulShutdown,
    /// Whether it closes.
    closing: watch::Receiver<bool>,
    limiter: Arc<ConnectionLimiter>,
    proxies: Proxies,
}

async fn accept(listener: &TcpListener, service: Router, acceptor: &Acceptor) {
    let mut rejected = RejectedConnections::default();
    loop {
        match listener.accept().await {
            Ok((stream, peer)) => match acceptor
                .limiter
                .acquire(peer.ip(), acceptor.proxies.trust(peer.ip().to_canonical()))
            {
                Some(slot) => {
                    let probe = DelayProbe::new();
                    let client = Client { stream, peer, probe: Arc::clone(&probe), slot };
                    let served =
                        connection(client, service.clone(), acceptor.connections.watcher(), acceptor.closing.clone());
                    supervisor::start_connection(Measured::new(probe, served));
                }
                None => rejected.reject(stream),
            },
            Err(error) if is_the_clients(&error) => {}
            Err(error) => {
                // Out of file descriptors, most likely: trying again at once would only burn the processor.
                tracing::error!(%error, "cannot accept connections: raise the limit on open files");
                sleep(Duration::from_secs(1)).await;
            }
        }
    }
}

/// Connections too many. A flood of them must not become a flood of log lines.
#[derive(Default)]
struct RejectedConnections {
    count: u64,
    said_at: Option<Instant>,
}

impl RejectedConnections {
    fn reject(&mut self, stream: TcpStream) {
        let body =
            r#"{"status":"error","error-code":"overloaded","error-msg":"too many connections; try again in a moment"}"#;
        let length = body.len();
        let secure: String =
            HEADERS.iter().map(|(name, value)| format!("{name}: {}\r\n", value.to_str().unwrap_or_default())).collect();
        let answer = format!(
            "HTTP/1.1 503 Service Unavailable\r\ncontent-type: application/json\r\nretry-after: 1\r\n{secure}\
             access-control-allow-origin: *\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n{body}"
        );
        // Nobody waits for anything here. What is unread when a connection is closed would take the answer along.
        if let Ok(mut stream) = stream.into_std() {
            let _ = stream.write(answer.as_bytes());
            let _ = stream.read(&mut [0; 4_096]);
        }
        metrics::counter!("wishbone_connections_refused_total").increment(1);
        self.count += 1;
        if self.said_at.is_none_or(|at| at.elapsed() >= Duration::from_secs(1)) {
            tracing::warn!(refused = self.count, "too many connections: see --max-connections");
            *self = Self { count: 0, said_at: Some(Instant::now()) };
        }
    }
}

fn is_the_clients(error: &std::io::Error) -> bool {
    matches!(error.kind(), ErrorKind::ConnectionRefused | ErrorKind::ConnectionAborted | ErrorKind::ConnectionReset)
}

/// Someone who was let in.
struct Client {
    stream: TcpStream,
    peer: SocketAddr,
    probe: Arc<DelayProbe>,
    slot: ConnectionSlot,
}

async fn connection(client: Client, service: Router, watcher: Watcher, mut closing: watch::Receiver<bool>) {
    let Client { stream, peer, probe, slot: _slot } = client;
    // Answers are written whole; waiting for more would only delay them.
    let _ = stream.set_nodelay(true);
    // The library takes memory from the start. Who has not sent anything needs none.
    tokio::select! {
        biased;
        heard = timeout(SILENCE, stream.readable()) => if !matches!(heard, Ok(Ok(()))) { return },
        _ = closing.wait_for(|closing| *closing) => return,
    }
    let mut server = Builder::new(TokioExecutor::new());
    server.http1().timer(TokioTimer::new()).header_read_timeout(SILENCE).max_buf_size(HEAD);
    server.http2().timer(TokioTimer::new()).keep_alive_interval(SILENCE);
    let has_request = Arc::new(AtomicBool::new(false));
    let saw_request = Arc::clone(&has_request);
    let service = TowerToHyperService::new(service.map_request(move |mut request: Request<_>| {
        saw_request.store(true, Ordering::Relaxed);
        request.extensions_mut().insert(Arrival { peer: peer.ip(), delay: probe.delay() });
        request
    }));
    let mut stream = TimeoutStream::new(stream);
    stream.set_write_timeout(Some(STUCK));
    tokio::select! {
        served = watcher.watch(server.serve_connection(TokioIo::new(Box::pin(stream)), service)) => {
            if let Err(error) = served {
                tracing::debug!(%error, "a connection ended early");
            }
        }
        () = idle(&has_request) => tracing::debug!("a connection has_request for nothing"),
    }
}

/// Ends when it has been silent for too long before the first request. The library waits without end for bytes that tell
/// HTTP/1 from HTTP/2.
async fn idle(has_request: &AtomicBool) {
    sleep(SILENCE).await;
    if has_request.load(Ordering::Relaxed) {
        std::future::pending::<()>().await;
    }
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, Ipv4Addr};

    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::*;

    #[tokio::test]
    async fn a_connection_that_never_asks_for_anything_is_closed() {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let connections = GracefulShutdown::new();
        for raw in ["", "P", "PRI * HTTP/2.0\r\n", "GET / HTTP/1.1\r\n"] {
            let mut client = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
            client.write_all(raw.as_bytes()).await.unwrap();
            let (stream, peer) = listener.accept().await.unwrap();
            let slot = ConnectionLimiter::new(1, 1).acquire(IpAddr::V4(Ipv4Addr::LOCALHOST), false).unwrap();
            let (_close, closing) = watch::channel(false);
            let probe = DelayProbe::new();
            let someone = Client { stream, peer, probe: Arc::clone(&probe), slot };
            let served = connection(someone, Router::new(), connections.watcher(), closing);
            let ended = timeout(Duration::from_secs(20), Measured::new(probe, served)).await;
            assert!(ended.is_ok(), "after {raw:?}");
            // Some are told why.
            let _ = client.read_to_end(&mut Vec::new()).await;
        }
    }
}
