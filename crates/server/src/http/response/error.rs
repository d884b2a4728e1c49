//! Error responses: status, body and headers of a failed request.

use axum::body::Body;
use axum::http::header::{CONTENT_TYPE, HeaderName, HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE};
use axum::http::{Response, Uri};
use axum::response::IntoResponse;
use wishbone_core::error::{Code, Error, Limit};
use wishbone_core::json::{self, Object};

use crate::api::operation::Operation;
use crate::api::routes::OPERATIONS;
use crate::api::status::status;

pub(crate) type Result<T> = std::result::Result<T, Failure>;

/// An error to send to the caller. The observation layer adds the body, which depends on the operation.
#[derive(Debug)]
pub struct Failure(pub Error);

impl<E: Into<Error>> From<E> for Failure {
    fn from(error: E) -> Self {
        Self(error.into())
    }
}

impl IntoResponse for Failure {
    fn into_response(self) -> axum::response::Response {
        let mut response = Response::new(Body::empty());
        *response.status_mut() = status(self.0.code);
        response.extensions_mut().insert(std::sync::Arc::new(self.0));
        response
    }
}

/// Adds the body of an error response, and the headers of its status.
pub(crate) fn write(response: &mut axum::response::Response, operation: &Operation, error: &Error) {
    let mut body = Vec::new();
    let mut object = Object::open(&mut body);
    object.text("status", "error");
    object.text("error-code", error.code.as_str());
    object.text("error-msg", &error.message);
    // The API contract fixes the body of these two operations; clients of the others read several field names.
    if !operation.path.ends_with("/fetch-user-list") && !operation.path.ends_with("/fetch-user-lists") {
        object.text("message", &error.message);
        object.text("msg", &error.message);
        if error.code == Code::BadRegid {
            object.text("type", "sw-badregid");
        }
    }
    // Storefronts recognize a failed mail by this member alone.
    if operation.path.ends_with("/emailList") {
        json::array(object.key("errors"), [&error.message], |out, message| json::string(out, message));
    }
    if let Some(version) = error.list_version {
        object.int("version", version);
    }
    object.close();
    *response.body_mut() = Body::from(body);
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    if let Some(Limit { max, retry_after }) = error.limit {
        headers.insert(RETRY_AFTER, HeaderValue::from(retry_after));
        for (name, value) in [("ratelimit-limit", max), ("ratelimit-remaining", 0), ("ratelimit-reset", retry_after)] {
            headers.insert(HeaderName::from_static(name), HeaderValue::from(value));
        }
    }
    match error.code {
        Code::BadApiKey => {
            headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Basic realm=\"wishbone\""));
        }
        Code::Overloaded => {
            headers.insert(RETRY_AFTER, HeaderValue::from_static("1"));
        }
        Code::Maintenance => {
            headers.insert(RETRY_AFTER, HeaderValue::from_static("60"));
        }
        _ => {}
    }
}

pub(crate) async fn not_found(uri: Uri) -> Failure {
    let path: String = uri.path().chars().take(100).collect();
    Failure(Error::new(Code::NotFound, format!("not found: {path}")))
}

/// The router adds the header `Allow`. `unlisted` is the method of a path outside the API.
pub(crate) fn method_not_allowed(uri: &Uri, unlisted: &str) -> Failure {
    let methods = OPERATIONS.iter().filter(|operation| operation.path == uri.path());
    let methods: Vec<&str> = methods.map(|operation| operation.method).collect();
    let methods = if methods.is_empty() { unlisted.to_owned() } else { methods.join(" or ") };
    Failure(Error::new(Code::MethodNotAllowed, format!("method not allowed: use {methods}")))
}
