//! Reading lists of any length.

use wishbone_core::items::contents::{Contents, ListWithContents};

use crate::app::App;
use crate::http::response::error::Result;
use crate::http::response::large_response::{Reservation, SMALL};
use crate::limit_key::LimitKey;

/// Items that are read first, however large they are.
const FIRST: i64 = 100;
/// Items of ordinary size that are read at once, on a thread that answers other requests too.
const SHORT: i64 = 500;

/// Reads a list with its contents. A long or large one is read on a thread of its own, one at a time; the memory for it is
/// reserved first, and the response must hold it.
pub(crate) async fn read_contents(
    app: &App,
    request: ListWithContents,
    caller: LimitKey,
) -> Result<(Contents, Option<Reservation>)> {
    let limit = request.limit.unwrap_or(i64::MAX);
    let first = app.database.read(ListWithContents { limit: Some(limit.min(FIRST)), ..request.clone() }).await?;
    let count = (first.list.item_count - request.offset).min(limit);
    if count <= FIRST {
        return Ok((first, None));
    }
    let expected = size(&first) / FIRST as usize * usize::try_from(count).unwrap_or(usize::MAX);
    drop(first);
    if count <= SHORT && expected <= SMALL {
        return Ok((app.database.read(request).await?, None));
    }
    let reservation = app.reserve_response(caller, expected)?;
    let turn = app.long_reads.turn(caller).await?;
    Ok((app.database.read_long_holding(turn, request).await?, Some(reservation)))
}

fn size(contents: &Contents) -> usize {
    contents.items.iter().map(Vec::len).sum()
}
