//! Call sequences of real storefronts around a login.

use serde_json::json;

use super::{GENERATE, SYNC, log_in};
use crate::support::{Client, FORM, encode, epis, send};

const DEVICE: &str = "7b5f0a3e-9c1d-4e2f-8a6b-0c1d2e3f4a5b";

both_engines! {
    async fn a_storefront_that_syncs_on_every_page_load(app: TestApp) {
        let admin = app.store_admin();
        // Page 1, nobody is logged in: the shop asks for a guest by the uuid in its cookie, and hearts are clicked.
        let ask = || admin.form(GENERATE, &[("uuid", DEVICE), ("useragenttype", "undefined")]);
        let guest = Client::new(app.router.clone(), app.store.pid.clone(), ask().await.ok());
        let lists = guest.post("lists/fetch-user-lists", &[]).await.ok();
        assert_eq!(lists["data"], json!([]));
        let lid = guest.list("My Wishlist").await;
        let clicked = json!([{ "epi": "1", "empi": "1001", "du": "https://shop.example/p/1", "note": null, "_cv": true }]);
        guest.add_items(&lid, &clicked).await;
        // The login, and every page after it: the same call with the regid of the cookie.
        let mut answers = Vec::new();
        let mut rows = Vec::new();
        for _ in 0..4 {
            app.advance(60_000);
            let fields = [("regid", guest.regid.as_str()), ("useremail", "ann@example.com"), ("useragenttype", "undefined")];
            answers.push(admin.form(SYNC, &fields).await.ok());
            rows.push(app.tables().await);
        }
        assert!(answers.iter().all(|answer| *answer == answers[0]));
        assert!(rows.iter().all(|tables| *tables == rows[0]), "pages that are looked at leave no trace");
        let ann = Client::new(app.router.clone(), app.store.pid.clone(), answers[0].clone());
        // A tab that was open has the new regid and the old sessionid; the heart is clicked off and on again.
        let tab = Client { sessionid: guest.sessionid.clone(), ..ann.clone() };
        let again = json!([{ "epi": 1, "empi": 1001, "du": "https://shop.example/p/1" }]).to_string();
        let reply = tab.post("lists/update-ctx", &[("lid", &lid), ("d", &again), ("a", &again)]).await.ok();
        assert_eq!((epis(&reply["d"]), epis(&reply["a"])), (vec![1], vec![1]));
        assert_eq!(ann.page(&lid, &[]).await["data"]["cnt"], 1);
        // Logged out: the cookie's uuid is asked for again, and the next person begins with nothing.
        let next = Client::new(app.router.clone(), app.store.pid.clone(), ask().await.ok());
        assert_eq!(next.post("lists/fetch-lists", &[]).await.ok(), json!([]));
        next.post("lists/fetch-list-with-contents", &[("lid", &lid)]).await.fails(403, "forbidden");
    }

    async fn items_clicked_again_after_a_login_are_there_once(app: TestApp) {
        let first = app.browser().await;
        let lid = first.list("My Wishlist").await;
        first.add(&lid, &[1, 2]).await;
        let ann = log_in(&app, &first, "ann").await;
        for _ in 0..3 {
            app.advance(1_000);
            let guest = app.browser().await;
            let again = guest.list("my wishlist").await;
            guest.add(&again, &[2, 1, 3]).await;
            log_in(&app, &guest, "ann").await;
        }
        let lists = ann.post("lists/fetch-lists", &[]).await.ok();
        assert_eq!((lists.as_array().unwrap().len(), &lists[0]["lid"], &lists[0]["cnt"]), (1, &json!(lid), &json!(3)));
        app.assert_sound().await;
    }

    async fn ids_encoded_twice_are_understood(app: TestApp) {
        let guest = app.browser().await;
        let lid = guest.list("Mine").await;
        let ann = log_in(&app, &guest, "ann").await;
        // JavaScript's encodeURIComponent leaves regid and sessionid as they are, however often it is called.
        let body = format!("regid={}&sessionid={}&lid={lid}", ann.regid, ann.sessionid);
        let uri = format!("/api/v3/lists/fetch-list-with-contents?pid={}", encode(&encode(&ann.pid)));
        send(&app.router, "POST", &uri, &[FORM], body).await.ok();
    }

    async fn a_shop_that_asks_for_a_guest_and_syncs_it_on_every_page_still_works(app: TestApp) {
        let admin = app.store_admin();
        let mut regids = Vec::new();
        for _ in 0..5 {
            let guest = admin.form(GENERATE, &[("uuid", DEVICE)]).await.ok();
            let fields = [("regid", guest["regid"].as_str().unwrap()), ("useremail", "ann@example.com")];
            regids.push(admin.form(SYNC, &fields).await.ok()["regid"].clone());
        }
        assert!(regids.iter().all(|regid| *regid == regids[0]));
        app.assert_sound().await;
    }
}
