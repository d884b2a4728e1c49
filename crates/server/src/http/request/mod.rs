//! What comes in: forms, the request's context, authentication, and the observation of every request.

pub mod form;
pub mod context;
pub mod authentication;
pub mod subscriber;
pub mod base_url;
pub mod observation;
