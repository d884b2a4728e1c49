//! Pages that were answered before and are still so: the same question gets the same answer, without a look into the
//! database. What was asked includes who asked, with all proof of it.
//!
//! Those that are read again and again are kept as they are sent. Many more are kept in less space: compressed where
//! that is asked for, or else squeezed.

use std::io::{Read, Write};
use std::sync::{Arc, LazyLock};

use axum::body::{Body, Bytes};
use axum::http::HeaderMap;
use axum::http::header::{ACCEPT_ENCODING, CONTENT_ENCODING, HeaderValue, VARY};
use axum::response::{IntoResponse, Response};
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use metrics::Counter;
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
/// A part of the memory is for those as they are.
const FINISHED_SHARE: usize = 6;
/// Of how many askings is remembered that they were.
const ASKINGS: usize = 1 << 16;

pub(crate) struct KeptPages {
    finished: Kept<KeptPage>,
    small: Kept<KeptPage>,
    asked: Askings,
    /// So long ago that as many finished pages have room.
    asked_lately: Askings,
    /// Of pages by where they came from. Not before someone listens.
    counters: LazyLock<Counters>,
}

struct Counters {
    finished: Counter,
    compressed: Counter,
    squeezed: Counter,
    database: Counter,
}

impl Counters {
    fn new() -> Self {
        let counter = |from: &'static str| metrics::counter!("wishbone_pages_total", "from" => from);
        let [finished, compressed, squeezed, database] =
            ["finished", "compressed", "squeezed", "database"].map(counter);
        Self { finished, compressed, squeezed, database }
    }
}

/// Query and body of a request, and whether its answer is to be compressed.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct Question {
    said: Box<[u8]>,
    compressed: bool,
}

impl Question {
    pub(super) fn new(said: &Said, compressed: bool) -> Self {
        Self { said: said.bytes(), compressed }
    }

    /// What is compressed takes little space as it is sent.
    fn may_be_finished(&self) -> bool {
        !self.compressed
    }
}

/// What is to be known of a page that was just made, if it is to be kept.
pub(super) struct Origin {
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
        let finished = most / FINISHED_SHARE;
        (finished >= PAGE).then(|| Self {
            finished: Kept::new(changes, finished, PAGE),
            small: Kept::new(changes, most - finished, SMALL_PAGE),
            asked: Askings::new(ASKINGS),
            asked_lately: Askings::new(finished / PAGE),
            counters: LazyLock::new(Counters::new),
        })
    }

    /// What was answered, if it is known and still so.
    pub(super) fn look(&self, question: &Question, dictionary: &Dictionary) -> Option<(KeptPage, PageBody)> {
        let finished = if question.may_be_finished() { self.finished.get(question) } else { None };
        let page = finished.or_else(|| self.small.get(question))?;
        let body = match &page.0.form {
            Form::Plain(bytes) => PageBody::Plain(bytes.clone()),
            Form::Gzip(bytes) => PageBody::Gzip(bytes.clone()),
            Form::Squeezed(squeezed) => PageBody::Plain(squeezed.unfold(dictionary)?.into()),
        };
        Some((page, body))
    }

    /// The same for a request that came at the time of `since`, with the store that it is about.
    pub(super) fn get(
        &self,
        question: &Question,
        since: Since,
        dictionary: &Dictionary,
    ) -> Option<(PageBody, Arc<StoreRecord>)> {
        let (page, body) = self.look(question, dictionary)?;
        let Page { form, sources, store } = &*page.0;
        match (form, &body) {
            (Form::Plain(_), _) => self.counters.finished.increment(1),
            (Form::Gzip(_), _) => self.counters.compressed.increment(1),
            (Form::Squeezed(_), PageBody::Plain(bytes) | PageBody::Gzip(bytes)) => {
                self.counters.squeezed.increment(1);
                if question.may_be_finished() && self.asked_lately.again(question) {
                    let (sources, store) = (Arc::clone(sources), Arc::clone(store));
                    let page = Page { form: Form::Plain(bytes.clone()), sources, store };
                    self.finished.keep(question.clone(), since, KeptPage(Arc::new(page)));
                }
            }
        }
        Some((body, Arc::clone(store)))
    }

    /// Keeps a page that is asked for again.
    pub(super) fn keep(
        &self,
        question: Question,
        since: Since,
        body: Vec<u8>,
        origin: Origin,
        dictionary: &Dictionary,
    ) -> PageBody {
        self.counters.database.increment(1);
        let Origin { spans, sources, store } = origin;
        let is_lately = question.may_be_finished() && self.asked_lately.again(&question);
        let is_again = self.asked.again(&question);
        // A page with words that the dictionary has not: all of it is squeezed, if the words will not be there next time either.
        let spans = spans.or_else(|| dictionary.is_full().then(Vec::new));
        let kept = |form| KeptPage(Arc::new(Page { form, sources: Arc::new(sources), store }));
        match spans {
            _ if question.compressed && is_worth_compressing(&body) => {
                if !is_again {
                    return PageBody::new(body, true);
                }
                // Once for many readers: worth more than the least effort.
                let bytes = exactly(compress(&body, Compression::default()));
                self.small.keep(question, since, kept(Form::Gzip(bytes.clone())));
                PageBody::Gzip(bytes)
            }
            _ if is_lately => {
                let bytes = exactly(body);
                self.finished.keep(question, since, kept(Form::Plain(bytes.clone())));
                PageBody::Plain(bytes)
            }
            Some(spans) if is_again => {
                self.small.keep(question, since, kept(Form::Squeezed(Squeezed::new(&body, &spans))));
                PageBody::Plain(body.into())
            }
            _ => PageBody::Plain(body.into()),
        }
    }
}

/// In no more memory than it needs: it may stay for long.
fn exactly(body: Vec<u8>) -> Bytes {
    body.into_boxed_slice().into()
}

/// A page as it is sent.
#[derive(PartialEq)]
pub(super) enum PageBody {
    Plain(Bytes),
    Gzip(Bytes),
}

impl PageBody {
    /// Compressed if the client wants it and it is worth it.
    pub(super) fn new(body: Vec<u8>, compressed: bool) -> Self {
        if compressed && is_worth_compressing(&body) {
            Self::Gzip(compress(&body, Compression::fast()).into())
        } else {
            Self::Plain(body.into())
        }
    }

    /// Whether it says this, uncompressed.
    pub(super) fn says(&self, text: &[u8]) -> bool {
        match self {
            Self::Plain(bytes) => bytes == text,
            Self::Gzip(bytes) => {
                let mut unpacked = Vec::new();
                GzDecoder::new(&bytes[..]).read_to_end(&mut unpacked).is_ok() && unpacked == text
            }
        }
    }
}

impl IntoResponse for PageBody {
    fn into_response(self) -> Response {
        let is_compressed = matches!(self, Self::Gzip(_));
        let (Self::Plain(bytes) | Self::Gzip(bytes)) = self;
        let varies = is_compressed || is_worth_compressing(&bytes);
        let mut response = as_json(Body::from(bytes));
        let headers = response.headers_mut();
        if varies {
            headers.insert(VARY, HeaderValue::from_static("accept-encoding"));
        }
        if is_compressed {
            headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        }
        response
    }
}

fn is_worth_compressing(body: &[u8]) -> bool {
    body.len() as u64 >= LEAST_COMPRESSED
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
pub(super) fn accepts_gzip(headers: &HeaderMap) -> bool {
    let codings = headers.get_all(ACCEPT_ENCODING).into_iter().filter_map(|value| value.to_str().ok());
    let (mut gzip, mut anything, mut plain) = (None, None, 0.0);
    for coding in codings.flat_map(|value| value.split(',')) {
        let (name, parameter) = coding.split_once(';').unwrap_or((coding, "q=1"));
        let weight = parameter.trim();
        let weight = weight.strip_prefix("q=").or_else(|| weight.strip_prefix("Q="));
        let Some(weight) = weight.and_then(|weight| weight.parse::<f32>().ok()) else { continue };
        let is = |other: &str| name.trim().eq_ignore_ascii_case(other);
        if is("gzip") || is("x-gzip") {
            gzip = Some(weight);
        } else if is("*") {
            anything = Some(weight);
        } else if is("identity") {
            plain = weight;
        }
    }
    let gzip = gzip.or(anything).unwrap_or(0.0);
    gzip > 0.0 && gzip >= plain
}

fn compress(body: &[u8], effort: Compression) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::with_capacity(body.len() / 4), effort);
    // Writing into memory cannot fail.
    let _ = encoder.write_all(body);
    encoder.finish().unwrap_or_default()
}
