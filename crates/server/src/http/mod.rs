//! HTTP: clients, responses, the network edge, requests, handlers, and the router that joins them.

pub mod clients;
pub mod response;
pub mod edge;
pub mod request;
pub mod handlers;
pub mod router;
pub mod server;
