//! Continues what proceeds in steps: copies of long lists, unions of lists by a merge, and undos of merges.

use std::time::Duration;

use tokio::sync::Notify;
use wishbone_core::error::Result;
use wishbone_core::lists::copy::{CopyItems, FindCopies};
use wishbone_core::merging::pending::FindUndos;
use wishbone_core::merging::settle::undo_some;
use wishbone_core::merging::union::{FindUnions, UniteItems};
use wishbone_core::moment::{MINUTE, Millis};
use wishbone_core::operator::Operator;

use crate::app::App;
use crate::jobs::job::{Job, Rest};

/// Number of lists copied, or united, concurrently, so that a long one does not block the others.
const CONCURRENCY: i64 = 20;

/// The time after which the call that began an undo has ended.
const UNDO_CALL: Millis = MINUTE;

pub(super) struct CopyLists;

impl Job for CopyLists {
    const NAME: &'static str = "copy lists";
    const PAUSE: Duration = Duration::from_secs(60);

    async fn step(app: &App) -> Result<Rest> {
        copy_next(app).await
    }

    fn wake(app: &App) -> Option<&Notify> {
        Some(&app.new_copy)
    }
}

/// Copies or moves a batch of items of each list.
pub async fn copy_next(app: &App) -> Result<Rest> {
    let by = Operator::of_this_machine();
    let copies = app.database.read(FindCopies { by, limit: CONCURRENCY }).await?;
    let unions = app.database.read(FindUnions { by, limit: CONCURRENCY }).await?;
    let before = app.environment.now() - UNDO_CALL;
    let undos = app.database.read(FindUndos { by, before, limit: CONCURRENCY }).await?;
    let rest = if copies.is_empty() && unions.is_empty() && undos.is_empty() { Rest::UntilWoken } else { Rest::None };
    let mut outcome = Ok(rest);
    for copy in copies {
        // A failed copy does not stop the others.
        if let Err(error) = app.database.write(CopyItems { by, copy, now: app.environment.now() }).await {
            outcome = Err(error);
        }
    }
    for union in unions {
        if let Err(error) = app.database.write(UniteItems { union, moment: app.environment.moment() }).await {
            outcome = Err(error);
        }
    }
    for undo in undos {
        if let Err(error) = undo_some(&app.database, undo, &|| app.environment.moment()).await {
            outcome = Err(error);
        }
    }
    outcome
}
