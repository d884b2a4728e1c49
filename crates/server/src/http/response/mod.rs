//! Responses: success and error bodies, large, shared and streamed ones, compression, CORS and default headers; how they are
//! sent.

pub mod headers;
pub mod cors;
pub mod compression;
pub mod error;
pub mod answer;
pub mod shared_text;
pub mod large_response;
pub mod streamed;
pub mod page;
pub mod documents;
pub mod outgoing;
