//! The API described in OpenAPI 3.1: `/openapi.json`, `/docs` and `wishbone openapi`. What is here is the router's own
//! table: a route is made of its handler and its description, and a handler can read no parameter that is not in it.

mod about;
mod document;
mod page;
mod prose;
mod schemas;

pub(crate) mod catalog;
pub(crate) mod identity;
pub(crate) mod lists;
pub(crate) mod logins;
pub(crate) mod privacy;
pub(crate) mod saved;
pub(crate) mod server;
pub(crate) mod sharing;
pub(crate) mod subscriptions;

pub use about::{About, Kind, Parameter, Place};
pub use document::{Examples, document};
pub use page::Pages;
