//! The server as a process: start, sockets, logs, shutdown, crashes.

use std::collections::BTreeSet;
use std::net::TcpListener;
use std::process::Command;
use std::sync::Mutex;

use serde_json::Value;

use crate::support::process::{Buyer, Finished, Server, Setup, Wire, post, product, until};
use crate::support::{Engine, encode};

const SECRET: &str = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
/// Base64 of 32 bytes, with all characters that need encoding in URLs.
const PID: &str = "+/v7+/v7+/v7+/v7+/v7+/v7+/v7+/v7+/v7+/v7+/s=";

both_setups! {
    fn a_server_starts_on_a_new_database_and_restarts_on_it(setup: Setup) {
        let (server, shop) = setup.shop(&[]);
        let ann = shop.login("ann@example.com");
        let lid = ann.list("A");
        ann.add(&lid, 1).ok();
        server.stop();

        let server = setup.serve(&[]);
        let ann = ann.at(&server);
        assert_eq!(ann.contents(&lid), [1]);
        assert_eq!(server.shop(&shop.pid, &shop.key).login("ann@example.com").regid, ann.regid);
        server.stop();
    }

    fn probes_respond(setup: Setup) {
        let server = setup.serve(&[]);
        let engine = if setup.database().is_some() { "postgres" } else { "sqlite" };
        assert_eq!(server.said["engine"], engine);
        assert_eq!(server.get("/healthz").ok()["status"], "ok");
        let ready = server.get("/readyz").ok();
        assert_eq!((&ready["status"], &ready["engine"]), (&"ok".into(), &engine.into()));
        assert!(server.get("/healthz").header("x-request-id").is_some());
    }

    fn the_health_check_of_the_image_tells_whether_the_server_responds(setup: Setup) {
        let server = setup.serve(&[]);
        let passes = |address: &str, path: &str| {
            let mut check = Command::new("bash");
            check.arg(concat!(env!("CARGO_MANIFEST_DIR"), "/../../deploy/healthcheck")).arg(path);
            check.env("WISHBONE_LISTEN", address);
            Finished::of(check).status.success()
        };
        let address = server.address.to_string();
        assert!(passes(&address, "/healthz") && passes(&address, "/readyz"));
        assert!(!passes(&address, "/nowhere"));
        assert!(!passes("127.0.0.1:1", "/healthz"));
    }

    fn metrics_include_requests_durations_and_queued_writes(setup: Setup) {
        let (server, shop) = setup.shop(&[]);
        let waiting = |metrics: &str| metrics.lines().any(|line| line.starts_with("wishbone_database_queue_depth "));
        assert!(waiting(&server.metrics().body), "also before the first write");
        let ann = shop.login("ann@example.com");
        let lid = ann.list("A");
        for epi in 1..=3 {
            ann.add(&lid, epi).ok();
        }
        ann.post("lists/fetch-user-list", &[("lid", "none")]).fails(404, "list-not-found");
        server.get("/nowhere/at/all").fails(404, "not-found");

        let answer = server.metrics();
        assert!(answer.header("content-type").unwrap().starts_with("text/plain; version=0.0.4"), "{answer:?}");
        let metrics = &answer.body;
        let has = |line: &str| metrics.lines().any(|found| found == line);
        let counted = |operation: &str, status: u16, count: u32| {
            format!("wishbone_requests_total{{operation=\"{operation}\",status=\"{status}\"}} {count}")
        };
        assert!(has(&counted("/api/v3/lists/update-ctx", 200, 3)), "{metrics}");
        assert!(has(&counted("/api/v3/lists/fetch-user-list", 404, 1)), "{metrics}");
        assert!(has(&counted("unknown", 404, 1)), "paths that do not exist share one label: {metrics}");
        assert!(has("# TYPE wishbone_requests_total counter"), "{metrics}");
        assert!(has("# TYPE wishbone_request_seconds histogram"), "{metrics}");
        assert!(has("wishbone_request_seconds_count{operation=\"/api/v3/lists/update-ctx\"} 3"), "{metrics}");
        let bucket = "wishbone_request_seconds_bucket{operation=\"/api/v3/lists/update-ctx\",le=\"+Inf\"} 3";
        assert!(has(bucket), "{metrics}");
        assert!(waiting(metrics), "{metrics}");
        if setup.database().is_none() {
            assert!(has("# TYPE wishbone_database_group_size histogram"), "{metrics}");
        }
    }

    fn in_flight_requests_complete_after_sigterm(setup: Setup) {
        let (mut server, shop) = setup.shop(&[]);
        let ann = shop.login("ann@example.com");
        let lid = ann.list("A");
        let (mut slow, rest) = send_half_an_add(&server, &ann, &lid, 7);
        let mut idle = server.connect();
        idle.ask("GET /healthz HTTP/1.1\r\nHost: test\r\n\r\n").ok();
        let mut silent = server.connect();

        server.signal("TERM");
        server.until_closed();
        idle.is_at_its_end();
        silent.is_at_its_end();
        slow.send(&rest);
        let answer = slow.answer();
        assert_eq!(answer.ok()["a"][0]["epi"], 7);
        slow.is_at_its_end();
        assert_eq!(server.wait().code(), Some(0));
        let log = server.log();
        for word in ["shutting down", "stopped", answer.header("x-request-id").unwrap()] {
            assert!(log.contains(word), "no {word:?} in {log}");
        }

        assert_eq!(ann.at(&setup.serve(&[])).contents(&lid), [7]);
    }
}

#[test]
fn connections_that_wait_to_be_accepted_are_served_after_sigterm() {
    let setup = Setup::new();
    let mut server = setup.serve(&[]);
    const REQUEST: &str = "GET /healthz HTTP/1.1\r\nHost: test\r\n\r\n";
    // The kernel completes handshakes while the server is suspended, up to 128.
    server.signal("STOP");
    let mut waiting: Vec<Wire> = (0..100).map(|_| server.connect()).collect();
    let (with_request, without) = waiting.split_at_mut(50);
    with_request.iter_mut().for_each(|wire| wire.send(REQUEST));
    server.signal("TERM");
    server.signal("CONT");
    server.until_closed();
    without.iter_mut().for_each(|wire| wire.send(REQUEST));
    for wire in with_request {
        // Without `connection: close` if it was sent before the signal was handled.
        wire.answer().ok();
        wire.is_at_its_end();
    }
    for wire in without {
        let answer = wire.answer();
        answer.ok();
        assert_eq!(answer.header("connection"), Some("close"));
        wire.is_at_its_end();
    }
    assert_eq!(server.wait().code(), Some(0));
}

#[test]
fn a_draining_server_fails_readyz_and_serves_until_the_grace_period_ends() {
    let setup = Setup::new();
    let (mut server, shop) = setup.shop(&["--drain-grace", "600"]);
    let ann = shop.login("ann@example.com");
    let lid = ann.list("A");
    server.signal("TERM");
    until("it wants no more requests", || server.get("/readyz").status == 503);
    let mut wire = server.connect();
    let added = wire.ask(&ann.call("lists/update-ctx", "", &[("lid", &lid), ("a", &format!("[{}]", product(1)))]));
    added.ok();
    assert_eq!(added.header("connection"), Some("close"));
    wire.is_at_its_end();
    let mut old = server.connect();
    let answer = old.ask("GET /healthz HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
    assert_eq!(answer.header("connection"), Some("close"));
    old.is_at_its_end();
    assert_eq!(ann.contents(&lid), [1]);
    server.signal("TERM");
    assert_eq!(server.wait().code(), Some(0), "told twice, it does not wait");
}

/// Sends the first half of an add. The request is in flight: the server has asked for the body.
fn send_half_an_add(server: &Server, ann: &Buyer, lid: &str, epi: i64) -> (Wire, String) {
    let items = Value::from(vec![product(epi)]).to_string();
    let call = ann.call("lists/update-ctx", "Expect: 100-continue\r\n", &[("lid", lid), ("a", &items)]);
    let (head, body) = call.split_once("\r\n\r\n").unwrap();
    let mut wire = server.connect();
    assert_eq!(wire.ask(&format!("{head}\r\n\r\n")).status, 100);
    let (first, rest) = body.split_at(body.len() / 2);
    wire.send(first);
    (wire, rest.to_owned())
}

#[test]
fn the_address_is_logged_when_ready_and_printed_as_json() {
    let setup = Setup::new();
    for format in ["text", "json"] {
        let server = setup.serve(&["--log-format", format]);
        let log = server.log();
        let ready = log.lines().find(|line| line.contains("ready")).unwrap();
        assert!(ready.contains(&server.address.to_string()), "{ready}");
        assert_ne!(server.address.port(), 0);
        if format == "json" {
            let ready: Value = serde_json::from_str(ready).unwrap();
            assert_eq!(ready["message"], "ready");
            assert_eq!(ready["address"], server.address.to_string());
        }
    }
}

#[test]
fn a_second_signal_exits_without_waiting() {
    let setup = Setup::new();
    let (mut server, shop) = setup.shop(&[]);
    let ann = shop.login("ann@example.com");
    let lid = ann.list("A");
    let (_slow, _) = send_half_an_add(&server, &ann, &lid, 7);
    server.signal("INT");
    server.until_closed();
    server.signal("INT");
    assert_eq!(server.wait().code(), Some(0));
    assert!(server.log().contains("exiting immediately"), "{}", server.log());
}

#[test]
fn acknowledged_adds_survive_kill_9_under_load() {
    let setup = Setup::new();
    let (mut server, shop) = setup.shop(&[]);
    let ann = shop.login("ann@example.com");
    let lid = ann.list("A");
    let answered = Mutex::new(BTreeSet::new());
    for round in 0..3_i64 {
        let wanted = answered.lock().unwrap().len() + 60;
        std::thread::scope(|scope| {
            for writer in 0..6 {
                let (ann, lid, answered) = (ann.at(&server), &lid, &answered);
                scope.spawn(move || add_until_killed(&ann, lid, 1 + round * 1_000_000 + writer * 10_000, answered));
            }
            until("enough adds are answered", || answered.lock().unwrap().len() >= wanted);
            server.kill();
        });
        server = setup.serve(&[]);
        let there: BTreeSet<i64> = ann.at(&server).contents(&lid).into_iter().collect();
        let lost: Vec<i64> = answered.lock().unwrap().difference(&there).copied().collect();
        assert_eq!(lost, [0; 0], "round {round}");
        let found = setup.json(&["check"]);
        assert_eq!(found["ok"], true, "{found}");
    }
}

fn add_until_killed(ann: &Buyer, lid: &str, first: i64, answered: &Mutex<BTreeSet<i64>>) {
    let Ok(mut wire) = Wire::try_connect(ann.address) else { return };
    for epi in first.. {
        let items = Value::from(vec![product(epi)]).to_string();
        let call = ann.call("lists/update-ctx", "", &[("lid", lid), ("a", &items)]);
        let Ok(answer) = wire.try_send(&call).and_then(|()| wire.try_answer()) else { return };
        assert_eq!(answer.ok()["a"][0]["epi"], epi);
        answered.lock().unwrap().insert(epi);
    }
}

#[test]
fn two_servers_share_a_postgresql_database() {
    let setup = Setup::on(Engine::Postgres);
    let start = |name: &str| {
        let data = setup.folder().join(name);
        let mut command = setup.bare(&["serve", "--listen", "127.0.0.1:0", "--database", setup.database().unwrap()]);
        command.arg("--data").arg(data).env("WISHBONE_SECRET_KEYS", SECRET);
        Server::start(command, setup.folder())
    };
    let (one, two) = (start("one"), start("two"));
    let (pid, key) = setup.create_store();
    let here = one.shop(&pid, &key).login("ann@example.com");
    let there = here.at(&two);
    let lid = here.list("A");
    for epi in 1..=20 {
        let (write, read) = if epi % 2 == 0 { (&here, &there) } else { (&there, &here) };
        write.add(&lid, epi).ok();
        assert_eq!(read.contents(&lid)[0], epi, "what one has answered, the other shows");
    }
    setup.run(&["store", "revoke-sessions", &pid]).ok();
    for ann in [&here, &there] {
        ann.post("lists/fetch-user-lists", &[]).fails(401, "bad-regid");
    }
    assert!(!setup.folder().join("one").exists(), "keys from the environment need no folder");

    let ann = two.shop(&pid, &key).login("ann@example.com");
    one.stop();
    assert_eq!(ann.contents(&lid).len(), 20);
}

#[test]
fn concurrent_adds_to_one_list_by_several_servers_are_all_stored() {
    let setup = Setup::on(Engine::Postgres);
    let one = setup.serve(&[]);
    let two = setup.serve(&[]);
    let (pid, key) = setup.create_store();
    let ann = one.shop(&pid, &key).login("ann@example.com");
    let lid = ann.list("A");
    std::thread::scope(|scope| {
        for (server, first) in [(&one, 1), (&two, 101), (&one, 201), (&two, 301)] {
            let (ann, lid) = (ann.at(server), &lid);
            scope.spawn(move || (first..first + 25).for_each(|epi| drop(ann.add(lid, epi).ok())));
        }
    });
    assert_eq!(ann.contents(&lid).len(), 100);
    assert_eq!(setup.json(&["check"])["ok"], true);
}

#[test]
fn a_port_in_use_is_reported_with_the_remedy() {
    let setup = Setup::new();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    setup.run(&["serve", "--listen", &address]).fails(&["cannot listen on", &address, "--listen"]);
    assert!(!setup.data().exists(), "nothing was made");
    Finished::of(setup.bare(&["demo", "--listen", &address])).fails(&["cannot listen on", &address, "--listen"]);
}

#[test]
fn the_address_to_listen_on_can_be_a_host_name() {
    let setup = Setup::new();
    let server = Server::start(setup.command(&["serve", "--listen", "localhost:0"]), setup.folder());
    assert_eq!(server.get("/healthz").status, 200);
    assert!(server.log().contains("ready url=http://"), "{}", server.log());
    assert!(server.log().contains("mail goes to the outbox folder"), "{}", server.log());
    setup.run(&["serve", "--listen", "nobody.invalid:0"]).fails(&["invalid configuration", "localhost:8080"]);
    Finished::of(setup.bare(&["demo", "--listen", "8080"])).fails(&["--listen", "localhost:8080"]);
}

#[test]
fn the_address_to_listen_on_can_come_from_the_environment() {
    let setup = Setup::new();
    let mut command = setup.command(&["serve"]);
    command.env("WISHBONE_LISTEN", "127.0.0.1:0");
    assert_eq!(Server::start(command, setup.folder()).get("/healthz").status, 200);
}

#[test]
fn a_body_that_never_arrives_times_out_with_503() {
    let setup = Setup::new();
    let (server, shop) = setup.shop(&["--request-timeout", "1"]);
    let ann = shop.login("ann@example.com");
    let lid = ann.list("A");
    let (mut slow, _) = send_half_an_add(&server, &ann, &lid, 1);
    let answer = slow.answer();
    answer.fails(503, "overloaded");
    assert_eq!(answer.header("retry-after"), Some("1"));
    assert_eq!(ann.contents(&lid), [0; 0]);
}

#[test]
fn metrics_have_an_address_of_their_own() {
    let setup = Setup::new();
    let server = setup.serve(&[]);
    server.get("/metrics").fails(404, "not-found");
    assert_eq!(server.metrics().status, 200);
    let taken = format!("127.0.0.1:{}", server.address.port());
    let serve = ["serve", "--listen", "127.0.0.1:0", "--metrics-listen"];
    setup.run(&[&serve[..], &[&taken]].concat()).fails(&["cannot listen on", &taken, "--metrics-listen"]);
    setup.run(&[&serve[..], &["nowhere"]].concat()).fails(&["--metrics-listen (WISHBONE_METRICS_LISTEN)", "off"]);
    assert!(setup.serve(&["--metrics-listen", "off"]).said["metrics"].is_null());
    // The usual port may be taken, by this test or by another server; that stops nobody.
    let _taken = TcpListener::bind("127.0.0.1:9464");
    let mut usual = setup.command(&["serve", "--listen", "127.0.0.1:0", "--drain-grace", "0"]);
    usual.env_remove("WISHBONE_METRICS_LISTEN");
    let usual = Server::start(usual, setup.folder());
    assert!(usual.log().contains("no metrics: 127.0.0.1:9464 is in use"), "{}", usual.log());
}

#[test]
fn a_body_over_the_limit_gets_an_error_response_over_a_real_socket() {
    let setup = Setup::new();
    let (server, shop) = setup.shop(&[]);
    let path = format!("/api/v3/lists/create?pid={}", encode(&shop.pid));
    for length in [(1 << 20) + 1, 5 << 20] {
        let mut wire = server.connect();
        let refused = wire.ask(&post(&path, "", &"x".repeat(length)));
        refused.fails(400, "body-too-large");
        assert_eq!(refused.header("connection"), None);
        wire.ask("GET /healthz HTTP/1.1\r\nHost: test\r\n\r\n").ok();
    }
    // A declared length far above the limit is rejected before the body is sent.
    let head = post(&path, "", "").replace("Content-Length: 0", "Content-Length: 10000000000");
    assert!(head.contains("10000000000"), "{head}");
    let refused = server.connect().ask(&head);
    refused.fails(400, "body-too-large");
    assert_eq!(refused.header("connection"), Some("close"));
    // A body just within the limit is accepted.
    let ann = shop.login("ann@example.com");
    let call = |length: usize| ann.call("lists/create", "", &[("lname", "A"), ("filler", &"x".repeat(length))]);
    let body = |call: &str| call.len() - call.find("\r\n\r\n").unwrap() - 4;
    let rest = (1 << 20) - body(&call(0));
    assert_eq!(body(&call(rest)), 1 << 20);
    server.connect().ask(&call(rest)).ok();
    server.connect().ask(&call(rest + 1)).fails(400, "body-too-large");
}

#[test]
fn a_chunked_body_is_accepted() {
    let setup = Setup::new();
    let (server, shop) = setup.shop(&[]);
    let ann = shop.login("ann@example.com");
    let call = ann.call("lists/create", "", &[("lname", "Chunks")]);
    let (head, body) = call.split_once("\r\n\r\n").unwrap();
    let (head, _) = head.split_once("Content-Length").unwrap();
    let chunks: String = body
        .as_bytes()
        .chunks(7)
        .map(|part| format!("{:x}\r\n{}\r\n", part.len(), String::from_utf8_lossy(part)))
        .collect();
    let answer = server.connect().ask(&format!("{head}Transfer-Encoding: chunked\r\n\r\n{chunks}0\r\n\r\n"));
    assert_eq!(answer.ok()["lname"], "Chunks");
}

#[test]
fn a_connection_serves_many_requests_and_pipelined_ones() {
    let setup = Setup::new();
    let (server, shop) = setup.shop(&[]);
    let ann = shop.login("ann@example.com");
    let mut wire = server.connect();
    for i in 0..5 {
        assert_eq!(
            wire.ask(&ann.call("lists/create", "", &[("lname", &format!("List {i}"))])).ok()["lname"],
            format!("List {i}")
        );
    }
    let pipelined: String = (5..15)
        .map(|i| {
            ann.call("lists/create", &format!("X-Request-Id: request-{i}\r\n"), &[("lname", &format!("List {i}"))])
        })
        .collect();
    wire.send(&pipelined);
    for i in 5..15 {
        let answer = wire.answer();
        assert_eq!(answer.ok()["lname"], format!("List {i}"));
        assert_eq!(answer.header("x-request-id"), Some(&*format!("request-{i}")));
    }
    wire.ask("GET /nowhere HTTP/1.1\r\nHost: test\r\n\r\n").fails(404, "not-found");
    wire.ask("GET /healthz HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n").ok();
    wire.is_at_its_end();
}

#[test]
fn a_pid_may_be_unencoded_in_the_query() {
    let setup = Setup::new();
    let server = setup.serve(&[]);
    setup.json(&["store", "create", "--name", "A", "--pid", PID]);
    for pid in [PID.to_owned(), encode(PID), encode(&encode(PID)), PID.replace('+', "%2B")] {
        let answer = server.connect().ask(&post(&format!("/api/v3/provider/register?pid={pid}"), "", ""));
        assert!(answer.ok()["regid"].as_str().unwrap().len() >= 64, "{pid}");
    }
}

#[test]
fn malformed_requests_do_not_affect_other_connections() {
    let setup = Setup::new();
    let (server, shop) = setup.shop(&[]);
    for nonsense in [
        "\r\n\r\n\r\n",
        "GET\r\n\r\n",
        "\u{16}\u{3}\u{1}\u{2}\0\u{1}\0\u{1}",
        "POST / HTTP/1.1\r\nContent-Length: x\r\n\r\n",
        &format!("GET /{} HTTP/1.1\r\nHost: t\r\n\r\n", "x".repeat(1 << 20)),
    ] {
        let mut wire = server.connect();
        let _ = wire.try_send(nonsense);
    }
    shop.me().ok();
    assert!(!server.log().contains("panicked"), "{}", server.log());
}

/// Sends every secret wherever one can be sent, in valid and invalid requests.
fn use_secrets_everywhere(server: &Server, setup: &Setup) -> Vec<(&'static str, String)> {
    let (pid, key) = setup.create_store();
    let shop = server.shop(&pid, &key);
    let ann = shop.login("ann@example.com");
    let guest: Value =
        server.connect().ask(&post(&format!("/api/v3/provider/register?pid={}", encode(&pid)), "", "")).ok();
    let lid = ann.list("A");
    ann.add(&lid, 1).ok();
    for path in [
        "lists/fetch-user-list",
        "lists/fetch-user-lists",
        "lists/fetch-lists",
        "lists/fetch-list-with-contents",
        "lists/sfl/fetch",
        "lists/sfl/update",
        "subscriptions/fetch-subs",
        "lists/update",
        "lists/nowhere",
    ] {
        ann.post(path, &[("lid", &lid), ("topic", "backinstock")]);
        ann.post(path, &[("lid", "x"), ("itemslimit", "nonsense"), ("items", "[")]);
        let mut other = ann.clone();
        other.sessionid = "wrong-session-id".into();
        other.post(path, &[("lid", &lid)]);
        let (regid, sessionid, key) = (&ann.regid, &ann.sessionid, &shop.key);
        let query = format!("/api/v3/{path}?pid={}&regid={regid}&sessionid={sessionid}&x-api-key={key}", encode(&pid));
        server.connect().ask(&post(&query, "", ""));
        server.get(&query);
        server.get(&format!("/{regid}/{sessionid}/{key}"));
    }
    shop.me().ok();
    let mut wrong = shop.clone();
    wrong.pid = "nobody".into();
    wrong.me().fails(401, "bad-api-key");
    shop.form("/storeadmin/v3/user/generate-regid", &[("useremail", "nonsense")]);
    shop.form("/storeadmin/v3/user/generate-regid", &[("useremail", "a@b.example"), ("uuid", &key)]);
    let headers =
        format!("Authorization: {}\r\nReferer: /{key}\r\nCookie: {}\r\n", shop.authorization(), ann.sessionid);
    server.connect().ask(&post("/storeadmin/v3/products/upsert", &headers, &key));
    vec![
        ("API key", key),
        ("Authorization", shop.authorization().replace("Basic ", "")),
        ("regid", ann.regid),
        ("sessionid", ann.sessionid),
        ("wrong sessionid", "wrong-session-id".into()),
        ("guest's regid", guest["regid"].as_str().unwrap().to_owned()),
        ("guest's sessionid", guest["sessionid"].as_str().unwrap().to_owned()),
        ("signing key", SECRET.to_owned()),
        ("e-mail address", "ann@example.com".to_owned()),
    ]
}

both_setups! {
    fn logs_contain_every_request_and_no_secrets(setup: Setup) {
        for (format, level) in [("text", "info"), ("json", "info"), ("text", "trace"), ("json", "trace,tokio_postgres=trace")] {
            let mut command = setup.command(&["serve", "--listen", "127.0.0.1:0", "--log", level, "--log-format", format]);
            command.env("WISHBONE_SECRET_KEYS", SECRET);
            let server = Server::start(command, setup.folder());
            let secrets = use_secrets_everywhere(&server, &setup);
            let id = server.get("/healthz").header("x-request-id").unwrap().to_owned();
            until("the request is in the log", || server.log().contains(&id));
            let log = server.log();
            for (what, secret) in secrets {
                if let Some(line) = log.lines().find(|line| line.contains(&secret)) {
                    panic!("the {what} is in the {format} log at {level}: {line}");
                }
            }
            let line = log.lines().find(|line| line.contains(&id)).unwrap();
            if format == "json" {
                let line: Value = serde_json::from_str(line).unwrap();
                assert_eq!((&line["request_id"], &line["operation"], &line["status"]), (&id.into(), &"/healthz".into(), &200.into()));
                assert!(log.lines().all(|line| serde_json::from_str::<Value>(line).is_ok()), "{log}");
            } else {
                assert!(line.contains("/healthz") && line.contains("status=200"), "{line}");
                assert!(!log.contains('\u{1b}'), "no colours in a file");
            }
        }
    }
}
