//! Which event each operation writes.

use serde_json::{Value, json};

use super::{create, work};
use crate::support::receiver::Receiver;
use crate::support::{TestApp, item};

/// A receiver of all events.
async fn listen(app: &TestApp) -> Receiver {
    let receiver = Receiver::start().await;
    create(app, &receiver.url(), &["*"]).await;
    receiver
}

both_engines! {
    async fn every_change_of_a_list_has_its_event_in_order(app: TestApp) {
        let receiver = listen(&app).await;
        let ann = app.shopper("ann").await;
        let lid = ann.list("Summer").await;
        ann.add(&lid, &[1, 2, 3]).await;
        ann.add(&lid, &[1]).await;
        let update = json!([{ "epi": 2, "empi": 1002, "du": "https://shop.example/p/2", "qty": 5 }]).to_string();
        let fields = [("lid", lid.as_str()), ("u", &update), ("d", r#"[{"epi":3},{"epi":9}]"#)];
        ann.post("lists/update-ctx", &fields).await.ok();
        ann.post("lists/update", &[("lid", &lid), ("lname", "Autumn")]).await.ok();
        ann.post("lists/markPublic", &[("lid", &lid)]).await.ok();
        ann.post("lists/markPublic", &[("lid", &lid)]).await.ok();
        ann.post("lists/reportShare", &[("lid", &lid), ("medium", "WhatsApp")]).await.ok();
        ann.post("lists/emailList", &[("lid", &lid), ("toemail", "ben@example.com")]).await.ok();
        ann.post("lists/share-links/create", &[("lid", &lid)]).await.ok();
        ann.post("lists/delete-list", &[("lid", &lid)]).await.ok();
        work(&app.app, 0).await;
        let received = receiver.take();
        let kinds: Vec<String> = received.iter().map(|it| it.kind()).collect();
        assert_eq!(kinds, [
            "list.created", "item.added", "item.added", "item.added", "item.updated", "item.removed", "item.updated",
            "list.updated", "list.updated", "list.shared", "list.shared", "list.shared", "list.shared", "list.deleted",
        ]);
        let data = |n: usize| received[n].json()["data"].clone();
        assert_eq!((&data(1)["epi"], &data(3)["epi"], &data(5)["epi"]), (&json!(1), &json!(3), &json!(3)));
        assert_eq!((&data(6)["epi"], &data(6)["qty"]), (&json!(2), &json!(5)));
        assert_eq!((&data(7)["lname"], &data(8)["anonRead"]), (&json!("Autumn"), &json!(true)));
        let mut media: Vec<String> = (9..13).map(|n| data(n)["medium"].as_str().unwrap().to_owned()).collect();
        media.sort();
        assert_eq!(media, ["email", "link", "public", "whatsapp"]);
        assert_eq!((&data(13)["lid"], &data(13)["cnt"]), (&json!(lid), &json!(2)));
        for it in &received {
            let data = &it.json()["data"];
            assert_eq!((&data["pid"], &data["uid"]), (&json!(app.store.pid), &received[0].json()["data"]["uid"]));
        }
    }

    async fn saved_items_and_moved_items_have_events(app: TestApp) {
        let receiver = listen(&app).await;
        let ann = app.shopper("ann").await;
        let (lid, other) = (ann.list("A").await, ann.list("B").await);
        ann.add(&lid, &[1, 2]).await;
        ann.add(&other, &[2]).await;
        let saved = ann.post("lists/sfl/create", &[]).await.ok()["lid"].as_str().unwrap().to_owned();
        ann.post("lists/sfl/create", &[]).await.ok();
        let items = json!([item(7)]).to_string();
        ann.post("lists/sfl/add", &[("lid", &saved), ("items", &items)]).await.ok();
        ann.post("lists/sfl/moved-to-cart", &[("lid", &saved), ("items", &items)]).await.ok();
        work(&app.app, 0).await;
        receiver.take();
        ann.post("lists/move-items", &[("fromlid", &lid), ("tolid", &other), ("items", r#"[{"epi":1},{"epi":2}]"#)]).await.ok();
        work(&app.app, 0).await;
        let mut seen: Vec<(String, Value, Value)> = receiver
            .take()
            .iter()
            .map(|it| (it.kind(), it.json()["data"]["lid"].clone(), it.json()["data"]["epi"].clone()))
            .collect();
        seen.sort_by_key(|it| format!("{it:?}"));
        assert_eq!(seen, [
            ("item.added".to_owned(), json!(other), json!(1)),
            ("item.removed".to_owned(), json!(lid), json!(1)),
            ("item.removed".to_owned(), json!(lid), json!(2)),
        ]);
    }

    async fn an_event_has_the_record_of_the_owner_whoever_made_the_change(app: TestApp) {
        let receiver = listen(&app).await;
        let (ann, bob) = (app.shopper("ann").await, app.shopper("bob").await);
        let lid = ann.list("Hers").await;
        let link = ann.post("lists/share-links/create", &[("lid", &lid), ("scope", "edit")]).await.ok();
        let key = link["link"]["key"].as_str().unwrap().to_owned();
        bob.add(&key, &[1]).await;
        bob.post("lists/update", &[("lid", &key), ("lname", "Ours")]).await.ok();
        work(&app.app, 0).await;
        let received = receiver.take();
        let owner = received[0].json()["data"]["uid"].clone();
        let (added, renamed) = (received[2].json()["data"].clone(), received[3].json()["data"].clone());
        assert_eq!((&added["lid"], &added["uid"], &added["cby"]), (&json!(lid), &owner, &json!("bob@example.com")));
        assert_eq!((&renamed["cby"], &renamed["uby"]), (&json!("ann@example.com"), &json!("bob@example.com")));
        assert!(received.iter().all(|it| !it.body.contains(&key)), "the key of a link is a credential");
    }

    async fn a_duplicate_has_an_event_for_its_list_and_each_item_also_in_the_background(app: TestApp) {
        let ann = app.shopper("ann").await;
        let lid = ann.list("Long").await;
        app.store_admin().upsert(json!([{ "epi": 2, "empi": 1002, "dt": "Of the catalogue" }])).await;
        for from in [0, 500, 1_000] {
            ann.add(&lid, &(from + 1..=from + 400).collect::<Vec<i64>>()).await;
        }
        let short = ann.list("Short").await;
        ann.add(&short, &[1, 2]).await;
        let receiver = listen(&app).await;
        ann.post("lists/create", &[("lname", "Copy"), ("fromlid", &short)]).await.ok();
        work(&app.app, 0).await;
        let received = receiver.take();
        assert_eq!(received.iter().map(|it| it.kind()).collect::<Vec<_>>(), ["list.created", "item.added", "item.added"]);
        assert_eq!(received[0].json()["data"]["cnt"], 2);
        assert_eq!(received[2].json()["data"]["dt"], "Of the catalogue");
        ann.post("lists/create", &[("lname", "Copy"), ("fromlid", &lid)]).await.ok();
        for _ in 0..10 {
            wishbone_server::jobs::copy_lists::copy_next(&app.app).await.unwrap();
        }
        work(&app.app, 0).await;
        let received = receiver.take();
        assert_eq!((received[0].kind(), received.last().unwrap().kind()), ("list.created".into(), "list.updated".into()));
        assert!(received.last().unwrap().json()["data"]["_cp"].is_null());
        let epis: Vec<i64> = received[1..1_201].iter().map(|it| it.json()["data"]["epi"].as_i64().unwrap()).collect();
        assert!(epis.is_sorted() && received.len() == 1_202, "{}", received.len());
    }

    async fn a_merge_reports_itself_and_the_lists_that_it_changed(app: TestApp) {
        let (ann, guest) = (app.shopper("ann").await, app.browser().await);
        let mine = ann.list("Summer").await;
        let (same, moved) = (guest.list("SUMMER").await, guest.list("Winter").await);
        guest.add(&same, &[1]).await;
        let receiver = listen(&app).await;
        let merge = [("regid", guest.regid.as_str()), ("useremail", "ann@example.com"), ("sessionid", &guest.sessionid)];
        for _ in 0..2 {
            app.store_admin().form("/storeadmin/v3/user/guest-validate-sync", &merge).await.ok();
        }
        work(&app.app, 0).await;
        let received = receiver.take();
        let of = |kind: &str| -> Vec<Value> {
            received.iter().filter(|it| it.kind() == kind).map(|it| it.json()["data"].clone()).collect()
        };
        let [merged] = &of("shopper.merged")[..] else { panic!("{received:?}") };
        assert_eq!(merged["lists"], json!([{ "lid": same, "into": mine }, { "lid": moved }]));
        assert!(merged["uid"].is_string() && merged["guestuid"].is_string() && merged["uid"] != merged["guestuid"]);
        let mut updated: Vec<String> = of("list.updated").iter().map(|it| it["lid"].as_str().unwrap().to_owned()).collect();
        updated.sort();
        let mut expected = vec![mine, moved];
        expected.sort();
        assert_eq!(updated, expected);
        assert!(of("list.updated").iter().all(|it| it["cby"] == "ann@example.com" && it["uid"] == merged["uid"]));
        assert_eq!(of("list.deleted")[0]["lid"], same);
        assert_eq!(received.len(), 4);
        let undo = [("regid", guest.regid.as_str()), ("useremail", "ann@example.com")];
        app.store_admin().form("/storeadmin/v3/user/undo-merge", &undo).await.ok();
        work(&app.app, 0).await;
        let mut undone: Vec<String> = receiver.take().iter().map(|it| format!("{} {}", it.kind(), it.json()["data"]["lid"])).collect();
        undone.sort();
        let mut updated = vec![format!("list.updated {}", json!(expected[0])), format!("list.updated {}", json!(expected[1]))];
        updated.sort();
        assert_eq!(undone, [vec![format!("list.created {}", json!(same))], updated].concat());
        for it in &received {
            assert!(!it.body.contains(&guest.regid) && !it.body.contains(&guest.sessionid), "{}", it.body);
        }
    }

    async fn events_are_written_with_their_change_or_not_at_all(app: TestApp) {
        create(&app, "https://shop.example/", &["*"]).await;
        let ann = app.shopper("ann").await;
        let lid = ann.list("Summer").await;
        ann.add(&lid, &[1, 2]).await;
        let add = json!([item(3), item(4)]).to_string();
        app.break_everywhere(async || ann.post("lists/update-ctx", &[("lid", &lid), ("a", &add), ("d", r#"[{"epi":1}]"#)]).await).await;
        app.break_everywhere(async || ann.post("lists/create", &[("lname", "Copy"), ("fromlid", &lid)]).await).await;
        app.break_everywhere(async || ann.post("lists/delete-list", &[("lid", &lid)]).await).await;
    }
}
