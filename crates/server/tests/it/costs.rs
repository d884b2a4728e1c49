//! What calls cost, counted and not timed: statements, round trips, steps and pages.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::thread::ThreadId;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tracing::field::{Field, Visit};
use tracing_subscriber::layer::{Context, SubscriberExt};
use tracing_subscriber::{Layer, Registry};
use wishbone_core::registry::statements;
use wishbone_storage::{Arg, Location, Query, Read, Sql};

use crate::support::{Client, Engine, TestApp, item};

/// The statements that the store ran on this thread since the last look.
#[derive(Clone, Default)]
struct Statements(Arc<Mutex<Vec<String>>>);

impl Statements {
    /// Listens until the guard is dropped, on this thread alone.
    fn listen() -> (Self, tracing::subscriber::DefaultGuard) {
        // While another test's listener goes, nobody listens for a moment, and statements of this one could be missed:
        // so there is always someone.
        static ALWAYS: OnceLock<tracing::Dispatch> = OnceLock::new();
        ALWAYS.get_or_init(|| tracing::Dispatch::new(Registry::default()));
        let statements = Self::default();
        let guard = tracing::subscriber::set_default(Registry::default().with(statements.clone()));
        (statements, guard)
    }

    /// By name.
    fn take(&self) -> Vec<String> {
        let texts = std::mem::take(&mut *self.0.lock().unwrap());
        let known = statements();
        let name = |text: &String| {
            let found = known.iter().find(|(_, sql)| sql.text() == text);
            found.map_or_else(|| text.clone(), |(name, _)| name.clone())
        };
        texts.iter().map(name).collect()
    }
}

impl<S: tracing::Subscriber> Layer<S> for Statements {
    fn on_event(&self, event: &tracing::Event<'_>, _: Context<'_, S>) {
        struct Text<'a>(&'a Mutex<Vec<String>>);
        impl Visit for Text<'_> {
            fn record_str(&mut self, field: &Field, value: &str) {
                if field.name() == "statement" {
                    self.0.lock().unwrap().push(value.to_owned());
                }
            }
            fn record_debug(&mut self, _: &Field, _: &dyn std::fmt::Debug) {}
        }
        if event.metadata().target().starts_with("wishbone_storage") {
            event.record(&mut Text(&self.0));
        }
    }
}

fn statement(wanted: &str) -> Sql {
    let found = statements().into_iter().find(|(name, _)| name == wanted);
    found.unwrap_or_else(|| panic!("no statement is called {wanted}")).1
}

/// A list with items 1 to `count`, added 500 at a time.
async fn long_list(ann: &Client, count: i64) -> String {
    let lid = ann.list("Long").await;
    let variants: Vec<i64> = (1..=count).collect();
    for some in variants.chunks(500) {
        let items: Vec<Value> = some
            .iter()
            .map(|n| {
                let mut item = item(*n);
                item["pr"] = json!((n * 7919) % 1000);
                item["dt"] = json!(format!("Thing {}", (n * 7919) % 1000));
                item
            })
            .collect();
        ann.add_items(&lid, &Value::from(items)).await;
    }
    lid
}

mod a_late_page_costs_what_the_first_costs {
    use super::*;

    const ITEMS: i64 = 10_000;
    const PAGE: usize = 50;
    const DEEP: usize = 200;

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn sqlite() {
        check(Engine::Sqlite).await;
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn postgres() {
        check(Engine::Postgres).await;
    }

    async fn check(engine: Engine) {
        let app = TestApp::start(engine).await;
        if app.skip_on_citus("EXPLAIN counts only the pages of the coordinator") {
            return;
        }
        let ann = app.shopper("ann").await;
        // The catalogue knows every second variant, so that all pages are alike.
        for from in (0..ITEMS).step_by(2_000) {
            let known = (from..from + 2_000).step_by(2).skip(usize::from(from == 0));
            let product = |n| json!({ "epi": n, "empi": 1_000 + n, "pr": n % 1_000, "dt": "Known" });
            app.store_admin().upsert(known.map(product).collect()).await;
        }
        let lid = long_list(&ann, ITEMS).await;
        if engine == Engine::Postgres {
            app.connect().await.batch_execute("analyze lists; analyze items; analyze products").await.unwrap();
        }
        let rows = rows(&app).await;
        assert_eq!(rows.len(), usize::try_from(ITEMS).unwrap());
        let list = uuid::Uuid::parse_str(&lid).unwrap().into_bytes();
        let bar = |first: u64, deep: u64, most: f64, name: &str| {
            println!("{engine:?} {name}: page 1 costs {first}, page {DEEP} costs {deep}");
            assert!(first > 0 && deep as f64 <= first as f64 * most, "{name}: {first} and then {deep}");
        };

        let limit = i64::try_from(PAGE).unwrap() + 1;
        let by_addition = async |name: &str, at: (i64, i64)| {
            let args = [1.into(), (&list).into(), Arg::Int(-1), at.0.into(), at.1.into(), limit.into()];
            app.app.database.cost(statement(name).bind(&args)).await.unwrap()
        };
        let newest = by_addition("items::page::NEWEST_FIRST", (i64::MAX, i64::MAX)).await;
        let skipped = (DEEP - 1) * PAGE;
        let deep = by_addition("items::page::NEWEST_FIRST", rows[rows.len() - skipped]).await;
        bar(newest, deep, 1.2, "newest first");
        let oldest = by_addition("items::page::OLDEST_FIRST", (i64::MIN, i64::MIN)).await;
        let deep = by_addition("items::page::OLDEST_FIRST", rows[skipped - 1]).await;
        bar(oldest, deep, 1.2, "oldest first");

        // Sorted by a value that is the catalogue's or the item's, a page must read the whole list, and
        // so every page does. SQLite counts the comparison of each row with the edge as steps, but not
        // the sorting of the rows that are thus left out, which costs more.
        let most = if engine == Engine::Sqlite { 1.35 } else { 1.2 };
        let by_value = async |name: &str, phase: i64, value: Arg<'_>| {
            let (added_at, seq) = rows[rows.len() / 2];
            let args = [
                1.into(),
                (&list).into(),
                Arg::Int(-1),
                phase.into(),
                value,
                added_at.into(),
                seq.into(),
                limit.into(),
            ];
            app.app.database.cost(statement(name).bind(&args)).await.unwrap()
        };
        for (name, late) in [
            ("items::page::PRICE_UP", Arg::Double(900.0)),
            ("items::page::PRICE_DOWN", Arg::Double(100.0)),
            ("items::page::TITLE_UP", Arg::Blob(b"zzz")),
            ("items::page::TITLE_DOWN", Arg::Blob(b"!")),
        ] {
            let first = by_value(name, 0, Arg::Null).await;
            bar(first, by_value(name, 1, late).await, most, name);
            bar(first, by_value(name, 2, Arg::Null).await, most, name);
        }
    }

    /// Time and number of every item, oldest first.
    async fn rows(app: &TestApp) -> Vec<(i64, i64)> {
        let rows = app.app.database.dump("items").await.unwrap();
        let number = |cell: Option<&str>| cell.unwrap().parse().unwrap();
        let mut rows: Vec<(i64, i64)> = rows
            .iter()
            .map(|row| {
                let mut cells = row.split(" | ").skip(2);
                (number(cells.next()), number(cells.next()))
            })
            .collect();
        rows.sort_unstable();
        rows
    }
}

mod the_newest_items_of_a_list_cost_the_same_however_long_it_is {
    use super::*;

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn sqlite() {
        check(Engine::Sqlite).await;
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn postgres() {
        check(Engine::Postgres).await;
    }

    async fn check(engine: Engine) {
        let app = TestApp::start(engine).await;
        if app.skip_on_citus("EXPLAIN counts only the pages of the coordinator") {
            return;
        }
        let ann = app.shopper("ann").await;
        let (long, short) = (ann.list("Long").await, ann.list("Short").await);
        let many: Vec<i64> = (1..=2_060).collect();
        for some in many.chunks(500) {
            ann.add(&long, some).await;
        }
        ann.add(&short, &many[..60]).await;
        let mut costs = Vec::new();
        // Dead rows would be counted too. PostgreSQL keeps them while a transaction of another test might see them.
        for _ in 0..100 {
            if engine == Engine::Postgres {
                for table in ["lists", "items", "products"] {
                    app.connect().await.batch_execute(&format!("vacuum analyze {table}")).await.unwrap();
                }
            }
            costs.clear();
            for lid in [&long, &short] {
                let list = uuid::Uuid::parse_str(lid).unwrap().into_bytes();
                let args = [1.into(), (&list).into(), Arg::Int(50), Arg::Int(0)];
                let mut cost = 0;
                for name in ["items::contents::CONTENTS", "items::contents::CONTENTS_WITHOUT_PRODUCTS"] {
                    cost += app.app.database.cost(statement(name).bind(&args)).await.unwrap();
                }
                costs.push(cost);
            }
            if engine == Engine::Sqlite || costs[0] as f64 <= costs[1] as f64 * 1.2 {
                break;
            }
            tokio::time::sleep(std::time::Duration::from_millis(100)).await;
        }
        println!("{engine:?}: {} for a list of 2,060 items, {} for one of 60", costs[0], costs[1]);
        assert!(costs[0] as f64 <= costs[1] as f64 * 1.2, "{costs:?}");
    }
}

/// On one thread, so that what the store runs elsewhere would be missed, and missing.
macro_rules! on_one_thread {
    ($(async fn $name:ident($app:ident: TestApp) $body:block)*) => {
        $(
            mod $name {
                use super::*;

                async fn body($app: TestApp) $body

                #[tokio::test]
                async fn sqlite() {
                    body(TestApp::start(Engine::Sqlite).await).await;
                }

                #[tokio::test]
                async fn postgres() {
                    body(TestApp::start(Engine::Postgres).await).await;
                }
            }
        )*
    };
}

/// The shopper of a call to a store whose record is known, and what shows that it has not changed.
const CALLER: [&str; 2] = ["identity::profile::BY_ID", "stores::record::STAMP"];

fn caller_and(statements: &[&'static str]) -> Vec<&'static str> {
    CALLER.iter().chain(statements).copied().collect()
}

on_one_thread! {
    async fn a_page_of_a_list_takes_as_many_statements_wherever_it_is(app: TestApp) {
        let ann = app.shopper("ann").await;
        let lid = long_list(&ann, 120).await;
        let (ran, _guard) = Statements::listen();
        // Words are looked up once; the second time they are known.
        let page = async |fields: &[(&str, &str)]| {
            let shown = ann.page(&lid, fields).await;
            let mut statements = ran.take();
            statements.retain(|statement| statement != "catalog::lookup::FIELDS");
            (shown["pagination"]["next"].clone(), statements)
        };
        let expected = |items| caller_and(&["lists::row::FIND_ROW", items]);
        // With product fields from the cache and, on PostgreSQL, without a transaction.
        let expected_of_cached = |items| {
            let mut expected = expected(items);
            expected.push("catalog::lookup::VERSION");
            expected.extend((app.app.database.engine() == "postgres").then_some("lists::row::VERSION"));
            expected
        };
        page(&[("itemslimit", "100")]).await;
        let (next, statements) = page(&[]).await;
        assert_eq!(statements, expected_of_cached("items::page::FIRST_WITHOUT_PRODUCTS"));
        let (_, statements) = page(&[("next", next.as_str().unwrap())]).await;
        assert_eq!(statements, expected_of_cached("items::page::NEXT_WITHOUT_PRODUCTS"));
        let (_, statements) = page(&[("sortby", "price"), ("filterby", "instock"), ("itemslimit", "100")]).await;
        assert_eq!(statements, expected("items::page::PRICE_DOWN"));
    }

    async fn words_are_looked_up_when_they_have_changed_and_not_when_a_feed_says_them_again(app: TestApp) {
        let (ann, admin) = (app.shopper("ann").await, app.store_admin());
        let lid = ann.list("Wishes").await;
        let product = |title: &str| json!([{ "epi": 1, "empi": 1, "du": "https://shop.example/", "dt": title }]);
        admin.upsert(product("Old")).await;
        ann.add(&lid, &[1, 2]).await;
        let (ran, _guard) = Statements::listen();
        let look_ups = async |title: &str| {
            ran.take();
            let lists = ann.post("lists/fetch-lists", &[]).await.ok();
            assert_eq!(lists[0]["listcontents"][1]["dt"], title);
            ran.take().iter().filter(|statement| *statement == "catalog::lookup::FIELDS").count()
        };
        assert_eq!((look_ups("Old").await, look_ups("Old").await), (1, 0));
        admin.upsert(product("Old")).await;
        assert_eq!(look_ups("Old").await, 0);
        admin.upsert(product("New")).await;
        assert_eq!((look_ups("New").await, look_ups("New").await), (1, 0));
    }

    async fn fetching_lists_takes_one_statement_for_them_and_one_for_the_items_of_each(app: TestApp) {
        let ann = app.shopper("ann").await;
        let (ran, _guard) = Statements::listen();
        let part = |lists: usize| {
            let mut part = vec!["items::fetch_lists::LISTS"];
            part.extend(vec!["items::contents::CONTENTS_WITHOUT_PRODUCTS"; lists]);
            part.extend((lists > 0).then_some("catalog::lookup::VERSION"));
            part
        };
        let mut made = 0;
        for count in [1, 9, 100] {
            while made < count {
                made += 1;
                let lid = ann.list(&format!("List {made}")).await;
                ann.add(&lid, &[1, 2]).await;
            }
            ran.take();
            let lists = ann.post("lists/fetch-lists", &[]).await.ok();
            let mut statements = ran.take();
            statements.retain(|statement| statement != "catalog::lookup::FIELDS" || count > 1);
            assert_eq!(lists.as_array().unwrap().len(), count);
            assert_eq!(lists[count - 1]["listcontents"].as_array().unwrap().len(), 2);
            // The first look, the full parts, and the ends of the wishlists and of the others.
            let parts = if count == 100 { [part(10).repeat(11), part(0).repeat(2)].concat() } else { part(count) };
            assert_eq!(statements, caller_and(&parts));
            ann.post("lists/fetch-user-lists", &[]).await.ok();
            assert_eq!(ran.take(), caller_and(&["lists::fetch::PART"]));
        }
    }

    async fn contains_takes_one_statement_for_the_lists_and_one_for_each_that_has_items(app: TestApp) {
        let ann = app.shopper("ann").await;
        let (short, _, long) = (ann.list("Short").await, ann.list("Empty").await, ann.list("Long").await);
        ann.add(&short, &[1]).await;
        ann.add(&long, &(1..=100).collect::<Vec<_>>()).await;
        let (ran, _guard) = Statements::listen();
        for (variants, of_long) in [(20, "OF_20"), (21, "OF_60"), (24, "OF_60"), (25, "ALL"), (61, "ALL")] {
            let variants = Value::from((1..=variants).collect::<Vec<i64>>()).to_string();
            ran.take();
            ann.post("lists/contains", &[("epis", &variants)]).await.ok();
            let of_long = format!("sharing::counts::{of_long}");
            let expected = caller_and(&["sharing::counts::FILLED_LISTS", "sharing::counts::ALL"]);
            assert_eq!(ran.take(), [expected, vec![&*of_long]].concat(), "{variants}");
        }
    }

    async fn a_login_takes_as_many_statements_for_many_items_as_for_few(app: TestApp) {
        let (ran, _guard) = Statements::listen();
        let admin = app.store_admin();
        let mut costs = Vec::new();
        for count in [2, 200] {
            let email = format!("ann{count}@example.com");
            let (guest, ann) = (app.browser().await, app.shopper(&format!("ann{count}")).await);
            for client in [&guest, &ann] {
                let lid = client.list("Same").await;
                client.add(&lid, &(1..=count).collect::<Vec<_>>()).await;
            }
            let moved = guest.list("Moves").await;
            guest.add(&moved, &(1..=count).collect::<Vec<_>>()).await;
            let login = [("regid", guest.regid.as_str()), ("useremail", &email)];
            let mut cost = Vec::new();
            for _ in 0..2 {
                ran.take();
                admin.form("/storeadmin/v3/user/guest-validate-sync", &login).await.ok();
                cost.push(ran.take());
            }
            assert_eq!(cost[1], ["stores::record::FIND", "identity::profile::BY_EMAIL", "merging::merge::MERGED_INTO"], "again, on every page");
            // Lists are worked on in the order of their ids, which are random.
            cost.iter_mut().for_each(|statements| statements.sort_unstable());
            costs.push(cost);
        }
        assert_eq!(costs[0], costs[1]);
    }

    async fn a_call_that_is_refused_at_the_door_only_looks_for_its_caller(app: TestApp) {
        let (mut guest, mut ann) = (app.guest().await, app.shopper("ann").await);
        let (ran, _guard) = Statements::listen();
        guest.sessionid = "wrong-session".into();
        guest.post("lists/fetch-user-lists", &[]).await.fails(401, "bad-regid");
        let store_and_caller = [&CALLER[..], &["stores::record::FIND"]].concat();
        assert_eq!(ran.take(), store_and_caller);
        // One who logged in may have a sessionid from before.
        ann.sessionid = "wrong-session".into();
        ann.post("lists/fetch-user-lists", &[]).await.fails(401, "bad-regid");
        assert_eq!(ran.take(), caller_and(&["identity::guest_sessions::FIND"]));
    }
}

/// Where a read runs.
struct WhichThread;

impl Read for WhichThread {
    const NAME: &'static str = "which_thread";
    type Out = (ThreadId, i64);
    type Error = wishbone_storage::Error;

    async fn run<Q: Query>(&self, query: &mut Q) -> wishbone_storage::Result<Self::Out> {
        const ONE: Sql = Sql::new("select 1");
        let one = query.first(ONE.bind(&[])).await?;
        Ok((std::thread::current().id(), one.unwrap()))
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_read_on_sqlite_runs_where_it_is_asked_for_and_is_ready_at_once() {
    let app = TestApp::start(Engine::Sqlite).await;
    let read = async {
        let before = std::thread::current().id();
        let mut read = Box::pin(app.app.database.read(WhichThread));
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        let std::task::Poll::Ready(out) = read.as_mut().poll(&mut context) else { panic!("the read waited") };
        (before, out.unwrap().0)
    };
    let (asked, ran) = read.await;
    assert_eq!(asked, ran);
    let (long, _) = app.app.database.read_long(WhichThread).await.unwrap();
    assert_ne!(long, std::thread::current().id(), "a long read would hold up everything on its thread");
}

/// Stands between the app and PostgreSQL, and counts what the app sends.
#[derive(Clone, Default)]
struct Wire(Arc<Counts>);

#[derive(Default)]
struct Counts {
    /// Times that the app began to send while it waited for nothing.
    bursts: AtomicUsize,
    /// Statements: simple ones (begin, rollback) and prepared ones that run.
    statements: AtomicUsize,
    /// Requests that have not been answered yet.
    open: AtomicUsize,
    /// Statements that were sent when others were still unanswered.
    pipelined: AtomicUsize,
}

impl Wire {
    /// The address of the proxy, in place of the one in `url`.
    async fn tap(&self, url: &str) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (scheme, rest) = url.split_once("://").unwrap();
        let (authority, path) = rest.split_once('/').unwrap();
        let (user, server) = authority.rsplit_once('@').unwrap();
        let tapped = format!("{scheme}://{user}@{}/{path}", listener.local_addr().unwrap());
        let (server, counts) = (server.to_owned(), Arc::clone(&self.0));
        tokio::spawn(async move {
            while let Ok((app, _)) = listener.accept().await {
                let server = TcpStream::connect(&server).await.unwrap();
                let (from_app, to_app) = app.into_split();
                let (from_server, to_server) = server.into_split();
                let (a, b) = (Arc::clone(&counts), Arc::clone(&counts));
                tokio::spawn(pass(from_app, to_server, true, move |kind| a.sent(kind)));
                tokio::spawn(pass(from_server, to_app, false, move |kind| b.answered(kind)));
            }
        });
        tapped
    }

    /// Bursts and statements since the last look.
    fn take(&self) -> (usize, usize) {
        (self.0.bursts.swap(0, Ordering::SeqCst), self.0.statements.swap(0, Ordering::SeqCst))
    }
}

impl Counts {
    /// Execute, simple Query, Parse, Sync.
    fn sent(&self, kind: u8) {
        if matches!(kind, b'E' | b'Q') {
            self.statements.fetch_add(1, Ordering::SeqCst);
            if self.open.load(Ordering::SeqCst) > 0 {
                self.pipelined.fetch_add(1, Ordering::SeqCst);
            }
        }
        if matches!(kind, b'S' | b'Q') && self.open.fetch_add(1, Ordering::SeqCst) == 0 {
            self.bursts.fetch_add(1, Ordering::SeqCst);
        }
    }

    /// ReadyForQuery ends the answer to a Sync or a Query.
    fn answered(&self, kind: u8) {
        if kind == b'Z' {
            let _ = self.open.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |open| open.checked_sub(1));
        }
    }
}

/// Copies one direction, and tells the kind of each message before it goes on.
async fn pass(
    mut from: tokio::net::tcp::OwnedReadHalf,
    mut to: tokio::net::tcp::OwnedWriteHalf,
    mut greeting: bool,
    saw: impl Fn(u8),
) {
    let (mut pending, mut buffer): (Vec<u8>, _) = (Vec::new(), vec![0; 1 << 16]);
    while let Ok(count) = from.read(&mut buffer).await {
        if count == 0 {
            break;
        }
        pending.extend_from_slice(&buffer[..count]);
        let mut kinds = Vec::new();
        loop {
            // The first message of the client has a length and no kind.
            let head = if greeting { 0 } else { 1 };
            let Some(length) = pending.get(head..head + 4) else { break };
            let end = head + u32::from_be_bytes(length.try_into().unwrap()) as usize;
            if pending.len() < end {
                break;
            }
            if !greeting {
                kinds.push(pending[0]);
            }
            greeting = false;
            pending.drain(..end);
        }
        // All of a read is counted before any of it is passed on, and so before it can be answered.
        kinds.into_iter().for_each(&saw);
        if to.write_all(&buffer[..count]).await.is_err() {
            break;
        }
    }
}

/// One connection, one thread: what the app hands over together goes out together.
async fn tapped() -> (TestApp, Wire) {
    let wire = Wire::default();
    let app = TestApp::start(Engine::Postgres).await;
    let Location::Postgres(url) = app.location().clone() else { unreachable!() };
    let location = Location::Postgres(wire.tap(&url).await);
    (app.on(location, |options| options.pool_size = 1).await, wire)
}

#[tokio::test]
async fn on_postgresql_a_page_is_two_round_trips_because_its_statements_go_out_together() {
    let (app, wire) = tapped().await;
    if app.skip_on_citus("calls go to the workers") {
        return;
    }
    let ann = app.shopper("ann").await;
    let lid = long_list(&ann, 60).await;
    ann.page(&lid, &[]).await;
    wire.take();
    wire.0.pipelined.store(0, Ordering::SeqCst);
    ann.page(&lid, &[]).await;
    // Who calls which store; then the list, its items, the catalogue's version and the list's version.
    assert_eq!(wire.take(), (2, 6), "bursts and statements");
    let pipelined = wire.0.pipelined.load(Ordering::SeqCst);
    assert_eq!(pipelined, 4, "the items do not wait for the list");
}

#[tokio::test]
async fn on_postgresql_adding_twenty_items_takes_as_many_round_trips_as_adding_one() {
    let (app, wire) = tapped().await;
    if app.skip_on_citus("calls go to the workers") {
        return;
    }
    let ann = app.shopper("ann").await;
    let lid = ann.list("Summer").await;
    ann.add(&lid, &[1_000]).await;
    let mut trips = Vec::new();
    for (first, count) in [(1, 1), (100, 20), (200, 200)] {
        app.app.database.ping().await.unwrap();
        wire.take();
        ann.add(&lid, &(first..first + count).collect::<Vec<_>>()).await;
        let (bursts, statements) = wire.take();
        // Who calls; the list's lock and what is there; what is new and the commit.
        println!("{count} items: {bursts} round trips, {statements} statements");
        trips.push(bursts);
        let items = usize::try_from(count).unwrap();
        // who, which store, begin, lock, touch, stamp, commit; for each item: is it there, its product, its row, its wish.
        assert_eq!(statements, 7 + 4 * items);
    }
    assert_eq!(trips, [3, 3, 3]);
}
