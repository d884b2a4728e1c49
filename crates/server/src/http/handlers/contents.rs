//! Reading lists of any length.

use wishbone_core::items::contents::{Contents, ListWithContents};

use crate::app::App;
use crate::http::response::error::Result;

/// Items that are read at once, on a thread that answers other requests too.
const SHORT: i64 = 500;

/// Reads a list with its contents. A long one is read on a thread of its own, one at a time; the memory for it is reserved
/// first.
pub(crate) async fn read_contents(app: &App, request: ListWithContents) -> Result<Contents> {
    let limit = request.limit.unwrap_or(i64::MAX);
    let start = ListWithContents { limit: Some(limit.min(SHORT)), ..request.clone() };
    let start = app.database.read(start).await?;
    let count = (start.list.item_count - request.offset).min(limit);
    if count <= SHORT {
        return Ok(start);
    }
    let size: usize = start.items.iter().map(Vec::len).sum();
    let expected = size / SHORT as usize * usize::try_from(count).unwrap_or(usize::MAX);
    drop(start);
    let _reserved = app.large_responses.reserve(expected)?;
    Ok(app.long_reads.run(app.database.read_long(request)).await?)
}
