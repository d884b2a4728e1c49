//! A quota that strangers spend for others.

use super::contents::long_list;
use super::{Attack, Scene};
use crate::faults::abuse::tally::Tally;

/// Guests who duplicate a list; from many addresses, each has its own.
const GUESTS: usize = 130;
/// What the store's shoppers may write per day, in MiB.
const STORE_QUOTA: &str = "64";
const ITEMS: i64 = 5_000;

pub(super) const ATTACKS: &[Attack] = &[Attack::planned("spent quota of the store", spent)];

/// Guests duplicate one long public list until nobody in the store may write. The shop's shoppers go on writing.
fn spent(scene: &Scene, tally: &mut Tally) -> anyhow::Result<()> {
    scene.set(&["--store-quota", STORE_QUOTA])?;
    let mut owner = scene.store.shopper("owner@example.com")?;
    let lid = long_list(&mut owner, ITEMS)?;
    owner.json("lists/markPublic", &[("lid", &lid)])?;
    tally.begin();
    let mut guests = (0..GUESTS).map(|_| scene.store.guest()).collect::<anyhow::Result<Vec<_>>>()?;
    while tally.goes_on() {
        for guest in &mut guests {
            if !tally.goes_on() {
                break;
            }
            tally.count(&guest.call("lists/create", &[("lname", "Copy"), ("fromlid", &lid)]));
        }
    }
    let mut shopper = scene.store.shopper("late@example.com")?;
    let written = shopper.call("lists/create", &[("lname", "Mine")]);
    tally.require(matches!(written, Ok((200, _))), "a logged-in shopper can write");
    Ok(())
}
