//! Lists and items of attackers.

use serde_json::{Value, json};

use crate::faults::abuse::caller::Caller;
use crate::faults::abuse::shop::item;

/// Lists that a shopper may have.
pub(super) const MAX_LISTS: usize = 1_000;
/// Items that a list may have.
pub(super) const MAX_ITEMS: i64 = 10_000;

/// An item with custom fields of the maximum size.
pub(super) fn large(number: i64) -> Value {
    let mut item = item(number);
    item["cprops"] = json!({ "x": "y".repeat(8_000) });
    item
}

/// Items that name what a list has, and change it.
pub(super) fn changes(count: i64) -> String {
    let change = |number| json!({ "epi": number, "empi": number, "du": "https://shop.example/", "note": "n" });
    Value::from((1..=count).map(change).collect::<Vec<_>>()).to_string()
}

pub(super) fn long_list(guest: &mut Caller, count: i64) -> anyhow::Result<String> {
    let lid = guest.list(&[("lname", "Long")])?;
    guest.fill(&lid, &(1..=count).map(item).collect::<Vec<_>>())?;
    Ok(lid)
}

pub(super) fn large_list(guest: &mut Caller, count: i64) -> anyhow::Result<String> {
    let lid = guest.list(&[("lname", "Large")])?;
    guest.fill(&lid, &(1..=count).map(large).collect::<Vec<_>>())?;
    Ok(lid)
}

/// Creates lists whose texts have the maximum size, until one is rejected.
pub(super) fn lists_with_full_notes(guest: &mut Caller, count: usize) -> anyhow::Result<()> {
    let (note, props) = ("n".repeat(1_000), json!({ "x": "y".repeat(8_000) }).to_string());
    for number in 0..count {
        let name = format!("List {number}");
        let fields = [("lname", name.as_str()), ("lnote", &note), ("ldesc", &note), ("lprops", &props)];
        if guest.call("lists/create", &fields)?.0 != 200 {
            break;
        }
    }
    Ok(())
}
