//! A few calls to a server, one after the other: to seed it and to look at its answers.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};

use anyhow::{Context, ensure};
use serde_json::Value;

use super::answer::Head;

pub(crate) struct Client {
    stream: TcpStream,
}

impl Client {
    pub(crate) fn connect(address: SocketAddr) -> anyhow::Result<Self> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        Ok(Self { stream })
    }

    /// Sends an encoded request; the whole answer as it came, and where its body begins.
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

    /// The body of a success.
    pub(crate) fn json(&mut self, request: &[u8]) -> anyhow::Result<Value> {
        let (raw, head) = self.send(request)?;
        let body = &raw[head.length..];
        ensure!(
            head.status == 200,
            "{} was answered to {}",
            String::from_utf8_lossy(&raw),
            String::from_utf8_lossy(request)
        );
        serde_json::from_slice(body).context("the body is JSON")
    }
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

pub(crate) const FORM: (&str, &str) = ("content-type", "application/x-www-form-urlencoded");

/// A value of a form or a query.
pub(crate) fn encoded(text: &str) -> String {
    percent_encoding::utf8_percent_encode(text, percent_encoding::NON_ALPHANUMERIC).to_string()
}
