//! PostgreSQL is away, silent, or says that a commit is incomplete.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::future::join_all;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, watch};
use wishbone_storage::{Error, Location, Query, Read, Result, Sql, Tx, Write};

use super::failures::{BUMP, BUMPS, Bump, Linger, bumps};
use crate::support::{Engine, TestApp};

/// Stands between the app and PostgreSQL, and fails like a host.
struct FailingHost {
    /// In place of the address in the URL.
    address: String,
    /// Refuses new connections, and closes those that are open.
    is_down: watch::Sender<bool>,
    /// The connections up to this number pass nothing on, but stay open. New ones are accepted all the same.
    frozen: watch::Sender<usize>,
    connections: Arc<AtomicUsize>,
    rejected: Arc<AtomicUsize>,
}

impl FailingHost {
    async fn before(server: String) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let (is_down, frozen) = (watch::Sender::new(false), watch::Sender::new(0));
        let [connections, rejected] = [(); 2].map(|()| Arc::new(AtomicUsize::new(0)));
        let (down, ice) = (is_down.clone(), frozen.clone());
        let (accepted, refused) = (Arc::clone(&connections), Arc::clone(&rejected));
        tokio::spawn(async move {
            while let Ok((app, _)) = listener.accept().await {
                if *down.borrow() {
                    refused.fetch_add(1, Ordering::SeqCst);
                    continue;
                }
                let number = accepted.fetch_add(1, Ordering::SeqCst) + 1;
                let (from_app, to_app) = app.into_split();
                let (from_server, to_server) = TcpStream::connect(&server).await.unwrap().into_split();
                let (ice, mut down) = (ice.subscribe(), down.subscribe());
                tokio::spawn(async move {
                    tokio::select! {
                        () = pass(from_app, to_server, number, ice.clone()) => {}
                        () = pass(from_server, to_app, number, ice) => {}
                        _ = down.wait_for(|is_down| *is_down) => {}
                    }
                });
            }
        });
        Self { address, is_down, frozen, connections, rejected }
    }

    /// Freezes the open connections.
    fn freeze_open_connections(&self) {
        self.frozen.send_replace(self.connections.load(Ordering::SeqCst));
    }

    /// Freezes all connections, also those that come.
    fn freeze(&self) {
        self.frozen.send_replace(usize::MAX);
    }

    fn thaw(&self) {
        self.frozen.send_replace(0);
    }
}

async fn pass(mut from: OwnedReadHalf, mut to: OwnedWriteHalf, number: usize, mut frozen: watch::Receiver<usize>) {
    let mut buffer = vec![0; 16 * 1024];
    while let Ok(read @ 1..) = from.read(&mut buffer).await {
        if frozen.wait_for(|frozen| *frozen < number).await.is_err() || to.write_all(&buffer[..read]).await.is_err() {
            return;
        }
    }
}

/// The address of the server in a URL, and the URL with other addresses.
fn server(app: &TestApp) -> (String, impl Fn(&str) -> Location + use<>) {
    let Location::Postgres(url) = app.location().clone() else { panic!("SQLite has no hosts") };
    let (before, after) = (url.find('@').unwrap() + 1, url.rfind('/').unwrap());
    let server = url[before..after].to_owned();
    (server, move |hosts| Location::Postgres(format!("{}{hosts}{}", &url[..before], &url[after..])))
}

/// Takes the host down, the first time, before its commit.
struct BumpDuringOutage {
    attempts: AtomicUsize,
    host: watch::Sender<bool>,
}

impl Write for BumpDuringOutage {
    const NAME: &'static str = "bump_during_outage";
    const IDEMPOTENT: bool = true;
    type Out = ();
    type Error = Error;

    async fn run<T: Tx>(&self, tx: &mut T) -> Result<()> {
        tx.execute(BUMP.bind(&[])).await?;
        if self.attempts.fetch_add(1, Ordering::SeqCst) == 0 {
            self.host.send_replace(true);
        }
        Ok(())
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_idempotent_write_survives_a_database_that_cannot_be_reached_for_a_moment() {
    let app = TestApp::start(Engine::Postgres).await;
    let (server, at) = server(&app);
    let host = FailingHost::before(server).await;
    let app = app.on(at(&host.address), |_| {}).await;
    let (is_down, rejected) = (host.is_down.clone(), Arc::clone(&host.rejected));
    tokio::spawn(async move {
        while rejected.load(Ordering::SeqCst) < 3 {
            tokio::task::yield_now().await;
        }
        is_down.send_replace(false);
    });
    let write = BumpDuringOutage { attempts: AtomicUsize::new(0), host: host.is_down.clone() };
    app.app.database.write(write).await.unwrap();
    assert_eq!(bumps(&app).await, 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_database_that_stays_away_is_reported() {
    let app = TestApp::start(Engine::Postgres).await;
    let (server, at) = server(&app);
    let host = FailingHost::before(server).await;
    let app = app.on(at(&host.address), |_| {}).await;
    let ann = app.shopper("ann").await;
    host.is_down.send_replace(true);
    ann.post("lists/fetch-user-lists", &[]).await.fails(503, "overloaded");
    host.is_down.send_replace(false);
    ann.post("lists/fetch-user-lists", &[]).await.ok();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn writes_that_wait_leave_connections_to_reads() {
    let app = TestApp::start_with(Engine::Postgres, |options| options.pool_size = 4).await;
    app.app.database.write(Bump).await.unwrap();
    // They wait for the lock of the first one.
    let begun = Arc::new(Notify::new());
    let mut first = Box::pin(app.app.database.write(Linger(Arc::clone(&begun))));
    tokio::select! {
        _ = &mut first => panic!("it has no end"),
        () = begun.notified() => {}
    }
    let others = join_all((0..6).map(|_| app.app.database.write(Bump)));
    let reads = async {
        let outside = app.connect().await;
        let waiting = "select count(*) from pg_stat_activity where state = 'active' and pid in
                       (select pid from pg_locks where relation = 'store_states'::regclass)";
        while outside.query_one(waiting, &[]).await.unwrap().get::<_, i64>(0) < 2 {
            tokio::task::yield_now().await;
        }
        for _ in 0..20 {
            assert_eq!(bumps(&app).await, 1);
        }
        drop(first);
    };
    let (others, ()) = tokio::join!(others, reads);
    let done = others.iter().filter(|other| other.is_ok()).count();
    assert!(others.iter().all(|other| matches!(other, Ok(()) | Err(Error::Busy))), "{others:?}");
    assert!(done >= 2, "{others:?}");
    assert_eq!(bumps(&app).await, 1 + done as i64);
}

/// A read that takes until it may end.
struct Wait(AtomicBool);

impl Read for Wait {
    const NAME: &'static str = "wait";
    type Out = i64;
    type Error = Error;

    async fn run<Q: Query>(&self, query: &mut Q) -> Result<i64> {
        const FOREVER: Sql = Sql::new("select count(*) from pg_sleep(1000)");
        if self.0.swap(false, Ordering::SeqCst) {
            query.rows::<i64>(FOREVER.bind(&[])).await?;
        }
        Ok(query.first(BUMPS.bind(&[])).await?.unwrap_or_default())
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn operations_on_a_host_that_freezes_go_on_at_the_other_host() {
    let app = TestApp::start(Engine::Postgres).await;
    let (server, at) = server(&app);
    let [first, second] = [FailingHost::before(server.clone()).await, FailingHost::before(server).await];
    let app = app.on(at(&format!("{},{}", first.address, second.address)), |_| {}).await;
    assert_eq!(bumps(&app).await, 0);
    assert_eq!(second.connections.load(Ordering::SeqCst), 0, "the first host that works is kept");
    first.freeze();
    // Without a monitor this has no limit.
    app.app.database.read_long(Wait(AtomicBool::new(true))).await.unwrap();
    app.app.database.write(Bump).await.unwrap();
    assert!(second.connections.load(Ordering::SeqCst) > 0);
    // The first host is used again when it is back and the second one freezes.
    first.thaw();
    second.freeze();
    app.app.database.write(Bump).await.unwrap();
    assert_eq!(bumps(&app).await, 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_operation_on_a_connection_that_falls_silent_is_run_on_another_one() {
    let app = TestApp::start(Engine::Postgres).await;
    let (server, at) = server(&app);
    let host = FailingHost::before(server).await;
    let app = app.on(at(&host.address), |options| options.statement_timeout = Duration::from_millis(500)).await;
    app.app.database.write(Bump).await.unwrap();
    host.freeze_open_connections();
    app.app.database.write(Bump).await.unwrap();
    assert_eq!(bumps(&app).await, 2);
}

/// A bump whose commit makes the server warn, the first time.
struct IncompleteBump<const IDEMPOTENT: bool>(AtomicUsize);

impl<const IDEMPOTENT: bool> Write for IncompleteBump<IDEMPOTENT> {
    const NAME: &'static str = "incomplete_bump";
    const IDEMPOTENT: bool = IDEMPOTENT;
    type Out = ();
    type Error = Error;

    async fn run<T: Tx>(&self, tx: &mut T) -> Result<()> {
        const WARN: Sql = Sql::new("insert into warned values (1)");
        tx.execute(BUMP.bind(&[])).await?;
        if self.0.fetch_add(1, Ordering::SeqCst) == 0 {
            tx.execute(WARN.bind(&[])).await?;
        }
        Ok(())
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_commit_that_the_server_reports_as_incomplete_has_an_unknown_outcome() {
    let app = TestApp::start(Engine::Postgres).await;
    // What Citus says when a worker fails during the second phase of a commit.
    let schema = "create table warned (n bigint);
        create function warn() returns trigger language plpgsql as
            $$ begin raise warning 'failed to commit transaction on worker:5432'; return null; end $$;
        create constraint trigger warn after insert on warned initially deferred for each row execute function warn()";
    app.connect().await.batch_execute(schema).await.unwrap();
    let error = app.app.database.write(IncompleteBump::<false>(AtomicUsize::new(0))).await.unwrap_err();
    assert!(matches!(error, Error::OutcomeUnknown(_)), "{error}");
    app.app.database.write(Bump).await.unwrap();
    // Its second attempt is complete.
    app.app.database.write(IncompleteBump::<true>(AtomicUsize::new(0))).await.unwrap();
    assert_eq!(bumps(&app).await, 4);
}

/// Takes an id that is taken, the first time.
struct TakeId(AtomicUsize);

impl Write for TakeId {
    const NAME: &'static str = "take_id";
    const SERIALIZABLE: bool = true;
    type Out = usize;
    type Error = Error;

    async fn run<T: Tx>(&self, tx: &mut T) -> Result<usize> {
        const INSERT: Sql = Sql::new("insert into taken values ($1)");
        let attempt = self.0.fetch_add(1, Ordering::SeqCst);
        tx.execute(INSERT.bind(&[(attempt as i64).into()])).await?;
        Ok(attempt)
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_key_that_another_transaction_has_taken_is_a_conflict_at_serializable() {
    let app = TestApp::start(Engine::Postgres).await;
    let schema = "create table taken (id bigint primary key); insert into taken values (0)";
    app.connect().await.batch_execute(schema).await.unwrap();
    assert_eq!(app.app.database.write(TakeId(AtomicUsize::new(0))).await.unwrap(), 1);
}
