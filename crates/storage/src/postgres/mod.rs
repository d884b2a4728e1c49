//! The PostgreSQL engine, also for databases that speak its protocol: a connection pool, pipelined statements, and
//! retries after conflicts.

mod error;
mod tls;
pub(crate) mod hosts;
mod insert_plans;
mod connect;
mod monitor;
mod pool;
mod connection;
mod workers;
mod literal;
mod values;
mod tx;
mod retry;
mod migrate;
pub(crate) mod engine;
mod inspect;
mod integrity;
pub(crate) mod diagnose;
pub(crate) mod transfer;
pub(crate) mod cluster;
