//! A quota that strangers spend for others.

use std::time::Duration;

use super::contents::long_list;
use super::{Attack, Scene};
use crate::faults::abuse::tally::Tally;

/// Guests who duplicate a list; from many addresses, each has its own.
const GUESTS: usize = 130;
/// What the store's shoppers may write per day, in MiB: little, so that a busy machine reaches it, too.
const STORE_QUOTA: &str = "8";
const ITEMS: i64 = 2_000;
/// Time to reach it.
const LONG: Duration = Duration::from_secs(60);

pub(super) const ATTACKS: &[Attack] = &[Attack::planned("spent quota of the store", spent)];

/// Guests duplicate one long public list until nobody in the store may write. The shop's shoppers go on writing.
fn spent(scene: &Scene, tally: &mut Tally) -> anyhow::Result<()> {
    scene.set(&["--store-quota", STORE_QUOTA])?;
    let mut owner = scene.store.shopper("owner@example.com")?;
    let lid = long_list(&mut owner, ITEMS)?;
    owner.json("lists/markPublic", &[("lid", &lid)])?;
    tally.begin_for(LONG);
    let mut guests = (0..GUESTS).map(|_| scene.store.guest()).collect::<anyhow::Result<Vec<_>>>()?;
    let mut is_spent = false;
    while tally.goes_on() && !is_spent {
        is_spent = true;
        for guest in &mut guests {
            let copied = guest.call("lists/create", &[("lname", "Copy"), ("fromlid", &lid)]);
            is_spent &= !tally.count(&copied);
        }
    }
    tally.note(format!("guests are stopped: {is_spent}"));
    let mut shopper = scene.store.shopper("late@example.com")?;
    let written = shopper.call("lists/create", &[("lname", "Mine")]);
    tally.require(matches!(written, Ok((200, _))), "a logged-in shopper can write");
    Ok(())
}
