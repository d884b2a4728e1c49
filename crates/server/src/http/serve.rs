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

use super::address::{Arrival, Proxies};
use super::crowd::{Crowd, Place};
use super::headers::HEADERS;
use super::turns::{Bell, Turns};
use super::{maintenance, probes, router};
use crate::app::App;
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
/// How often measured times are sorted into their buckets; unsorted ones take memory.
const UPKEEP: Duration = Duration::from_secs(5);

/// What the operator wants: each word is stronger than the one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Told {
    GoOn,
    Finish,
    LeaveNow,
}

/// Serves until told to stop, goes on for a while as a server that wants no more work, then finishes what was accepted.
pub async fn serve(app: Arc<App>, listener: TcpListener, mut stop: watch::Receiver<Told>) -> std::io::Result<()> {
    start_upkeep();
    maintenance::watch(&app).await;
    let (close, closing) = watch::channel(false);
    let crowd = Crowd::new(app.limits.connections, app.limits.connections_per_address);
    let house = House { connections: GracefulShutdown::new(), closing, crowd, proxies: app.proxies.clone() };
    tokio::select! {
        () = accept(&listener, router(&app), &house) => {}
        () = until_draining(&app, stop.clone()) => {}
        _ = stop.wait_for(|told| *told == Told::LeaveNow) => {}
    }
    drop(listener);
    let _ = close.send(true);
    tokio::select! {
        () = house.connections.shutdown() => {}
        _ = stop.wait_for(|told| *told == Told::LeaveNow) => tracing::warn!("stopped at once, with requests under way"),
        () = sleep(DRAIN) => tracing::warn!("stopped with requests still under way"),
    }
    Ok(())
}

/// Whoever sends requests here learns from `/readyz` and from closing connections that there will soon be nobody.
async fn until_draining(app: &App, stop: watch::Receiver<Told>) {
    told(stop, Told::Finish).await;
    app.drain();
    sleep(app.limits.drain_grace).await;
}

/// Serves another router over the same connections, without end: what a benchmark compares the server with. Boxed, so that
/// it is compiled here, as the server is.
pub fn serve_bare(service: Router, listener: TcpListener) -> Pin<Box<dyn Future<Output = ()>>> {
    Box::pin(async move {
        let (_close, closing) = watch::channel(false);
        let crowd = Crowd::new(usize::MAX, usize::MAX);
        let house = House { connections: GracefulShutdown::new(), closing, crowd, proxies: Proxies::default() };
        accept(&listener, service, &house).await;
    })
}

/// All who are inside, and who may enter.
struct House {
    connections: GracefulShutdown,
    /// Whether it closes.
    closing: watch::Receiver<bool>,
    crowd: Arc<Crowd>,
    proxies: Proxies,
}

async fn accept(listener: &TcpListener, service: Router, house: &House) {
    let mut refusals = Refusals::default();
    loop {
        match listener.accept().await {
            Ok((stream, peer)) => match house.crowd.let_in(peer.ip(), house.proxies.trust(peer.ip().to_canonical())) {
                Some(place) => {
                    let bell = Bell::new();
                    let client = Client { stream, peer, bell: Arc::clone(&bell), place };
                    let served =
                        connection(client, service.clone(), house.connections.watcher(), house.closing.clone());
                    supervisor::start_connection(Turns::new(bell, served));
                }
                None => refusals.refuse(stream),
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
struct Refusals {
    count: u64,
    said_at: Option<Instant>,
}

impl Refusals {
    fn refuse(&mut self, stream: TcpStream) {
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
    bell: Arc<Bell>,
    place: Place,
}

async fn connection(client: Client, service: Router, watcher: Watcher, mut closing: watch::Receiver<bool>) {
    let Client { stream, peer, bell, place: _place } = client;
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
    let asked = Arc::new(AtomicBool::new(false));
    let has_asked = Arc::clone(&asked);
    let service = TowerToHyperService::new(service.map_request(move |mut request: Request<_>| {
        has_asked.store(true, Ordering::Relaxed);
        request.extensions_mut().insert(Arrival { peer: peer.ip(), waited: bell.waited() });
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
        () = unasked(&asked) => tracing::debug!("a connection asked for nothing"),
    }
}

/// Ends when it has been silent for too long before the first request. The library waits without end for bytes that tell
/// HTTP/1 from HTTP/2.
async fn unasked(asked: &AtomicBool) {
    sleep(SILENCE).await;
    if asked.load(Ordering::Relaxed) {
        std::future::pending::<()>().await;
    }
}

async fn told(mut stop: watch::Receiver<Told>, word: Told) {
    let _ = stop.wait_for(|told| *told >= word).await;
}

fn start_upkeep() {
    let Some(recorder) = probes::recorder() else { return };
    supervisor::start("metrics upkeep", async move {
        loop {
            sleep(UPKEEP).await;
            recorder.run_upkeep();
        }
    });
}

/// Turns the first SIGTERM or SIGINT into a word to finish, and the next into one to leave.
pub fn on_signal() -> std::io::Result<watch::Receiver<Told>> {
    use tokio::signal::unix::{SignalKind, signal};
    let (sender, receiver) = watch::channel(Told::GoOn);
    let (mut terminate, mut interrupt) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    supervisor::start("signals", async move {
        for word in [Told::Finish, Told::LeaveNow] {
            tokio::select! {
                _ = terminate.recv() => {}
                _ = interrupt.recv() => {}
            }
            if word == Told::Finish {
                tracing::info!("stopping: finishing what was accepted; once more to leave at once");
            }
            let _ = sender.send(word);
        }
    });
    Ok(receiver)
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
        for said in ["", "P", "PRI * HTTP/2.0\r\n", "GET / HTTP/1.1\r\n"] {
            let mut client = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
            client.write_all(said.as_bytes()).await.unwrap();
            let (stream, peer) = listener.accept().await.unwrap();
            let place = Crowd::new(1, 1).let_in(IpAddr::V4(Ipv4Addr::LOCALHOST), false).unwrap();
            let (_close, closing) = watch::channel(false);
            let bell = Bell::new();
            let someone = Client { stream, peer, bell: Arc::clone(&bell), place };
            let served = connection(someone, Router::new(), connections.watcher(), closing);
            let ended = timeout(Duration::from_secs(20), Turns::new(bell, served)).await;
            assert!(ended.is_ok(), "after {said:?}");
            // Some are told why.
            let _ = client.read_to_end(&mut Vec::new()).await;
        }
    }
}
