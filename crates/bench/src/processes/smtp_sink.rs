//! A mail server that accepts everything, at little cost, and discards or records it. It can be paused: then it delays its
//! replies.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use super::mail::Mail;

pub(crate) struct SmtpSink {
    pub(crate) port: u16,
    state: Arc<State>,
}

#[derive(Default)]
struct State {
    accepted: AtomicU64,
    /// `None` if mails are discarded.
    recorded: Option<Mutex<Vec<Mail>>>,
    is_paused: Mutex<bool>,
    resumed: Condvar,
}

impl SmtpSink {
    /// Starts a server that discards mails, on threads that begin with `prepare`. They end with this process.
    pub(crate) fn start(prepare: impl Fn() + Clone + Send + 'static) -> anyhow::Result<Self> {
        Self::start_with(State::default(), prepare)
    }

    /// Starts a server that records mails.
    pub(crate) fn recording() -> anyhow::Result<Self> {
        Self::start_with(State { recorded: Some(Mutex::default()), ..State::default() }, || ())
    }

    fn start_with(state: State, prepare: impl Fn() + Clone + Send + 'static) -> anyhow::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let (port, state) = (listener.local_addr()?.port(), Arc::new(state));
        let shared = Arc::clone(&state);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (state, prepare) = (Arc::clone(&shared), prepare.clone());
                std::thread::spawn(move || {
                    prepare();
                    // The client may be killed.
                    let _ = state.converse(&stream);
                });
            }
        });
        Ok(Self { port, state })
    }

    /// The number of accepted mails.
    pub(crate) fn accepted(&self) -> u64 {
        self.state.accepted.load(Ordering::Relaxed)
    }

    /// The recorded mails whose recipient is wanted, oldest first.
    pub(crate) fn mails_to(&self, is_wanted: impl Fn(&str) -> bool) -> Vec<Mail> {
        let Some(recorded) = &self.state.recorded else { return Vec::new() };
        let recorded = recorded.lock().unwrap_or_else(PoisonError::into_inner);
        recorded.iter().filter(|mail| is_wanted(&mail.recipient)).cloned().collect()
    }

    /// Delays replies to mails until this is called with `false`.
    pub(crate) fn pause(&self, is_paused: bool) {
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
        let (mut line, mut recipient) = (Vec::new(), String::new());
        while next_line(&mut lines, &mut line)? {
            match line.to_ascii_uppercase() {
                command if command.starts_with(b"EHLO") => reply("250-sink\r\n250-8BITMIME\r\n250 SMTPUTF8\r\n")?,
                command if command.starts_with(b"RCPT") => {
                    let text = String::from_utf8_lossy(&line);
                    recipient = text.split(['<', '>']).nth(1).unwrap_or_default().to_owned();
                    reply("250 OK\r\n")?;
                }
                command if command.starts_with(b"DATA") => {
                    reply("354 send the mail\r\n")?;
                    let mut raw = Vec::new();
                    while next_line(&mut lines, &mut line)? && line != b".\r\n" {
                        if self.recorded.is_some() {
                            raw.extend_from_slice(line.strip_prefix(b".").unwrap_or(&line));
                        }
                    }
                    self.wait_while_paused();
                    if let Some(recorded) = &self.recorded {
                        let mail = Mail { recipient: recipient.clone(), raw };
                        recorded.lock().unwrap_or_else(PoisonError::into_inner).push(mail);
                    }
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
