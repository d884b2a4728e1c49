//! Idempotency keys: calls with the same key run once and get the same response.

use axum::body::Body;
use axum::http::Request;
use serde_json::{Value, json};

use crate::support::{Client, FORM, Reply, Subject, TABLES, TestApp, calls, encode, encode_form, item};

const HOUR: i64 = 60 * 60 * 1_000;

pub async fn post(client: &Client, key: &str, path: &str, fields: &[(&str, &str)]) -> Reply {
    let mut all = vec![("regid", client.regid.as_str()), ("sessionid", client.sessionid.as_str())];
    all.extend_from_slice(fields);
    let request = Request::builder()
        .method("POST")
        .uri(format!("/api/v3/{path}?pid={}", encode(&client.pid)))
        .header(FORM.0, FORM.1)
        .header("idempotency-key", key)
        .body(Body::from(encode_form(&all)))
        .unwrap();
    Reply::of(&client.router, request).await
}

async fn dump(app: &TestApp) -> Vec<Vec<String>> {
    let mut out = Vec::new();
    for &table in TABLES {
        out.push(app.app.database.dump(table).await.unwrap());
    }
    out
}

both_engines! {
    async fn creating_a_list_twice_with_one_key_creates_one_list(app: TestApp) {
        let ann = app.shopper("ann").await;
        let first = post(&ann, "k-1", "lists/create", &[("lname", "Summer")]).await;
        let again = post(&ann, "k-1", "lists/create", &[("lname", "Summer")]).await;
        assert_eq!(first.text(), again.text());
        post(&ann, "k-2", "lists/create", &[("lname", "Summer")]).await.ok();
        assert_eq!(ann.post("lists/fetch-user-lists", &[]).await.ok()["data"].as_array().unwrap().len(), 2);
    }

    async fn repeating_any_write_with_its_key_returns_the_same_response_and_changes_nothing(app: TestApp) {
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
        for (number, call) in calls(&subject).iter().enumerate() {
            let key = format!("call {number}");
            let first = call.send_with(&app.router, &[("idempotency-key", &key)]).await;
            assert_eq!(first.status, 200, "{}: {}", call.path, first.text());
            let tables = dump(&app).await;
            app.advance(1_000);
            let again = call.send_with(&app.router, &[("idempotency-key", &key)]).await;
            assert_eq!(again.status, 200, "{}: {}", call.path, again.text());
            // Registering returns a new identity each time, and an export contains its time; neither writes anything.
            if !call.path.ends_with("/register") && !call.path.ends_with("/export") {
                assert_eq!(first.text(), again.text(), "{}", call.path);
            }
            assert_eq!(first.header("x-list-version"), again.header("x-list-version"), "{}", call.path);
            assert_eq!(dump(&app).await, tables, "{}", call.path);
        }
    }

    async fn responses_are_stored_for_a_day_and_unaffected_by_later_changes(app: TestApp) {
        let ann = app.shopper("ann").await;
        let lid = ann.list("Summer").await;
        let add = json!([item(1)]).to_string();
        let fields = [("lid", lid.as_str()), ("a", &add)];
        let first = post(&ann, "add", "lists/update-ctx", &fields).await;
        ann.post("lists/update-ctx", &[("lid", &lid), ("d", &add)]).await.ok();
        app.advance(24 * HOUR - 1);
        let again = post(&ann, "add", "lists/update-ctx", &fields).await;
        assert_eq!(first.text(), again.text());
        assert_eq!(ann.page(&lid, &[]).await["data"]["cnt"], 0, "the item is not added again");
        app.advance(1);
        post(&ann, "add", "lists/update-ctx", &fields).await.ok();
        assert_eq!(ann.page(&lid, &[]).await["data"]["cnt"], 1, "after a day the key is a new one");
        // The new response is stored for a day again.
        ann.post("lists/update-ctx", &[("lid", &lid), ("d", &add)]).await.ok();
        app.advance(23 * HOUR);
        post(&ann, "add", "lists/update-ctx", &fields).await.ok();
        assert_eq!(ann.page(&lid, &[]).await["data"]["cnt"], 0);
    }

    async fn a_key_belongs_to_one_call_of_one_caller(app: TestApp) {
        let (ann, bob) = (app.shopper("ann").await, app.shopper("bob").await);
        post(&ann, "k", "lists/create", &[("lname", "Summer")]).await.ok();
        let other = post(&ann, "k", "lists/create", &[("lname", "Winter")]).await;
        let told = other.fails(400, "invalid-parameter");
        assert!(told["error-msg"].as_str().unwrap().contains("idempotency-key"), "{told}");
        post(&ann, "k", "lists/sfl/create", &[("lname", "Summer")]).await;
        // Another shopper's key of the same name is another key.
        let bobs = post(&bob, "k", "lists/create", &[("lname", "Winter")]).await.ok();
        assert_eq!(bobs["lname"], "Winter");
    }

    async fn a_failed_call_can_be_retried_with_its_key(app: TestApp) {
        let ann = app.shopper("ann").await;
        let lid = ann.list("Summer").await;
        let update = |version: &'static str| {
            let fields = [("lid", lid.clone()), ("lname", "Autumn".into()), ("ifversion", version.into())];
            let ann = &ann;
            async move {
                let fields: Vec<(&str, &str)> = fields.iter().map(|(name, value)| (*name, value.as_str())).collect();
                post(ann, "rename", "lists/update", &fields).await
            }
        };
        update("9").await.fails(400, "version-conflict");
        update("1").await.ok();
    }

    async fn retrying_an_undone_merge_with_its_key_does_not_repeat_it_and_no_sessionid_is_stored(app: TestApp) {
        let (admin, guest) = (app.store_admin(), app.guest().await);
        guest.list("Mine").await;
        let fields = encode_form(&[("regid", &guest.regid), ("useremail", "ann@example.com")]);
        let call = async |path: &str, key: &str| {
            let headers = [FORM, ("idempotency-key", key)];
            admin.send_with("POST", &format!("/storeadmin/v3/user/{path}"), &headers, fields.clone()).await.ok()
        };
        let merged = call("guest-validate-sync", "merge").await;
        let undone = call("undo-merge", "undo").await;
        assert_eq!((&undone["undone"], &undone["lists"]), (&json!(true), &json!(1)));
        assert_eq!(call("guest-validate-sync", "merge").await, merged);
        assert_eq!(call("undo-merge", "undo").await, undone);
        assert_eq!(guest.post("lists/fetch-user-lists", &[]).await.ok()["data"].as_array().unwrap().len(), 1);
        let kept = app.app.database.dump("idempotent_responses").await.unwrap().concat();
        for secret in [&guest.sessionid, &merged["sessionid"].as_str().unwrap().to_owned()] {
            let bytes = format!("{:02x?}", secret.as_bytes());
            assert!(!kept.contains(bytes.trim_matches(['[', ']'])), "{kept}");
        }
        // A new key is a new call.
        call("guest-validate-sync", "again").await;
        guest.post("lists/fetch-user-lists", &[]).await.fails(401, "bad-regid");
    }

    async fn retrying_a_call_whose_response_was_lost_does_not_repeat_it(app: TestApp) {
        let ann = app.shopper("ann").await;
        let create = || post(&ann, "k-1", "lists/create", &[("lname", "Summer")]);
        let lists = async || ann.post("lists/fetch-user-lists", &[]).await.ok()["data"].as_array().unwrap().len();
        for point in 0.. {
            let reply = app.break_at(point, create()).await.expect("the answer is lost at last");
            if lists().await == 1 {
                // The PostgreSQL engine retries by itself, since the key makes it safe.
                assert!(reply.status == 200 || reply.error() == (500, "outcome-unknown".into()), "{}", reply.text());
                break;
            }
            reply.fails(503, "overloaded");
        }
        create().await.ok();
        assert_eq!(lists().await, 1);
    }

    async fn invalid_keys_are_rejected(app: TestApp) {
        let ann = app.shopper("ann").await;
        for bad in ["", " ", &"x".repeat(256)] {
            post(&ann, bad, "lists/create", &[("lname", "Summer")]).await.fails(400, "invalid-parameter");
        }
        assert_eq!(ann.post("lists/fetch-user-lists", &[]).await.ok()["data"], json!([]));
    }

    async fn concurrent_calls_with_one_key_on_two_nodes_run_once(app: TestApp) {
        let ann = app.shopper("ann").await;
        let second = app.second_node().await;
        let elsewhere = Client { router: wishbone_server::http::router::router(&second), ..ann.clone() };
        let sent = (0..12).map(|n| {
            let node = if n % 2 == 0 { &ann } else { &elsewhere };
            post(node, "k", "lists/create", &[("lname", "Summer")])
        });
        let replies = futures_util::future::join_all(sent).await;
        let answers: Vec<Value> = replies.iter().map(Reply::ok).collect();
        assert!(answers.iter().all(|answer| *answer == answers[0]), "{answers:?}");
        assert_eq!(ann.post("lists/fetch-user-lists", &[]).await.ok()["data"].as_array().unwrap().len(), 1);
    }

    async fn retrying_an_old_call_does_not_publish_a_list_again(app: TestApp) {
        let ann = app.shopper("ann").await;
        let lid = ann.list("Summer").await;
        assert_eq!(post(&ann, "k", "lists/markPublic", &[("lid", &lid)]).await.ok()["anonRead"], true);
        ann.post("lists/markPublic", &[("lid", &lid), ("public", "false")]).await.ok();
        assert_eq!(post(&ann, "k", "lists/markPublic", &[("lid", &lid)]).await.ok()["anonRead"], false);
        let other = post(&ann, "k", "lists/markPublic", &[("lid", &lid), ("public", "false")]).await;
        other.fails(400, "invalid-parameter");
    }

    async fn erasing_with_a_key_runs_once_and_a_key_of_another_call_erases_nothing(app: TestApp) {
        let admin = app.store_admin();
        let erase = async |key: &str, email: &str| {
            let body = encode_form(&[("useremail", email)]);
            admin.send_with("POST", "/storeadmin/v3/user/erase", &[FORM, ("idempotency-key", key)], body).await
        };
        app.shopper("ann").await.list("Summer").await;
        let first = erase("k", "ann@example.com").await;
        assert_eq!(first.ok()["erased"]["lists"], 1);
        let (again, bob) = (app.shopper("ann").await, app.shopper("bob").await);
        again.list("Winter").await;
        bob.list("Bobs").await;
        assert_eq!(erase("k", "ann@example.com").await.text(), first.text());
        erase("k", "bob@example.com").await.fails(400, "invalid-parameter");
        for client in [again, bob] {
            assert_eq!(client.post("lists/fetch-lists", &[]).await.ok().as_array().unwrap().len(), 1);
        }
    }

    async fn a_guests_call_retried_after_login_runs_once(app: TestApp) {
        let guest = app.guest().await;
        let first = post(&guest, "k", "lists/create", &[("lname", "Summer")]).await;
        let fields = [("regid", guest.regid.as_str()), ("useremail", "ann@example.com")];
        let credentials = app.store_admin().form("/storeadmin/v3/user/guest-validate-sync", &fields).await.ok();
        let ann = Client::new(guest.router.clone(), guest.pid.clone(), credentials);
        assert_eq!(post(&ann, "k", "lists/create", &[("lname", "Summer")]).await.text(), first.text());
        assert_eq!(ann.post("lists/fetch-user-lists", &[]).await.ok()["data"].as_array().unwrap().len(), 1);
    }
}
