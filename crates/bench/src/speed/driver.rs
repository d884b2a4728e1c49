//! The load driver: one thread with epoll, which must cost far less than the system it measures.
//!
//! In the closed loop, every connection sends its next request after it has received a response; this measures
//! throughput. In the open loop, requests are due at a fixed rate, and latency is measured from the due time, which
//! avoids coordinated omission.

use std::collections::VecDeque;
use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use anyhow::{Context, bail, ensure};
use hdrhistogram::Histogram;
use rustix::buffer::spare_capacity;
use rustix::event::{Timespec, epoll};

use super::procfs;
use crate::http::response::Head;

/// A source of encoded requests.
pub(crate) trait Source: Send {
    /// Appends the next request of a connection, which has no other request under way.
    fn write_next(&mut self, connection: usize, out: &mut Vec<u8>) -> Response;

    /// Takes the response to the last request of a connection, if it was wanted. An error ends the run.
    fn receive(&mut self, _connection: usize, _status: u16, _body: &[u8]) -> anyhow::Result<()> {
        Ok(())
    }
}

/// What a source does with a response. Most responses are only counted, so that the driver stays cheap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Response {
    Counted,
    Wanted,
}

/// A load on a server.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Load {
    pub(crate) connections: usize,
    /// Time before the measurement starts.
    pub(crate) warm_up: Duration,
    pub(crate) duration: Duration,
    pub(crate) model: LoadModel,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum LoadModel {
    Closed,
    /// Requests per second; a request without an idle connection waits for one.
    Open(f64),
    /// Requests per second; a request without an idle connection is dropped.
    OpenLossy(f64),
}

/// The outcome of a load.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) seconds: f64,
    pub(crate) accepted: u64,
    pub(crate) rejected: u64,
    /// Requests dropped for lack of an idle connection.
    pub(crate) unsent: u64,
    pub(crate) bytes: u64,
    /// In microseconds.
    pub(crate) latency: Histogram<u64>,
    pub(crate) rejection_latency: Histogram<u64>,
    /// CPU time of the driver.
    pub(crate) driver_nanos: u64,
}

impl Outcome {
    pub(crate) fn per_second(&self) -> f64 {
        self.accepted as f64 / self.seconds
    }
}

const MAX_LATENCY: u64 = 120_000_000;
/// The time limit for outstanding responses after the measurement.
const TIMEOUT: Duration = Duration::from_secs(30);
const TAIL: usize = 8;

struct Connection {
    stream: TcpStream,
    request: Vec<u8>,
    sent: usize,
    /// The due time of the request in flight.
    due: Option<Instant>,
    head: Option<Head>,
    /// The bytes of an incomplete head.
    partial_head: Vec<u8>,
    received: usize,
    tail: Vec<u8>,
    /// The response so far, if the source wants it.
    response: Option<Vec<u8>>,
}

pub(crate) struct Driver<'a> {
    epoll: rustix::fd::OwnedFd,
    connections: Vec<Connection>,
    idle: Vec<usize>,
    waiting: VecDeque<Instant>,
    source: &'a mut dyn Source,
    buffer: Vec<u8>,
    measured_from: Instant,
    measured_until: Instant,
    outcome: Outcome,
}

/// Runs the load on the calling thread; calls `mark` at the start and at the end of the measurement.
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
            let stream = TcpStream::connect(address).context("cannot connect to the system under test")?;
            stream.set_nodelay(true)?;
            stream.set_nonblocking(true)?;
            epoll::add(&epoll, &stream, epoll::EventData::new_u64(number as u64), epoll::EventFlags::IN)?;
            connections.push(Connection {
                stream,
                request: Vec::new(),
                sent: 0,
                due: None,
                head: None,
                partial_head: Vec::new(),
                received: 0,
                tail: Vec::new(),
                response: None,
            });
        }
        let now = Instant::now();
        let histogram = || Histogram::new_with_bounds(1, MAX_LATENCY, 3);
        Ok(Self {
            epoll,
            idle: (0..connections.len()).rev().collect(),
            connections,
            waiting: VecDeque::new(),
            source,
            buffer: vec![0; 256 << 10],
            measured_from: now + load.warm_up,
            measured_until: now + load.warm_up + load.duration,
            outcome: Outcome {
                seconds: load.duration.as_secs_f64(),
                accepted: 0,
                rejected: 0,
                unsent: 0,
                bytes: 0,
                latency: histogram()?,
                rejection_latency: histogram()?,
                driver_nanos: 0,
            },
        })
    }

    fn drive(mut self, load: Load, mark: &mut dyn FnMut()) -> anyhow::Result<Outcome> {
        let began = Instant::now();
        let interval = match load.model {
            LoadModel::Closed => None,
            LoadModel::Open(rate) | LoadModel::OpenLossy(rate) => Some(Duration::from_secs_f64(1.0 / rate)),
        };
        let (mut next_due, mut number) = (began, 0_u32);
        let mut events: Vec<epoll::Event> = Vec::with_capacity(1_024);
        let mut marked = None;
        loop {
            let now = Instant::now();
            if marked.is_none() && now >= self.measured_from {
                mark();
                marked = Some((Instant::now(), procfs::thread_cpu_nanos()));
                self.measured_from = Instant::now();
                self.measured_until = self.measured_from + load.duration;
            }
            if now >= self.measured_until {
                break;
            }
            let timeout = match interval {
                None => {
                    while let Some(idle) = self.idle.pop() {
                        self.send(idle, now)?;
                    }
                    Duration::from_millis(20)
                }
                Some(interval) => {
                    while next_due <= now {
                        match (self.idle.pop(), load.model) {
                            (Some(idle), _) => self.send(idle, next_due)?,
                            (None, LoadModel::OpenLossy(_)) => {
                                self.outcome.unsent += u64::from(now >= self.measured_from)
                            }
                            (None, _) => self.waiting.push_back(next_due),
                        }
                        number += 1;
                        next_due = began + interval * number;
                    }
                    // Busy-waits at high rates, whose intervals are shorter than the timer resolution.
                    let rest = next_due.saturating_duration_since(now);
                    if rest < Duration::from_millis(1) { Duration::ZERO } else { rest - Duration::from_micros(500) }
                }
            };
            self.receive(&mut events, timeout.min(self.measured_until.saturating_duration_since(now)))?;
        }
        mark();
        if let Some((from, nanos)) = marked {
            self.outcome.seconds = from.elapsed().as_secs_f64();
            self.outcome.driver_nanos = procfs::thread_cpu_nanos() - nanos;
        }
        self.measured_from = self.measured_until + TIMEOUT;
        self.waiting.clear();
        while self.idle.len() < self.connections.len() {
            ensure!(
                self.measured_until.elapsed() < TIMEOUT,
                "{} responses are missing",
                self.connections.len() - self.idle.len()
            );
            self.receive(&mut events, Duration::from_millis(20))?;
        }
        Ok(self.outcome)
    }

    fn send(&mut self, number: usize, due: Instant) -> anyhow::Result<()> {
        let connection = &mut self.connections[number];
        connection.request.clear();
        let response = self.source.write_next(number, &mut connection.request);
        connection.response = (response == Response::Wanted).then(Vec::new);
        connection.due = Some(due);
        connection.sent = 0;
        (connection.head, connection.received) = (None, 0);
        // Requests are small and fit into the socket's buffer, which is empty after the last response.
        while connection.sent < connection.request.len() {
            match connection.stream.write(&connection.request[connection.sent..]) {
                Ok(count) => connection.sent += count,
                Err(error) if error.kind() == ErrorKind::WouldBlock => std::thread::yield_now(),
                Err(error) => return Err(error).context("cannot send a request"),
            }
        }
        Ok(())
    }

    fn receive(&mut self, events: &mut Vec<epoll::Event>, timeout: Duration) -> anyhow::Result<()> {
        events.clear();
        // In whole milliseconds: finer timeouts need a newer system call.
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
            Err(error) => return Err(error).context("cannot read a response"),
        };
        let bytes = &self.buffer[..count];
        connection.received += count;
        if let Some(response) = &mut connection.response {
            response.extend_from_slice(bytes);
        }
        let head = match connection.head {
            Some(head) => head,
            None => {
                let parsed = if connection.partial_head.is_empty() {
                    Head::parse(bytes)?
                } else {
                    connection.partial_head.extend_from_slice(bytes);
                    Head::parse(&connection.partial_head)?
                };
                let Some(head) = parsed else {
                    if connection.partial_head.is_empty() {
                        connection.partial_head.extend_from_slice(bytes);
                    }
                    return Ok(());
                };
                connection.partial_head.clear();
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
        if let Some(response) = connection.response.take() {
            self.source.receive(number, head.status, &head.body(&response)?)?;
        }
        let now = Instant::now();
        let (due, received) = (connection.due.take().context("unexpected response")?, connection.received);
        self.idle.push(number);
        if now >= self.measured_from && now < self.measured_until {
            let micros = (now.saturating_duration_since(due).as_micros() as u64).clamp(1, MAX_LATENCY);
            self.outcome.bytes += received as u64;
            if head.status == 200 {
                self.outcome.accepted += 1;
                self.outcome.latency.record(micros)?;
            } else {
                self.outcome.rejected += 1;
                self.outcome.rejection_latency.record(micros)?;
            }
        }
        if let Some(due) = self.waiting.pop_front()
            && let Some(idle) = self.idle.pop()
        {
            self.send(idle, due)?;
        }
        Ok(())
    }
}
