//! Writes that cost the server more than the caller.

use std::thread;
use std::time::Duration;

use serde_json::Value;

use super::contents::{changes, large, large_list, long_list};
use super::{Attack, Scene};
use crate::faults::abuse::shop::item;
use crate::faults::abuse::tally::Tally;

pub(super) const ATTACKS: &[Attack] = &[
    Attack::repeated("many lists", many_lists),
    Attack::repeated("idempotency keys", idempotency_keys),
    Attack::repeated("copies of a long list", copies),
    Attack::repeated("deleted while copied", deleted_while_copied),
    Attack::repeated("new guests", new_guests),
];

fn many_lists(scene: &Scene, tally: &mut Tally) -> anyhow::Result<()> {
    let mut guest = scene.store.guest()?;
    let lid = long_list(&mut guest, 450)?;
    guest.fill(&lid, &(451..=500).map(large).collect::<Vec<_>>())?;
    let copy = [("lname", "Copy"), ("fromlid", lid.as_str())];
    for _ in 0..999 {
        if !tally.goes_on() || !tally.count(&guest.call("lists/create", &copy)) {
            break;
        }
    }
    while tally.goes_on() {
        tally.count(&guest.call("lists/fetch-lists", &[]));
        tally.count(&guest.call("lists/fetch-lists", &[("lty", "zzz")]));
    }
    Ok(())
}

fn idempotency_keys(scene: &Scene, tally: &mut Tally) -> anyhow::Result<()> {
    while tally.goes_on() {
        let mut guest = scene.store.guest()?;
        let lid = large_list(&mut guest, 60)?;
        let changes = changes(60);
        for number in 0.. {
            let key = format!("key {number}");
            let request = guest.request("lists/update-ctx", Some(&key), &[("lid", &lid), ("u", &changes)]);
            if !tally.goes_on() || !tally.count(&guest.send(&request)) {
                break;
            }
        }
    }
    Ok(())
}

fn copies(scene: &Scene, tally: &mut Tally) -> anyhow::Result<()> {
    let mut guest = scene.store.guest()?;
    let lid = long_list(&mut guest, 5_000)?;
    while tally.goes_on() {
        if !tally.count(&guest.call("lists/create", &[("lname", "Copy"), ("fromlid", &lid)])) {
            thread::sleep(Duration::from_millis(5));
        }
    }
    Ok(())
}

fn deleted_while_copied(scene: &Scene, tally: &mut Tally) -> anyhow::Result<()> {
    let mut guest = scene.store.guest()?;
    while tally.goes_on() {
        let lid = long_list(&mut guest, 2_000)?;
        for _ in 0..4 {
            tally.count(&guest.call("lists/create", &[("lname", "Copy"), ("fromlid", &lid)]));
        }
        tally.count(&guest.call("lists/update-ctx", &[("lid", &lid), ("u", &changes(500))]));
        tally.count(&guest.call("lists/delete-list", &[("lid", &lid)]));
    }
    Ok(())
}

fn new_guests(scene: &Scene, tally: &mut Tally) -> anyhow::Result<()> {
    while tally.goes_on() {
        let mut guest = scene.store.guest()?;
        let Ok(lid) = guest.list(&[("lname", "Mine")]) else {
            tally.count(&Ok((429, ())));
            continue;
        };
        let added = Value::from((1..=50).map(item).collect::<Vec<_>>()).to_string();
        tally.count(&guest.call("lists/update-ctx", &[("lid", &lid), ("a", &added)]));
    }
    Ok(())
}
