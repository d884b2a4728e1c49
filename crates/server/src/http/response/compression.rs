//! Compression of responses.

use std::io::Write;

use axum::http::HeaderMap;
use axum::http::header::ACCEPT_ENCODING;
use flate2::Compression;
use flate2::write::GzEncoder;

/// Minimum size of a compressed response; smaller ones fit into a packet uncompressed.
pub(crate) const MIN_COMPRESSED: u64 = 1_024;

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
