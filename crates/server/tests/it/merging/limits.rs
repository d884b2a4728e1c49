//! The shopper's limits hold for merges: what does not fit stays with the guest, and the answer says so.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use wishbone_core::merging::merge_steps::MergeLists;
use wishbone_core::merging::pending::FindMerges;
use wishbone_core::operator::Operator;
use wishbone_core::stores::settings::{Settings, SettingsChange};
use wishbone_server::jobs::clean_up::clean_some;
use wishbone_server::jobs::copy_lists::copy_next;
use wishbone_server::jobs::job::Rest;
use wishbone_server::jobs::purge_lists::purge_some;

use super::long_lists::{merge_only, pending_undo, undo_next};
use super::{SYNC, contents, everything, log_in, names, sync, typed_list, undo};
use crate::support::{Client, TestApp, epis};

const EMAIL: (&str, &str) = ("useremail", "ann@example.com");

async fn limit(app: &TestApp, max_lists: i64, max_items: i64) {
    app.set(SettingsChange {
        max_lists: Some(max_lists),
        max_items: Some(max_items),
        rate_limit: Some(1_000_000),
        write_rate_limit: Some(1_000_000),
        ..SettingsChange::default()
    })
    .await;
}

fn left(reply: &Value) -> (Option<i64>, Option<i64>) {
    (reply["leftlists"].as_i64(), reply["leftitems"].as_i64())
}

async fn clean_all(app: &TestApp) {
    while clean_some(&app.app).await.unwrap() != Rest::UntilWoken {}
    while purge_some(&app.app).await.unwrap() != Rest::UntilWoken {}
}

async fn variants(client: &Client, lid: &str) -> BTreeSet<i64> {
    epis(&contents(client, lid).await["items"]).into_iter().collect()
}

/// A shopper with a full list A and one list less than allowed, and a guest with more than fits.
async fn parties(app: &TestApp) -> (Client, Client, String, String) {
    limit(app, 3, 4).await;
    let (guest, ann) = (app.guest().await, app.shopper("ann").await);
    let (hers, _) = (ann.list("A").await, ann.list("B").await);
    ann.add(&hers, &[1, 2]).await;
    let theirs = guest.list("a").await;
    guest.add(&theirs, &[2, 3, 4, 5]).await;
    app.advance(5);
    for (name, variant) in [("old", 10), ("new", 20)] {
        let lid = guest.list(name).await;
        guest.add(&lid, &[variant]).await;
        app.advance(5);
    }
    (guest, ann, hers, theirs)
}

both_engines! {
    async fn what_does_not_fit_stays_with_the_guest_and_comes_when_there_is_room(app: TestApp) {
        let (guest, ann, hers, theirs) = parties(&app).await;
        let before = everything(&guest).await;
        let told = sync(&app, &guest, "ann").await.ok();
        assert_eq!(told["regid"], ann.regid.as_str());
        assert_eq!(left(&told), (Some(2), Some(2)), "{told}");
        // The oldest items first; the list that was updated last.
        assert_eq!(variants(&ann, &hers).await, [1, 2, 3, 4].into());
        let of_ann = names(&ann).await;
        assert_eq!(of_ann.iter().map(|(_, name)| name.as_str()).collect::<Vec<_>>(), ["A", "B", "new"]);
        app.assert_sound().await;
        guest.post("lists/fetch-lists", &[]).await.fails(401, "bad-regid");
        // Repeating it changes nothing and says the same.
        let merged = app.tables().await;
        assert_eq!(sync(&app, &guest, "ann").await.ok(), told);
        assert_eq!(app.tables().await, merged);
        // An item less, and a list less.
        ann.post("lists/update-ctx", &[("lid", &hers), ("d", r#"[{"epi":1}]"#)]).await.ok();
        ann.post("lists/delete-list", &[("lid", &of_ann[1].0)]).await.ok();
        let all = sync(&app, &guest, "ann").await.ok();
        assert_eq!(left(&all), (None, None), "{all}");
        assert_eq!(variants(&ann, &hers).await, [2, 3, 4, 5].into());
        assert_eq!(names(&ann).await.iter().map(|(_, name)| name.as_str()).collect::<Vec<_>>(), ["A", "new", "old"]);
        app.assert_sound().await;
        undo(&app, &guest, "ann").await.ok();
        assert_eq!(everything(&guest).await, before);
        assert_eq!(variants(&ann, &hers).await, [2].into());
        assert!(names(&guest).await.iter().any(|(lid, _)| *lid == theirs));
        app.assert_sound().await;
    }

    async fn an_undo_gives_the_guest_what_had_moved_besides_what_had_stayed(app: TestApp) {
        let (guest, ann, hers, theirs) = parties(&app).await;
        let (before, hers_before) = (everything(&guest).await, everything(&ann).await);
        sync(&app, &guest, "ann").await.ok();
        let merges = app.store_admin().form("/storeadmin/v3/user/merges", &[EMAIL]).await.ok();
        assert_eq!((&merges["merges"][0]["lists"], &merges["merges"][0]["items"]), (&json!(2), &json!(4)));
        assert_eq!(merges["merges"][0]["leftlists"], 2, "{merges}");
        assert_eq!(undo(&app, &guest, "ann").await.ok()["lists"], 3);
        assert_eq!(everything(&guest).await, before);
        let after = everything(&ann).await;
        assert_eq!(after.iter().map(|list| &list["items"]).collect::<Vec<_>>(),
                   hers_before.iter().map(|list| &list["items"]).collect::<Vec<_>>());
        assert_eq!((variants(&ann, &hers).await, variants(&guest, &theirs).await), ([1, 2].into(), [2, 3, 4, 5].into()));
        app.assert_sound().await;
        log_in(&app, &guest, "ann").await;
        app.assert_sound().await;
    }

    async fn a_list_whose_target_was_deleted_is_united_with_another_or_moves(app: TestApp) {
        for name in ["A", "else"] {
            let (guest, ann, hers, theirs) = parties(&app).await;
            let before = everything(&guest).await;
            sync(&app, &guest, "ann").await.ok();
            ann.post("lists/delete-list", &[("lid", &hers)]).await.ok();
            let other = ann.list(name).await;
            for (lid, other) in names(&ann).await {
                if ["B", "new"].contains(&other.as_str()) {
                    ann.post("lists/delete-list", &[("lid", &lid)]).await.ok();
                }
            }
            assert_eq!(left(&sync(&app, &guest, "ann").await.ok()), (None, None), "{name}");
            let rest = if name == "A" { &other } else { &theirs };
            assert_eq!(variants(&ann, rest).await, [5].into(), "{name}");
            app.assert_sound().await;
            undo(&app, &guest, "ann").await.ok();
            assert_eq!(everything(&guest).await, before, "{name}");
            app.assert_sound().await;
            app.store_admin().form("/storeadmin/v3/user/erase", &[EMAIL]).await.ok();
        }
    }

    async fn save_for_later_lists_are_united_up_to_the_limit(app: TestApp) {
        limit(&app, 1, 3).await;
        let (guest, ann) = (app.guest().await, app.shopper("ann").await);
        let hers = typed_list(&ann, "s", "sfl").await;
        ann.add(&hers, &[1, 2]).await;
        let theirs = typed_list(&guest, "t", "_saveForLater").await;
        guest.add(&theirs, &[2, 3, 4]).await;
        assert_eq!(left(&sync(&app, &guest, "ann").await.ok()), (Some(1), Some(1)));
        assert_eq!(variants(&ann, &hers).await, [1, 2, 3].into());
        app.assert_sound().await;
    }

    async fn a_dry_run_tells_what_would_stay(app: TestApp) {
        let (guest, _, hers, theirs) = parties(&app).await;
        let dry = [("regid", guest.regid.as_str()), EMAIL, ("dryrun", "true")];
        let told = app.store_admin().form(SYNC, &dry).await.ok();
        assert_eq!(told["unites"], json!([{ "lid": theirs, "lname": "a", "lty": "wl", "cnt": 4, "into": hers,
                                           "adds": 2, "already": 1 }]));
        assert_eq!((&told["moves"][0]["lname"], &told["stays"][0]["lname"]), (&json!("new"), &json!("old")));
        sync(&app, &guest, "ann").await.ok();
        let told = app.store_admin().form(SYNC, &dry).await.ok();
        assert_eq!((&told["moves"], told["stays"].as_array().unwrap().len()), (&json!([]), 2));
    }

    async fn what_stays_is_exported_erased_and_expires_with_the_guest(app: TestApp) {
        let (guest, _, _, _) = parties(&app).await;
        sync(&app, &guest, "ann").await.ok();
        let admin = app.store_admin();
        let exported = admin.form("/storeadmin/v3/user/export", &[EMAIL]).await.ok();
        let exported: Vec<&Value> = exported["lists"].as_array().unwrap().iter().map(|list| &list["lname"]).collect();
        assert_eq!(exported, ["A", "B", "new", "a", "old"]);
        let erased = admin.form("/storeadmin/v3/user/erase", &[EMAIL]).await.ok();
        assert_eq!((&erased["erased"]["lists"], &erased["erased"]["items"]), (&json!(5), &json!(7)));
        assert_eq!((app.rows("lists").await, app.rows("items").await), (0, 0));
        app.assert_sound().await;

        let (guest, ann, hers, _) = parties(&app).await;
        sync(&app, &guest, "ann").await.ok();
        app.set(SettingsChange { guest_days: Some(10), ..SettingsChange::default() }).await;
        app.advance(11 * 86_400_000);
        clean_all(&app).await;
        assert_eq!((app.rows("lists").await, app.rows("items").await), (5, 7), "the merge can be undone");
        app.advance(18 * 86_400_000);
        clean_all(&app).await;
        // A login counts as a visit.
        assert_eq!(left(&sync(&app, &guest, "ann").await.ok()), (Some(2), Some(2)));
        app.advance(9 * 86_400_000);
        clean_all(&app).await;
        assert_eq!((app.rows("lists").await, app.rows("items").await), (5, 7), "the guest has visited");
        app.advance(2 * 86_400_000);
        clean_all(&app).await;
        assert_eq!((app.rows("lists").await, app.rows("items").await), (3, 5), "the shopper's are not affected");
        app.assert_sound().await;
        let told = sync(&app, &guest, "ann").await.ok();
        assert_eq!((&told["regid"], left(&told)), (&json!(ann.regid), (None, None)));
        assert_eq!(variants(&ann, &hers).await.len(), 4);
        app.assert_sound().await;
    }

    async fn items_that_are_there_already_need_no_room(app: TestApp) {
        limit(&app, 9, 10).await;
        let (guest, ann) = (app.guest().await, app.shopper("ann").await);
        let hers = ann.list("A").await;
        ann.add(&hers, &[1, 2, 3, 4, 5, 6]).await;
        for (name, items) in [("A", &[1, 2, 3, 4, 5, 6][..]), ("a", &[7, 8])] {
            let lid = guest.list(name).await;
            guest.add(&lid, items).await;
        }
        assert_eq!(left(&sync(&app, &guest, "ann").await.ok()), (None, None));
        assert_eq!(variants(&ann, &hers).await, (1..=8).collect());
        app.assert_sound().await;
    }

    async fn a_full_account_takes_nothing_of_many_guests(app: TestApp) {
        limit(&app, 3, 10).await;
        let ann = app.shopper("ann").await;
        for round in 0..4 {
            let guest = app.guest().await;
            for number in 0..3 {
                let lid = guest.list(&format!("List {number} of guest {round}")).await;
                guest.add(&lid, &[1]).await;
            }
            sync(&app, &guest, "ann").await.ok();
            assert_eq!(names(&ann).await.len(), 3);
        }
        let hers = names(&ann).await[0].clone();
        for start in [0, 10, 20] {
            let guest = app.guest().await;
            let lid = guest.list(&hers.1).await;
            guest.add(&lid, &(start..start + 10).map(|n| n + 2).collect::<Vec<i64>>()).await;
            sync(&app, &guest, "ann").await.ok();
        }
        assert_eq!(variants(&ann, &hers.0).await.len(), 10);
        app.assert_sound().await;
    }

    async fn many_lists_are_merged_and_returned_in_steps_wherever_they_stop(app: TestApp) {
        limit(&app, 100, 60).await;
        let (guest, ann) = (app.guest().await, app.shopper("ann").await);
        let hers = ann.list("Both").await;
        ann.add(&hers, &[1]).await;
        for number in 0..98_i64 {
            let lid = guest.list(if number % 8 == 0 { "both" } else { "Mine" }).await;
            guest.add(&lid, &[1, 2 + number]).await;
        }
        for number in 0..30 {
            ann.list(&format!("Hers {number}")).await;
        }
        let before = everything(&guest).await;
        merge_only(&app, &guest).await;
        let mut steps = 0;
        while app.rows("merge_steps").await > 0 {
            app.assert_sound().await;
            steps += 1;
            // Another server stops after its first step.
            let pending = app.app.database.read(FindMerges { by: Operator::of_this_machine(), store_id: 1, limit: 9 }).await;
            for merge in pending.unwrap() {
                app.app.database.write(MergeLists { merge, moment: app.app.environment.moment() }).await.unwrap();
            }
        }
        assert!(steps >= 1, "{steps}");
        assert_eq!(names(&ann).await.len(), 100);
        assert_eq!(variants(&ann, &hers).await.len(), 14);
        assert_eq!(left(&sync(&app, &guest, "ann").await.ok()), (Some(16), Some(32)));
        app.assert_sound().await;
        let pending = pending_undo(&app, &guest).await;
        let mut steps = 0;
        while undo_next(&app, pending).await {
            steps += 1;
            app.assert_sound().await;
            guest.post("lists/fetch-lists", &[]).await.fails(401, "bad-regid");
        }
        assert!(steps >= 1, "{steps}");
        app.advance(61_000);
        while copy_next(&app.app).await.unwrap() != Rest::UntilWoken {}
        assert_eq!(everything(&guest).await, before);
        assert_eq!((names(&ann).await.len(), variants(&ann, &hers).await), (31, [1].into()));
        app.assert_sound().await;
    }
}

#[test]
fn every_limit_of_a_shoppers_lists_is_known_to_merges() {
    // A new limit belongs into `MergeLimits`, and into the tests above.
    let settings = serde_json::to_value(Settings::default()).unwrap();
    let limits: BTreeSet<&str> =
        settings.as_object().unwrap().keys().map(String::as_str).filter(|name| name.starts_with("max_")).collect();
    assert_eq!(limits, ["max_items", "max_lists"].into());
}
