//! Reads in quick succession.

use std::thread;

use serde_json::{Value, json};

use super::contents::{lists_with_full_notes, long_list};
use super::{Attack, Scene};
use crate::faults::abuse::caller::Origin;
use crate::faults::abuse::tally::Tally;
use crate::http::client::{FORM, post};

/// Connections that read at the same time.
const READERS: usize = 24;
/// Lists with full notes whose records are a little less than a large response.
const LISTS: usize = 95;

pub(super) const ATTACKS: &[Attack] = &[
    Attack::repeated("reads", reads),
    Attack::planned("reads below 1 MiB", below_large),
    Attack::repeated("one product on all", one_product),
];

fn reads(scene: &Scene, tally: &mut Tally) -> anyhow::Result<()> {
    let mut guest = scene.store.guest()?;
    let lid = long_list(&mut guest, 500)?;
    let variants: Vec<i64> = (1..=250).collect();
    let variants = Value::from(variants).to_string();
    while tally.goes_on() {
        tally.count(&guest.call("lists/fetch-user-lists", &[]));
        tally.count(&guest.call("lists/fetch-lists", &[]));
        tally.count(&guest.call("lists/fetch-list-with-contents", &[("lid", &lid)]));
        tally.count(&guest.call("lists/contains", &[("epis", &variants)]));
    }
    Ok(())
}

/// Responses that are just not large, compressed, over many connections.
fn below_large(scene: &Scene, tally: &mut Tally) -> anyhow::Result<()> {
    let guests = if scene.store.origin() == Origin::OneAddress { 1 } else { READERS };
    let mut requests = Vec::new();
    for _ in 0..guests {
        let mut guest = scene.store.guest()?;
        lists_with_full_notes(&mut guest, LISTS)?;
        let (path, form) = guest.path_and_form("lists/fetch-user-lists", &[]);
        requests.push(post(&path, &[FORM, ("accept-encoding", "gzip")], &form));
        tally.count(&guest.send(&requests[requests.len() - 1]));
    }
    tally.begin();
    let read = |request: &Vec<u8>, mut tally: Tally| {
        let mut reader = scene.store.stranger();
        while tally.goes_on() {
            let response =
                reader.as_mut().map_err(|error| anyhow::anyhow!("{error:#}")).and_then(|it| it.send(request));
            if !tally.count(&response.map(|(_, head)| (head.status, ()))) {
                reader = scene.store.stranger();
            }
        }
        tally
    };
    let tallies: Vec<Tally> = thread::scope(|scope| {
        let read = &read;
        let readers = requests.iter().cycle().take(READERS).map(|request| (request, tally.again()));
        let readers: Vec<_> = readers.map(|(request, tally)| scope.spawn(move || read(request, tally))).collect();
        readers.into_iter().filter_map(|reader| reader.join().ok()).collect()
    });
    tallies.into_iter().for_each(|part| tally.add(part));
    Ok(())
}

fn one_product(scene: &Scene, tally: &mut Tally) -> anyhow::Result<()> {
    let mut guest = scene.store.guest()?;
    let lid = guest.list(&[("lname", "One")])?;
    let variant = |number| json!({ "epi": number, "empi": 1, "du": "https://shop.example/p/1" });
    guest.fill(&lid, &(1..=500).map(variant).collect::<Vec<_>>())?;
    for _ in 0..999 {
        if !tally.goes_on() || !tally.count(&guest.call("lists/create", &[("lname", "Copy"), ("fromlid", &lid)])) {
            break;
        }
    }
    while tally.goes_on() {
        tally.count(&guest.call("product/wishlist/social-count", &[("empi", "1")]));
    }
    Ok(())
}
