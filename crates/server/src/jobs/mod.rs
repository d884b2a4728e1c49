//! Background jobs, one file each. A job proceeds in idempotent steps that several nodes may run at once; work that must
//! not be done twice is claimed in the database. So there is no leader, and after a crash any node continues.

pub mod job;
mod record;
pub mod clean_up;
pub mod copy_lists;
pub mod purge_lists;
pub mod deliver_webhooks;
pub mod maintenance;
pub mod sms;
pub mod send_mail;
pub mod dispatch_events;
pub mod send_alerts;
pub mod send_reminders;
pub mod measure_alerts;
pub mod watch_lists;
pub mod write_visits;
pub mod signing_keys;
pub mod probe_writes;
pub mod runner;
