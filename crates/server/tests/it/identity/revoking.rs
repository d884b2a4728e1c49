//! Keys that change, sessions that end, and what outlives both.

use std::sync::Arc;

use serde_json::json;
use wishbone_core::operator::Operator;
use wishbone_core::stores::manage::{RevokeSessions, RotateKey};
use wishbone_core::stores::settings::Settings;
use wishbone_core::tokens::Keys;
use wishbone_server::app::App;
use wishbone_server::http::router::router;

use super::{DEVICE, GENERATE, generate, lists};
use crate::support::{Admin, Client, NOW, TestApp, TestStore};

const REVOKE: &str = "/storeadmin/v3/user/revoke-sessions";

async fn revoke(app: &TestApp, email: Option<&str>) -> bool {
    let by = Operator::of_this_machine();
    let email = email.map(str::to_owned);
    let revoke = RevokeSessions { by, pid: app.store.pid.clone(), email, now: NOW };
    app.app.database.write(revoke).await.unwrap()
}

/// The same shopper on another server.
fn on(node: &Arc<App>, client: &Client) -> Client {
    let credentials = json!({ "regid": client.regid, "sessionid": client.sessionid });
    Client::new(router(node), client.pid.clone(), credentials)
}

both_engines! {
    async fn a_rotated_api_key_replaces_the_old_one_and_logs_nobody_out(app: TestApp) {
        let ann = app.shopper("ann").await;
        let lid = ann.list("Mine").await;
        let rotate = RotateKey {
            by: Operator::of_this_machine(),
            pid: app.store.pid.clone(),
            api_key: "wb_new".into(),
            keep_previous_until: None,
            now: NOW,
        };
        app.app.database.write(rotate).await.unwrap();
        app.store_admin().get("/storeadmin/me").await.fails(401, "bad-api-key");
        let renewed = TestStore { pid: app.store.pid.clone(), key: "wb_new".into() };
        app.admin_of(&renewed).get("/storeadmin/me").await.ok();
        assert_eq!(lists(&ann).await.ok()["data"][0]["lid"], lid.as_str());
        let again = app.shopper_of(&renewed, "ann").await;
        assert_eq!((again.regid, again.sessionid), (ann.regid, ann.sessionid));
        let stored = app.app.database.dump("stores").await.unwrap().join("\n");
        assert!(!stored.contains("wb_new") && !stored.contains(&app.store.key), "keys are kept hashed");
    }

    async fn a_rotated_api_key_can_stay_valid_for_a_chosen_time(app: TestApp) {
        let rotate = async |key: &str, keep_previous_until: Option<i64>| {
            let (by, pid) = (Operator::of_this_machine(), app.store.pid.clone());
            let rotate = RotateKey { by, pid, api_key: key.into(), keep_previous_until, now: NOW };
            app.app.database.write(rotate).await.unwrap();
        };
        let me = async |key: &str| {
            let store = TestStore { pid: app.store.pid.clone(), key: key.into() };
            app.admin_of(&store).get("/storeadmin/me").await.status.as_u16()
        };
        rotate("wb_second", Some(NOW + 1_000)).await;
        assert_eq!((me(&app.store.key).await, me("wb_second").await, me("wb_other").await), (200, 200, 401));
        let other_store = app.create_store(Settings::default()).await;
        let foreign = TestStore { pid: other_store.pid.clone(), key: app.store.key.clone() };
        app.admin_of(&foreign).get("/storeadmin/me").await.fails(401, "bad-api-key");
        app.app.environment.set_now(NOW + 1_000);
        assert_eq!((me(&app.store.key).await, me("wb_second").await), (401, 200));
        app.app.environment.set_now(NOW);
        // Only one previous key is ever valid, and none after a rotation that keeps none.
        rotate("wb_third", Some(NOW + 1_000)).await;
        assert_eq!((me(&app.store.key).await, me("wb_second").await, me("wb_third").await), (401, 200, 200));
        rotate("wb_fourth", None).await;
        assert_eq!((me("wb_third").await, me("wb_fourth").await), (401, 200));
    }

    async fn revoking_a_stores_sessions_keeps_regids_and_lists(app: TestApp) {
        let other_store = app.create_store(Settings::default()).await;
        let (ann, foreign) = (app.shopper("ann").await, app.shopper_of(&other_store, "ann").await);
        let (guest, browser) = (
            Client::new(app.router.clone(), app.store.pid.clone(), generate(&app, &[("uuid", DEVICE)]).await),
            app.browser().await,
        );
        let (lid, guest_lid, _) =
            (ann.list("Ann's").await, guest.list("Guest's").await, browser.list("Browser's").await);
        assert!(revoke(&app, None).await);
        for client in [&ann, &guest, &browser] {
            client.post("lists/fetch-lists", &[]).await.fails(401, "bad-regid");
        }
        lists(&foreign).await.ok();

        let ann_again = app.shopper("ann").await;
        assert_eq!(ann_again.regid, ann.regid);
        assert_ne!(ann_again.sessionid, ann.sessionid);
        assert_eq!(lists(&ann_again).await.ok()["data"][0]["lid"], lid.as_str());
        let guest_again =
            Client::new(app.router.clone(), app.store.pid.clone(), generate(&app, &[("uuid", DEVICE)]).await);
        assert_eq!(guest_again.regid, guest.regid);
        assert_eq!(lists(&guest_again).await.ok()["data"][0]["lid"], guest_lid.as_str());

        // A browser proves nothing but its regid, so that one is retired, whatever it sends along.
        for sessionid in ["12345678", &ann_again.sessionid] {
            lists(&Client { sessionid: sessionid.to_owned(), ..browser.clone() }).await.fails(401, "bad-regid");
        }
        assert_eq!(lists(&app.browser().await).await.ok()["data"], json!([]));
        assert_eq!(app.rows("lists").await, 3);
        // Twice in a row is fine, and takes the new ones back too.
        assert!(revoke(&app, None).await);
        lists(&ann_again).await.fails(401, "bad-regid");
        lists(&ann).await.fails(401, "bad-regid");
    }

    async fn revoking_one_email_leaves_everyone_else_alone(app: TestApp) {
        let (ann, bea, guest, browser) =
            (app.shopper("ann").await, app.shopper("bea").await, app.guest().await, app.browser().await);
        let lid = ann.list("Ann's").await;
        assert!(revoke(&app, Some("ann@example.com")).await);
        lists(&ann).await.fails(401, "bad-regid");
        for client in [&bea, &guest, &browser] {
            lists(client).await.ok();
        }
        let again = app.shopper("ann").await;
        assert_eq!(again.regid, ann.regid);
        assert_eq!(lists(&again).await.ok()["data"][0]["lid"], lid.as_str());
        assert!(!revoke(&app, Some("nobody@example.com")).await);
    }

    async fn a_store_revokes_its_own_sessions_over_http(app: TestApp) {
        let other_store = app.create_store(Settings::default()).await;
        let (ann, bea) = (app.shopper("ann").await, app.shopper("bea").await);
        let foreign = app.shopper_of(&other_store, "ann").await;
        let admin = app.store_admin();
        let reply = admin.form(REVOKE, &[("useremail", " ANN@example.com")]).await;
        assert_eq!(reply.ok(), json!({ "status": "success", "revoked": true }));
        lists(&ann).await.fails(401, "bad-regid");
        lists(&bea).await.ok();
        assert_eq!(admin.form(REVOKE, &[("useremail", "nobody@example.com")]).await.ok()["revoked"], false);
        admin.form(REVOKE, &[("useremail", "not an address")]).await.fails(400, "invalid-parameter");
        lists(&bea).await.ok();
        for vague in [&[][..], &[("useremail", "")], &[("email", "x@example.com")], &[("all", "false")]] {
            admin.form(REVOKE, vague).await.fails(400, "missing-parameter");
        }
        let both = [("useremail", "ann@example.com"), ("all", "true")];
        admin.form(REVOKE, &both).await.fails(400, "missing-parameter");
        assert_eq!(admin.form(REVOKE, &[("all", "true")]).await.ok()["revoked"], true);
        lists(&bea).await.fails(401, "bad-regid");
        lists(&foreign).await.ok();
        lists(&app.shopper("bea").await).await.ok();
    }

    async fn identities_and_page_tokens_outlive_a_restart(app: TestApp) {
        let (ann, guest, browser) = (app.shopper("ann").await, app.guest().await, app.browser().await);
        let lid = ann.list("Long").await;
        ann.add(&lid, &(1..=60).collect::<Vec<_>>()).await;
        let next = ann.page(&lid, &[]).await["pagination"]["next"].as_str().unwrap().to_owned();
        let node = app.second_node().await;
        for client in [&ann, &guest, &browser] {
            lists(&on(&node, client)).await.ok();
        }
        let page = on(&node, &ann).page(&lid, &[("next", &next)]).await;
        assert_eq!(page["data"]["listcontents"].as_array().unwrap().len(), 10);
        // What is revoked on one node is revoked on all, at once.
        assert!(revoke(&app, Some("ann@example.com")).await);
        lists(&on(&node, &ann)).await.fails(401, "bad-regid");
        let again =
            Admin::new(router(&node), app.store.clone()).form(GENERATE, &[("useremail", "ann@example.com")]).await.ok();
        assert_eq!(again["regid"], ann.regid.as_str());
        lists(&Client::new(app.router.clone(), ann.pid.clone(), again)).await.ok();
    }

    async fn a_rotated_signing_key_logs_nobody_out_and_a_lost_one_everybody(app: TestApp) {
        let (ann, browser) = (app.shopper("ann").await, app.browser().await);
        let lid = ann.list("Mine").await;
        let mut rotated = app.second_node().await;
        Arc::get_mut(&mut rotated).unwrap().keys = Keys::new(&[vec![8; 32], vec![7; 32]]).unwrap();
        for client in [&ann, &browser] {
            lists(&on(&rotated, client)).await.ok();
        }
        let renewed = Admin::new(router(&rotated), app.store.clone())
            .form(GENERATE, &[("useremail", "ann@example.com")])
            .await
            .ok();
        let renewed = Client::new(router(&rotated), ann.pid.clone(), renewed);
        assert_eq!(lists(&renewed).await.ok()["data"][0]["lid"], lid.as_str());
        let mut lost = app.second_node().await;
        Arc::get_mut(&mut lost).unwrap().keys = Keys::new(&[vec![9; 32]]).unwrap();
        for client in [&ann, &browser, &renewed] {
            lists(&on(&lost, client)).await.fails(401, "bad-regid");
        }
    }
}
