//! The mix against a small model of a server.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::source::Shop;
use crate::speed::driver::{Response, Source};
use crate::speed::targets::{ListTarget, ShopperTarget, StoreTarget, Targets};

const SHOPPERS: usize = 40;
const CONNECTIONS: usize = 8;

fn targets() -> Targets {
    let store = |number: usize, shoppers| StoreTarget {
        number,
        id: number as i64,
        pid: format!("store-{number}"),
        authorization: "Basic eA==".to_owned(),
        variants: 1_000,
        shoppers,
    };
    let shoppers = (0..SHOPPERS).map(|number| ShopperTarget {
        store: number / (SHOPPERS / 2),
        id: [number as u8; 16],
        credentials: format!("regid=shopper-{number}&sessionid=s"),
    });
    let lists = (0..SHOPPERS).map(|shopper| ListTarget { shopper, id: [shopper as u8; 16] });
    Targets {
        stores: vec![store(0, 0..SHOPPERS / 2), store(1, SHOPPERS / 2..SHOPPERS)],
        shoppers: shoppers.collect(),
        paged: lists.collect(),
        short: Vec::new(),
        long: Vec::new(),
        deep: Vec::new(),
    }
}

/// Answers requests. It knows which lists have an item, but not whose lists they are.
#[derive(Default)]
struct Model {
    lists: HashMap<i64, BTreeSet<String>>,
    calls: BTreeMap<String, usize>,
    /// Whether it forgets writes.
    is_stale: bool,
    /// Whether it rejects every request.
    is_overloaded: bool,
}

impl Model {
    fn respond(&mut self, request: &[u8]) -> (u16, String) {
        let request = percent_encoding::percent_decode(request).decode_utf8().unwrap().into_owned();
        let path = request.split([' ', '?']).nth(1).unwrap().to_owned();
        let number = self.calls.values().sum::<usize>();
        *self.calls.entry(path.clone()).or_default() += 1;
        if self.is_overloaded {
            return (503, String::new());
        }
        let after = |name: &str| request.split(name).nth(1).map(|rest| rest.split(['&', ',', '}']).next().unwrap());
        let lid = || after("&lid=").unwrap().to_owned();
        let body = match path.as_str() {
            "/api/v3/provider/register" => format!(r#"{{"regid":"guest-{number}","sessionid":"s"}}"#),
            "/api/v3/lists/create" => format!(r#"{{"lid":"{}"}}"#, uuid::Uuid::from_u128(number as u128)),
            "/api/v3/lists/update-ctx" => {
                let variant = after("\"epi\":").unwrap().parse().unwrap();
                let (lists, is_add) = (self.lists.entry(variant).or_default(), request.contains("&a="));
                let is_new = match (self.is_stale, is_add) {
                    (true, _) => true,
                    (false, true) => lists.insert(lid()),
                    (false, false) => lists.remove(&lid()),
                };
                format!(r#"{{"a":[{{"cts":1,"uts":{}}}]}}"#, u8::from(is_new))
            }
            "/api/v3/lists/fetch-user-list" => {
                let lid = lid();
                let held = self.lists.iter().filter(|(_, lists)| lists.contains(&lid));
                let items: Vec<String> = held.map(|(variant, _)| format!(r#"{{"epi":{variant}}}"#)).collect();
                format!(r#"{{"data":{{"listcontents":[{}]}}}}"#, items.join(","))
            }
            "/api/v3/lists/contains" => {
                let epis = request.split(['[', ']']).nth(1).unwrap().split(',').map(|epi| epi.parse().unwrap());
                let held: BTreeMap<i64, _> = epis.filter_map(|epi| Some((epi, self.lists.get(&epi)?))).collect();
                serde_json::json!({ "data": held }).to_string()
            }
            _ => "{}".to_owned(),
        };
        (200, body)
    }

    /// Sends requests on all connections at once, and answers them in order.
    fn serve(&mut self, source: &mut Shop<'_>, rounds: usize) -> anyhow::Result<()> {
        for _ in 0..rounds {
            let sent: Vec<(usize, Response, (u16, String))> = (0..CONNECTIONS)
                .map(|connection| {
                    let mut request = Vec::new();
                    let response = source.write_next(connection, &mut request);
                    (connection, response, self.respond(&request))
                })
                .collect();
            for (connection, _, (status, body)) in sent.iter().filter(|(_, wanted, _)| *wanted == Response::Wanted) {
                source.receive(*connection, *status, body.as_bytes())?;
            }
        }
        Ok(())
    }

    fn thousandths(&self, path: &str) -> f64 {
        1_000.0 * self.calls[path] as f64 / self.calls.values().sum::<usize>() as f64
    }
}

#[test]
fn the_requests_have_the_written_shares_and_a_server_that_sees_its_writes_passes() {
    let (targets, mut model) = (targets(), Model::default());
    model.serve(&mut Shop::new(&targets, 1), 5_000).unwrap();
    let is_near = |path: &str, expected: f64| {
        let found = model.thousandths(path);
        assert!((found - expected).abs() < 0.2 * expected, "{path}: {found} instead of {expected}");
    };
    is_near("/api/v3/lists/update-ctx", 70.0);
    is_near("/api/v3/lists/fetch-lists", 120.0);
    is_near("/api/v3/provider/register", 30.0);
    is_near("/api/v3/lists/create", 10.0);
    is_near("/storeadmin/v3/user/guest-validate-sync", 10.0);
    is_near("/storeadmin/v3/inventory/update", 6.0);
    is_near("/storeadmin/v3/products/upsert", 4.0);
    is_near("/api/v3/subscriptions/add", 6.0);
    is_near("/api/v3/lists/share-links/create", 4.0);
}

#[test]
fn a_stale_response_fails_the_run() {
    let (targets, mut model) = (targets(), Model { is_stale: true, ..Model::default() });
    let error = model.serve(&mut Shop::new(&targets, 1), 200).unwrap_err().to_string();
    assert!(error.starts_with("stale read: item "), "{error}");
}

#[test]
fn recorded_responses_are_not_checked() {
    let (targets, mut model) = (targets(), Model { is_stale: true, ..Model::default() });
    model.serve(&mut Shop::new(&targets, 1).unchecked(), 1_000).unwrap();
}

#[test]
fn rejected_writes_are_not_read_back_and_do_not_block_later_ones() {
    let (targets, mut model) = (targets(), Model { is_overloaded: true, ..Model::default() });
    let mut shop = Shop::new(&targets, 1);
    model.serve(&mut shop, 1_000).unwrap();
    model.is_overloaded = false;
    model.calls.clear();
    model.serve(&mut shop, 1_000).unwrap();
    assert!(model.thousandths("/api/v3/lists/update-ctx") > 50.0, "{:?}", model.calls);
}
