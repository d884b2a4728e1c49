//! The TCP listener, its connections and their graceful shutdown.

use std::io::ErrorKind;
use std::net::SocketAddr;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use axum::Router;
use axum::http::header::STRICT_TRANSPORT_SECURITY;
use axum::http::{HeaderValue, Request};
use axum::response::Response;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use hyper_util::service::TowerToHyperService;
use socket2::SockRef;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::time::{sleep, timeout};
use tower::ServiceExt;
use tower::util::MapResponseLayer;
use wishbone_core::error::Code;

use crate::http::clients::client::{Client, Clients};
use crate::http::clients::stream::ClientStream;
use crate::http::edge::address::{Arrival, Proxies};
use crate::http::edge::admission::AdmissionControl;
use crate::http::edge::close_listener::{self, HANDSHAKE_TIMEOUT, refuse_new_connections};
use crate::http::edge::intake::{Intake, MAX_HEAD};
use crate::http::edge::refusals::{ExplainRefusals, refusal, send_and_close};
use crate::http::edge::scheduling_delay::{DelayProbe, Measured};
use crate::http::edge::tls::ServerTls;
use crate::limit_key::ClientAddress;
use crate::shutdown::ShutdownPhase;
use crate::slot_limiter::{Slot, SlotLimiter};
use crate::supervisor;

/// Time for the first request of a connection to arrive after the listener has closed.
const FIRST_REQUEST_TIMEOUT: Duration = Duration::from_secs(1);
/// Time for in-flight requests to complete after the listener has closed.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(20);
/// Idle timeout of a connection between requests, and read timeout of a request's head. Longer than the 60 seconds that
/// are common for load balancers, so that they close first and never send a request into a closing connection.
const IDLE_TIMEOUT: Duration = if cfg!(test) { Duration::from_millis(100) } else { Duration::from_secs(75) };
/// Concurrent requests of an HTTP/2 connection. Browsers send more when others have ended.
const MAX_STREAMS: u32 = 32;
/// What a stream and a connection may send before it is read.
const STREAM_WINDOW: u32 = 128 << 10;
const CONNECTION_WINDOW: u32 = 512 << 10;
/// What a stream has in memory to be sent.
const SEND_BUFFER: usize = 64 << 10;
/// What a socket takes beyond what the client has room for.
const MAX_NOT_SENT: u32 = 128 << 10;
/// Connections that wait to be accepted. Beyond it, the kernel drops handshakes, and clients try again after a second: too
/// short a queue delays shoppers who come in a burst.
const BACKLOG: i32 = 1_024;
/// A year, for this host alone: its subdomains may belong to others.
const STRICT: HeaderValue = HeaderValue::from_static("max-age=31536000");

/// The beginning of an HTTP/2 connection. No HTTP/1 method begins like this.
const HTTP2_PREFACE: &[u8] = b"PRI * HTTP/2.0";
const PREFACE_INTERVAL: Duration = Duration::from_millis(10);

/// Serves until shutdown starts, keeps serving for the grace period, then completes in-flight requests and those of
/// connections that the kernel has accepted. Calls `drain` when the grace period starts.
pub async fn serve(
    service: Router,
    listener: TcpListener,
    settings: &ConnectionSettings,
    mut shutdown: watch::Receiver<ShutdownPhase>,
    drain: impl FnOnce(),
) {
    if let Err(error) = SockRef::from(&listener).listen(BACKLOG) {
        tracing::debug!(%error, "cannot lengthen the queue of new connections");
    }
    let is_strict = settings.tls.as_ref().is_some_and(|tls| tls.is_strict);
    let service = if is_strict { service.layer(MapResponseLayer::new(require_tls)) } else { service };
    let (close, closing) = watch::channel(false);
    let limiter = SlotLimiter::new(settings.connections, settings.connections_per_address);
    let (proxies, tls) = (settings.proxies.clone(), settings.tls.clone());
    let rejected = RejectedConnections::default();
    let (clients, admission) = (Arc::clone(&settings.clients), Arc::clone(&settings.admission));
    let mut acceptor =
        Acceptor { service, closing, limiter, clients: Arc::clone(&clients), admission, proxies, tls, rejected };
    let mut draining = shutdown.clone();
    let grace = async {
        let _ = draining.wait_for(|phase| *phase >= ShutdownPhase::Draining).await;
        drain();
        sleep(settings.drain_grace).await;
        refuse_new_connections(&listener);
        sleep(HANDSHAKE_TIMEOUT).await;
    };
    tokio::select! {
        () = acceptor.accept_from(&listener) => {}
        () = clients.watch() => {}
        () = grace => {}
        _ = shutdown.wait_for(|phase| *phase == ShutdownPhase::Immediate) => {}
    }
    for (stream, peer) in close_listener::close(listener) {
        acceptor.start(stream, peer);
    }
    // From here on, only connections hold the other end of `close`.
    drop(acceptor);
    let _ = close.send(true);
    tokio::select! {
        () = close.closed() => {}
        () = clients.watch() => {}
        _ = shutdown.wait_for(|phase| *phase == ShutdownPhase::Immediate) => {
            tracing::warn!("exiting immediately with requests in flight");
        }
        () = sleep(SHUTDOWN_TIMEOUT) => tracing::warn!("exiting with requests still in flight"),
    }
}

/// Tells browsers that this host has HTTPS only.
fn require_tls(mut response: Response) -> Response {
    response.headers_mut().insert(STRICT_TRANSPORT_SECURITY, STRICT);
    response
}

/// What holds for all connections of a listener.
#[derive(Clone)]
pub struct ConnectionSettings {
    pub connections: usize,
    /// Connections from one address, unless it is a trusted proxy.
    pub connections_per_address: usize,
    pub proxies: Proxies,
    pub clients: Arc<Clients>,
    pub admission: Arc<AdmissionControl>,
    /// Time to keep serving after shutdown starts, so that load balancers can switch to other nodes.
    pub drain_grace: Duration,
    /// `None` for plain HTTP.
    pub tls: Option<Arc<ServerTls>>,
}

/// Serves a router over the same HTTP stack, without limits or shutdown: the baseline of benchmarks. Boxed, so that it
/// is compiled in this crate, with the same optimizations as the server.
pub fn serve_bare(service: Router, listener: TcpListener) -> Pin<Box<dyn Future<Output = ()>>> {
    Box::pin(async move {
        let (_close, closing) = watch::channel(false);
        let limiter = SlotLimiter::new(usize::MAX, usize::MAX);
        let (clients, proxies, rejected) = Default::default();
        let admission = AdmissionControl::new(usize::MAX);
        let mut acceptor = Acceptor { service, closing, limiter, clients, admission, proxies, tls: None, rejected };
        acceptor.accept_from(&listener).await;
    })
}

/// Starts connections, within their limits.
struct Acceptor {
    service: Router,
    /// True once shutdown closes idle connections. Every connection holds a clone until it ends.
    closing: watch::Receiver<bool>,
    limiter: Arc<SlotLimiter<ClientAddress>>,
    clients: Arc<Clients>,
    admission: Arc<AdmissionControl>,
    proxies: Proxies,
    tls: Option<Arc<ServerTls>>,
    rejected: RejectedConnections,
}

impl Acceptor {
    async fn accept_from(&mut self, listener: &TcpListener) {
        loop {
            match listener.accept().await {
                Ok((stream, peer)) => self.start(stream, peer),
                Err(error) if is_client_error(&error) => {}
                Err(error) => {
                    // Most likely out of file descriptors: retrying at once would only burn CPU.
                    tracing::error!(%error, "cannot accept connections: raise the limit on open files");
                    sleep(Duration::from_secs(1)).await;
                }
            }
        }
    }

    fn start(&mut self, stream: TcpStream, peer: SocketAddr) {
        // The address of a proxy stands for many clients, so only the totals are limited.
        let address = (!self.proxies.trust(peer.ip().to_canonical())).then(|| peer.ip().into());
        match self.limiter.acquire(address) {
            Some(slot) => {
                let probe = DelayProbe::new();
                let (tls, client) = (self.tls.clone(), self.clients.connect(address, self.tls.is_some()));
                let admission = Arc::clone(&self.admission);
                let accepted = Accepted { stream, peer, probe: Arc::clone(&probe), client, admission, tls, slot };
                let served = connection(accepted, self.service.clone(), self.closing.clone());
                supervisor::start_connection(Measured::new(probe, served));
            }
            None => self.rejected.reject(stream, self.tls.is_some()),
        }
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

/// Rejected connections. Logged at most once a second, since they may be many.
#[derive(Default)]
struct RejectedConnections {
    count: u64,
    logged_at: Option<Instant>,
}

impl RejectedConnections {
    fn reject(&mut self, stream: TcpStream, is_tls: bool) {
        // Over TLS it would be noise: there has been no handshake, and one is too costly to refuse a connection.
        if !is_tls {
            let message = "too many connections: retry after the time in Retry-After";
            let response = refusal("503 Service Unavailable", "retry-after: 1\r\n", Code::Overloaded, message);
            send_and_close(stream, &response);
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
struct Accepted {
    stream: TcpStream,
    peer: SocketAddr,
    probe: Arc<DelayProbe>,
    client: Arc<Client>,
    admission: Arc<AdmissionControl>,
    tls: Option<Arc<ServerTls>>,
    slot: Slot<ClientAddress>,
}

async fn connection(accepted: Accepted, service: Router, closing: watch::Receiver<bool>) {
    let client = Arc::clone(&accepted.client);
    tokio::select! {
        // In this order, so that a response that is complete is written.
        biased;
        () = serve_connection(accepted, service, closing) => {}
        () = client.too_slow() => tracing::debug!("connection closed: the client is too slow, or takes too much"),
    }
}

async fn serve_connection(accepted: Accepted, service: Router, closing: watch::Receiver<bool>) {
    let Accepted { stream, peer, probe, client, admission, tls, slot: _slot } = accepted;
    let _open = OpenConnection::new();
    // Responses are written whole, so Nagle's algorithm would only delay them.
    let _ = stream.set_nodelay(true);
    // Else megabytes fit into the kernel, and a client that reads steadily seems to stand still for minutes.
    #[cfg(target_os = "linux")]
    let _ = SockRef::from(&stream).set_tcp_notsent_lowat(MAX_NOT_SENT);
    let arrival = move |is_tls: bool| Arrival { peer: peer.ip(), delay: probe.delay(), is_tls };
    let mut closing = Closing { started: closing, client: Arc::clone(&client), has_request: Arc::default() };
    if let Some(tls) = tls {
        // Boxed, so that plain connections have no room for its state.
        return Box::pin(async move {
            let handshake = pin!(async {
                client.wait_for_memory().await;
                let stream = tls.handshake(stream).await;
                client.wait_for_memory().await;
                stream
            });
            let stream = tokio::select! {
                biased;
                stream = admission.pace(client.network(), handshake) => stream,
                () = closing.wait() => None,
            };
            if let Some(stream) = stream {
                let version = if stream.get_ref().1.alpn_protocol() == Some(b"h2") { Version::H2 } else { Version::H1 };
                let client = Arc::clone(&client);
                exchange(stream, version, client, &admission, service, move || arrival(true), closing).await;
            }
        })
        .await;
    }
    // hyper allocates buffers at once; a connection that has sent nothing needs none.
    let begun = async {
        let version = version(&stream).await;
        client.wait_for_memory().await;
        version
    };
    let version = tokio::select! {
        biased;
        version = timeout(IDLE_TIMEOUT, begun) => version,
        () = closing.wait() => return,
    };
    if let Ok(Some(version)) = version {
        exchange(stream, version, client, &admission, service, move || arrival(false), closing).await;
    }
}

enum Version {
    H1,
    H2,
}

/// The protocol that a client without TLS speaks; `None` if it closes the connection. The first bytes are only peeked at:
/// hyper's own detection reads them first, which doubles the buffer that every connection has.
async fn version(stream: &TcpStream) -> Option<Version> {
    let mut first = [0; HTTP2_PREFACE.len()];
    loop {
        let length = stream.peek(&mut first).await.ok().filter(|length| *length > 0)?;
        if !HTTP2_PREFACE.starts_with(&first[..length]) {
            return Some(Version::H1);
        }
        if length == HTTP2_PREFACE.len() {
            return Some(Version::H2);
        }
        // The stream stays readable while the rest is on its way.
        sleep(PREFACE_INTERVAL).await;
    }
}

/// Serves the requests of a connection.
async fn exchange<S, A>(
    stream: S,
    version: Version,
    client: Arc<Client>,
    admission: &AdmissionControl,
    service: Router,
    arrival: A,
    mut closing: Closing,
) where
    S: AsyncRead + AsyncWrite + Send + 'static,
    A: Fn() -> Arrival + Clone + Send + 'static,
{
    let server = Builder::new(TokioExecutor::new());
    let mut server = match version {
        Version::H1 => server.http1_only(),
        Version::H2 => {
            client.set_multiplexed();
            server.http2_only()
        }
    };
    server.http1().timer(TokioTimer::new()).header_read_timeout(IDLE_TIMEOUT).max_buf_size(MAX_HEAD);
    server
        .http2()
        .timer(TokioTimer::new())
        .keep_alive_interval(IDLE_TIMEOUT)
        .max_header_list_size(MAX_HEAD as u32)
        .max_concurrent_streams(MAX_STREAMS)
        .max_send_buf_size(SEND_BUFFER)
        .initial_stream_window_size(STREAM_WINDOW)
        .initial_connection_window_size(CONNECTION_WINDOW);
    let request_flag = Arc::clone(&closing.has_request);
    let service = service.map_request(move |mut request: Request<_>| {
        request_flag.store(true, Ordering::Relaxed);
        request.extensions_mut().insert(arrival());
        request
    });
    let service = TowerToHyperService::new(Intake { service, client: Arc::clone(&client) });
    let stream = ClientStream::new(Box::pin(stream), Arc::clone(&client));
    let io = TokioIo::new(ExplainRefusals::new(stream));
    let mut served = pin!(server.serve_connection(io, service));
    let has_request = Arc::clone(&closing.has_request);
    let exchanged = pin!(async {
        tokio::select! {
            // In this order, so that a request that has arrived is read before the connection counts as idle.
            biased;
            ended = served.as_mut() => ended,
            () = idle(&has_request) => {
                tracing::debug!("connection closed: idle before its first request");
                Ok(())
            }
            () = closing.wait() => {
                served.as_mut().graceful_shutdown();
                served.await
            }
        }
    });
    // On HTTP/1 requests, whose use is counted by themselves, are almost all of it.
    let network = client.network().filter(|_| client.is_multiplexed());
    if let Err(error) = admission.pace(network, exchanged).await {
        tracing::debug!(%error, "connection ended with an error");
    }
}

/// The graceful end of a connection: when the listener closes, or if it is one of too many that are idle.
struct Closing {
    started: watch::Receiver<bool>,
    client: Arc<Client>,
    /// True once the first request has arrived.
    has_request: Arc<AtomicBool>,
}

impl Closing {
    /// Completes when the connection is to end after the requests in progress: once it has been idle for too long or the
    /// listener has closed and, since a client that has just connected is about to send a request, the first request has
    /// had time to arrive. Its response ends the connection.
    async fn wait(&mut self) {
        tokio::select! {
            _ = self.started.wait_for(|closing| *closing) => {}
            () = self.client.idle_for_too_long() => return,
        }
        if !self.has_request.load(Ordering::Relaxed) {
            sleep(FIRST_REQUEST_TIMEOUT).await;
        }
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

    use axum::body::Body;
    use axum::response::IntoResponse;
    use axum::routing::get;
    use axum::{Extension, Router};
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::*;
    use crate::http::clients::client::Arriving;
    use crate::http::response::outgoing::outgoing;

    /// More than all buffers between a server and a client take.
    const LENGTH: usize = 32 << 20;

    /// Time after which a test has failed.
    const TIMEOUT: Duration = Duration::from_secs(60);

    /// Serves one connection, of which the client has sent the beginning, until it ends.
    async fn serve_one(listener: &TcpListener, service: Router) {
        let (stream, peer) = listener.accept().await.unwrap();
        let slot = SlotLimiter::new(1, 1).acquire(Some(ClientAddress::from(Ipv4Addr::LOCALHOST))).unwrap();
        let (_close, closing) = watch::channel(false);
        let (probe, clients) = (DelayProbe::new(), Arc::new(Clients::default()));
        let client = clients.connect(None, false);
        let admission = AdmissionControl::new(1);
        let accepted = Accepted { stream, peer, probe: Arc::clone(&probe), client, admission, tls: None, slot };
        let served = Measured::new(probe, connection(accepted, service, closing));
        let ended = async {
            tokio::select! {
                () = served => {}
                () = clients.watch() => {}
            }
        };
        timeout(TIMEOUT, ended).await.unwrap();
    }

    async fn connect(raw: &[u8]) -> (TcpListener, TcpStream) {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let mut client = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
        client.write_all(raw).await.unwrap();
        (listener, client)
    }

    fn large() -> Router {
        let answer = |Extension(arriving): Extension<Arc<Arriving>>| async move {
            outgoing(Body::from(vec![b'x'; LENGTH]).into_response(), false, Some(arriving.client()))
        };
        Router::new().route("/", get(answer))
    }

    /// An HTTP/2 frame.
    fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
        let length = u32::try_from(payload.len()).unwrap().to_be_bytes();
        [&length[1..], &[kind, flags], &stream.to_be_bytes(), payload].concat()
    }

    /// The beginning of an HTTP/2 connection whose streams may send `window` bytes, with requests for `/`.
    fn http2_requests(window: u32, count: u32) -> Vec<u8> {
        let settings = [&4_u16.to_be_bytes()[..], &window.to_be_bytes()].concat();
        let mut out = [b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", &frame(4, 0, 0, &settings)[..]].concat();
        for number in 0..count {
            // GET, http, / and an authority.
            out.extend(frame(1, 5, 2 * number + 1, &[&[0x82, 0x86, 0x84, 0x01, 4][..], b"test"].concat()));
        }
        out
    }

    #[tokio::test]
    async fn a_connection_without_a_request_is_closed() {
        for raw in ["", "P", "PRI * HTTP/2.0\r\n", "GET / HTTP/1.1\r\n"] {
            let (listener, mut client) = connect(raw.as_bytes()).await;
            serve_one(&listener, Router::new()).await;
            // Some get an error response first.
            let _ = client.read_to_end(&mut Vec::new()).await;
        }
    }

    #[tokio::test]
    async fn a_client_that_does_not_read_is_disconnected() {
        let requests = [
            b"GET / HTTP/1.1\r\nHost: test\r\n\r\n".to_vec(),
            http2_requests(0, 1),
            http2_requests(1, 20),
            http2_requests(60_000, 1),
        ];
        for raw in requests {
            let (listener, client) = connect(&raw).await;
            serve_one(&listener, large()).await;
            drop(client);
        }
    }

    #[tokio::test]
    async fn a_client_that_reads_gets_everything() {
        let (listener, mut client) = connect(b"GET / HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n").await;
        let mut all = Vec::new();
        let (_, read) = tokio::join!(serve_one(&listener, large()), client.read_to_end(&mut all));
        assert!(read.unwrap() > LENGTH);
    }
}
