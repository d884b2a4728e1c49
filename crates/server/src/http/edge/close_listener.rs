//! Closing a listener without resetting connections.
//!
//! For its client, a connection exists once the kernel has completed the handshake, which can be long before the server
//! accepts it. Closing the listener resets the connections in its queue, and those whose handshake is under way. The
//! client may have sent a request by then: a proxy cannot know whether it was executed, so it must not repeat a POST
//! on another node, and reports an error. A refused connection is different, since nothing was sent.

use std::net::SocketAddr;
use std::time::Duration;

use tokio::net::{TcpListener, TcpStream};

/// Time for the handshakes under way to complete: the round trip to a distant proxy.
pub(super) const HANDSHAKE_TIMEOUT: Duration = Duration::from_millis(100);
/// More connections than a queue holds, so that it ends also where new ones are not refused.
const QUEUE_LIMIT: usize = 4_096;

/// Refuses new connections as if the listener was closed, while the handshakes under way complete and the queue remains.
///
/// A new connection finds a listener by its port and by the interface that it arrives at, so a listener that is bound to
/// no existing interface is not found. Handshakes under way are found by their addresses.
#[cfg(target_os = "linux")]
pub(super) fn refuse_new_connections(listener: &TcpListener) {
    const NO_INTERFACE: Option<std::num::NonZeroU32> = std::num::NonZeroU32::new(i32::MAX as u32);
    let socket = socket2::SockRef::from(listener);
    // Sets an option of the socket, which is the same for IPv4 and IPv6.
    if let Err(error) = socket.bind_device_by_index_v4(NO_INTERFACE) {
        tracing::debug!(%error, "cannot refuse connections: those that arrive while the listener closes are reset");
    }
}

#[cfg(not(target_os = "linux"))]
pub(super) fn refuse_new_connections(_: &TcpListener) {}

/// Closes the listener. Returns the connections in its queue.
pub(super) fn close(listener: TcpListener) -> Vec<(TcpStream, SocketAddr)> {
    // Calls of tokio wait for an event of the runtime, which can lag behind the queue.
    let Ok(listener) = listener.into_std() else { return Vec::new() };
    let accepted = std::iter::from_fn(|| listener.accept().ok()).take(QUEUE_LIMIT);
    let registered = accepted.filter_map(|(stream, peer)| {
        stream.set_nonblocking(true).ok()?;
        Some((TcpStream::from_std(stream).ok()?, peer))
    });
    registered.collect()
}
