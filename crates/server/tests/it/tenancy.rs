//! Nobody reaches what belongs to another shopper or another store: not with a list's id, not with a
//! page token, not with somebody else's regid, sessionid or API key, on any operation.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use wishbone_core::stores::settings::{Feature, Plan, Settings};
use wishbone_server::api::operation::Caller;
use wishbone_server::api::routes::OPERATIONS;

use crate::support::{Call, Client, Kind, Reply, Subject, TABLES, TestApp, TestStore, calls};

/// Ann in store A, with two lists of more than a page and a subscription; and everyone who is not Ann.
struct Town {
    ann: Subject,
    /// Texts that only Ann may see.
    secrets: Vec<String>,
    /// Texts that only store A and its shoppers may see.
    store_secrets: Vec<String>,
    bea: Client,
    guest: Client,
    browser: Client,
    store_b: TestStore,
    bob: Client,
    ann_of_b: Client,
}

impl Town {
    async fn new(app: &TestApp) -> Self {
        let features = [Feature::SortFilter, Feature::SaveForLater, Feature::Subscriptions];
        let settings = Settings { plan: Plan::Enterprise, features: features.into(), ..Settings::default() };
        let store_b = app.create_store(settings).await;
        let admin = app.store_admin();
        admin.upsert(json!([{ "epi": 1, "empi": 1001, "dt": "Catalogue-Of-A", "stock": 5, "pr": 12.34 }])).await;
        app.admin_of(&store_b).upsert(json!([{ "epi": 1, "empi": 1001, "dt": "Catalogue-Of-B", "stock": 9 }])).await;

        let shopper = app.shopper("ann.secret").await;
        let made = shopper
            .post(
                "lists/create",
                &[
                    ("lname", "Name-Of-Ann"),
                    ("lnote", "Note-Of-Ann"),
                    ("ldesc", "Words-Of-Ann"),
                    ("lprops", r#"{"k":"Props-Of-Ann"}"#),
                ],
            )
            .await
            .ok();
        let item = |n: i64| {
            json!({
                "epi": n, "empi": 1000 + n, "du": "https://shop.example/Link-Of-Ann", "note": "ItemNote-Of-Ann",
                "clbls": ["Label-Of-Ann"], "cprops": { "k": "ItemProps-Of-Ann" },
            })
        };
        let items: Vec<Value> = (1..=60).map(item).collect();
        let lid = made["lid"].as_str().unwrap().to_owned();
        shopper.add_items(&lid, &Value::from(items.clone())).await;
        let saved = shopper.post("lists/sfl/create", &[("lname", "Saved-Of-Ann")]).await.ok();
        let saved_lid = saved["lid"].as_str().unwrap().to_owned();
        shopper.post("lists/sfl/add", &[("lid", &saved_lid), ("items", &Value::from(items).to_string())]).await.ok();
        let subscription = [
            ("medium", "email"),
            ("mediumvalue", "ann.secret@example.com"),
            ("topics", r#"["backinstock"]"#),
            ("products", r#"[{"epi":1,"empi":1001,"du":"https://shop.example/Alert-Of-Ann"}]"#),
            ("extras", r#"{"k":"Extras-Of-Ann"}"#),
        ];
        admin.form("/storeadmin/bispa/subscriptions/create", &subscription).await.ok();
        let order = [("sortby", "price"), ("sortorder", "asc"), ("filterby", "instock")];
        let next = shopper.page(&lid, &order).await["pagination"]["next"].as_str().unwrap().to_owned();
        let saved_page = shopper.post("lists/sfl/fetch", &[]).await.ok();
        let saved_next = saved_page["pagination"]["next"].as_str().unwrap().to_owned();

        let text = |key: &str| made[key].as_str().unwrap().to_owned();
        let mut secrets: Vec<String> = ["-Of-Ann", "ann.secret"].map(str::to_owned).into();
        secrets.extend([
            text("uid"),
            text("di"),
            text("id"),
            text("_pkey"),
            text("lhash"),
            next.clone(),
            saved_next.clone(),
        ]);
        let store_secrets =
            vec!["Catalogue-Of-A".to_owned(), "12.34".to_owned(), app.store.pid.clone(), app.store.key.clone()];
        let email = "ann.secret@example.com".to_owned();
        let ann = Subject {
            shopper,
            store: app.store.clone(),
            email,
            lid,
            saved_lid,
            next,
            saved_next,
            webhook: app.webhook().await,
        };
        let (bea, guest, browser) = (app.shopper("bea").await, app.guest().await, app.browser().await);
        let (bob, ann_of_b) = (app.shopper_of(&store_b, "bob").await, app.shopper_of(&store_b, "ann.secret").await);
        Self { ann, secrets, store_secrets, bea, guest, browser, store_b, bob, ann_of_b }
    }

    /// An answer to someone who is not Ann holds nothing of hers that the caller did not send.
    #[track_caller]
    fn assert_discreet(&self, call: &Call, reply: &Reply, of_another_store: bool) {
        let own = if call.parts.iter().any(|part| part.value == self.ann_of_b.regid) { &self.ann.email } else { "" };
        let (mut said, sent) = (reply.text(), format!("{own} {:?}", call.parts));
        // A request shows its shopper the address that the shopper has asked for before.
        if said.contains(r#""unconfirmed":true"#) {
            said = said.replace(&format!(r#""mediumvalue":"{}""#, self.ann.email), "");
        }
        let more = if of_another_store { &self.store_secrets[..] } else { &[] };
        for secret in self.secrets.iter().chain(more).filter(|secret| !sent.contains(secret.as_str())) {
            assert!(!said.contains(secret), "{}: {secret} in {said}", call.path);
        }
    }
}

/// Every row of store A, except those of the shoppers who are not Ann.
async fn rows_of_ann(app: &TestApp, town: &Town) -> Vec<String> {
    let first = |line: &str, column: usize| line.split(" | ").nth(column).unwrap().to_owned();
    let stores = app.app.database.dump("stores").await.unwrap();
    let store = first(stores.iter().find(|line| line.contains(&town.ann.store.pid)).unwrap(), 0) + " | ";
    let (mut out, mut ann, mut lists) = (Vec::new(), String::new(), Vec::new());
    for &table in TABLES {
        for line in app.app.database.dump(table).await.unwrap().into_iter().filter(|line| line.starts_with(&store)) {
            if table == "shoppers" && line.contains(&town.ann.email) {
                ann = first(&line, 1);
            }
            let is_hers = match table {
                "stores" | "products" => true,
                "shoppers" => line.contains(&town.ann.email),
                "items" => lists.contains(&first(&line, 1)),
                _ => line.contains(&ann),
            };
            if table == "lists" && is_hers {
                lists.push(first(&line, 1));
            }
            if is_hers {
                out.push(format!("{table}: {line}"));
            }
        }
    }
    out
}

/// How those fail who call with credentials of their own, and with Ann's list or page token.
fn refusal(call: &Call, is_guest: bool, of_another_store: bool) -> (u16, &'static str) {
    let has_token = call.parts.iter().any(|part| part.name == "next");
    match call.path {
        "/api/v3/lists/fetch-user-list" | "/api/v3/lists/markPublic" | "/api/v3/lists/emailList" if is_guest => {
            (401, "user-not-logged-in")
        }
        path if path.starts_with("/api/v3/lists/share-links/") && is_guest => (401, "user-not-logged-in"),
        // Signed for Ann's regid and for no other.
        "/api/v3/lists/user-validate-sync" => (403, "forbidden"),
        _ if has_token => (400, "invalid-next-token"),
        _ if of_another_store => (404, "list-not-found"),
        "/api/v3/lists/fetch-user-list" => (401, "not-granted"),
        _ => (403, "forbidden"),
    }
}

both_engines! {
    async fn every_operation_is_tried_by_those_who_may_not(app: TestApp) {
        let covered: BTreeSet<&str> = calls(&Town::new(&app).await.ann).iter().map(|call| call.path).collect();
        let all: BTreeSet<&str> = OPERATIONS
            .iter()
            .filter(|operation| !matches!(operation.caller, Caller::Anyone | Caller::Monitor))
            .map(|operation| operation.path)
            .collect();
        let difference: Vec<&&str> = covered.symmetric_difference(&all).collect();
        assert!(difference.is_empty(), "support/calls.rs needs one call of every operation: {difference:?}");
    }

    async fn ann_herself_may_do_all_of_it(app: TestApp) {
        // Otherwise the other tests would prove nothing.
        let town = Town::new(&app).await;
        for call in calls(&town.ann) {
            call.send(&app.router).await.ok();
        }
    }

    async fn nobody_reaches_anns_lists_with_credentials_of_their_own(app: TestApp) {
        let town = Town::new(&app).await;
        let before = rows_of_ann(&app, &town).await;
        assert_eq!(before.len(), 2 + 2 + 2 + 120 + 60 + 1 + 1, "store and its state, Ann and the stamp of her lists, lists, items, wishes, product, subscription");
        let guests = [(&town.guest, true, false), (&town.browser, true, false)];
        let shoppers = [(&town.bea, false, false), (&town.bob, false, true), (&town.ann_of_b, false, true)];
        for call in calls(&town.ann).iter().filter(|call| matches!(call.caller, Caller::Shopper | Caller::Browser)) {
            for (client, is_guest, of_another_store) in guests.iter().chain(&shoppers) {
                let call = call.by(client);
                // With Ann's page token, and with her list alone.
                for call in [call.clone(), call.without("next")] {
                    let reply = call.send(&app.router).await;
                    town.assert_discreet(&call, &reply, *of_another_store);
                    let is_hers = |kind| matches!(kind, Kind::Token | Kind::List);
                    let names_nothing = !call.parts.iter().any(|part| is_hers(part.kind) || part.name == "token");
                    if names_nothing {
                        reply.ok();
                        continue;
                    }
                    let (status, code) = refusal(&call, *is_guest, *of_another_store);
                    reply.fails(status, code);
                }
            }
        }
        assert_eq!(rows_of_ann(&app, &town).await, before);
        // Nor did the attempts leave anything crooked among the rows of those who tried.
        app.assert_sound().await;
    }

    async fn nobody_reaches_ann_with_credentials_that_are_only_partly_hers(app: TestApp) {
        let town = Town::new(&app).await;
        let before = rows_of_ann(&app, &town).await;
        let ann = &town.ann.shopper;
        let mut crossed = Vec::new();
        for other in [&town.bea, &town.guest, &town.browser, &town.bob, &town.ann_of_b] {
            crossed.extend([
                Client { sessionid: other.sessionid.clone(), ..ann.clone() },
                Client { sessionid: "made-up-session".into(), ..ann.clone() },
                Client { pid: town.store_b.pid.clone(), ..ann.clone() },
                Client { pid: town.store_b.pid.clone(), sessionid: other.sessionid.clone(), ..ann.clone() },
            ]);
            if other.regid != town.browser.regid {
                crossed.push(Client { sessionid: ann.sessionid.clone(), ..other.clone() });
                crossed.push(Client { sessionid: ann.sessionid.clone(), pid: ann.pid.clone(), ..other.clone() });
            }
            let elsewhere = if other.pid == ann.pid { &town.store_b.pid } else { &ann.pid };
            crossed.push(Client { pid: elsewhere.clone(), ..other.clone() });
        }
        for call in calls(&town.ann).iter().filter(|call| call.caller == Caller::Shopper) {
            for client in &crossed {
                let call = call.by(client);
                let reply = call.send(&app.router).await;
                reply.fails(401, "bad-regid");
                town.assert_discreet(&call, &reply, true);
            }
        }
        assert_eq!(rows_of_ann(&app, &town).await, before);
        ann.page(&town.ann.lid, &[]).await;
    }

    async fn a_browser_that_borrows_anns_sessionid_is_still_a_stranger(app: TestApp) {
        // Browsers may send any sessionid: one of Ann's must not make them Ann.
        let town = Town::new(&app).await;
        let before = rows_of_ann(&app, &town).await;
        let thief = Client { sessionid: town.ann.shopper.sessionid.clone(), ..town.browser.clone() };
        for call in calls(&town.ann).iter().filter(|call| call.caller == Caller::Shopper) {
            let call = call.by(&thief);
            let reply = call.send(&app.router).await;
            town.assert_discreet(&call, &reply, false);
        }
        assert_eq!(rows_of_ann(&app, &town).await, before);
    }

    async fn a_store_reaches_nothing_of_another_store(app: TestApp) {
        let town = Town::new(&app).await;
        let before = rows_of_ann(&app, &town).await;
        for call in calls(&town.ann).iter().filter(|call| call.caller == Caller::StoreAdmin) {
            // B's own key: it is about B, whatever it names.
            let mut own = call.clone();
            own.key = Some(town.store_b.clone());
            let reply = own.send(&app.router).await;
            let names_webhook = call.json.as_ref().is_some_and(|body| body.get("id").is_some());
            match call.parts.iter().any(|part| part.name == "regid") {
                true => reply.fails(401, "bad-regid"),
                false if names_webhook => reply.fails(404, "not-found"),
                false => reply.ok(),
            };
            town.assert_discreet(&own, &reply, true);
            assert_eq!(rows_of_ann(&app, &town).await, before, "{}", call.path);
            // Keys crossed: nobody.
            for (pid, key) in [(&town.ann.store.pid, &town.store_b.key), (&town.store_b.pid, &town.ann.store.key)] {
                let mut crossed = call.clone();
                crossed.key = Some(TestStore { pid: pid.clone(), key: key.clone() });
                let reply = crossed.send(&app.router).await;
                reply.fails(401, "bad-api-key");
                town.assert_discreet(&crossed, &reply, true);
            }
        }
        // Not even by revoking everything of its own.
        app.admin_of(&town.store_b).form("/storeadmin/v3/user/revoke-sessions", &[("all", "true")]).await.ok();
        assert_eq!(rows_of_ann(&app, &town).await, before);
        assert_eq!(town.ann.shopper.page(&town.ann.lid, &[]).await["data"]["cnt"], 60);
        town.bob.post("lists/fetch-lists", &[]).await.fails(401, "bad-regid");
    }

    async fn a_pid_beside_a_key_changes_nothing(app: TestApp) {
        let town = Town::new(&app).await;
        let me = app
            .admin_of(&town.store_b)
            .get(&format!("/storeadmin/me?pid={}", crate::support::encode(&app.store.pid)))
            .await;
        assert_eq!(me.ok()["pid"], town.store_b.pid.as_str());
    }

    async fn one_address_is_two_shoppers_in_two_stores(app: TestApp) {
        let town = Town::new(&app).await;
        let (ann, other) = (&town.ann.shopper, &town.ann_of_b);
        assert_ne!(ann.regid, other.regid);
        assert_ne!(ann.sessionid, other.sessionid);
        let made = other.post("lists/create", &[("lname", "Mine")]).await.ok();
        assert!(
            !town.secrets.contains(&made["uid"].as_str().unwrap().to_owned()),
            "the uid does not tell them to be one"
        );
        let subscribed = other.post("subscriptions/fetch-subs", &[("topic", "backinstock")]).await.ok();
        assert_eq!(subscribed["total"], 0);
        assert_eq!(ann.post("subscriptions/fetch-subs", &[("topic", "backinstock")]).await.ok()["total"], 1);
        // The same variant has the words of each store's own catalogue.
        let lid = made["lid"].as_str().unwrap();
        other.add(lid, &[1]).await;
        assert_eq!(other.page(lid, &[]).await["data"]["listcontents"][0]["dt"], "Catalogue-Of-B");
        let page = ann.page(&town.ann.lid, &[("sortorder", "asc")]).await;
        assert_eq!(page["data"]["listcontents"][0]["dt"], "Catalogue-Of-A");
    }
}
