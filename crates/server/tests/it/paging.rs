//! Pages: nothing is skipped, nothing comes twice, and every engine gives the same bytes.

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};
use std::sync::atomic::{self, AtomicBool};

use futures_util::future::join4;
use serde_json::{Value, json};
use wishbone_core::stores::settings::{Feature, Plan, Settings, SettingsChange};

use crate::support::{Client, Engine, TestApp, encode, epis, item};

/// Every way to order and filter a list.
const ORDERS: [&[(&str, &str)]; 7] = [
    &[],
    &[("sortorder", "asc")],
    &[("sortorder", "desc")],
    &[("sortby", "price")],
    &[("sortby", "price"), ("sortorder", "asc")],
    &[("sortby", "title")],
    &[("sortby", "title"), ("sortorder", "asc")],
];
const FILTERS: [&[(&str, &str)]; 3] = [&[], &[("filterby", "instock")], &[("filterby", "outofstock")]];
/// In the order of the Unicode collation algorithm.
const TITLES: [&str; 8] = ["äpfel", "Apple", "Éclair", "eclair 10", "zebra", "Zebra 2", "Ωmega", "日本"];
const ITEMS: i64 = 1_234;

/// What is known of variant n: enough ties and gaps for every order to have some.
fn price(n: i64) -> Option<f64> {
    // Quarters are exact, so that no rounding hides a wrong order.
    (n % 11 != 0).then(|| f64::from(i32::try_from(n * 7 % 97).unwrap()) / 4.0)
}

fn title(n: i64) -> Option<usize> {
    (n % 13 != 0).then(|| usize::try_from(n * 5).unwrap() % TITLES.len())
}

fn is_known(n: i64) -> bool {
    n % 4 != 0
}

/// What the catalogue does not know counts as in stock.
fn is_in_stock(n: i64) -> bool {
    !is_known(n) || n % 3 != 0
}

fn words(n: i64) -> Value {
    let mut words = item(n);
    words["pr"] = price(n).map_or(Value::Null, Value::from);
    words["dt"] = title(n).map_or(Value::Null, |title| TITLES[title].into());
    words
}

/// The catalogue knows some variants, and the add call tells of the others.
async fn fill(app: &TestApp, client: &Client, lid: &str, count: i64) {
    let known: Vec<Value> = (1..=count)
        .filter(|n| is_known(*n))
        .map(|n| {
            let mut product = words(n);
            product["stock"] = if is_in_stock(n) { json!(3) } else { json!(0) };
            product
        })
        .collect();
    for chunk in known.chunks(1_000) {
        app.store_admin().upsert(Value::from(chunk.to_vec())).await;
    }
    let all: Vec<i64> = (1..=count).collect();
    for chunk in all.chunks(300) {
        app.advance(1_000);
        let items: Vec<Value> = chunk.iter().map(|n| if is_known(*n) { item(*n) } else { words(*n) }).collect();
        client.add_items(lid, &Value::from(items)).await;
    }
}

/// Variants 1 to `count`, added in that order, as an order and a filter show them.
fn expected(count: i64, order: &[(&str, &str)], filter: &[(&str, &str)]) -> Vec<i64> {
    let value = |name: &str| order.iter().find(|(key, _)| *key == name).map(|(_, value)| *value);
    let ascending = value("sortorder") == Some("asc");
    let directed = |ordering: Ordering| if ascending { ordering } else { ordering.reverse() };
    fn missing_last<T>(a: Option<T>, b: Option<T>, compare: impl Fn(&T, &T) -> Ordering) -> Ordering {
        match (&a, &b) {
            (Some(a), Some(b)) => compare(a, b),
            _ => b.is_some().cmp(&a.is_some()),
        }
    }
    let mut out: Vec<i64> =
        (1..=count).filter(|n| filter.is_empty() || is_in_stock(*n) == (filter[0].1 == "instock")).collect();
    out.sort_by(|a, b| match value("sortby") {
        None => directed(a.cmp(b)),
        Some("price") => missing_last(price(*a), price(*b), |a, b| directed(a.total_cmp(b))).then(b.cmp(a)),
        Some(_) => missing_last(title(*a), title(*b), |a, b| directed(a.cmp(b))).then(b.cmp(a)),
    });
    out
}

fn token(page: &Value) -> Option<String> {
    page["pagination"]["next"].as_str().map(str::to_owned)
}

async fn shown(client: &Client, lid: &str, fields: &[(&str, &str)]) -> Vec<i64> {
    epis(&client.page(lid, fields).await["data"]["listcontents"])
}

both_engines! {
    async fn every_item_comes_exactly_once_in_every_order_and_filter(app: TestApp) {
        let ann = app.shopper("ann").await;
        let lid = ann.list("Summer").await;
        fill(&app, &ann, &lid, ITEMS).await;
        for order in ORDERS {
            for filter in FILTERS {
                let mut fields = [order, filter].concat();
                fields.push(("itemslimit", "100"));
                let items = ann.all_pages(&lid, &fields).await;
                assert_eq!(epis(&Value::from(items)), expected(ITEMS, order, filter), "{fields:?}");
            }
        }
    }

    async fn every_item_comes_exactly_once_while_others_come_and_go(app: TestApp) {
        let (ann, other) = (app.shopper("ann").await, app.shopper("ann").await);
        let lid = ann.list("Summer").await;
        fill(&app, &ann, &lid, ITEMS).await;
        let mut fresh = 10_000;
        for order in ORDERS {
            for filter in FILTERS {
                let mut seen: Vec<i64> = Vec::new();
                let (mut next, mut pages): (Option<String>, usize) = (None, 0);
                loop {
                    // The size of a page may change on the way.
                    let limit = ["50", "100", "73"][pages % 3];
                    let mut fields = [order, filter, &[("itemslimit", limit)]].concat();
                    if let Some(token) = &next {
                        fields.push(("next", token));
                    }
                    let page = ann.page(&lid, &fields).await;
                    let items = epis(&page["data"]["listcontents"]);
                    next = token(&page);
                    assert!(next.is_none() || items.len() == limit.parse::<usize>().unwrap());
                    pages += 1;
                    // Another client adds at every place of the order, and deletes what is just before
                    // the reader (the edge of the page among it) and what is still to come.
                    let edge = items.last().copied().filter(|n| *n >= 10_000);
                    let gone: Vec<Value> = edge.into_iter().chain([fresh - 2]).map(|n| json!({ "epi": n })).collect();
                    let added: Vec<Value> = (0..3).map(|n| words(fresh + n)).collect();
                    fresh += 3;
                    let (gone, added) = (Value::from(gone).to_string(), Value::from(added).to_string());
                    other.post("lists/update-ctx", &[("lid", &lid), ("d", &gone), ("a", &added)]).await.ok();
                    app.advance(10);
                    seen.extend(items);
                    if next.is_none() {
                        break;
                    }
                }
                let mut times: HashMap<i64, usize> = HashMap::new();
                seen.iter().for_each(|n| *times.entry(*n).or_default() += 1);
                assert!(times.values().all(|times| *times == 1), "{order:?} {filter:?}");
                seen.retain(|n| *n <= ITEMS);
                assert_eq!(seen, expected(ITEMS, order, filter), "{order:?} {filter:?}");
            }
        }
        app.assert_sound().await;
    }

    async fn a_page_shows_a_list_and_its_catalogue_as_they_were_at_one_moment(app: TestApp) {
        let (ann, admin) = (app.shopper("ann").await, app.store_admin());
        let lid = ann.list("Summer").await;
        ann.add(&lid, &[1, 2, 3]).await;
        let titled = |round: usize| {
            let product = |n| json!({ "epi": n, "empi": n, "du": "https://shop.example/", "dt": format!("Round {round}") });
            Value::from([1, 2, 3].map(product).to_vec())
        };
        admin.upsert(titled(0)).await;
        let is_over = AtomicBool::new(false);
        let write = async {
            for round in 1..=40 {
                ann.add(&lid, &[4, 5]).await;
                admin.upsert(titled(round)).await;
                ann.post("lists/update-ctx", &[("lid", &lid), ("d", r#"[{"epi":4},{"epi":5}]"#)]).await.ok();
            }
            is_over.store(true, atomic::Ordering::Relaxed);
        };
        let read = async || {
            while !is_over.load(atomic::Ordering::Relaxed) {
                let page = ann.page(&lid, &[]).await;
                let items = page["data"]["listcontents"].as_array().unwrap();
                assert_eq!(page["data"]["cnt"], items.len(), "{page}");
                let titles = items.iter().filter(|item| item["epi"].as_i64() <= Some(3)).map(|item| item["dt"].to_string());
                assert_eq!(titles.collect::<HashSet<_>>().len(), 1, "{page}");
                // A read from SQLite does not wait for anything.
                tokio::task::yield_now().await;
            }
        };
        join4(write, read(), read(), read()).await;
    }

    async fn deleting_the_item_at_the_edge_of_a_page_skips_nothing(app: TestApp) {
        let ann = app.shopper("ann").await;
        for order in ORDERS {
            let lid = ann.list("Summer").await;
            fill(&app, &ann, &lid, 120).await;
            let first = ann.page(&lid, order).await;
            let seen = epis(&first["data"]["listcontents"]);
            // Everything that was shown goes, the edge included.
            let gone: Vec<Value> = seen.iter().map(|n| json!({ "epi": n })).collect();
            ann.post("lists/update-ctx", &[("lid", &lid), ("d", &Value::from(gone).to_string())]).await.ok();
            let next = token(&first).unwrap();
            let mut fields = order.to_vec();
            fields.extend([("next", next.as_str()), ("itemslimit", "100")]);
            let rest = ann.page(&lid, &fields).await;
            assert_eq!(token(&rest), None);
            assert_eq!([seen, epis(&rest["data"]["listcontents"])].concat(), expected(120, order, &[]), "{order:?}");
        }
    }

    async fn an_item_added_while_reading_is_met_by_those_who_read_towards_it(app: TestApp) {
        let ann = app.shopper("ann").await;
        let lid = ann.list("Summer").await;
        ann.add(&lid, &(1..=60).collect::<Vec<_>>()).await;
        let (newest, oldest) = (ann.page(&lid, &[]).await, ann.page(&lid, &[("sortorder", "asc")]).await);
        ann.add(&lid, &[99]).await;
        let (down, up) = (token(&newest).unwrap(), token(&oldest).unwrap());
        assert_eq!(shown(&ann, &lid, &[("next", &down)]).await, (1..=10).rev().collect::<Vec<_>>());
        assert_eq!(
            shown(&ann, &lid, &[("next", &up), ("sortorder", "asc")]).await,
            [(51..=60).collect(), vec![99]].concat()
        );
    }

    async fn titles_sort_as_people_expect(app: TestApp) {
        let ann = app.shopper("ann").await;
        let lid = ann.list("Summer").await;
        let titles = [(1, "zebra"), (2, "Éclair"), (3, "Apple"), (4, ""), (5, "äpfel"), (6, "Apple"), (7, "  ")];
        let items: Vec<Value> = titles
            .iter()
            .map(|(n, title)| {
                let mut item = item(*n);
                item["dt"] = json!(title);
                item
            })
            .collect();
        ann.add_items(&lid, &Value::from(items)).await;
        // Without a title last in both orders; ties newest first in both orders.
        assert_eq!(shown(&ann, &lid, &[("sortby", "title"), ("sortorder", "asc")]).await, [5, 6, 3, 2, 1, 7, 4]);
        assert_eq!(shown(&ann, &lid, &[("sortby", "title")]).await, [1, 2, 6, 3, 5, 7, 4]);
    }

    async fn titles_that_begin_alike_for_hundreds_of_characters_page_too(app: TestApp) {
        let ann = app.shopper("ann").await;
        let lid = ann.list("Summer").await;
        let items: Vec<Value> = (1..=130)
            .map(|n| {
                let mut item = item(n);
                item["dt"] = json!(format!("{}{n}", "Ünïcødé ".repeat(120)));
                item
            })
            .collect();
        ann.add_items(&lid, &Value::from(items)).await;
        for order in ["asc", "desc"] {
            let fields = [("sortby", "title"), ("sortorder", order)];
            // A token must fit into an address.
            assert!(token(&ann.page(&lid, &fields).await).unwrap().len() < 1_000);
            let mut seen = epis(&Value::from(ann.all_pages(&lid, &fields).await));
            seen.sort_unstable();
            assert_eq!(seen, (1..=130).collect::<Vec<_>>(), "{order}");
        }
    }

    async fn sorting_and_filtering_need_the_plan_and_the_feature(app: TestApp) {
        let ann = app.shopper("ann").await;
        let lid = ann.list("Summer").await;
        ann.add(&lid, &[1]).await;
        let on =
            SettingsChange { plan: Some(Plan::Enterprise), enable: vec![Feature::SortFilter], ..Default::default() };
        for change in [
            SettingsChange { plan: Some(Plan::Standard), ..Default::default() },
            SettingsChange { disable: vec![Feature::SortFilter], ..Default::default() },
        ] {
            app.set(change).await;
            for sent in [("sortby", "price"), ("sortorder", "asc"), ("filterby", "instock"), ("sortby", "nonsense")] {
                ann.post("lists/fetch-user-list", &[("lid", &lid), sent]).await.fails(400, "sort-filter-disabled");
            }
            // Empty is absent, and plain pages go on.
            assert_eq!(shown(&ann, &lid, &[("sortby", ""), ("filterby", "")]).await, [1]);
            app.set(on.clone()).await;
            assert_eq!(shown(&ann, &lid, &[("sortby", "price"), ("filterby", "instock")]).await, [1]);
        }
    }

    async fn prices_sort_as_numbers(app: TestApp) {
        let ann = app.shopper("ann").await;
        let lid = ann.list("Summer").await;
        let prices = [
            (1, json!(10)),
            (2, json!(100.25)),
            (3, json!(9.5)),
            (4, Value::Null),
            (5, json!("10.00")),
            (6, json!(0)),
            (7, Value::Null),
        ];
        let products: Vec<Value> =
            prices.iter().map(|(n, price)| json!({ "epi": n, "empi": 1000 + n, "pr": price })).collect();
        app.store_admin().upsert(Value::from(products)).await;
        ann.add(&lid, &[1, 2, 3, 4, 5, 6, 7]).await;
        assert_eq!(shown(&ann, &lid, &[("sortby", "price"), ("sortorder", "asc")]).await, [6, 3, 5, 1, 2, 7, 4]);
        assert_eq!(shown(&ann, &lid, &[("sortby", "price"), ("sortorder", "desc")]).await, [2, 5, 1, 3, 6, 7, 4]);
        assert_eq!(shown(&ann, &lid, &[("sortby", "price")]).await, [2, 5, 1, 3, 6, 7, 4]);
    }

    async fn the_order_alone_turns_the_default_round(app: TestApp) {
        let ann = app.shopper("ann").await;
        let lid = ann.list("Summer").await;
        ann.add(&lid, &[1, 2]).await;
        ann.add(&lid, &[3]).await;
        assert_eq!(shown(&ann, &lid, &[("sortorder", "asc")]).await, [1, 2, 3]);
        assert_eq!(shown(&ann, &lid, &[("sortorder", "desc")]).await, [3, 2, 1]);
        // An empty value is an absent parameter.
        assert_eq!(shown(&ann, &lid, &[("sortorder", ""), ("sortby", ""), ("filterby", "")]).await, [3, 2, 1]);
        for bad in [("sortorder", "up"), ("sortby", "name"), ("filterby", "all"), ("sortorder", "ASC")] {
            ann.post("lists/fetch-user-list", &[("lid", &lid), bad]).await.fails(400, "invalid-parameter");
        }
    }

    async fn a_filter_keeps_the_order_and_says_nothing_of_the_count(app: TestApp) {
        let ann = app.shopper("ann").await;
        let lid = ann.list("Summer").await;
        fill(&app, &ann, &lid, 30).await;
        for (filter, wanted) in [("instock", true), ("outofstock", false)] {
            let page = ann.page(&lid, &[("filterby", filter)]).await;
            assert_eq!(
                epis(&page["data"]["listcontents"]),
                (1..=30).rev().filter(|n| is_in_stock(*n) == wanted).collect::<Vec<_>>()
            );
            assert_eq!(page["data"]["cnt"], 30);
        }
    }

    async fn a_token_with_another_sort_or_filter_starts_that_order_at_its_first_page(app: TestApp) {
        let ann = app.shopper("ann").await;
        let lid = ann.list("Summer").await;
        fill(&app, &ann, &lid, 300).await;
        for made_for in ORDERS {
            let next = token(&ann.page(&lid, made_for).await).unwrap();
            for order in ORDERS {
                for filter in FILTERS {
                    let fields = [order, filter].concat();
                    let with_token = [&fields[..], &[("next", &next)]].concat();
                    let is_same = expected(300, order, &[]) == expected(300, made_for, &[]) && filter.is_empty();
                    let first = shown(&ann, &lid, &fields).await == shown(&ann, &lid, &with_token).await;
                    assert_eq!(first, !is_same, "{made_for:?} then {fields:?}");
                }
            }
        }
    }

    async fn a_token_is_url_safe_and_outlives_a_restart(app: TestApp) {
        let ann = app.shopper("ann").await;
        let lid = ann.list("Summer").await;
        fill(&app, &ann, &lid, 120).await;
        let restarted = wishbone_server::http::router::router(&app.second_node().await);
        let credentials = json!({ "regid": ann.regid, "sessionid": ann.sessionid });
        let again = Client::new(restarted, ann.pid.clone(), credentials);
        for order in ORDERS {
            let next = token(&ann.page(&lid, order).await).unwrap();
            assert!(next.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_'), "{next}");
            assert_eq!(encode(&next).replace("%2D", "-").replace("%5F", "_"), next);
            let fields = [order, &[("next", next.as_str())]].concat();
            assert_eq!(again.page(&lid, &fields).await, ann.page(&lid, &fields).await);
        }
    }

    async fn a_token_that_was_tampered_with_is_refused(app: TestApp) {
        let ann = app.shopper("ann").await;
        let lid = ann.list("Summer").await;
        fill(&app, &ann, &lid, 60).await;
        for order in [ORDERS[0], ORDERS[6]] {
            let next = token(&ann.page(&lid, order).await).unwrap();
            let mut bad = vec![
                "x".to_owned(),
                "null".to_owned(),
                "A".repeat(60),
                format!("{next}A"),
                format!("{next}="),
                "é".to_owned(),
            ];
            for at in 0..next.len() {
                let mut bytes = next.clone().into_bytes();
                bytes[at] = if bytes[at] == b'A' { b'B' } else { b'A' };
                bad.push(String::from_utf8(bytes).unwrap());
                bad.push(next[..at].to_owned());
            }
            for bad in bad.iter().filter(|bad| !bad.is_empty()) {
                let fields = [order, &[("lid", &lid), ("next", bad)]].concat();
                ann.post("lists/fetch-user-list", &fields).await.fails(400, "invalid-next-token");
            }
        }
    }

    async fn a_token_belongs_to_one_list_shopper_and_store(app: TestApp) {
        let (ann, bob) = (app.shopper("ann").await, app.shopper("bob").await);
        let mut lids = Vec::new();
        for client in [&ann, &ann, &bob] {
            let lid = client.list("Summer").await;
            client.add(&lid, &(1..=60).collect::<Vec<_>>()).await;
            lids.push(lid);
        }
        let next = token(&ann.page(&lids[0], &[]).await).unwrap();
        let refused = async |client: &Client, lid: &str| {
            client
                .post("lists/fetch-user-list", &[("lid", lid), ("next", &next)])
                .await
                .fails(400, "invalid-next-token");
            // Another order would start anew, but only with a token of this list and shopper.
            let fields = [("lid", lid), ("next", next.as_str()), ("sortorder", "asc")];
            client.post("lists/fetch-user-list", &fields).await.error()
        };
        assert_eq!(refused(&ann, &lids[1]).await.1, "invalid-next-token");
        assert_eq!(refused(&bob, &lids[2]).await.1, "invalid-next-token");
        assert_eq!(refused(&bob, &lids[0]).await.1, "invalid-next-token");
        let store = app.create_store(Settings::default()).await;
        let elsewhere = app.shopper_of(&store, "ann").await;
        let lid = elsewhere.list("Summer").await;
        elsewhere
            .post("lists/fetch-user-list", &[("lid", &lid), ("next", &next)])
            .await
            .fails(400, "invalid-next-token");
        elsewhere
            .post("lists/fetch-user-list", &[("lid", &lids[0]), ("next", &next)])
            .await
            .fails(400, "invalid-next-token");
        // It still works where it belongs.
        assert_eq!(shown(&ann, &lids[0], &[("next", &next)]).await.len(), 10);
    }

    async fn a_page_holds_50_to_100_items(app: TestApp) {
        let ann = app.shopper("ann").await;
        let lid = ann.list("Summer").await;
        ann.add(&lid, &(1..=120).collect::<Vec<_>>()).await;
        assert_eq!(shown(&ann, &lid, &[]).await.len(), 50);
        for (limit, length) in [("50", 50), ("51", 51), ("100", 100), ("", 50)] {
            assert_eq!(shown(&ann, &lid, &[("itemslimit", limit)]).await.len(), length);
        }
        for (limit, code) in [
            ("49", "min-items-limit-not-met"),
            ("0", "min-items-limit-not-met"),
            ("-1", "min-items-limit-not-met"),
            ("-99999999999999999999", "min-items-limit-not-met"),
            ("101", "max-items-limit-exceeded"),
            ("99999999999999999999", "max-items-limit-exceeded"),
            ("x", "invalid-parameter"),
            ("50.5", "invalid-parameter"),
        ] {
            ann.post("lists/fetch-user-list", &[("lid", &lid), ("itemslimit", limit)]).await.fails(400, code);
            // It is reported before the list is looked up.
            ann.post("lists/fetch-user-list", &[("lid", "x"), ("itemslimit", limit)]).await.fails(400, code);
        }
        app.set(SettingsChange { default_itemslimit: Some(70), ..Default::default() }).await;
        assert_eq!(shown(&ann, &lid, &[]).await.len(), 70);
    }

    async fn a_list_that_fills_its_pages_exactly_has_no_empty_last_page(app: TestApp) {
        let ann = app.shopper("ann").await;
        let lid = ann.list("Summer").await;
        ann.add(&lid, &(1..=100).collect::<Vec<_>>()).await;
        for order in ORDERS {
            let first = ann.page(&lid, order).await;
            let next = token(&first).unwrap();
            let second = ann.page(&lid, &[order, &[("next", &next)]].concat()).await;
            assert_eq!(second["data"]["listcontents"].as_array().unwrap().len(), 50);
            assert_eq!(token(&second), None, "{order:?}");
            assert_eq!(token(&ann.page(&lid, &[order, &[("itemslimit", "100")]].concat()).await), None);
        }
    }

    async fn an_empty_list_is_one_empty_page(app: TestApp) {
        let ann = app.shopper("ann").await;
        let lid = ann.list("Summer").await;
        for order in ORDERS {
            for filter in FILTERS {
                let page = ann.page(&lid, &[order, filter].concat()).await;
                assert_eq!(
                    (&page["data"]["listcontents"], &page["pagination"]),
                    (&json!([]), &json!({ "next": null }))
                );
            }
        }
        let whole = ann.post("lists/fetch-list-with-contents", &[("lid", &lid)]).await.ok();
        assert_eq!((&whole["items"], &whole["list"]["listcontents"]), (&json!([]), &json!([])));
        // A list that empties while it is read ends.
        ann.add(&lid, &(1..=60).collect::<Vec<_>>()).await;
        let next = token(&ann.page(&lid, &[]).await).unwrap();
        let all = Value::from((1..=60).map(|n| json!({ "epi": n })).collect::<Vec<_>>()).to_string();
        ann.post("lists/update-ctx", &[("lid", &lid), ("d", &all)]).await.ok();
        let rest = ann.page(&lid, &[("next", &next)]).await;
        assert_eq!((&rest["data"]["listcontents"], token(&rest)), (&json!([]), None));
    }

    async fn a_whole_list_can_be_cut_by_limit_and_offset(app: TestApp) {
        let ann = app.shopper("ann").await;
        // A long list is read in another way than a short one.
        let mut lid = String::new();
        for count in [130, 1_130] {
            lid = ann.list("Summer").await;
            for chunk in (1..=count).collect::<Vec<_>>().chunks(500) {
                ann.add(&lid, chunk).await;
            }
            let all: Vec<i64> = (1..=count).rev().collect();
            for (query, expected) in [
                ("", &all[..]),
                ("?limit=10", &all[..10]),
                ("?limit=10&offset=0", &all[..10]),
                ("?limit=10&offset=125", &all[125..all.len().min(135)]),
                ("?limit=700&offset=1", &all[1..all.len().min(701)]),
                ("?offset=100", &all[100..]),
                ("?offset=1130", &[]),
                ("?offset=9223372036854775807", &[]),
                ("?limit=0", &[]),
                ("?limit=0&offset=5", &[]),
                ("?limit=9223372036854775807&offset=1", &all[1..]),
                ("?limit=&offset=", &all[..]),
            ] {
                let whole = ann.post(&format!("lists/fetch-list-with-contents{query}"), &[("lid", &lid)]).await.ok();
                assert_eq!(epis(&whole["items"]), expected, "{query}");
                assert_eq!(whole["list"]["listcontents"], whole["items"], "{query}");
                assert_eq!(whole["list"]["cnt"], count, "{query}");
                app.advance(1_000);
            }
        }
        for bad in ["limit=-1", "offset=-1", "limit=x", "offset=1.5", "limit=99999999999999999999"] {
            let path = format!("lists/fetch-list-with-contents?{bad}");
            ann.post(&path, &[("lid", &lid)]).await.fails(400, "invalid-parameter");
        }
    }

    async fn the_pages_of_a_list_follow_it_to_its_very_end(app: TestApp) {
        let ann = app.shopper("ann").await;
        let lid = ann.list("Summer").await;
        for chunk in (1..=3_000).collect::<Vec<_>>().chunks(500) {
            ann.add(&lid, chunk).await;
        }
        let deep = ann.post("lists/fetch-list-with-contents?limit=3&offset=2997", &[("lid", &lid)]).await.ok();
        assert_eq!(epis(&deep["items"]), [3, 2, 1]);
        let items = ann.all_pages(&lid, &[("itemslimit", "100")]).await;
        assert_eq!(epis(&Value::from(items)), (1..=3_000).rev().collect::<Vec<_>>());
    }
}

/// The bodies of a fixed series of calls.
async fn bytes_of(engine: Engine) -> Vec<String> {
    let app = TestApp::start(engine).await;
    let ann = app.shopper("ann").await;
    let lid = ann.list("Summer").await;
    fill(&app, &ann, &lid, 260).await;
    let mut out = Vec::new();
    for order in ORDERS {
        for filter in FILTERS {
            let mut next = String::new();
            loop {
                let fields = [order, filter, &[("lid", lid.as_str()), ("next", &next)]].concat();
                let reply = ann.post("lists/fetch-user-list", &fields).await;
                out.push(reply.text());
                match token(&reply.ok()) {
                    Some(token) => next = token,
                    None => break,
                }
            }
        }
    }
    let change =
        json!([{ "epi": 7, "empi": 1007, "du": "https://shop.example/p/7", "note": "é", "cprops": { "a": 1.50 } }]);
    let change = change.to_string();
    let gone = json!([{ "epi": 9 }, { "epi": "x" }]).to_string();
    let calls: [(&str, &[(&str, &str)]); 7] = [
        ("lists/update-ctx", &[("lid", &lid), ("a", &change), ("u", &change), ("d", &gone)]),
        ("lists/fetch-list-with-contents?limit=30&offset=20", &[("lid", &lid)]),
        ("lists/fetch-user-lists", &[]),
        ("lists/fetch-lists", &[]),
        ("lists/sfl/fetch", &[]),
        ("subscriptions/fetch-subs", &[("topic", "backinstock")]),
        ("lists/delete-list", &[("lid", &lid)]),
    ];
    for (path, fields) in calls {
        let reply = ann.post(path, fields).await;
        reply.ok();
        out.push(reply.text());
    }
    out
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn both_engines_answer_with_the_same_bytes() {
    let (sqlite, postgres) = (bytes_of(Engine::Sqlite).await, bytes_of(Engine::Postgres).await);
    assert!(sqlite.len() > 50);
    assert_eq!(sqlite.len(), postgres.len());
    for (sqlite, postgres) in sqlite.iter().zip(&postgres) {
        assert_eq!(sqlite, postgres);
    }
}
