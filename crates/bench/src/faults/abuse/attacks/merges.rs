//! Logins that merge guests into one account, and what the account costs afterwards.

use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::anyhow;
use serde_json::{Value, json};

use super::contents::{MAX_ITEMS, MAX_LISTS};
use super::{Attack, Scene, THREADS};
use crate::faults::abuse::caller::{Caller, Store};
use crate::faults::abuse::shop::item;
use crate::faults::abuse::tally::Tally;

const EMAIL: &str = "large@example.com";
/// Time for a guest to create what it has, within its rate limit.
const PREPARATION: Duration = Duration::from_secs(120);

pub(super) const ATTACKS: &[Attack] = &[
    Attack::repeated("a large guest logs in", large_login),
    Attack::planned("logins with many lists", many_lists),
    Attack::planned("logins with one long list", one_list),
];

/// The shop logs a guest in who has long lists, as the shopper has.
fn large_login(scene: &Scene, tally: &mut Tally) -> anyhow::Result<()> {
    let mut shopper = scene.store.shopper(EMAIL)?;
    while tally.goes_on() {
        let mut guest = scene.store.guest()?;
        for name in ["A", "B", "C"] {
            let lid = guest.list(&[("lname", name)])?;
            guest.fill(&lid, &(1..=3_000).map(item).collect::<Vec<_>>())?;
            shopper.list(&[("lname", name)])?;
        }
        tally.count(&scene.store.login(&guest, EMAIL));
    }
    Ok(())
}

/// 27 guests with 1,000 lists each.
fn many_lists(scene: &Scene, tally: &mut Tally) -> anyhow::Result<()> {
    let count = if tally.is_short { 3 } else { 27 };
    let guests = prepared(count, |number| {
        let mut guest = scene.store.guest()?;
        for list in 0..MAX_LISTS {
            let name = format!("List {list} of {number}");
            patiently(|| guest.call("lists/create", &[("lname", &name)]))?;
        }
        Ok(guest)
    })?;
    log_in(scene, tally, guests)?;
    let lists = account(&scene.store)?.len() as u64;
    tally.require_at_most(MAX_LISTS as u64, lists, "lists of the account");
    Ok(())
}

/// 12 guests whose list has the name of the others' and 10,000 items of its own.
fn one_list(scene: &Scene, tally: &mut Tally) -> anyhow::Result<()> {
    let count = if tally.is_short { 2 } else { 12 };
    let guests = prepared(count, |number| {
        let mut guest = scene.store.guest()?;
        let lid = guest.list(&[("lname", "Mine")])?;
        let first = number as i64 * MAX_ITEMS;
        for part in (first..first + MAX_ITEMS).collect::<Vec<_>>().chunks(500) {
            let bare = |epi: &i64| json!({ "epi": epi + 1, "empi": epi + 1, "du": "https://shop.example/" });
            let items = part.iter().map(bare).collect::<Value>().to_string();
            patiently(|| guest.call("lists/update-ctx", &[("lid", &lid), ("a", &items)]))?;
        }
        Ok(guest)
    })?;
    log_in(scene, tally, guests)?;
    let items = account(&scene.store)?.iter().map(|list| list["cnt"].as_i64().unwrap_or(0)).max().unwrap_or(0);
    tally.require_at_most(MAX_ITEMS as u64, items.unsigned_abs(), "items of the longest list");
    Ok(())
}

/// Logs the guests in, one after the other, then uses the account as a page would: a login, its lists, and a poll.
fn log_in(scene: &Scene, tally: &mut Tally, guests: Vec<Caller>) -> anyhow::Result<()> {
    let mut slowest = Duration::ZERO;
    for guest in guests {
        let began = Instant::now();
        tally.count(&scene.store.login(&guest, EMAIL));
        slowest = slowest.max(began.elapsed());
    }
    tally.note(format!("slowest merge {} ms", slowest.as_millis()));
    let mut shopper = scene.store.shopper(EMAIL)?;
    tally.begin();
    let mut times = [const { Vec::new() }; 3];
    while tally.goes_on() {
        let mut guest = scene.store.guest()?;
        // One at a time: a guest without lists would have nothing to merge.
        patiently(|| guest.call("lists/create", &[("lname", "One more")]))?;
        let began = Instant::now();
        tally.count(&scene.store.login(&guest, EMAIL));
        times[0].push(began.elapsed());
        for (time, (path, fields)) in
            times[1..].iter_mut().zip([("lists/fetch-user-lists", &[][..]), ("lists/live", &[("timeout", "0")][..])])
        {
            let began = Instant::now();
            tally.count(&shopper.call(path, fields));
            time.push(began.elapsed());
        }
    }
    let medians = times.map(|mut times| {
        times.sort_unstable();
        times.get(times.len() / 2).map_or(0, Duration::as_millis)
    });
    let [login, lists, live] = medians;
    tally.note(format!("then median login {login} ms, fetch-user-lists {lists} ms, live {live} ms"));
    Ok(())
}

/// The lists of the account. (An export also has those that stay with its guests.)
fn account(store: &Store) -> anyhow::Result<Vec<Value>> {
    let mut shopper = store.shopper(EMAIL)?;
    let (mut lists, mut next) = (Vec::new(), String::new());
    loop {
        let page = shopper.json("lists/fetch-user-lists", &[("includeArchived", "true"), ("next", &next)])?;
        lists.extend(page["data"].as_array().ok_or_else(|| anyhow!("no lists"))?.iter().cloned());
        match page["next"].as_str() {
            Some(token) => token.clone_into(&mut next),
            None => return Ok(lists),
        }
    }
}

/// Prepares guests on several threads.
fn prepared(count: usize, prepare: impl Fn(usize) -> anyhow::Result<Caller> + Sync) -> anyhow::Result<Vec<Caller>> {
    let numbers = Mutex::new(0..count);
    let next = || numbers.lock().ok()?.next();
    thread::scope(|scope| {
        let work = || std::iter::from_fn(next).map(&prepare).collect::<anyhow::Result<Vec<_>>>();
        let threads: Vec<_> = (0..THREADS).map(|_| scope.spawn(work)).collect();
        let mut out = Vec::new();
        for thread in threads {
            out.extend(thread.join().map_err(|_| anyhow!("a guest panicked"))??);
        }
        Ok(out)
    })
}

/// Makes a call that must succeed, again while the rate limit or overload rejects it.
fn patiently(mut call: impl FnMut() -> anyhow::Result<(u16, Vec<u8>)>) -> anyhow::Result<()> {
    let began = Instant::now();
    loop {
        match call()? {
            (200, _) => return Ok(()),
            (429 | 503, _) if began.elapsed() < PREPARATION => thread::sleep(Duration::from_millis(100)),
            (status, body) => anyhow::bail!("{status} {}", String::from_utf8_lossy(&body)),
        }
    }
}
