//! What goes wrong goes wrong alike: wrong operations, lost callers and connections, conflicts, overload.

use std::collections::BTreeSet;
use std::future::pending;
use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use axum::body::Body;
use axum::http::Request;
use futures_util::FutureExt;
use futures_util::future::{join, join_all};
use serde_json::Value;
use tokio::sync::{Barrier, Notify};
use wishbone_core::registry::MIGRATIONS;
use wishbone_server::app::App;
use wishbone_server::http::edge::metrics;
use wishbone_server::http::server::metrics_router;
use wishbone_storage::{Arg, Database, Error, Location, Migration, Options, Query, Read, Result, Sql, Tx, Write};

use crate::support::{Engine, Reply, TestApp, epis, item};

both_engines! {
    async fn a_write_that_swallows_a_failed_statement_is_not_kept(app: TestApp) {
        let error = app.app.database.write(Swallow).await.unwrap_err();
        assert!(matches!(error, Error::Bug(_)), "{error}");
        assert_eq!(bumps(&app).await, 0);
        app.app.database.write(Bump).await.unwrap();
        assert_eq!(bumps(&app).await, 1);
    }

    async fn a_deferred_statement_that_fails_fails_its_write(app: TestApp) {
        let error = app.app.database.write(Defer { last: TAKEN }).await.unwrap_err();
        assert!(matches!(error, Error::Bug(_)), "{error}");
        assert_eq!(bumps(&app).await, 0);
    }

    async fn deferred_statements_run_before_the_next_one_and_before_the_commit(app: TestApp) {
        assert_eq!(app.app.database.write(Defer { last: BUMP }).await.unwrap(), 2);
        assert_eq!(bumps(&app).await, 3);
    }

    async fn the_text_of_a_constraint_violation_does_not_contain_the_values_of_the_row(app: TestApp) {
        app.shopper("secret-address").await;
        let error = app.app.database.write(AddShopperTwice).await.unwrap_err().to_string();
        assert!(error.contains("shoppers"), "it names the table: {error}");
        assert!(!error.contains("secret-address"), "{error}");
    }

    async fn a_write_that_swallows_a_row_it_cannot_read_is_not_kept(app: TestApp) {
        let error = app.app.database.write(SwallowRow).await.unwrap_err();
        assert!(matches!(error, Error::Bug(_)), "{error}");
        assert_eq!(bumps(&app).await, 0);
    }

    async fn a_write_that_panics_leaves_nothing_and_harms_no_other(app: TestApp) {
        let panicking = AssertUnwindSafe(app.app.database.write(Panic)).catch_unwind();
        let (panicked, kept) = join(panicking, app.app.database.write(Bump)).await;
        // On SQLite the writer catches it; on PostgreSQL whoever runs the request does.
        assert!(matches!(panicked, Err(_) | Ok(Err(Error::Bug(_)))));
        kept.unwrap();
        assert_eq!(bumps(&app).await, 1);
        app.app.database.write(Bump).await.unwrap();
        assert_eq!(bumps(&app).await, 2);
    }

    async fn a_read_that_panics_leaves_its_connection_as_it_was(app: TestApp) {
        let location = app.location().clone();
        let app = app.on(location, |options| (options.readers, options.pool_size) = (1, 1)).await;
        let panicked = AssertUnwindSafe(app.app.database.read(PanicOverRead)).catch_unwind().await;
        assert!(panicked.is_err());
        app.app.database.write(Bump).await.unwrap();
        assert_eq!(bumps(&app).await, 1, "the state of the read that panicked is still shown");
    }

    async fn an_operation_of_a_single_statement_is_held_to_its_promise(app: TestApp) {
        let error = app.app.database.read(TwoInsteadOfOne { at_once: false }).await.unwrap_err();
        assert!(error.to_string().contains("single-statement"), "{error}");
        let error = app.app.database.read(TwoInsteadOfOne { at_once: true }).await.unwrap_err();
        assert!(error.to_string().contains("single-statement"), "{error}");
    }

    async fn a_call_that_breaks_at_any_point_leaves_all_or_nothing(app: TestApp) {
        let ann = app.shopper("ann").await;
        let lid = ann.list("Fragile").await;
        app.break_everywhere(async || ann.post("lists/create", &[("lname", "Other")]).await).await;
        let items = Value::from(vec![item(1), item(2), item(3)]).to_string();
        app.break_everywhere(async || ann.post("lists/update-ctx", &[("lid", &lid), ("a", &items)]).await).await;
        assert_eq!(ann.page(&lid, &[]).await["data"]["cnt"], 3);
        app.break_everywhere(async || ann.post("lists/delete-list", &[("lid", &lid)]).await).await;
        assert_eq!((app.rows("lists").await, app.rows("items").await), (1, 0));
    }

    async fn a_schema_from_the_future_is_refused(app: TestApp) {
        let future = Migration {
            number: 9_999,
            name: "of_the_future",
            sqlite: "create table of_the_future (x integer)",
            postgres: "create table of_the_future (x bigint)",
        };
        let mut newer = MIGRATIONS.to_vec();
        newer.push(future);
        drop(Database::open(app.location(), &newer, &Options::default()).await.unwrap());
        let Err(error) = Database::open(app.location(), MIGRATIONS, &Options::default()).await else {
            panic!("an old program opened what it does not know");
        };
        assert!(matches!(error, Error::Unusable(_)) && error.to_string().contains("9999"), "{error}");
    }

    async fn servers_that_start_at_once_make_the_schema_once(app: TestApp) {
        let mut newer = MIGRATIONS.to_vec();
        newer.push(Migration {
            number: 9_999,
            name: "more",
            sqlite: "create table more (x integer)",
            postgres: "create table more (x bigint)",
        });
        let opened = join_all((0..4).map(|_| {
            let (location, newer) = (app.location().clone(), newer.clone());
            tokio::spawn(async move { Database::open(&location, &newer, &Options { pool_size: 1, ..Options::default() }).await.map(drop) })
        }));
        opened.await.into_iter().for_each(|opened| opened.unwrap().unwrap());
    }
}

/// How often [`BUMP`] was kept.
pub(super) async fn bumps(app: &TestApp) -> i64 {
    app.app.database.read(Bumps).await.unwrap()
}

pub(super) const BUMP: Sql = Sql::new("update store_states set reminders_at = reminders_at + 1 where store_id = 1");
pub(super) const BUMPS: Sql = Sql::new("select reminders_at from store_states where store_id = 1");

struct Bumps;

impl Read for Bumps {
    const NAME: &'static str = "bumps";
    const SINGLE_STATEMENT: bool = true;
    type Out = i64;
    type Error = Error;

    async fn run<Q: Query>(&self, query: &mut Q) -> Result<i64> {
        Ok(query.first(BUMPS.bind(&[])).await?.unwrap_or_default())
    }
}

pub(super) struct Bump;

impl Write for Bump {
    const NAME: &'static str = "bump";
    type Out = ();
    type Error = Error;

    async fn run<T: Tx>(&self, tx: &mut T) -> Result<()> {
        tx.execute(BUMP.bind(&[])).await.map(drop)
    }
}

/// A key that exists.
const TAKEN: Sql = Sql::new("insert into store_states (store_id) values (1)");

/// Defers a statement before a read and one before the commit. Returns what is read.
struct Defer {
    last: Sql,
}

impl Write for Defer {
    const NAME: &'static str = "defer";
    type Out = i64;
    type Error = Error;

    async fn run<T: Tx>(&self, tx: &mut T) -> Result<i64> {
        tx.execute(BUMP.bind(&[])).await?;
        tx.defer_all(&[BUMP.bind(&[])]).await?;
        let seen = tx.first(BUMPS.bind(&[])).await?;
        tx.defer_all(&[self.last.bind(&[])]).await?;
        Ok(seen.unwrap_or_default())
    }
}

/// Defers a statement with an argument of another type than its column.
struct DeferWrongType;

impl Write for DeferWrongType {
    const NAME: &'static str = "defer_wrong_type";
    type Out = ();
    type Error = Error;

    async fn run<T: Tx>(&self, tx: &mut T) -> Result<()> {
        const SET: Sql = Sql::new("update store_states set reminders_at = $1 where store_id = 1");
        tx.execute(BUMP.bind(&[])).await?;
        tx.defer_all(&[BUMP.bind(&[]), SET.bind(&[Arg::Text("noon")])]).await
    }
}

#[tokio::test]
async fn on_postgresql_a_deferred_statement_that_cannot_be_sent_fails_its_write() {
    let app = TestApp::start(Engine::Postgres).await;
    let error = app.app.database.write(DeferWrongType).await.unwrap_err();
    assert!(matches!(error, Error::Bug(_)), "{error}");
    assert_eq!(bumps(&app).await, 0);
}

struct Swallow;

impl Write for Swallow {
    const NAME: &'static str = "swallow";
    type Out = ();
    type Error = Error;

    async fn run<T: Tx>(&self, tx: &mut T) -> Result<()> {
        tx.execute(BUMP.bind(&[])).await?;
        let _ = tx.execute(TAKEN.bind(&[])).await;
        let _ = tx.execute(BUMP.bind(&[])).await;
        Ok(())
    }
}

struct AddShopperTwice;

impl Write for AddShopperTwice {
    const NAME: &'static str = "add_shopper_twice";
    type Out = ();
    type Error = Error;

    async fn run<T: Tx>(&self, tx: &mut T) -> Result<()> {
        const INSERT: Sql = Sql::new(
            "insert into shoppers (store_id, shopper_id, email, generation, first_name, last_name, list_count, next_list,
                                   next_subscription, created_at, updated_at)
             values (1, $1, 'secret-address@example.com', 0, '', '', 0, 0, 0, 0, 0)",
        );
        tx.execute(INSERT.bind(&[(&[9_u8; 16]).into()])).await.map(drop)
    }
}

struct SwallowRow;

impl Write for SwallowRow {
    const NAME: &'static str = "swallow_row";
    type Out = ();
    type Error = Error;

    async fn run<T: Tx>(&self, tx: &mut T) -> Result<()> {
        const NAME: Sql = Sql::new("select name from stores where store_id = 1");
        tx.execute(BUMP.bind(&[])).await?;
        let _ = tx.first::<i64>(NAME.bind(&[])).await;
        Ok(())
    }
}

struct Panic;

impl Write for Panic {
    const NAME: &'static str = "panic";
    type Out = ();
    type Error = Error;

    async fn run<T: Tx>(&self, tx: &mut T) -> Result<()> {
        tx.execute(BUMP.bind(&[])).await?;
        panic!("on purpose");
    }
}

struct PanicOverRead;

impl Read for PanicOverRead {
    const NAME: &'static str = "panic_over_read";
    type Out = ();
    type Error = Error;

    async fn run<Q: Query>(&self, query: &mut Q) -> Result<()> {
        query.query_all(&[BUMPS.bind(&[])], &mut |_, _| panic!("on purpose")).await
    }
}

struct TwoInsteadOfOne {
    at_once: bool,
}

impl Read for TwoInsteadOfOne {
    const NAME: &'static str = "two_instead_of_one";
    const SINGLE_STATEMENT: bool = true;
    type Out = ();
    type Error = Error;

    async fn run<Q: Query>(&self, query: &mut Q) -> Result<()> {
        if self.at_once {
            return query.query_all(&[BUMPS.bind(&[]), BUMPS.bind(&[])], &mut |_, _| Ok(())).await;
        }
        query.rows::<i64>(BUMPS.bind(&[])).await?;
        query.rows::<i64>(BUMPS.bind(&[])).await.map(drop)
    }
}

/// Bumps, tells that it has begun, and never comes to its end.
pub(super) struct Linger(pub(super) Arc<Notify>);

impl Write for Linger {
    const NAME: &'static str = "linger";
    type Out = ();
    type Error = Error;

    async fn run<T: Tx>(&self, tx: &mut T) -> Result<()> {
        tx.execute(BUMP.bind(&[])).await?;
        self.0.notify_one();
        pending().await
    }
}

/// The same, while it reads.
struct LingerOverRead(Arc<Notify>);

impl Read for LingerOverRead {
    const NAME: &'static str = "linger_over_read";
    type Out = ();
    type Error = Error;

    async fn run<Q: Query>(&self, query: &mut Q) -> Result<()> {
        query.rows::<i64>(BUMPS.bind(&[])).await?;
        self.0.notify_one();
        pending().await
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn on_sqlite_an_operation_that_awaits_something_else_fails_loudly() {
    let app = TestApp::start(Engine::Sqlite).await;
    let never = Arc::new(Notify::new());
    let error = app.app.database.write(Linger(Arc::clone(&never))).await.unwrap_err();
    assert!(error.to_string().contains("linger awaited something other than its transaction"), "{error}");
    let error = app.app.database.read(LingerOverRead(never)).await.unwrap_err();
    assert!(error.to_string().contains("linger_over_read awaited something other"), "{error}");
    assert_eq!(bumps(&app).await, 0);
    app.app.database.write(Bump).await.unwrap();
    assert_eq!(bumps(&app).await, 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn on_postgresql_a_caller_that_goes_away_leaves_no_transaction_to_the_next_one() {
    // A single connection: whatever comes next gets the one that was left.
    let app = TestApp::start_with(Engine::Postgres, |options| options.pool_size = 1).await;
    let outside = app.connect().await;
    for round in 0..3 {
        let begun = Arc::new(Notify::new());
        tokio::select! {
            _ = app.app.database.write(Linger(Arc::clone(&begun))) => panic!("it has no end"),
            () = begun.notified() => {}
        }
        assert_eq!(bumps(&app).await, round, "an unfinished write is seen");
        let begun = Arc::new(Notify::new());
        tokio::select! {
            _ = app.app.database.read(LingerOverRead(Arc::clone(&begun))) => panic!("it has no end"),
            () = begun.notified() => {}
        }
        app.app.database.write(Bump).await.unwrap();
        let kept: i64 = outside.query_one(BUMPS.text(), &[]).await.unwrap().get(0);
        assert_eq!(kept, round + 1, "an answered write is not kept");
    }
    let open =
        "select count(*) from pg_stat_activity where state like 'idle in transaction%' and query like '%store_states%'
                and pid in (select pid from pg_locks where relation = 'store_states'::regclass)";
    // The statistics may lag behind; what is left open stays.
    for _ in 0..100 {
        if outside.query_one(open, &[]).await.unwrap().get::<_, i64>(0) == 0 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("a transaction was left open");
}

/// Reads a table that is locked.
struct ReadStores;

impl Read for ReadStores {
    const NAME: &'static str = "read_stores";
    type Out = ();
    type Error = Error;

    async fn run<Q: Query>(&self, query: &mut Q) -> Result<()> {
        query.first::<i64>(Sql::new("select count(*) from stores").bind(&[])).await?;
        Ok(())
    }
}

/// Blocks its thread until the sender is used or dropped.
struct Block(Mutex<mpsc::Receiver<()>>);

impl Read for Block {
    const NAME: &'static str = "block";
    type Out = ();
    type Error = Error;

    async fn run<Q: Query>(&self, _: &mut Q) -> Result<()> {
        self.0.lock().unwrap().recv().ok();
        Ok(())
    }
}

/// Waits until nobody else holds the resource of a long read.
async fn until_released(held: &Arc<()>) {
    for _ in 0..1_000 {
        if Arc::strong_count(held) == 1 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("a read that has ended holds its resource");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn on_sqlite_a_long_read_whose_caller_is_gone_holds_its_resource_until_it_has_ended() {
    let app = TestApp::start(Engine::Sqlite).await;
    let (held, (end, ended)) = (Arc::new(()), mpsc::channel());
    let read = app.app.database.read_long_holding(Arc::clone(&held), Block(Mutex::new(ended)));
    assert!(read.now_or_never().is_none());
    assert_eq!(Arc::strong_count(&held), 2);
    end.send(()).unwrap();
    until_released(&held).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn on_postgresql_a_long_read_whose_caller_is_gone_holds_its_resource_until_it_has_ended() {
    let app = TestApp::start(Engine::Postgres).await;
    let (held, outside) = (Arc::new(()), app.connect().await);
    outside.batch_execute("begin; lock table stores in access exclusive mode").await.unwrap();
    let waiting = "select count(*) from pg_locks where not granted and relation = 'stores'::regclass";
    let begun = async {
        while outside.query_one(waiting, &[]).await.unwrap().get::<_, i64>(0) == 0 {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::select! {
        _ = app.app.database.read_long_holding(Arc::clone(&held), ReadStores) => panic!("the table is locked"),
        () = begun => {}
    }
    assert_eq!(Arc::strong_count(&held), 2);
    outside.batch_execute("rollback").await.unwrap();
    until_released(&held).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn on_postgresql_a_call_cut_off_anywhere_leaves_the_server_in_order() {
    let app = TestApp::start_with(Engine::Postgres, |options| options.pool_size = 2).await;
    let ann = app.shopper("ann").await;
    let lid = ann.list("Cut").await;
    ann.add(&lid, &[1_000]).await;
    let outside = app.connect().await;
    let backends = "select pid from pg_stat_activity
                    where application_name = current_setting('application_name') and pid <> pg_backend_pid()";
    let pids = async || -> BTreeSet<i32> {
        outside.query(backends, &[]).await.unwrap().iter().map(|row| row.get(0)).collect()
    };
    let before = pids().await;
    // Each call is polled a little further than the one before, and then dropped.
    for polls in 1..40 {
        let variant = [polls];
        let mut call = Box::pin(ann.add(&lid, &variant));
        for _ in 0..polls {
            if (&mut call).now_or_never().is_some() {
                break;
            }
            tokio::task::yield_now().await;
        }
        drop(call);
        let page = ann.page(&lid, &[("itemslimit", "100")]).await;
        assert_eq!(page["data"]["cnt"], page["data"]["listcontents"].as_array().unwrap().len());
    }
    ann.add(&lid, &[2_000]).await;
    let kept = outside.query_one("select count(*) from items where variant_id = 2000", &[]).await.unwrap();
    assert_eq!(kept.get::<_, i64>(0), 1);
    let after = pids().await;
    assert!(before.is_subset(&after), "a connection whose call was cut off is used again: {before:?}, {after:?}");
    app.assert_sound().await;
}

/// Reads, waits (the first time) for its rival to have read too, and then writes what it read plus one.
struct ReadThenWrite {
    rival: Arc<Barrier>,
    attempts: Arc<AtomicUsize>,
    met: AtomicUsize,
}

impl Write for ReadThenWrite {
    const NAME: &'static str = "read_then_write";
    const SERIALIZABLE: bool = true;
    type Out = ();
    type Error = Error;

    async fn run<T: Tx>(&self, tx: &mut T) -> Result<()> {
        const SET: Sql = Sql::new("update store_states set reminders_at = $1 where store_id = 1");
        self.attempts.fetch_add(1, Ordering::SeqCst);
        let seen: i64 = tx.first(BUMPS.bind(&[])).await?.unwrap_or_default();
        if self.met.fetch_add(1, Ordering::SeqCst) == 0 {
            self.rival.wait().await;
        }
        tx.execute(SET.bind(&[(seen + 1).into()])).await.map(drop)
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn on_postgresql_a_serialization_failure_is_run_again_and_counted() {
    metrics::recorder();
    let app = TestApp::start(Engine::Postgres).await;
    let (rival, attempts) = (Arc::new(Barrier::new(2)), Arc::new(AtomicUsize::new(0)));
    let operation =
        || ReadThenWrite { rival: Arc::clone(&rival), attempts: Arc::clone(&attempts), met: AtomicUsize::new(0) };
    let (one, two) = join(app.app.database.write(operation()), app.app.database.write(operation())).await;
    one.unwrap();
    two.unwrap();
    assert_eq!(bumps(&app).await, 2, "a change is lost");
    let attempts = attempts.load(Ordering::SeqCst);
    assert!(attempts > 2, "{attempts}");
    assert_eq!(retries("read_then_write").await, attempts - 2);
}

/// Updates two rows, and waits in between (the first time) for its rival to have the other one.
struct TwoRows {
    rows: [i64; 2],
    rival: Arc<Barrier>,
    met: AtomicUsize,
}

impl Write for TwoRows {
    const NAME: &'static str = "two_rows";
    type Out = ();
    type Error = Error;

    async fn run<T: Tx>(&self, tx: &mut T) -> Result<()> {
        const BUMP_ONE: Sql = Sql::new("update store_states set reminders_at = reminders_at + 1 where store_id = $1");
        tx.execute(BUMP_ONE.bind(&[self.rows[0].into()])).await?;
        if self.met.fetch_add(1, Ordering::SeqCst) == 0 {
            self.rival.wait().await;
        }
        tx.execute(BUMP_ONE.bind(&[self.rows[1].into()])).await.map(drop)
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn on_postgresql_a_deadlock_is_run_again_and_counted() {
    metrics::recorder();
    let app = TestApp::start(Engine::Postgres).await;
    app.create_store(Default::default()).await;
    let rival = Arc::new(Barrier::new(2));
    let operation = |rows| TwoRows { rows, rival: Arc::clone(&rival), met: AtomicUsize::new(0) };
    let (one, two) = join(app.app.database.write(operation([1, 2])), app.app.database.write(operation([2, 1]))).await;
    one.unwrap();
    two.unwrap();
    assert_eq!(bumps(&app).await, 2);
    // On a busy machine the loser may be back before the winner goes on, and they meet again.
    assert!(retries("two_rows").await >= 1);
}

/// What `/metrics` says.
async fn retries(operation: &str) -> usize {
    let reply = Reply::of(&metrics_router(), Request::get("/metrics").body(Body::empty()).unwrap()).await;
    let name = format!("wishbone_database_retries_total{{operation=\"{operation}\"}} ");
    let text = reply.text();
    let line = text.lines().find_map(|line| line.strip_prefix(&name));
    line.unwrap_or_else(|| panic!("no {name}")).parse().unwrap()
}

/// Reads twice, without a transaction if it may. Between the first two reads another connection writes.
struct ReadTwice {
    app: Arc<App>,
    attempts: Arc<AtomicUsize>,
}

impl Read for ReadTwice {
    const NAME: &'static str = "read_twice";
    type Out = (i64, i64);
    type Error = Error;

    fn needs_snapshot(&self) -> bool {
        false
    }

    async fn run<Q: Query>(&self, query: &mut Q) -> Result<Self::Out> {
        let first: i64 = query.first(BUMPS.bind(&[])).await?.unwrap_or_default();
        assert_eq!(query.is_snapshot(), self.attempts.fetch_add(1, Ordering::SeqCst) > 0);
        self.app.database.write(Bump).await?;
        let second: i64 = query.first(BUMPS.bind(&[])).await?.unwrap_or_default();
        query.require_consistent(first == second)?;
        Ok((first, second))
    }
}

#[tokio::test]
async fn on_postgresql_a_read_that_has_seen_two_states_is_run_again_as_a_snapshot() {
    let app = TestApp::start(Engine::Postgres).await;
    let attempts = Arc::default();
    let read = ReadTwice { app: Arc::clone(&app.app), attempts: Arc::clone(&attempts) };
    assert_eq!(app.app.database.read(read).await.unwrap(), (1, 1));
    assert_eq!((attempts.load(Ordering::SeqCst), bumps(&app).await), (2, 2));
}

/// Ends its own connection, the first time.
struct LoseConnection(AtomicUsize);

impl Write for LoseConnection {
    const NAME: &'static str = "lose_connection";
    type Out = usize;
    type Error = Error;

    async fn run<T: Tx>(&self, tx: &mut T) -> Result<usize> {
        const END: Sql = Sql::new("select pg_terminate_backend(pg_backend_pid())");
        tx.execute(BUMP.bind(&[])).await?;
        let attempt = self.0.fetch_add(1, Ordering::SeqCst);
        if attempt == 0 {
            tx.query_all(&[END.bind(&[])], &mut |_, _| Ok(())).await?;
        }
        Ok(attempt)
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn on_postgresql_a_write_whose_connection_is_lost_before_its_commit_is_run_again() {
    let app = TestApp::start(Engine::Postgres).await;
    assert!(app.app.database.write(LoseConnection(AtomicUsize::new(0))).await.unwrap() >= 1);
    assert_eq!(bumps(&app).await, 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn on_postgresql_a_restart_of_the_database_is_not_noticed_by_the_next_call() {
    let app = TestApp::start(Engine::Postgres).await;
    let Location::Postgres(url) = app.location().clone() else { unreachable!() };
    let name = format!("restarted-{}", std::process::id());
    // Workers have connections of their own.
    let url = format!("{url}&application_name={name}");
    let app = app.on(Location::Postgres(url), |options| options.distributed_by = None).await;
    let ann = app.shopper("ann").await;
    let lid = ann.list("Before").await;
    let outside = app.connect().await;
    for n in 1..=5 {
        let end = "select pg_terminate_backend(pid) from pg_stat_activity
                   where application_name = $1 and pid <> pg_backend_pid()";
        assert!(outside.execute(end, &[&name]).await.unwrap() >= 1);
        ann.add(&lid, &[n]).await;
        assert_eq!(ann.page(&lid, &[]).await["data"]["cnt"], n);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn on_postgresql_statements_prepared_before_a_change_of_the_schema_are_prepared_anew() {
    let app = TestApp::start_with(Engine::Postgres, |options| options.pool_size = 1).await;
    let ann = app.shopper("ann").await;
    let lid = ann.list("Before").await;
    ann.add(&lid, &[1]).await;
    ann.page(&lid, &[]).await;
    let outside = app.connect().await;
    for change in [
        "alter table stores alter column generation type integer",
        "alter table lists alter column version type integer",
        "alter table lists add column more text",
    ] {
        outside.batch_execute(change).await.unwrap();
    }
    assert_eq!(ann.page(&lid, &[]).await["data"]["cnt"], 1);
    ann.add(&lid, &[2]).await;
    assert_eq!(ann.page(&lid, &[]).await["data"]["cnt"], 2);
}

/// Holds the writer, or a connection, until it is told to go on.
struct Hold {
    begun: Arc<Notify>,
    go_on: Mutex<mpsc::Receiver<()>>,
}

impl Write for Hold {
    const NAME: &'static str = "hold";
    type Out = ();
    type Error = Error;

    async fn run<T: Tx>(&self, tx: &mut T) -> Result<()> {
        tx.execute(BUMP.bind(&[])).await?;
        self.begun.notify_one();
        let _ = self.go_on.lock().unwrap().recv();
        Ok(())
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn on_sqlite_a_full_queue_of_writes_is_answered_as_overload_while_reads_go_on() {
    let app = TestApp::start_with(Engine::Sqlite, |options| options.write_queue = 1).await;
    let ann = app.shopper("ann").await;
    let lid = ann.list("Waiting").await;
    let (go_on, wait) = mpsc::channel();
    let begun = Arc::new(Notify::new());
    let shared = Arc::clone(&app.app);
    let hold = Hold { begun: Arc::clone(&begun), go_on: Mutex::new(wait) };
    let held = tokio::spawn(async move { shared.database.write(hold).await });
    begun.notified().await;

    let mut waiting = Box::pin(ann.add(&lid, &[1]));
    assert!((&mut waiting).now_or_never().is_none());
    let items = Value::from(vec![item(2)]).to_string();
    let refused = ann.post("lists/update-ctx", &[("lid", &lid), ("a", &items)]).await;
    refused.fails(503, "overloaded");
    assert_eq!(refused.headers["retry-after"], "1");
    assert_eq!(ann.page(&lid, &[]).await["data"]["cnt"], 0);

    drop(go_on);
    held.await.unwrap().unwrap();
    waiting.await;
    ann.add(&lid, &[3]).await;
    assert_eq!(epis(&ann.page(&lid, &[]).await["data"]["listcontents"]), [3, 1]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn on_postgresql_a_call_that_gets_no_connection_is_answered_as_overload() {
    let app = TestApp::start_with(Engine::Postgres, |options| options.pool_size = 1).await;
    let ann = app.shopper("ann").await;
    let begun = Arc::new(Notify::new());
    let mut held = Box::pin(app.app.database.write(Linger(Arc::clone(&begun))));
    tokio::select! {
        _ = &mut held => panic!("it has no end"),
        () = begun.notified() => {}
    }
    ann.post("lists/fetch-user-lists", &[]).await.fails(503, "overloaded");
    drop(held);
    ann.post("lists/fetch-user-lists", &[]).await.ok();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn on_sqlite_a_write_whose_caller_goes_away_is_still_done() {
    let app = TestApp::start(Engine::Sqlite).await;
    assert!(app.app.database.write(Bump).now_or_never().is_none());
    // Whatever comes after it in the queue is done after it.
    app.app.database.write(Bump).await.unwrap();
    assert_eq!(bumps(&app).await, 2);
}

/// Counts without end.
struct Runaway;

impl Read for Runaway {
    const NAME: &'static str = "runaway";
    type Out = i64;
    type Error = Error;

    async fn run<Q: Query>(&self, query: &mut Q) -> Result<i64> {
        const COUNT: Sql = Sql::new(
            "with recursive numbers (n) as (select 1 union all select n + 1 - n % 2 from numbers) select count(*) from numbers",
        );
        Ok(query.first(COUNT.bind(&[])).await?.unwrap_or_default())
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_fuse_stops_a_read_that_runs_away_and_nothing_else() {
    for engine in [Engine::Sqlite, Engine::Postgres] {
        let app = TestApp::start(engine).await;
        let location = app.location().clone();
        let app = app
            .on(location, |options| {
                options.statement_timeout = Duration::from_millis(500);
                (options.readers, options.pool_size) = (1, 1);
            })
            .await;
        for round in 1..=2 {
            let error = app.app.database.read(Runaway).await.unwrap_err();
            assert!(matches!(error, Error::Timeout), "{engine:?}: {error}");
            // The same connection does its work again.
            app.app.database.write(Bump).await.unwrap();
            assert_eq!(bumps(&app).await, round);
        }
        app.assert_sound().await;
    }
}
