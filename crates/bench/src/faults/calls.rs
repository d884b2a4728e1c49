//! The calls that are made at random: how each is drawn, said to the server, and done to the model.

use fastrand::Rng;
use serde_json::{Value, json};

use super::http::{Answer, Request, encode};
use super::model::{Item, Kind, List, OF_A_WORKER, Person, SMALL};

const MOST_LISTS: usize = 7;
const MOST_ITEMS: usize = 120;
/// Above 500 items a copy is made in the background.
const LONG: i64 = 640;

/// The store that all calls go to.
pub(crate) struct Shop {
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

impl Shop {
    pub(crate) fn shopper_call(&self, path: &str, by: &Person, fields: Vec<(&'static str, String)>) -> Request {
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
    /// Something that can be done with what the person has. `serial` makes names that nobody has used.
    pub(crate) fn draw(rng: &mut Rng, worker: usize, serial: u64, person: &Person) -> Self {
        let settled = |list: &List| !list.is_copying;
        let own: Vec<usize> = places(person, |list| list.kind == Kind::Own && settled(list));
        let any: Vec<usize> =
            places(person, |list| list.kind != Kind::SaveForLater && settled(list) && list.items.len() < MOST_ITEMS);
        let saved = places(person, |list| list.kind == Kind::SaveForLater).first().copied();
        let name = format!("list {worker}-{serial}");
        let is_full = person.lists.len() >= MOST_LISTS;
        match (rng.u8(0..100), rng.choice(&own).copied(), rng.choice(&any).copied()) {
            (0..8, ..) if !is_full => Self::Create { name, copy_of: None },
            // A few copies at once are all that a shopper may have.
            (8..11, Some(list), _) if !is_full && person.lists.iter().all(settled) => {
                Self::Create { name, copy_of: Some(list) }
            }
            (11..15, Some(list), _) => Self::Rename { list, name },
            (15..20, Some(list), _) if own.len() > 2 || is_full => Self::Delete { list },
            (20..30, Some(from), Some(to)) if from != to && person.lists[to].kind == Kind::Own => {
                let epis = some_of(rng, &person.lists[from], 12);
                if epis.is_empty() { Self::Rename { list: from, name } } else { Self::Move { from, to, epis } }
            }
            (30..45, ..) if person.email.is_some() => match saved {
                None => Self::Save { name },
                Some(list) => Self::draw_saved(rng, worker, list, &person.lists[list]),
            },
            (45..50, ..) if person.email.is_some() => Self::Subscribe { epi: variant(rng, worker) },
            (50..52, Some(list), _) if person.lists[list].items.is_empty() => {
                let first = worker as i64 * OF_A_WORKER + SMALL;
                // Two calls make a long list; the first of them is this.
                Self::Change {
                    list,
                    delete: Vec::new(),
                    update: Vec::new(),
                    add: (first..first + LONG / 2).map(|epi| item(rng, epi)).collect(),
                }
            }
            (52..60, Some(list), _) if person.lists[list].items.len() as i64 == LONG / 2 => {
                let first = worker as i64 * OF_A_WORKER + SMALL + LONG / 2;
                Self::Change {
                    list,
                    delete: Vec::new(),
                    update: Vec::new(),
                    add: (first..first + LONG / 2).map(|epi| item(rng, epi)).collect(),
                }
            }
            (_, _, Some(list)) => Self::draw_change(rng, worker, list, &person.lists[list]),
            (_, Some(list), None) => Self::Delete { list },
            _ => Self::Create { name, copy_of: None },
        }
    }

    /// Twenty items more on the first list.
    pub(crate) fn some_items(rng: &mut Rng, worker: usize) -> Self {
        let first = worker as i64 * OF_A_WORKER + rng.i64(0..SMALL - 20);
        let add = (first..first + 20).map(|epi| item(rng, epi)).collect();
        Self::Change { list: 0, delete: Vec::new(), update: Vec::new(), add }
    }

    fn draw_change(rng: &mut Rng, worker: usize, place: usize, list: &List) -> Self {
        let (mut delete, mut update, mut add) = (Vec::new(), Vec::new(), Vec::new());
        match rng.u8(0..10) {
            0..4 => add = new_items(rng, worker, 1),
            4..6 => add = new_items(rng, worker, 20),
            6 => update = some_of(rng, list, 8).into_iter().map(|epi| item(rng, epi)).collect(),
            7 => delete = some_of(rng, list, 8),
            _ => {
                delete = some_of(rng, list, 4);
                update = some_of(rng, list, 4).into_iter().map(|epi| item(rng, epi)).collect();
                update.retain(|item| !delete.contains(&item.epi));
                add = new_items(rng, worker, 6);
            }
        }
        if delete.is_empty() && update.is_empty() && add.is_empty() {
            add = new_items(rng, worker, 3);
        }
        Self::Change { list: place, delete, update, add }
    }

    fn draw_saved(rng: &mut Rng, worker: usize, place: usize, list: &List) -> Self {
        let verb = match rng.u8(0..6) {
            3 => Verb::Update,
            4 => Verb::Remove,
            5 => Verb::MovedToCart,
            _ if list.items.len() >= MOST_ITEMS => Verb::Remove,
            _ => Verb::Add,
        };
        let chosen = some_of(rng, list, 6);
        if verb == Verb::Add || chosen.is_empty() {
            return Self::SaveItems { list: place, verb: Verb::Add, items: new_items(rng, worker, 6) };
        }
        Self::SaveItems { list: place, verb, items: chosen.into_iter().map(|epi| item(rng, epi)).collect() }
    }

    /// The list whose version the call can be tied to.
    pub(crate) fn list(&self) -> Option<usize> {
        match self {
            Self::Rename { list, .. } | Self::Delete { list } | Self::Change { list, .. } => Some(*list),
            Self::SaveItems { list, .. } => Some(*list),
            Self::Move { from, .. } => Some(*from),
            Self::Create { .. } | Self::Save { .. } | Self::Subscribe { .. } => None,
        }
    }

    /// Whether making it twice is the same as making it once, so that it may simply be made again.
    pub(crate) fn is_repeatable(&self) -> bool {
        matches!(self, Self::Save { .. } | Self::Subscribe { .. })
    }

    pub(crate) fn request(&self, shop: &Shop, by: &Person) -> Request {
        let lid = |list: usize| by.lists[list].lid.clone().unwrap_or_default();
        match self {
            Self::Create { name, copy_of } => {
                let mut fields = vec![("lname", name.clone())];
                fields.extend(copy_of.map(|list| ("fromlid", lid(list))));
                shop.shopper_call("lists/create", by, fields)
            }
            Self::Rename { list, name } => {
                shop.shopper_call("lists/update", by, vec![("lid", lid(*list)), ("lname", name.clone())])
            }
            Self::Delete { list } => shop.shopper_call("lists/delete-list", by, vec![("lid", lid(*list))]),
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
                shop.shopper_call("lists/update-ctx", by, fields)
            }
            Self::Save { name } => shop.shopper_call("lists/sfl/create", by, vec![("lname", name.clone())]),
            Self::SaveItems { list, verb, items } => {
                let (path, fields) = match verb {
                    Verb::Add => ("lists/sfl/add", vec![]),
                    Verb::Update => ("lists/sfl/update", vec![("user-agent", "wishbone-faults".to_owned())]),
                    Verb::Remove => ("lists/sfl/remove", vec![]),
                    Verb::MovedToCart => ("lists/sfl/moved-to-cart", vec![]),
                };
                let mut all = vec![("lid", lid(*list)), ("items", products(items))];
                all.extend(fields);
                shop.shopper_call(path, by, all)
            }
            Self::Move { from, to, epis } => {
                let items = epis.iter().map(|epi| json!({ "epi": epi })).collect::<Value>();
                let fields = vec![("fromlid", lid(*from)), ("tolid", lid(*to)), ("items", items.to_string())];
                shop.shopper_call("lists/move-items", by, fields)
            }
            Self::Subscribe { epi } => {
                let fields = vec![
                    ("medium", "email".to_owned()),
                    ("mediumvalue", by.email.clone().unwrap_or_default()),
                    ("products", json!([product(*epi)]).to_string()),
                    ("topics", r#"["backinstock"]"#.to_owned()),
                ];
                shop.admin_call("bispa/subscriptions/create", fields)
            }
        }
    }

    /// Does to the model what the server has done. What the server alone knows (ids, versions) is in its answer, and
    /// stays unknown without one.
    pub(crate) fn apply(&self, person: &mut Person, answer: Option<&Answer>) {
        let number = |name: &str| answer.and_then(|answer| answer.body[name].as_i64());
        let of_list = answer.and_then(|answer| answer.list_version);
        match self {
            Self::Create { name, copy_of } => {
                let mut list = List::new(name.clone(), Kind::Own);
                if let Some(source) = copy_of.map(|list| &person.lists[list]) {
                    list.items.clone_from(&source.items);
                    list.is_ordered = source.is_ordered;
                    list.is_copying = source.items.len() > 500;
                }
                list.lid = answer.and_then(|answer| Some(answer.body["lid"].as_str()?.to_owned()));
                list.version = number("version").filter(|_| !list.is_copying);
                person.lists.push(list);
            }
            Self::Rename { list, name } => {
                let list = &mut person.lists[*list];
                list.name.clone_from(name);
                list.version = number("version");
            }
            Self::Delete { list } => {
                person.lists.remove(*list);
            }
            Self::Change { list, delete, update, add } => {
                let list = &mut person.lists[*list];
                for epi in delete {
                    list.remove(*epi);
                }
                update.iter().for_each(|item| list.update(item));
                add.iter().for_each(|item| list.add(item));
                list.version = of_list;
            }
            Self::Save { name } => {
                let mut list = List::new(name.clone(), Kind::SaveForLater);
                list.lid = answer.and_then(|answer| Some(answer.body["lid"].as_str()?.to_owned()));
                list.version = number("version");
                person.lists.push(list);
            }
            Self::SaveItems { list, verb, items } => {
                let list = &mut person.lists[*list];
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
                let leaving: Vec<Item> = epis.iter().filter_map(|epi| person.lists[*from].remove(*epi)).collect();
                let target = &mut person.lists[*to];
                for item in leaving {
                    if !target.has(item.epi) {
                        target.items.push(item);
                        target.is_ordered = false;
                    }
                }
                target.version = number("toversion");
                person.lists[*from].version = number("fromversion");
            }
            Self::Subscribe { epi } => {
                person.subscriptions.insert(*epi);
            }
        }
        for list in &mut person.lists {
            if matches!(list.kind, Kind::Shared | Kind::Foreign) {
                list.version = None;
            }
        }
    }

    /// What is wrong with a success; the elements of a call must all have been taken.
    pub(crate) fn objection(&self, answer: &Answer) -> Option<String> {
        let count = |name: &str| answer.body[name].as_array().map_or(0, Vec::len);
        let expect = |name: &str, wanted: usize| {
            (count(name) != wanted).then(|| format!("{} elements in {name} rather than {wanted}", count(name)))
        };
        let failed = answer.body.to_string().contains("\"hasError\":true").then(|| "an element failed".to_owned());
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
                (arrived != epis.len()).then(|| format!("{arrived} items moved rather than {}", epis.len()))
            }
            Self::Subscribe { .. } => expect("subscriptions", 1),
            Self::Create { .. } | Self::Rename { .. } | Self::Delete { .. } | Self::Save { .. } => None,
        })
    }
}

fn places(person: &Person, choose: impl Fn(&List) -> bool) -> Vec<usize> {
    person.lists.iter().enumerate().filter(|(_, list)| choose(list)).map(|(place, _)| place).collect()
}

fn variant(rng: &mut Rng, worker: usize) -> i64 {
    worker as i64 * OF_A_WORKER + rng.i64(0..SMALL)
}

fn item(rng: &mut Rng, epi: i64) -> Item {
    Item { epi, qty: rng.i64(1..1_000), note: format!("note {}", rng.u32(..)) }
}

/// Each variant once.
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

fn some_of(rng: &mut Rng, list: &List, most: usize) -> Vec<i64> {
    let count = rng.usize(0..=most);
    rng.choose_multiple(&list.items, count).into_iter().map(|item| item.epi).collect()
}

fn product(epi: i64) -> Value {
    json!({ "epi": epi, "empi": epi, "du": format!("https://shop.example/p/{epi}") })
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
