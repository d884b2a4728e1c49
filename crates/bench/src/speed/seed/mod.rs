//! Seeds databases.

mod bulk;
mod postgres;
mod sqlite;
pub(super) mod seeder;
pub(crate) mod subscriptions;
