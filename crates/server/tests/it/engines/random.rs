//! The same random calls on every engine, with and without injected conflicts.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::duplicate::copy_all;
use crate::idempotency;
use crate::support::{Client, Engine, Random, Reply, TABLES, TestApp, item, seed};
use crate::watched::Watched;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sequences_of_calls_give_equal_answers_and_leave_equal_tables_1() {
    compare(seed(), 300).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sequences_of_calls_give_equal_answers_and_leave_equal_tables_2() {
    compare(seed(), 300).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sequences_of_calls_give_equal_answers_and_leave_equal_tables_3() {
    compare(seed(), 300).await;
}

/// For when there is time: `cargo test --test it -- --ignored long_sequences`.
#[ignore = "takes minutes"]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn long_sequences_of_calls_give_equal_answers_and_leave_equal_tables() {
    for _ in 0..20 {
        compare(seed(), 300).await;
    }
}

#[tokio::test]
async fn the_comparison_is_about_every_table() {
    let app = TestApp::start(Engine::Sqlite).await;
    let mut tables: Vec<String> = app.app.database.describe().await.unwrap();
    tables.retain(|line| line.contains('.') && !line.contains('('));
    tables.iter_mut().for_each(|line| line.truncate(line.find('.').unwrap()));
    tables.dedup();
    tables.retain(|table| table != "schema_versions");
    tables.sort();
    let mut known = TABLES.to_vec();
    known.sort_unstable();
    assert_eq!(tables, known);
}

/// Who calls: two shoppers, then guests of devices, then browsers.
const PEOPLE: usize = 8;
const SHOPPERS: [&str; 2] = ["ann@example.com", "bob@example.com"];

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
        let mut clients = vec![app.shopper("ann").await, app.shopper("bob").await];
        for _ in SHOPPERS.len()..PEOPLE / 2 {
            clients.push(app.guest().await);
        }
        while clients.len() < PEOPLE {
            let mut browser = app.browser().await;
            browser.sessionid = "a-session-of-the-browser".into();
            clients.push(browser);
        }
        out.push(Side { name, app, clients });
    }
    out
}

async fn compare(seed: u64, steps: usize) {
    let mut sides = sides().await;
    let regids = sides[0].clients.iter().map(|client| client.regid.clone()).collect();
    let mut world = Generator::new(seed, regids);
    let mut answered = [0, 0];
    let mut done: BTreeMap<&str, usize> = BTreeMap::new();
    let mut watched = Watched::read(&sides[0].app).await;
    for number in 0..steps {
        let call = world.call();
        let (one, others) = sides.split_at_mut(1);
        let first = call.send(&mut one[0]).await;
        for side in others {
            let other = call.send(side).await;
            let equal = (first.status, &first.headers, first.text()) == (other.status, &other.headers, other.text());
            assert!(
                equal,
                "seed {seed}, step {number}: {call:?}\n{}: {} {:?} {}\n{}: {} {:?} {}",
                one[0].name,
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
        watched.assert_stamped(&sides[0].app, &format!("seed {seed}, step {number}: {call:?}")).await;
        answered[usize::from(!first.status.is_success())] += 1;
        *done.entry(call.name()).or_default() += usize::from(first.status.is_success());
        world.learn(&call, &first);
    }
    println!("seed {seed}: {} calls succeeded and {} were refused, alike: {done:?}", answered[0], answered[1]);
    assert!(answered[0] > steps / 2, "seed {seed}: {answered:?}");
    for &table in TABLES {
        let first = sides[0].app.app.database.dump(table).await.unwrap();
        for side in &sides[1..] {
            let other = side.app.app.database.dump(table).await.unwrap();
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

type Fields = Vec<(&'static str, String)>;

/// One call, or something that happens meanwhile.
#[derive(Clone, Debug)]
enum Call {
    Shopper(usize, &'static str, Fields),
    /// The same with an idempotency key.
    Once(usize, &'static str, Fields, String),
    AdminForm(&'static str, Fields),
    AdminJson(&'static str, Value),
    /// A shopper is given credentials again.
    Renew(usize),
    Clock(i64),
    /// The job that copies long lists.
    Copy,
}

impl Call {
    fn name(&self) -> &'static str {
        match self {
            Self::Shopper(_, path, _) | Self::AdminForm(path, _) | Self::AdminJson(path, _) => path,
            Self::Once(..) => "with a key",
            Self::Renew(_) => "new credentials",
            Self::Clock(_) => "clock",
            Self::Copy => "copy",
        }
    }

    async fn send(&self, side: &mut Side) -> Reply {
        fn borrow(fields: &Fields) -> Vec<(&str, &str)> {
            fields.iter().map(|(name, value)| (*name, value.as_str())).collect()
        }
        match self {
            Self::Shopper(who, path, fields) => side.clients[*who].post(path, &borrow(fields)).await,
            Self::Once(who, path, fields, key) => {
                idempotency::post(&side.clients[*who], key, path, &borrow(fields)).await
            }
            Self::AdminForm(path, fields) => side.app.store_admin().form(path, &borrow(fields)).await,
            Self::AdminJson(path, body) => side.app.store_admin().json(path, body).await,
            Self::Renew(who) => {
                let fields = [("useremail", SHOPPERS[*who])];
                let reply = side.app.store_admin().form("/storeadmin/v3/user/generate-regid", &fields).await;
                side.clients[*who] = Client::new(side.app.router.clone(), side.app.store.pid.clone(), reply.ok());
                reply
            }
            Self::Clock(millis) => {
                side.app.advance(*millis);
                side.app.store_admin().get("/storeadmin/me").await
            }
            Self::Copy => {
                copy_all(&side.app).await;
                side.app.store_admin().get("/storeadmin/me").await
            }
        }
    }
}

fn is_read(path: &str) -> bool {
    path.ends_with("/list") || ["fetch", "contains"].iter().any(|word| path.contains(word))
}

struct Generator {
    random: Random,
    regids: Vec<String>,
    /// Guests who have become this shopper.
    merged: Vec<(usize, usize)>,
    /// Whose, and its lid.
    lists: Vec<(usize, String)>,
    /// Links: whose, the list and the key.
    links: Vec<(usize, String, String)>,
    /// Comments: whose list, its lid and the comment.
    comments: Vec<(usize, String, String)>,
    /// Pages that go on.
    tokens: Vec<(usize, Fields)>,
    /// Ann's save-for-later list.
    saved: Option<String>,
    /// Calls that were made with a key.
    kept: Vec<Call>,
    /// What comes next in any case.
    next: Vec<Call>,
}

impl Generator {
    fn new(seed: u64, regids: Vec<String>) -> Self {
        Self {
            random: Random::new(seed),
            regids,
            merged: Vec::new(),
            lists: Vec::new(),
            links: Vec::new(),
            comments: Vec::new(),
            tokens: Vec::new(),
            saved: None,
            kept: Vec::new(),
            next: Vec::new(),
        }
    }

    fn call(&mut self) -> Call {
        if let Some(call) = self.next.pop() {
            return call;
        }
        if !self.kept.is_empty() && self.random.one_in(25) {
            return self.random.pick(&self.kept).clone();
        }
        let call = self.any_call();
        match call {
            Call::Shopper(who, path, fields) if !is_read(path) && self.random.one_in(5) => {
                let call = Call::Once(who, path, fields, format!("key {}", self.random.below(1 << 40)));
                self.kept.push(call.clone());
                call
            }
            call => call,
        }
    }

    fn any_call(&mut self) -> Call {
        let who = self.someone();
        let (owner, lid) = self.list();
        match self.random.below(50) {
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
                let to = self.list_of(owner).map_or(lid.clone(), |(_, lid)| lid);
                let (from, to) = (self.name(owner, lid), self.name(owner, to));
                let fields = vec![("fromlid", from), ("tolid", to), ("items", self.items().to_string())];
                Call::Shopper(owner, "lists/move-items", fields)
            }
            33..=34 => Call::Shopper(owner, "lists/markPublic", vec![("lid", lid), ("public", self.flag())]),
            35..=37 => self.share(owner, lid),
            38..=40 => self.use_link(),
            41..=43 => self.comment(owner, lid),
            44 => {
                let medium = (*self.random.pick(&["mail", "Copy", "\u{1f426}"])).to_owned();
                let fields = vec![("lid", lid), ("fromname", "Ann".to_owned()), ("medium", medium)];
                Call::Shopper(owner, "lists/reportShare", fields)
            }
            45 => self.merge(),
            46 => self.undo(),
            47 => self.rarely(owner, lid),
            48 => Call::Shopper(who, "lists/contains", vec![("epis", "[1,2,3,4,5,6,7,8,9,10,11,12]".to_owned())]),
            _ => Call::Clock(*self.random.pick(&[1, 500, 60_000, -30_000])),
        }
    }

    fn learn(&mut self, call: &Call, reply: &Reply) {
        if !reply.status.is_success() {
            return;
        }
        let body = reply.json();
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let (who, path, fields) = match call {
            Call::Shopper(who, path, fields) | Call::Once(who, path, fields, _) => (*who, *path, fields),
            Call::AdminForm(path, fields) => return self.learn_of_people(path, fields, &body),
            _ => return,
        };
        let sent = |name: &str| fields.iter().find(|(field, _)| *field == name).map(|(_, value)| value.clone());
        match path {
            "lists/create" => {
                let lid = text(&body["lid"]);
                if self.lists.iter().all(|(_, known)| *known != lid) {
                    self.lists.push((who, lid.clone()));
                    if sent("fromlid").is_none() {
                        let items: Vec<Value> = (1..=8).map(item).collect();
                        let fields = vec![("lid", lid), ("a", Value::from(items).to_string())];
                        self.next.push(Call::Shopper(who, "lists/update-ctx", fields));
                    }
                }
            }
            "lists/fetch-user-lists" if sent("includeArchived").as_deref() == Some("true") => {
                self.lists.retain(|(owner, _)| *owner != who);
                let lists = body["data"].as_array().unwrap();
                self.lists.extend(lists.iter().map(|list| (who, text(&list["lid"]))));
            }
            "lists/delete-list" => self.lists.retain(|(_, lid)| body["lid"] != *lid),
            "lists/sfl/create" => self.saved = Some(text(&body["lid"])),
            "lists/share-links/create" => {
                self.links.push((who, sent("lid").unwrap(), text(&body["link"]["key"])));
            }
            "lists/comments/add" => {
                self.comments.push((who, sent("lid").unwrap(), text(&body["comment"]["id"])));
            }
            "lists/fetch-user-list" => {
                if let Some(next) = body["pagination"]["next"].as_str() {
                    let mut fields = fields.clone();
                    fields.retain(|(name, _)| *name != "next");
                    fields.push(("next", next.to_owned()));
                    self.tokens.push((who, fields));
                }
            }
            _ => {}
        }
    }

    /// Whose lists are whose has changed: the next calls find out.
    fn learn_of_people(&mut self, path: &str, fields: &Fields, body: &Value) {
        let sent = |name: &str| fields.iter().find(|(field, _)| *field == name).map(|(_, value)| value.as_str());
        let shopper = SHOPPERS.iter().position(|email| Some(*email) == sent("useremail"));
        let guest = self.regids.iter().position(|regid| Some(regid.as_str()) == sent("regid"));
        let (Some(shopper), guest) = (shopper, guest) else { return };
        let fetch = |who| Call::Shopper(who, "lists/fetch-user-lists", vec![("includeArchived", "true".to_owned())]);
        self.next.push(fetch(shopper));
        if shopper == 0 {
            self.saved = None;
        }
        match (path, guest) {
            ("/storeadmin/v3/user/guest-validate-sync", Some(guest)) if body.get("dryrun").is_none() => {
                self.lists.retain(|(owner, _)| *owner != guest);
                if !self.merged.contains(&(guest, shopper)) {
                    self.merged.push((guest, shopper));
                }
            }
            ("/storeadmin/v3/user/undo-merge", Some(guest)) => {
                self.merged.retain(|(merged, _)| *merged != guest);
                self.next.push(fetch(guest));
            }
            ("/storeadmin/v3/user/erase", _) => self.next.push(Call::Renew(shopper)),
            _ => {}
        }
    }

    /// Someone whose regid works.
    fn someone(&mut self) -> usize {
        loop {
            let who = self.random.below(PEOPLE as u64) as usize;
            if self.merged.iter().all(|(guest, _)| *guest != who) {
                return who;
            }
        }
    }

    /// A list's lid, or now and then the key of a link to it.
    fn name(&mut self, owner: usize, lid: String) -> String {
        let key = self.links.iter().find(|(by, list, _)| *by == owner && *list == lid);
        match key {
            Some((_, _, key)) if self.random.one_in(3) => key.clone(),
            _ => lid,
        }
    }

    fn share(&mut self, owner: usize, lid: String) -> Call {
        match self.random.below(6) {
            0 => Call::Shopper(owner, "lists/share-links/list", vec![("lid", lid)]),
            1 if !self.links.is_empty() => {
                let (by, lid, key) = self.random.pick(&self.links).clone();
                let which = if self.random.one_in(3) { ("all", "true".to_owned()) } else { ("key", key) };
                Call::Shopper(by, "lists/share-links/revoke", vec![("lid", lid), which])
            }
            _ => {
                let scope = if self.random.one_in(4) { "view" } else { "edit" };
                // Guests cannot share.
                let owner = if self.random.one_in(10) { owner } else { owner.min(1) };
                let lid = self.lists.iter().find(|(by, _)| *by == owner).map_or(lid, |(_, lid)| lid.clone());
                Call::Shopper(owner, "lists/share-links/create", vec![("lid", lid), ("scope", scope.to_owned())])
            }
        }
    }

    /// Someone else's list, by its link.
    fn use_link(&mut self) -> Call {
        let who = self.someone();
        let Some((_, _, key)) = self.links.last().cloned() else { return self.create(who) };
        let key = if self.random.one_in(2) { self.random.pick(&self.links).2.clone() } else { key };
        match self.random.below(8) {
            0 => Call::Shopper(who, "lists/create", vec![("lname", "Copied".to_owned()), ("fromlid", key)]),
            1 => Call::Shopper(who, "lists/fetch-list-with-contents", vec![("lid", key)]),
            2 => Call::Shopper(who, "lists/update", self.update(&key)),
            3 => Call::Shopper(who, "lists/comments/list", vec![("lid", key)]),
            4 => {
                let to = self.lists.iter().find(|(by, _)| *by == who).map_or(key.clone(), |(_, lid)| lid.clone());
                let fields = vec![("fromlid", key), ("tolid", to), ("items", self.items().to_string())];
                Call::Shopper(who, "lists/move-items", fields)
            }
            5 => {
                let epi = (1 + self.random.below(12)).to_string();
                let fields = vec![("lid", key), ("epi", epi), ("text", "by a friend".to_owned())];
                Call::Shopper(who, "lists/comments/add", fields)
            }
            _ => self.change(who, key),
        }
    }

    fn comment(&mut self, owner: usize, lid: String) -> Call {
        match self.random.below(5) {
            0 => Call::Shopper(owner, "lists/comments/list", vec![("lid", lid), ("limit", "5".to_owned())]),
            1 if !self.comments.is_empty() => {
                let (by, lid, id) = self.random.pick(&self.comments).clone();
                Call::Shopper(by, "lists/comments/delete", vec![("lid", lid), ("id", id)])
            }
            _ => {
                let epi = (1 + self.random.below(12)).to_string();
                let fields = vec![("lid", lid), ("epi", epi), ("text", "sch\u{f6}n \u{1f600}".to_owned())];
                Call::Shopper(owner, "lists/comments/add", fields)
            }
        }
    }

    fn merge(&mut self) -> Call {
        let guest = SHOPPERS.len() + self.random.below((PEOPLE - SHOPPERS.len()) as u64) as usize;
        let email = (*self.random.pick(&SHOPPERS)).to_owned();
        let mut fields = vec![("regid", self.regids[guest].clone()), ("useremail", email)];
        if self.random.one_in(3) {
            fields.push(("dryrun", "true".to_owned()));
        }
        Call::AdminForm("/storeadmin/v3/user/guest-validate-sync", fields)
    }

    fn undo(&mut self) -> Call {
        let Some((guest, shopper)) = self.merged.last().copied() else { return self.merge() };
        let (guest, shopper) = if self.random.one_in(2) { *self.random.pick(&self.merged) } else { (guest, shopper) };
        let fields = vec![("regid", self.regids[guest].clone()), ("useremail", SHOPPERS[shopper].to_owned())];
        Call::AdminForm("/storeadmin/v3/user/undo-merge", fields)
    }

    /// What is too much for every day: erasing someone, and lists that are copied in the background.
    fn rarely(&mut self, owner: usize, lid: String) -> Call {
        match self.random.below(6) {
            0 => {
                let email = (*self.random.pick(&SHOPPERS)).to_owned();
                Call::AdminForm("/storeadmin/v3/user/erase", vec![("useremail", email)])
            }
            1 => {
                let email = (*self.random.pick(&SHOPPERS)).to_owned();
                Call::AdminForm("/storeadmin/v3/user/export", vec![("useremail", email)])
            }
            2 => {
                let add = |from: i64| {
                    let items: Vec<Value> = (from..from + 300).map(item).collect();
                    let fields = vec![("lid", lid.clone()), ("a", Value::from(items).to_string())];
                    Call::Shopper(owner, "lists/update-ctx", fields)
                };
                self.next.push(Call::Shopper(
                    owner,
                    "lists/create",
                    vec![("lname", "Long".to_owned()), ("fromlid", lid.clone())],
                ));
                self.next.push(add(301));
                add(1)
            }
            _ => Call::Copy,
        }
    }

    fn list(&mut self) -> (usize, String) {
        if self.lists.is_empty() || self.random.one_in(40) {
            return (0, "00000000-0000-4000-8000-000000000000".to_owned());
        }
        let (mut owner, mut lid) = self.random.pick(&self.lists).clone();
        if owner >= SHOPPERS.len() && !self.random.one_in(3) {
            // Shoppers may do more than guests.
            let shopper = self.random.below(SHOPPERS.len() as u64) as usize;
            (owner, lid) = self.list_of(shopper).unwrap_or((owner, lid));
        }
        if self.random.one_in(30) {
            return (self.someone(), lid);
        }
        (owner, lid)
    }

    fn list_of(&mut self, owner: usize) -> Option<(usize, String)> {
        let own: Vec<_> = self.lists.iter().filter(|(by, _)| *by == owner).cloned().collect();
        (!own.is_empty()).then(|| self.random.pick(&own).clone())
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

    fn update(&mut self, lid: &str) -> Fields {
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
