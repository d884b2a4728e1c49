//! Logins and their undoing while lists are copied, shared and changed.

use std::collections::BTreeSet;

use futures_util::future::join_all;
use serde_json::{Value, json};
use wishbone_server::jobs::copy_lists::copy_next;
use wishbone_server::jobs::job::Rest;

use super::{SYNC, contents, everything, log_in, names, sync, undo};
use crate::support::{Client, TestApp, epis, item};

async fn copy_all(app: &TestApp) {
    while copy_next(&app.app).await.unwrap() != Rest::UntilWoken {}
}

async fn fill(client: &Client, lid: &str, variants: impl Iterator<Item = i64>) {
    let items: Vec<Value> = variants.map(item).collect();
    for part in items.chunks(500) {
        client.add_items(lid, &Value::from(part)).await;
    }
}

async fn duplicate(client: &Client, from: &str, name: &str) -> String {
    let made = client.post("lists/create", &[("lname", name), ("fromlid", from)]).await.ok();
    made["lid"].as_str().unwrap().to_owned()
}

async fn link(client: &Client, lid: &str, scope: &str) -> String {
    let made = client.post("lists/share-links/create", &[("lid", lid), ("scope", scope)]).await.ok();
    made["link"]["key"].as_str().unwrap().to_owned()
}

async fn variants(client: &Client, lid: &str) -> BTreeSet<i64> {
    epis(&contents(client, lid).await["items"]).into_iter().collect()
}

both_engines! {
    async fn a_copy_that_is_under_way_gets_what_it_was_made_of_whatever_is_undone(app: TestApp) {
        let (guest, ann) = (app.guest().await, app.shopper("ann").await);
        let lid = guest.list("Mine").await;
        fill(&guest, &lid, 1..=600).await;
        log_in(&app, &guest, "ann").await;
        app.advance(5);
        fill(&ann, &lid, 601..=700).await;
        let copy = duplicate(&ann, &lid, "Copy").await;
        undo(&app, &guest, "ann").await.ok();
        copy_all(&app).await;
        assert_eq!(variants(&ann, &copy).await, (1..=700).collect());
        app.assert_sound().await;
    }

    async fn a_list_that_is_being_copied_to_loses_nothing_to_a_login_and_its_undoing(app: TestApp) {
        let (guest, ann) = (app.guest().await, app.shopper("ann").await);
        let source = ann.list("Source").await;
        fill(&ann, &source, 1..=600).await;
        let theirs = guest.list("Copy").await;
        let own = json!([{ "epi": 600, "empi": 1600, "du": "https://shop.example/p/600", "note": "the guest's" }]);
        guest.add_items(&theirs, &own).await;
        let copy = duplicate(&ann, &source, "Copy").await;
        app.advance(5);
        log_in(&app, &guest, "ann").await;
        copy_all(&app).await;
        let merged = contents(&ann, &copy).await;
        assert!(merged["items"].as_array().unwrap().iter().all(|item| item["note"] != "the guest's"), "hers wins");
        undo(&app, &guest, "ann").await.ok();
        copy_all(&app).await;
        assert_eq!(variants(&ann, &copy).await, (1..=600).collect());
        app.assert_sound().await;
    }

    async fn a_dry_run_foresees_what_becomes_of_a_copy_under_way(app: TestApp) {
        let (guest, ann) = (app.guest().await, app.shopper("ann").await);
        let hers = ann.list("Copy").await;
        let source = guest.list("Source").await;
        fill(&guest, &source, 1..=600).await;
        let copy = duplicate(&guest, &source, "Copy").await;
        let fields = [("regid", guest.regid.as_str()), ("useremail", "ann@example.com"), ("dryrun", "true")];
        let dry = app.store_admin().form(SYNC, &fields).await.ok();
        assert_eq!((&dry["moves"][0]["lid"], &dry["unites"][0]["lid"], &dry["unites"][0]["into"]), (&json!(source), &json!(copy), &json!(hers)), "{dry}");
        log_in(&app, &guest, "ann").await;
        let lids: Vec<String> = names(&ann).await.into_iter().map(|(lid, _)| lid).collect();
        assert_eq!(lids, [hers, source]);
    }

    async fn a_link_that_the_shopper_gave_away_never_leads_to_a_guests_list(app: TestApp) {
        let (guest, ann, visitor) = (app.guest().await, app.shopper("ann").await, app.browser().await);
        let lid = guest.list("Mine").await;
        guest.add(&lid, &[1]).await;
        let before = everything(&guest).await;
        app.advance(5);
        log_in(&app, &guest, "ann").await;
        app.advance(5);
        let of_ann = link(&ann, &lid, "edit").await;
        undo(&app, &guest, "ann").await.ok();
        assert_eq!(everything(&guest).await, before);
        guest.add(&lid, &[2]).await;
        assert_eq!(variants(&visitor, &of_ann).await, [1].into(), "it shows what Ann shared");
        visitor.post("lists/update-ctx", &[("lid", &of_ann), ("a", &json!([item(3)]).to_string())]).await.ok();
        assert_eq!(variants(&guest, &lid).await, [1, 2].into());
        app.assert_sound().await;
    }

    async fn comments_that_the_shopper_deleted_come_back_to_the_guest(app: TestApp) {
        let (guest, ann) = (app.guest().await, app.shopper("ann").await);
        let hers = ann.list("Same").await;
        let mut before = Vec::new();
        let lids = [guest.list("Moves").await, guest.list("Goes").await, guest.list("Same").await];
        for lid in &lids {
            guest.add(lid, &[1, 2]).await;
            guest.post("lists/comments/add", &[("lid", lid), ("epi", "1"), ("text", "before"), ("fromname", "Me")]).await.ok();
            before.push(guest.post("lists/comments/list", &[("lid", lid)]).await.ok());
        }
        log_in(&app, &guest, "ann").await;
        for lid in [&lids[0], &hers] {
            ann.post("lists/update-ctx", &[("lid", lid), ("d", r#"[{"epi":1}]"#)]).await.ok();
        }
        ann.post("lists/delete-list", &[("lid", &lids[1])]).await.ok();
        assert_eq!(app.rows("comments").await, 0);
        undo(&app, &guest, "ann").await.ok();
        for (lid, before) in lids.iter().zip(&before) {
            assert_eq!(guest.post("lists/comments/list", &[("lid", lid)]).await.ok(), *before);
            assert_eq!(contents(&guest, lid).await["list"]["itemcmnts"], 1);
        }
        assert_eq!(app.rows("merged_comments").await, 0);
        app.assert_sound().await;
    }

    async fn comments_made_before_a_login_are_the_guests_again(app: TestApp) {
        let (guest, ann) = (app.guest().await, app.shopper("ann").await);
        for name in ["United", "Moved"] {
            let lid = guest.list(name).await;
            guest.add(&lid, &[1, 2]).await;
            guest.post("lists/comments/add", &[("lid", &lid), ("epi", "1"), ("text", "before")]).await.ok();
            guest.post("lists/reportShare", &[("lid", &lid), ("fromname", "G"), ("medium", "email")]).await.ok();
        }
        let hers = ann.list("United").await;
        ann.add(&hers, &[1]).await;
        ann.post("lists/comments/add", &[("lid", &hers), ("epi", "1"), ("text", "hers")]).await.ok();
        let (of_guest, of_ann) = (everything(&guest).await, everything(&ann).await);
        let said = async |client: &Client, lid: &str| client.post("lists/comments/list", &[("lid", lid), ("epi", "1")]).await.ok();
        let lids: Vec<String> = names(&guest).await.into_iter().map(|(lid, _)| lid).collect();
        let comments = [said(&guest, &lids[0]).await, said(&guest, &lids[1]).await, said(&ann, &hers).await];
        app.advance(5);
        log_in(&app, &guest, "ann").await;
        assert_eq!(contents(&ann, &hers).await["list"]["itemcmnts"], 2);
        app.advance(5);
        undo(&app, &guest, "ann").await.ok();
        assert_eq!(everything(&guest).await, of_guest);
        assert_eq!([said(&guest, &lids[0]).await, said(&guest, &lids[1]).await, said(&ann, &hers).await], comments);
        let mut after = everything(&ann).await;
        after[0]["list"]["uts"] = of_ann[0]["list"]["uts"].clone();
        assert_eq!(after, of_ann);
        app.assert_sound().await;
    }

    async fn logins_at_once_with_everything_else_lose_nothing(app: TestApp) {
        let ann = app.shopper("ann").await;
        let (one, other) = (ann.list("A").await, ann.list("B").await);
        ann.add(&one, &[1, 2, 3]).await;
        let mut guests = Vec::new();
        // No more calls at once than the app has connections.
        for n in 1..=3 {
            let guest = if n % 2 == 0 { app.guest().await } else { app.browser().await };
            let lid = guest.list(if n % 3 == 0 { "Own" } else { "a" }).await;
            guest.add(&lid, &[100 * n]).await;
            guests.push((n, guest, lid));
        }
        let (friend, key) = (app.shopper("bob").await, link(&ann, &one, "edit").await);
        let adds = async |client: &Client, lid: &str, from: i64| {
            let mut done = Vec::new();
            for variant in from..from + 8 {
                let fields = [("lid", lid), ("a", &json!([item(variant)]).to_string())];
                let reply = client.post("lists/update-ctx", &fields).await;
                if reply.status == 200 {
                    assert!(reply.json()["a"][0].get("hasError").is_none(), "{}", reply.text());
                    done.push(variant);
                } else {
                    assert!([401, 403, 404].contains(&reply.status.as_u16()), "{}", reply.text());
                }
            }
            done
        };
        let by_guests = join_all(guests.iter().map(async |(n, guest, lid)| adds(guest, lid, 100 * n + 10).await));
        let by_friend = async {
            let done = adds(&friend, &key, 30).await;
            assert_eq!(done.len(), 8, "a link goes on leading to the list");
            friend.post("lists/comments/add", &[("lid", &key), ("epi", "3"), ("text", "x")]).await.ok();
            done
        };
        let logins = join_all(guests.iter().map(async |(_, guest, _)| sync(&app, guest, "ann").await.ok()));
        let moving = async {
            for n in 0..12 {
                let (from, to) = if n % 2 == 0 { (&one, &other) } else { (&other, &one) };
                let items = json!([{ "epi": 1 }, { "epi": 2 }, { "epi": 100 }, { "epi": 200 }, { "epi": 30 }]).to_string();
                ann.post("lists/move-items", &[("fromlid", from), ("tolid", to), ("items", &items)]).await.ok();
                duplicate(&ann, from, "Copy").await;
            }
        };
        let (by_guests, by_friend, _, ()) = tokio::join!(by_guests, by_friend, logins, moving);
        let mut expected: BTreeSet<i64> = [1, 2, 3].into();
        expected.extend((1..=3).map(|n| 100 * n));
        expected.extend(by_guests.into_iter().flatten().chain(by_friend));
        let lists = everything(&ann).await;
        let held: Vec<i64> = lists.iter().filter(|list| list["list"]["lname"] != "Copy").flat_map(|list| epis(&list["items"])).collect();
        assert_eq!(held.iter().copied().collect::<BTreeSet<_>>(), expected);
        app.assert_sound().await;
    }

    async fn undoing_twice_at_once_and_while_the_shopper_goes_on_loses_nothing(app: TestApp) {
        for round in 0..4 {
            let (guest, name) = (app.browser().await, format!("ann{round}"));
            let ann = app.shopper(&name).await;
            let (hers, theirs, moved) = (ann.list("A").await, guest.list("A").await, guest.list("B").await);
            guest.add(&theirs, &[1, 2]).await;
            guest.add(&moved, &[3, 4]).await;
            let before = everything(&guest).await;
            app.advance(5);
            log_in(&app, &guest, &name).await;
            app.advance(5);
            let adding = async {
                let mut done = Vec::new();
                for n in 10..18 {
                    for (list, lid) in [("A", &hers), ("B", &moved)] {
                        let fields = [("lid", lid.as_str()), ("a", &json!([item(n)]).to_string())];
                        if ann.post("lists/update-ctx", &fields).await.status == 200 {
                            done.push((list, n));
                        }
                    }
                }
                done
            };
            let (one, two, done) = tokio::join!(undo(&app, &guest, &name), undo(&app, &guest, &name), adding);
            assert_ne!(one.ok()["undone"], two.ok()["undone"]);
            assert_eq!(everything(&guest).await, before);
            let kept = everything(&ann).await;
            for (list, n) in done {
                let mut same = kept.iter().filter(|kept| kept["list"]["lname"] == list);
                assert!(same.any(|kept| epis(&kept["items"]).contains(&n)), "{n} in {list}");
            }
            app.assert_sound().await;
        }
    }

    async fn undoing_gives_a_regid_that_works_also_when_all_were_revoked(app: TestApp) {
        for is_browser in [false, true] {
            let guest = if is_browser { app.browser().await } else { app.guest().await };
            let lid = guest.list("Mine").await;
            guest.add(&lid, &[1]).await;
            let ann = log_in(&app, &guest, "ann").await;
            app.store_admin().form("/storeadmin/v3/user/revoke-sessions", &[("all", "true")]).await.ok();
            for sessionid in [&ann.sessionid, &guest.sessionid] {
                let old = Client { sessionid: sessionid.clone(), ..ann.clone() };
                old.post("lists/fetch-user-lists", &[]).await.fails(401, "bad-regid");
            }
            let undone = undo(&app, &guest, "ann").await.ok();
            let again = Client::new(app.router.clone(), app.store.pid.clone(), undone);
            assert_eq!(variants(&again, &lid).await, [1].into());
            guest.post("lists/fetch-user-lists", &[]).await.fails(401, "bad-regid");
            log_in(&app, &again, "ann").await;
            again.post("lists/fetch-user-lists", &[]).await.fails(401, "bad-regid");
        }
    }
}
