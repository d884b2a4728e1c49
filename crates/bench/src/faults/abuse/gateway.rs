//! An SMS gateway that accepts everything.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

pub(super) struct Gateway {
    pub(super) port: u16,
    accepted: Arc<AtomicU64>,
}

impl Gateway {
    /// Starts it on threads that end with this process.
    pub(super) fn start() -> anyhow::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let (port, accepted) = (listener.local_addr()?.port(), Arc::new(AtomicU64::new(0)));
        let shared = Arc::clone(&accepted);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let accepted = Arc::clone(&shared);
                // The server may be killed.
                thread::spawn(move || drop(accept(stream, &accepted)));
            }
        });
        Ok(Self { port, accepted })
    }

    /// The number of accepted messages.
    pub(super) fn accepted(&self) -> u64 {
        self.accepted.load(Ordering::Relaxed)
    }
}

/// Answers the only request of a connection. Its body comes with `To`, `From` and `Body` in this order.
fn accept(mut stream: TcpStream, accepted: &AtomicU64) -> std::io::Result<()> {
    let (mut raw, mut buffer) = (Vec::new(), [0; 4_096]);
    while !raw.windows(5).any(|part| part == b"Body=") {
        match stream.read(&mut buffer)? {
            0 => return Ok(()),
            count => raw.extend_from_slice(&buffer[..count]),
        }
    }
    accepted.fetch_add(1, Ordering::Relaxed);
    stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n")
}
