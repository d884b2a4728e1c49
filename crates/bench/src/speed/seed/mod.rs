//! Seeds databases.

mod bulk;
mod postgres;
pub(super) mod products;
mod sqlite;
pub(super) mod seeder;
pub(super) mod subscriptions;
