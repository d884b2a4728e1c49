//! The page cache: pages of lists in the usual order, valid until a write touches what they were made from.
//!
//! Pages that are read again and again are held as they are sent. Many more are held in less space: as gzip where the
//! client accepts it, else in compact form.

use std::sync::{Arc, LazyLock};

use axum::body::Bytes;
use flate2::Compression;
use metrics::Counter;
use uuid::Uuid;
use wishbone_core::cache::admission::AdmissionFilter;
use wishbone_core::cache::compact_page::{CompactPage, Span};
use wishbone_core::cache::products::ProductCache;
use wishbone_core::cache::versioned::{Cacheable, VersionedCache};
use wishbone_core::items::page::PageDependencies;
use wishbone_storage::{ChangeTracker, InvalidationKey, ReadVersion};

use crate::http::response::compression::{CompressibleBody, compress, is_worth_compressing};

/// The size of a page, about, as it is sent and in less space.
const PAGE: usize = 32 << 10;
const SMALL_PAGE: usize = 6 << 10;
/// One part in so many of the memory holds pages as they are sent.
const PLAIN_SHARE: usize = 6;
/// Requests that the admission filter remembers.
const REMEMBERED: usize = 1 << 16;

pub(crate) struct PageCache {
    plain: VersionedCache<CachedPage>,
    small: VersionedCache<CachedPage>,
    admission: AdmissionFilter,
    /// Remembers as many requests as there is room for plain pages.
    plain_admission: AdmissionFilter,
    /// Pages by source. Created on first use, when a recorder is installed.
    counters: LazyLock<Counters>,
}

struct Counters {
    plain: Counter,
    gzip: Counter,
    compact: Counter,
    database: Counter,
}

impl Counters {
    fn new() -> Self {
        let counter = |source: &'static str| metrics::counter!("wishbone_pages_total", "source" => source);
        let [plain, gzip, compact, database] = ["plain", "gzip", "compact", "database"].map(counter);
        Self { plain, gzip, compact, database }
    }
}

/// What a page depends on besides the data: who reads which part of which list, and how it is encoded.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct PageKey {
    pub(crate) shopper: (i64, [u8; 16]),
    pub(crate) list: Uuid,
    /// Where the page starts: time and number of the item before it.
    pub(crate) after: Option<(i64, i64)>,
    pub(crate) limit: i64,
    pub(crate) gzip: bool,
}

/// A page as it was read, with what the cache needs to know of it.
pub(crate) struct FreshPage {
    pub(crate) body: Vec<u8>,
    /// Where the body has fields of the product cache, if all of its product fields are there.
    pub(crate) spans: Option<Vec<Span>>,
    pub(crate) dependencies: PageDependencies,
}

#[derive(Clone)]
pub(crate) struct CachedPage(Arc<Page>);

struct Page {
    encoding: Encoding,
    dependencies: Arc<PageDependencies>,
}

enum Encoding {
    Plain(Bytes),
    Gzip(Bytes),
    Compact(CompactPage),
}

impl PageCache {
    /// `None` if so few bytes hold no page.
    pub(crate) fn new(tracker: &Arc<ChangeTracker>, bytes: usize) -> Option<Self> {
        let plain = bytes / PLAIN_SHARE;
        (plain >= PAGE).then(|| Self {
            plain: VersionedCache::new(tracker, plain, PAGE),
            small: VersionedCache::new(tracker, bytes - plain, SMALL_PAGE),
            admission: AdmissionFilter::new(REMEMBERED),
            plain_admission: AdmissionFilter::new(plain / PAGE),
            counters: LazyLock::new(Counters::new),
        })
    }

    /// The page, if it is cached and still valid for a request that reads at `version`.
    pub(crate) fn get(&self, key: &PageKey, version: ReadVersion, products: &ProductCache) -> Option<CompressibleBody> {
        let (page, body) = self.find(key, products)?;
        let Page { encoding, dependencies } = &*page.0;
        match (encoding, &body) {
            (Encoding::Plain(_), _) => self.counters.plain.increment(1),
            (Encoding::Gzip(_), _) => self.counters.gzip.increment(1),
            (Encoding::Compact(_), CompressibleBody::Plain(bytes) | CompressibleBody::Gzip(bytes)) => {
                self.counters.compact.increment(1);
                if !key.gzip && self.plain_admission.seen_before(key) {
                    let page =
                        Page { encoding: Encoding::Plain(bytes.clone()), dependencies: Arc::clone(dependencies) };
                    self.plain.insert(key.clone(), version, CachedPage(Arc::new(page)));
                }
            }
        }
        Some(body)
    }

    /// As [`Self::get`], without counting.
    pub(crate) fn peek(&self, key: &PageKey, products: &ProductCache) -> Option<CompressibleBody> {
        self.find(key, products).map(|(_, body)| body)
    }

    fn find(&self, key: &PageKey, products: &ProductCache) -> Option<(CachedPage, CompressibleBody)> {
        let plain = if key.gzip { None } else { self.plain.get(key) };
        let page = plain.or_else(|| self.small.get(key))?;
        let body = match &page.0.encoding {
            Encoding::Plain(bytes) => CompressibleBody::Plain(bytes.clone()),
            Encoding::Gzip(bytes) => CompressibleBody::Gzip(bytes.clone()),
            Encoding::Compact(compact) => CompressibleBody::Plain(compact.expand(products)?.into()),
        };
        Some((page, body))
    }

    /// Takes a page that was read at `version`: caches it if the filter has seen its key before, and encodes it.
    pub(crate) fn insert(
        &self,
        key: PageKey,
        version: ReadVersion,
        page: FreshPage,
        products: &ProductCache,
    ) -> CompressibleBody {
        self.counters.database.increment(1);
        let FreshPage { body, spans, dependencies } = page;
        let is_hot = !key.gzip && self.plain_admission.seen_before(&key);
        let is_admitted = self.admission.seen_before(&key);
        // Without spans the whole page is compressed, if its product fields will not be cached next time either.
        let spans = spans.or_else(|| products.is_full().then(Vec::new));
        let cached = |encoding| CachedPage(Arc::new(Page { encoding, dependencies: Arc::new(dependencies) }));
        match spans {
            _ if key.gzip && is_worth_compressing(&body) => {
                if !is_admitted {
                    return CompressibleBody::new(body, true);
                }
                // Once for many readers: worth more than the least effort.
                let bytes = exactly(compress(&body, Compression::default()));
                self.small.insert(key, version, cached(Encoding::Gzip(bytes.clone())));
                CompressibleBody::Gzip(bytes)
            }
            _ if is_hot => {
                let bytes = exactly(body);
                self.plain.insert(key, version, cached(Encoding::Plain(bytes.clone())));
                CompressibleBody::Plain(bytes)
            }
            Some(spans) if is_admitted => {
                self.small.insert(key, version, cached(Encoding::Compact(CompactPage::new(&body, &spans))));
                CompressibleBody::Plain(body.into())
            }
            _ => CompressibleBody::Plain(body.into()),
        }
    }
}

/// Without spare capacity: it may stay for long.
fn exactly(body: Vec<u8>) -> Bytes {
    body.into_boxed_slice().into()
}

impl Cacheable for CachedPage {
    type Key = PageKey;

    fn is_current(&self, is_valid: impl Fn(InvalidationKey) -> bool) -> bool {
        self.0.dependencies.all_valid(is_valid)
    }

    fn bytes(&self, _: &Self::Key) -> usize {
        let encoded = match &self.0.encoding {
            Encoding::Plain(bytes) | Encoding::Gzip(bytes) => bytes.len(),
            Encoding::Compact(compact) => compact.bytes(),
        };
        size_of::<Page>() + size_of::<PageKey>() + encoded + self.0.dependencies.bytes()
    }
}
