//! Live lists, over sockets.

use std::collections::BTreeSet;
use std::io::BufRead;

use serde_json::{Value, json};

use crate::support::process::{Buyer, Server, Setup, Wire, until};
use crate::support::{Client, Subject, calls};

/// A stream of events.
struct Events(Wire);

impl Events {
    fn open(server: &Server, shopper: &Buyer, fields: &[(&str, &str)]) -> Self {
        let mut wire = server.connect();
        wire.send(&shopper.call("lists/live", "Connection: close\r\n", fields));
        let head = wire.head();
        assert!(head[0].starts_with("HTTP/1.1 200"), "{head:?}");
        for header in ["content-type: text/event-stream", "cache-control: no-store", "x-accel-buffering: no"] {
            assert!(head.iter().any(|line| line == header), "no {header} in {head:?}");
        }
        assert!(!head.iter().any(|line| line.starts_with("content-encoding")), "{head:?}");
        Self(wire)
    }

    /// The id and the data of the next event; `None` at the end of the stream.
    fn next(&mut self) -> Option<(String, Value)> {
        let (mut id, mut data) = (None, None);
        loop {
            let mut line = String::new();
            if self.0.reader().read_line(&mut line).unwrap() == 0 {
                return None;
            }
            // Lines between the sizes of chunks, comments and empty ones are not of interest.
            if let Some(text) = line.trim_end().strip_prefix("id: ") {
                id = Some(text.to_owned());
            }
            if let Some(text) = line.trim_end().strip_prefix("data: ") {
                data = Some(serde_json::from_str(text).unwrap());
            }
            if let (Some(id), Some(data)) = (&id, &data) {
                return Some((String::clone(id), Value::clone(data)));
            }
        }
    }

    #[track_caller]
    fn is(&mut self, kind: &str, lid: Option<&str>) -> String {
        let (id, data) = self.next().unwrap();
        assert_eq!((&data["type"], &data["lid"]), (&json!(kind), &json!(lid)), "{data}");
        id
    }
}

/// The answer to a poll.
fn poll(server: &Server, shopper: &Buyer, id: &str) -> (String, Value) {
    let mut events = Events::open(server, shopper, &[("timeout", "0"), ("last-event-id", id)]);
    let event = events.next().unwrap();
    assert_eq!(events.next(), None, "one event");
    event
}

both_setups! {
    fn every_change_of_a_list_is_an_event(setup: Setup) {
        let (server, shop) = setup.shop(&[]);
        let (ann, ben) = (shop.login("ann@example.com"), shop.login("ben@example.com"));
        let lid = ann.list("A");
        let mut events = Events::open(&server, &ann, &[]);
        events.is("open", None);
        ben.list("Of somebody else");
        ann.add(&lid, 1).ok();
        events.is("list.updated", Some(&lid));
        let other = ann.list("B");
        events.is("list.created", Some(&other));
        ann.post("lists/update", &[("lid", &other), ("lname", "C")]).ok();
        events.is("list.updated", Some(&other));
        ann.post("lists/delete-list", &[("lid", &lid)]).ok();
        events.is("list.deleted", Some(&lid));
    }

    fn a_stream_is_resumed_by_the_id_of_its_last_event(setup: Setup) {
        let (server, shop) = setup.shop(&[]);
        let ann = shop.login("ann@example.com");
        let lid = ann.list("A");
        let (first, _) = poll(&server, &ann, "");
        assert_eq!(poll(&server, &ann, &first).1["type"], "open", "nothing was missed");
        ann.add(&lid, 1).ok();
        let (second, event) = poll(&server, &ann, &first);
        assert_eq!(event, json!({ "type": "lists.changed", "lid": null }));
        assert_eq!(poll(&server, &ann, &second).1["type"], "open");
        for unknown in ["x", "1-2", "-1-0-0", &"9".repeat(100)] {
            assert_eq!(poll(&server, &ann, unknown).1["type"], "lists.changed", "{unknown}");
        }
        // As a header, also after a restart.
        server.stop();
        let server = setup.serve(&[]);
        let ann = ann.at(&server);
        let call = |id: &str| ann.call("lists/live", &format!("Last-Event-ID: {id}\r\n"), &[("timeout", "0")]);
        assert!(Wire::connect(server.address).ask(&call(&second)).body.contains("\"open\""));
        assert!(Wire::connect(server.address).ask(&call(&first)).body.contains("\"lists.changed\""));
    }
}

#[test]
fn a_change_on_one_node_reaches_streams_of_another() {
    let setup = Setup::on(crate::support::Engine::Postgres);
    let (one, shop) = setup.shop(&[]);
    let two = setup.serve(&[]);
    let ann = shop.login("ann@example.com");
    let lid = ann.list("A");
    let mut phone = Events::open(&two, &ann, &[]);
    let mut laptop = Events::open(&one, &ann, &[]);
    phone.is("open", None);
    laptop.is("open", None);
    ann.add(&lid, 1).ok();
    phone.is("list.updated", Some(&lid));
    laptop.is("list.updated", Some(&lid));
    ann.at(&two).add(&lid, 2).ok();
    phone.is("list.updated", Some(&lid));
    laptop.is("list.updated", Some(&lid));
}

#[test]
fn streams_end_at_their_time_and_when_the_server_drains() {
    let setup = Setup::new();
    let (server, shop) = setup.shop(&["--drain-grace", "600"]);
    let ann = shop.login("ann@example.com");
    let mut short = Events::open(&server, &ann, &[("timeout", "1")]);
    short.is("open", None);
    assert_eq!(short.next(), None);
    let mut long = Events::open(&server, &ann, &[]);
    long.is("open", None);
    server.signal("TERM");
    assert_eq!(long.next(), None, "the client goes to another node");
    until("no more streams are opened", || server.get("/readyz").status == 503);
    ann.post("lists/live", &[]).fails(503, "overloaded");
    server.kill();
    for bad in ["301", "-1", "soon"] {
        let server = setup.serve(&[]);
        ann.at(&server).post("lists/live", &[("timeout", bad)]).fails(400, "invalid-parameter");
    }
}

#[test]
fn streams_of_a_shopper_are_limited_and_slots_come_back() {
    let setup = Setup::new();
    let (server, shop) = setup.shop(&[]);
    let (ann, ben) = (shop.login("ann@example.com"), shop.login("ben@example.com"));
    let mut open: Vec<Events> = (0..20).map(|_| Events::open(&server, &ann, &[])).collect();
    ann.post("lists/live", &[("timeout", "0")]).fails(503, "overloaded");
    Events::open(&server, &ben, &[]).is("open", None);
    open.pop();
    until("the slot is free", || ann.post("lists/live", &[("timeout", "0")]).status == 200);
}

/// The id and the data of the first event of a stream.
async fn poll_once(client: &Client, last_seen: &str) -> (String, Value) {
    let reply = client.post("lists/live", &[("timeout", "0"), ("last-event-id", last_seen)]).await;
    let text = reply.text();
    let line = |name: &str| text.lines().find_map(|line| Some(line.strip_prefix(name)?.to_owned()));
    let (Some(id), Some(data)) = (line("id: "), line("data: ")) else { panic!("{} {text}", reply.status) };
    (id, serde_json::from_str(&data).unwrap())
}

/// The lists of a shopper and their versions; `None` once the shopper is erased.
async fn versions(client: &Client) -> Option<BTreeSet<(String, i64)>> {
    let reply = client.post("lists/fetch-user-lists", &[("includeArchived", "true")]).await;
    let lists = (reply.status == 200).then(|| reply.ok())?;
    let version = |list: &Value| (list["lid"].to_string(), list["version"].as_i64().unwrap());
    Some(lists["data"].as_array().unwrap().iter().map(version).collect())
}

both_engines! {
    async fn no_operation_changes_lists_unnoticed_by_those_who_watch(app: TestApp) {
        let ann = app.shopper("ann").await;
        let lid = ann.list("Summer").await;
        ann.add(&lid, &[1, 2]).await;
        let saved = ann.post("lists/sfl/create", &[]).await.ok()["lid"].as_str().unwrap().to_owned();
        let subject = Subject {
            shopper: ann.clone(),
            store: app.store.clone(),
            email: "ann@example.com".into(),
            lid,
            saved_lid: saved,
            next: String::new(),
            saved_next: String::new(),
            webhook: app.webhook().await,
        };
        let (mut id, mut before) = (poll_once(&ann, "").await.0, versions(&ann).await.unwrap());
        let mut changed = 0;
        for call in calls(&subject) {
            call.send(&app.router).await;
            let Some(after) = versions(&ann).await else { break };
            let (now, event) = poll_once(&ann, &id).await;
            let kind = if after == before { "open" } else { "lists.changed" };
            assert_eq!(event["type"], kind, "{}", call.path);
            changed += i32::from(after != before);
            (id, before) = (now, after);
        }
        assert!(changed >= 9, "{changed}");
    }

    async fn a_login_and_its_undo_are_noticed_by_those_who_watch(app: TestApp) {
        let (guest, ann) = (app.guest().await, app.shopper("ann").await);
        ann.list("A").await;
        guest.list("A").await;
        guest.list("B").await;
        let mut id = poll_once(&ann, "").await.0;
        for path in ["guest-validate-sync", "undo-merge"] {
            let form = [("regid", guest.regid.as_str()), ("useremail", "ann@example.com")];
            app.store_admin().form(&format!("/storeadmin/v3/user/{path}"), &form).await.ok();
            let (now, event) = poll_once(&ann, &id).await;
            assert_eq!(event["type"], "lists.changed", "{path}");
            id = now;
        }
    }
}
