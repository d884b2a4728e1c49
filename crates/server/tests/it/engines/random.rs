//! The same random calls on every engine, with and without injected conflicts.

use serde_json::{Value, json};

use crate::support::{Client, Engine, Reply, TABLES, TestApp, item};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sequences_of_calls_give_equal_answers_and_leave_equal_tables_1() {
    compare(1, 150).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sequences_of_calls_give_equal_answers_and_leave_equal_tables_2() {
    compare(2, 150).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sequences_of_calls_give_equal_answers_and_leave_equal_tables_3() {
    compare(3, 150).await;
}

/// For when there is time: `cargo test --test it -- --ignored long_sequences`.
#[ignore = "takes minutes"]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn long_sequences_of_calls_give_equal_answers_and_leave_equal_tables() {
    for seed in 100..120 {
        compare(seed, 400).await;
    }
}

#[tokio::test]
async fn the_comparison_is_about_every_table() {
    let app = TestApp::start(Engine::Sqlite).await;
    let mut tables: Vec<String> = app.app.store.describe().await.unwrap();
    tables.retain(|line| line.contains('.') && !line.contains('('));
    tables.iter_mut().for_each(|line| line.truncate(line.find('.').unwrap()));
    tables.dedup();
    tables.retain(|table| table != "schema_versions");
    tables.sort();
    let mut known = TABLES.to_vec();
    known.sort_unstable();
    assert_eq!(tables, known);
}

struct Side {
    name: &'static str,
    app: TestApp,
    clients: Vec<Client>,
}

async fn sides() -> Vec<Side> {
    let mut out = Vec::new();
    for (name, engine, fail_first_attempt) in [
        ("SQLite", Engine::Sqlite, false),
        ("PostgreSQL", Engine::Postgres, false),
        ("SQLite with conflicts", Engine::Sqlite, true),
        ("PostgreSQL with conflicts", Engine::Postgres, true),
    ] {
        let app = TestApp::start_with(engine, |options| options.fail_first_attempt = fail_first_attempt).await;
        let mut clients = vec![app.shopper("ann").await, app.shopper("bob").await, app.guest().await];
        let mut browser = app.browser().await;
        browser.sessionid = "a-session-of-the-browser".into();
        clients.push(browser);
        out.push(Side { name, app, clients });
    }
    out
}

async fn compare(seed: u64, steps: usize) {
    let sides = sides().await;
    let mut world = Generator { random: Random(seed), lists: Vec::new(), tokens: Vec::new(), saved: None };
    let mut answered = [0, 0];
    for number in 0..steps {
        let call = world.call();
        let first = call.send(&sides[0]).await;
        for side in &sides[1..] {
            let other = call.send(side).await;
            let equal = (first.status, &first.headers, first.text()) == (other.status, &other.headers, other.text());
            assert!(
                equal,
                "seed {seed}, step {number}: {call:?}\n{}: {} {:?} {}\n{}: {} {:?} {}",
                sides[0].name,
                first.status,
                first.headers,
                first.text(),
                side.name,
                other.status,
                other.headers,
                other.text()
            );
        }
        assert!(!first.status.is_server_error(), "seed {seed}, step {number}: {call:?}\n{}", first.text());
        answered[usize::from(!first.status.is_success())] += 1;
        world.learn(&call, &first);
    }
    println!("seed {seed}: {} calls succeeded and {} were refused, alike", answered[0], answered[1]);
    assert!(answered[0] > steps / 2, "seed {seed}: {answered:?}");
    for &table in TABLES {
        let first = sides[0].app.app.store.dump(table).await.unwrap();
        for side in &sides[1..] {
            let other = side.app.app.store.dump(table).await.unwrap();
            let different: Vec<_> = first.iter().zip(&other).filter(|(one, two)| one != two).take(2).collect();
            let names = (sides[0].name, side.name);
            assert!(
                different.is_empty() && first.len() == other.len(),
                "seed {seed}: {table} of {names:?}: {different:#?}"
            );
        }
    }
    for side in &sides {
        side.app.assert_sound().await;
    }
}

/// One call, or a move of the clock.
#[derive(Debug)]
enum Call {
    Shopper(usize, &'static str, Vec<(&'static str, String)>),
    AdminForm(&'static str, Vec<(&'static str, String)>),
    AdminJson(&'static str, Value),
    Clock(i64),
}

impl Call {
    async fn send(&self, side: &Side) -> Reply {
        fn borrow<'a>(fields: &'a [(&'static str, String)]) -> Vec<(&'a str, &'a str)> {
            fields.iter().map(|(name, value)| (*name, value.as_str())).collect()
        }
        match self {
            Self::Shopper(who, path, fields) => side.clients[*who].post(path, &borrow(fields)).await,
            Self::AdminForm(path, fields) => side.app.store_admin().form(path, &borrow(fields)).await,
            Self::AdminJson(path, body) => side.app.store_admin().json(path, body).await,
            Self::Clock(millis) => {
                side.app.advance(*millis);
                side.app.store_admin().get("/storeadmin/me").await
            }
        }
    }
}

/// Small and repeatable (splitmix64).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % bound
    }

    fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }

    fn pick<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len() as u64) as usize]
    }
}

struct Generator {
    random: Random,
    /// Whose, and its lid.
    lists: Vec<(usize, String)>,
    /// Pages that go on.
    tokens: Vec<(usize, Vec<(&'static str, String)>)>,
    /// Ann's save-for-later list.
    saved: Option<String>,
}

impl Generator {
    fn call(&mut self) -> Call {
        let who = self.random.below(4) as usize;
        let (owner, lid) = self.list();
        match self.random.below(34) {
            0..=3 => self.create(who),
            4 => Call::Shopper(owner, "lists/update", self.update(&lid)),
            5 => Call::Shopper(owner, "lists/delete-list", vec![("lid", lid)]),
            6..=13 => self.change(owner, lid),
            14..=17 => self.page(owner, lid),
            18 => Call::Shopper(who, "lists/fetch-user-lists", vec![("includeArchived", self.flag())]),
            19 => Call::Shopper(who, "lists/fetch-lists", vec![("includeArchived", self.flag())]),
            20 => Call::Shopper(who, "lists/fetch-list-with-contents?limit=7&offset=2", vec![("lid", lid)]),
            21..=24 => self.save_for_later(),
            25..=26 => self.upsert(),
            27 => self.inventory(),
            28 => self.remove_product(),
            29 => self.subscribe(),
            30 => {
                let fields = vec![("topic", "backinstock".to_owned()), ("limit", "3".to_owned())];
                Call::Shopper(who, "subscriptions/fetch-subs", fields)
            }
            31..=32 => {
                let fields = vec![("fromlid", lid), ("tolid", self.list().1), ("items", self.items().to_string())];
                Call::Shopper(owner, "lists/move-items", fields)
            }
            _ => Call::Clock(*self.random.pick(&[1, 500, 60_000, -30_000])),
        }
    }

    fn learn(&mut self, call: &Call, reply: &Reply) {
        let Call::Shopper(who, path, fields) = call else { return };
        if !reply.status.is_success() {
            return;
        }
        let body = reply.json();
        match *path {
            "lists/create" => self.lists.push((*who, body["lid"].as_str().unwrap().to_owned())),
            "lists/delete-list" => self.lists.retain(|(_, lid)| body["lid"] != *lid),
            "lists/sfl/create" => self.saved = Some(body["lid"].as_str().unwrap().to_owned()),
            "lists/fetch-user-list" => {
                if let Some(next) = body["pagination"]["next"].as_str() {
                    let mut fields = fields.clone();
                    fields.retain(|(name, _)| *name != "next");
                    fields.push(("next", next.to_owned()));
                    self.tokens.push((*who, fields));
                }
            }
            _ => {}
        }
    }

    fn list(&mut self) -> (usize, String) {
        if self.lists.is_empty() || self.random.one_in(25) {
            return (0, "00000000-0000-4000-8000-000000000000".to_owned());
        }
        let (owner, lid) = self.random.pick(&self.lists).clone();
        if self.random.one_in(20) {
            return (self.random.below(4) as usize, lid);
        }
        (owner, lid)
    }

    fn flag(&mut self) -> String {
        self.random.one_in(2).to_string()
    }

    fn create(&mut self, who: usize) -> Call {
        let name = *self.random.pick(&["Summer", "Überraschung", "\u{1f381} 1", "'; --", "a\\b\"c"]);
        let mut fields = vec![("lname", name.to_owned())];
        if self.random.one_in(4) {
            fields.push(("lty", (*self.random.pick(&["registry", "sfl", "wl", "null"])).to_owned()));
        }
        if self.random.one_in(3) {
            fields.push(("lprops", r#"{"colour":"red","n":1.50,"deep":{"a":[null,true]}}"#.to_owned()));
        }
        if self.random.one_in(4) {
            let (owner, lid) = self.list();
            fields.push(("fromlid", lid));
            return Call::Shopper(owner, "lists/create", fields);
        }
        Call::Shopper(who, "lists/create", fields)
    }

    fn update(&mut self, lid: &str) -> Vec<(&'static str, String)> {
        let mut fields = vec![("lid", lid.to_owned())];
        match self.random.below(4) {
            0 => fields.push(("lname", "Renamed".into())),
            1 => fields.push(("lnote", "a note\nof two lines".into())),
            2 => fields.push(("archived", self.flag())),
            _ => {}
        }
        fields
    }

    /// Some variants; now and then one that is no good.
    fn items(&mut self) -> Value {
        let count = if self.random.one_in(6) { 60 } else { 1 + self.random.below(4) };
        let mut items = Vec::new();
        for _ in 0..count {
            let n = 1 + self.random.below(if count > 10 { 120 } else { 12 }) as i64;
            let mut item = item(n);
            match self.random.below(9) {
                0 => item["pr"] = json!(self.random.below(4) as f64 / 4.0),
                1 => {
                    // Digits that not every number type keeps.
                    let digits = ["19.90", "-0", "1e-400", "0.30000000000000004", "999999999999999.9", "5e-324"];
                    item["pr"] = json!(*self.random.pick(&digits));
                }
                2 => item["dt"] = json!(*self.random.pick(&["Äpfel", "apfel", "Zebra", "", "1", "e\u{301}", "\u{e9}"])),
                3 => item["note"] = json!("for \u{1f476}"),
                4 => item["qty"] = json!(self.random.below(5)),
                5 => item["clbls"] = json!(["a", "b"]),
                6 => item["cprops"] = json!({"size": "M", "n": 1.10}),
                7 => item["empi"] = json!(9_999),
                _ if self.random.one_in(4) => item["epi"] = json!("zero"),
                _ => {}
            }
            items.push(item);
        }
        Value::from(items)
    }

    fn change(&mut self, who: usize, lid: String) -> Call {
        let mut fields = vec![("lid", lid)];
        if !self.random.one_in(4) {
            fields.push(("a", self.items().to_string()));
        }
        if self.random.one_in(3) {
            fields.push(("u", self.items().to_string()));
        }
        if self.random.one_in(3) {
            fields.push(("d", self.items().to_string()));
        }
        Call::Shopper(who, "lists/update-ctx", fields)
    }

    fn page(&mut self, who: usize, lid: String) -> Call {
        if !self.tokens.is_empty() && self.random.one_in(2) {
            let (who, fields) = self.random.pick(&self.tokens).clone();
            return Call::Shopper(who, "lists/fetch-user-list", fields);
        }
        let mut fields = vec![("lid", lid)];
        if self.random.one_in(2) {
            fields.push(("sortby", (*self.random.pick(&["price", "title"])).to_owned()));
        }
        if self.random.one_in(2) {
            fields.push(("sortorder", (*self.random.pick(&["asc", "desc"])).to_owned()));
        }
        if self.random.one_in(3) {
            fields.push(("filterby", (*self.random.pick(&["instock", "outofstock"])).to_owned()));
        }
        Call::Shopper(who, "lists/fetch-user-list", fields)
    }

    fn save_for_later(&mut self) -> Call {
        let Some(lid) = self.saved.clone() else { return Call::Shopper(0, "lists/sfl/create", Vec::new()) };
        let path = *self.random.pick(&["add", "add", "remove", "moved-to-cart", "update", "fetch"]);
        if path == "fetch" {
            return Call::Shopper(0, "lists/sfl/fetch", Vec::new());
        }
        let fields = vec![("lid", lid), ("items", self.items().to_string()), ("user-agent", "tests".to_owned())];
        let path = match path {
            "add" => "lists/sfl/add",
            "remove" => "lists/sfl/remove",
            "update" => "lists/sfl/update",
            _ => "lists/sfl/moved-to-cart",
        };
        Call::Shopper(0, path, fields)
    }

    fn upsert(&mut self) -> Call {
        let mut products = self.items();
        for product in products.as_array_mut().unwrap() {
            if self.random.one_in(3) {
                product["stock"] = self.random.pick(&[json!(0), json!(5), json!(null), json!("7"), json!(-1)]).clone();
            }
            if self.random.one_in(5) {
                product["pr"] = Value::Null;
            }
        }
        Call::AdminJson("/storeadmin/v3/products/upsert", json!({ "products": products }))
    }

    fn inventory(&mut self) -> Call {
        let mut stocks = Vec::new();
        for _ in 0..3 {
            stocks.push(json!({ "epi": 1 + self.random.below(14), "stock": self.random.below(2) }));
        }
        Call::AdminJson("/storeadmin/v3/inventory/update", json!({ "inventory": stocks }))
    }

    fn remove_product(&mut self) -> Call {
        let n = 1 + self.random.below(12);
        let product = if self.random.one_in(2) { json!({ "epi": n }) } else { json!({ "empi": 1_000 + n }) };
        Call::AdminJson("/storeadmin/v3/products/delete", json!({ "products": [product] }))
    }

    fn subscribe(&mut self) -> Call {
        let (medium, address) = *self.random.pick(&[
            ("email", "ann@example.com"),
            ("email", "new@example.com"),
            ("sms", "+4915112345678"),
            ("email", "no address"),
        ]);
        let products: Vec<Value> = self.items().as_array().unwrap().iter().take(3).cloned().collect();
        let fields = vec![
            ("medium", medium.to_owned()),
            ("mediumvalue", address.to_owned()),
            ("products", Value::from(products).to_string()),
            ("topics", r#"["backinstock"]"#.to_owned()),
        ];
        Call::AdminForm("/storeadmin/bispa/subscriptions/create", fields)
    }
}
