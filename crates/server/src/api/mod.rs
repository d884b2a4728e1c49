//! The API's description: every operation with its parameters, responses and errors. The router, the OpenAPI document and
//! `/docs` are made from it, and a handler can read no parameter that is not in it.

pub mod operation;
pub mod status;
pub mod json_schema;
pub mod schemas;
pub mod lists;
pub mod sharing;
pub mod save_for_later;
pub mod subscriptions;
pub mod alerts;
pub mod identity;
pub mod merging;
pub mod privacy;
pub mod catalog;
pub mod mail;
pub mod webhooks;
mod webhook_events;
pub mod server;
pub mod routes;
pub mod examples;
mod samples;
pub mod document;
pub mod prose;
pub mod page;
