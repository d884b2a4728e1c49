//! Large responses that nobody reads.

use std::io::{ErrorKind, Write};
use std::net::TcpStream;
use std::thread;
use std::time::Duration;

use serde_json::Value;

use super::contents::{MAX_LISTS, changes, large_list, lists_with_full_notes};
use super::{Attack, Scene};
use crate::faults::abuse::shop::item;
use crate::faults::abuse::tally::Tally;

/// Connections whose responses nobody reads.
const CONNECTIONS: usize = 240;

pub(super) const ATTACKS: &[Attack] = &[
    Attack::planned("unread changes", changed_items),
    Attack::planned("unread contents", contents),
    Attack::planned("unread user-lists", user_lists),
    Attack::planned("unread comments", comments),
    Attack::planned("unread contains", contains),
];

/// Sends a request over many connections and reads no response. Those that the server closes are opened again.
fn unread(scene: &Scene, tally: &mut Tally, request: &[u8]) {
    tally.begin();
    let mut connections = Vec::new();
    while tally.goes_on() {
        if connections.len() < CONNECTIONS {
            match opened(scene, request) {
                Ok(connection) => connections.push(connection),
                Err(_) => tally.broken += 1,
            }
            thread::sleep(Duration::from_millis(5));
        } else {
            connections.retain(is_open);
            thread::sleep(Duration::from_millis(200));
        }
    }
    connections.retain(is_open);
    tally.note(format!("{} connections held", connections.len()));
}

fn opened(scene: &Scene, request: &[u8]) -> anyhow::Result<TcpStream> {
    let mut connection = scene.store.narrow()?;
    connection.write_all(request)?;
    connection.set_nonblocking(true)?;
    Ok(connection)
}

/// False if the server has closed the connection. Reads nothing.
fn is_open(connection: &TcpStream) -> bool {
    match connection.peek(&mut [0]) {
        Ok(count) => count > 0,
        Err(error) => error.kind() == ErrorKind::WouldBlock,
    }
}

fn changed_items(scene: &Scene, tally: &mut Tally) -> anyhow::Result<()> {
    let mut guest = scene.store.guest()?;
    let lid = large_list(&mut guest, 500)?;
    let request = guest.request("lists/update-ctx", None, &[("lid", &lid), ("u", &changes(500))]);
    unread(scene, tally, &request);
    Ok(())
}

fn contents(scene: &Scene, tally: &mut Tally) -> anyhow::Result<()> {
    let mut guest = scene.store.guest()?;
    let lid = large_list(&mut guest, 1_000)?;
    let request = guest.request("lists/fetch-list-with-contents", None, &[("lid", &lid)]);
    unread(scene, tally, &request);
    Ok(())
}

/// 1,000 lists with full notes: 10 MB.
fn user_lists(scene: &Scene, tally: &mut Tally) -> anyhow::Result<()> {
    let mut guest = scene.store.guest()?;
    lists_with_full_notes(&mut guest, MAX_LISTS)?;
    note_size(tally, guest.call("lists/fetch-user-lists", &[]));
    let request = guest.request("lists/fetch-user-lists", None, &[]);
    unread(scene, tally, &request);
    Ok(())
}

/// 1,000 comments of control characters, which grow sixfold in JSON: 6 MB.
fn comments(scene: &Scene, tally: &mut Tally) -> anyhow::Result<()> {
    let mut guest = scene.store.guest()?;
    let lid = guest.list(&[("lname", "Commented")])?;
    guest.fill(&lid, &[item(1)])?;
    let text = "\u{1}".repeat(1_000);
    for _ in 0..1_000 {
        if guest.call("lists/comments/add", &[("lid", &lid), ("epi", "1"), ("text", &text)])?.0 != 200 {
            break;
        }
    }
    let fields = [("lid", lid.as_str()), ("limit", "1000")];
    note_size(tally, guest.call("lists/comments/list", &fields));
    let request = guest.request("lists/comments/list", None, &fields);
    unread(scene, tally, &request);
    Ok(())
}

/// 250 variants, each on as many lists as the quota allows.
fn contains(scene: &Scene, tally: &mut Tally) -> anyhow::Result<()> {
    let mut guest = scene.store.guest()?;
    let lid = guest.list(&[("lname", "All")])?;
    guest.fill(&lid, &(1..=250).map(item).collect::<Vec<_>>())?;
    for _ in 1..MAX_LISTS {
        if guest.call("lists/create", &[("lname", "Copy"), ("fromlid", &lid)])?.0 != 200 {
            break;
        }
    }
    let variants = Value::from((1..=250).collect::<Vec<i64>>()).to_string();
    let fields = [("epis", variants.as_str())];
    note_size(tally, guest.call("lists/contains", &fields));
    let request = guest.request("lists/contains", None, &fields);
    unread(scene, tally, &request);
    Ok(())
}

fn note_size(tally: &mut Tally, response: anyhow::Result<(u16, Vec<u8>)>) {
    tally.count(&response);
    if let Ok((_, body)) = response {
        tally.note(format!("each response {:.1} MB", body.len() as f64 / 1e6));
    }
}
