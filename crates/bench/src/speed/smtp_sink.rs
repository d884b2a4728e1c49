//! A mail server that accepts and discards everything, at little cost. It can be paused: then it delays its replies.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use super::procfs::Cores;

pub(super) struct SmtpSink {
    pub(super) port: u16,
    state: Arc<State>,
}

#[derive(Default)]
struct State {
    accepted: AtomicU64,
    is_paused: Mutex<bool>,
    resumed: Condvar,
}

impl SmtpSink {
    /// Starts the server on threads pinned to the driver's core. They end with this process.
    pub(super) fn start(cores: Cores) -> anyhow::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let (port, state) = (listener.local_addr()?.port(), Arc::<State>::default());
        let shared = Arc::clone(&state);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let state = Arc::clone(&shared);
                std::thread::spawn(move || {
                    // Only the speed depends on it.
                    let _ = cores.pin_driver();
                    // The client may be killed.
                    let _ = state.converse(&stream);
                });
            }
        });
        Ok(Self { port, state })
    }

    /// The number of accepted mails.
    pub(super) fn accepted(&self) -> u64 {
        self.state.accepted.load(Ordering::Relaxed)
    }

    /// Delays replies to mails until this is called with `false`.
    pub(super) fn pause(&self, is_paused: bool) {
        *self.state.is_paused.lock().unwrap_or_else(PoisonError::into_inner) = is_paused;
        self.state.resumed.notify_all();
    }
}

impl State {
    fn converse(&self, stream: &TcpStream) -> std::io::Result<()> {
        stream.set_nodelay(true)?;
        let mut lines = BufReader::new(stream);
        let reply = |text: &str| (&mut &*stream).write_all(text.as_bytes());
        reply("220 sink ESMTP\r\n")?;
        let mut line = Vec::new();
        while next_line(&mut lines, &mut line)? {
            match line.to_ascii_uppercase() {
                command if command.starts_with(b"EHLO") => reply("250-sink\r\n250-8BITMIME\r\n250 SMTPUTF8\r\n")?,
                command if command.starts_with(b"DATA") => {
                    reply("354 send the mail\r\n")?;
                    while next_line(&mut lines, &mut line)? && line != b".\r\n" {}
                    self.wait_while_paused();
                    self.accepted.fetch_add(1, Ordering::Relaxed);
                    reply("250 accepted\r\n")?;
                }
                _ => reply("250 OK\r\n")?,
            }
        }
        Ok(())
    }

    fn wait_while_paused(&self) {
        let is_paused = self.is_paused.lock().unwrap_or_else(PoisonError::into_inner);
        drop(self.resumed.wait_while(is_paused, |is_paused| *is_paused));
    }
}

/// Reads a line; false at the end of the stream.
fn next_line(lines: &mut impl BufRead, line: &mut Vec<u8>) -> std::io::Result<bool> {
    line.clear();
    Ok(lines.read_until(b'\n', line)? > 0)
}
