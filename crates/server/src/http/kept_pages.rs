//! Pages that were answered before and are still so: the same question gets the same bytes, without a look into the
//! database. What was asked includes who asked, with all proof of it.

use std::io::{Read, Write};
use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::http::HeaderMap;
use axum::http::header::{ACCEPT_ENCODING, CONTENT_ENCODING, HeaderValue, VARY};
use axum::response::Response;
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use wishbone_core::kept::Keep;
use wishbone_core::stores::StoreRecord;
use wishbone_store::Subject;

use super::LEAST_COMPRESSED;
use super::answer::as_json;
use super::auth::Said;

/// Query and body of a request, and whether its answer is to be compressed.
#[derive(PartialEq, Eq, Hash)]
pub struct Question {
    said: Box<[u8]>,
    compressed: bool,
}

impl Question {
    pub(super) fn new(said: &Said) -> Self {
        Self { said: said.bytes(), compressed: accepts_gzip(&said.headers) }
    }
}

/// An answered page, in the form that was asked for: compressed, seven times as many fit into the same memory.
#[derive(Clone)]
pub struct KeptPage(Arc<Page>);

struct Page {
    body: Bytes,
    compressed: bool,
    subjects: Vec<Subject>,
    store: Arc<StoreRecord>,
}

impl KeptPage {
    pub(super) fn new(question: &Question, body: Vec<u8>, subjects: Vec<Subject>, store: &Arc<StoreRecord>) -> Self {
        let compressed = question.compressed && body.len() as u64 > LEAST_COMPRESSED;
        let body = if compressed { compress(&body) } else { body };
        // No more than it needs: it may stay for long.
        let body = body.into_boxed_slice().into();
        Self(Arc::new(Page { body, compressed, subjects, store: Arc::clone(store) }))
    }

    /// Whether it says this, uncompressed.
    pub(super) fn says(&self, text: &[u8]) -> bool {
        let mut unpacked = Vec::new();
        let body = if self.0.compressed {
            GzDecoder::new(&self.0.body[..]).read_to_end(&mut unpacked).is_ok().then_some(&unpacked[..])
        } else {
            Some(&self.0.body[..])
        };
        body == Some(text)
    }

    pub(super) fn store(&self) -> &Arc<StoreRecord> {
        &self.0.store
    }

    pub(super) fn answer(&self) -> Response {
        let mut response = as_json(Body::from(self.0.body.clone()));
        if self.0.compressed {
            response.headers_mut().insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
            response.headers_mut().insert(VARY, HeaderValue::from_static("accept-encoding"));
        }
        response
    }
}

/// Whether a client wants its answers compressed: no less than as they are.
fn accepts_gzip(headers: &HeaderMap) -> bool {
    let codings = headers.get_all(ACCEPT_ENCODING).into_iter().filter_map(|value| value.to_str().ok());
    let (mut gzip, mut plain) = (0.0, 0.0);
    for coding in codings.flat_map(|value| value.split(',')) {
        let (name, parameter) = coding.split_once(';').unwrap_or((coding, "q=1"));
        let weight = parameter.trim().to_ascii_lowercase();
        let Some(weight) = weight.strip_prefix("q=").and_then(|weight| weight.parse::<f32>().ok()) else { continue };
        match name.trim() {
            name if name.eq_ignore_ascii_case("gzip") => gzip = weight,
            name if name.eq_ignore_ascii_case("identity") => plain = weight,
            _ => {}
        }
    }
    gzip > 0.0 && gzip >= plain
}

/// Once for many readers: worth more than the least effort.
fn compress(body: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::with_capacity(body.len() / 4), Compression::default());
    // Writing into memory cannot fail.
    let _ = encoder.write_all(body);
    encoder.finish().unwrap_or_default()
}

impl Keep for KeptPage {
    type Key = Question;

    fn subjects(&self, _: &Self::Key) -> impl Iterator<Item = Subject> {
        self.0.subjects.iter().copied()
    }

    fn bytes(&self, key: &Self::Key) -> usize {
        key.said.len() + self.0.body.len() + size_of_val(&*self.0.subjects)
    }
}
