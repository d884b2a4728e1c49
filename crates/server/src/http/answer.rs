//! Answers: always 200 with a JSON body.

use axum::body::Body;
use axum::http::header::{CONTENT_TYPE, HeaderName, HeaderValue};
use axum::response::{IntoResponse, Response};
use wishbone_core::Error;
use wishbone_core::json::Object;
use wishbone_core::once::{Answered, FindAnswer, Once, OnceKey};
use wishbone_store::Write;

use super::error::Result;
use super::headers::HEADERS;
use super::observe;
use crate::app::App;

/// Tells the list's version after a change of its items, where the wire format has no room for it in the body.
pub(super) const LIST_VERSION: HeaderName = HeaderName::from_static("x-list-version");

/// An encoded JSON body.
pub(super) struct Answer(pub(super) Answered);

impl Answer {
    /// An object, written by `write`.
    pub(super) fn object(write: impl FnOnce(&mut Object<'_>)) -> Self {
        let mut out = Vec::new();
        let mut object = Object::open(&mut out);
        write(&mut object);
        object.close();
        out.into()
    }

    pub(super) fn of_version(mut self, list_version: i64) -> Self {
        self.0.list_version = Some(list_version);
        self
    }
}

impl From<Vec<u8>> for Answer {
    fn from(body: Vec<u8>) -> Self {
        Self(body.into())
    }
}

impl IntoResponse for Answer {
    fn into_response(self) -> Response {
        let mut response = as_json(Body::from(self.0.body));
        if let Some(version) = self.0.list_version {
            response.headers_mut().insert(LIST_VERSION, HeaderValue::from(version));
        }
        response
    }
}

impl App {
    /// What was answered to this call before. For calls that are several writes: the last of them keeps the answer.
    pub(super) async fn answered(&self, once: Option<&OnceKey>) -> Result<Option<Answer>> {
        let Some(key) = once else { return Ok(None) };
        Ok(self.store.read(FindAnswer { key: key.clone() }).await?.map(Answer))
    }

    /// Runs a write and shapes its answer; under a key it is done once, and answered the same again.
    pub(super) async fn write<W: Write<Error = Error>>(
        &self,
        once: Option<OnceKey>,
        operation: W,
        shape: impl Fn(W::Out) -> Answer + Send + Sync + 'static,
    ) -> Result<Answer> {
        match once {
            None => Ok(shape(observe::write(self.store.write(operation)).await?)),
            Some(key) => {
                let answer = move |out| shape(out).0;
                Ok(Answer(observe::write(self.store.write(Once { key, operation, answer })).await?))
            }
        }
    }
}

/// A success with an encoded body.
pub(super) fn as_json(body: Body) -> Response {
    let mut response = Response::new(body);
    let headers = response.headers_mut();
    // For those that all answers get, too.
    headers.reserve(2 * HEADERS.len());
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}
