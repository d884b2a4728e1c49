//! Refusals that are written without a handler: connections above the limit, and requests that the HTTP library cannot parse. They
//! have a JSON body like all other errors.

use std::fmt::Write as _;
use std::io::{self, IoSlice, Read, Write};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use memchr::memmem;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use wishbone_core::error::Code;

use crate::http::response::headers::HEADERS;

/// A whole response with an error, after which the connection is closed. `headers` end with a line break.
pub(super) fn refusal(status: &str, headers: &str, code: Code, message: &str) -> Vec<u8> {
    let code = code.as_str();
    let body = format!(r#"{{"status":"error","error-code":"{code}","error-msg":"{message}"}}"#);
    let mut out = format!("HTTP/1.1 {status}\r\ncontent-type: application/json\r\n{headers}");
    for (name, value) in &HEADERS {
        // Writing into memory cannot fail.
        let _ = write!(out, "{name}: {}\r\n", value.to_str().unwrap_or_default());
    }
    let length = body.len();
    let _ =
        write!(out, "access-control-allow-origin: *\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n{body}");
    out.into_bytes()
}

/// Sends a response that fits into the socket's buffer, and closes the connection. Does not block.
pub(super) fn send_and_close(stream: TcpStream, response: &[u8]) {
    // Closing a socket with unread data resets the connection and discards the response.
    if let Ok(mut stream) = stream.into_std() {
        let _ = stream.write(response);
        let _ = stream.read(&mut [0; 4_096]);
    }
}

/// A stream that replaces the empty responses of the HTTP library.
pub(super) struct ExplainRefusals<S> {
    stream: S,
    replacement: Option<Replacement>,
}

struct Replacement {
    response: Vec<u8>,
    written: usize,
    /// The length of what it replaces.
    replaced: usize,
}

impl<S: AsyncWrite + Unpin> ExplainRefusals<S> {
    pub(super) fn new(stream: S) -> Self {
        Self { stream, replacement: None }
    }

    /// Writes the replacement of `head`, or of the last call. `None` if there is none.
    fn poll_replace(&mut self, context: &mut Context<'_>, head: &[u8]) -> Option<Poll<io::Result<usize>>> {
        if self.replacement.is_none() {
            let response = explained(head)?;
            self.replacement = Some(Replacement { response, written: 0, replaced: head.len() });
        }
        let replacement = self.replacement.as_mut()?;
        while replacement.written < replacement.response.len() {
            let rest = &replacement.response[replacement.written..];
            match Pin::new(&mut self.stream).poll_write(context, rest) {
                Poll::Ready(Ok(0)) => return Some(Poll::Ready(Err(io::ErrorKind::WriteZero.into()))),
                Poll::Ready(Ok(count)) => replacement.written += count,
                other => return Some(other),
            }
        }
        let replaced = replacement.replaced;
        self.replacement = None;
        Some(Poll::Ready(Ok(replaced)))
    }
}

/// The response to write instead of `head`, if that is the head of an empty refusal. Those of handlers have the default headers.
fn explained(head: &[u8]) -> Option<Vec<u8>> {
    let status = head.strip_prefix(b"HTTP/1.1 ")?;
    if status.first() != Some(&b'4') || memmem::find(head, HEADERS[0].0.as_str().as_bytes()).is_some() {
        return None;
    }
    let message = match status.get(..3)? {
        b"400" => "invalid HTTP request: check its head, and how the end of its body is told",
        b"414" => "the URL is too long: send parameters in the body",
        b"431" => "the request's head must have at most 64 KiB and 100 headers: send fewer or shorter headers",
        _ => return None,
    };
    let status = str::from_utf8(&status[..memchr::memchr(b'\r', status)?]).ok()?;
    Some(refusal(status, "", Code::InvalidParameter, message))
}

impl<S: AsyncRead + Unpin> AsyncRead for ExplainRefusals<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for ExplainRefusals<S> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        match self.poll_replace(context, bytes) {
            Some(written) => written,
            None => Pin::new(&mut self.stream).poll_write(context, bytes),
        }
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        // An empty response is its head.
        if let [head] = slices
            && let Some(written) = self.poll_replace(context, head)
        {
            return written;
        }
        Pin::new(&mut self.stream).poll_write_vectored(context, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let _ = ready!(self.as_mut().poll_flush(context));
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
