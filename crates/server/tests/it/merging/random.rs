//! Random guests and shoppers: nothing is lost, nothing doubled, both engines agree, and undoing is the way back.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use serde_json::{Value, json};
use wishbone_core::stores::settings::SettingsChange;

use super::{everything, log_in, names, sync, typed_list, undo};
use crate::support::{Client, Engine, TestApp, epis, runner};

const NAMES: &[&str] = &["A", "a", "B", "ß", "SS"];
const TYPES: &[&str] = &["wl", "wl", "registry", "sfl", "_saveForLater"];

/// What someone has before the login: lists of a name, a type and variants, and whether they are archived.
type Lists = Vec<(usize, usize, BTreeSet<i64>, bool)>;

#[derive(Clone, Debug)]
struct Case {
    shopper: Lists,
    guests: Vec<Lists>,
    /// What the shopper does afterwards to a list, by number, and a variant.
    since: Vec<(Action, usize, i64)>,
    /// The lists and items that the shopper may have during the logins.
    limits: Option<(i64, i64)>,
    /// Whether they are repeated without these limits.
    repeats: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Action {
    Add,
    Remove,
    /// To the next list.
    Move,
    DeleteList,
}

fn lists() -> impl Strategy<Value = Lists> {
    let variants = proptest::collection::btree_set(1..12_i64, 0..8);
    proptest::collection::vec((0..NAMES.len(), 0..TYPES.len(), variants, proptest::bool::weighted(0.1)), 0..5)
}

fn case() -> impl Strategy<Value = Case> {
    let action = prop_oneof![
        4 => Just(Action::Add), 2 => Just(Action::Remove), 1 => Just(Action::Move), 1 => Just(Action::DeleteList)
    ];
    let since = proptest::collection::vec((action, 0..6_usize, 1..16_i64), 0..6);
    let limits = proptest::option::of((0..8_i64, 1..10_i64));
    (lists(), proptest::collection::vec(lists(), 1..3), since, limits, any::<bool>())
        .prop_map(|(shopper, guests, since, limits, repeats)| Case { shopper, guests, since, limits, repeats })
}

async fn fill(app: &TestApp, client: &Client, lists: &Lists) {
    for (name, kind, variants, archived) in lists {
        app.advance(7);
        let lid = typed_list(client, NAMES[*name], TYPES[*kind]).await;
        if !variants.is_empty() {
            client.add(&lid, &variants.iter().copied().collect::<Vec<_>>()).await;
        }
        if *archived {
            client.post("lists/update", &[("lid", &lid), ("archived", "true")]).await.ok();
        }
    }
}

/// The items of all lists of a kind and folded name, by variant: what may be united, and what may not.
async fn held(client: &Client) -> BTreeMap<(String, String), BTreeSet<i64>> {
    let mut out: BTreeMap<_, BTreeSet<i64>> = BTreeMap::new();
    for list in everything(client).await {
        let (kind, name) = (list["list"]["lty"].as_str().unwrap(), list["list"]["lname"].as_str().unwrap());
        let key = match kind {
            "sfl" | "_saveForLater" => ("saved".to_owned(), String::new()),
            kind => (kind.to_owned(), name.to_uppercase()),
        };
        let items = epis(&list["items"]);
        assert_eq!(list["list"]["cnt"], items.len(), "an exact count");
        assert_eq!(items.iter().collect::<BTreeSet<_>>().len(), items.len(), "no variant twice in a list");
        out.entry(key).or_default().extend(items);
    }
    out
}

/// The number of items of each list.
async fn counts(client: &Client) -> BTreeMap<String, i64> {
    let lists = everything(client).await;
    lists.iter().map(|list| (list["list"]["lid"].to_string(), list["list"]["cnt"].as_i64().unwrap())).collect()
}

async fn set_limits(app: &TestApp, max_lists: i64, max_items: i64) {
    let limits = SettingsChange { max_lists: Some(max_lists), max_items: Some(max_items), ..SettingsChange::default() };
    app.set(limits).await;
}

fn ids(lists: &[Value]) -> Vec<String> {
    let items = lists.iter().flat_map(|list| list["items"].as_array().unwrap());
    items.map(|item| item["id"].to_string()).collect()
}

async fn run(engine: Engine, fail_first_attempt: bool, case: &Case) -> Vec<(&'static str, Vec<String>)> {
    let app = TestApp::start_with(engine, |options| options.fail_first_attempt = fail_first_attempt).await;
    let ann = app.shopper("ann").await;
    fill(&app, &ann, &case.shopper).await;
    let mut expected = held(&ann).await;
    let mut befores = Vec::new();
    for lists in &case.guests {
        let guest = app.guest().await;
        fill(&app, &guest, lists).await;
        for (key, items) in held(&guest).await {
            expected.entry(key).or_default().extend(items);
        }
        befores.push((guest.clone(), everything(&guest).await));
        app.advance(7);
        if let Some((max_lists, max_items)) = case.limits {
            let before = counts(&ann).await;
            set_limits(&app, max_lists, max_items).await;
            log_in(&app, &guest, "ann").await;
            let after = counts(&ann).await;
            assert!(after.len() <= before.len().max(usize::try_from(max_lists).unwrap()), "{before:?} {after:?}");
            for (lid, count) in &before {
                assert!(after[lid] <= max_items.max(*count), "{before:?} {after:?}");
            }
            set_limits(&app, 1_000, 10_000).await;
            app.assert_sound().await;
            app.advance(7);
        }
        if case.limits.is_none() || case.repeats {
            assert!(sync(&app, &guest, "ann").await.ok().get("leftlists").is_none());
        }
        app.assert_sound().await;
    }
    if case.limits.is_none() || case.repeats {
        assert_eq!(held(&ann).await, expected, "nothing is lost, nothing comes from nowhere");
    }
    let all = ids(&everything(&ann).await);
    assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), all.len(), "no item twice");

    let mut own: BTreeSet<(String, i64)> = BTreeSet::new();
    for (action, number, variant) in &case.since {
        app.advance(7);
        let lists: Vec<String> = names(&ann).await.into_iter().map(|(lid, _)| lid).collect();
        if lists.is_empty() {
            break;
        }
        let (lid, next) = (&lists[number % lists.len()], &lists[(number + 1) % lists.len()]);
        let items = json!([{ "epi": variant, "empi": 1, "du": "https://shop.example/" }]).to_string();
        match action {
            Action::Add => {
                let note = format!("since {variant}");
                let item = json!([{ "epi": variant, "empi": 1, "du": "https://shop.example/", "note": note }]);
                ann.add_items(lid, &item).await;
                own.insert((note, *variant));
            }
            Action::Remove => drop(ann.post("lists/update-ctx", &[("lid", lid), ("d", &items)]).await),
            Action::Move if lid == next => {}
            Action::Move => {
                let form = [("fromlid", lid.as_str()), ("tolid", next), ("items", &items)];
                ann.post("lists/move-items", &form).await.ok();
            }
            Action::DeleteList => drop(ann.post("lists/delete-list", &[("lid", lid)]).await.ok()),
        }
        app.assert_sound().await;
    }
    let only_adds = case.since.iter().all(|(action, _, _)| *action == Action::Add);
    app.advance(7);
    for (guest, before) in befores.iter().rev() {
        undo(&app, guest, "ann").await.ok();
        assert_eq!(everything(guest).await, *before, "undoing brings back what was");
        app.assert_sound().await;
    }
    let after = everything(&ann).await;
    for (note, variant) in own.into_iter().filter(|_| only_adds) {
        let mut items = after.iter().flat_map(|list| list["items"].as_array().unwrap());
        assert!(items.any(|item| item["epi"] == variant && item["note"] == note.as_str()), "{note} is the shopper's");
    }
    if case.since.is_empty() {
        let had: usize = case.shopper.iter().map(|(_, _, variants, _)| variants.len()).sum();
        let kept: usize = after.iter().map(|list| list["items"].as_array().unwrap().len()).sum();
        assert_eq!(kept, had, "the shopper has what was hers, and no more");
    }
    let mut everyone = ids(&after);
    for (guest, _) in &befores {
        everyone.extend(ids(&everything(guest).await));
    }
    assert_eq!(everyone.iter().collect::<BTreeSet<_>>().len(), everyone.len(), "no id belongs to two");
    app.tables().await.into_iter().collect()
}

#[test]
fn random_merges_lose_nothing_and_can_be_undone_on_both_engines() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let outcome = runner(24).run(&case(), |case| {
        runtime.block_on(async {
            let expected = run(Engine::Sqlite, false, &case).await;
            for (engine, fail_first_attempt) in [(Engine::Sqlite, true), (Engine::Postgres, false)] {
                let tables = run(engine, fail_first_attempt, &case).await;
                for (one, other) in expected.iter().zip(&tables) {
                    assert_eq!(one, other, "{engine:?} differs");
                }
            }
        });
        Ok(())
    });
    outcome.unwrap();
}
