//! Random API calls: their generation, their requests, and their effect on the model.

use fastrand::Rng;
use serde_json::{Value, json};

use super::http::{Request, Response, encode};
use super::model::{Item, Kind, List, SMALL_VARIANTS, Shopper, VARIANTS_PER_WORKER};

const MAX_LISTS: usize = 7;
const MAX_ITEMS: usize = 120;
/// Lists with more than 500 items are copied in the background.
const LONG: i64 = 640;

/// The store that all calls go to.
pub(crate) struct TestStore {
    pub(crate) pid: String,
    pub(crate) authorization: String,
}

#[derive(Clone, Debug)]
pub(crate) enum Call {
    Create { name: String, copy_of: Option<usize> },
    Rename { list: usize, name: String },
    Delete { list: usize },
    Change { list: usize, delete: Vec<i64>, update: Vec<Item>, add: Vec<Item> },
    Save { name: String },
    SaveItems { list: usize, verb: Verb, items: Vec<Item> },
    Move { from: usize, to: usize, epis: Vec<i64> },
    Subscribe { epi: i64 },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verb {
    Add,
    Update,
    Remove,
    MovedToCart,
}

impl TestStore {
    pub(crate) fn shopper_call(&self, path: &str, by: &Shopper, fields: Vec<(&'static str, String)>) -> Request {
        let path = format!("/api/v3/{path}?pid={}", encode(&self.pid));
        let mut all = vec![("regid", by.regid.clone()), ("sessionid", by.sessionid.clone())];
        all.extend(fields);
        Request { path, fields: all, authorization: None, idempotency_key: None }
    }

    pub(crate) fn admin_call(&self, path: &str, fields: Vec<(&'static str, String)>) -> Request {
        let authorization = Some(self.authorization.clone());
        Request { path: format!("/storeadmin/{path}"), fields, authorization, idempotency_key: None }
    }
}

impl Call {
    /// A random call that is valid for the shopper's lists. `serial` makes names unique.
    pub(crate) fn random(rng: &mut Rng, worker: usize, serial: u64, shopper: &Shopper) -> Self {
        let settled = |list: &List| !list.is_copying;
        let own: Vec<usize> = positions(shopper, |list| list.kind == Kind::Own && settled(list));
        let any: Vec<usize> =
            positions(shopper, |list| list.kind != Kind::SaveForLater && settled(list) && list.items.len() < MAX_ITEMS);
        let saved = positions(shopper, |list| list.kind == Kind::SaveForLater).first().copied();
        let name = format!("list {worker}-{serial}");
        let is_full = shopper.lists.len() >= MAX_LISTS;
        match (rng.u8(0..100), rng.choice(&own).copied(), rng.choice(&any).copied()) {
            (0..8, ..) if !is_full => Self::Create { name, copy_of: None },
            // The number of concurrent copies per shopper is limited.
            (8..11, Some(list), _) if !is_full && shopper.lists.iter().all(settled) => {
                Self::Create { name, copy_of: Some(list) }
            }
            (11..15, Some(list), _) => Self::Rename { list, name },
            (15..20, Some(list), _) if own.len() > 2 || is_full => Self::Delete { list },
            (20..30, Some(from), Some(to)) if from != to && shopper.lists[to].kind == Kind::Own => {
                let epis = random_epis(rng, &shopper.lists[from], 12);
                if epis.is_empty() { Self::Rename { list: from, name } } else { Self::Move { from, to, epis } }
            }
            (30..45, ..) if shopper.email.is_some() => match saved {
                None => Self::Save { name },
                Some(list) => Self::random_save_for_later(rng, worker, list, &shopper.lists[list]),
            },
            (45..50, ..) if shopper.email.is_some() => Self::Subscribe { epi: variant(rng, worker) },
            (50..52, Some(list), _) if shopper.lists[list].items.is_empty() => {
                let first = worker as i64 * VARIANTS_PER_WORKER + SMALL_VARIANTS;
                // The first of two calls that fill a long list.
                Self::Change {
                    list,
                    delete: Vec::new(),
                    update: Vec::new(),
                    add: (first..first + LONG / 2).map(|epi| item(rng, epi)).collect(),
                }
            }
            (52..60, Some(list), _) if shopper.lists[list].items.len() as i64 == LONG / 2 => {
                let first = worker as i64 * VARIANTS_PER_WORKER + SMALL_VARIANTS + LONG / 2;
                Self::Change {
                    list,
                    delete: Vec::new(),
                    update: Vec::new(),
                    add: (first..first + LONG / 2).map(|epi| item(rng, epi)).collect(),
                }
            }
            (_, _, Some(list)) => Self::random_change(rng, worker, list, &shopper.lists[list]),
            (_, Some(list), None) => Self::Delete { list },
            _ => Self::Create { name, copy_of: None },
        }
    }

    /// Adds twenty items to the first list.
    pub(crate) fn twenty_items(rng: &mut Rng, worker: usize) -> Self {
        let first = worker as i64 * VARIANTS_PER_WORKER + rng.i64(0..SMALL_VARIANTS - 20);
        let add = (first..first + 20).map(|epi| item(rng, epi)).collect();
        Self::Change { list: 0, delete: Vec::new(), update: Vec::new(), add }
    }

    fn random_change(rng: &mut Rng, worker: usize, position: usize, list: &List) -> Self {
        let (mut delete, mut update, mut add) = (Vec::new(), Vec::new(), Vec::new());
        match rng.u8(0..10) {
            0..4 => add = new_items(rng, worker, 1),
            4..6 => add = new_items(rng, worker, 20),
            6 => update = random_epis(rng, list, 8).into_iter().map(|epi| item(rng, epi)).collect(),
            7 => delete = random_epis(rng, list, 8),
            _ => {
                delete = random_epis(rng, list, 4);
                update = random_epis(rng, list, 4).into_iter().map(|epi| item(rng, epi)).collect();
                update.retain(|item| !delete.contains(&item.epi));
                add = new_items(rng, worker, 6);
            }
        }
        if delete.is_empty() && update.is_empty() && add.is_empty() {
            add = new_items(rng, worker, 3);
        }
        Self::Change { list: position, delete, update, add }
    }

    fn random_save_for_later(rng: &mut Rng, worker: usize, position: usize, list: &List) -> Self {
        let verb = match rng.u8(0..6) {
            3 => Verb::Update,
            4 => Verb::Remove,
            5 => Verb::MovedToCart,
            _ if list.items.len() >= MAX_ITEMS => Verb::Remove,
            _ => Verb::Add,
        };
        let chosen = random_epis(rng, list, 6);
        if verb == Verb::Add || chosen.is_empty() {
            return Self::SaveItems { list: position, verb: Verb::Add, items: new_items(rng, worker, 6) };
        }
        Self::SaveItems { list: position, verb, items: chosen.into_iter().map(|epi| item(rng, epi)).collect() }
    }

    /// The list whose version the call can be conditional on.
    pub(crate) fn list(&self) -> Option<usize> {
        match self {
            Self::Rename { list, .. } | Self::Delete { list } | Self::Change { list, .. } => Some(*list),
            Self::SaveItems { list, .. } => Some(*list),
            Self::Move { from, .. } => Some(*from),
            Self::Create { .. } | Self::Save { .. } | Self::Subscribe { .. } => None,
        }
    }

    /// True if the call can be repeated without an idempotency key.
    pub(crate) fn is_idempotent(&self) -> bool {
        matches!(self, Self::Save { .. } | Self::Subscribe { .. })
    }

    pub(crate) fn request(&self, store: &TestStore, by: &Shopper) -> Request {
        let lid = |list: usize| by.lists[list].lid.clone().unwrap_or_default();
        match self {
            Self::Create { name, copy_of } => {
                let mut fields = vec![("lname", name.clone())];
                fields.extend(copy_of.map(|list| ("fromlid", lid(list))));
                store.shopper_call("lists/create", by, fields)
            }
            Self::Rename { list, name } => {
                store.shopper_call("lists/update", by, vec![("lid", lid(*list)), ("lname", name.clone())])
            }
            Self::Delete { list } => store.shopper_call("lists/delete-list", by, vec![("lid", lid(*list))]),
            Self::Change { list, delete, update, add } => {
                let mut fields = vec![("lid", lid(*list))];
                let bare = || delete.iter().map(|epi| json!({ "epi": epi })).collect::<Value>();
                if !delete.is_empty() {
                    fields.push(("d", bare().to_string()));
                }
                for (letter, items) in [("u", update), ("a", add)] {
                    if !items.is_empty() {
                        fields.push((letter, products(items)));
                    }
                }
                store.shopper_call("lists/update-ctx", by, fields)
            }
            Self::Save { name } => store.shopper_call("lists/sfl/create", by, vec![("lname", name.clone())]),
            Self::SaveItems { list, verb, items } => {
                let (path, fields) = match verb {
                    Verb::Add => ("lists/sfl/add", vec![]),
                    Verb::Update => ("lists/sfl/update", vec![("user-agent", "wishbone-faults".to_owned())]),
                    Verb::Remove => ("lists/sfl/remove", vec![]),
                    Verb::MovedToCart => ("lists/sfl/moved-to-cart", vec![]),
                };
                let mut all = vec![("lid", lid(*list)), ("items", products(items))];
                all.extend(fields);
                store.shopper_call(path, by, all)
            }
            Self::Move { from, to, epis } => {
                let items = epis.iter().map(|epi| json!({ "epi": epi })).collect::<Value>();
                let fields = vec![("fromlid", lid(*from)), ("tolid", lid(*to)), ("items", items.to_string())];
                store.shopper_call("lists/move-items", by, fields)
            }
            Self::Subscribe { epi } => {
                let fields = vec![
                    ("medium", "email".to_owned()),
                    ("mediumvalue", by.email.clone().unwrap_or_default()),
                    ("products", json!([product(*epi)]).to_string()),
                    ("topics", r#"["backinstock"]"#.to_owned()),
                ];
                store.admin_call("bispa/subscriptions/create", fields)
            }
        }
    }

    /// Applies the call to the model. Values generated by the server (ids, versions) come from its response, and are
    /// unknown without one.
    pub(crate) fn apply(&self, shopper: &mut Shopper, response: Option<&Response>) {
        let number = |name: &str| response.and_then(|response| response.body[name].as_i64());
        let of_list = response.and_then(|response| response.list_version);
        match self {
            Self::Create { name, copy_of } => {
                let mut list = List::new(name.clone(), Kind::Own);
                if let Some(source) = copy_of.map(|list| &shopper.lists[list]) {
                    list.items.clone_from(&source.items);
                    list.is_ordered = source.is_ordered;
                    list.is_copying = source.items.len() > 500;
                }
                list.lid = response.and_then(|response| Some(response.body["lid"].as_str()?.to_owned()));
                list.version = number("version").filter(|_| !list.is_copying);
                shopper.lists.push(list);
            }
            Self::Rename { list, name } => {
                let list = &mut shopper.lists[*list];
                list.name.clone_from(name);
                list.version = number("version");
            }
            Self::Delete { list } => {
                shopper.lists.remove(*list);
            }
            Self::Change { list, delete, update, add } => {
                let list = &mut shopper.lists[*list];
                for epi in delete {
                    list.remove(*epi);
                }
                update.iter().for_each(|item| list.update(item));
                add.iter().for_each(|item| list.add(item));
                list.version = of_list;
            }
            Self::Save { name } => {
                let mut list = List::new(name.clone(), Kind::SaveForLater);
                list.lid = response.and_then(|response| Some(response.body["lid"].as_str()?.to_owned()));
                list.version = number("version");
                shopper.lists.push(list);
            }
            Self::SaveItems { list, verb, items } => {
                let list = &mut shopper.lists[*list];
                for item in items {
                    match verb {
                        Verb::Add => list.add(item),
                        Verb::Update => list.update(item),
                        Verb::Remove | Verb::MovedToCart => drop(list.remove(item.epi)),
                    }
                }
                list.version = of_list;
            }
            Self::Move { from, to, epis } => {
                let leaving: Vec<Item> = epis.iter().filter_map(|epi| shopper.lists[*from].remove(*epi)).collect();
                let target = &mut shopper.lists[*to];
                for item in leaving {
                    if !target.has(item.epi) {
                        target.items.push(item);
                        target.is_ordered = false;
                    }
                }
                target.version = number("toversion");
                shopper.lists[*from].version = number("fromversion");
            }
            Self::Subscribe { epi } => {
                shopper.subscriptions.insert(*epi);
            }
        }
        for list in &mut shopper.lists {
            if matches!(list.kind, Kind::Shared | Kind::Foreign) {
                list.version = None;
            }
        }
    }

    /// Returns what is wrong with a successful response: all elements of the call must have been accepted.
    pub(crate) fn validate(&self, response: &Response) -> Option<String> {
        let count = |name: &str| response.body[name].as_array().map_or(0, Vec::len);
        let expect = |name: &str, wanted: usize| {
            (count(name) != wanted).then(|| format!("{} elements in {name} instead of {wanted}", count(name)))
        };
        let failed = response.body.to_string().contains("\"hasError\":true").then(|| "an element failed".to_owned());
        failed.or_else(|| match self {
            Self::Change { delete, update, add, .. } => {
                expect("d", delete.len()).or_else(|| expect("u", update.len())).or_else(|| expect("a", add.len()))
            }
            Self::SaveItems { verb, items, .. } => match verb {
                Verb::Add => expect("itemsadded", items.len()),
                Verb::Update => expect("itemsupdated", items.len()),
                Verb::Remove => expect("itemsdeleted", items.len()),
                Verb::MovedToCart => expect("itemsmoved", items.len()),
            },
            Self::Move { epis, .. } => {
                let arrived = count("moved") + count("already");
                (arrived != epis.len()).then(|| format!("{arrived} items moved instead of {}", epis.len()))
            }
            Self::Subscribe { .. } => expect("subscriptions", 1),
            Self::Create { .. } | Self::Rename { .. } | Self::Delete { .. } | Self::Save { .. } => None,
        })
    }
}

fn positions(shopper: &Shopper, choose: impl Fn(&List) -> bool) -> Vec<usize> {
    shopper.lists.iter().enumerate().filter(|(_, list)| choose(list)).map(|(position, _)| position).collect()
}

fn variant(rng: &mut Rng, worker: usize) -> i64 {
    worker as i64 * VARIANTS_PER_WORKER + rng.i64(0..SMALL_VARIANTS)
}

fn item(rng: &mut Rng, epi: i64) -> Item {
    Item { epi, qty: rng.i64(1..1_000), note: format!("note {}", rng.u32(..)) }
}

/// New items with distinct variants.
fn new_items(rng: &mut Rng, worker: usize, most: usize) -> Vec<Item> {
    let mut items: Vec<Item> = Vec::new();
    for _ in 0..rng.usize(1..=most) {
        let epi = variant(rng, worker);
        if items.iter().all(|item| item.epi != epi) {
            items.push(item(rng, epi));
        }
    }
    items
}

fn random_epis(rng: &mut Rng, list: &List, most: usize) -> Vec<i64> {
    let count = rng.usize(0..=most);
    rng.choose_multiple(&list.items, count).into_iter().map(|item| item.epi).collect()
}

fn product(epi: i64) -> Value {
    json!({ "epi": epi, "empi": epi, "du": format!("https://store.example/p/{epi}") })
}

fn products(items: &[Item]) -> String {
    let describe = |item: &Item| {
        let mut product = product(item.epi);
        product["qty"] = item.qty.into();
        product["note"] = item.note.clone().into();
        product
    };
    items.iter().map(describe).collect::<Value>().to_string()
}
