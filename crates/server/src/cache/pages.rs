//! The page cache: list pages in the default order, valid until a write invalidates data they depend on.
//!
//! A page is held as it is sent, compressed if the client accepts that.

use std::sync::{Arc, LazyLock};

use axum::body::Bytes;
use flate2::Compression;
use metrics::Counter;
use uuid::Uuid;
use wishbone_core::cache::admission::AdmissionFilter;
use wishbone_core::cache::versioned::{Cacheable, VersionedCache};
use wishbone_core::items::page::PageDependencies;
use wishbone_storage::{ChangeTracker, InvalidationKey, ReadVersion};

use crate::http::response::compression::{CompressibleBody, compress, is_worth_compressing};

/// Typical size of a cached page in bytes.
const PAGE: usize = 16 << 10;
/// Number of requests that the admission filter remembers.
const ADMISSION_WINDOW: usize = 1 << 16;

pub(crate) struct PageCache {
    pages: VersionedCache<CachedPage>,
    admission: AdmissionFilter,
    /// Pages by source. Created on first use, after the recorder is installed.
    counters: LazyLock<Counters>,
}

struct Counters {
    memory: Counter,
    database: Counter,
}

impl Counters {
    fn new() -> Self {
        let counter = |source: &'static str| metrics::counter!("wishbone_pages_total", "source" => source);
        Self { memory: counter("memory"), database: counter("database") }
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

#[derive(Clone)]
pub(crate) struct CachedPage(Arc<(CompressibleBody, PageDependencies)>);

impl PageCache {
    /// A cache of this size; `None` if it is too small for a page.
    pub(crate) fn new(tracker: &Arc<ChangeTracker>, bytes: usize) -> Option<Self> {
        (bytes >= PAGE).then(|| Self {
            pages: VersionedCache::new(tracker, bytes, PAGE),
            admission: AdmissionFilter::new(ADMISSION_WINDOW),
            counters: LazyLock::new(Counters::new),
        })
    }

    /// The cached page, if it is still valid.
    pub(crate) fn get(&self, key: &PageKey) -> Option<CompressibleBody> {
        let page = self.peek(key)?;
        self.counters.memory.increment(1);
        Some(page)
    }

    /// Like [`Self::get`], without counting the page.
    pub(crate) fn peek(&self, key: &PageKey) -> Option<CompressibleBody> {
        Some(self.pages.get(key)?.0.0.clone())
    }

    /// Compresses a page that was read at `version`, and caches it if the admission filter has seen its key before.
    pub(crate) fn insert(
        &self,
        key: PageKey,
        version: ReadVersion,
        body: Vec<u8>,
        dependencies: impl FnOnce() -> PageDependencies,
    ) -> CompressibleBody {
        self.counters.database.increment(1);
        if !self.admission.seen_before(&key) {
            return CompressibleBody::new(body, key.gzip);
        }
        let body = if key.gzip && is_worth_compressing(&body) {
            // Compressed once for many reads, so a better level than for a single response pays off.
            CompressibleBody::Gzip(without_spare(compress([&body], Compression::default())))
        } else {
            CompressibleBody::Plain(without_spare(body))
        };
        self.pages.insert(key, version, CachedPage(Arc::new((body.clone(), dependencies()))));
        body
    }
}

/// Drops spare capacity, since the page may stay for long.
fn without_spare(body: Vec<u8>) -> Bytes {
    body.into_boxed_slice().into()
}

impl Cacheable for CachedPage {
    type Key = PageKey;

    fn is_current(&self, is_valid: impl Fn(InvalidationKey) -> bool) -> bool {
        self.0.1.all_valid(is_valid)
    }

    fn bytes(&self, _: &Self::Key) -> usize {
        let (body, dependencies) = &*self.0;
        size_of::<(CompressibleBody, PageKey)>() + body.len() + dependencies.bytes()
    }
}
