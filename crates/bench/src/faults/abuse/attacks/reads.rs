//! Reads in quick succession.

use serde_json::{Value, json};

use super::contents::long_list;
use super::{Attack, Scene};
use crate::faults::abuse::tally::Tally;

pub(super) const ATTACKS: &[Attack] =
    &[Attack::repeated("reads", reads), Attack::repeated("one product on all", one_product)];

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
