//! Reading the body of a request, within the limits on its size and on the memory of all that arrive.

use std::sync::atomic::Ordering;

use axum::body::Bytes;
use axum::extract::Request;
use http_body::Body;
use http_body_util::BodyExt;
use wishbone_core::error::{Code, Error};

use crate::app::App;
use crate::http::edge::admission::overloaded;
use crate::http::request::context::RequestContext;
use crate::http::response::error::Result;

/// A body that is too large is read and discarded up to this multiple of its limit, so that the client can read the
/// error response instead of getting a connection reset.
const DISCARD_FACTOR: usize = 8;
/// Bodies up to this size are read even if there is no memory for large ones.
const SMALL: usize = 64 << 10;
/// Reading and parsing a body above this size takes as long as a hundred calls.
const LARGE: usize = 1 << 20;

pub(crate) async fn read_body(request: Request, app: &App, limit: usize) -> Result<Bytes> {
    read_body_admitting(request, app, limit, async || Ok(())).await
}

/// Reads a body. Before the part of it that makes it large is read, or as soon as its length is known, `admit` may refuse
/// it.
pub(crate) async fn read_body_admitting(
    request: Request,
    app: &App,
    limit: usize,
    admit: impl AsyncFnOnce() -> Result<()>,
) -> Result<Bytes> {
    let context = RequestContext::of(&request)?;
    let mut body = request.into_body();
    // A body whose declared length is too long to be discarded is rejected without reading it.
    let declared = usize::try_from(body.size_hint().lower()).unwrap_or(usize::MAX);
    let (mut out, mut length) = (Vec::new(), if declared > limit * DISCARD_FACTOR { declared } else { 0 });
    let (mut admit, mut discarding) = (Some(admit), None);
    while length <= limit * DISCARD_FACTOR
        && let Some(frame) = body.frame().await
    {
        let frame =
            frame.map_err(|_| Error::invalid("the body", "is incomplete: the connection failed while it was read"))?;
        let Ok(data) = frame.into_data() else { continue };
        length += data.len();
        if length <= limit {
            if length > SMALL && context.arriving.as_ref().is_some_and(|arriving| arriving.is_too_much()) {
                return Err(overloaded().into());
            }
            if length.max(declared) > LARGE
                && let Some(admit) = admit.take()
            {
                admit().await?;
            }
            // Not twice as much as has arrived, as a vector grows by itself.
            if out.capacity() - out.len() < data.len() {
                out.reserve_exact(data.len().max(out.len() / 4));
            }
            out.extend_from_slice(&data);
        } else if discarding.is_none() {
            discarding = app.discarded_bodies.acquire(context.address);
            if discarding.is_none() {
                // As if it were too long to be discarded.
                length = usize::MAX;
            }
        }
    }
    if length > limit {
        context.is_cut_off.store(length > limit * DISCARD_FACTOR, Ordering::Relaxed);
        let message = format!("the body must have at most {limit} bytes: split it into several requests");
        return Err(Error::new(Code::BodyTooLarge, message).into());
    }
    if let Some(permit) = context.permit() {
        permit.start()?;
    }
    Ok(out.into())
}
