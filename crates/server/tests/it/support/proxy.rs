//! A reverse proxy for one request per connection.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};

/// What the proxy does with `X-Forwarded-For`.
#[derive(Clone, Copy)]
pub enum Forwarding {
    Append,
    /// Leaves it as the client sent it.
    Keep,
    Remove,
}

/// Starts a proxy on this machine, which ends with the test process.
pub fn start(server: SocketAddr, forwarding: Forwarding) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for client in listener.incoming() {
            // A client that is gone needs no response.
            let _ = client.and_then(|client| forward(client, server, forwarding));
        }
    });
    address
}

fn forward(client: TcpStream, server: SocketAddr, forwarding: Forwarding) -> std::io::Result<()> {
    let peer = client.peer_addr()?.ip();
    let mut reader = BufReader::new(client.try_clone()?);
    let (mut head, mut forwarded) = (String::new(), Vec::new());
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        match line.to_ascii_lowercase().strip_prefix("x-forwarded-for:") {
            Some(value) => forwarded.push(value.trim().to_owned()),
            None if line.trim_end().is_empty() => break,
            None => head += &line,
        }
    }
    match forwarding {
        Forwarding::Append => forwarded.push(peer.to_string()),
        Forwarding::Keep => {}
        Forwarding::Remove => forwarded.clear(),
    }
    if !forwarded.is_empty() {
        head += &format!("X-Forwarded-For: {}\r\n", forwarded.join(", "));
    }
    let mut upstream = TcpStream::connect(server)?;
    upstream.write_all(format!("{head}Via: 1.1 test\r\nConnection: close\r\n\r\n").as_bytes())?;
    let mut response = Vec::new();
    upstream.read_to_end(&mut response)?;
    let mut client = client;
    client.write_all(&response)
}
