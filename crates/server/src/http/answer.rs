//! Answers: always 200 with a JSON body.

use axum::body::Body;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderValue};
use axum::response::{IntoResponse, Response};
use wishbone_core::json::Object;

/// An encoded JSON body.
pub(super) struct Answer(pub(super) Vec<u8>);

impl Answer {
    /// An object, written by `write`.
    pub(super) fn object(write: impl FnOnce(&mut Object<'_>)) -> Self {
        let mut out = Vec::new();
        let mut object = Object::open(&mut out);
        write(&mut object);
        object.close();
        Self(out)
    }
}

impl IntoResponse for Answer {
    fn into_response(self) -> Response {
        as_json(Body::from(self.0))
    }
}

/// A success with an encoded body.
pub(super) fn as_json(body: Body) -> Response {
    let mut response = Response::new(body);
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}
