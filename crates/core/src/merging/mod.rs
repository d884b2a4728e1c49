//! Merging a guest into a login: the plan, the merge, its dry run, the journal, and undoing it.

pub mod plan;
pub mod journal;
pub mod merge;
pub mod preview;
pub mod login;
pub mod undo;
