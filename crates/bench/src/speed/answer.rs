//! As much of HTTP/1.1 as is needed to know where an answer ends.

use anyhow::{Context, bail, ensure};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Head {
    pub(crate) status: u16,
    /// Bytes up to the body.
    pub(crate) length: usize,
    pub(crate) body: BodyLength,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BodyLength {
    Known(usize),
    Chunked,
}

/// The end of the last chunk and the empty one after it. (What is compressed could contain it by chance, at the very
/// end of what happened to be read: once in 2^56.)
const LAST_CHUNK: &[u8] = b"\r\n0\r\n\r\n";

impl Head {
    /// `None` as long as there is more to come of it.
    pub(crate) fn parse(bytes: &[u8]) -> anyhow::Result<Option<Self>> {
        let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") else { return Ok(None) };
        let head = std::str::from_utf8(&bytes[..end]).context("the head of an answer is text")?;
        ensure!(head.starts_with("HTTP/1.1 "), "not an HTTP/1.1 answer: {head}");
        let status = head.get(9..12).and_then(|digits| digits.parse().ok()).context("an answer has a status")?;
        let mut body = None;
        for line in head.lines().skip(1) {
            let Some((name, value)) = line.split_once(':') else { continue };
            if name.eq_ignore_ascii_case("content-length") {
                body = Some(BodyLength::Known(value.trim().parse()?));
            } else if name.eq_ignore_ascii_case("transfer-encoding") {
                body = Some(BodyLength::Chunked);
            }
        }
        let Some(body) = body else { bail!("an answer without a length: {head}") };
        Ok(Some(Self { status, length: end + 4, body }))
    }

    pub(crate) fn is_complete(&self, answer: &[u8]) -> bool {
        match self.body {
            BodyLength::Known(length) => answer.len() >= self.length + length,
            BodyLength::Chunked => answer[self.length - 2..].ends_with(LAST_CHUNK),
        }
    }

    /// The same for whoever keeps only the last bytes of an answer.
    pub(crate) fn ends_with(&self, received: usize, tail: &[u8]) -> bool {
        match self.body {
            BodyLength::Known(length) => received >= self.length + length,
            BodyLength::Chunked => tail.ends_with(LAST_CHUNK),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_ends_where_its_length_says() {
        let answer = b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc";
        for cut in 0..answer.len() {
            let head = Head::parse(&answer[..cut]).unwrap();
            assert!(!head.is_some_and(|head| head.is_complete(&answer[..cut])), "{cut}");
        }
        let head = Head::parse(answer).unwrap().unwrap();
        assert_eq!((head.status, head.body), (200, BodyLength::Known(3)));
        assert!(head.is_complete(answer));
    }

    #[test]
    fn a_chunked_answer_ends_with_an_empty_chunk() {
        let answer = b"HTTP/1.1 503 No\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n";
        let head = Head::parse(answer).unwrap().unwrap();
        assert_eq!((head.status, head.body), (503, BodyLength::Chunked));
        assert!(head.is_complete(answer) && !head.is_complete(&answer[..answer.len() - 2]));
        assert!(Head::parse(b"HTTP/1.1 200 OK\r\n\r\n").is_err());
    }
}
