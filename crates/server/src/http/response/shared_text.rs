//! Texts that are the same for everyone: files and pages. All responses share their bytes, also the compressed ones.

use axum::body::{Body, Bytes};
use axum::response::{IntoResponse, Response};
use flate2::Compression;

use crate::http::response::compression::compress;

/// A text that is compressed once.
#[derive(Clone)]
pub(crate) struct SharedText {
    plain: Bytes,
    gzip: Bytes,
}

/// Marks a response that takes no memory of its own.
#[derive(Clone)]
pub(crate) struct Shared {
    /// The body for clients that accept gzip, if it was compressed.
    pub(crate) gzip: Option<Bytes>,
}

impl SharedText {
    pub(crate) fn new(text: impl Into<Bytes>) -> Self {
        let plain = text.into();
        let gzip = compress([&plain], Compression::default()).into();
        Self { plain, gzip }
    }
}

impl IntoResponse for SharedText {
    fn into_response(self) -> Response {
        let mut response = Response::new(Body::from(self.plain));
        response.extensions_mut().insert(Shared { gzip: Some(self.gzip) });
        response
    }
}
