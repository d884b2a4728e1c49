//! An HTTP/2 client that does what no library lets a client do: it opens streams, and its windows as little as it likes.

use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use super::caller::Store;

const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

const DATA: u8 = 0;
const HEADERS: u8 = 1;
const RST_STREAM: u8 = 3;
const SETTINGS: u8 = 4;
const GOAWAY: u8 = 7;
const WINDOW_UPDATE: u8 = 8;
const CONTINUATION: u8 = 9;

const END_STREAM: u8 = 1;
const ACK: u8 = 1;
const END_HEADERS: u8 = 4;

/// The largest frame that every server accepts.
const FRAME: usize = 16 << 10;
/// What a connection may send before the server opens its window.
const WINDOW: usize = 65_535;
/// The time in which it does.
const PATIENCE: Duration = Duration::from_secs(2);

const INITIAL_WINDOW_SIZE: u16 = 4;

/// A connection without TLS.
pub(super) struct H2 {
    stream: TcpStream,
    unread: Vec<u8>,
    streams: Vec<u32>,
    next: u32,
    /// What may be sent of bodies.
    window: usize,
}

impl H2 {
    /// Opens a connection whose streams begin with this window, in bytes.
    pub(super) fn connect(store: &Store, window: u32) -> anyhow::Result<Self> {
        let stream = store.narrow()?;
        let mut out = Self { stream, unread: Vec::new(), streams: Vec::new(), next: 1, window: WINDOW };
        out.stream.write_all(PREFACE)?;
        let setting = [&INITIAL_WINDOW_SIZE.to_be_bytes()[..], &window.to_be_bytes()].concat();
        out.send(SETTINGS, 0, 0, &setting)?;
        out.stream.set_nonblocking(true)?;
        Ok(out)
    }

    /// Sends a request: a POST with this form, or a GET.
    pub(super) fn request(&mut self, path: &str, form: Option<&str>) -> anyhow::Result<()> {
        let method = if form.is_some() { "POST" } else { "GET" };
        let mut headers = vec![(":method", method), (":scheme", "http"), (":authority", "127.0.0.1"), (":path", path)];
        headers.extend(form.map(|_| ("content-type", "application/x-www-form-urlencoded")));
        let id = self.next;
        let end = if form.is_some() { 0 } else { END_STREAM };
        self.send(HEADERS, END_HEADERS | end, id, &headers.iter().flat_map(literal).collect::<Vec<_>>())?;
        if let Some(form) = form {
            self.send(DATA, END_STREAM, id, form.as_bytes())?;
        }
        self.streams.push(id);
        self.next += 2;
        Ok(())
    }

    /// Begins a request with a body that does not end after so many bytes.
    pub(super) fn begin(&mut self, path: &str, more: &[(&str, &str)], body: usize) -> anyhow::Result<()> {
        let mut headers = vec![(":method", "POST"), (":scheme", "http"), (":authority", "127.0.0.1"), (":path", path)];
        headers.push(("content-type", "application/x-www-form-urlencoded"));
        headers.extend(more);
        let encoded: Vec<u8> = headers.iter().flat_map(literal).collect();
        let id = self.next;
        let last = encoded.chunks(FRAME).count() - 1;
        for (number, part) in encoded.chunks(FRAME).enumerate() {
            let kind = if number == 0 { HEADERS } else { CONTINUATION };
            self.send(kind, if number == last { END_HEADERS } else { 0 }, id, part)?;
        }
        self.streams.push(id);
        self.next += 2;
        for part in vec![b'x'; body].chunks(FRAME) {
            let began = Instant::now();
            while self.window < part.len() {
                anyhow::ensure!(self.read() > 0 && began.elapsed() < PATIENCE, "the server takes no more");
                std::thread::sleep(Duration::from_millis(1));
            }
            self.window -= part.len();
            self.send(DATA, 0, id, part)?;
        }
        Ok(())
    }

    /// Lets the server send so many bytes more of each response.
    pub(super) fn open_windows(&mut self, bytes: u32) -> anyhow::Result<()> {
        for id in self.streams.clone() {
            self.send(WINDOW_UPDATE, 0, id, &bytes.to_be_bytes())?;
        }
        Ok(())
    }

    /// Reads what the server has sent. Returns the number of streams that it has not ended.
    pub(super) fn read(&mut self) -> usize {
        let mut buffer = [0; 16 << 10];
        loop {
            match self.stream.read(&mut buffer) {
                Ok(count) if count > 0 => self.unread.extend_from_slice(&buffer[..count]),
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                _ => {
                    self.streams.clear();
                    return 0;
                }
            }
        }
        while let Some((kind, flags, id, rest)) = frame(&self.unread) {
            let payload = &self.unread[9..self.unread.len() - rest];
            if let (WINDOW_UPDATE, 0, Some(bytes)) = (kind, id, payload.first_chunk::<4>()) {
                self.window += u32::from_be_bytes(*bytes) as usize;
            }
            self.unread.drain(..self.unread.len() - rest);
            match kind {
                RST_STREAM => self.streams.retain(|stream| *stream != id),
                DATA | HEADERS if flags & END_STREAM != 0 => self.streams.retain(|stream| *stream != id),
                GOAWAY => self.streams.clear(),
                SETTINGS if flags & ACK == 0 => drop(self.send(SETTINGS, ACK, 0, &[])),
                _ => {}
            }
        }
        self.streams.len()
    }

    fn send(&mut self, kind: u8, flags: u8, stream: u32, payload: &[u8]) -> anyhow::Result<()> {
        let length = u32::try_from(payload.len())?.to_be_bytes();
        let frame = [&length[1..], &[kind, flags], &stream.to_be_bytes(), payload].concat();
        self.stream.set_nonblocking(false)?;
        self.stream.set_write_timeout(Some(Duration::from_secs(5)))?;
        self.stream.write_all(&frame)?;
        Ok(self.stream.set_nonblocking(true)?)
    }
}

/// The first frame: type, flags, stream and the number of bytes after it. `None` if it is incomplete.
fn frame(bytes: &[u8]) -> Option<(u8, u8, u32, usize)> {
    let (head, rest) = bytes.split_first_chunk::<9>()?;
    let [a, b, c, kind, flags, stream @ ..] = *head;
    let length = u32::from_be_bytes([0, a, b, c]) as usize;
    Some((kind, flags, u32::from_be_bytes(stream), rest.len().checked_sub(length)?))
}

/// A header field, neither indexed nor compressed.
fn literal((name, value): &(&str, &str)) -> Vec<u8> {
    let mut out = vec![0];
    for text in [name, value] {
        // A length of 127 and more continues in groups of seven bits.
        match text.len() {
            length @ 0..127 => out.push(length as u8),
            length => {
                out.push(127);
                let mut rest = length - 127;
                while rest >= 128 {
                    out.push((rest % 128) as u8 | 128);
                    rest /= 128;
                }
                out.push(rest as u8);
            }
        }
        out.extend_from_slice(text.as_bytes());
    }
    out
}
