//! The load driver: one thread, epoll, requests that were encoded before. It must cost far less than what it measures.
//!
//! Closed loop: every connection sends its next request when its answer is there; this finds the throughput. Open loop:
//! requests are due at a fixed rate whatever comes back, and their time counts from when they were due, so that a stall
//! counts for everyone who would have come in the meantime.

use std::collections::VecDeque;
use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use anyhow::{Context, bail, ensure};
use hdrhistogram::Histogram;
use rustix::buffer::spare_capacity;
use rustix::event::{Timespec, epoll};

use super::answer::Head;
use super::machine;

/// Makes requests.
pub(crate) trait Source {
    /// Appends the next one.
    fn write_next(&mut self, out: &mut Vec<u8>);
}

/// What is asked of a server, and for how long.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Load {
    pub(crate) connections: usize,
    /// Before anything is counted.
    pub(crate) warm_up: Duration,
    pub(crate) duration: Duration,
    pub(crate) pace: Pace,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Pace {
    Closed,
    /// So many a second; those who find no connection free wait for one.
    Open(f64),
    /// The same, but those who find no connection free go away.
    Flood(f64),
}

/// What came of it.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) seconds: f64,
    pub(crate) accepted: u64,
    pub(crate) refused: u64,
    /// Found no connection free.
    pub(crate) unsent: u64,
    pub(crate) bytes: u64,
    /// Microseconds.
    pub(crate) latency: Histogram<u64>,
    pub(crate) refusal_latency: Histogram<u64>,
    /// The driver's own.
    pub(crate) driver_nanos: u64,
}

impl Outcome {
    pub(crate) fn per_second(&self) -> f64 {
        self.accepted as f64 / self.seconds
    }
}

const LONGEST: u64 = 120_000_000;
/// How long answers may still come when the time is over.
const PATIENCE: Duration = Duration::from_secs(30);
const TAIL: usize = 8;

struct Connection {
    stream: TcpStream,
    request: Vec<u8>,
    sent: usize,
    /// When the request under way was due.
    due: Option<Instant>,
    head: Option<Head>,
    /// The head while it is incomplete.
    begun: Vec<u8>,
    received: usize,
    tail: Vec<u8>,
}

pub(crate) struct Driver<'a> {
    epoll: rustix::fd::OwnedFd,
    connections: Vec<Connection>,
    free: Vec<usize>,
    waiting: VecDeque<Instant>,
    source: &'a mut dyn Source,
    buffer: Vec<u8>,
    counted_from: Instant,
    counted_to: Instant,
    outcome: Outcome,
}

/// Runs on the calling thread; `mark` is called when counting begins and when it ends.
pub(crate) fn run(
    address: SocketAddr,
    load: Load,
    source: &mut dyn Source,
    mark: &mut dyn FnMut(),
) -> anyhow::Result<Outcome> {
    Driver::connect(address, load, source)?.drive(load, mark)
}

impl<'a> Driver<'a> {
    fn connect(address: SocketAddr, load: Load, source: &'a mut dyn Source) -> anyhow::Result<Self> {
        let epoll = epoll::create(epoll::CreateFlags::CLOEXEC)?;
        let mut connections = Vec::with_capacity(load.connections);
        for number in 0..load.connections {
            let stream = TcpStream::connect(address).context("cannot connect to the server that is measured")?;
            stream.set_nodelay(true)?;
            stream.set_nonblocking(true)?;
            epoll::add(&epoll, &stream, epoll::EventData::new_u64(number as u64), epoll::EventFlags::IN)?;
            connections.push(Connection {
                stream,
                request: Vec::new(),
                sent: 0,
                due: None,
                head: None,
                begun: Vec::new(),
                received: 0,
                tail: Vec::new(),
            });
        }
        let now = Instant::now();
        let histogram = || Histogram::new_with_bounds(1, LONGEST, 3);
        Ok(Self {
            epoll,
            free: (0..connections.len()).rev().collect(),
            connections,
            waiting: VecDeque::new(),
            source,
            buffer: vec![0; 256 << 10],
            counted_from: now + load.warm_up,
            counted_to: now + load.warm_up + load.duration,
            outcome: Outcome {
                seconds: load.duration.as_secs_f64(),
                accepted: 0,
                refused: 0,
                unsent: 0,
                bytes: 0,
                latency: histogram()?,
                refusal_latency: histogram()?,
                driver_nanos: 0,
            },
        })
    }

    fn drive(mut self, load: Load, mark: &mut dyn FnMut()) -> anyhow::Result<Outcome> {
        let began = Instant::now();
        let gap = match load.pace {
            Pace::Closed => None,
            Pace::Open(rate) | Pace::Flood(rate) => Some(Duration::from_secs_f64(1.0 / rate)),
        };
        let (mut next_due, mut number) = (began, 0_u32);
        let mut events: Vec<epoll::Event> = Vec::with_capacity(1_024);
        let mut marked = None;
        loop {
            let now = Instant::now();
            if marked.is_none() && now >= self.counted_from {
                mark();
                marked = Some((Instant::now(), machine::own_nanos()));
                self.counted_from = Instant::now();
                self.counted_to = self.counted_from + load.duration;
            }
            if now >= self.counted_to {
                break;
            }
            let timeout = match gap {
                None => {
                    while let Some(free) = self.free.pop() {
                        self.send(free, now)?;
                    }
                    Duration::from_millis(20)
                }
                Some(gap) => {
                    while next_due <= now {
                        match (self.free.pop(), load.pace) {
                            (Some(free), _) => self.send(free, next_due)?,
                            (None, Pace::Flood(_)) => self.outcome.unsent += u64::from(now >= self.counted_from),
                            (None, _) => self.waiting.push_back(next_due),
                        }
                        number += 1;
                        next_due = began + gap * number;
                    }
                    // The kernel's timer is coarser than the gaps at a high rate: then there is no time to sleep.
                    let rest = next_due.saturating_duration_since(now);
                    if rest < Duration::from_millis(1) { Duration::ZERO } else { rest - Duration::from_micros(500) }
                }
            };
            self.take_answers(&mut events, timeout.min(self.counted_to.saturating_duration_since(now)))?;
        }
        mark();
        if let Some((from, nanos)) = marked {
            self.outcome.seconds = from.elapsed().as_secs_f64();
            self.outcome.driver_nanos = machine::own_nanos() - nanos;
        }
        self.counted_from = self.counted_to + PATIENCE;
        self.waiting.clear();
        while self.free.len() < self.connections.len() {
            ensure!(
                self.counted_to.elapsed() < PATIENCE,
                "{} answers never came",
                self.connections.len() - self.free.len()
            );
            self.take_answers(&mut events, Duration::from_millis(20))?;
        }
        Ok(self.outcome)
    }

    fn send(&mut self, number: usize, due: Instant) -> anyhow::Result<()> {
        let connection = &mut self.connections[number];
        connection.request.clear();
        self.source.write_next(&mut connection.request);
        connection.due = Some(due);
        connection.sent = 0;
        (connection.head, connection.received) = (None, 0);
        // Requests are small: they fit into the socket's buffer, which is empty when the last answer has come.
        while connection.sent < connection.request.len() {
            match connection.stream.write(&connection.request[connection.sent..]) {
                Ok(count) => connection.sent += count,
                Err(error) if error.kind() == ErrorKind::WouldBlock => std::thread::yield_now(),
                Err(error) => return Err(error).context("cannot send a request"),
            }
        }
        Ok(())
    }

    fn take_answers(&mut self, events: &mut Vec<epoll::Event>, timeout: Duration) -> anyhow::Result<()> {
        events.clear();
        // Without a look at nanoseconds: a timeout that is no whole number of milliseconds needs a newer call.
        let millis = i64::try_from(timeout.as_millis())?;
        let timeout = Timespec { tv_sec: millis / 1_000, tv_nsec: millis % 1_000 * 1_000_000 };
        match epoll::wait(&self.epoll, spare_capacity(events), Some(&timeout)) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        for event in events.iter() {
            let data = event.data;
            self.read(data.u64() as usize)?;
        }
        Ok(())
    }

    fn read(&mut self, number: usize) -> anyhow::Result<()> {
        let connection = &mut self.connections[number];
        let count = match connection.stream.read(&mut self.buffer) {
            Ok(0) => bail!("the server closed a connection"),
            Ok(count) => count,
            Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(()),
            Err(error) => return Err(error).context("cannot read an answer"),
        };
        let bytes = &self.buffer[..count];
        connection.received += count;
        let head = match connection.head {
            Some(head) => head,
            None => {
                let parsed = if connection.begun.is_empty() {
                    Head::parse(bytes)?
                } else {
                    connection.begun.extend_from_slice(bytes);
                    Head::parse(&connection.begun)?
                };
                let Some(head) = parsed else {
                    if connection.begun.is_empty() {
                        connection.begun.extend_from_slice(bytes);
                    }
                    return Ok(());
                };
                connection.begun.clear();
                connection.head = Some(head);
                if !matches!(head.status, 200 | 503) {
                    let request = String::from_utf8_lossy(&connection.request);
                    bail!("a request failed: {}\n\n{request}", String::from_utf8_lossy(bytes));
                }
                head
            }
        };
        connection.tail.extend_from_slice(&bytes[count.saturating_sub(TAIL)..]);
        let old = connection.tail.len().saturating_sub(TAIL);
        connection.tail.drain(..old);
        if !head.ends_with(connection.received, &connection.tail) {
            return Ok(());
        }
        let now = Instant::now();
        let (due, received) = (connection.due.take().context("nobody asked for this answer")?, connection.received);
        self.free.push(number);
        if now >= self.counted_from && now < self.counted_to {
            let micros = (now.saturating_duration_since(due).as_micros() as u64).clamp(1, LONGEST);
            self.outcome.bytes += received as u64;
            if head.status == 200 {
                self.outcome.accepted += 1;
                self.outcome.latency.record(micros)?;
            } else {
                self.outcome.refused += 1;
                self.outcome.refusal_latency.record(micros)?;
            }
        }
        if let Some(due) = self.waiting.pop_front()
            && let Some(free) = self.free.pop()
        {
            self.send(free, due)?;
        }
        Ok(())
    }
}
