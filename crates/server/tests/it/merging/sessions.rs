//! Who may call with what after a login.

use serde_json::{Value, json};
use uuid::Uuid;
use wishbone_core::tokens::Keys;
use wishbone_server::http::router::router;

use super::{GENERATE, SYNC, contents, log_in, names, sync, undo};
use crate::support::{Admin, Client, Reply, TestApp};

const DEVICE: &str = "7b5f0a3e-9c1d-4e2f-8a6b-0c1d2e3f4a5b";

async fn lists(client: &Client) -> Reply {
    client.post("lists/fetch-user-lists", &[]).await
}

/// The guest that a device is now.
async fn of_device(app: &TestApp) -> Client {
    let reply = app.store_admin().form(GENERATE, &[("uuid", DEVICE)]).await.ok();
    Client::new(app.router.clone(), app.store.pid.clone(), reply)
}

both_engines! {
    async fn the_new_regid_takes_the_old_sessionid_and_the_old_regid_is_retired(app: TestApp) {
        for (name, guest) in [("Device's", app.guest().await), ("Browser's", app.browser().await)] {
            let lid = guest.list(name).await;
            let made = contents(&guest, &lid).await;
            let ann = log_in(&app, &guest, "ann").await;
            let old = Client { sessionid: guest.sessionid.clone(), ..ann.clone() };
            assert_eq!(contents(&old, &lid).await, contents(&ann, &lid).await);
            // The page that was open goes on as the device that it was.
            old.add(&lid, &[1]).await;
            assert_eq!(contents(&ann, &lid).await["items"][0]["di"], made["list"]["di"]);
            for session in [&guest.sessionid, &ann.sessionid] {
                lists(&Client { sessionid: session.clone(), ..guest.clone() }).await.fails(401, "bad-regid");
            }
            guest.post("lists/create", &[("lname", "More")]).await.fails(401, "bad-regid");
        }
    }

    async fn a_sessionid_that_a_browser_made_up_carries_over_only_if_the_call_names_it(app: TestApp) {
        let email = ("useremail", "ann@example.com");
        for is_named in [false, true] {
            let session = format!("made-up-by-the-browser-{is_named}");
            let guest = Client { sessionid: session.clone(), ..app.browser().await };
            guest.list("Mine").await;
            let mut fields = vec![("regid", guest.regid.as_str()), email];
            if is_named {
                fields.push(("sessionid", &session));
            }
            let reply = app.store_admin().form(SYNC, &fields).await.ok();
            let ann = Client::new(app.router.clone(), app.store.pid.clone(), reply);
            let old = lists(&Client { sessionid: session.clone(), ..ann }).await;
            drop(if is_named { old.ok() } else { old.fails(401, "bad-regid") });
        }
        // It is hers, and nobody else's.
        let bea = app.shopper("bea").await;
        lists(&Client { sessionid: "made-up-by-the-browser-true".into(), ..bea }).await.fails(401, "bad-regid");
    }

    async fn the_next_person_on_the_device_is_nobody_yet(app: TestApp) {
        let first = of_device(&app).await;
        assert_eq!(of_device(&app).await.regid, first.regid, "stable as long as nobody logs in");
        first.list("First's").await;
        log_in(&app, &first, "ann").await;
        let second = of_device(&app).await;
        assert_ne!(second.regid, first.regid);
        assert_eq!(of_device(&app).await.regid, second.regid);
        assert_eq!(lists(&second).await.ok()["data"], json!([]));
        lists(&first).await.fails(401, "bad-regid");
        let lid = second.list("Second's").await;
        let bea = log_in(&app, &second, "bea").await;
        assert_eq!(names(&bea).await, [(lid, "Second's".to_owned())]);
        let third = of_device(&app).await;
        assert!(third.regid != second.regid && third.regid != first.regid);
        assert_eq!(lists(&third).await.ok()["data"], json!([]));
        // Even one who has written nothing is somebody else after a login.
        log_in(&app, &third, "ann").await;
        assert_ne!(of_device(&app).await.regid, third.regid);
        lists(&third).await.fails(401, "bad-regid");
        assert_eq!(sync(&app, &first, "ann").await.ok(), sync(&app, &third, "ann").await.ok());
        app.assert_sound().await;
    }

    async fn revoking_ends_the_old_sessionid_too(app: TestApp) {
        for everyone in [false, true] {
            let guest = app.guest().await;
            guest.list("Mine").await;
            let ann = log_in(&app, &guest, "ann").await;
            let old = Client { sessionid: guest.sessionid.clone(), ..ann.clone() };
            lists(&old).await.ok();
            let whom = if everyone { ("all", "true") } else { ("useremail", "ann@example.com") };
            app.store_admin().form("/storeadmin/v3/user/revoke-sessions", &[whom]).await.ok();
            lists(&old).await.fails(401, "bad-regid");
            lists(&ann).await.fails(401, "bad-regid");
            // Saying it again gives a new sessionid, and does not bring the old one back.
            let again = log_in(&app, &guest, "ann").await;
            lists(&again).await.ok();
            lists(&Client { sessionid: guest.sessionid.clone(), ..again }).await.fails(401, "bad-regid");
        }
    }

    async fn undoing_ends_the_old_sessionid_for_the_shopper(app: TestApp) {
        let guest = app.guest().await;
        guest.list("Mine").await;
        let ann = log_in(&app, &guest, "ann").await;
        undo(&app, &guest, "ann").await.ok();
        lists(&Client { sessionid: guest.sessionid.clone(), ..ann.clone() }).await.fails(401, "bad-regid");
        lists(&ann).await.ok();
        lists(&guest).await.ok();
    }

    async fn a_shopper_with_many_devices_keeps_the_newest_old_sessionids(app: TestApp) {
        let mut guests = Vec::new();
        for _ in 0..60 {
            app.advance(1);
            let guest = app.browser().await;
            log_in(&app, &guest, "ann").await;
            guests.push(guest);
        }
        assert_eq!(app.rows("guest_sessions").await, 50);
        let ann = app.shopper("ann").await;
        let old = |guest: &Client| Client { sessionid: guest.sessionid.clone(), ..ann.clone() };
        lists(&old(&guests[0])).await.fails(401, "bad-regid");
        lists(&old(&guests[59])).await.ok();
    }

    async fn a_guest_of_a_rotated_signing_key_keeps_its_sessionid(app: TestApp) {
        let guest = app.guest().await;
        guest.list("Mine").await;
        let mut rotated = app.second_node().await;
        std::sync::Arc::get_mut(&mut rotated).unwrap().keys = Keys::new(&[vec![8; 32], vec![7; 32]]).unwrap();
        let fields = [("regid", guest.regid.as_str()), ("useremail", "ann@example.com")];
        let reply = Admin::new(router(&rotated), app.store.clone()).form(SYNC, &fields).await.ok();
        let ann = Client::new(router(&rotated), app.store.pid.clone(), reply);
        lists(&Client { sessionid: guest.sessionid.clone(), ..ann }).await.ok();
    }

    async fn a_revoked_browser_cannot_be_merged(app: TestApp) {
        let guest = app.browser().await;
        guest.list("Mine").await;
        app.store_admin().form("/storeadmin/v3/user/revoke-sessions", &[("all", "true")]).await.ok();
        sync(&app, &guest, "ann").await.fails(401, "bad-regid");
    }

    async fn what_is_kept_of_a_login_holds_no_sessionid(app: TestApp) {
        let guest = Client { sessionid: format!("client-{}", Uuid::from_bytes([3; 16])), ..app.browser().await };
        guest.list("Mine").await;
        let fields = [("regid", guest.regid.as_str()), ("useremail", "ann@example.com"), ("sessionid", &guest.sessionid)];
        let reply: Value = app.store_admin().form(SYNC, &fields).await.ok();
        let tables = format!("{:?}", app.tables().await);
        for secret in [&guest.sessionid, &guest.regid, reply["sessionid"].as_str().unwrap()] {
            assert!(!tables.contains(secret));
        }
    }
}
