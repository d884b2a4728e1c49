//! Pages that were answered before and are still so: the same question gets the same bytes, without a look into the
//! database. What was asked includes who asked, with all proof of it.
//!
//! Those that are read again and again are kept as they are sent. Many more are kept in less space: compressed where
//! that is asked for, or else squeezed.

use std::io::{Read, Write};
use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::http::HeaderMap;
use axum::http::header::{ACCEPT_ENCODING, CONTENT_ENCODING, HeaderValue, VARY};
use axum::response::{IntoResponse, Response};
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use wishbone_core::dictionary::Dictionary;
use wishbone_core::items::Sources;
use wishbone_core::kept::{Askings, Keep, Kept};
use wishbone_core::squeezed::{Span, Squeezed};
use wishbone_core::stores::StoreRecord;
use wishbone_store::{Changes, Since, Subject};

use super::LEAST_COMPRESSED;
use super::answer::as_json;
use super::auth::Said;

/// How many bytes a page takes, about, as it is and in less space.
const PAGE: usize = 32 << 10;
const SMALL_PAGE: usize = 6 << 10;
/// Of how many askings is remembered that they were.
const ASKINGS: usize = 1 << 16;

pub(crate) struct KeptPages {
    finished: Kept<KeptPage>,
    small: Kept<KeptPage>,
    asked: Askings,
    /// So long ago that as many finished pages have room.
    asked_lately: Askings,
}

/// Query and body of a request, and whether its answer is to be compressed.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct Question {
    said: Box<[u8]>,
    compressed: bool,
}

impl Question {
    pub(super) fn new(said: &Said) -> Self {
        Self { said: said.bytes(), compressed: accepts_gzip(&said.headers) }
    }
}

/// A page that was just made, with all that is to be known if it is to be kept.
pub(super) struct NewPage {
    pub(super) body: Vec<u8>,
    /// Where it has words of the dictionary.
    pub(super) spans: Option<Vec<Span>>,
    pub(super) sources: Sources,
    pub(super) store: Arc<StoreRecord>,
}

#[derive(Clone)]
pub(crate) struct KeptPage(Arc<Page>);

struct Page {
    form: Form,
    sources: Arc<Sources>,
    store: Arc<StoreRecord>,
}

enum Form {
    Plain(Bytes),
    Gzip(Bytes),
    Squeezed(Squeezed),
}

impl KeptPages {
    /// For so many bytes; `None` if that is not enough for anything.
    pub(crate) fn new(changes: &Arc<Changes>, most: usize) -> Option<Self> {
        let finished = most / 4;
        (finished >= PAGE).then(|| Self {
            finished: Kept::new(changes, finished, PAGE),
            small: Kept::new(changes, most - finished, SMALL_PAGE),
            asked: Askings::new(ASKINGS),
            asked_lately: Askings::new(finished / PAGE),
        })
    }

    /// What was answered, if it is known and still so at the time of `since`.
    pub(super) fn get(&self, question: &Question, since: Since, dictionary: &Dictionary) -> Option<PageBody> {
        if !question.compressed
            && let Some(page) = self.finished.get(question)
        {
            return page.body(dictionary);
        }
        let page = self.small.get(question)?;
        let body = page.body(dictionary)?;
        if matches!(page.0.form, Form::Squeezed(_)) && self.asked_lately.again(question) {
            let form = Form::Plain(body.bytes.clone());
            self.finished.keep(question.clone(), since, page.in_form(form));
        }
        Some(body)
    }

    /// Keeps a page that is asked for again.
    pub(super) fn keep(&self, question: Question, since: Since, page: NewPage) -> PageBody {
        let NewPage { body, spans, sources, store } = page;
        let (is_lately, is_again) = (self.asked_lately.again(&question), self.asked.again(&question));
        let kept = |form| KeptPage(Arc::new(Page { form, sources: Arc::new(sources), store: Arc::clone(&store) }));
        if question.compressed && body.len() as u64 > LEAST_COMPRESSED {
            if !is_again {
                return PageBody { bytes: body.into(), compressed: false, store };
            }
            let bytes = exactly(compress(&body));
            self.small.keep(question, since, kept(Form::Gzip(bytes.clone())));
            return PageBody { bytes, compressed: true, store };
        }
        let bytes = match spans {
            _ if is_lately => {
                let bytes = exactly(body);
                self.finished.keep(question, since, kept(Form::Plain(bytes.clone())));
                bytes
            }
            Some(spans) if is_again => {
                self.small.keep(question, since, kept(Form::Squeezed(Squeezed::new(&body, &spans))));
                body.into()
            }
            _ => body.into(),
        };
        PageBody { bytes, compressed: false, store }
    }
}

/// In no more memory than it needs: it may stay for long.
fn exactly(body: Vec<u8>) -> Bytes {
    body.into_boxed_slice().into()
}

/// A page as it is sent.
pub(super) struct PageBody {
    bytes: Bytes,
    compressed: bool,
    pub(super) store: Arc<StoreRecord>,
}

impl PageBody {
    /// Whether it says this, uncompressed.
    pub(super) fn says(&self, text: &[u8]) -> bool {
        if !self.compressed {
            return self.bytes == text;
        }
        let mut unpacked = Vec::new();
        GzDecoder::new(&self.bytes[..]).read_to_end(&mut unpacked).is_ok() && unpacked == text
    }
}

impl IntoResponse for PageBody {
    fn into_response(self) -> Response {
        let mut response = as_json(Body::from(self.bytes));
        if self.compressed {
            response.headers_mut().insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
            response.headers_mut().insert(VARY, HeaderValue::from_static("accept-encoding"));
        }
        response
    }
}

impl KeptPage {
    fn in_form(&self, form: Form) -> Self {
        let Page { sources, store, .. } = &*self.0;
        Self(Arc::new(Page { form, sources: Arc::clone(sources), store: Arc::clone(store) }))
    }

    /// `None` when words in it are forgotten.
    fn body(&self, dictionary: &Dictionary) -> Option<PageBody> {
        let Page { form, store, .. } = &*self.0;
        let (bytes, compressed) = match form {
            Form::Plain(bytes) => (bytes.clone(), false),
            Form::Gzip(bytes) => (bytes.clone(), true),
            Form::Squeezed(squeezed) => (squeezed.unfold(dictionary)?.into(), false),
        };
        Some(PageBody { bytes, compressed, store: Arc::clone(store) })
    }
}

impl Keep for KeptPage {
    type Key = Question;

    fn is_so(&self, is_unchanged: impl Fn(Subject) -> bool) -> bool {
        self.0.sources.are(is_unchanged)
    }

    fn bytes(&self, key: &Self::Key) -> usize {
        let form = match &self.0.form {
            Form::Plain(bytes) | Form::Gzip(bytes) => bytes.len(),
            Form::Squeezed(squeezed) => squeezed.bytes(),
        };
        size_of::<Page>() + key.said.len() + form + self.0.sources.bytes()
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
