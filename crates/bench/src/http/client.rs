//! A blocking client, to seed a server and to record its responses.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4, TcpStream};
use std::time::Duration;

use anyhow::{Context, ensure};
use serde_json::Value;
use socket2::{Domain, Socket, Type};

use super::response::Head;

pub(crate) struct Client {
    stream: TcpStream,
}

impl Client {
    pub(crate) fn connect(address: SocketAddr) -> anyhow::Result<Self> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        Ok(Self { stream })
    }

    /// A client at this address of 127.0.0.0/8. It gives up a response that stalls for `timeout`.
    pub(crate) fn connect_from(source: Ipv4Addr, address: SocketAddr, timeout: Duration) -> anyhow::Result<Self> {
        let stream = connect_from(source, address, None)?;
        stream.set_read_timeout(Some(timeout))?;
        Ok(Self { stream })
    }

    /// Sends an encoded request; returns the raw response and its head.
    pub(crate) fn send(&mut self, request: &[u8]) -> anyhow::Result<(Vec<u8>, Head)> {
        self.stream.write_all(request)?;
        let (mut raw, mut buffer) = (Vec::new(), vec![0; 64 << 10]);
        let mut head = None;
        loop {
            let count = self.stream.read(&mut buffer)?;
            ensure!(count > 0, "the server closed the connection: {}", String::from_utf8_lossy(&raw));
            raw.extend_from_slice(&buffer[..count]);
            if head.is_none() {
                head = Head::parse(&raw)?;
            }
            if let Some(found) = head.filter(|head| head.is_complete(&raw)) {
                return Ok((raw, found));
            }
        }
    }

    /// Sends a request that must succeed; returns its body.
    pub(crate) fn json(&mut self, request: &[u8]) -> anyhow::Result<Value> {
        let (raw, head) = self.send(request)?;
        let body = &raw[head.length..];
        ensure!(
            head.status == 200,
            "response {} to request {}",
            String::from_utf8_lossy(&raw),
            String::from_utf8_lossy(request)
        );
        serde_json::from_slice(body).context("the body is not JSON")
    }
}

/// A connection from this address of 127.0.0.0/8, which all belong to this machine. A small receive buffer, in bytes, keeps
/// the kernel from reading for a client that does not read.
pub(crate) fn connect_from(
    source: Ipv4Addr,
    address: SocketAddr,
    receive_buffer: Option<usize>,
) -> anyhow::Result<TcpStream> {
    let socket = Socket::new(Domain::IPV4, Type::STREAM, None)?;
    if let Some(bytes) = receive_buffer {
        socket.set_recv_buffer_size(bytes)?;
    }
    socket.bind(&SocketAddrV4::new(source, 0).into())?;
    socket.connect(&address.into())?;
    let stream = TcpStream::from(socket);
    stream.set_nodelay(true)?;
    Ok(stream)
}

/// An encoded GET request.
pub(crate) fn get(path: &str) -> Vec<u8> {
    format!("GET {path} HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n").into_bytes()
}

/// An encoded POST request.
pub(crate) fn post(path: &str, headers: &[(&str, &str)], body: &str) -> Vec<u8> {
    let mut out = format!("POST {path} HTTP/1.1\r\nhost: 127.0.0.1\r\naccept: application/json\r\n");
    for (name, value) in headers {
        out.push_str(&format!("{name}: {value}\r\n"));
    }
    out.push_str(&format!("content-length: {}\r\n\r\n{body}", body.len()));
    out.into_bytes()
}

/// Appends a POST request with a form.
pub(crate) fn form_request(out: &mut Vec<u8>, path: &str, pid: &str, gzip: bool, body: &[&str]) {
    let length: usize = body.iter().map(|part| part.len()).sum();
    let encoding = if gzip { "accept-encoding: gzip\r\n" } else { "" };
    // Writing to a vector does not fail.
    let _ = write!(
        out,
        "POST {path}?pid={pid} HTTP/1.1\r\nhost: 127.0.0.1\r\naccept: application/json\r\n{encoding}\
         content-type: application/x-www-form-urlencoded\r\ncontent-length: {length}\r\n\r\n"
    );
    body.iter().for_each(|part| out.extend_from_slice(part.as_bytes()));
}

pub(crate) const FORM: (&str, &str) = ("content-type", "application/x-www-form-urlencoded");

/// Percent-encodes a form or query value.
pub(crate) fn encoded(text: &str) -> String {
    percent_encoding::utf8_percent_encode(text, percent_encoding::NON_ALPHANUMERIC).to_string()
}
