//! Protection against overload and abuse: limits, admission control, maintenance.

pub mod bodies;
mod connections;
mod headers;
mod overload;
mod quotas;

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Extension;
use axum::http::header::ORIGIN;
use wishbone_core::operator::Operator;
use wishbone_core::stores::maintenance::SetMaintenance;
use wishbone_core::stores::settings::SettingsChange;
use wishbone_server::api::operation::Caller;
use wishbone_server::app::App;
use wishbone_server::http::edge::address::{Arrival, Proxies};
use wishbone_server::http::edge::admission::AdmissionControl;
use wishbone_server::http::router::{router, routes};
use wishbone_server::jobs::maintenance;
use wishbone_server::jobs::probe_writes;

use crate::support::process::{Setup, until};
use crate::support::{Client, FORM, NOW, Reply, encode, send};

/// The same shopper, with calls that come over a socket from an address.
pub fn calling_from(client: &Client, peer: &str) -> Client {
    let arrival = Arrival { peer: peer.parse::<IpAddr>().unwrap(), delay: Duration::ZERO, is_tls: false };
    Client { router: client.router.clone().layer(Extension(arrival)), ..client.clone() }
}

async fn set_maintenance(app: &App, on: bool) {
    app.database.write(SetMaintenance { by: Operator::of_this_machine(), on, now: NOW }).await.unwrap();
}

/// All operations except those that anyone may call.
fn operations() -> Vec<&'static str> {
    let all = routes();
    all.iter()
        .filter(|route| !matches!(route.operation.caller, Caller::Anyone | Caller::Monitor))
        .map(|route| route.operation.path)
        .collect()
}

both_engines! {
    async fn a_server_that_cannot_write_is_not_ready_and_says_why(app: TestApp) {
        let ready = async || {
            probe_writes::probe(&app.app).await;
            send(&app.router, "GET", "/readyz", &[], "").await
        };
        ready().await.ok();
        app.alter("alter table server rename to away").await;
        if app.app.database.engine() == "postgres" {
            // Other nodes share the outage: they must not all disappear from the load balancer at once.
            let reply = ready().await.ok();
            assert!(reply["database"].as_str().unwrap().contains("the database accepts no writes"), "{reply}");
            app.advance(29_999);
            ready().await.ok();
            app.advance(30_001);
        }
        let reply = ready().await;
        assert_eq!(reply.error(), (503, "overloaded".into()));
        assert!(reply.text().contains("the database accepts no writes"), "{}", reply.text());
        app.alter("alter table away rename to server").await;
        assert_eq!(ready().await.ok()["database"], "ok");
    }

    async fn shoppers_of_one_address_share_its_rate_limit(app: TestApp) {
        app.set(SettingsChange { address_rate_limit: Some(5), ..SettingsChange::default() }).await;
        let ann = app.shopper("ann").await;
        let lid = ann.list("Mine").await;
        ann.post("lists/markPublic", &[("lid", &lid)]).await.ok();
        let mut shoppers = Vec::new();
        for number in 0..10 {
            shoppers.push(app.shopper(&format!("shopper{number}")).await);
        }
        let fields = [("lid", lid.as_str())];
        for shopper in &shoppers {
            calling_from(shopper, "192.0.2.1").post("lists/fetch-list-with-contents", &fields).await.ok();
        }
        let refused = calling_from(&ann, "192.0.2.1").post("lists/fetch-list-with-contents", &fields).await;
        refused.fails(429, "rate-limited");
        assert!(refused.text().contains("an address may call this 5 times a second"), "{}", refused.text());
        for (name, value) in
            [("retry-after", "1"), ("ratelimit-limit", "5"), ("ratelimit-remaining", "0"), ("ratelimit-reset", "1")]
        {
            assert_eq!(refused.headers[name], value, "{name}");
        }
        // Other addresses, operations and stores are not affected.
        calling_from(&ann, "192.0.2.2").post("lists/fetch-list-with-contents", &fields).await.ok();
        calling_from(&ann, "192.0.2.1").post("lists/fetch-lists", &[]).await.ok();
        let other = app.create_store(Default::default()).await;
        let bea = app.shopper_of(&other, "bea").await;
        let theirs = bea.list("Theirs").await;
        calling_from(&bea, "192.0.2.1").post("lists/fetch-list-with-contents", &[("lid", &theirs)]).await.ok();
        app.advance(200);
        calling_from(&ann, "192.0.2.1").post("lists/fetch-list-with-contents", &fields).await.ok();
        calling_from(&ann, "192.0.2.1").post("lists/fetch-list-with-contents", &fields).await.fails(429, "rate-limited");
    }

    async fn forwarded_addresses_from_untrusted_peers_are_ignored(app: TestApp) {
        app.set(SettingsChange { address_rate_limit: Some(1), ..SettingsChange::default() }).await;
        let ann = app.shopper("ann").await;
        let lid = ann.list("Mine").await;
        let mut node = app.second_node().await;
        Arc::get_mut(&mut node).unwrap().proxies = Proxies::parse(&["10.0.0.0/8".to_owned()]).unwrap();
        let body = crate::support::encode_form(&[("regid", &ann.regid), ("sessionid", &ann.sessionid), ("lid", &lid)]);
        let uri = format!("/api/v3/lists/fetch-list-with-contents?pid={}", encode(&ann.pid));
        let ask = |peer: &str, forwarded: String| {
            let arrival = Arrival { peer: peer.parse().unwrap(), delay: Duration::ZERO, is_tls: false };
            let (router, uri, body) = (router(&node).layer(Extension(arrival)), uri.clone(), body.clone());
            async move { send(&router, "POST", &uri, &[FORM, ("x-forwarded-for", &forwarded)], body).await.status.as_u16() }
        };
        let mut statuses = Vec::new();
        for client in 1..=4 {
            statuses.push(ask("10.1.1.1", format!("6.6.6.6, 192.0.2.{client}")).await);
        }
        assert_eq!(statuses, [200; 4], "each client of a proxy counts alone");
        statuses.clear();
        for client in 1..=4 {
            statuses.push(ask("10.1.1.1", format!("6.6.6.{client}, 192.0.2.9")).await);
        }
        assert_eq!(statuses, [200, 200, 429, 429], "what the client itself claims is not believed");
        statuses.clear();
        for client in 1..=4 {
            statuses.push(ask("203.0.113.5", format!("192.0.2.{client}")).await);
        }
        assert_eq!(statuses, [200, 200, 429, 429], "nor what comes from elsewhere");
    }

    async fn at_the_request_limit_operations_are_rejected_and_probes_respond(app: TestApp) {
        let ann = app.shopper("ann").await;
        let mut node = app.second_node().await;
        Arc::get_mut(&mut node).unwrap().admission = AdmissionControl::new(0);
        let router = router(&node);
        for path in operations() {
            let uri = format!("{path}?pid={}", encode(&ann.pid));
            let method = if path == "/storeadmin/me" { "GET" } else { "POST" };
            let reply = send(&router, method, &uri, &[FORM], "x=1").await;
            reply.fails(503, "overloaded");
            assert_eq!(reply.headers["retry-after"], "1", "{path}");
            assert!(reply.headers.contains_key("x-request-id"), "{path}");
        }
        for path in ["/healthz", "/readyz"] {
            assert_eq!(send(&router, "GET", path, &[], "").await.status, 200, "{path}");
        }
        for path in ["/sdk/wishbone.js", "/docs", "/openapi.json"] {
            send(&router, "GET", path, &[], "").await.fails(503, "overloaded");
        }
        assert_readable_by_pages(&router, &ann, "overloaded").await;
    }

    async fn in_maintenance_every_node_responds_with_503(app: TestApp) {
        let ann = app.shopper("ann").await;
        let node = app.second_node().await;
        set_maintenance(&app.app, true).await;
        for app in [&app.app, &node] {
            maintenance::poll(app).await;
            let router = router(app);
            for path in operations() {
                let method = if path == "/storeadmin/me" { "GET" } else { "POST" };
                let reply = send(&router, method, path, &[FORM], "x=1").await;
                reply.fails(503, "maintenance");
                assert_eq!(reply.headers["retry-after"], "60", "{path}");
            }
            send(&router, "POST", "/no/such/path", &[], "").await.fails(503, "maintenance");
            send(&router, "GET", "/healthz", &[], "").await.ok();
            // Load balancers keep routing requests, so that callers get the reason.
            assert_eq!(send(&router, "GET", "/readyz", &[], "").await.ok()["maintenance"], true);
            assert_eq!(send(&router, "GET", "/sdk/wishbone.js", &[], "").await.status, 200);
            assert_readable_by_pages(&router, &ann, "maintenance").await;
        }
        set_maintenance(&node, false).await;
        for app in [&app.app, &node] {
            maintenance::poll(app).await;
            assert_eq!(send(&router(app), "GET", "/readyz", &[], "").await.ok()["maintenance"], false);
        }
        ann.post("lists/fetch-lists", &[]).await.ok();
    }
}

/// Asserts that the preflight request succeeds, and that the page may read the error.
async fn assert_readable_by_pages(router: &axum::Router, ann: &Client, code: &str) {
    let uri = format!("/api/v3/lists/fetch-lists?pid={}", encode(&ann.pid));
    let origin = (ORIGIN.as_str(), "https://shop.example");
    let preflight = send(router, "OPTIONS", &uri, &[origin, ("access-control-request-method", "POST")], "").await;
    let allows = |reply: &Reply| reply.headers["access-control-allow-origin"] == "*";
    assert!(preflight.status == 204 && allows(&preflight), "{preflight:?}");
    let refused = send(router, "POST", &uri, &[FORM, origin], "x=1").await;
    refused.fails(503, code);
    assert!(allows(&refused), "{refused:?}");
}

both_setups! {
    fn a_command_turns_maintenance_of_a_running_server_on_and_off(setup: Setup) {
        let (server, shop) = setup.shop(&[]);
        shop.me().ok();
        assert_eq!(setup.json(&["maintenance"])["maintenance"], false);
        assert_eq!(setup.json(&["maintenance", "on"])["maintenance"], true);
        until("the server has noticed", || shop.me().status == 503);
        let refused = shop.me();
        refused.fails(503, "maintenance");
        assert_eq!(refused.header("retry-after"), Some("60"));
        assert_eq!(server.get("/readyz").ok()["maintenance"], true);
        let said = setup.run(&["maintenance"]);
        assert!(said.ok().contains("Maintenance is on") && said.ok().contains("wishbone maintenance off"), "{said:?}");
        server.stop();

        // It survives a restart, and applies from the first request on.
        let server = setup.serve(&[]);
        let shop = server.shop(&shop.pid, &shop.key);
        shop.me().fails(503, "maintenance");
        assert!(setup.run(&["maintenance", "off"]).ok().contains("Maintenance is off"));
        until("the server has noticed", || shop.me().status == 200);
    }
}

#[test]
fn maintenance_accepts_on_or_off() {
    let setup = Setup::new();
    setup.run(&["maintenance", "on"]).fails(&["no database", "--data"]);
    setup.create_store();
    setup.run(&["maintenance", "maybe"]).fails(&["maybe", "on, off"]);
}

#[test]
fn behind_a_trusted_proxy_the_rate_limit_applies_to_the_forwarded_address() {
    let setup = Setup::new();
    let (_server, shop) = setup.shop(&["--trust-proxy", "127.0.0.0/8,::1"]);
    setup.run(&["store", "set", &shop.pid, "--address-rate-limit", "1/s"]).ok();
    let ann = shop.login("ann@example.com");
    let lid = ann.list("A");
    let ask = |client: &str| {
        let headers = format!("X-Forwarded-For: {client}\r\n");
        let call = ann.call("lists/fetch-list-with-contents", &headers, &[("lid", &lid)]);
        crate::support::process::Wire::connect(ann.address).ask(&call)
    };
    let statuses: Vec<u16> = (0..20).map(|_| ask("192.0.2.1").status).collect();
    assert!(statuses.contains(&429), "{statuses:?}");
    ask("192.0.2.2").ok();
}
