//! Who is who: keys, regids, sessionids and those who make them up.

mod revoking;

use std::collections::BTreeSet;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use futures_util::future::join_all;
use serde_json::{Value, json};
use uuid::Uuid;
use wishbone_core::operator::Operator;
use wishbone_core::stores::manage::CreateStore;
use wishbone_core::stores::settings::Settings;

use crate::support::{Admin, Client, FORM, NOW, Reply, TABLES, TestApp, TestStore, encode, encode_form, send};

const GENERATE: &str = "/storeadmin/v3/user/generate-regid";
const DEVICE: &str = "7b5f0a3e-9c1d-4e2f-8a6b-0c1d2e3f4a5b";

async fn generate(app: &TestApp, fields: &[(&str, &str)]) -> Value {
    app.store_admin().form(GENERATE, fields).await.ok()
}

/// Everything in the database.
async fn dump(app: &TestApp) -> Vec<String> {
    let mut out = Vec::new();
    for &table in TABLES {
        out.extend(app.app.database.dump(table).await.unwrap());
    }
    out
}

fn is_url_safe(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_')
}

async fn lists(client: &Client) -> Reply {
    client.post("lists/fetch-user-lists", &[]).await
}

/// A call whose pid is in the query just as given.
async fn with_pid(app: &TestApp, client: &Client, pid: &str) -> Reply {
    let body = encode_form(&[("regid", &client.regid), ("sessionid", &client.sessionid)]);
    send(&app.router, "POST", &format!("/api/v3/lists/fetch-lists?pid={pid}"), &[FORM], body).await
}

both_engines! {
    async fn a_store_can_check_its_own_key(app: TestApp) {
        let reply = app.store_admin().get("/storeadmin/me").await;
        assert_eq!(reply.ok(), json!({ "pid": app.store.pid, "appId": "StoreadminApi" }));
    }

    async fn a_wrong_pid_or_key_is_refused_on_every_store_admin_call(app: TestApp) {
        let other = app.create_store(Settings::default()).await;
        let good = &app.store;
        let wrong = [
            TestStore { pid: good.pid.clone(), key: "wb_wrong".into() },
            TestStore { pid: good.pid.clone(), key: String::new() },
            TestStore { pid: good.pid.clone(), key: other.key.clone() },
            TestStore { pid: other.pid.clone(), key: good.key.clone() },
            TestStore { pid: "nobody".into(), key: good.key.clone() },
            TestStore { pid: String::new(), key: String::new() },
            TestStore { pid: "nul\0".into(), key: good.key.clone() },
        ];
        for store in wrong {
            let admin = Admin::new(app.router.clone(), store);
            let reply = admin.get("/storeadmin/me").await;
            reply.fails(401, "bad-api-key");
            assert_eq!(reply.headers["www-authenticate"], "Basic realm=\"wishbone\"");
            admin.form(GENERATE, &[("useremail", "ann@example.com")]).await.fails(401, "bad-api-key");
        }
        let basic = |text: &str| format!("Basic {}", STANDARD.encode(text));
        let headers = [
            String::new(),
            "Basic".into(),
            "Basic !!!".into(),
            basic("no colon"),
            format!("Bearer {}", good.key),
            format!("Basic {}", STANDARD.encode([0xff, 0xfe, b':', b'x'])),
        ];
        for header in headers {
            let reply = send(&app.router, "GET", "/storeadmin/me", &[("authorization", &header)], "").await;
            reply.fails(401, "bad-api-key");
        }
        send(&app.router, "GET", "/storeadmin/me", &[], "").await.fails(401, "bad-api-key");
        // The scheme's name may have any case, as in every HTTP server.
        let lower = format!("basic {}", STANDARD.encode(format!("{}:{}", good.pid, good.key)));
        send(&app.router, "GET", "/storeadmin/me", &[("authorization", &lower)], "").await.ok();
        assert_eq!(app.rows("shoppers").await, 0);
    }

    async fn an_email_gives_the_same_regid_however_it_is_written(app: TestApp) {
        let first = generate(&app, &[("useremail", "ann@example.com")]).await;
        for written in ["Ann@Example.COM", "  ann@example.com\t", "\nANN@EXAMPLE.COM "] {
            assert_eq!(generate(&app, &[("useremail", written)]).await, first, "{written:?}");
        }
        assert_ne!(generate(&app, &[("useremail", "anne@example.com")]).await["regid"], first["regid"]);
        assert_eq!(app.rows("shoppers").await, 2);
        let umlaut = generate(&app, &[("useremail", "jürgen@bücher.example")]).await;
        assert_eq!(generate(&app, &[("useremail", "jürgen@BÜCHER.Example")]).await, umlaut);
        // In the local part only ASCII is folded: these may be different mailboxes. (U+212A is the Kelvin sign.)
        assert_ne!(generate(&app, &[("useremail", "JÜRGEN@bücher.example")]).await, umlaut);
        assert_ne!(
            generate(&app, &[("useremail", "\u{212a}im@example.com")]).await,
            generate(&app, &[("useremail", "kim@example.com")]).await
        );
    }

    async fn asking_a_thousand_times_for_one_email_changes_nothing(app: TestApp) {
        let first = generate(&app, &[("useremail", "ann@example.com")]).await;
        let before = dump(&app).await;
        for i in 0..1_000 {
            app.advance(1);
            let agent = ["", "desktop", "mobile"][i % 3];
            assert_eq!(generate(&app, &[("useremail", "ann@example.com"), ("useragenttype", agent)]).await, first);
        }
        assert_eq!(dump(&app).await, before);
    }

    async fn many_pages_that_ask_for_a_new_email_at_once_get_one_shopper(app: TestApp) {
        let asks = (0..20).map(|_| generate(&app, &[("useremail", "ann@example.com")]));
        let answers: BTreeSet<String> = join_all(asks).await.iter().map(Value::to_string).collect();
        assert_eq!(answers.len(), 1);
        assert_eq!(app.rows("shoppers").await, 1);
    }

    async fn a_uuid_gives_the_same_guest_and_writes_no_row(app: TestApp) {
        let before = dump(&app).await;
        let first = generate(&app, &[("uuid", DEVICE)]).await;
        for written in [DEVICE.to_uppercase(), format!(" {DEVICE} ")] {
            assert_eq!(generate(&app, &[("uuid", &written)]).await, first);
        }
        let other = generate(&app, &[("uuid", "7b5f0a3e-9c1d-4e2f-8a6b-0c1d2e3f4a5c")]).await;
        assert_ne!(other["regid"], first["regid"]);
        let guest = Client::new(app.router.clone(), app.store.pid.clone(), first);
        assert_eq!(lists(&guest).await.ok()["data"], json!([]));
        guest.post("lists/fetch-user-list", &[("lid", DEVICE)]).await.fails(401, "user-not-logged-in");
        assert_eq!(dump(&app).await, before);
        let lid = guest.list("Mine").await;
        assert_eq!(app.rows("shoppers").await, 1);
        // Asking again is the same guest, who still has the list.
        let again = Client::new(app.router.clone(), app.store.pid.clone(), generate(&app, &[("uuid", DEVICE)]).await);
        assert_eq!(lists(&again).await.ok()["data"][0]["lid"], lid.as_str());
    }

    async fn only_a_version_4_uuid_is_a_device(app: TestApp) {
        let bad = [
            "00000000-0000-0000-0000-000000000000",
            "ffffffff-ffff-ffff-ffff-ffffffffffff",
            "c232ab00-9414-11ec-b3c8-9f6bdeced846",
            "017f22e2-79b0-7cc3-98c4-dc0c0c07398f",
            "74738ff5-5367-5958-9aee-98fffdcd1876",
            "ann",
            "7b5f0a3e-9c1d-4e2f-8a6b",
            "7b5f0a3e-9c1d-4e2f-8a6b-0c1d2e3f4a5g",
        ];
        for uuid in bad {
            let reply = app.store_admin().form(GENERATE, &[("uuid", uuid)]).await;
            reply.fails(400, "invalid-parameter");
            assert!(reply.json()["error-msg"].as_str().unwrap().contains("uuid"), "{uuid}");
        }
    }

    async fn a_regid_is_made_from_an_email_or_a_uuid_and_never_both(app: TestApp) {
        let admin = app.store_admin();
        admin
            .form(GENERATE, &[("useremail", "ann@example.com"), ("uuid", DEVICE)])
            .await
            .fails(400, "invalid-parameter");
        admin.form(GENERATE, &[]).await.fails(400, "missing-parameter");
        admin.form(GENERATE, &[("useragenttype", "desktop")]).await.fails(400, "missing-parameter");
        admin.form(GENERATE, &[("useremail", ""), ("uuid", "")]).await.fails(400, "missing-parameter");
        assert_eq!(app.rows("shoppers").await, 0);
        // An empty value is an absent one.
        let guest = generate(&app, &[("useremail", ""), ("uuid", DEVICE), ("useragenttype", "")]).await;
        assert_eq!(guest, generate(&app, &[("uuid", DEVICE), ("useragenttype", "Ünïcode <agent> 🛒")]).await);
    }

    async fn identifiers_survive_clients_that_forget_to_encode(app: TestApp) {
        let mut regids = BTreeSet::new();
        for client in [app.shopper("ann").await, app.guest().await, app.browser().await] {
            assert!(client.regid.len() >= 64 && is_url_safe(&client.regid), "{}", client.regid);
            let uuid = client.sessionid.strip_suffix("-API").unwrap();
            assert!(uuid.len() == 36 && Uuid::try_parse(uuid).is_ok(), "{uuid}");
            regids.insert(client.regid);
        }
        assert_eq!(regids.len(), 3);
    }

    async fn a_store_id_may_come_unencoded_or_encoded_twice(app: TestApp) {
        let ann = app.shopper("ann").await;
        // The fixed ids of tests hold no plus sign; a real one does.
        let pid = STANDARD.encode(std::array::from_fn::<u8, 32, _>(|i| if i % 2 == 0 { 0xfb } else { 0x1f }));
        assert!(pid.contains('+') && pid.ends_with('='), "{pid}");
        let by = Operator::of_this_machine();
        let create = CreateStore {
            by,
            pid: pid.clone(),
            name: "Plus".into(),
            api_key: "wb_plus".into(),
            settings: Settings::default(),
            now: NOW,
        };
        app.app.database.write(create).await.unwrap();
        let plus = app.shopper_of(&TestStore { pid: pid.clone(), key: "wb_plus".into() }, "ann").await;
        for (client, pid) in [(&ann, &app.store.pid), (&plus, &pid)] {
            let once = encode(pid);
            for written in [pid.clone(), once.clone(), encode(&once), pid.replace('+', "%20")] {
                assert_eq!(with_pid(&app, client, &written).await.ok(), json!([]), "{written}");
            }
            with_pid(&app, client, &encode(&pid.to_lowercase())).await.fails(401, "unknown-store");
        }
    }

    async fn a_browser_gets_an_identity_without_a_key_and_without_a_row(app: TestApp) {
        let before = dump(&app).await;
        let (one, two) = (app.browser().await, app.browser().await);
        assert_ne!(one.regid, two.regid);
        assert_eq!(lists(&one).await.ok()["data"], json!([]));
        assert_eq!(one.post("lists/fetch-lists", &[]).await.ok(), json!([]));
        assert_eq!(one.post("subscriptions/fetch-subs", &[("topic", "backinstock")]).await.ok()["total"], 0);
        one.post("lists/create", &[]).await.fails(400, "missing-parameter");
        one.post("lists/delete-list", &[("lid", DEVICE)]).await.fails(404, "list-not-found");
        one.post("lists/update-ctx", &[("lid", DEVICE), ("d", r#"[{"epi":1}]"#)]).await.fails(404, "list-not-found");
        assert_eq!(dump(&app).await, before, "nothing was written yet");
        let lid = one.list("First").await;
        assert_eq!(app.rows("shoppers").await, 1);
        assert_eq!(lists(&one).await.ok()["data"][0]["lid"], lid.as_str());
        assert_eq!(lists(&two).await.ok()["data"], json!([]));
        one.post("lists/fetch-user-list", &[("lid", &lid)]).await.fails(401, "user-not-logged-in");
    }

    async fn a_browser_may_make_up_its_sessionid(app: TestApp) {
        let mut browser = app.browser().await;
        let lid = browser.list("Mine").await;
        for sessionid in ["12345678", "my_own-session_ID", "--------", &"x".repeat(128), DEVICE] {
            browser.sessionid = sessionid.to_owned();
            assert_eq!(lists(&browser).await.ok()["data"][0]["lid"], lid.as_str(), "{sessionid}");
        }
        let long = "x".repeat(129);
        for sessionid in
            ["1234567", long.as_str(), "has space", "semi;colon", "säßion-id", "12345678\n", "1234567.", "a/b/c/d/e"]
        {
            browser.sessionid = sessionid.to_owned();
            let reply = browser.post("lists/fetch-lists", &[]).await;
            reply.fails(401, "bad-regid");
            assert_eq!(reply.json()["type"], "sw-badregid", "{sessionid}");
        }
        // Only a browser may: the store's own shoppers prove that the store sent them.
        for mut client in [app.shopper("ann").await, app.guest().await] {
            client.sessionid = "12345678".into();
            lists(&client).await.fails(401, "bad-regid");
        }
    }

    async fn what_does_not_belong_together_is_a_bad_regid(app: TestApp) {
        let other_store = app.create_store(Settings::default()).await;
        let (ann, bea) = (app.shopper("ann").await, app.shopper("bea").await);
        let (guest, browser) = (app.guest().await, app.browser().await);
        let foreign = app.shopper_of(&other_store, "ann").await;
        let mix = |pid: &Client, regid: &Client, sessionid: &Client| Client {
            pid: pid.pid.clone(),
            regid: regid.regid.clone(),
            sessionid: sessionid.sessionid.clone(),
            ..ann.clone()
        };
        let mut bad = vec![
            mix(&ann, &ann, &bea),
            mix(&ann, &bea, &ann),
            mix(&ann, &ann, &guest),
            mix(&ann, &guest, &ann),
            mix(&ann, &ann, &browser),
            mix(&ann, &guest, &browser),
            mix(&ann, &foreign, &foreign),
            mix(&ann, &ann, &foreign),
            mix(&ann, &foreign, &ann),
            mix(&foreign, &ann, &ann),
            mix(&foreign, &browser, &browser),
            mix(&foreign, &guest, &guest),
            Client { regid: ann.sessionid.clone(), sessionid: ann.regid.clone(), ..ann.clone() },
        ];
        for garbage in [
            "x",
            "AAAA",
            "'; drop table shoppers; --",
            "🛒",
            &"A".repeat(100_000),
            &ann.regid[1..],
            &format!("{}A", ann.regid),
        ] {
            bad.push(Client { regid: garbage.to_owned(), ..ann.clone() });
            bad.push(Client { sessionid: garbage.to_owned(), ..ann.clone() });
        }
        bad.push(Client { sessionid: ann.sessionid.to_uppercase(), ..ann.clone() });
        for client in &bad {
            let reply = client.post("lists/fetch-lists", &[]).await;
            reply.fails(401, "bad-regid");
            assert_eq!(reply.json()["type"], "sw-badregid");
            for path in ["lists/fetch-user-list", "lists/fetch-user-lists"] {
                let reply = client.post(path, &[]).await;
                reply.fails(401, "bad-regid");
                assert_eq!(reply.json().get("type"), None);
            }
        }
        for client in [&ann, &bea, &guest, &browser, &foreign] {
            lists(client).await.ok();
        }
    }

    async fn a_pid_that_no_store_has_is_unknown(app: TestApp) {
        let ann = app.shopper("ann").await;
        for pid in ["nobody", "'", &STANDARD.encode([9; 32]), &"A".repeat(10_000)] {
            let stranger = Client { pid: pid.to_owned(), ..ann.clone() };
            lists(&stranger).await.fails(401, "unknown-store");
            stranger.raw("/api/v3/provider/register", &[]).await.fails(401, "unknown-store");
        }
        send(&app.router, "POST", "/api/v3/provider/register", &[], "").await.fails(400, "missing-parameter");
        send(&app.router, "POST", "/api/v3/provider/register?pid=", &[], "").await.fails(400, "missing-parameter");
    }

    async fn addresses_are_checked_before_a_shopper_is_made(app: TestApp) {
        let long_local = format!("{}@example.com", "x".repeat(65));
        let long = format!("ann@{}.com", vec!["x".repeat(60); 5].join("."));
        let bad = [
            "ann",
            "@",
            "ann@",
            "@example.com",
            "ann@@example.com",
            "ann@example",
            "ann@localhost",
            "ann @example.com",
            "ann@exa mple.com",
            "ann@example..com",
            "ann@.example.com",
            "ann@example.com.",
            ".ann@example.com",
            "ann.@example.com",
            "a..b@example.com",
            "Ann <ann@example.com>",
            "<ann@example.com>",
            "mailto:ann@example.com",
            "ann@[127.0.0.1]",
            "\"ann\"@example.com",
            "ann@example.com,bea@example.com",
            "ann@example.com;bea@example.com",
            "ann@example.com\r\nBcc: bea@example.com",
            "ann\n@example.com",
            "ann@-example.com",
            "ann@example-.com",
            "ann\u{202e}@example.com",
            "ann\u{200b}@example.com",
            "ann\u{a0}@example.com",
            "ann\u{85}@example.com",
            "ann@exam\u{200d}ple.com",
            "ann\u{7f}@example.com",
            "a\\nn@example.com",
            &long_local,
            &long,
        ];
        let mut accepted = Vec::new();
        for email in bad {
            let reply = app.store_admin().form(GENERATE, &[("useremail", email)]).await;
            if reply.status == 200 {
                accepted.push(email);
                continue;
            }
            reply.fails(400, "invalid-parameter");
            assert!(reply.json()["error-msg"].as_str().unwrap().starts_with("useremail "), "{}", reply.text());
        }
        assert_eq!(accepted, Vec::<&str>::new());
        assert_eq!(app.rows("shoppers").await, 0);
        let good = [
            "ann@example.com",
            "a@b.co",
            "ann+wishes@example.com",
            "ann.b.c@sub.shop.example.com",
            "o'brien@example.ie",
            "ann_b-c@example-shop.com",
            "1234@example.com",
            "ann@xn--bcher-kva.example",
            "ann@bücher.example",
            "李@example.com",
            "!#$%&'*/=?^`{|}~@example.com",
        ];
        for email in good {
            app.store_admin().form(GENERATE, &[("useremail", email)]).await.ok();
        }
        assert_eq!(app.rows("shoppers").await, good.len());
    }
}
