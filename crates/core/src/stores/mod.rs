//! Stores: settings, row, the store as a caller, and the operator's commands.

pub mod quiet_hours;
pub mod calling_codes;
pub mod alert_settings;
pub mod settings;
pub mod record;
pub mod record_cache;
pub mod admin;
pub mod manage;
pub mod deletion;
pub mod counts;
pub mod login_secret;
pub mod sms_auth;
pub mod maintenance;
pub mod signing_keys;
pub mod work;
