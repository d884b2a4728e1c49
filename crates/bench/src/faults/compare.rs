//! Compares the model with the server's responses.

use serde_json::Value;

use super::model::{Item, Kind, List, Shopper, VARIANTS_PER_WORKER};

/// A list as returned by `fetch-list-with-contents`.
#[derive(Debug)]
pub(crate) struct ObservedList {
    pub(crate) lid: String,
    pub(crate) name: String,
    pub(crate) version: i64,
    pub(crate) is_copying: bool,
    /// Oldest first.
    pub(crate) items: Vec<Item>,
}

impl ObservedList {
    /// Parses a response; fails if it is inconsistent in itself.
    pub(crate) fn read(response: &Value) -> Result<Self, String> {
        let list = &response["list"];
        let text = |name: &str| list[name].as_str().unwrap_or_default().to_owned();
        let observed = Self {
            lid: text("lid"),
            name: text("lname"),
            version: list["version"].as_i64().unwrap_or_default(),
            is_copying: list["_cp"].as_bool().unwrap_or_default(),
            items: records(&response["items"]).iter().rev().map(item).collect(),
        };
        let fault = |what: String| Err(format!("list {} ({}) {what}", observed.lid, observed.name));
        let (count, found) = (list["cnt"].as_u64(), observed.items.len());
        if count != Some(found as u64) {
            return fault(format!("has cnt {count:?} but {found} items"));
        }
        let mut epis: Vec<i64> = observed.items.iter().map(|item| item.epi).collect();
        epis.sort_unstable();
        if epis.windows(2).any(|pair| pair[0] == pair[1]) {
            return fault("has a duplicate variant".to_owned());
        }
        let time = |record: &Value, name: &str| record[name].as_i64().unwrap_or_default();
        let times: Vec<(i64, i64)> =
            records(&response["items"]).iter().map(|record| (time(record, "cts"), time(record, "uts"))).collect();
        if times.windows(2).any(|pair| pair[0].0 < pair[1].0) {
            return fault(format!("is not ordered by time: {times:?}"));
        }
        if let Some(invalid) = times.iter().find(|(created, updated)| updated < created) {
            return fault(format!("has an item with uts before cts: {invalid:?}"));
        }
        Ok(observed)
    }
}

pub(crate) fn records(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn item(record: &Value) -> Item {
    Item {
        epi: record["epi"].as_i64().unwrap_or_default(),
        qty: record["qty"].as_i64().unwrap_or_default(),
        note: record["note"].as_str().unwrap_or_default().to_owned(),
    }
}

/// Describes the differences between model and server.
pub(crate) fn differences(worker: usize, shopper: &Shopper, observed: &[ObservedList]) -> Vec<String> {
    let mut out = Vec::new();
    for list in &shopper.lists {
        match observed.iter().find(|observed| is_same(list, observed)) {
            None => out.push(format!("list {:?} ({}) is missing", list.lid, list.name)),
            Some(observed) => compare(worker, list, observed, &mut out),
        }
    }
    for extra in observed.iter().filter(|observed| !shopper.lists.iter().any(|list| is_same(list, observed))) {
        out.push(format!("list {} ({}) is unexpected", extra.lid, extra.name));
    }
    out
}

pub(crate) fn is_same(list: &List, observed: &ObservedList) -> bool {
    match &list.lid {
        Some(lid) => *lid == observed.lid,
        None => list.name == observed.name,
    }
}

fn compare(worker: usize, list: &List, observed: &ObservedList, out: &mut Vec<String>) {
    let mut differ = |what: String| out.push(format!("list {} ({}): {what}", observed.lid, list.name));
    if list.kind != Kind::Foreign && list.name != observed.name {
        differ(format!("is called {:?}", observed.name));
    }
    if list.version.is_some_and(|version| version != observed.version) {
        differ(format!("is at version {}, the last response had {:?}", observed.version, list.version));
    }
    // On shared lists each worker verifies only its own items.
    let is_mine = |item: &&Item| {
        !matches!(list.kind, Kind::Shared | Kind::Foreign) || item.epi / VARIANTS_PER_WORKER == worker as i64
    };
    let mut found: Vec<&Item> = observed.items.iter().filter(is_mine).collect();
    let mut wanted: Vec<&Item> = list.items.iter().collect();
    if observed.is_copying {
        // Incomplete until the copy is finished.
        wanted.retain(|item| found.iter().any(|found| found.epi == item.epi));
    }
    if !list.is_ordered {
        found.sort_unstable_by_key(|item| item.epi);
        wanted.sort_unstable_by_key(|item| item.epi);
    }
    if found == wanted {
        return;
    }
    let missing: Vec<_> = wanted.iter().filter(|item| !found.contains(item)).collect();
    let extra: Vec<_> = found.iter().filter(|item| !wanted.contains(item)).collect();
    if missing.is_empty() && extra.is_empty() {
        differ("items are not in order of addition".to_owned());
    } else {
        differ(format!("missing: {missing:?}, unexpected: {extra:?}"));
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::json;

    use super::*;

    /// A list as the server returns it: newest item first.
    fn shown(count: i64, epis: &[i64]) -> Value {
        let record = |position: usize, epi: &i64| json!({ "epi": epi, "qty": epi, "note": "n", "cts": 100 - position as i64, "uts": 100 });
        let items: Vec<Value> = epis.iter().rev().enumerate().map(|(position, epi)| record(position, epi)).collect();
        json!({ "list": { "lid": "l", "lname": "mine", "version": 3, "cnt": count }, "items": items })
    }

    fn shopper(epis: &[i64]) -> Shopper {
        let mut list = List::new("mine".to_owned(), Kind::Own);
        list.version = Some(3);
        list.items = epis.iter().map(|epi| Item { epi: *epi, qty: *epi, note: "n".to_owned() }).collect();
        let subscriptions = BTreeSet::new();
        Shopper { email: None, regid: String::new(), sessionid: String::new(), lists: vec![list], subscriptions }
    }

    fn differ(wanted: &[i64], found: &[i64]) -> Vec<String> {
        differences(0, &shopper(wanted), &[ObservedList::read(&shown(found.len() as i64, found)).unwrap()])
    }

    #[test]
    fn equal_lists_have_no_differences() {
        assert_eq!(differ(&[1, 2, 3], &[1, 2, 3]), [""; 0]);
    }

    #[test]
    fn missing_and_unexpected_items_and_a_different_order_are_found() {
        assert!(differ(&[1, 2, 3], &[1, 3])[0].contains("missing: [Item"));
        assert!(differ(&[1, 3], &[1, 2, 3])[0].contains("unexpected: [Item"));
        assert!(differ(&[1, 2, 3], &[1, 3, 2])[0].contains("order"));
        assert!(differences(0, &shopper(&[]), &[])[0].contains("missing"));
    }

    #[test]
    fn a_change_applied_twice_is_found_by_the_version() {
        let mut shopper = shopper(&[1]);
        shopper.lists[0].version = Some(2);
        assert!(differences(0, &shopper, &[ObservedList::read(&shown(1, &[1])).unwrap()])[0].contains("version 3"));
    }

    #[test]
    fn a_wrong_count_a_duplicate_variant_and_a_wrong_order_are_found() {
        assert!(ObservedList::read(&shown(3, &[1, 2])).unwrap_err().contains("cnt"));
        assert!(ObservedList::read(&shown(2, &[1, 1])).unwrap_err().contains("duplicate"));
        let mut unordered = shown(2, &[1, 2]);
        unordered["items"][0]["cts"] = 1.into();
        assert!(ObservedList::read(&unordered).unwrap_err().contains("ordered by time"));
    }
}
