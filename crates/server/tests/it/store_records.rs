//! Servers keep records of stores in memory, and notice by a stamp when one has changed.

use wishbone_core::operator::Operator;
use wishbone_core::stores::manage::{RevokeSessions, RotateKey, UpdateStore};
use wishbone_core::stores::record::{FindStore, StoreRecord};
use wishbone_core::stores::settings::SettingsChange;
use wishbone_server::http::router::router;
use wishbone_storage::{Query, Read, Sql};

use crate::hostile::subject;
use crate::support::{Client, NOW, TestApp, calls};

/// The stamp of the only store.
struct Stamp;

impl Read for Stamp {
    const NAME: &'static str = "stamp";
    const SINGLE_STATEMENT: bool = true;
    type Out = i64;
    type Error = wishbone_storage::Error;

    async fn run<Q: Query>(&self, query: &mut Q) -> wishbone_storage::Result<i64> {
        const STAMP: Sql = Sql::new("select record_stamp from store_states");
        Ok(query.first(STAMP.bind(&[])).await?.unwrap())
    }
}

/// The record of the store, and its stamp.
async fn record(app: &TestApp) -> (StoreRecord, i64) {
    let record = app.app.database.read(FindStore { pid: app.store.pid.clone() }).await.unwrap().unwrap();
    (record, app.app.database.read(Stamp).await.unwrap())
}

both_engines! {
    async fn every_change_of_a_store_changes_its_stamp(app: TestApp) {
        let mut changed = Vec::new();
        let mut before = record(&app).await;
        let mut check = async |name: &'static str| {
            let after = record(&app).await;
            if after.0 != before.0 {
                assert_ne!(after.1, before.1, "{name}");
                changed.push(name);
            }
            before = after;
        };
        let (by, pid) = (Operator::of_this_machine, || app.store.pid.clone());
        let update = SettingsChange { mails_per_shopper: Some(7), ..SettingsChange::default() };
        app.app.database.write(UpdateStore { by: by(), pid: pid(), change: update, moment: app.app.environment.moment() }).await.unwrap();
        check("update").await;
        app.app.database.write(RevokeSessions { by: by(), pid: pid(), email: None, now: NOW }).await.unwrap();
        check("revoke").await;
        let paths: Vec<&str> = calls(&subject(&app, "zoe").await).iter().map(|call| call.path).collect();
        for (i, path) in paths.into_iter().enumerate() {
            let all = calls(&subject(&app, &format!("ann{i}")).await);
            check("subject").await;
            for call in all.iter().filter(|call| call.path == path) {
                call.send(&app.router).await;
                check(path).await;
            }
        }
        app.store_admin().form("/storeadmin/v3/user/revoke-sessions", &[("all", "true")]).await.ok();
        check("revoke by the store").await;
        let api_key = "wb_new".to_owned();
        let rotate = RotateKey { by: by(), pid: pid(), api_key, keep_previous_until: None, now: NOW };
        app.app.database.write(rotate).await.unwrap();
        check("rotate").await;
        let webhooks = ["/storeadmin/v3/webhooks/create", "/storeadmin/v3/webhooks/delete"];
        for name in ["update", "revoke", "revoke by the store", "rotate"].into_iter().chain(webhooks) {
            assert!(changed.contains(&name), "{name}: {changed:?}");
        }
    }

    async fn a_node_that_knows_a_store_notices_its_changes(app: TestApp) {
        let ann = app.shopper("ann").await;
        let lid = ann.list("Mine").await;
        let node = app.second_node().await;
        let credentials = serde_json::json!({ "regid": ann.regid, "sessionid": ann.sessionid });
        let other = Client::new(router(&node), ann.pid.clone(), credentials);
        let add = async |client: &Client, epi: i64| {
            let item = format!(r#"[{{"epi":{epi},"empi":1,"du":"https://shop.example/"}}]"#);
            client.post("lists/update-ctx", &[("lid", &lid), ("a", &item)]).await
        };
        add(&other, 1).await.ok();
        app.set(SettingsChange { max_items: Some(1), ..SettingsChange::default() }).await;
        let added = add(&other, 2).await.ok();
        assert!(added.to_string().contains("limit-reached"), "{added}");
        app.set(SettingsChange { max_items: Some(2), ..SettingsChange::default() }).await;
        assert!(!add(&other, 2).await.ok().to_string().contains("limit-reached"));
        let by = Operator::of_this_machine();
        app.app.database.write(RevokeSessions { by, pid: ann.pid.clone(), email: None, now: NOW }).await.unwrap();
        add(&other, 3).await.fails(401, "bad-regid");
    }
}
