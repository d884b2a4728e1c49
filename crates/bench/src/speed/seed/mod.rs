//! Seeds databases.

mod bulk;
mod postgres;
mod sqlite;
pub(super) mod seeder;
pub(super) mod subscriptions;
