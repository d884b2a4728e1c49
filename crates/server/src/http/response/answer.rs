//! Successful responses: status 200 with a JSON body.

use axum::body::Body;
use axum::http::header::{HeaderName, HeaderValue};
use axum::response::{IntoResponse, Response};
use serde_json::Value;
use wishbone_core::idempotency::StoredResponse;
use wishbone_core::json::Object;

use crate::http::response::headers::as_json;

/// The list's version after a change of its items, for operations whose body has no field for it.
pub(crate) const LIST_VERSION: HeaderName = HeaderName::from_static("x-list-version");

/// An encoded JSON body.
pub(crate) struct Answer(pub(crate) StoredResponse);

impl Answer {
    /// A JSON object with the fields that `write` adds.
    pub(crate) fn object(write: impl FnOnce(&mut Object<'_>)) -> Self {
        let mut out = Vec::new();
        let mut object = Object::open(&mut out);
        write(&mut object);
        object.close();
        out.into()
    }

    /// A JSON object with `status` and the value that `write` writes as `data`.
    pub(crate) fn data(write: impl FnOnce(&mut Vec<u8>)) -> Self {
        Self::object(|answer| {
            answer.text("status", "success");
            write(answer.key("data"));
        })
    }

    /// The same with a finished value.
    pub(crate) fn data_value(data: &Value) -> Self {
        Self::data(|out| out.extend_from_slice(data.to_string().as_bytes()))
    }

    pub(crate) fn of_version(mut self, list_version: i64) -> Self {
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
