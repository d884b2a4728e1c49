//! Events as a browser reads them (`text/event-stream`).

use std::cmp::Ordering;

use axum::body::Bytes;
use serde_json::json;
use uuid::Uuid;
use wishbone_core::lists::live::{ListsDigest, ListsSnapshot};

/// Milliseconds after which a client comes back when its stream has ended.
const RETRY: u32 = 1_000;

/// A comment, so that proxies and clients can tell a quiet stream from a dead one.
pub(crate) const HEARTBEAT: Bytes = Bytes::from_static(b":\n\n");

/// The beginning of a stream. Tells of the gap, if there was a change since the event that the client saw last.
pub(crate) fn opening(snapshot: &ListsSnapshot, last_seen: Option<Option<ListsDigest>>) -> Bytes {
    let kind = match last_seen {
        Some(seen) if seen != Some(snapshot.digest) => "lists.changed",
        _ => "open",
    };
    let mut out = format!("retry: {RETRY}\n");
    push(&mut out, snapshot.digest, kind, None, None);
    out.into()
}

/// What has changed between two snapshots. Only the last event has the id of the new state, so that a client that is cut
/// off before it is told to fetch everything.
pub(crate) fn changes(before: &ListsSnapshot, after: &ListsSnapshot) -> Bytes {
    let mut changed: Vec<(&str, Uuid, Option<i64>)> = Vec::new();
    let (mut old, mut new) = (before.lists.iter().peekable(), after.lists.iter().peekable());
    loop {
        let order = match (old.peek(), new.peek()) {
            (None, None) => break,
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some(old), Some(new)) => old.id.cmp(&new.id),
        };
        let gone = old.next_if(|_| order != Ordering::Greater);
        let there = new.next_if(|_| order != Ordering::Less);
        match (gone, there) {
            (Some(gone), None) => changed.push(("list.deleted", gone.id, None)),
            (None, Some(there)) => changed.push(("list.created", there.id, Some(there.version))),
            (Some(gone), Some(there)) if gone.version != there.version => {
                changed.push(("list.updated", there.id, Some(there.version)));
            }
            _ => {}
        }
    }
    let mut out = String::new();
    let last = changed.len().saturating_sub(1);
    for (number, (kind, list, version)) in changed.into_iter().enumerate() {
        let id = if number == last { after.digest } else { before.digest };
        push(&mut out, id, kind, Some(list), version);
    }
    out.into()
}

fn push(out: &mut String, id: ListsDigest, kind: &str, list: Option<Uuid>, version: Option<i64>) {
    let mut data = json!({ "type": kind, "lid": list });
    if let Some(version) = version {
        data["version"] = version.into();
    }
    out.push_str(&format!("id: {id}\ndata: {data}\n\n"));
}
