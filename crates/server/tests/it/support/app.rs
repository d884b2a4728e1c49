//! An app in the test process, with its own database.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use serde_json::json;
use tempfile::TempDir;
use tokio::sync::OnceCell;
use wishbone_core::operator::Operator;
use wishbone_core::registry::{MIGRATIONS, default_options, layout};
use wishbone_core::stores::login_secret::{self, NewSecret};
use wishbone_core::stores::manage::{CreateStore, UpdateStore};
use wishbone_core::stores::settings::{Feature, Plan, Settings, SettingsChange};
use wishbone_core::tokens::{Keys, api_key, pid};
use wishbone_server::app::{App, Limits};
use wishbone_server::environment::Environment;
use wishbone_server::http::router::router;
use wishbone_server::mail::mailer::Mailer;
use wishbone_server::mail::outbox::Outbox;
use wishbone_server::mail::transport::Transport;
use wishbone_server::outbound::client::HttpClient;
use wishbone_storage::{Cluster, Database, FailPoint, Location, Options};

use super::clients::{Admin, Client};
use super::process::until;
use super::tokens::LOGIN_SECRET;

/// The time at which every test starts.
pub const NOW: i64 = 1_700_000_000_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    Sqlite,
    Postgres,
}

pub struct TestApp {
    pub app: Arc<App>,
    pub router: Router,
    /// The default store: plan enterprise, all features enabled.
    pub store: TestStore,
    /// Keeps the database file until the app is dropped.
    folder: TempDir,
    pub(super) fail_point: FailPoint,
    location: Location,
}

#[derive(Clone, Debug)]
pub struct TestStore {
    pub pid: String,
    pub key: String,
}

impl TestApp {
    pub async fn start(engine: Engine) -> Self {
        Self::start_with(engine, |_| {}).await
    }

    pub async fn start_with(engine: Engine, change: impl FnOnce(&mut Options)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let location = match engine {
            Engine::Sqlite => {
                let path = folder.path().join("wishbone.db");
                std::fs::write(&path, migrated_database().await).unwrap();
                Location::Sqlite(path)
            }
            Engine::Postgres => Location::Postgres(own_schema().await),
        };
        let mut options = Options { pool_size: 8, ..default_options() };
        change(&mut options);
        Self::open(location, folder, &options).await
    }

    async fn open(location: Location, folder: TempDir, options: &Options) -> Self {
        let database = Database::open(&location, MIGRATIONS, options).await.unwrap();
        let app = node(database, folder.path());
        let router = router(&app);
        let features = [Feature::SortFilter, Feature::SaveForLater, Feature::Subscriptions];
        let settings = Settings { plan: Plan::Enterprise, features: features.into(), ..Settings::default() };
        let store = create_store(&app, settings).await;
        Self { app, router, store, folder, fail_point: options.fail_point.clone(), location }
    }

    /// Another server on the same database, as after a restart or on a second node.
    pub async fn second_node(&self) -> Arc<App> {
        let database =
            Database::open(&self.location, MIGRATIONS, &Options { pool_size: 8, ..default_options() }).await.unwrap();
        node(database, self.folder.path())
    }

    /// Another server on the same database, with an SMTP server.
    pub async fn node_mailing(&self, smtp: &str) -> Arc<App> {
        let options = Options { pool_size: 8, fail_point: self.fail_point.clone(), ..default_options() };
        let database = Database::open(&self.location, MIGRATIONS, &options).await.unwrap();
        let node = node_mailing(database, Transport::smtp(smtp).unwrap());
        node.environment.set_now(self.app.environment.now());
        node
    }

    /// Another server on the same database, with another HTTP client for webhooks.
    pub async fn node_sending(&self, outbound: HttpClient) -> Arc<App> {
        let options = Options { pool_size: 8, fail_point: self.fail_point.clone(), ..default_options() };
        let database = Database::open(&self.location, MIGRATIONS, &options).await.unwrap();
        let keys = Keys::new(&[vec![7; 32]]).unwrap();
        let mut app = App::new(database, keys, Environment::fixed(self.app.environment.now()), limits());
        app.outbound = outbound;
        Arc::new(app)
    }

    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The location of the database, for tests that access it directly.
    pub fn location(&self) -> &Location {
        &self.location
    }

    /// The same database at another location, such as through a proxy.
    pub async fn on(self, location: Location, change: impl FnOnce(&mut Options)) -> Self {
        let mut options = Options { pool_size: 8, ..default_options() };
        change(&mut options);
        let database = Database::open(&location, MIGRATIONS, &options).await.unwrap();
        let app = node(database, self.folder.path());
        Self { router: router(&app), app, location, fail_point: options.fail_point, ..self }
    }

    /// The same database with a number of connections, shared fairly among the workers of a cluster.
    pub async fn limiting_workers(self, connections: usize) -> Self {
        let options = Options { pool_size: connections, ..default_options() };
        let database = Database::open(&self.location, MIGRATIONS, &options).await.unwrap();
        let mut app = node(database, self.folder.path());
        Arc::get_mut(&mut app).unwrap().limit_workers(connections);
        Self { router: router(&app), app, ..self }
    }

    /// A separate connection to the test's schema (PostgreSQL).
    pub async fn connect(&self) -> tokio_postgres::Client {
        let Location::Postgres(url) = &self.location else { panic!("SQLite has no connections") };
        let (client, connection) = tokio_postgres::connect(url, tokio_postgres::NoTls).await.unwrap();
        tokio::spawn(connection);
        client
    }

    /// True, and says why, if the test cannot run because the tables are distributed.
    pub fn skip_on_citus(&self, reason: &str) -> bool {
        let skip = matches!(self.location, Location::Postgres(_)) && is_on_citus();
        if skip {
            println!("skipped on Citus: {reason}");
        }
        skip
    }

    /// Migrates the database again, as a newer server would, and distributes new tables if it is a Citus cluster.
    pub async fn migrate(&self) {
        drop(Database::open(&self.location, MIGRATIONS, &default_options()).await.unwrap());
        if let Location::Postgres(url) = &self.location
            && is_on_citus()
        {
            distribute(url).await;
        }
    }

    /// Another store on the same server.
    pub async fn create_store(&self, settings: Settings) -> TestStore {
        create_store(&self.app, settings).await
    }

    /// Changes settings of the default store.
    pub async fn set(&self, change: SettingsChange) {
        let (by, moment) = (Operator::of_this_machine(), self.app.environment.moment());
        self.app.database.write(UpdateStore { by, pid: self.store.pid.clone(), change, moment }).await.unwrap();
    }

    pub fn advance(&self, millis: i64) {
        self.app.environment.set_now(self.app.environment.now() + millis);
    }

    pub fn store_admin(&self) -> Admin {
        self.admin_of(&self.store)
    }

    pub fn admin_of(&self, store: &TestStore) -> Admin {
        Admin::new(self.router.clone(), store.clone())
    }

    /// A logged-in shopper `<name>@example.com` of the default store.
    pub async fn shopper(&self, name: &str) -> Client {
        self.shopper_of(&self.store, name).await
    }

    pub async fn shopper_of(&self, store: &TestStore, name: &str) -> Client {
        let email = format!("{name}@example.com");
        let reply = self.admin_of(store).form("/storeadmin/v3/user/generate-regid", &[("useremail", &email)]).await;
        Client::new(self.router.clone(), store.pid.clone(), reply.ok())
    }

    /// A guest identified by the uuid of a device.
    pub async fn guest(&self) -> Client {
        let uuid = self.app.environment.uuid().to_string();
        let reply = self.store_admin().form("/storeadmin/v3/user/generate-regid", &[("uuid", &uuid)]).await;
        Client::new(self.router.clone(), self.store.pid.clone(), reply.ok())
    }

    /// A guest registered by a browser.
    pub async fn browser(&self) -> Client {
        let nobody = Client::nobody(self.router.clone(), self.store.pid.clone());
        let reply = nobody.raw("/api/v3/provider/register", &[]).await;
        Client::new(self.router.clone(), self.store.pid.clone(), reply.ok())
    }

    /// The id of a webhook of the default store, which is made if there is none.
    pub async fn webhook(&self) -> String {
        let admin = self.store_admin();
        let known = admin.json("/storeadmin/v3/webhooks/list", &json!({})).await.ok();
        if let Some(id) = known["data"][0]["id"].as_str() {
            return id.to_owned();
        }
        let new = json!({ "url": "https://shop.example/hooks", "events": ["alert.sent"] });
        let made = admin.json("/storeadmin/v3/webhooks/create", &new).await.ok();
        made["data"]["id"].as_str().unwrap().to_owned()
    }

    /// The number of rows of a table.
    pub async fn rows(&self, table: &'static str) -> usize {
        self.app.database.dump(table).await.unwrap().len()
    }
}

/// A server that writes mails to the outbox in its folder.
fn node(database: Database, folder: &Path) -> Arc<App> {
    node_mailing(database, Transport::Outbox(Outbox::new(folder.join("outbox"))))
}

/// Streams end after their first event: calls are made in process, and wait for the whole response.
fn limits() -> Limits {
    Limits { live_timeout: Duration::ZERO, ..Limits::default() }
}

fn node_mailing(database: Database, transport: Transport) -> Arc<App> {
    let keys = Keys::new(&[vec![7; 32]]).unwrap();
    let mut app = App::new(database, keys, Environment::fixed(NOW), limits());
    app.outbound = HttpClient::new(true);
    app.mailer = Some(Mailer::new(transport, "lists@shop.example".parse().unwrap(), "https://lists.shop.example"));
    Arc::new(app)
}

async fn create_store(app: &App, settings: Settings) -> TestStore {
    let (pid, key) = (pid(&app.environment.random()), api_key(&app.environment.random()));
    let by = Operator::of_this_machine();
    let create = CreateStore { by, pid: pid.clone(), name: "Test".into(), api_key: key.clone(), settings, now: NOW };
    app.database.write(create).await.unwrap();
    let new = NewSecret { random: LOGIN_SECRET, nonce: [0; 12], now: NOW };
    login_secret::rotate(&app.database, &app.keys, by, &pid, &new).await.unwrap();
    TestStore { pid, key }
}

/// The file of an empty SQLite database. Migrations would take most of the time of a short test.
async fn migrated_database() -> &'static [u8] {
    static FILE: OnceCell<Vec<u8>> = OnceCell::const_new();
    FILE.get_or_init(|| async {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("wishbone.db");
        let location = Location::Sqlite(path.clone());
        drop(Database::open(&location, MIGRATIONS, &default_options()).await.unwrap());
        // The last connection to be closed writes everything into the file.
        until("the database is closed", || !folder.path().join("wishbone.db-wal").exists());
        std::fs::read(path).unwrap()
    })
    .await
}

/// True if the test server is the coordinator of a Citus cluster.
pub fn is_on_citus() -> bool {
    std::env::var_os("WISHBONE_TEST_CITUS").is_some()
}

/// The URL of a new schema on the test server. With `WISHBONE_TEST_CITUS` its tables are distributed.
async fn own_schema() -> String {
    let url = std::env::var("WISHBONE_TEST_POSTGRES")
        .expect("WISHBONE_TEST_POSTGRES is not set: run ./scripts/test, or ./scripts/with-postgres cargo test");
    let (client, connection) = tokio_postgres::connect(&url, tokio_postgres::NoTls).await.unwrap();
    let driver = tokio::spawn(connection);
    let schema = format!("t{}", Environment::Real.uuid().simple());
    client.batch_execute(&format!("create schema {schema}")).await.unwrap();
    drop(client);
    let _ = driver.await;
    let separator = if url.contains('?') { '&' } else { '?' };
    // The application name identifies the connections of this test.
    let url = format!("{url}{separator}options=-csearch_path%3D{schema}&application_name={schema}");
    if is_on_citus() {
        let location = Location::Postgres(url.clone());
        drop(Database::open(&location, MIGRATIONS, &Options { pool_size: 1, ..default_options() }).await.unwrap());
        distribute(&url).await;
    }
    url
}

async fn distribute(url: &str) {
    let layout = layout();
    let cluster = Cluster::connect(url, layout.clone()).await.unwrap().expect("the test server does not have Citus");
    for table in layout.reference.iter().chain(&layout.distributed) {
        cluster.distribute(table).await.unwrap();
    }
    assert_eq!(cluster.misplaced().await.unwrap().as_deref(), Some(&[][..]));
}
