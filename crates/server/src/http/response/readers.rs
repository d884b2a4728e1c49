//! Clients that do not read. A response stays in memory until its client has taken it, so each connection knows its unread
//! responses, and one task disconnects the clients that are too slow: those that take nothing for a while or far too
//! little and, if unread responses take too much memory, those that have not read for the longest time.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::sync::Notify;
use tokio::time::sleep;

/// The longest time in which a client takes nothing.
const PATIENCE: Duration = if cfg!(test) { Duration::from_millis(400) } else { Duration::from_secs(30) };
/// The least that a client takes, in bytes per second, in addition to that time.
const MIN_RATE: usize = 16 << 10;
/// Memory for all unread responses, those aside for which memory was reserved.
const BUDGET: usize = 48 << 20;
/// The time in which a client takes something that is read while memory is scarce.
const SHORT_PATIENCE: Duration = Duration::from_millis(250);
const INTERVAL: Duration = if cfg!(test) { Duration::from_millis(50) } else { Duration::from_secs(1) };

/// The clients of a listener.
pub(crate) struct Readers {
    epoch: Instant,
    /// Bytes of unread responses.
    unread: AtomicUsize,
    /// Notified when they exceed the budget.
    scarce: Notify,
    connections: Mutex<Vec<Weak<Reader>>>,
}

/// The client of a connection.
pub(crate) struct Reader {
    readers: Arc<Readers>,
    responses: Mutex<Vec<Arc<UnreadState>>>,
    /// Since when the socket takes nothing, in milliseconds; 0 if it does.
    blocked_since: AtomicU64,
    /// True for HTTP/2.
    is_multiplexed: AtomicBool,
    /// Notified when the client is to be disconnected.
    too_slow: Notify,
}

struct UnreadState {
    readers: Arc<Readers>,
    bytes: usize,
    /// When the client got the last part, in milliseconds; 0 while it waits for the server.
    since: AtomicU64,
    /// When the client must have read what there is, in milliseconds.
    due: AtomicU64,
    /// True once all of it is in the buffer of the connection.
    is_written: AtomicBool,
}

impl Default for Readers {
    fn default() -> Self {
        let (unread, connections) = (AtomicUsize::new(0), Mutex::default());
        Self { epoch: Instant::now(), unread, scarce: Notify::new(), connections }
    }
}

impl Readers {
    pub(crate) fn connect(self: &Arc<Self>) -> Arc<Reader> {
        let reader = Arc::new(Reader {
            readers: Arc::clone(self),
            responses: Mutex::default(),
            blocked_since: AtomicU64::new(0),
            is_multiplexed: AtomicBool::new(false),
            too_slow: Notify::new(),
        });
        lock(&self.connections).push(Arc::downgrade(&reader));
        reader
    }

    /// Disconnects clients that are too slow. Never returns.
    pub(crate) async fn watch(&self) {
        loop {
            let is_scarce = self.unread.load(Ordering::Relaxed) > BUDGET;
            let pause = if is_scarce { SHORT_PATIENCE / 4 } else { INTERVAL };
            tokio::select! {
                () = sleep(pause) => {}
                () = self.scarce.notified(), if !is_scarce => {}
            }
            self.disconnect_slow(self.now());
        }
    }

    fn disconnect_slow(&self, now: u64) {
        let mut open = Vec::new();
        lock(&self.connections).retain(|reader| match reader.upgrade() {
            Some(reader) => {
                open.push(reader);
                true
            }
            None => false,
        });
        for reader in &open {
            if reader.is_too_slow(now) {
                reader.disconnect();
            }
        }
        let mut excess = self.unread.load(Ordering::Relaxed).saturating_sub(BUDGET);
        if excess == 0 {
            return;
        }
        let waiting = |reader: Arc<Reader>| reader.waiting(now).map(|(since, bytes)| (since, bytes, reader));
        let mut waiting: Vec<_> = open.into_iter().filter_map(waiting).collect();
        waiting.sort_unstable_by_key(|(since, ..)| *since);
        for (_, bytes, reader) in waiting {
            if excess == 0 {
                return;
            }
            reader.disconnect();
            excess = excess.saturating_sub(bytes);
        }
    }

    /// Milliseconds since the start, and never 0.
    fn now(&self) -> u64 {
        millis(self.epoch.elapsed()) + 1
    }
}

impl Reader {
    pub(crate) fn set_multiplexed(&self) {
        self.is_multiplexed.store(true, Ordering::Relaxed);
    }

    pub(crate) fn is_multiplexed(&self) -> bool {
        self.is_multiplexed.load(Ordering::Relaxed)
    }

    /// Completes when the client is to be disconnected.
    pub(crate) async fn too_slow(&self) {
        self.too_slow.notified().await;
    }

    /// Starts a response that takes so much memory while it is unread.
    pub(crate) fn start(self: &Arc<Self>, bytes: usize) -> Unread {
        let state = Arc::new(UnreadState {
            readers: Arc::clone(&self.readers),
            bytes,
            since: AtomicU64::new(0),
            due: AtomicU64::new(0),
            is_written: AtomicBool::new(false),
        });
        lock(&self.responses).push(Arc::clone(&state));
        if self.readers.unread.fetch_add(bytes, Ordering::Relaxed) + bytes > BUDGET && bytes > 0 {
            self.readers.scarce.notify_one();
        }
        Unread { reader: Arc::clone(self), state }
    }

    fn disconnect(&self) {
        metrics::counter!("wishbone_slow_clients_total").increment(1);
        self.too_slow.notify_one();
    }

    fn is_too_slow(&self, now: u64) -> bool {
        let is_over = |since: u64| since != 0 && now.saturating_sub(since) > millis(PATIENCE);
        is_over(self.blocked_since.load(Ordering::Relaxed))
            || lock(&self.responses).iter().any(|response| {
                let since = response.since.load(Ordering::Relaxed);
                is_over(since) || since != 0 && now > response.due.load(Ordering::Relaxed)
            })
    }

    /// Since when the client has not read, and how much memory that takes. `None` if it reads.
    fn waiting(&self, now: u64) -> Option<(u64, usize)> {
        let responses = lock(&self.responses);
        let since = responses.iter().map(|response| response.since.load(Ordering::Relaxed)).filter(|since| *since != 0);
        let since = since.min().filter(|since| now.saturating_sub(*since) > millis(SHORT_PATIENCE))?;
        let bytes: usize = responses.iter().map(|response| response.bytes).sum();
        (bytes > 0).then_some((since, bytes))
    }

    /// Notes that the socket has taken everything.
    fn flushed(&self) {
        // On HTTP/2 that says nothing about a stream whose window is closed.
        if !self.is_multiplexed() {
            lock(&self.responses).retain(|response| !response.is_written.load(Ordering::Relaxed));
        }
    }

    fn note_write(&self, is_blocked: bool) {
        let since = self.blocked_since.load(Ordering::Relaxed);
        if is_blocked != (since != 0) {
            self.blocked_since.store(if is_blocked { self.readers.now() } else { 0 }, Ordering::Relaxed);
        }
    }
}

/// An unread response, until its body is dropped and, on HTTP/1, the socket has taken it.
pub(crate) struct Unread {
    reader: Arc<Reader>,
    state: Arc<UnreadState>,
}

impl Unread {
    /// Notes that the client is to take a frame, the first of `part` bytes if that is not 0.
    pub(crate) fn hand_over(&self, part: usize) {
        let now = self.reader.readers.now();
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
        if self.reader.is_multiplexed() {
            lock(&self.reader.responses).retain(|response| !Arc::ptr_eq(response, &self.state));
        } else {
            self.state.is_written.store(true, Ordering::Relaxed);
        }
    }
}

impl Drop for UnreadState {
    fn drop(&mut self) {
        self.readers.unread.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

/// The stream of a connection, which tells its reader what the socket takes.
pub(crate) struct ReaderStream<S> {
    stream: S,
    reader: Arc<Reader>,
}

impl<S> ReaderStream<S> {
    pub(crate) fn new(stream: S, reader: Arc<Reader>) -> Self {
        Self { stream, reader }
    }

    fn note<T>(&self, written: Poll<T>) -> Poll<T> {
        self.reader.note_write(written.is_pending());
        written
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for ReaderStream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for ReaderStream<S> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.note(written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, slices);
        self.note(written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.stream).poll_flush(context);
        if flushed.is_ready() {
            self.reader.flushed();
        }
        self.note(flushed)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let closed = Pin::new(&mut self.stream).poll_shutdown(context);
        self.note(closed)
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

    fn slow(readers: &Readers, reader: &Reader, millis: u64) -> bool {
        reader.is_too_slow(readers.now() + millis)
    }

    #[test]
    fn a_client_that_takes_nothing_is_too_slow_and_one_that_waits_for_the_server_is_not() {
        let readers = Arc::new(Readers::default());
        let reader = readers.connect();
        let response = reader.start(1_000);
        assert!(!slow(&readers, &reader, PAST_PATIENCE), "nothing was handed over");
        response.hand_over(1_000);
        assert!(!slow(&readers, &reader, 100));
        assert!(slow(&readers, &reader, PAST_PATIENCE));
        response.await_server();
        assert!(!slow(&readers, &reader, PAST_PATIENCE));
    }

    #[test]
    fn a_client_that_takes_a_little_now_and_then_is_too_slow() {
        let readers = Arc::new(Readers::default());
        let reader = readers.connect();
        let response = reader.start(1 << 20);
        response.hand_over(1 << 20);
        response.state.due.store(1, Ordering::Relaxed);
        response.hand_over(0);
        assert!(slow(&readers, &reader, 100), "the time for the whole part is over");
    }

    #[test]
    fn on_http1_a_response_is_unread_until_the_socket_has_taken_it() {
        let readers = Arc::new(Readers::default());
        let reader = readers.connect();
        let response = reader.start(1_000);
        response.hand_over(1_000);
        reader.flushed();
        drop(response);
        assert!(slow(&readers, &reader, PAST_PATIENCE));
        assert_eq!(readers.unread.load(Ordering::Relaxed), 1_000);
        reader.flushed();
        assert!(!slow(&readers, &reader, PAST_PATIENCE));
        assert_eq!(readers.unread.load(Ordering::Relaxed), 0);
    }

    #[test]
    fn on_http2_a_response_is_unread_until_its_body_has_ended() {
        let readers = Arc::new(Readers::default());
        let reader = readers.connect();
        reader.set_multiplexed();
        let response = reader.start(1_000);
        response.hand_over(1_000);
        reader.flushed();
        assert!(slow(&readers, &reader, PAST_PATIENCE));
        drop(response);
        assert_eq!(readers.unread.load(Ordering::Relaxed), 0);
    }

    #[tokio::test]
    async fn without_memory_those_who_have_not_read_for_the_longest_time_are_disconnected() {
        let readers = Arc::new(Readers::default());
        let clients: Vec<_> = (0..3).map(|_| readers.connect()).collect();
        let responses: Vec<_> = clients.iter().map(|reader| reader.start(BUDGET / 2)).collect();
        for (number, response) in responses.iter().enumerate() {
            response.hand_over(BUDGET);
            response.state.since.store(1 + number as u64, Ordering::Relaxed);
        }
        readers.disconnect_slow(300);
        let is_disconnected = |reader: &Reader| futures_util::FutureExt::now_or_never(reader.too_slow()).is_some();
        assert_eq!(clients.iter().map(|reader| is_disconnected(reader)).collect::<Vec<_>>(), [true, false, false]);
    }

    #[test]
    fn closed_connections_take_no_memory() {
        let readers = Arc::new(Readers::default());
        for _ in 0..10 {
            drop(readers.connect().start(100));
        }
        readers.disconnect_slow(1);
        assert!(lock(&readers.connections).is_empty());
        assert_eq!(readers.unread.load(Ordering::Relaxed), 0);
    }
}
