//! Pages that were answered before and are still so: the same question gets the same bytes, without a look into the
//! database. What was asked includes who asked, with all proof of it.

use std::io::Write;
use std::sync::{Arc, OnceLock};

use axum::body::{Body, Bytes};
use axum::http::HeaderMap;
use axum::http::header::{ACCEPT_ENCODING, CONTENT_ENCODING, HeaderValue, VARY};
use axum::response::Response;
use flate2::Compression;
use flate2::write::GzEncoder;
use wishbone_core::kept::Keep;
use wishbone_core::stores::StoreRecord;
use wishbone_store::Subject;

use super::answer::as_json;

/// Query and body of a request.
pub type Question = Box<[u8]>;

/// An answered page, in both forms.
#[derive(Clone)]
pub struct KeptPage(Arc<Page>);

struct Page {
    body: Bytes,
    compressed: OnceLock<Bytes>,
    subjects: Vec<Subject>,
    store: Arc<StoreRecord>,
}

impl KeptPage {
    pub(super) fn new(body: Vec<u8>, subjects: Vec<Subject>, store: &Arc<StoreRecord>) -> Self {
        let page = Page { body: body.into(), compressed: OnceLock::new(), subjects, store: Arc::clone(store) };
        Self(Arc::new(page))
    }

    pub(super) fn body(&self) -> &Bytes {
        &self.0.body
    }

    pub(super) fn store(&self) -> &Arc<StoreRecord> {
        &self.0.store
    }

    pub(super) fn answer(&self, compressed: bool) -> Response {
        if !compressed {
            return as_json(Body::from(self.0.body.clone()));
        }
        let body = self.0.compressed.get_or_init(|| compress(&self.0.body));
        let mut response = as_json(Body::from(body.clone()));
        response.headers_mut().insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        response.headers_mut().insert(VARY, HeaderValue::from_static("accept-encoding"));
        response
    }
}

/// Whether a client wants its answers compressed.
pub(super) fn accepts_gzip(headers: &HeaderMap) -> bool {
    let codings = headers.get_all(ACCEPT_ENCODING).into_iter().filter_map(|value| value.to_str().ok());
    codings.flat_map(|value| value.split(',')).any(|coding| {
        let (name, weight) = coding.split_once(';').unwrap_or((coding, ""));
        let refused = weight.trim().strip_prefix("q=").is_some_and(|q| q.parse() == Ok(0.0));
        name.trim().eq_ignore_ascii_case("gzip") && !refused
    })
}

/// Once for many readers: worth more than the least effort.
fn compress(body: &[u8]) -> Bytes {
    let mut encoder = GzEncoder::new(Vec::with_capacity(body.len() / 4), Compression::default());
    // Writing into memory cannot fail.
    let _ = encoder.write_all(body);
    encoder.finish().unwrap_or_default().into()
}

impl Keep for KeptPage {
    type Key = Question;

    fn subjects(&self, _: &Self::Key) -> impl Iterator<Item = Subject> {
        self.0.subjects.iter().copied()
    }

    /// The compressed form may come later.
    fn bytes(&self, key: &Self::Key) -> usize {
        key.len() + self.0.body.len() * 5 / 4 + size_of_val(&*self.0.subjects)
    }
}
