//! What an anonymous client can try. Each attack runs on several threads until its time is over; whatever is rejected is
//! tried again at once.

use std::collections::BTreeMap;
use std::fmt;
use std::io::Write;
use std::net::TcpStream;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::caller::{Caller, Store};
use super::shop::item;

const THREADS: usize = 4;
/// Connections whose responses nobody reads, per thread.
const UNREAD: usize = 60;

type Attack = fn(&Store, &mut Tally) -> anyhow::Result<()>;

pub(super) const ATTACKS: &[(&str, Attack)] = &[
    ("many lists", many_lists),
    ("idempotency keys", idempotency_keys),
    ("copies of a long list", copies),
    ("deleted while copied", deleted_while_copied),
    ("one product on all", one_product),
    ("unread changes", unread_changes),
    ("unread lists", unread_lists),
    ("new guests", new_guests),
    ("reads", reads),
    ("a large guest logs in", large_login),
];

/// The responses of an attack by status.
pub(super) struct Tally {
    until: Instant,
    statuses: BTreeMap<u16, usize>,
    broken: usize,
}

impl Tally {
    fn new(until: Instant) -> Self {
        Self { until, statuses: BTreeMap::new(), broken: 0 }
    }

    fn goes_on(&self) -> bool {
        Instant::now() < self.until
    }

    fn count(&mut self, response: &anyhow::Result<(u16, Vec<u8>)>) -> bool {
        match response {
            Ok((status, _)) => *self.statuses.entry(*status).or_default() += 1,
            Err(_) => self.broken += 1,
        }
        matches!(response, Ok((200, _)))
    }

    fn add(&mut self, other: Self) {
        for (status, count) in other.statuses {
            *self.statuses.entry(status).or_default() += count;
        }
        self.broken += other.broken;
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let statuses: Vec<String> = self.statuses.iter().map(|(status, count)| format!("{count} × {status}")).collect();
        write!(f, "attacker got {}, {} broken", statuses.join(", "), self.broken)
    }
}

/// Runs an attack. One that fails, because something it needs was rejected, starts again.
pub(super) fn run(attack: Attack, store: &Arc<Store>, until: Instant) -> Tally {
    let start = |_| {
        let store = Arc::clone(store);
        thread::spawn(move || {
            let mut tally = Tally::new(until);
            while tally.goes_on() {
                if attack(&store, &mut tally).is_err() {
                    tally.broken += 1;
                    thread::sleep(Duration::from_millis(20));
                }
            }
            tally
        })
    };
    let threads: Vec<_> = (0..THREADS).map(start).collect();
    let mut total = Tally::new(until);
    for thread in threads {
        match thread.join() {
            Ok(tally) => total.add(tally),
            Err(_) => total.broken += 1,
        }
    }
    total
}

/// An item with custom fields of the maximum size.
fn large(number: i64) -> Value {
    let mut item = item(number);
    item["cprops"] = json!({ "x": "y".repeat(8_000) });
    item
}

/// Items that name what a list has, and change it.
fn changes(count: i64) -> String {
    let change = |number| json!({ "epi": number, "empi": number, "du": "https://shop.example/", "note": "n" });
    Value::from((1..=count).map(change).collect::<Vec<_>>()).to_string()
}

fn long_list(guest: &mut Caller, count: i64) -> anyhow::Result<String> {
    let lid = guest.list(&[("lname", "Long")])?;
    guest.fill(&lid, &(1..=count).map(item).collect::<Vec<_>>())?;
    Ok(lid)
}

fn large_list(guest: &mut Caller, count: i64) -> anyhow::Result<String> {
    let lid = guest.list(&[("lname", "Large")])?;
    guest.fill(&lid, &(1..=count).map(large).collect::<Vec<_>>())?;
    Ok(lid)
}

fn many_lists(store: &Store, tally: &mut Tally) -> anyhow::Result<()> {
    let mut guest = store.guest()?;
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

fn idempotency_keys(store: &Store, tally: &mut Tally) -> anyhow::Result<()> {
    let mut guest = store.guest()?;
    let lid = large_list(&mut guest, 60)?;
    let changes = changes(60);
    for number in 0.. {
        let key = format!("key {number}");
        let request = guest.request("lists/update-ctx", Some(&key), &[("lid", &lid), ("u", &changes)]);
        if !tally.goes_on() || !tally.count(&guest.send(&request)) {
            break;
        }
    }
    Ok(())
}

fn copies(store: &Store, tally: &mut Tally) -> anyhow::Result<()> {
    let mut guest = store.guest()?;
    let lid = long_list(&mut guest, 5_000)?;
    while tally.goes_on() {
        if !tally.count(&guest.call("lists/create", &[("lname", "Copy"), ("fromlid", &lid)])) {
            thread::sleep(Duration::from_millis(5));
        }
    }
    Ok(())
}

fn deleted_while_copied(store: &Store, tally: &mut Tally) -> anyhow::Result<()> {
    let mut guest = store.guest()?;
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

fn one_product(store: &Store, tally: &mut Tally) -> anyhow::Result<()> {
    let mut guest = store.guest()?;
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

/// Sends a request over many connections and reads no response.
fn unread(store: &Store, tally: &Tally, request: &[u8]) -> anyhow::Result<()> {
    let mut connections = Vec::new();
    while tally.goes_on() {
        if connections.len() == UNREAD {
            connections.clear();
        }
        let mut connection = TcpStream::connect(store.address)?;
        connection.write_all(request)?;
        connections.push(connection);
        thread::sleep(Duration::from_millis(5));
    }
    Ok(())
}

fn unread_changes(store: &Store, tally: &mut Tally) -> anyhow::Result<()> {
    let mut guest = store.guest()?;
    let lid = large_list(&mut guest, 500)?;
    let request = guest.request("lists/update-ctx", None, &[("lid", &lid), ("u", &changes(500))]);
    unread(store, tally, &request)
}

fn unread_lists(store: &Store, tally: &mut Tally) -> anyhow::Result<()> {
    let mut guest = store.guest()?;
    let lid = large_list(&mut guest, 1_000)?;
    let request = guest.request("lists/fetch-list-with-contents", None, &[("lid", &lid)]);
    unread(store, tally, &request)
}

fn new_guests(store: &Store, tally: &mut Tally) -> anyhow::Result<()> {
    while tally.goes_on() {
        let mut guest = store.guest()?;
        let Ok(lid) = guest.list(&[("lname", "Mine")]) else {
            tally.count(&Ok((429, Vec::new())));
            continue;
        };
        let added = Value::from((1..=50).map(item).collect::<Vec<_>>()).to_string();
        tally.count(&guest.call("lists/update-ctx", &[("lid", &lid), ("a", &added)]));
    }
    Ok(())
}

fn reads(store: &Store, tally: &mut Tally) -> anyhow::Result<()> {
    let mut guest = store.guest()?;
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

/// The shop logs a guest in who has long lists, as the shopper has.
fn large_login(store: &Store, tally: &mut Tally) -> anyhow::Result<()> {
    let mut shopper = store.shopper("large@example.com")?;
    while tally.goes_on() {
        let mut guest = store.guest()?;
        for name in ["A", "B", "C"] {
            let lid = guest.list(&[("lname", name)])?;
            guest.fill(&lid, &(1..=3_000).map(item).collect::<Vec<_>>())?;
            shopper.list(&[("lname", name)])?;
        }
        let login = [("regid", guest.regid.as_str()), ("useremail", "large@example.com"), ("useragenttype", "bench")];
        let merged = store.admin("user/guest-validate-sync", &login);
        tally.count(&merged.map(|_| (200, Vec::new())));
    }
    Ok(())
}
