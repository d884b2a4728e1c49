//! What every request passes first: the limit on its head, to the byte (the HTTP library alone would apply it between reads,
//! and so accept up to twice as much), and the account of its memory.

use std::future::{Ready, ready};
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::body::Body;
use axum::http::header::{CONNECTION, RETRY_AFTER};
use axum::http::{HeaderValue, Request, StatusCode, Uri};
use axum::response::Response;
use futures_util::future::Either;
use tower::Service;

use crate::http::clients::body::CountedBody;
use crate::http::clients::client::Client;

/// The largest head: request line and headers. HTTP/2 adds 32 bytes per header, as its specification counts them.
pub(super) const MAX_HEAD: usize = 64 << 10;
/// The most headers: as many as the HTTP library takes on HTTP/1.
const MAX_HEADERS: usize = 100;
/// What a header takes besides its text.
const HEADER_COST: usize = 128;

/// Counts requests, and refuses larger heads, like the HTTP library with an empty response, and what there is no memory for.
#[derive(Clone)]
pub(super) struct Intake<S> {
    pub(super) service: S,
    pub(super) client: Arc<Client>,
}

impl<S, B> Service<Request<B>> for Intake<S>
where
    S: Service<Request<CountedBody<B>>, Response = Response>,
    B: http_body::Body,
{
    type Response = Response;
    type Error = S::Error;
    type Future = Either<S::Future, Ready<Result<Response, S::Error>>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.service.poll_ready(context)
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let (size, headers) = (head_size(&request), request.headers().len());
        let arriving = self.client.begin(size + headers * HEADER_COST, !request.body().is_end_stream());
        let status = if size > MAX_HEAD || headers > MAX_HEADERS {
            self.client.refuse();
            StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE
        } else if !request.body().is_end_stream() && self.client.has_begun_enough() {
            StatusCode::SERVICE_UNAVAILABLE
        } else {
            let mut request = request.map(|body| CountedBody { body, arriving: Arc::clone(&arriving) });
            request.extensions_mut().insert(arriving);
            return Either::Left(self.service.call(request));
        };
        let mut response = Response::new(Body::empty());
        *response.status_mut() = status;
        if status == StatusCode::SERVICE_UNAVAILABLE {
            response.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("1"));
        }
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
