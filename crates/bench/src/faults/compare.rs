//! The model beside what the server shows.

use serde_json::Value;

use super::model::{Item, Kind, List, OF_A_WORKER, Person};

/// A list as `fetch-list-with-contents` shows it.
#[derive(Debug)]
pub(crate) struct Seen {
    pub(crate) lid: String,
    pub(crate) name: String,
    pub(crate) version: i64,
    pub(crate) is_copying: bool,
    /// Oldest first.
    pub(crate) items: Vec<Item>,
}

impl Seen {
    /// Reads an answer, and says what is wrong with it whatever the list should hold.
    pub(crate) fn read(answer: &Value) -> Result<Self, String> {
        let list = &answer["list"];
        let text = |name: &str| list[name].as_str().unwrap_or_default().to_owned();
        let seen = Self {
            lid: text("lid"),
            name: text("lname"),
            version: list["version"].as_i64().unwrap_or_default(),
            is_copying: list["_cp"].as_bool().unwrap_or_default(),
            items: records(&answer["items"]).iter().rev().map(item).collect(),
        };
        let fault = |what: String| Err(format!("list {} ({}) {what}", seen.lid, seen.name));
        let (count, found) = (list["cnt"].as_u64(), seen.items.len());
        if count != Some(found as u64) {
            return fault(format!("says cnt {count:?} and has {found} items"));
        }
        let mut epis: Vec<i64> = seen.items.iter().map(|item| item.epi).collect();
        epis.sort_unstable();
        if epis.windows(2).any(|pair| pair[0] == pair[1]) {
            return fault("has a variant twice".to_owned());
        }
        let time = |record: &Value, name: &str| record[name].as_i64().unwrap_or_default();
        let times: Vec<(i64, i64)> =
            records(&answer["items"]).iter().map(|record| (time(record, "cts"), time(record, "uts"))).collect();
        if times.windows(2).any(|pair| pair[0].0 < pair[1].0) {
            return fault(format!("is not in the order of time: {times:?}"));
        }
        if let Some(odd) = times.iter().find(|(created, updated)| updated < created) {
            return fault(format!("has an item that was changed before it was made: {odd:?}"));
        }
        Ok(seen)
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

/// Where model and server differ, in words; empty when they do not.
pub(crate) fn differences(worker: usize, person: &Person, seen: &[Seen]) -> Vec<String> {
    let mut out = Vec::new();
    for list in &person.lists {
        match seen.iter().find(|seen| is_same(list, seen)) {
            None => out.push(format!("list {:?} ({}) is missing", list.lid, list.name)),
            Some(seen) => compare(worker, list, seen, &mut out),
        }
    }
    for extra in seen.iter().filter(|seen| !person.lists.iter().any(|list| is_same(list, seen))) {
        out.push(format!("list {} ({}) should not be there", extra.lid, extra.name));
    }
    out
}

pub(crate) fn is_same(list: &List, seen: &Seen) -> bool {
    match &list.lid {
        Some(lid) => *lid == seen.lid,
        None => list.name == seen.name,
    }
}

fn compare(worker: usize, list: &List, seen: &Seen, out: &mut Vec<String>) {
    let mut differ = |what: String| out.push(format!("list {} ({}): {what}", seen.lid, list.name));
    if list.kind != Kind::Foreign && list.name != seen.name {
        differ(format!("is called {:?}", seen.name));
    }
    if list.version.is_some_and(|version| version != seen.version) {
        differ(format!("is at version {}, the last answer said {:?}", seen.version, list.version));
    }
    // Others look after the rest of a list that they write to.
    let is_mine =
        |item: &&Item| !matches!(list.kind, Kind::Shared | Kind::Foreign) || item.epi / OF_A_WORKER == worker as i64;
    let mut found: Vec<&Item> = seen.items.iter().filter(is_mine).collect();
    let mut wanted: Vec<&Item> = list.items.iter().collect();
    if seen.is_copying {
        // A part of it, until it is done.
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
        differ("its items are in another order than they were added".to_owned());
    } else {
        differ(format!("misses {missing:?} and has {extra:?}"));
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::json;

    use super::*;

    /// A list of a worker's variants, as the server shows it: newest first.
    fn shown(count: i64, epis: &[i64]) -> Value {
        let record = |place: usize, epi: &i64| json!({ "epi": epi, "qty": epi, "note": "n", "cts": 100 - place as i64, "uts": 100 });
        let items: Vec<Value> = epis.iter().rev().enumerate().map(|(place, epi)| record(place, epi)).collect();
        json!({ "list": { "lid": "l", "lname": "mine", "version": 3, "cnt": count }, "items": items })
    }

    fn person(epis: &[i64]) -> Person {
        let mut list = List::new("mine".to_owned(), Kind::Own);
        list.version = Some(3);
        list.items = epis.iter().map(|epi| Item { epi: *epi, qty: *epi, note: "n".to_owned() }).collect();
        let subscriptions = BTreeSet::new();
        Person { email: None, regid: String::new(), sessionid: String::new(), lists: vec![list], subscriptions }
    }

    fn differ(wanted: &[i64], found: &[i64]) -> Vec<String> {
        differences(0, &person(wanted), &[Seen::read(&shown(found.len() as i64, found)).unwrap()])
    }

    #[test]
    fn what_is_as_it_must_be_is_left_alone() {
        assert_eq!(differ(&[1, 2, 3], &[1, 2, 3]), [""; 0]);
    }

    #[test]
    fn a_loss_an_extra_and_another_order_are_found() {
        assert!(differ(&[1, 2, 3], &[1, 3])[0].contains("misses"));
        assert!(differ(&[1, 3], &[1, 2, 3])[0].contains("has [Item"));
        assert!(differ(&[1, 2, 3], &[1, 3, 2])[0].contains("order"));
        assert!(differences(0, &person(&[]), &[])[0].contains("missing"));
    }

    #[test]
    fn a_change_that_was_made_twice_is_found_by_the_version() {
        let mut person = person(&[1]);
        person.lists[0].version = Some(2);
        assert!(differences(0, &person, &[Seen::read(&shown(1, &[1])).unwrap()])[0].contains("version 3"));
    }

    #[test]
    fn a_wrong_count_a_variant_twice_and_odd_times_are_found() {
        assert!(Seen::read(&shown(3, &[1, 2])).unwrap_err().contains("cnt"));
        assert!(Seen::read(&shown(2, &[1, 1])).unwrap_err().contains("twice"));
        let mut odd = shown(2, &[1, 2]);
        odd["items"][0]["cts"] = 1.into();
        assert!(Seen::read(&odd).unwrap_err().contains("order of time"));
    }
}
