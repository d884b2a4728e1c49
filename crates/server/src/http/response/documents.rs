//! The API description as it is sent: `/openapi.json`, and `/docs` with the URL that the client used.

use std::sync::{Mutex, PoisonError};

use axum::body::Bytes;
use axum::response::{IntoResponse, Response};

use crate::api::examples::BASE;
use crate::api::page::Pages;
use crate::http::response::large_response::InParts;
use crate::http::response::shared_text::{Shared, SharedText};

/// URLs for which the page is compressed. A client can name any, so there are few, and they stay.
const MAX_URLS: usize = 4;

pub(crate) struct Documents {
    pub(crate) json: SharedText,
    pub(crate) policy: String,
    /// The page, split where the URL belongs.
    html: Vec<Bytes>,
    by_url: Mutex<Vec<(String, SharedText)>>,
}

impl Documents {
    pub(crate) fn new(pages: Pages) -> Self {
        let html = Bytes::from(pages.html);
        let text = std::str::from_utf8(&html).unwrap_or_default();
        let segments = text.split(BASE).map(|segment| html.slice_ref(segment.as_bytes())).collect();
        Self { json: SharedText::new(pages.json), policy: pages.policy, html: segments, by_url: Mutex::default() }
    }

    /// The page with an escaped URL.
    pub(crate) fn html(&self, url: &str) -> Response {
        let mut by_url = self.by_url.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, text)) = by_url.iter().find(|(known, _)| known == url) {
            return text.clone().into_response();
        }
        let (url_bytes, mut parts) = (Bytes::copy_from_slice(url.as_bytes()), Vec::new());
        for segment in &self.html {
            parts.extend([segment.clone(), url_bytes.clone()]);
        }
        parts.pop();
        if by_url.len() < MAX_URLS {
            let text = SharedText::new(parts.concat());
            by_url.push((url.to_owned(), text.clone()));
            return text.into_response();
        }
        let mut response = InParts(parts).into_response();
        response.extensions_mut().insert(Shared { gzip: None });
        response
    }
}
