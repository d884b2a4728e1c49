//! Requests: form parsing, context, authentication, and the observation layer around every handler.

pub mod form;
pub mod list_type;
pub mod context;
pub mod json_body;
pub mod body;
pub mod authentication;
pub mod base_url;
pub mod observation;
pub mod rate_limit;
