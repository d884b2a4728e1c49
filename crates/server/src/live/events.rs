//! Events as a browser reads them (`text/event-stream`).

use axum::body::Bytes;
use serde_json::json;
use uuid::Uuid;
use wishbone_core::lists::changes::{ChangeKind, ListChange, ListsState};

/// Milliseconds after which a client comes back when its stream has ended.
const RETRY: u32 = 1_000;

/// A comment, so that proxies and clients can tell a quiet stream from a dead one.
pub(crate) const HEARTBEAT: Bytes = Bytes::from_static(b":\n\n");

/// The beginning of a stream. Tells of the gap, if there was a change since the event that the client saw last.
pub(crate) fn opening(state: &ListsState, last_seen: Option<Option<i64>>) -> Bytes {
    let kind = match last_seen {
        Some(seen) if seen != Some(state.stamp) => "lists.changed",
        _ => "open",
    };
    let mut out = format!("retry: {RETRY}\n");
    push(&mut out, state.stamp, kind, None);
    out.into()
}

/// What has changed since a stamp. Only the last event has the id of the new state, so that a client that is cut off before it
/// is told to fetch everything.
pub(crate) fn changes(before: i64, after: &ListsState) -> Bytes {
    let mut out = String::new();
    let count = usize::try_from(after.stamp - before).unwrap_or(0);
    let recent = after.recent.get(..count).filter(|recent| recent.iter().all(|it| it.kind != ChangeKind::Many));
    let Some(recent) = recent else {
        push(&mut out, after.stamp, "lists.changed", None);
        return out.into();
    };
    let changed = summarize(recent);
    let last = changed.len().saturating_sub(1);
    for (number, (kind, change)) in changed.into_iter().enumerate() {
        let id = if number == last { after.stamp } else { before };
        let version = (kind != "list.deleted").then_some(change.version);
        push(&mut out, id, kind, Some((change.list_id, version)));
    }
    out.into()
}

/// One event for each list, from its changes, newest first.
fn summarize(recent: &[ListChange]) -> Vec<(&'static str, ListChange)> {
    let mut changed: Vec<(ListChange, ChangeKind)> = Vec::new();
    for change in recent {
        match changed.iter_mut().find(|(newest, _)| newest.list_id == change.list_id) {
            Some((_, first)) => *first = change.kind,
            None => changed.push((*change, change.kind)),
        }
    }
    let event = |(newest, first): (ListChange, ChangeKind)| {
        let kind = match (first, newest.kind) {
            (ChangeKind::Created, ChangeKind::Deleted) => return None,
            (_, ChangeKind::Deleted) => "list.deleted",
            (ChangeKind::Created, _) => "list.created",
            _ => "list.updated",
        };
        Some((kind, newest))
    };
    changed.into_iter().rev().filter_map(event).collect()
}

fn push(out: &mut String, id: i64, kind: &str, list: Option<(Uuid, Option<i64>)>) {
    let mut data = json!({ "type": kind, "lid": list.map(|(list, _)| list) });
    if let Some((_, Some(version))) = list {
        data["version"] = version.into();
    }
    out.push_str(&format!("id: {id}\ndata: {data}\n\n"));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(changes: &[(ChangeKind, u128)]) -> ListsState {
        let change = |(version, (kind, list)): (i64, &(ChangeKind, u128))| ListChange {
            kind: *kind,
            list_id: Uuid::from_u128(*list),
            version,
        };
        let mut recent: Vec<ListChange> = (1..).zip(changes).map(change).collect();
        recent.reverse();
        ListsState { stamp: changes.len() as i64, recent }
    }

    fn kinds(before: i64, changes_of: &[(ChangeKind, u128)]) -> Vec<String> {
        let text = String::from_utf8(changes(before, &state(changes_of)).to_vec()).unwrap();
        text.lines().filter_map(|line| Some(line.strip_prefix("data: ")?.split('"').nth(3)?.to_owned())).collect()
    }

    #[test]
    fn the_changes_of_a_list_are_one_event() {
        use ChangeKind::{Created, Deleted, Many, Updated};
        for (before, changes, expected) in [
            (0, vec![(Created, 1), (Updated, 1)], vec!["list.created"]),
            (1, vec![(Created, 1), (Updated, 1), (Updated, 1)], vec!["list.updated"]),
            (1, vec![(Created, 1), (Updated, 1), (Deleted, 1)], vec!["list.deleted"]),
            (0, vec![(Created, 1), (Deleted, 1)], vec![]),
            (0, vec![(Updated, 1), (Updated, 2), (Updated, 1)], vec!["list.updated", "list.updated"]),
            (0, vec![(Updated, 1), (Many, 0)], vec!["lists.changed"]),
            (2, vec![(Updated, 1), (Many, 0), (Updated, 1)], vec!["list.updated"]),
            (-20, vec![(Updated, 1)], vec!["lists.changed"]),
            (1, vec![(Updated, 1)], vec![]),
        ] {
            let kinds = kinds(before, &changes);
            assert_eq!(kinds, expected, "{before} {changes:?}");
        }
    }
}
