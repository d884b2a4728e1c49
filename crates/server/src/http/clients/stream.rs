//! The stream of a connection, which tells its client's state what arrives and what the socket takes.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

use crate::http::clients::client::Client;

/// What is read at once. Then it is the turn of other connections, and of the requests that have arrived: the HTTP library reads
/// all that there is before it hands over the first one.
const READ_AT_ONCE: usize = 16 << 10;

pub(crate) struct ClientStream<S> {
    stream: S,
    client: Arc<Client>,
    /// What was read since it was the turn of others.
    read: usize,
    /// Set while there is no memory for more.
    pause: Option<Pin<Box<Sleep>>>,
}

impl<S> ClientStream<S> {
    pub(crate) fn new(stream: S, client: Arc<Client>) -> Self {
        Self { stream, client, read: 0, pause: None }
    }

    /// Waits until there is memory for what is read.
    fn poll_room(&mut self, context: &mut Context<'_>) -> Poll<()> {
        loop {
            if let Some(pause) = &mut self.pause {
                ready!(pause.as_mut().poll(context));
                self.pause = None;
            }
            match self.client.pause() {
                Some(time) => self.pause = Some(Box::pin(sleep(time))),
                None => return Poll::Ready(()),
            }
        }
    }

    fn note<T>(&self, written: Poll<T>) -> Poll<T> {
        self.client.note_write(written.is_pending());
        written
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for ClientStream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.read >= READ_AT_ONCE {
            self.read = 0;
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        ready!(self.poll_room(context));
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(context, buffer);
        let count = buffer.filled().len() - before;
        self.client.receive(count);
        self.read = if read.is_pending() { 0 } else { self.read + count };
        read
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for ClientStream<S> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.note(written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, slices);
        self.note(written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.stream).poll_flush(context);
        if flushed.is_ready() {
            self.client.flushed();
        }
        self.note(flushed)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let closed = Pin::new(&mut self.stream).poll_shutdown(context);
        self.note(closed)
    }
}
