//! Traces as a collector receives them.

use std::net::TcpListener;

use opentelemetry_proto::tonic::trace::v1::Span;
use opentelemetry_proto::tonic::trace::v1::span::SpanKind;

use crate::support::collector::{Collector, attribute};
use crate::support::process::{Server, Setup, Shop, Wire, product, until};

const TRACE: &str = "0af7651916cd43dd8448eb211c80319c";
const PARENT: &str = "b7ad6b7169203331";

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn traced(setup: &Setup, more: &[&str]) -> (Collector, Server, Shop) {
    let collector = Collector::start();
    let (server, shop) = setup.shop(&[&["--otlp-endpoint", &collector.url], more].concat());
    (collector, server, shop)
}

/// Adds an item, within a trace of the caller.
fn add(server: &Server, shop: &Shop, sampled: &str) {
    let ann = shop.login("ann@example.com");
    let lid = ann.list("Birthday");
    let items = format!("[{}]", product(1));
    let header = format!("traceparent: 00-{TRACE}-{PARENT}-{sampled}\r\ntracestate: vendor=opaque\r\n");
    let call = ann.call("lists/update-ctx", &header, &[("lid", &lid), ("a", &items)]);
    Wire::connect(server.address).ask(&call).ok();
}

both_setups! {
    fn a_request_is_a_trace_with_its_operations_on_the_database(setup: Setup) {
        let (collector, server, shop) = traced(&setup, &[]);
        add(&server, &shop, "01");
        server.get("/nowhere").fails(404, "not-found");
        server.get("/healthz").ok();
        server.stop();

        let spans = collector.spans();
        let of_trace: Vec<&Span> = spans.iter().filter(|span| hex(&span.trace_id) == TRACE).collect();
        let request = *of_trace.iter().find(|span| span.kind == SpanKind::Server as i32).unwrap();
        let has = |name: &str| attribute(&request.attributes, name);
        assert_eq!(hex(&request.parent_span_id), PARENT);
        assert_eq!(request.name, "POST /api/v3/lists/update-ctx");
        assert_eq!(has("http.route").unwrap(), "/api/v3/lists/update-ctx");
        assert_eq!(has("http.response.status_code").unwrap(), "200");
        assert_eq!(has("wishbone.store").unwrap(), "Test");
        assert_eq!(has("error.type"), None);

        let operations: Vec<&Span> =
            of_trace.into_iter().filter(|span| span.parent_span_id == request.span_id).collect();
        let system = if setup.database().is_some() { "postgresql" } else { "sqlite" };
        for operation in &operations {
            assert_eq!(attribute(&operation.attributes, "db.system.name").unwrap(), system);
            assert!(operation.end_time_unix_nano <= request.end_time_unix_nano);
        }
        assert!(operations.iter().any(|span| span.name == "change_items"), "{operations:?}");
        let has_events = operations.iter().all(|span| span.events.iter().any(|it| it.name == "connection acquired"));
        assert_eq!(has_events, setup.database().is_some());

        let unknown = spans.iter().find(|span| span.name == "GET unknown").unwrap();
        assert_eq!(attribute(&unknown.attributes, "http.response.status_code").unwrap(), "404");
        assert_eq!(attribute(&unknown.attributes, "error.type").unwrap(), "not-found");
        assert!(!collector.has("healthz"), "probes are not traced");
        assert_eq!(attribute(&collector.resource(), "service.name").unwrap(), "wishbone");
    }

    fn traces_contain_nothing_of_a_shopper_and_no_secrets(setup: Setup) {
        let (collector, server, shop) = traced(&setup, &["--log", "debug"]);
        add(&server, &shop, "01");
        let ann = shop.login("ann@example.com");
        let lid = ann.list("Surprise");
        ann.post("lists/emailList", &[("lid", &lid), ("fromname", "Ann"), ("toemail", "ben@example.com")]).ok();
        until("the mail is sent", || server.log().contains("mail written to outbox"));
        server.stop();

        let spans = collector.spans();
        let mail = spans.iter().find(|span| span.name == "send mail").unwrap();
        assert!(mail.parent_span_id.is_empty(), "a trace of its own");
        assert_eq!(attribute(&mail.attributes, "wishbone.outcome").unwrap(), "sent");
        assert!(spans.iter().any(|span| span.parent_span_id == mail.span_id && span.name == "claim_mail"));
        assert!(spans.iter().all(|span| !span.parent_span_id.is_empty() || span.name != "find_stores_with_work"));
        assert!(collector.has("lists/emailList"), "it can be seen");
        for text in ["example.com", "Birthday", "Surprise", "Ann", "opaque", &shop.key, &ann.regid, &ann.sessionid, &lid] {
            assert!(!collector.has(text), "{text}");
        }
    }
}

#[test]
fn the_ratio_holds_for_callers_who_ask_for_traces_too() {
    let setup = Setup::new();
    let (collector, server, shop) = traced(&setup, &["--trace-ratio", "0"]);
    add(&server, &shop, "01");
    server.stop();
    assert!(collector.spans().is_empty());
    // A caller may do without.
    let (collector, server, shop) = traced(&setup, &[]);
    add(&server, &shop, "00");
    server.stop();
    assert!(collector.spans().iter().all(|span| hex(&span.trace_id) != TRACE));
    assert!(!collector.spans().is_empty());
}

#[test]
fn what_names_the_service_and_authenticates_it_comes_from_the_environment() {
    let setup = Setup::new();
    let collector = Collector::start();
    let mut command = setup.command(&["serve", "--listen", "127.0.0.1:0"]);
    command.env("OTEL_EXPORTER_OTLP_ENDPOINT", &collector.url).env("OTEL_SERVICE_NAME", "lists");
    command.env("OTEL_EXPORTER_OTLP_HEADERS", "x-token=abc").env("OTEL_RESOURCE_ATTRIBUTES", "zone=eu");
    let server = Server::start(command, setup.folder());
    server.get("/nowhere").fails(404, "not-found");
    server.stop();
    assert_eq!(attribute(&collector.resource(), "service.name").unwrap(), "lists");
    assert_eq!(attribute(&collector.resource(), "zone").unwrap(), "eu");
    assert!(collector.has("x-token: abc"));
}

#[test]
fn without_its_collector_a_server_serves_and_says_so_once() {
    let setup = Setup::new();
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let mut command =
        setup.command(&["serve", "--listen", "127.0.0.1:0", "--otlp-endpoint", &format!("http://{closed}")]);
    command.env("OTEL_BSP_SCHEDULE_DELAY", "20");
    let server = Server::start(command, setup.folder());
    let failed = "wishbone_trace_exports_total{outcome=\"failed\"}";
    until("several exports have failed", || {
        server.get("/nowhere").fails(404, "not-found");
        server.metric(failed).is_some_and(|count| count >= 3.0)
    });
    assert_eq!(server.log().matches("cannot send traces").count(), 1, "{}", server.log());
    server.stop();
}

#[test]
fn invalid_settings_are_reported() {
    let setup = Setup::new();
    for endpoint in ["localhost:4318", "ftp://localhost", "http://user:pw@localhost:4318", "http://localhost:4318/?x"] {
        setup.run(&["serve", "--otlp-endpoint", endpoint]).fails(&["--otlp-endpoint", "http://localhost:4318"]);
    }
    for ratio in ["2", "-1", "half", "NaN"] {
        setup.run(&["serve", &format!("--trace-ratio={ratio}")]).fails(&["--trace-ratio", "from 0 to 1"]);
    }
}
