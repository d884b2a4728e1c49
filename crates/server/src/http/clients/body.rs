//! The body of a request, which is counted as it arrives.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use http_body::{Body, Frame, SizeHint};
use hyper::body::Buf;

use crate::http::clients::client::Arriving;

pub(crate) struct CountedBody<B> {
    pub(crate) body: B,
    pub(crate) arriving: Arc<Arriving>,
}

impl<B: Body + Unpin> Body for CountedBody<B> {
    type Data = B::Data;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<B::Data>, B::Error>>> {
        let Poll::Ready(frame) = Pin::new(&mut self.body).poll_frame(context) else {
            self.arriving.await_body();
            return Poll::Pending;
        };
        if let Some(Ok(data)) = frame.as_ref().map(|frame| frame.as_ref().map(Frame::data_ref)) {
            self.arriving.grow(data.map_or(0, Buf::remaining));
        }
        if frame.is_none() || self.body.is_end_stream() {
            self.arriving.end_body();
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl<B> Drop for CountedBody<B> {
    fn drop(&mut self) {
        self.arriving.end_body();
    }
}
