//! Copies the items of long lists that were duplicated.

use std::time::Duration;

use tokio::sync::Notify;
use wishbone_core::Result;
use wishbone_core::caller::Operator;
use wishbone_core::copies::{CopyItems, FindCopies};

use super::{Job, Rest};
use crate::app::App;

/// Lists that are copied side by side: a long one does not hold up those behind it.
const AT_ONCE: i64 = 20;

pub(super) struct CopyLists;

impl Job for CopyLists {
    const NAME: &'static str = "copy lists";
    const PAUSE: Duration = Duration::from_secs(60);

    async fn step(app: &App) -> Result<Rest> {
        copy_next(app).await
    }

    fn bell(app: &App) -> Option<&Notify> {
        Some(&app.new_copy)
    }
}

/// Copies some items of each list.
pub async fn copy_next(app: &App) -> Result<Rest> {
    let by = Operator::of_this_machine();
    let copies = app.store.read(FindCopies { by, most: AT_ONCE }).await?;
    let rest = if copies.is_empty() { Rest::UntilWoken } else { Rest::None };
    let mut outcome = Ok(rest);
    for copy in copies {
        // One that fails does not keep the others from going on.
        if let Err(error) = app.store.write(CopyItems { by, copy, now: app.world.now() }).await {
            outcome = Err(error);
        }
    }
    outcome
}
