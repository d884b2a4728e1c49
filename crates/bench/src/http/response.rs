//! A minimal HTTP/1.1 parser that finds the end of a response.

use std::borrow::Cow;

use anyhow::{Context, bail, ensure};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Head {
    pub(crate) status: u16,
    /// The offset of the body.
    pub(crate) length: usize,
    pub(crate) body: BodyLength,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BodyLength {
    Known(usize),
    Chunked,
}

/// The end of the last chunk and the empty chunk. Compressed data at the end of a read could match by chance, with a
/// probability of 2^-56.
const LAST_CHUNK: &[u8] = b"\r\n0\r\n\r\n";

impl Head {
    /// `None` if the head is incomplete.
    pub(crate) fn parse(bytes: &[u8]) -> anyhow::Result<Option<Self>> {
        let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") else { return Ok(None) };
        let head = std::str::from_utf8(&bytes[..end]).context("the head of the response is not text")?;
        ensure!(head.starts_with("HTTP/1.1 "), "not an HTTP/1.1 response: {head}");
        let status = head.get(9..12).and_then(|digits| digits.parse().ok()).context("the response has no status")?;
        let mut body = None;
        for line in head.lines().skip(1) {
            let Some((name, value)) = line.split_once(':') else { continue };
            if name.eq_ignore_ascii_case("content-length") {
                body = Some(BodyLength::Known(value.trim().parse()?));
            } else if name.eq_ignore_ascii_case("transfer-encoding") {
                body = Some(BodyLength::Chunked);
            }
        }
        let Some(body) = body else { bail!("the response has no length: {head}") };
        Ok(Some(Self { status, length: end + 4, body }))
    }

    pub(crate) fn is_complete(&self, response: &[u8]) -> bool {
        match self.body {
            BodyLength::Known(length) => response.len() >= self.length + length,
            BodyLength::Chunked => response[self.length - 2..].ends_with(LAST_CHUNK),
        }
    }

    /// The body of a complete response, with its chunks joined.
    pub(crate) fn body<'a>(&self, response: &'a [u8]) -> anyhow::Result<Cow<'a, [u8]>> {
        let body = &response[self.length..];
        Ok(match self.body {
            BodyLength::Known(_) => Cow::Borrowed(body),
            BodyLength::Chunked => Cow::Owned(join_chunks(body)?),
        })
    }

    /// Like `is_complete`, given only the number of bytes received and the last of them.
    pub(crate) fn ends_with(&self, received: usize, tail: &[u8]) -> bool {
        match self.body {
            BodyLength::Known(length) => received >= self.length + length,
            BodyLength::Chunked => tail.ends_with(LAST_CHUNK),
        }
    }
}

fn join_chunks(mut chunks: &[u8]) -> anyhow::Result<Vec<u8>> {
    let mut out = Vec::new();
    loop {
        let end = chunks.windows(2).position(|two| two == b"\r\n").context("the chunk has no length")?;
        let length = usize::from_str_radix(std::str::from_utf8(&chunks[..end])?, 16)?;
        if length == 0 {
            return Ok(out);
        }
        out.extend_from_slice(&chunks[end + 2..end + 2 + length]);
        chunks = &chunks[end + 2 + length + 2..];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_response_ends_after_its_content_length() {
        let response = b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc";
        for cut in 0..response.len() {
            let head = Head::parse(&response[..cut]).unwrap();
            assert!(!head.is_some_and(|head| head.is_complete(&response[..cut])), "{cut}");
        }
        let head = Head::parse(response).unwrap().unwrap();
        assert_eq!((head.status, head.body), (200, BodyLength::Known(3)));
        assert!(head.is_complete(response));
    }

    #[test]
    fn a_chunked_response_ends_with_an_empty_chunk() {
        let response = b"HTTP/1.1 503 No\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n";
        let head = Head::parse(response).unwrap().unwrap();
        assert_eq!((head.status, head.body), (503, BodyLength::Chunked));
        assert!(head.is_complete(response) && !head.is_complete(&response[..response.len() - 2]));
        assert!(Head::parse(b"HTTP/1.1 200 OK\r\n\r\n").is_err());
    }

    #[test]
    fn chunks_are_joined() {
        assert_eq!(join_chunks(b"3\r\nabc\r\na\r\n0123456789\r\n0\r\n\r\n").unwrap(), b"abc0123456789");
    }
}
