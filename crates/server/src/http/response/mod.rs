//! What goes out: answers, errors, large responses, compression and the headers that every response has.

pub mod headers;
pub mod cors;
pub mod compression;
pub mod error;
pub mod answer;
pub mod large_response;
