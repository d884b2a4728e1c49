//! The clients of connections, and how much memory each one takes: for requests that have no response yet, also those that
//! have arrived in part, and for responses until they have been read. One task disconnects the clients that are too slow:
//! those that do not send the rest of a head, and those that take nothing for a while or far too little. If memory becomes
//! scarce, it disconnects the clients that the server waits for: of the network that has most of it, those that it has
//! waited for the longest time. Idle connections are closed in the same way.

use std::collections::{BinaryHeap, HashMap};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use tokio::sync::Notify;
use tokio::time::sleep;

use crate::http::clients::incoming::{CONNECTION, Incoming};
use crate::limit_key::{ClientAddress, Counted};

/// The time in which a head arrives, from its first byte on.
const HEAD_TIMEOUT: Duration = if cfg!(test) { Duration::from_millis(200) } else { Duration::from_secs(15) };
/// The longest time in which a client takes nothing.
const PATIENCE: Duration = if cfg!(test) { Duration::from_millis(400) } else { Duration::from_secs(30) };
/// The least that a client takes, in bytes per second, in addition to that time.
const MIN_RATE: usize = 16 << 10;
/// Memory for all unread responses, those aside for which memory was reserved.
const UNREAD_BUDGET: usize = 48 << 20;
/// Memory for all unread responses above which only tiny ones are sent.
const MAX_UNREAD: usize = 96 << 20;
/// Memory for all requests that have not arrived completely.
const INCOMING_BUDGET: usize = 32 << 20;
/// What is read of a connection in any case.
const ALWAYS_READ: usize = 12 << 10;
/// Requests of a connection whose rest has not arrived, beyond which others are rejected while that memory is scarce.
const FEW_BODIES: usize = 4;
/// Memory for all requests. Above it, large ones are rejected, new connections wait, and nothing more is read of requests that
/// have begun to arrive.
const MAX_INCOMING: usize = 96 << 20;
/// The longest time that a new connection waits for memory: by then, slow clients have been disconnected.
const MAX_WAIT: Duration = Duration::from_secs(1);
/// The time between two looks whether there is memory to read more: shorter than that in which a request is to arrive.
const PAUSE: Duration = Duration::from_millis(10);
/// Memory for all idle connections.
const IDLE_BUDGET: usize = 64 << 20;
/// What an idle connection takes before its first request, and what TLS adds.
const NEW_CONNECTION: usize = 4 << 10;
const TLS: usize = 32 << 10;
/// Connections that have not been idle for longer are kept.
const MIN_IDLE: Duration = Duration::from_secs(1);
/// New connections after which idle ones are counted again while there are many.
const SOME_CONNECTIONS: usize = 256;
/// Requests that a client may send on a connection although their heads are too large.
const MAX_REFUSED: u32 = 3;
/// What a byte of a body takes: it is collected, and the HTTP library's buffer for it stays.
const BODY_COST: usize = 2;
/// The time in which a request arrives while memory is scarce.
const ARRIVAL: Duration = Duration::from_millis(50);
/// The time in which a client takes something that is read while memory is scarce.
const SHORT_PATIENCE: Duration = Duration::from_millis(250);
const INTERVAL: Duration = if cfg!(test) { Duration::from_millis(50) } else { Duration::from_secs(1) };
/// The time in which a client reads a large response, while others are refused for lack of memory; and in which it takes
/// something of it.
const LARGE_PATIENCE: Duration = Duration::from_secs(5);
const LARGE_PART_PATIENCE: Duration = Duration::from_secs(1);
/// The time between two looks while memory is scarce.
const SHORT_INTERVAL: Duration = Duration::from_millis(50);

/// The clients of a listener.
pub struct Clients {
    epoch: Instant,
    /// Bytes of unread responses.
    unread: AtomicUsize,
    /// Bytes of requests.
    incoming: AtomicUsize,
    /// Bytes that were missing for a large response.
    missing: AtomicUsize,
    /// Notified when memory becomes scarce.
    scarce: Notify,
    connections: Mutex<Vec<Weak<Client>>>,
}

/// The client of a connection.
pub(crate) struct Client {
    clients: Arc<Clients>,
    /// Whose memory it takes. `None` for all clients behind proxies.
    network: Option<ClientAddress>,
    is_tls: bool,
    incoming: Mutex<Incoming>,
    responses: Mutex<Vec<Arc<UnreadState>>>,
    /// Since when the socket takes nothing, in milliseconds; 0 if it does.
    blocked_since: AtomicU64,
    /// True for HTTP/2.
    is_multiplexed: AtomicBool,
    /// Since when nothing is in progress, in milliseconds; 0 if something is.
    idle_since: AtomicU64,
    /// Requests whose heads were too large.
    refused: AtomicU32,
    /// Notified when the client is to be disconnected.
    too_slow: Notify,
    /// Notified when the connection is to end because it is idle.
    idle_for_too_long: Notify,
    /// True once it was.
    is_ending: AtomicBool,
}

struct UnreadState {
    clients: Arc<Clients>,
    bytes: usize,
    /// Bytes that were reserved for it.
    reserved: usize,
    /// When it began, in milliseconds.
    began: u64,
    /// When the client got the last part, in milliseconds; 0 while it waits for the server.
    since: AtomicU64,
    /// When the client must have read what there is, in milliseconds.
    due: AtomicU64,
    /// True once all of it is in the buffer of the connection.
    is_written: AtomicBool,
}

impl Default for Clients {
    fn default() -> Self {
        Self {
            epoch: Instant::now(),
            unread: AtomicUsize::new(0),
            incoming: AtomicUsize::new(0),
            missing: AtomicUsize::new(0),
            scarce: Notify::new(),
            connections: Mutex::default(),
        }
    }
}

impl Clients {
    /// `address`: `None` for a proxy.
    pub(crate) fn connect(self: &Arc<Self>, address: Option<ClientAddress>, is_tls: bool) -> Arc<Client> {
        let client = Arc::new(Client {
            clients: Arc::clone(self),
            network: address.and_then(Counted::network),
            is_tls,
            incoming: Mutex::default(),
            responses: Mutex::default(),
            blocked_since: AtomicU64::new(0),
            is_multiplexed: AtomicBool::new(false),
            idle_since: AtomicU64::new(0),
            refused: AtomicU32::new(0),
            too_slow: Notify::new(),
            idle_for_too_long: Notify::new(),
            is_ending: AtomicBool::new(false),
        });
        let mut connections = lock(&self.connections);
        connections.push(Arc::downgrade(&client));
        if connections.len() * CONNECTION > IDLE_BUDGET && connections.len().is_multiple_of(SOME_CONNECTIONS) {
            self.scarce.notify_one();
        }
        client
    }

    /// Asks for memory that large responses have reserved.
    pub(crate) fn ask_for(&self, bytes: usize) {
        self.missing.fetch_max(bytes, Ordering::Relaxed);
        self.scarce.notify_one();
    }

    /// True if there is no memory for more unread responses.
    pub(crate) fn is_too_much(&self) -> bool {
        self.unread.load(Ordering::Relaxed) > MAX_UNREAD
    }

    /// Disconnects clients that are too slow, or take too much. Never returns.
    pub(crate) async fn watch(&self) {
        loop {
            let is_scarce = self.is_scarce();
            let pause = if is_scarce { SHORT_INTERVAL } else { INTERVAL };
            tokio::select! {
                () = sleep(pause) => {}
                () = self.scarce.notified(), if !is_scarce => {}
            }
            self.disconnect_slow(self.now());
        }
    }

    fn is_full(&self) -> bool {
        self.incoming.load(Ordering::Relaxed) > MAX_INCOMING
    }

    fn is_scarce(&self) -> bool {
        self.unread.load(Ordering::Relaxed) > UNREAD_BUDGET || self.incoming.load(Ordering::Relaxed) > INCOMING_BUDGET
    }

    fn disconnect_slow(&self, now: u64) {
        let mut open = Vec::new();
        lock(&self.connections).retain(|client| match client.upgrade() {
            Some(client) => {
                open.push(client);
                true
            }
            None => false,
        });
        for client in &open {
            if client.is_too_slow(now) {
                client.disconnect();
            }
        }
        let idle: usize = open.iter().filter_map(|client| client.idle(now)).map(|(_, bytes)| bytes).sum();
        relieve(idle.saturating_sub(IDLE_BUDGET), &open, |client| client.idle(now), Client::close_idle);
        let excess = |held: &AtomicUsize, budget| held.load(Ordering::Relaxed).saturating_sub(budget);
        relieve(excess(&self.incoming, INCOMING_BUDGET), &open, |client| client.sending(now), Client::disconnect);
        relieve(excess(&self.unread, UNREAD_BUDGET), &open, |client| client.reading(now), Client::disconnect);
        relieve(self.missing.swap(0, Ordering::Relaxed), &open, |client| client.reading_large(now), Client::disconnect);
    }

    /// Milliseconds since the start, and never 0.
    fn now(&self) -> u64 {
        millis(self.epoch.elapsed()) + 1
    }
}

/// The clients of a network that the server waits for.
#[derive(Default)]
struct Network<'a> {
    /// What all of them hold.
    bytes: usize,
    clients: Vec<Waited<'a>>,
}

/// A client that the server waits for: since when, and what it holds.
struct Waited<'a> {
    since: u64,
    bytes: usize,
    client: &'a Client,
}

/// Ends the connections of clients until they have held `excess` bytes: each time, of the network that holds most, the one that the
/// server has waited for the longest time. `waited`: since when, and how much it holds; `None` if the server does not wait.
fn relieve(
    mut excess: usize,
    open: &[Arc<Client>],
    waited: impl Fn(&Client) -> Option<(u64, usize)>,
    end: impl Fn(&Client),
) {
    if excess == 0 {
        return;
    }
    let mut networks: HashMap<Option<ClientAddress>, Network<'_>> = HashMap::new();
    for client in open {
        if let Some((since, bytes)) = waited(client) {
            let network = networks.entry(client.network).or_default();
            network.bytes += bytes;
            network.clients.push(Waited { since, bytes, client });
        }
    }
    let mut networks: Vec<Network<'_>> = networks.into_values().collect();
    for network in &mut networks {
        // The last one is the first to go.
        network.clients.sort_unstable_by_key(|waited| std::cmp::Reverse(waited.since));
    }
    let mut heaviest: BinaryHeap<(usize, usize)> =
        networks.iter().enumerate().map(|(number, network)| (network.bytes, number)).collect();
    while excess > 0
        && let Some((held, number)) = heaviest.pop()
    {
        let Some(Waited { bytes, client, .. }) = networks[number].clients.pop() else { continue };
        end(client);
        excess = excess.saturating_sub(bytes);
        heaviest.push((held - bytes, number));
    }
}

impl Client {
    /// Completes when the connection is to end because it is idle.
    pub(crate) async fn idle_for_too_long(&self) {
        self.idle_for_too_long.notified().await;
    }

    pub(crate) fn set_multiplexed(&self) {
        lock(&self.incoming).set_multiplexed();
        self.is_multiplexed.store(true, Ordering::Relaxed);
    }

    pub(crate) fn is_multiplexed(&self) -> bool {
        self.is_multiplexed.load(Ordering::Relaxed)
    }

    /// Its network; `None` for a proxy.
    pub(crate) fn network(&self) -> Option<ClientAddress> {
        self.network
    }

    /// Completes when the client is to be disconnected.
    pub(crate) async fn too_slow(&self) {
        self.too_slow.notified().await;
    }

    /// Counts bytes that have arrived.
    pub(super) fn receive(&self, bytes: usize) {
        if bytes > 0 {
            self.change(|incoming, now| incoming.receive(bytes, now));
        }
    }

    /// Counts a request, of which the head has arrived.
    pub(crate) fn begin(self: &Arc<Self>, head: usize, has_body: bool) -> Arc<Arriving> {
        self.change(|incoming, _| {
            incoming.begin(head, has_body);
            self.idle_since.store(0, Ordering::Relaxed);
        });
        let (bytes, has_open_body) = (AtomicUsize::new(head), AtomicBool::new(has_body));
        Arc::new(Arriving { client: Arc::clone(self), bytes, has_open_body })
    }

    fn change(&self, change: impl FnOnce(&mut Incoming, u64)) {
        let (clients, now) = (&self.clients, self.clients.now());
        let mut incoming = lock(&self.incoming);
        let before = incoming.held();
        change(&mut incoming, now);
        let after = incoming.held();
        if after <= before {
            clients.incoming.fetch_sub(before - after, Ordering::Relaxed);
        } else if clients.incoming.fetch_add(after - before, Ordering::Relaxed) + after - before > INCOMING_BUDGET {
            clients.scarce.notify_one();
        }
    }

    /// Starts a response that takes so much memory while it is unread. `reserved`: what it takes of the memory for large ones.
    pub(crate) fn start(self: &Arc<Self>, bytes: usize, reserved: usize) -> Unread {
        let state = Arc::new(UnreadState {
            clients: Arc::clone(&self.clients),
            bytes,
            reserved,
            began: self.clients.now(),
            since: AtomicU64::new(0),
            due: AtomicU64::new(0),
            is_written: AtomicBool::new(false),
        });
        lock(&self.responses).push(Arc::clone(&state));
        if self.clients.unread.fetch_add(bytes, Ordering::Relaxed) + bytes > UNREAD_BUDGET && bytes > 0 {
            self.clients.scarce.notify_one();
        }
        Unread { client: Arc::clone(self), state }
    }

    /// Notes a request whose head is too large. A client that goes on is disconnected: each one costs as much as many calls.
    /// A proxy's connection has requests of others, too.
    pub(crate) fn refuse(&self) {
        if self.network.is_some() && self.refused.fetch_add(1, Ordering::Relaxed) + 1 >= MAX_REFUSED {
            self.disconnect();
        }
    }

    /// Since when the connection is idle, and how much memory it takes. `None` if something is, or was just, in progress, and for
    /// proxies.
    fn idle(&self, now: u64) -> Option<(u64, usize)> {
        self.network?;
        let incoming = lock(&self.incoming);
        if !incoming.is_idle() || !lock(&self.responses).is_empty() {
            self.idle_since.store(0, Ordering::Relaxed);
            return None;
        }
        let bytes = if incoming.has_begun() { CONNECTION } else { NEW_CONNECTION };
        let since = match self.idle_since.load(Ordering::Relaxed) {
            0 => now,
            since => since,
        };
        self.idle_since.store(since, Ordering::Relaxed);
        let is_for_long = now.saturating_sub(since) > millis(MIN_IDLE);
        is_for_long.then_some((since, bytes + if self.is_tls { TLS } else { 0 }))
    }

    /// Ends an idle connection. A client that does not take part in that is disconnected the next time.
    fn close_idle(&self) {
        if self.is_ending.swap(true, Ordering::Relaxed) {
            return self.disconnect();
        }
        metrics::counter!("wishbone_idle_connections_closed_total").increment(1);
        self.idle_for_too_long.notify_one();
    }

    /// True if the client may not begin another request now: it has not sent the rest of several, and memory is scarce.
    pub(crate) fn has_begun_enough(&self) -> bool {
        self.network.is_some()
            && self.clients.incoming.load(Ordering::Relaxed) > INCOMING_BUDGET
            && lock(&self.incoming).open_bodies() > FEW_BODIES
    }

    /// The time after which to look again whether more may be read, if there is no memory for it now. Disconnecting clients is too
    /// slow against a flood, so reading stops, too.
    pub(super) fn pause(&self) -> Option<Duration> {
        (self.clients.is_full() && lock(&self.incoming).text() > ALWAYS_READ).then_some(PAUSE)
    }

    /// Waits until there is memory for the requests of a new connection, but not for long: large requests that have arrived, whose
    /// memory is not free before they are answered, must not keep everybody else out.
    pub(crate) async fn wait_for_memory(&self) {
        let started = self.clients.now();
        while self.clients.is_full() && self.clients.now() - started < millis(MAX_WAIT) {
            sleep(SHORT_INTERVAL).await;
        }
    }

    fn disconnect(&self) {
        metrics::counter!("wishbone_slow_clients_total").increment(1);
        self.too_slow.notify_one();
    }

    fn is_too_slow(&self, now: u64) -> bool {
        let is_over = |since: u64, time| since != 0 && now.saturating_sub(since) > millis(time);
        // Between the requests of HTTP/2 there are frames that belong to none.
        let head_since = lock(&self.incoming).head_since().filter(|_| !self.is_multiplexed());
        is_over(self.blocked_since.load(Ordering::Relaxed), PATIENCE)
            || is_over(head_since.unwrap_or(0), HEAD_TIMEOUT)
            || lock(&self.responses).iter().any(|response| {
                let since = response.since.load(Ordering::Relaxed);
                is_over(since, PATIENCE) || since != 0 && now > response.due.load(Ordering::Relaxed)
            })
    }

    /// Since when the client has not sent the rest of a request, and how much memory its requests take. `None` if it sends.
    fn sending(&self, now: u64) -> Option<(u64, usize)> {
        let incoming = lock(&self.incoming);
        let since = incoming.waiting_since().filter(|since| now.saturating_sub(*since) > millis(ARRIVAL))?;
        Some((since, incoming.held()))
    }

    /// Since when the client has not read, and how much memory that takes. `None` if it reads.
    fn reading(&self, now: u64) -> Option<(u64, usize)> {
        let responses = lock(&self.responses);
        let since = responses.iter().map(|response| response.since.load(Ordering::Relaxed)).filter(|since| *since != 0);
        let since = since.min().filter(|since| now.saturating_sub(*since) > millis(SHORT_PATIENCE))?;
        let bytes: usize = responses.iter().map(|response| response.bytes).sum();
        (bytes > 0).then_some((since, bytes))
    }

    /// Since when the client reads large responses, and how much is reserved for them. `None` if it is not slow.
    fn reading_large(&self, now: u64) -> Option<(u64, usize)> {
        let responses = lock(&self.responses);
        let large = responses.iter().filter(|response| response.reserved > 0);
        let began = large.clone().filter(|response| response.is_slow(now)).map(|response| response.began).min()?;
        Some((began, large.map(|response| response.reserved).sum()))
    }

    /// Notes that the socket has taken everything.
    pub(super) fn flushed(&self) {
        // On HTTP/2 that says nothing about a stream whose window is closed.
        if !self.is_multiplexed() {
            lock(&self.responses).retain(|response| !response.is_written.load(Ordering::Relaxed));
        }
    }

    pub(super) fn note_write(&self, is_blocked: bool) {
        let since = self.blocked_since.load(Ordering::Relaxed);
        if is_blocked != (since != 0) {
            self.blocked_since.store(if is_blocked { self.clients.now() } else { 0 }, Ordering::Relaxed);
        }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let held = lock(&self.incoming).held();
        self.clients.incoming.fetch_sub(held, Ordering::Relaxed);
    }
}

/// A request, until its response is made.
pub(crate) struct Arriving {
    client: Arc<Client>,
    bytes: AtomicUsize,
    has_open_body: AtomicBool,
}

impl Arriving {
    /// Counts a part of the body.
    pub(super) fn grow(&self, length: usize) {
        let bytes = BODY_COST * length;
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
        self.client.change(|incoming, _| incoming.grow(bytes));
    }

    /// Notes that the server waits for the rest of the body.
    pub(super) fn await_body(&self) {
        self.client.change(Incoming::await_body);
    }

    pub(super) fn end_body(&self) {
        if self.has_open_body.swap(false, Ordering::Relaxed) {
            self.client.change(|incoming, _| incoming.end_body());
        }
    }

    /// The client that sends it.
    pub(crate) fn client(&self) -> &Arc<Client> {
        &self.client
    }

    /// True if there is no memory for more large requests.
    pub(crate) fn is_too_much(&self) -> bool {
        self.client.clients.is_full()
    }
}

impl Drop for Arriving {
    fn drop(&mut self) {
        self.end_body();
        let bytes = *self.bytes.get_mut();
        self.client.change(|incoming, _| incoming.end(bytes));
    }
}

/// An unread response, until its body is dropped and, on HTTP/1, the socket has taken it.
pub(crate) struct Unread {
    client: Arc<Client>,
    state: Arc<UnreadState>,
}

impl Unread {
    /// Notes that the client is to take a frame, the first of `part` bytes if that is not 0.
    pub(crate) fn hand_over(&self, part: usize) {
        let now = self.client.clients.now();
        if part > 0 {
            let time = PATIENCE + Duration::from_secs((part / MIN_RATE) as u64);
            self.state.due.store(now + millis(time), Ordering::Relaxed);
        }
        self.state.since.store(now, Ordering::Relaxed);
    }

    /// Notes that the client waits for the server.
    pub(crate) fn await_server(&self) {
        self.state.since.store(0, Ordering::Relaxed);
    }
}

impl Drop for Unread {
    fn drop(&mut self) {
        if self.client.is_multiplexed() {
            lock(&self.client.responses).retain(|response| !Arc::ptr_eq(response, &self.state));
        } else {
            self.state.is_written.store(true, Ordering::Relaxed);
        }
    }
}

impl UnreadState {
    /// True if a large response is read slowly.
    fn is_slow(&self, now: u64) -> bool {
        let since = self.since.load(Ordering::Relaxed);
        now.saturating_sub(self.began) > millis(LARGE_PATIENCE)
            || since != 0 && now.saturating_sub(since) > millis(LARGE_PART_PATIENCE)
    }
}

impl Drop for UnreadState {
    fn drop(&mut self) {
        self.clients.unread.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAST_PATIENCE: u64 = 1_000;

    fn stranger() -> Option<ClientAddress> {
        Some(std::net::Ipv4Addr::new(10, 0, 0, 1).into())
    }

    fn slow(clients: &Clients, client: &Client, millis: u64) -> bool {
        client.is_too_slow(clients.now() + millis)
    }

    #[test]
    fn a_client_that_takes_nothing_is_too_slow_and_one_that_waits_for_the_server_is_not() {
        let clients = Arc::new(Clients::default());
        let client = clients.connect(None, false);
        let response = client.start(1_000, 0);
        assert!(!slow(&clients, &client, PAST_PATIENCE), "nothing was handed over");
        response.hand_over(1_000);
        assert!(!slow(&clients, &client, 100));
        assert!(slow(&clients, &client, PAST_PATIENCE));
        response.await_server();
        assert!(!slow(&clients, &client, PAST_PATIENCE));
    }

    #[test]
    fn a_client_that_takes_a_little_now_and_then_is_too_slow() {
        let clients = Arc::new(Clients::default());
        let client = clients.connect(None, false);
        let response = client.start(1 << 20, 0);
        response.hand_over(1 << 20);
        response.state.due.store(1, Ordering::Relaxed);
        response.hand_over(0);
        assert!(slow(&clients, &client, 100), "the time for the whole part is over");
    }

    #[test]
    fn on_http1_a_response_is_unread_until_the_socket_has_taken_it() {
        let clients = Arc::new(Clients::default());
        let client = clients.connect(None, false);
        let response = client.start(1_000, 0);
        response.hand_over(1_000);
        client.flushed();
        drop(response);
        assert!(slow(&clients, &client, PAST_PATIENCE));
        assert_eq!(clients.unread.load(Ordering::Relaxed), 1_000);
        client.flushed();
        assert!(!slow(&clients, &client, PAST_PATIENCE));
        assert_eq!(clients.unread.load(Ordering::Relaxed), 0);
    }

    #[test]
    fn on_http2_a_response_is_unread_until_its_body_has_ended() {
        let clients = Arc::new(Clients::default());
        let client = clients.connect(None, false);
        client.set_multiplexed();
        let response = client.start(1_000, 0);
        response.hand_over(1_000);
        client.flushed();
        assert!(slow(&clients, &client, PAST_PATIENCE));
        drop(response);
        assert_eq!(clients.unread.load(Ordering::Relaxed), 0);
    }

    #[tokio::test]
    async fn without_memory_those_who_have_not_read_for_the_longest_time_are_disconnected() {
        let clients = Arc::new(Clients::default());
        let all: Vec<_> = (0..3).map(|_| clients.connect(None, false)).collect();
        let responses: Vec<_> = all.iter().map(|client| client.start(UNREAD_BUDGET / 2, 0)).collect();
        for (number, response) in responses.iter().enumerate() {
            response.hand_over(UNREAD_BUDGET);
            response.state.since.store(1 + number as u64, Ordering::Relaxed);
        }
        clients.disconnect_slow(300);
        let is_disconnected = |client: &Client| futures_util::FutureExt::now_or_never(client.too_slow()).is_some();
        assert_eq!(all.iter().map(|client| is_disconnected(client)).collect::<Vec<_>>(), [true, false, false]);
    }

    #[test]
    fn a_head_that_does_not_go_on_is_too_slow() {
        let clients = Arc::new(Clients::default());
        let client = clients.connect(None, false);
        client.receive(100);
        assert!(!slow(&clients, &client, 100));
        assert!(slow(&clients, &client, PAST_PATIENCE));
        let request = client.begin(100, true);
        assert!(!slow(&clients, &client, PAST_PATIENCE), "requests have a time limit of their own");
        drop(request);
        assert!(!slow(&clients, &client, PAST_PATIENCE), "the connection is idle");
    }

    #[test]
    fn without_memory_the_network_that_holds_most_of_it_loses_those_that_have_waited_longest() {
        let clients = Arc::new(Clients::default());
        let address = |text: &str| Some(ClientAddress::from(text.parse::<std::net::IpAddr>().unwrap()));
        let start = |at: &str, bytes| {
            let client = clients.connect(address(at), false);
            let request = client.begin(bytes, true);
            request.await_body();
            (request, client)
        };
        // An open body, and a connection that is waited for, take something more.
        let third = INCOMING_BUDGET / 3 - (40 << 10);
        // One network has several addresses, and another client began before all of them.
        let all = [("10.0.1.1", third), ("10.0.0.1", third), ("10.0.0.2", third), ("10.0.0.3", third)];
        let all: Vec<_> = all.map(|(at, bytes)| start(at, bytes)).into();
        let answered = start("10.0.0.4", third);
        answered.0.end_body();
        for (number, (_, client)) in all.iter().enumerate() {
            assert!(lock(&client.incoming).waiting_since() <= Some(clients.now()), "{number}");
        }
        clients.disconnect_slow(clients.now() + millis(ARRIVAL) + 1);
        let is_disconnected = |client: &Client| futures_util::FutureExt::now_or_never(client.too_slow()).is_some();
        let ended: Vec<bool> = all.iter().map(|(_, client)| is_disconnected(client)).collect();
        assert_eq!((ended[0], ended.iter().filter(|ended| **ended).count()), (false, 2));
        assert!(!is_disconnected(&answered.1), "it waits for the server");
        drop((all, answered));
        assert_eq!(clients.incoming.load(Ordering::Relaxed), 0);
    }

    #[test]
    fn who_does_not_take_a_large_response_makes_room_for_others() {
        let clients = Arc::new(Clients::default());
        let client = |began, since: u64| {
            let client = clients.connect(None, false);
            let mut response = client.start(0, 1 << 20);
            lock(&client.responses).clear();
            Arc::get_mut(&mut response.state).unwrap().began = began;
            response.state.since.store(since, Ordering::Relaxed);
            lock(&client.responses).push(Arc::clone(&response.state));
            (client, response)
        };
        let now = 20_000;
        let all = [client(19_000, 19_500), client(15_001, 0), client(16_000, 18_900), client(14_000, 19_999)];
        let slow: Vec<bool> = all.iter().map(|(client, _)| client.reading_large(now).is_some()).collect();
        assert_eq!(slow, [false, false, true, true]);
    }

    #[test]
    fn of_too_many_idle_connections_those_of_the_largest_network_are_closed() {
        let clients = Arc::new(Clients::default());
        let client = |network: u8| {
            let address = std::net::Ipv4Addr::new(10, 0, network, 1);
            let client = clients.connect(Some(address.into()), false);
            drop(client.begin(100, false));
            client
        };
        let other = client(2);
        let busy = client(1);
        let _response = busy.start(100, 0);
        let many: Vec<_> = (0..IDLE_BUDGET / CONNECTION + 9).map(|_| client(1)).collect();
        let now = clients.now();
        clients.disconnect_slow(now);
        let active = client(1);
        clients.disconnect_slow(now + 1);
        let since = |client: &Client| client.idle_since.load(Ordering::Relaxed);
        assert!(since(&many[0]) == now && since(&active) == now + 1);
        clients.disconnect_slow(now + 1 + millis(MIN_IDLE));
        let is_closed = |client: &Client| futures_util::FutureExt::now_or_never(client.idle_for_too_long()).is_some();
        assert_eq!(many.iter().filter(|client| is_closed(client)).count(), 10);
        assert!([&other, &busy, &active].iter().all(|client| !is_closed(client)));
        let is_cut_off = |client: &Client| futures_util::FutureExt::now_or_never(client.too_slow()).is_some();
        assert!(!many.iter().any(|client| is_cut_off(client)));
        clients.disconnect_slow(now + 1 + millis(MIN_IDLE));
        assert_eq!(many.iter().filter(|client| is_cut_off(client)).count(), 10, "they are still there");
    }

    #[test]
    fn without_memory_a_client_that_has_begun_several_requests_begins_no_other() {
        let clients = Arc::new(Clients::default());
        let [client, other, proxy] = [stranger(), stranger(), None].map(|address| clients.connect(address, false));
        let few = |client: &Arc<Client>| (0..=FEW_BODIES).map(|_| client.begin(100, true)).collect::<Vec<_>>();
        let _open = [few(&client), few(&proxy)];
        assert!(!client.has_begun_enough());
        let _large = other.begin(INCOMING_BUDGET, true);
        assert!(client.has_begun_enough() && !other.has_begun_enough() && !proxy.has_begun_enough());
    }

    #[test]
    fn without_memory_nothing_more_is_read_of_a_request_that_has_begun() {
        let clients = Arc::new(Clients::default());
        let [begun, new] = [0, 1].map(|_| clients.connect(stranger(), false));
        begun.receive(ALWAYS_READ);
        new.receive(100);
        let pauses = || [&begun, &new].map(|client| client.pause().is_some());
        assert_eq!(pauses(), [false, false]);
        let others = clients.connect(stranger(), false).begin(MAX_INCOMING, false);
        assert_eq!(pauses(), [true, false]);
        drop(others);
        assert_eq!(pauses(), [false, false]);
    }

    #[test]
    fn a_client_whose_heads_are_too_large_is_disconnected_after_a_few() {
        let clients = Arc::new(Clients::default());
        let (client, proxy) = (clients.connect(stranger(), false), clients.connect(None, false));
        let is_closed = |client: &Client| futures_util::FutureExt::now_or_never(client.too_slow()).is_some();
        (1..MAX_REFUSED).for_each(|_| client.refuse());
        assert!(!is_closed(&client));
        client.refuse();
        (0..9).for_each(|_| proxy.refuse());
        assert!(is_closed(&client) && !is_closed(&proxy));
    }

    #[test]
    fn closed_connections_take_no_memory() {
        let clients = Arc::new(Clients::default());
        for _ in 0..10 {
            drop(clients.connect(None, false).start(100, 0));
        }
        clients.disconnect_slow(1);
        assert!(lock(&clients.connections).is_empty());
        assert_eq!(clients.unread.load(Ordering::Relaxed), 0);
    }
}
