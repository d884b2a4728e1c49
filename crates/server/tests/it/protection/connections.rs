//! Many connections, and one too many.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::support::process::{Answer, Server, Setup, Wire, until};

/// A connection that was let in: it has been answered once and stays open.
fn let_in(server: &Server) -> Option<Wire> {
    let mut wire = Wire::connect(server.address);
    wire.try_send("GET /healthz HTTP/1.1\r\nHost: test\r\n\r\n").ok()?;
    (wire.try_answer().ok()?.status == 200).then_some(wire)
}

/// What a connection hears that sends nothing.
fn unasked(server: &Server) -> Answer {
    Wire::connect(server.address).answer()
}

#[test]
fn one_connection_too_many_is_told_so_and_there_is_room_again_when_another_leaves() {
    let place = Setup::new();
    let server = place.serve(&["--max-connections", "3", "--max-connections-per-address", "3"]);
    let mut here: Vec<Wire> = (0..3).map(|_| let_in(&server).unwrap()).collect();
    for _ in 0..20 {
        let refused = unasked(&server);
        refused.fails(503, "overloaded");
        assert_eq!(refused.header("retry-after"), Some("1"));
        assert_eq!(refused.header("x-content-type-options"), Some("nosniff"));
    }
    for wire in &mut here {
        wire.ask("GET /readyz HTTP/1.1\r\nHost: test\r\n\r\n").ok();
    }
    let lines = server.log().matches("too many connections").count();
    assert!((1..20).contains(&lines), "a flood of connections is no flood of lines: {lines}");
    drop(here.pop());
    until("there is room again", || let_in(&server).is_some());
}

#[test]
fn one_address_cannot_take_all_connections_unless_it_is_a_trusted_proxy() {
    let place = Setup::new();
    let server = place.serve(&["--max-connections", "10"]);
    let here: Vec<Wire> = (0..5).map(|_| let_in(&server).unwrap()).collect();
    unasked(&server).fails(503, "overloaded");
    drop(here);
    server.stop();

    let server = place.serve(&["--max-connections", "10", "--trust-proxy", "127.0.0.1"]);
    let _here: Vec<Wire> = (0..10).map(|_| let_in(&server).unwrap()).collect();
    unasked(&server).fails(503, "overloaded");
}

#[test]
fn ten_thousand_idle_connections_do_no_harm() {
    let allowed = getrlimit(Resource::Nofile);
    setrlimit(Resource::Nofile, Rlimit { current: allowed.maximum, maximum: allowed.maximum }).unwrap();
    // Other tests of this process need files too, and the server keeps a reserve.
    let files = allowed.maximum.unwrap_or(u64::MAX).saturating_sub(2_000);
    let count = usize::try_from(files.min(10_000)).unwrap();

    let place = Setup::new();
    let (server, shop) = place.shop(&["--max-connections-per-address", "20000"]);
    let ann = shop.login("ann@example.com");
    let lid = ann.list("A");
    ann.add(&lid, 1).ok();
    let before = server.memory();
    // Half of them never say a word, half have been served and wait for more.
    let mut idle: Vec<Wire> = (0..count).map(|_| Wire::connect(server.address)).collect();
    until("all are there", || server.metric("wishbone_connections").unwrap_or(0.0) >= count as f64);
    for wire in idle.iter_mut().step_by(2) {
        wire.ask("GET /healthz HTTP/1.1\r\nHost: test\r\n\r\n").ok();
    }
    let each = (server.memory() - before) * 1_024 / count.max(1) as i64;
    println!("{count} idle connections take {each} bytes each");
    assert!(each < 32 * 1_024, "{each} bytes for an idle connection");

    assert_eq!(ann.contents(&lid), [1]);
    ann.add(&lid, 2).ok();
    assert_eq!(server.get("/readyz").ok()["status"], "ok");
    assert!(place.json(&["check"])["ok"].as_bool().unwrap());
    drop(idle);
    until("all have left", || server.metric("wishbone_connections").unwrap() < 10.0);
    assert_eq!(ann.contents(&lid), [2, 1]);
    server.stop();
}

#[test]
fn a_head_may_be_large_but_not_without_end() {
    let place = Setup::new();
    let server = place.serve(&[]);
    let ask = |length: usize| {
        let mut wire = server.connect();
        let filler = "x".repeat(length);
        let _ = wire.try_send(&format!("GET /healthz HTTP/1.1\r\nHost: test\r\nCookie: {filler}\r\n\r\n"));
        wire.try_answer().map(|answer| answer.status)
    };
    assert_eq!(ask(32 << 10).unwrap(), 200);
    // Whoever sends on may find the connection closed before the answer can be read.
    assert!(!matches!(ask(1 << 20), Ok(200)));
    server.get("/healthz").ok();
}
