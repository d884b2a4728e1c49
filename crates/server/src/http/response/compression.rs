//! Compressed responses, for handlers that compress their own bodies.

use std::convert::Infallible;
use std::io::{Read, Write};

use axum::body::{Body, Bytes};
use axum::extract::FromRequestParts;
use axum::http::HeaderMap;
use axum::http::header::{ACCEPT_ENCODING, CONTENT_ENCODING, HeaderValue, VARY};
use axum::http::request::Parts;
use axum::response::{IntoResponse, Response};
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;

use crate::http::response::headers::as_json;

/// Minimum size of a compressed response; smaller ones fit into a packet uncompressed.
pub(crate) const MIN_COMPRESSED: u64 = 1_024;

/// A JSON body in the encoding in which it is sent.
#[derive(Clone, PartialEq)]
pub(crate) enum CompressibleBody {
    Plain(Bytes),
    Gzip(Bytes),
}

impl CompressibleBody {
    /// Compresses the body if the client accepts gzip and the body is large enough.
    pub(crate) fn new(body: Vec<u8>, accepts_gzip: bool) -> Self {
        if accepts_gzip && is_worth_compressing(&body) {
            Self::Gzip(compress([&body], Compression::fast()).into())
        } else {
            Self::Plain(body.into())
        }
    }

    /// The number of bytes that are sent.
    pub(crate) fn len(&self) -> usize {
        let (Self::Plain(bytes) | Self::Gzip(bytes)) = self;
        bytes.len()
    }

    /// True if the decompressed body equals `text`.
    pub(crate) fn equals(&self, text: &[u8]) -> bool {
        match self {
            Self::Plain(bytes) => bytes == text,
            Self::Gzip(bytes) => {
                let mut decompressed = Vec::new();
                GzDecoder::new(&bytes[..]).read_to_end(&mut decompressed).is_ok() && decompressed == text
            }
        }
    }
}

impl IntoResponse for CompressibleBody {
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

pub(crate) fn is_worth_compressing(body: &[u8]) -> bool {
    body.len() as u64 >= MIN_COMPRESSED
}

/// True if the client accepts gzip and does not prefer uncompressed responses.
pub(crate) struct AcceptsGzip(pub(crate) bool);

impl<S: Sync> FromRequestParts<S> for AcceptsGzip {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(Self(accepts_gzip(&parts.headers)))
    }
}

pub(crate) fn accepts_gzip(headers: &HeaderMap) -> bool {
    let codings = headers.get_all(ACCEPT_ENCODING).into_iter().filter_map(|value| value.to_str().ok());
    let (mut gzip, mut wildcard, mut identity) = (None, None, 0.0);
    for coding in codings.flat_map(|value| value.split(',')) {
        let (name, parameter) = coding.split_once(';').map_or((coding, None), |(name, rest)| (name, Some(rest.trim())));
        let parse = |weight: &str| weight.strip_prefix("q=").or_else(|| weight.strip_prefix("Q="))?.parse::<f32>().ok();
        let Some(weight) = parameter.map_or(Some(1.0), parse) else { continue };
        let is = |other: &str| name.trim().eq_ignore_ascii_case(other);
        if is("gzip") || is("x-gzip") {
            gzip = Some(weight);
        } else if is("*") {
            wildcard = Some(weight);
        } else if is("identity") {
            identity = weight;
        }
    }
    let gzip = gzip.or(wildcard).unwrap_or(0.0);
    gzip > 0.0 && gzip >= identity
}

pub(crate) fn compress(parts: impl IntoIterator<Item = impl AsRef<[u8]>>, level: Compression) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), level);
    for part in parts {
        // Writing to memory cannot fail.
        let _ = encoder.write_all(part.as_ref());
    }
    encoder.finish().unwrap_or_default()
}
