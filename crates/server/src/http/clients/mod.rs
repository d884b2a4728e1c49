//! The clients of connections: what their requests and unread responses take of the memory, and whom to disconnect.

pub mod incoming;
pub mod client;
pub mod body;
pub mod stream;
