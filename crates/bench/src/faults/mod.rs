//! Fault injection: clients write and record every response while processes, connections and files are broken on
//! purpose. Afterwards no acknowledged write may be missing, nothing half-applied, and no count wrong.

mod http;
mod model;
mod calls;
mod compare;
mod ledger;
mod worker;
mod verify;
mod load;
mod fake_clock;
mod environment;
mod proxy;
mod server_kills;
mod clock_jumps;
mod disk_full;
mod torn_log;
mod page_corruption;
mod database_kills;
mod connection_loss;
mod pool_exhaustion;
mod replication;
mod failover;
mod nodes;
mod rolling_restart;
mod node_kill;
mod frozen_primary;
mod standby_away;
mod alerts;
mod abuse;
pub(crate) mod run;
