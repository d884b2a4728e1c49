//! Background work, one file per job. A job proceeds in steps that can be repeated and that any number of nodes may take
//! at once; what must not be done twice is claimed in the database. So there is no leader, and a crash leaves nothing
//! that the next step, here or elsewhere, would not find.

pub mod job;
pub mod clean_up;
pub mod copy_lists;
pub mod maintenance;
pub mod send_mail;
pub mod write_visits;
pub mod runner;
