//! Limits on connections.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::support::process::{Answer, Server, Setup, Wire, until};

/// An accepted connection: it has served one request and stays open.
fn try_connect(server: &Server) -> Option<Wire> {
    let mut wire = Wire::connect(server.address);
    wire.try_send("GET /healthz HTTP/1.1\r\nHost: test\r\n\r\n").ok()?;
    (wire.try_answer().ok()?.status == 200).then_some(wire)
}

/// The response to a connection that sends nothing.
fn read_unsolicited(server: &Server) -> Answer {
    Wire::connect(server.address).answer()
}

#[test]
fn connections_beyond_the_limit_are_rejected_until_another_closes() {
    let setup = Setup::new();
    let server = setup.serve(&["--max-connections", "3", "--max-connections-per-address", "3"]);
    let mut here: Vec<Wire> = (0..3).map(|_| try_connect(&server).unwrap()).collect();
    for _ in 0..20 {
        let refused = read_unsolicited(&server);
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
    until("there is room again", || try_connect(&server).is_some());
}

#[test]
fn one_address_cannot_take_all_connections_unless_it_is_a_trusted_proxy() {
    let setup = Setup::new();
    let server = setup.serve(&["--max-connections", "10"]);
    let here: Vec<Wire> = (0..5).map(|_| try_connect(&server).unwrap()).collect();
    read_unsolicited(&server).fails(503, "overloaded");
    drop(here);
    server.stop();

    let server = setup.serve(&["--max-connections", "10", "--trust-proxy", "127.0.0.1"]);
    let _here: Vec<Wire> = (0..10).map(|_| try_connect(&server).unwrap()).collect();
    read_unsolicited(&server).fails(503, "overloaded");
}

#[test]
fn ten_thousand_idle_connections_do_no_harm() {
    let allowed = getrlimit(Resource::Nofile);
    setrlimit(Resource::Nofile, Rlimit { current: allowed.maximum, maximum: allowed.maximum }).unwrap();
    // Other tests of this process need files too, and the server reserves some.
    let files = allowed.maximum.unwrap_or(u64::MAX).saturating_sub(2_000);
    let count = usize::try_from(files.min(10_000)).unwrap();

    let setup = Setup::new();
    let (server, shop) = setup.shop(&["--max-connections-per-address", "20000"]);
    let ann = shop.login("ann@example.com");
    let lid = ann.list("A");
    ann.add(&lid, 1).ok();
    let before = server.memory();
    // Half of them never send anything, half ask once and are idle then, unless the budget for idle connections has ended
    // them before, which it does on a slow machine.
    let mut idle: Vec<Wire> = (0..count).map(|_| Wire::connect(server.address)).collect();
    until("all are there", || server.metric("wishbone_connections").unwrap_or(0.0) >= count as f64);
    for wire in idle.iter_mut().step_by(2) {
        let _ = wire.try_send("GET /healthz HTTP/1.1\r\nHost: test\r\n\r\n");
        if let Ok(answer) = wire.try_answer() {
            answer.ok();
        }
    }
    let each = (server.memory() - before) * 1_024 / count.max(1) as i64;
    println!("{count} idle connections take {each} bytes each");
    assert!(each < 32 * 1_024, "{each} bytes for an idle connection");

    assert_eq!(ann.contents(&lid), [1]);
    ann.add(&lid, 2).ok();
    assert_eq!(server.get("/readyz").ok()["status"], "ok");
    assert!(setup.json(&["check"])["ok"].as_bool().unwrap());
    drop(idle);
    until("all have left", || server.metric("wishbone_connections").unwrap() < 10.0);
    assert_eq!(ann.contents(&lid), [2, 1]);
    server.stop();
}

#[test]
fn the_size_of_a_request_head_is_limited() {
    let setup = Setup::new();
    let server = setup.serve(&[]);
    let ask = |length: usize| {
        let mut wire = server.connect();
        let filler = "x".repeat(length);
        let _ = wire.try_send(&format!("GET /healthz HTTP/1.1\r\nHost: test\r\nCookie: {filler}\r\n\r\n"));
        wire.try_answer().map(|answer| answer.status)
    };
    assert_eq!(ask(32 << 10).unwrap(), 200);
    // The connection may be closed before a client that keeps sending can read the response.
    assert!(!matches!(ask(1 << 20), Ok(200)));
    server.get("/healthz").ok();
}
