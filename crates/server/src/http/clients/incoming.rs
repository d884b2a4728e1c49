//! What a client has sent and the server has not answered yet: heads and bodies, also those that have arrived in part.

/// What the HTTP library allocates for the first byte that arrives.
const READ_BUFFER: usize = 8 << 10;
/// What a connection takes besides its requests.
pub(super) const CONNECTION: usize = 20 << 10;
/// What a request takes while its body has not arrived, besides its text: the state of its stream and of its handler.
const OPEN_BODY: usize = 12 << 10;
/// Beyond this it is more than small frames that belong to no request.
const FEW_FRAMES: usize = 1 << 10;
/// What it reads of a head at most.
const MAX_UNREAD: usize = 64 << 10;

/// What a connection holds of its client's requests. Times are in milliseconds.
#[derive(Debug, Default)]
pub(super) struct Incoming {
    /// Bytes that have arrived and belong to no request yet.
    unread: usize,
    /// Bytes of the requests that have no response yet.
    requests: usize,
    /// Bodies that have not arrived completely.
    open_bodies: usize,
    /// Since when something is incomplete; 0 if everything is complete.
    since: u64,
    has_begun: bool,
    /// True for HTTP/2.
    is_multiplexed: bool,
}

impl Incoming {
    /// What it takes: with the connection, as long as the server waits for the client.
    pub(super) fn held(&self) -> usize {
        let connection = if self.since == 0 || self.is_idle() { 0 } else { CONNECTION };
        self.text() + self.open_bodies * OPEN_BODY + connection
    }

    /// What heads and bodies take. The HTTP library's buffer doubles.
    pub(super) fn text(&self) -> usize {
        let unread = match self.unread {
            0 => 0,
            bytes if self.is_multiplexed => bytes,
            bytes => bytes.next_power_of_two().max(READ_BUFFER),
        };
        unread + self.requests
    }

    pub(super) fn open_bodies(&self) -> usize {
        self.open_bodies
    }

    /// On HTTP/2 there are frames that belong to no request.
    pub(super) fn set_multiplexed(&mut self) {
        self.is_multiplexed = true;
        self.unread = 0;
    }

    /// True if nothing is in progress.
    pub(super) fn is_idle(&self) -> bool {
        let frames = if self.is_multiplexed { FEW_FRAMES } else { 0 };
        self.requests == 0 && self.unread <= frames
    }

    /// True if there has been a request.
    pub(super) fn has_begun(&self) -> bool {
        self.has_begun
    }

    /// Since when the server waits for the rest of something; `None` if it does not.
    pub(super) fn waiting_since(&self) -> Option<u64> {
        (self.since != 0).then_some(self.since)
    }

    /// Since when the server waits for the rest of a head, and for nothing else.
    pub(super) fn head_since(&self) -> Option<u64> {
        self.waiting_since().filter(|_| self.requests == 0)
    }

    pub(super) fn receive(&mut self, bytes: usize, now: u64) {
        if bytes > 0 {
            self.unread = (self.unread + bytes).min(MAX_UNREAD);
            // A part of a body has been waited for since a handler asked for it.
            if self.requests == 0 || self.unread == MAX_UNREAD {
                self.wait(now);
            }
        }
    }

    /// The head of a request has arrived.
    pub(super) fn begin(&mut self, head: usize, has_body: bool) {
        self.has_begun = true;
        self.unread = 0;
        self.requests += head;
        if self.open_bodies == 0 {
            self.since = 0;
        }
        self.open_bodies += usize::from(has_body);
    }

    /// A handler waits for a body.
    pub(super) fn await_body(&mut self, now: u64) {
        self.wait(now);
    }

    /// A part of a body has arrived.
    pub(super) fn grow(&mut self, bytes: usize) {
        self.unread = 0;
        self.requests += bytes;
    }

    /// A body has arrived, or nobody waits for it any more.
    pub(super) fn end_body(&mut self) {
        self.open_bodies -= 1;
        if self.open_bodies == 0 && self.unread == 0 {
            self.since = 0;
        }
    }

    /// A request of so many bytes has its response.
    pub(super) fn end(&mut self, bytes: usize) {
        self.requests -= bytes;
        // Small frames of HTTP/2, such as those that open windows, belong to no request.
        if self.requests == 0 {
            self.unread = 0;
            self.since = 0;
        }
    }

    fn wait(&mut self, now: u64) {
        if self.since == 0 && (self.open_bodies > 0 || self.unread > 0) {
            self.since = now;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_counts_from_its_first_byte_and_a_body_until_the_response() {
        let mut incoming = Incoming::default();
        assert_eq!((incoming.held(), incoming.waiting_since()), (0, None));
        incoming.receive(10, 5);
        incoming.receive(10, 9);
        assert_eq!((incoming.held(), incoming.head_since()), (READ_BUFFER + CONNECTION, Some(5)));
        incoming.receive(READ_BUFFER, 10);
        assert_eq!((incoming.text(), incoming.held()), (2 * READ_BUFFER, 2 * READ_BUFFER + CONNECTION));
        incoming.begin(300, true);
        incoming.receive(1_000, 15);
        assert_eq!(incoming.waiting_since(), None, "nobody has asked for the body");
        incoming.grow(0);
        incoming.await_body(20);
        assert_eq!(
            (incoming.held(), incoming.waiting_since(), incoming.head_since()),
            (300 + OPEN_BODY + CONNECTION, Some(20), None)
        );
        incoming.receive(1_000, 30);
        incoming.grow(1_000);
        assert_eq!((incoming.held(), incoming.waiting_since()), (1_300 + OPEN_BODY + CONNECTION, Some(20)));
        incoming.end_body();
        assert_eq!((incoming.held(), incoming.waiting_since()), (1_300, None), "the client waits for the server");
        incoming.end(1_300);
        assert_eq!((incoming.held(), incoming.waiting_since()), (0, None));
    }

    #[test]
    fn small_frames_that_belong_to_no_request_do_not_count_as_one() {
        let mut incoming = Incoming::default();
        incoming.set_multiplexed();
        incoming.begin(100, false);
        incoming.end(100);
        incoming.receive(13, 5);
        assert!(incoming.is_idle() && incoming.held() == 13);
        incoming.receive(FEW_FRAMES, 9);
        assert!(!incoming.is_idle(), "a head");
        incoming.begin(2_000, false);
        assert!(!incoming.is_idle());
    }

    #[test]
    fn requests_of_one_connection_are_counted_together() {
        let mut incoming = Incoming::default();
        incoming.begin(100, true);
        incoming.await_body(1);
        incoming.begin(200, false);
        assert_eq!(incoming.waiting_since(), Some(1), "for the first");
        incoming.end(200);
        assert_eq!((incoming.held(), incoming.waiting_since()), (100 + OPEN_BODY + CONNECTION, Some(1)));
        incoming.receive(usize::MAX >> 1, 7);
        assert_eq!(incoming.held(), 100 + OPEN_BODY + MAX_UNREAD + CONNECTION);
    }
}
