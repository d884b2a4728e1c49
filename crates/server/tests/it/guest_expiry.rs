//! Guests who do not return are deleted after a time.

use serde_json::json;
use wishbone_core::stores::settings::SettingsChange;
use wishbone_server::jobs::clean_up::clean_some;
use wishbone_server::jobs::job::Rest;
use wishbone_server::jobs::purge_lists::purge_some;
use wishbone_server::jobs::write_visits::write_visits;

use crate::support::{Client, TestApp, item};

const DAY: i64 = 24 * 60 * 60 * 1_000;

/// Runs the clean-up until the night's work is done.
async fn clean(app: &TestApp) {
    while clean_some(&app.app).await.unwrap() != Rest::UntilWoken {}
    while purge_some(&app.app).await.unwrap() != Rest::UntilWoken {}
}

async fn write(app: &TestApp) {
    while write_visits(&app.app).await.unwrap() != Rest::UntilWoken {}
}

async fn lists(client: &Client) -> usize {
    client.post("lists/fetch-user-lists", &[]).await.ok()["data"].as_array().unwrap().len()
}

async fn filled(client: &Client) -> String {
    let list = client.list("Mine").await;
    client.add(&list, &[1, 2, 3]).await;
    list
}

/// The current guest of a device.
async fn of_device(app: &TestApp) -> Client {
    let device = [("uuid", "7b5f0a3e-9c1d-4e2f-8a6b-0c1d2e3f4a5b")];
    let reply = app.store_admin().form("/storeadmin/v3/user/generate-regid", &device).await.ok();
    Client::new(app.router.clone(), app.store.pid.clone(), reply)
}

async fn log_in(app: &TestApp, guest: &Client, name: &str) {
    let login = [("regid", guest.regid.as_str()), ("useremail", &format!("{name}@example.com"))];
    app.store_admin().form("/storeadmin/v3/user/guest-validate-sync", &login).await.ok();
}

async fn undo(app: &TestApp, guest: &Client, name: &str) {
    let login = [("regid", guest.regid.as_str()), ("useremail", &format!("{name}@example.com"))];
    let undone = app.store_admin().form("/storeadmin/v3/user/undo-merge", &login).await.ok();
    assert_eq!(undone["undone"], true);
}

both_engines! {
    async fn guests_expire_after_400_days_and_shoppers_never(app: TestApp) {
        let (ann, guest, browser) = (app.shopper("ann").await, app.guest().await, app.browser().await);
        for client in [&ann, &guest, &browser] {
            filled(client).await;
        }
        app.advance(400 * DAY - 1);
        clean(&app).await;
        assert_eq!((app.rows("shoppers").await, app.rows("lists").await, app.rows("items").await), (3, 3, 9));
        app.advance(DAY);
        clean(&app).await;
        for table in ["shoppers", "lists"] {
            assert_eq!(app.rows(table).await, 1, "{table}");
        }
        assert_eq!((app.rows("items").await, app.rows("deleted_lists").await), (3, 0));
        app.assert_sound().await;
        // A guest who returns after that is a new guest with the same regid.
        assert_eq!((lists(&ann).await, lists(&guest).await, lists(&browser).await), (1, 0, 0));
        filled(&guest).await;
        assert_eq!(lists(&guest).await, 1);
        app.assert_sound().await;
    }

    async fn a_visit_that_only_reads_counts(app: TestApp) {
        let guest = app.guest().await;
        filled(&guest).await;
        app.advance(300 * DAY);
        assert_eq!(lists(&guest).await, 1);
        write(&app).await;
        app.advance(300 * DAY);
        clean(&app).await;
        assert_eq!(lists(&guest).await, 1, "it was here 300 days ago");
        app.advance(400 * DAY);
        clean(&app).await;
        assert_eq!(app.rows("shoppers").await, 0, "the last visit was not written, and is long past anyway");
    }

    async fn reads_write_at_most_one_visit_per_day(app: TestApp) {
        let (guest, ann) = (app.guest().await, app.shopper("ann").await);
        filled(&guest).await;
        filled(&ann).await;
        let before = app.tables().await;
        for client in [&guest, &ann] {
            app.advance(DAY / 2 - 1);
            lists(client).await;
            write(&app).await;
        }
        assert_eq!(app.tables().await, before, "less than a day after the first visit");
        app.advance(DAY);
        lists(&ann).await;
        lists(&guest).await;
        lists(&guest).await;
        assert_eq!(app.tables().await, before, "no read waits for it");
        write(&app).await;
        let after = app.tables().await;
        let changed: Vec<&str> = after.iter().filter(|(table, rows)| before[*table] != **rows).map(|(table, _)| *table).collect();
        assert_eq!(changed, ["shoppers"]);
        app.advance(DAY - 1);
        lists(&guest).await;
        write(&app).await;
        assert_eq!(app.tables().await, after);
    }

    async fn a_guest_who_returns_just_before_expiry_keeps_everything(app: TestApp) {
        let guest = app.guest().await;
        filled(&guest).await;
        // The guest returns before the job runs: this visit is written before the response.
        app.advance(500 * DAY);
        assert_eq!(lists(&guest).await, 1);
        clean(&app).await;
        assert_eq!(lists(&guest).await, 1);
        assert_eq!(app.rows("items").await, 3);
    }

    async fn guests_who_return_during_the_clean_up_keep_everything_or_nothing(app: TestApp) {
        let mut guests = Vec::new();
        for _ in 0..20 {
            let guest = app.guest().await;
            filled(&guest).await;
            guests.push(guest);
        }
        app.advance(500 * DAY);
        let come = futures_util::future::join_all(guests.iter().map(async |guest| {
            let seen = lists(guest).await;
            filled(guest).await;
            (seen, lists(guest).await)
        }));
        let (seen, ()) = tokio::join!(come, clean(&app));
        for (before, after) in seen {
            assert!((before, after) == (1, 2) || (before, after) == (0, 1), "{before} {after}");
        }
        app.assert_sound().await;
    }

    async fn the_expiry_time_is_set_per_store(app: TestApp) {
        let guest = app.guest().await;
        filled(&guest).await;
        app.set(SettingsChange { guest_days: Some(30), ..SettingsChange::default() }).await;
        app.advance(30 * DAY - 1);
        clean(&app).await;
        assert_eq!(app.rows("lists").await, 1);
        app.advance(DAY);
        clean(&app).await;
        assert_eq!(app.rows("lists").await, 0);
    }

    async fn all_data_of_an_expired_guest_is_deleted_in_small_steps(app: TestApp) {
        let guest = app.guest().await;
        let list = guest.list("Long").await;
        for part in 0..3 {
            let items: Vec<_> = (1..=500).map(|n| item(part * 500 + n)).collect();
            guest.add_items(&list, &json!(items)).await;
        }
        guest.post("lists/comments/add", &[("lid", &list), ("epi", "7"), ("text", "nice")]).await.ok();
        guest.post("lists/create", &[("lname", "Copy"), ("fromlid", &list)]).await.ok();
        app.advance(401 * DAY);
        // The data is inaccessible immediately, and deleted in steps.
        while clean_some(&app.app).await.unwrap() != Rest::UntilWoken {}
        assert_eq!(app.rows("lists").await, 0);
        let mut steps = vec![app.rows("items").await];
        while purge_some(&app.app).await.unwrap() != Rest::UntilWoken {
            app.assert_sound().await;
            steps.push(app.rows("items").await);
        }
        assert_eq!((steps.first(), steps.last()), (Some(&1_500), Some(&0)), "{steps:?}");
        assert!(steps.windows(2).all(|pair| pair[0] - pair[1] <= 500), "{steps:?}");
        for table in ["shoppers", "lists", "items", "comments", "copies", "deleted_lists"] {
            assert_eq!(app.rows(table).await, 0, "{table}");
        }
    }

    async fn the_clean_up_resumes_after_a_failure_at_any_point(app: TestApp) {
        let (ann, guests) = (app.shopper("ann").await, [app.guest().await, app.guest().await]);
        filled(&ann).await;
        for guest in &guests {
            filled(guest).await;
            filled(guest).await;
        }
        app.advance(401 * DAY);
        for point in 0.. {
            let until_it_fails = async {
                while clean_some(&app.app).await.is_ok_and(|rest| rest != Rest::UntilWoken) {}
                while purge_some(&app.app).await.is_ok_and(|rest| rest != Rest::UntilWoken) {}
            };
            let broken = app.break_at(point, until_it_fails).await;
            app.assert_sound().await;
            if broken.is_none() {
                break;
            }
        }
        for (table, rows) in [("shoppers", 1), ("lists", 1), ("items", 3), ("deleted_lists", 0)] {
            assert_eq!(app.rows(table).await, rows, "{table}");
        }
    }

    async fn guests_who_have_logged_in_are_not_deleted(app: TestApp) {
        let guest = app.browser().await;
        filled(&guest).await;
        let login = [("regid", guest.regid.as_str()), ("useremail", "ann@example.com"), ("useragenttype", "tests")];
        app.store_admin().form("/storeadmin/v3/user/guest-validate-sync", &login).await.ok();
        guest.post("lists/fetch-user-lists", &[]).await.fails(401, "bad-regid");
        app.advance(1_000 * DAY);
        clean(&app).await;
        guest.post("lists/fetch-user-lists", &[]).await.fails(401, "bad-regid");
        assert_eq!((app.rows("lists").await, app.rows("items").await), (1, 3), "they are Ann's");
        assert_eq!((app.rows("merges").await, app.rows("merged_items").await), (0, 0), "it cannot be undone any more");
    }

    async fn a_device_id_never_identifies_a_guest_who_has_logged_in(app: TestApp) {
        let first = of_device(&app).await;
        filled(&first).await;
        log_in(&app, &first, "ann").await;
        undo(&app, &first, "ann").await;
        let second = of_device(&app).await;
        filled(&second).await;
        log_in(&app, &second, "bea").await;
        app.advance(401 * DAY);
        clean(&app).await;
        assert_eq!((app.rows("lists").await, app.rows("items").await, lists(&first).await), (1, 3, 0), "Bea's are left");
        for name in ["cid", "dan", "eve"] {
            let next = of_device(&app).await;
            assert_eq!(lists(&next).await, 0, "{name}");
            filled(&next).await;
            log_in(&app, &next, name).await;
        }
        app.assert_sound().await;
        // A guest whose login was undone expires like any other.
        filled(&first).await;
        assert_eq!(lists(&first).await, 1);
        app.advance(401 * DAY);
        clean(&app).await;
        assert_eq!(lists(&first).await, 0);
        assert_ne!(of_device(&app).await.regid, first.regid);
    }

    async fn the_row_that_counts_logins_of_a_device_holds_no_personal_data(app: TestApp) {
        let guest = of_device(&app).await;
        guest.post("user/save", &[("fname", "Greta"), ("language", "Gaelic"), ("acceptMarketing", "true")]).await.ok();
        log_in(&app, &guest, "ann").await;
        undo(&app, &guest, "ann").await;
        app.advance(401 * DAY);
        clean(&app).await;
        let left = format!("{:?}", app.tables().await["shoppers"]);
        assert!(!left.contains("Greta") && !left.contains("Gaelic"), "{left}");
    }

    async fn a_guest_whose_login_was_undone_expires_like_any_other(app: TestApp) {
        app.set(SettingsChange { guest_days: Some(5), ..SettingsChange::default() }).await;
        let (guest, silent) = (app.guest().await, app.browser().await);
        filled(&guest).await;
        log_in(&app, &guest, "ann").await;
        log_in(&app, &silent, "ann").await;
        app.advance(10 * DAY);
        clean(&app).await;
        undo(&app, &guest, "ann").await;
        undo(&app, &silent, "ann").await;
        filled(&silent).await;
        app.advance(DAY);
        clean(&app).await;
        assert_eq!((lists(&guest).await, lists(&silent).await), (1, 1), "they are back since yesterday");
        app.advance(6 * DAY);
        clean(&app).await;
        assert_eq!((app.rows("lists").await, app.rows("items").await), (0, 0));
    }

    async fn guests_with_a_phone_subscription_do_not_expire(app: TestApp) {
        let fields = [
            ("medium", "sms"), ("mediumvalue", "+43 660 1234567"), ("topics", r#"["backinstock"]"#),
            ("products", r#"[{"epi":1,"empi":1001,"du":"https://shop.example/p/1"}]"#),
        ];
        app.store_admin().form("/storeadmin/bispa/subscriptions/create", &fields).await.ok();
        app.advance(1_000 * DAY);
        clean(&app).await;
        assert_eq!((app.rows("shoppers").await, app.rows("subscriptions").await), (1, 1));
    }

    async fn stored_responses_are_deleted_in_the_night_after_they_expire(app: TestApp) {
        let ann = app.shopper("ann").await;
        for key in ["a", "b", "c"] {
            crate::idempotency::post(&ann, key, "lists/create", &[("lname", "Mine")]).await.ok();
        }
        clean(&app).await;
        assert_eq!(app.rows("idempotent_responses").await, 3);
        app.advance(2 * DAY);
        clean(&app).await;
        assert_eq!(app.rows("idempotent_responses").await, 0);
    }

    async fn the_clean_up_runs_once_a_night(app: TestApp) {
        clean(&app).await;
        let guest = app.guest().await;
        filled(&guest).await;
        app.set(SettingsChange { guest_days: Some(1), ..SettingsChange::default() }).await;
        app.straight("update shoppers set seen_at = 0").await;
        clean(&app).await;
        assert_eq!(app.rows("lists").await, 1, "this night's work is done");
        app.advance(DAY);
        clean(&app).await;
        assert_eq!(app.rows("lists").await, 0);
    }

    async fn two_nodes_can_clean_up_concurrently(app: TestApp) {
        for _ in 0..10 {
            filled(&app.guest().await).await;
        }
        app.advance(401 * DAY);
        let second = app.second_node().await;
        second.environment.set_now(app.app.environment.now());
        let work = async || while clean_some(&second).await.unwrap() != Rest::UntilWoken {};
        tokio::join!(clean(&app), work());
        clean(&app).await;
        for table in ["shoppers", "lists", "items", "deleted_lists"] {
            assert_eq!(app.rows(table).await, 0, "{table}");
        }
    }
}
