//! The program as a process: commands, servers, and clients that use sockets.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use tempfile::TempDir;
use wishbone_server::environment::Environment;

use super::{Engine, encode, encode_form, is_on_citus};

/// Timeout; only reached if something hangs.
pub const TIMEOUT: Duration = Duration::from_secs(60);

/// One test body, run with a setup on SQLite and with one on PostgreSQL.
macro_rules! both_setups {
    ($(fn $name:ident($setup:ident: Setup) $body:block)*) => {
        $(
            mod $name {
                #[allow(unused_imports)]
                use super::*;

                fn body($setup: $crate::support::process::Setup) $body

                #[test]
                fn sqlite() {
                    body($crate::support::process::Setup::on($crate::support::Engine::Sqlite));
                }

                #[test]
                fn postgres() {
                    body($crate::support::process::Setup::on($crate::support::Engine::Postgres));
                }
            }
        )*
    };
}

/// Ends the loops of other threads, also if the test fails: a scope waits for its threads.
pub struct Ending<'a>(pub &'a AtomicBool);

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Polls until the condition is true; `what` describes it in the message of a timeout.
#[track_caller]
pub fn until(what: &str, mut condition: impl FnMut() -> bool) {
    let started = Instant::now();
    while !condition() {
        assert!(started.elapsed() < TIMEOUT, "timed out waiting until {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// A temporary folder and a database, for commands and servers.
pub struct Setup {
    folder: TempDir,
    database: Option<String>,
}

impl Setup {
    pub fn on(engine: Engine) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let database = (engine == Engine::Postgres).then(own_schema);
        Self { folder, database }
    }

    pub fn new() -> Self {
        Self::on(Engine::Sqlite)
    }

    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The value of `--data`; the folder does not exist yet.
    pub fn data(&self) -> PathBuf {
        self.folder().join("data")
    }

    /// The database file (SQLite).
    pub fn file(&self) -> PathBuf {
        self.data().join("wishbone.db")
    }

    pub fn database(&self) -> Option<&str> {
        self.database.as_deref()
    }

    /// Runs SQL directly on the database.
    pub fn tamper(&self, sql: &str) {
        match self.database() {
            Some(url) => on_postgres(url, sql),
            None => rusqlite::Connection::open(self.file()).unwrap().execute_batch(sql).unwrap(),
        }
    }

    /// The program, run in the folder with an empty environment.
    pub fn bare(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_wishbone"));
        // Servers of other tests may have the usual port.
        let metrics = ("WISHBONE_METRICS_LISTEN", "127.0.0.1:0");
        command.env_clear().env(metrics.0, metrics.1).current_dir(self.folder()).args(arguments).stdin(Stdio::null());
        command
    }

    /// The program, run with the database of this setup.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.bare(arguments);
        command.arg("--data").arg(self.data());
        if let Some(url) = &self.database {
            command.args(["--database", url]);
        }
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Finished {
        Finished::of(self.command(arguments))
    }

    /// The one JSON object that a successful command prints.
    #[track_caller]
    pub fn json(&self, arguments: &[&str]) -> Value {
        let mut command = self.command(arguments);
        command.arg("--json");
        Finished::of(command).json()
    }

    /// Creates a store with all features enabled.
    pub fn create_store(&self) -> (String, String) {
        let features = ["--enable", "sort-filter", "--enable", "save-for-later", "--enable", "subscriptions"];
        let create = ["store", "create", "--name", "Test", "--plan", "enterprise"];
        let created = self.json(&[&create[..], &features[..]].concat());
        (created["pid"].as_str().unwrap().to_owned(), created["apikey"].as_str().unwrap().to_owned())
    }

    /// Starts a server, by default without a grace period.
    pub fn serve(&self, arguments: &[&str]) -> Server {
        self.serve_at(0, arguments)
    }

    pub fn serve_at(&self, port: u16, arguments: &[&str]) -> Server {
        let mut command = self.command(&["serve", "--listen", &format!("127.0.0.1:{port}")]);
        command.env("WISHBONE_DRAIN_GRACE", "0").args(arguments);
        Server::start(command, self.folder())
    }

    /// A server with one store.
    pub fn shop(&self, arguments: &[&str]) -> (Server, Shop) {
        let server = self.serve(arguments);
        let (pid, key) = self.create_store();
        let shop = server.shop(&pid, &key);
        (server, shop)
    }
}

/// Exit status and output of a command.
#[derive(Debug)]
pub struct Finished {
    pub status: ExitStatus,
    pub stdout: String,
    pub stderr: String,
}

impl Finished {
    pub fn of(mut command: Command) -> Self {
        let output = command.output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Self { status: output.status, stdout: text(output.stdout), stderr: text(output.stderr) }
    }

    #[track_caller]
    pub fn ok(&self) -> &str {
        assert!(self.status.success(), "{self:?}");
        &self.stdout
    }

    #[track_caller]
    pub fn json(&self) -> Value {
        let text = self.ok();
        assert_eq!(text.trim_end().lines().count(), 1, "one JSON object on one line: {text}");
        serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// Asserts that the command has failed, with all of `words` on stderr and nothing on stdout.
    #[track_caller]
    pub fn fails(&self, words: &[&str]) {
        assert!(!self.status.success(), "{self:?}");
        assert_eq!(self.stdout, "", "{self:?}");
        for word in words {
            assert!(self.stderr.contains(word), "no {word:?} in {self:?}");
        }
    }
}

/// A running server or demo. Dropping it kills the process.
pub struct Server {
    child: Child,
    /// The JSON object that it printed when it was ready.
    pub said: Value,
    pub address: SocketAddr,
    log: PathBuf,
}

impl Server {
    pub fn start(mut command: Command, folder: &Path) -> Self {
        let name = Environment::Real.uuid();
        let (out, log) = (folder.join(format!("{name}.out")), folder.join(format!("{name}.log")));
        command.arg("--json").stdout(File::create(&out).unwrap()).stderr(File::create(&log).unwrap());
        let child = command.spawn().unwrap();
        let mut server = Self { child, said: Value::Null, address: ([0, 0, 0, 0], 0).into(), log };
        let mut ready = String::new();
        until("the server is ready", || {
            ready = fs::read_to_string(&out).unwrap();
            let ended = server.child.try_wait().unwrap();
            assert!(ready.ends_with('\n') || ended.is_none(), "the server exited: {}", server.log());
            ready.ends_with('\n')
        });
        server.said = serde_json::from_str(&ready).unwrap();
        server.address = server.said["url"].as_str().unwrap().split_once("://").unwrap().1.parse().unwrap();
        server
    }

    /// The log so far.
    pub fn log(&self) -> String {
        fs::read_to_string(&self.log).unwrap()
    }

    pub fn shop(&self, pid: &str, key: &str) -> Shop {
        Shop { address: self.address, pid: pid.to_owned(), key: key.to_owned() }
    }

    pub fn connect(&self) -> Wire {
        Wire::connect(self.address)
    }

    pub fn get(&self, path: &str) -> Answer {
        Wire::connect(self.address).ask(&format!("GET {path} HTTP/1.1\r\nHost: test\r\n\r\n"))
    }

    /// Resident memory in KiB.
    pub fn memory(&self) -> i64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
        line.trim().strip_suffix(" kB").unwrap().parse().unwrap()
    }

    /// What `/metrics` says.
    pub fn metrics(&self) -> Answer {
        let address = self.said["metrics"].as_str().unwrap().strip_prefix("http://").unwrap().strip_suffix("/metrics");
        let mut wire = Wire::connect(address.unwrap().parse().unwrap());
        wire.ask("GET /metrics HTTP/1.1\r\nHost: test\r\n\r\n")
    }

    /// A value from `/metrics`, by name and labels; `None` before it is first counted.
    pub fn metric(&self, name: &str) -> Option<f64> {
        let metrics = self.metrics().body;
        let line = metrics.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        line.map(|number| number.parse().unwrap())
    }

    pub fn signal(&self, name: &str) {
        let kill = format!("kill -{name} {}", self.child.id());
        assert!(Command::new("sh").args(["-c", &kill]).status().unwrap().success());
    }

    /// Waits for the process to exit.
    pub fn wait(&mut self) -> ExitStatus {
        let mut status = None;
        until("the server has ended", || {
            status = self.child.try_wait().unwrap();
            status.is_some()
        });
        status.unwrap()
    }

    #[track_caller]
    pub fn stop(mut self) {
        self.signal("TERM");
        assert_eq!(self.wait().code(), Some(0), "{}", self.log());
    }

    /// Kills the process with SIGKILL.
    pub fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Waits until the server no longer listens.
    pub fn until_closed(&self) {
        until("the server has stopped listening", || TcpStream::connect(self.address).is_err());
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The server of a store, over a socket.
#[derive(Clone)]
pub struct Shop {
    pub address: SocketAddr,
    pub pid: String,
    pub key: String,
}

impl Shop {
    pub fn authorization(&self) -> String {
        format!("Basic {}", STANDARD.encode(format!("{}:{}", self.pid, self.key)))
    }

    pub fn form(&self, path: &str, fields: &[(&str, &str)]) -> Answer {
        let headers = format!("Authorization: {}\r\n", self.authorization());
        Wire::connect(self.address).ask(&post(path, &headers, &encode_form(fields)))
    }

    pub fn json(&self, path: &str, body: &Value) -> Answer {
        let (authorization, body) = (self.authorization(), body.to_string());
        let head = format!("POST {path} HTTP/1.1\r\nHost: test\r\nAuthorization: {authorization}\r\n");
        let rest = format!("Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}", body.len());
        Wire::connect(self.address).ask(&(head + &rest))
    }

    pub fn me(&self) -> Answer {
        let authorization = self.authorization();
        let head = format!("GET /storeadmin/me HTTP/1.1\r\nHost: test\r\nAuthorization: {authorization}\r\n\r\n");
        Wire::connect(self.address).ask(&head)
    }

    #[track_caller]
    pub fn login(&self, email: &str) -> Buyer {
        let made = self.form("/storeadmin/v3/user/generate-regid", &[("useremail", email)]).ok();
        let text = |key: &str| made[key].as_str().unwrap().to_owned();
        Buyer { address: self.address, pid: self.pid.clone(), regid: text("regid"), sessionid: text("sessionid") }
    }
}

impl Shop {
    /// A new browser guest.
    #[track_caller]
    pub fn guest(&self) -> Buyer {
        let path = format!("/api/v3/provider/register?pid={}", encode(&self.pid));
        let made = Wire::connect(self.address).ask(&post(&path, "", "")).ok();
        let text = |key: &str| made[key].as_str().unwrap().to_owned();
        Buyer { address: self.address, pid: self.pid.clone(), regid: text("regid"), sessionid: text("sessionid") }
    }

    /// Logs a new browser guest in as `ann@example.com`, with the token that `make` derives from pid, regid, extuid,
    /// useremail and expires.
    pub fn log_in_by_token(&self, make: impl FnOnce([&str; 5]) -> String) -> Answer {
        let guest = self.guest();
        let (id, email, expires) = ("7 ü", "ann@example.com", (Environment::Real.now() + 60_000).to_string());
        let token = make([&guest.pid, &guest.regid, id, email, &expires]);
        let fields = [("extuid", id), ("useremail", email), ("expires", &expires), ("token", &token)];
        guest.post("lists/user-validate-sync", &fields)
    }
}

/// A shopper's storefront, over a socket.
#[derive(Clone)]
pub struct Buyer {
    pub address: SocketAddr,
    pub pid: String,
    pub regid: String,
    pub sessionid: String,
}

impl Buyer {
    /// The text of a call; paths are relative to `/api/v3/` and may have a query.
    pub fn call(&self, path: &str, headers: &str, fields: &[(&str, &str)]) -> String {
        let mut all = vec![("regid", self.regid.as_str()), ("sessionid", self.sessionid.as_str())];
        all.extend_from_slice(fields);
        let separator = if path.contains('?') { '&' } else { '?' };
        post(&format!("/api/v3/{path}{separator}pid={}", encode(&self.pid)), headers, &encode_form(&all))
    }

    pub fn post(&self, path: &str, fields: &[(&str, &str)]) -> Answer {
        Wire::connect(self.address).ask(&self.call(path, "", fields))
    }

    pub fn list(&self, name: &str) -> String {
        self.post("lists/create", &[("lname", name)]).ok()["lid"].as_str().unwrap().to_owned()
    }

    pub fn add(&self, lid: &str, epi: i64) -> Answer {
        self.post("lists/update-ctx", &[("lid", lid), ("a", &Value::from(vec![product(epi)]).to_string())])
    }

    /// The variants of a list, newest first.
    pub fn contents(&self, lid: &str) -> Vec<i64> {
        let reply = self.post("lists/fetch-list-with-contents", &[("lid", lid)]).ok();
        reply["items"].as_array().unwrap().iter().map(|item| item["epi"].as_i64().unwrap()).collect()
    }

    /// The same shopper at another server of the same store.
    pub fn at(&self, server: &Server) -> Self {
        Self { address: server.address, ..self.clone() }
    }
}

pub fn product(epi: i64) -> Value {
    json!({ "epi": epi, "empi": 1000 + epi, "du": format!("https://shop.example/p/{epi}") })
}

/// The text of a form request; `headers` end with a line break each.
pub fn post(path: &str, headers: &str, body: &str) -> String {
    format!(
        "POST {path} HTTP/1.1\r\nHost: test\r\nUser-Agent: tests\r\n\
         Content-Type: application/x-www-form-urlencoded\r\n{headers}Content-Length: {}\r\n\r\n{body}",
        body.len()
    )
}

/// An HTTP/1 connection with control over the bytes sent.
pub struct Wire(BufReader<TcpStream>);

impl Wire {
    pub fn connect(address: SocketAddr) -> Self {
        Self::try_connect(address).unwrap()
    }

    pub fn try_connect(address: SocketAddr) -> std::io::Result<Self> {
        let stream = TcpStream::connect(address)?;
        stream.set_read_timeout(Some(TIMEOUT))?;
        stream.set_write_timeout(Some(TIMEOUT))?;
        Ok(Self(BufReader::new(stream)))
    }

    pub fn send(&mut self, text: &str) {
        self.try_send(text).unwrap();
    }

    pub fn try_send(&mut self, text: &str) -> std::io::Result<()> {
        self.0.get_mut().write_all(text.as_bytes())
    }

    pub fn ask(&mut self, request: &str) -> Answer {
        self.send(request);
        self.answer()
    }

    /// Head and body as received, up to the end of the connection.
    pub fn raw(mut self, request: &str) -> (String, Vec<u8>) {
        self.send(request);
        let mut all = Vec::new();
        self.0.read_to_end(&mut all).unwrap();
        let end = all.windows(4).position(|four| four == b"\r\n\r\n").unwrap();
        (String::from_utf8(all[..end].to_vec()).unwrap(), all[end + 4..].to_vec())
    }

    /// The next response; the connection stays open.
    pub fn answer(&mut self) -> Answer {
        self.try_answer().unwrap()
    }

    /// The lines of a response's head.
    pub fn head(&mut self) -> Vec<String> {
        self.try_head().unwrap()
    }

    fn try_head(&mut self) -> std::io::Result<Vec<String>> {
        let mut head = Vec::new();
        loop {
            let mut line = String::new();
            if self.0.read_line(&mut line)? == 0 {
                return Err(std::io::ErrorKind::UnexpectedEof.into());
            }
            match line.trim_end() {
                "" => return Ok(head),
                line => head.push(line.to_owned()),
            }
        }
    }

    /// What comes after the head.
    pub fn reader(&mut self) -> &mut BufReader<TcpStream> {
        &mut self.0
    }

    pub fn try_answer(&mut self) -> std::io::Result<Answer> {
        let head = self.try_head()?;
        let status = head[0].split(' ').nth(1).unwrap().parse().unwrap();
        let headers: Vec<(String, String)> = head[1..]
            .iter()
            .map(|line| line.split_once(':').unwrap())
            .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
            .collect();
        let mut answer = Answer { status, headers, body: String::new() };
        let length = answer.header("content-length").map_or(0, |length| length.parse().unwrap());
        let is_chunked = answer.header("transfer-encoding") == Some("chunked");
        let body = if is_chunked { self.chunks()? } else { self.bytes(length)? };
        answer.body = String::from_utf8(body).unwrap();
        Ok(answer)
    }

    /// A body of which every part comes with its length.
    fn chunks(&mut self) -> std::io::Result<Vec<u8>> {
        let mut body = Vec::new();
        loop {
            let mut size = String::new();
            self.0.read_line(&mut size)?;
            let size = usize::from_str_radix(size.trim_end(), 16).map_err(std::io::Error::other)?;
            let chunk = self.bytes(size + 2)?;
            body.extend_from_slice(&chunk[..size]);
            if size == 0 {
                return Ok(body);
            }
        }
    }

    fn bytes(&mut self, length: usize) -> std::io::Result<Vec<u8>> {
        let mut bytes = vec![0; length];
        self.0.read_exact(&mut bytes)?;
        Ok(bytes)
    }

    /// Asserts that the server has closed the connection without sending anything.
    #[track_caller]
    pub fn is_at_its_end(&mut self) {
        let mut rest = Vec::new();
        self.0.read_to_end(&mut rest).unwrap();
        assert_eq!(String::from_utf8_lossy(&rest), "");
    }
}

#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: String,
}

impl Answer {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    #[track_caller]
    pub fn ok(&self) -> Value {
        assert_eq!(self.status, 200, "{self:?}");
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    #[track_caller]
    pub fn fails(&self, status: u16, code: &str) {
        let body: Value = serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"));
        assert_eq!((self.status, body["error-code"].as_str()), (status, Some(code)), "{self:?}");
    }
}

fn on_postgres(url: &str, sql: &str) {
    let run = async {
        let (client, connection) = tokio_postgres::connect(url, tokio_postgres::NoTls).await.unwrap();
        tokio::select! {
            ended = connection => ended.unwrap(),
            done = client.batch_execute(sql) => done.unwrap(),
        }
    };
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(run);
}

/// The URL of a new, empty schema on the test server.
fn own_schema() -> String {
    let url = std::env::var("WISHBONE_TEST_POSTGRES")
        .expect("WISHBONE_TEST_POSTGRES is not set: run ./scripts/test, or ./scripts/with-postgres cargo test");
    let schema = format!("p{}", Environment::Real.uuid().simple());
    on_postgres(&url, &format!("create schema {schema}"));
    let separator = if url.contains('?') { '&' } else { '?' };
    // The application name identifies the connections of this setup.
    let url = format!("{url}{separator}options=-csearch_path%3D{schema}&application_name={schema}");
    if is_on_citus() {
        let setup = Command::new(env!("CARGO_BIN_EXE_wishbone"))
            .args(["cluster", "setup"])
            .env("WISHBONE_DATABASE_URL", &url)
            .output();
        let setup = setup.unwrap();
        assert!(setup.status.success(), "{}", String::from_utf8_lossy(&setup.stderr));
    }
    url
}
