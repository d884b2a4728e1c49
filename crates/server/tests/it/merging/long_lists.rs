//! Long lists: their items follow the login in small steps, and nothing is lost wherever it stops.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use wishbone_core::merging::login::Login;
use wishbone_core::merging::pending::PendingUndo;
use wishbone_core::merging::undo::MergedGuest;
use wishbone_core::merging::undo_steps::PrepareUndo;
use wishbone_core::stores::admin::StoreAdmin;
use wishbone_server::jobs::copy_lists::copy_next;
use wishbone_server::jobs::job::Rest;
use wishbone_server::jobs::purge_lists::purge_some;

use super::{contents, everything, log_in, names, sync, undo};
use crate::support::{Client, TestApp, epis};

/// Adds variants, as many as a call may have at once.
async fn add_many(client: &Client, lid: &str, variants: std::ops::Range<i64>) {
    for some in variants.collect::<Vec<_>>().chunks(500) {
        client.add(lid, some).await;
    }
}

/// A guest whose list of 1,200 items has the name of a shopper's with 600, half of which are the same, and a list that moves.
async fn parties(app: &TestApp) -> (Client, Client, String) {
    let (guest, ann) = (app.guest().await, app.shopper("ann").await);
    let hers = ann.list("A").await;
    add_many(&ann, &hers, 1..601).await;
    app.advance(5);
    let theirs = guest.list("a").await;
    add_many(&guest, &theirs, 301..1_501).await;
    let moved = guest.list("B").await;
    add_many(&guest, &moved, 1..701).await;
    app.advance(5);
    (guest, ann, hers)
}

/// Merges without the steps that follow, as a server that stops right after.
pub(super) async fn merge_only(app: &TestApp, guest: &Client) {
    let (database, keys, now) = (&app.app.database, &app.app.keys, app.app.environment.now());
    let store = StoreAdmin::authenticate(database, &app.store.pid, &app.store.key, now).await.unwrap();
    let login = Login::by_store(&store, keys, &guest.regid, "ann@example.com".to_owned(), None).unwrap();
    database.write(login.merge(keys, app.app.environment.moment())).await.unwrap();
}

pub(super) async fn pending_undo(app: &TestApp, guest: &Client) -> PendingUndo {
    let (database, keys, now) = (&app.app.database, &app.app.keys, app.app.environment.now());
    let store = StoreAdmin::authenticate(database, &app.store.pid, &app.store.key, now).await.unwrap();
    let merged = MergedGuest::new(store, keys, &guest.regid).unwrap();
    merged.undo(database, "ann@example.com".to_owned()).await.unwrap().unwrap()
}

/// Takes the next step of an undo but the last, as a server that stops right after. Returns whether there was one.
pub(super) async fn undo_next(app: &TestApp, undo: PendingUndo) -> bool {
    let (database, moment) = (&app.app.database, app.app.environment.moment());
    while copy_next(&app.app).await.unwrap() != Rest::UntilWoken {}
    database.write(PrepareUndo { undo, moment }).await.unwrap()
}

async fn comment(client: &Client, lid: &str, epi: &str) {
    client.post("lists/comments/add", &[("lid", lid), ("epi", epi), ("text", "nice")]).await.ok();
}

async fn comments(client: &Client, lid: &str) -> Value {
    client.post("lists/comments/list", &[("lid", lid)]).await.ok()["total"].clone()
}

async fn run_jobs(app: &TestApp) {
    while copy_next(&app.app).await.unwrap() != Rest::UntilWoken {}
    while purge_some(&app.app).await.unwrap() != Rest::UntilWoken {}
}

both_engines! {
    async fn a_long_list_is_united_when_the_login_returns_and_comes_back_with_the_undo(app: TestApp) {
        let (guest, ann, hers) = parties(&app).await;
        let (before, hers_before) = (everything(&guest).await, everything(&ann).await);
        log_in(&app, &guest, "ann").await;
        let united = contents(&ann, &hers).await;
        assert_eq!((&united["list"]["cnt"], united["list"].get("_cp")), (&json!(1_500), None));
        assert_eq!(epis(&united["items"]).into_iter().collect::<BTreeSet<_>>(), (1..1_501).collect());
        assert_eq!(names(&ann).await.len(), 2);
        // Items of a list that moves are not recorded, those of one that is united are.
        assert_eq!((app.rows("merged_items").await, app.rows("unions").await, app.rows("deleted_lists").await), (1_200, 0, 0));
        app.assert_sound().await;
        undo(&app, &guest, "ann").await.ok();
        assert_eq!(everything(&guest).await, before);
        let after = everything(&ann).await;
        assert_eq!(after.len(), 1);
        assert_eq!(after[0]["items"], hers_before[0]["items"]);
        app.assert_sound().await;
    }

    async fn a_server_that_stops_after_the_merge_loses_nothing(app: TestApp) {
        let (guest, ann, hers) = parties(&app).await;
        let before = everything(&guest).await;
        merge_only(&app, &guest).await;
        let pending = contents(&ann, &hers).await;
        // The first 500, of which 300 were there.
        assert_eq!((&pending["list"]["cnt"], &pending["list"]["_cp"]), (&json!(800), &json!(true)));
        app.assert_sound().await;
        // What the shopper does meanwhile takes precedence.
        ann.add_items(&hers, &json!([{ "epi": 1_500, "empi": 1, "du": "https://shop.example/", "note": "mine" }])).await;
        app.assert_sound().await;
        run_jobs(&app).await;
        let united = contents(&ann, &hers).await;
        assert_eq!((&united["list"]["cnt"], united["list"].get("_cp")), (&json!(1_500), None));
        assert_eq!(united["items"][0]["note"], "mine");
        app.assert_sound().await;
        undo(&app, &guest, "ann").await.ok();
        assert_eq!(everything(&guest).await, before);
        assert_eq!(contents(&ann, &hers).await["list"]["cnt"], 601);
        app.assert_sound().await;
    }

    async fn an_undo_and_the_next_login_complete_what_is_pending(app: TestApp) {
        let (guest, ann, hers) = parties(&app).await;
        let before = everything(&guest).await;
        merge_only(&app, &guest).await;
        let other = app.guest().await;
        let theirs = other.list("A").await;
        other.add_items(&theirs, &json!([{ "epi": 1_400, "empi": 1, "du": "https://shop.example/", "note": "later" }])).await;
        sync(&app, &other, "ann").await.ok();
        let united = contents(&ann, &hers).await;
        assert_eq!(united["list"]["cnt"], 1_500);
        let notes = united["items"].as_array().unwrap().iter().filter(|item| item.get("note").is_some()).count();
        assert_eq!(notes, 0, "the item of the first guest takes precedence");
        undo(&app, &other, "ann").await.ok();
        undo(&app, &guest, "ann").await.ok();
        assert_eq!(everything(&guest).await, before);
        app.assert_sound().await;
    }

    async fn of_two_long_lists_the_first_takes_precedence(app: TestApp) {
        let (guest, ann) = (app.guest().await, app.shopper("ann").await);
        let hers = ann.list("A").await;
        for note in ["first", "second"] {
            let lid = guest.list("a").await;
            for start in [0, 500] {
                let item = |n: i64| json!({ "epi": start + n, "empi": 1, "du": "https://shop.example/", "note": note });
                guest.add_items(&lid, &json!((1..501).map(item).collect::<Vec<_>>())).await;
            }
        }
        log_in(&app, &guest, "ann").await;
        let united = contents(&ann, &hers).await;
        assert_eq!(united["list"]["cnt"], 1_000);
        assert!(united["items"].as_array().unwrap().iter().all(|item| item["note"] == "first"));
        app.assert_sound().await;
    }

    async fn if_a_list_is_deleted_meanwhile_the_rest_of_the_guests_moves(app: TestApp) {
        let (guest, ann, hers) = parties(&app).await;
        let before = everything(&guest).await;
        merge_only(&app, &guest).await;
        ann.post("lists/delete-list", &[("lid", &hers)]).await.ok();
        app.assert_sound().await;
        run_jobs(&app).await;
        assert_eq!((names(&ann).await.len(), app.rows("items").await, app.rows("merge_steps").await), (2, 1_400, 0));
        app.assert_sound().await;
        undo(&app, &guest, "ann").await.ok();
        assert_eq!(everything(&guest).await, before);
        assert_eq!(names(&ann).await, []);
        app.assert_sound().await;
    }

    async fn a_long_list_that_moved_comes_back_whatever_was_done_to_it(app: TestApp) {
        let (guest, ann, _) = parties(&app).await;
        let before = everything(&guest).await;
        log_in(&app, &guest, "ann").await;
        let moved = names(&ann).await[1].0.clone();
        ann.post("lists/update-ctx", &[("lid", &moved), ("d", r#"[{"epi":3},{"epi":699}]"#)]).await.ok();
        assert_eq!(app.rows("merged_items").await, 1_202, "only what changes is recorded");
        ann.post("lists/delete-list", &[("lid", &moved)]).await.ok();
        app.assert_sound().await;
        undo(&app, &guest, "ann").await.ok();
        assert_eq!(everything(&guest).await, before);
        run_jobs(&app).await;
        app.assert_sound().await;
        assert_eq!((app.rows("merged_items").await, app.rows("deleted_lists").await), (0, 0));
    }

    async fn a_list_that_others_copy_while_it_is_deleted_comes_back(app: TestApp) {
        let (guest, ann, _) = parties(&app).await;
        let before = everything(&guest).await;
        log_in(&app, &guest, "ann").await;
        let moved = names(&ann).await[1].0.clone();
        ann.post("lists/update-ctx", &[("lid", &moved), ("d", r#"[{"epi":3}]"#)]).await.ok();
        ann.add(&moved, &[5_000]).await;
        ann.post("lists/markPublic", &[("lid", &moved)]).await.ok();
        let bea = app.shopper("bea").await;
        let copy = bea.post("lists/create", &[("fromlid", &moved), ("lname", "Copy")]).await.ok();
        assert_eq!(copy["_cp"], true);
        ann.post("lists/delete-list", &[("lid", &moved)]).await.ok();
        undo(&app, &guest, "ann").await.ok();
        assert_eq!(everything(&guest).await, before);
        run_jobs(&app).await;
        assert_eq!(everything(&guest).await, before);
        assert_eq!(contents(&bea, copy["lid"].as_str().unwrap()).await["list"]["cnt"], 700);
        app.assert_sound().await;
    }

    async fn many_lists_that_are_united_with_one_are_completed_by_the_job(app: TestApp) {
        let (guest, ann) = (app.guest().await, app.shopper("ann").await);
        let hers = ann.list("A").await;
        let first = guest.list("A").await;
        add_many(&guest, &first, 1..502).await;
        for number in 0..30 {
            let lid = guest.list("A").await;
            guest.add(&lid, &[1 + number, 1_000 + number]).await;
        }
        let before = everything(&guest).await;
        merge_only(&app, &guest).await;
        assert_eq!(app.rows("merge_steps").await, 1);
        for _ in 0..40 {
            copy_next(&app.app).await.unwrap();
        }
        assert_eq!(app.rows("merge_steps").await, 0);
        assert_eq!(contents(&ann, &hers).await["list"]["cnt"], 501 + 30);
        app.assert_sound().await;
        app.advance(10_000);
        undo(&app, &guest, "ann").await.ok();
        app.advance(10_000);
        assert_eq!(everything(&guest).await, before);
    }

    async fn a_person_can_be_exported_and_erased_meanwhile(app: TestApp) {
        let (guest, ann, _) = parties(&app).await;
        merge_only(&app, &guest).await;
        let admin = app.store_admin();
        let exported = admin.form("/storeadmin/v3/user/export", &[("useremail", "ann@example.com")]).await;
        assert!(exported.text().contains("\"epi\":1500"), "what is being united is exported");
        let erased = admin.form("/storeadmin/v3/user/erase", &[("useremail", "ann@example.com")]).await.ok();
        assert_eq!((&erased["erased"]["lists"], &erased["erased"]["items"]), (&json!(2), &json!(2_200)));
        for table in ["items", "lists", "merge_steps", "deleted_lists", "merged_items", "merged_lists", "merges"] {
            assert_eq!(app.rows(table).await, 0, "{table}");
        }
        ann.post("lists/fetch-lists", &[]).await.fails(401, "bad-regid");
        app.assert_sound().await;
    }

    async fn an_undo_of_long_lists_is_completed_wherever_it_stops(app: TestApp) {
        let (guest, ann, hers) = parties(&app).await;
        let of_guest = names(&guest).await;
        let (theirs, moved) = (of_guest[0].0.clone(), of_guest[1].0.clone());
        comment(&guest, &theirs, "1200").await;
        comment(&guest, &moved, "10").await;
        let before = everything(&guest).await;
        log_in(&app, &guest, "ann").await;
        app.advance(5);
        comment(&ann, &moved, "20").await;
        comment(&ann, &hers, "1300").await;
        // What she has changed since, she keeps.
        ann.add_items(&hers, &json!([{ "epi": 1_000, "empi": 1, "du": "https://shop.example/", "note": "mine" }])).await;
        ann.add(&moved, &[5_000]).await;
        ann.post("lists/update-ctx", &[("lid", &moved), ("d", r#"[{"epi":3}]"#)]).await.ok();
        let undo = pending_undo(&app, &guest).await;
        let mut steps = 0;
        while undo_next(&app, undo).await {
            steps += 1;
            app.assert_sound().await;
            guest.post("lists/fetch-lists", &[]).await.fails(401, "bad-regid");
        }
        assert_eq!(steps, 5, "one for the list that she keeps, two for its items, two for those of the other");
        assert_eq!(app.rows("undos").await, 1);
        // The call has ended here. A login waits for the undo; the job continues with it.
        app.advance(61_000);
        run_jobs(&app).await;
        assert_eq!(everything(&guest).await, before);
        assert_eq!(app.rows("undos").await, 0);
        let after = names(&ann).await;
        assert_eq!(after.len(), 2);
        assert_ne!(after[1].0, moved);
        let kept = contents(&ann, &after[1].0).await;
        let kept_variants: BTreeSet<i64> = epis(&kept["items"]).into_iter().collect();
        assert_eq!(kept_variants, (1..701).chain([5_000]).filter(|epi| *epi != 3).collect());
        assert_eq!((&kept["list"]["cnt"], kept["list"].get("_cp")), (&json!(700), None));
        let united = contents(&ann, &hers).await;
        assert_eq!(epis(&united["items"]).into_iter().collect::<BTreeSet<_>>(), (1..601).chain([1_000, 1_300]).collect());
        assert_eq!((comments(&ann, &after[1].0).await, comments(&ann, &hers).await), (json!(1), json!(1)));
        assert_eq!((comments(&guest, &theirs).await, comments(&guest, &moved).await), (json!(1), json!(1)));
        let ids = |contents: &Value| -> Vec<String> {
            contents["items"].as_array().unwrap().iter().map(|item| item["id"].to_string()).collect()
        };
        let of_guest: BTreeSet<String> = before.iter().flat_map(ids).collect();
        assert!(ids(&kept).iter().chain(&ids(&united)).all(|id| !of_guest.contains(id)), "ids are not shared");
        run_jobs(&app).await;
        app.assert_sound().await;
    }

    async fn a_login_an_export_and_an_erasure_complete_an_undo(app: TestApp) {
        for meanwhile in ["login", "export", "erase"] {
            let (guest, ann, hers) = parties(&app).await;
            let before = everything(&guest).await;
            log_in(&app, &guest, "ann").await;
            let undo = pending_undo(&app, &guest).await;
            assert!(undo_next(&app, undo).await);
            match meanwhile {
                "login" => {
                    let other = app.guest().await;
                    let theirs = other.list("A").await;
                    other.add(&theirs, &[2_000]).await;
                    sync(&app, &other, "ann").await.ok();
                    assert_eq!(contents(&ann, &hers).await["list"]["cnt"], 601);
                }
                operation => {
                    let path = format!("/storeadmin/v3/user/{operation}");
                    let reply = app.store_admin().form(&path, &[("useremail", "ann@example.com")]).await;
                    assert_eq!(reply.status, 200, "{}", reply.text());
                }
            }
            assert_eq!(everything(&guest).await, before, "{meanwhile}");
            app.assert_sound().await;
            app.store_admin().form("/storeadmin/v3/user/erase", &[("useremail", "ann@example.com")]).await.ok();
        }
    }
}
