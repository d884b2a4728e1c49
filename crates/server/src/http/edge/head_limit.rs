//! The limit on a request's head, to the byte. The HTTP library alone would apply it between reads, and so accept up to twice
//! as much.

use std::future::{Ready, ready};
use std::task::{Context, Poll};

use axum::body::Body;
use axum::http::header::CONNECTION;
use axum::http::{HeaderValue, Request, StatusCode, Uri};
use axum::response::Response;
use futures_util::future::Either;
use tower::Service;

/// The largest head: request line and headers. HTTP/2 adds 32 bytes per header, as its specification counts them.
pub(super) const MAX_HEAD: usize = 64 << 10;

/// Refuses larger heads, like the HTTP library with an empty response.
#[derive(Clone)]
pub(super) struct LimitHead<S>(pub(super) S);

impl<S, B> Service<Request<B>> for LimitHead<S>
where
    S: Service<Request<B>, Response = Response>,
{
    type Response = Response;
    type Error = S::Error;
    type Future = Either<S::Future, Ready<Result<Response, S::Error>>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.0.poll_ready(context)
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        if head_size(&request) <= MAX_HEAD {
            return Either::Left(self.0.call(request));
        }
        let mut response = Response::new(Body::empty());
        *response.status_mut() = StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE;
        response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
        Either::Right(ready(Ok(response)))
    }
}

/// The size of a head as HTTP/1 writes it.
fn head_size<B>(request: &Request<B>) -> usize {
    let line = request.method().as_str().len() + uri_size(request.uri()) + "  HTTP/1.1\r\n".len();
    let headers = request.headers().iter().map(|(name, value)| name.as_str().len() + value.len() + ": \r\n".len());
    line + headers.sum::<usize>() + "\r\n".len()
}

fn uri_size(uri: &Uri) -> usize {
    let scheme = uri.scheme_str().map_or(0, |scheme| scheme.len() + "://".len());
    let authority = uri.authority().map_or(0, |authority| authority.as_str().len());
    scheme + authority + uri.path_and_query().map_or(0, |path| path.as_str().len())
}
