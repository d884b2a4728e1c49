//! The page cache: list pages in the default order, valid until a write invalidates data they depend on.
//!
//! Hot pages are held uncompressed, ready to send. Many more are held in less space: as gzip if the client accepts it,
//! else in compact form.

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

/// Typical size of an uncompressed page in bytes.
const PLAIN_PAGE: usize = 32 << 10;
/// Typical size of a gzip or compact page in bytes.
const SMALL_PAGE: usize = 6 << 10;
/// Uncompressed pages get one part in this many of the memory.
const PLAIN_SHARE: usize = 6;
/// Number of requests that the admission filter remembers.
const ADMISSION_WINDOW: usize = 1 << 16;

pub(crate) struct PageCache {
    plain: VersionedCache<CachedPage>,
    small: VersionedCache<CachedPage>,
    admission: AdmissionFilter,
    /// Remembers as many requests as plain pages fit into the cache.
    plain_admission: AdmissionFilter,
    /// Pages by source. Created on first use, after the recorder is installed.
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

/// The cache key of a page: reader, list, range and encoding.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct PageKey {
    pub(crate) shopper: (i64, [u8; 16]),
    pub(crate) list: Uuid,
    /// The cursor: time and number of the item before the page.
    pub(crate) after: Option<(i64, i64)>,
    pub(crate) limit: i64,
    pub(crate) gzip: bool,
}

/// A page read from the database, to be cached.
pub(crate) struct FreshPage {
    pub(crate) body: Vec<u8>,
    /// Spans of the body that the product cache holds, if it holds all product fields of the page.
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
    /// A cache of this size; `None` if it is too small for a page.
    pub(crate) fn new(tracker: &Arc<ChangeTracker>, bytes: usize) -> Option<Self> {
        let plain = bytes / PLAIN_SHARE;
        (plain >= PLAIN_PAGE).then(|| Self {
            plain: VersionedCache::new(tracker, plain, PLAIN_PAGE),
            small: VersionedCache::new(tracker, bytes - plain, SMALL_PAGE),
            admission: AdmissionFilter::new(ADMISSION_WINDOW),
            plain_admission: AdmissionFilter::new(plain / PLAIN_PAGE),
            counters: LazyLock::new(Counters::new),
        })
    }

    /// The cached page, if it is still valid for a request that reads at `version`.
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

    /// Like [`Self::get`], without counting or promoting the page.
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

    /// Encodes a page that was read at `version`, and caches it if the admission filter has seen its key before.
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
        // If the product cache is full, the fields will be missing next time too: then the whole page is compressed.
        let spans = spans.or_else(|| products.is_full().then(Vec::new));
        let cached = |encoding| CachedPage(Arc::new(Page { encoding, dependencies: Arc::new(dependencies) }));
        match spans {
            _ if key.gzip && is_worth_compressing(&body) => {
                if !is_admitted {
                    return CompressibleBody::new(body, true);
                }
                // Compressed once for many reads, so a better level than for a single response pays off.
                let bytes = shrink(compress(&body, Compression::default()));
                self.small.insert(key, version, cached(Encoding::Gzip(bytes.clone())));
                CompressibleBody::Gzip(bytes)
            }
            _ if is_hot => {
                let bytes = shrink(body);
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

/// Drops spare capacity, since the page may stay for long.
fn shrink(body: Vec<u8>) -> Bytes {
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
