//! What a guest has besides lists: it moves to the shopper in steps, and returns in steps.

use serde_json::json;
use wishbone_core::merging::merge_steps::MergeLists;
use wishbone_core::merging::pending::FindMerges;
use wishbone_core::operator::Operator;
use wishbone_core::stores::settings::SettingsChange;

use super::long_lists::{merge_only, pending_undo, undo_next};
use super::{SYNC, sync, undo};
use crate::idempotency::post;
use crate::support::{Client, TestApp, epis, item};

/// More than one step moves.
const MANY: usize = 501;

async fn unlimit(app: &TestApp) {
    let most = Some(1_000_000);
    app.set(SettingsChange { rate_limit: most, write_rate_limit: most, ..SettingsChange::default() }).await;
}

/// How many of the comments on a list are the caller's.
async fn own_comments(client: &Client, key: &str) -> usize {
    let found = client.post("lists/comments/list", &[("lid", key), ("limit", "1000")]).await.ok();
    found["comments"].as_array().unwrap().iter().filter(|comment| comment["mine"] == true).count()
}

async fn merge_in_steps(app: &TestApp) -> usize {
    let mut steps = 0;
    while app.rows("merge_steps").await > 0 {
        app.assert_sound().await;
        steps += 1;
        let find = FindMerges { by: Operator::of_this_machine(), store_id: 1, limit: 9 };
        for merge in app.app.database.read(find).await.unwrap() {
            app.app.database.write(MergeLists { merge, moment: app.app.environment.moment() }).await.unwrap();
        }
    }
    steps
}

both_engines! {
    async fn many_comments_events_and_responses_move_and_return_in_steps(app: TestApp) {
        unlimit(&app).await;
        let new = json!({ "url": "https://shop.example/hooks", "events": ["*"] });
        app.store_admin().json("/storeadmin/v3/webhooks/create", &new).await.ok();
        let (guest, ann, bea) = (app.guest().await, app.shopper("ann").await, app.shopper("bea").await);
        let lid = bea.list("Hers").await;
        bea.add(&lid, &[1]).await;
        let made = bea.post("lists/share-links/create", &[("lid", &lid), ("scope", "edit")]).await.ok();
        let key = made["link"]["key"].as_str().unwrap();
        let mut first = None;
        for number in 0..MANY {
            let (key_of_call, text) = (format!("call-{number}"), format!("comment {number}"));
            let fields = [("lid", key), ("epi", "1"), ("text", text.as_str())];
            let reply = post(&guest, &key_of_call, "lists/comments/add", &fields).await.ok();
            first.get_or_insert(reply);
        }
        assert_eq!(own_comments(&guest, key).await, MANY);

        merge_only(&app, &guest).await;
        assert!(merge_in_steps(&app).await >= 1);
        assert_eq!(own_comments(&ann, key).await, MANY);
        // A call from before the login, repeated after it.
        let fields = [("lid", key), ("epi", "1"), ("text", "comment 0")];
        assert_eq!(Some(post(&ann, "call-0", "lists/comments/add", &fields).await.ok()), first);
        let merged = sync(&app, &guest, "ann").await.ok();
        assert_eq!((&merged["leftlists"], &merged["leftsubscriptions"]), (&json!(null), &json!(null)));

        let pending = pending_undo(&app, &guest).await;
        assert!(undo_next(&app, pending).await);
        app.assert_sound().await;
        assert_eq!(undo(&app, &guest, "ann").await.ok()["undone"], true);
        assert_eq!((own_comments(&guest, key).await, own_comments(&ann, key).await), (MANY, 0));
        assert_eq!(app.rows("merged_parts").await, 0);
        app.assert_sound().await;
    }

    async fn subscriptions_beyond_the_shoppers_limit_stay_with_the_guest(app: TestApp) {
        unlimit(&app).await;
        let (guest, ann) = (app.guest().await, app.shopper("ann").await);
        guest.list("Makes a row").await;
        let subscribe = async |address: &str, variants: Vec<i64>| {
            for some in variants.chunks(100) {
                let products = json!(some.iter().map(|n| item(*n)).collect::<Vec<_>>()).to_string();
                let fields =
                    [("medium", "email"), ("mediumvalue", address), ("topics", r#"["backinstock"]"#), ("products", &products)];
                app.store_admin().form("/storeadmin/bispa/subscriptions/create", &fields).await.ok();
            }
        };
        subscribe("ann@example.com", (1..=995).collect()).await;
        subscribe("other@example.com", (2_001..=2_010).collect()).await;
        app.straight("update subscriptions set shopper_id = (select shopper_id from shoppers where store_id = 1 and list_count = 1)
                      where store_id = 1 and address = 'other@example.com'").await;
        app.straight("update shoppers set next_subscription = 10 where list_count = 1").await;
        let login = [("regid", guest.regid.as_str()), ("useremail", "ann@example.com"), ("dryrun", "true")];
        assert_eq!(app.store_admin().form(SYNC, &login).await.ok()["subscriptions"], 5);
        for _ in 0..2 {
            assert_eq!(sync(&app, &guest, "ann").await.ok()["leftsubscriptions"], 5);
        }
        let newest = ann.post("subscriptions/fetch-subs", &[("topic", "backinstock"), ("limit", "6")]).await.ok();
        assert_eq!((epis(&newest["subscriptions"]), &newest["total"]), (vec![2_010, 2_009, 2_008, 2_007, 2_006, 995], &json!(1_000)));
        app.assert_sound().await;

        // With room for two more.
        let mut exported = app.store_admin().form("/storeadmin/v3/user/export", &[("useremail", "ann@example.com")]).await.ok();
        assert_eq!(exported["subscriptions"].take().as_array().unwrap().len(), 995 + 5, "her own, and those left");
        for variant in ["1", "2"] {
            ann.post("subscriptions/remove", &[("topic", "backinstock"), ("medium", "email"), ("epi", variant)]).await.ok();
        }
        for _ in 0..2 {
            assert_eq!(sync(&app, &guest, "ann").await.ok()["leftsubscriptions"], 3);
        }
        app.assert_sound().await;

        assert_eq!(undo(&app, &guest, "ann").await.ok()["undone"], true);
        let all = guest.post("subscriptions/fetch-subs", &[("topic", "backinstock")]).await.ok();
        assert_eq!(epis(&all["subscriptions"]), (2_001..=2_010).rev().collect::<Vec<_>>());
        sync(&app, &guest, "ann").await.ok();
        let erased = app.store_admin().form("/storeadmin/v3/user/erase", &[("useremail", "ann@example.com")]).await.ok();
        assert_eq!(erased["status"], "success");
        assert_eq!(app.rows("subscriptions").await, 0);
        app.assert_sound().await;
    }
}
