//! Responses: success and error bodies, large and streamed responses, compression, CORS and default headers.

pub mod headers;
pub mod cors;
pub mod compression;
pub mod error;
pub mod answer;
pub mod large_response;
pub mod streamed;
pub mod page;
