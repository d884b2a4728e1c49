//! A merge is undone: the guest has its lists again as they were, and the shopper loses nothing that was done since.

use serde_json::{Value, json};
use wishbone_core::merging::journal::{PurgeMerges, UNDO_TIME};
use wishbone_core::operator::Operator;

use super::{MERGES, contents, everything, log_in, names, sync, typed_list, undo};
use crate::support::{Client, NOW, epis};

/// What an owner sees, without what may rise.
async fn seen(client: &Client) -> Vec<Value> {
    let mut all = everything(client).await;
    all.sort_by_key(|list| list["list"]["lid"].to_string());
    all
}

async fn change(client: &Client, lid: &str, letter: &str, items: &Value) {
    client.post("lists/update-ctx", &[("lid", lid), (letter, &items.to_string())]).await.ok();
}

fn item_of(list: &Value, epi: i64) -> Value {
    list["items"].as_array().unwrap().iter().find(|item| item["epi"] == epi).cloned().unwrap_or(Value::Null)
}

async fn comment(client: &Client, lid: &str, epi: &str) {
    client.post("lists/comments/add", &[("lid", lid), ("epi", epi), ("text", "Nice")]).await.ok();
}

async fn comments(client: &Client, lid: &str) -> Value {
    client.post("lists/comments/list", &[("lid", lid)]).await.ok()
}

both_engines! {
    async fn undoing_at_once_leaves_everyone_as_before(app: TestApp) {
        let (guest, ann) = (app.guest().await, app.shopper("ann").await);
        guest.post("user/save", &[("fname", "G"), ("lname", "H")]).await.ok();
        let hers = ann.list("A").await;
        ann.add(&hers, &[1, 2]).await;
        app.advance(5);
        let theirs = guest.list("a").await;
        guest.add(&theirs, &[2, 3]).await;
        let moved = guest.list("Moved").await;
        guest.add(&moved, &[4]).await;
        let (saved, second) = (typed_list(&guest, "s", "sfl").await, typed_list(&guest, "t", "_saveForLater").await);
        guest.add(&saved, &[5, 6]).await;
        guest.add(&second, &[6, 7]).await;
        let (of_guest, of_ann) = (seen(&guest).await, seen(&ann).await);
        app.advance(5);
        log_in(&app, &guest, "ann").await;
        app.advance(5);
        let undone = undo(&app, &guest, "ann").await.ok();
        assert_eq!((&undone["undone"], &undone["lists"]), (&json!(true), &json!(4)));
        assert_eq!((&undone["regid"], &undone["sessionid"]), (&json!(guest.regid), &json!(guest.sessionid)));
        assert_eq!(seen(&guest).await, of_guest);
        let mut again = seen(&ann).await;
        assert!(again[0]["list"]["uts"].as_i64() > of_ann[0]["list"]["uts"].as_i64(), "a list that changed says so");
        again[0]["list"]["uts"] = of_ann[0]["list"]["uts"].clone();
        assert_eq!(again, of_ann);
        // A second time there is nothing to undo.
        let before = app.tables().await;
        assert_eq!(undo(&app, &guest, "ann").await.ok(), json!({ "status": "success", "undone": false }));
        assert_eq!(app.tables().await, before);
        // The guest goes on as one, and can log in again.
        guest.add(&moved, &[8]).await;
        log_in(&app, &guest, "bea").await;
        assert_eq!(names(&app.shopper("bea").await).await.len(), 3);
        app.assert_sound().await;
    }

    async fn what_the_shopper_did_to_a_united_list_since_stays(app: TestApp) {
        let (guest, ann) = (app.guest().await, app.shopper("ann").await);
        let (hers, theirs) = (ann.list("A").await, guest.list("A").await);
        ann.add(&hers, &[1]).await;
        guest.add(&theirs, &[1, 2, 3, 4]).await;
        let before = seen(&guest).await;
        app.advance(5);
        log_in(&app, &guest, "ann").await;
        app.advance(5);
        change(&ann, &hers, "u", &json!([{ "epi": 2, "empi": 1002, "du": "https://shop.example/p/2", "note": "since" }])).await;
        change(&ann, &hers, "d", &json!([{ "epi": 3 }])).await;
        ann.add(&hers, &[9]).await;
        undo(&app, &guest, "ann").await.ok();
        assert_eq!(seen(&guest).await, before);
        let after = contents(&ann, &hers).await;
        assert_eq!(epis(&after["items"]), [9, 2, 1], "4 went back, 3 was deleted, 2 was changed and stays");
        assert_eq!(item_of(&after, 2)["note"], "since");
        assert_ne!(item_of(&after, 2)["id"], item_of(&contents(&guest, &theirs).await, 2)["id"], "two items, two ids");
        assert_eq!(after["list"]["cnt"], 3);
        app.assert_sound().await;
    }

    async fn an_item_that_was_commented_on_since_stays_with_its_comments(app: TestApp) {
        let (guest, ann) = (app.guest().await, app.shopper("ann").await);
        let (hers, theirs) = (ann.list("A").await, guest.list("A").await);
        guest.add(&theirs, &[1, 2]).await;
        comment(&guest, &theirs, "1").await;
        let before = (seen(&guest).await, comments(&guest, &theirs).await);
        log_in(&app, &guest, "ann").await;
        comment(&ann, &hers, "2").await;
        undo(&app, &guest, "ann").await.ok();
        assert_eq!((seen(&guest).await, comments(&guest, &theirs).await), before);
        let after = contents(&ann, &hers).await;
        assert_eq!((epis(&after["items"]), &after["list"]["cnt"], &after["list"]["itemcmnts"]), (vec![2], &json!(1), &json!(1)));
        assert_eq!(comments(&ann, &hers).await["comments"][0]["epi"], 2);
        app.assert_sound().await;
    }

    async fn a_moved_list_that_was_changed_since_becomes_two(app: TestApp) {
        let (guest, ann) = (app.guest().await, app.shopper("ann").await);
        ann.list("Own").await;
        let (lid, other) = (guest.list("Mine").await, guest.list("Untouched").await);
        guest.add(&lid, &[1, 2]).await;
        let before = seen(&guest).await;
        app.advance(5);
        log_in(&app, &guest, "ann").await;
        app.advance(5);
        ann.add(&lid, &[3]).await;
        change(&ann, &lid, "d", &json!([{ "epi": 1 }])).await;
        ann.post("lists/update", &[("lid", &lid), ("lname", "Renamed")]).await.ok();
        undo(&app, &guest, "ann").await.ok();
        assert_eq!(seen(&guest).await, before);
        let of_ann = names(&ann).await;
        let own: Vec<&str> = of_ann.iter().map(|(_, name)| name.as_str()).collect();
        assert_eq!(own, ["Own", "Renamed"]);
        let kept = contents(&ann, &of_ann[1].0).await;
        assert!(of_ann[1].0 != lid && of_ann[1].0 != other);
        assert_eq!((epis(&kept["items"]), &kept["list"]["cnt"]), (vec![3, 2], &json!(2)));
        assert_ne!(kept["list"]["id"], contents(&guest, &lid).await["list"]["id"]);
        let shared = (item_of(&kept, 2)["id"].clone(), item_of(&contents(&guest, &lid).await, 2)["id"].clone());
        assert_ne!(shared.0, shared.1);
        ann.add(&of_ann[1].0, &[4]).await;
        guest.add(&lid, &[5]).await;
        app.assert_sound().await;
    }

    async fn a_comment_whose_time_is_ahead_of_the_clock_goes_back_once(app: TestApp) {
        let (guest, ann) = (app.guest().await, app.shopper("ann").await);
        let lid = guest.list("Mine").await;
        // Changes within one millisecond get later times, so the comment is dated after the merge.
        guest.add(&lid, &[1]).await;
        guest.add(&lid, &[2]).await;
        comment(&guest, &lid, "1").await;
        let before = (seen(&guest).await, comments(&guest, &lid).await);
        log_in(&app, &guest, "ann").await;
        ann.add(&lid, &[3]).await;
        comment(&ann, &lid, "3").await;
        undo(&app, &guest, "ann").await.ok();
        assert_eq!((seen(&guest).await, comments(&guest, &lid).await), before);
        let kept = names(&ann).await[0].0.clone();
        let of_ann = comments(&ann, &kept).await;
        assert_eq!((of_ann["comments"].as_array().unwrap().len(), &of_ann["comments"][0]["epi"]), (1, &json!(3)));
        assert_eq!(app.rows("comments").await, 2);
        // The lists have the same name, so the next login unites them.
        log_in(&app, &guest, "ann").await;
        assert_eq!(comments(&ann, &kept).await["comments"].as_array().unwrap().len(), 2);
        app.assert_sound().await;
    }

    async fn comments_that_the_shopper_moved_with_their_items_go_back_once(app: TestApp) {
        let (guest, ann) = (app.guest().await, app.shopper("ann").await);
        let (same, other) = (ann.list("Same").await, ann.list("Other").await);
        let (united, moved) = (guest.list("Same").await, guest.list("Other things").await);
        for (lid, epi) in [(&united, 1), (&moved, 2)] {
            guest.add(lid, &[epi]).await;
            comment(&guest, lid, &epi.to_string()).await;
        }
        let before = (seen(&guest).await, comments(&guest, &united).await, comments(&guest, &moved).await);
        app.advance(5);
        log_in(&app, &guest, "ann").await;
        app.advance(5);
        for (from, epi) in [(&same, 1), (&moved, 2)] {
            let items = json!([{ "epi": epi }]).to_string();
            ann.post("lists/move-items", &[("fromlid", from), ("tolid", &other), ("items", &items)]).await.ok();
        }
        let version = contents(&ann, &other).await["list"]["version"].as_i64();
        assert_eq!(comments(&ann, &other).await["comments"].as_array().unwrap().len(), 2);
        undo(&app, &guest, "ann").await.ok();
        assert_eq!((seen(&guest).await, comments(&guest, &united).await, comments(&guest, &moved).await), before);
        let after = contents(&ann, &other).await;
        assert_eq!(epis(&after["items"]), [2, 1], "the shopper keeps the items that she moved");
        assert!(after["list"]["version"].as_i64() > version);
        assert_eq!(comments(&ann, &other).await["comments"], json!([]));
        assert_eq!(app.rows("comments").await, 2);
        app.assert_sound().await;
        // The next login takes both comments again, and can be undone again.
        guest.post("lists/update", &[("lid", &moved), ("lname", "Other")]).await.ok();
        log_in(&app, &guest, "ann").await;
        app.assert_sound().await;
        undo(&app, &guest, "ann").await.ok();
        assert_eq!(app.rows("comments").await, 2);
        app.assert_sound().await;
    }

    async fn lists_that_the_shopper_deleted_come_back_to_the_guest(app: TestApp) {
        let (guest, ann) = (app.guest().await, app.shopper("ann").await);
        let (hers, theirs, moved) = (ann.list("A").await, guest.list("A").await, guest.list("B").await);
        guest.add(&theirs, &[1]).await;
        guest.add(&moved, &[2]).await;
        let before = seen(&guest).await;
        log_in(&app, &guest, "ann").await;
        for lid in [&hers, &moved] {
            ann.post("lists/delete-list", &[("lid", lid)]).await.ok();
        }
        undo(&app, &guest, "ann").await.ok();
        assert_eq!(seen(&guest).await, before);
        assert_eq!(names(&ann).await, []);
        app.assert_sound().await;
    }

    async fn of_two_merges_into_one_list_the_later_is_undone_first(app: TestApp) {
        let (first, second, ann) = (app.guest().await, app.browser().await, app.shopper("ann").await);
        let (one, two) = (first.list("A").await, second.list("A").await);
        first.add(&one, &[1, 2]).await;
        second.add(&two, &[2, 3]).await;
        let before = (seen(&first).await, seen(&second).await);
        log_in(&app, &first, "ann").await;
        log_in(&app, &second, "ann").await;
        let merged = app.tables().await;
        let refused = undo(&app, &first, "ann").await;
        refused.fails(403, "forbidden");
        assert!(refused.text().contains("undo that one first"), "{}", refused.text());
        assert_eq!(app.tables().await, merged);
        undo(&app, &second, "ann").await.ok();
        undo(&app, &first, "ann").await.ok();
        assert_eq!((seen(&first).await, seen(&second).await), before);
        assert_eq!(names(&ann).await, []);
        app.assert_sound().await;
    }

    async fn of_two_merges_into_different_lists_either_can_be_undone(app: TestApp) {
        let (first, second, ann) = (app.guest().await, app.browser().await, app.shopper("ann").await);
        for (guest, name, epi) in [(&first, "A", 1), (&second, "B", 2)] {
            let hers = ann.list(name).await;
            ann.add(&hers, &[9]).await;
            let lid = guest.list(name).await;
            guest.add(&lid, &[epi]).await;
        }
        log_in(&app, &first, "ann").await;
        log_in(&app, &second, "ann").await;
        undo(&app, &first, "ann").await.ok();
        let lists: Vec<Vec<i64>> = everything(&ann).await.iter().map(|list| epis(&list["items"])).collect();
        assert_eq!(lists, [vec![9], vec![2, 9]]);
        app.assert_sound().await;
    }

    async fn a_store_can_see_what_there_is_to_undo(app: TestApp) {
        let merges = |email: &'static str| {
            let admin = app.store_admin();
            async move { admin.form(MERGES, &[("useremail", email)]).await.ok() }
        };
        let (first, second) = (app.guest().await, app.browser().await);
        assert_eq!(merges("nobody@example.com").await, json!({ "status": "success", "merges": [] }));
        let lid = first.list("A").await;
        first.add(&lid, &[1, 2]).await;
        log_in(&app, &first, "ann").await;
        app.advance(10);
        log_in(&app, &second, "ann").await;
        let listed = merges(" Ann@example.com").await;
        let entry = |client: &Client, at: i64, lists: i64, items: i64, undone: bool| {
            json!({ "regid": client.regid, "cts": at, "undountil": at + UNDO_TIME, "undone": undone, "lists": lists, "items": items })
        };
        assert_eq!(listed["merges"], json!([entry(&second, NOW + 10, 0, 0, false), entry(&first, NOW, 1, 2, false)]));
        undo(&app, &first, "ann").await.ok();
        assert_eq!(merges("ann@example.com").await["merges"][1], entry(&first, NOW, 0, 0, true));
    }

    async fn after_thirty_days_it_is_too_late(app: TestApp) {
        let (guest, ann) = (app.guest().await, app.shopper("ann").await);
        let lid = guest.list("A").await;
        guest.add(&lid, &[1]).await;
        log_in(&app, &guest, "ann").await;
        app.advance(UNDO_TIME + 1);
        let late = undo(&app, &guest, "ann").await;
        late.fails(403, "forbidden");
        assert!(late.text().contains("30 days"), "{}", late.text());
        // What is no longer of use is not kept, a few at a time; the rest stays.
        let recent = app.browser().await;
        log_in(&app, &recent, "ann").await;
        let forget = || PurgeMerges { by: Operator::of_this_machine(), store_id: 1, before: NOW + 1 };
        assert!(app.app.database.write(forget()).await.unwrap());
        assert!(!app.app.database.write(forget()).await.unwrap());
        assert_eq!((app.rows("merges").await, app.rows("merged_items").await, app.rows("merged_lists").await), (1, 0, 0));
        undo(&app, &guest, "ann").await.fails(403, "forbidden");
        // The guest stays merged all the same.
        sync(&app, &guest, "ann").await.ok();
        guest.post("lists/fetch-lists", &[]).await.fails(401, "bad-regid");
        assert_eq!(contents(&ann, &lid).await["list"]["cnt"], 1);
    }

    async fn there_is_nothing_to_undo_for_those_who_never_logged_in(app: TestApp) {
        let (guest, ann) = (app.guest().await, app.shopper("ann").await);
        guest.list("A").await;
        let before = app.tables().await;
        for (client, name) in [(&guest, "ann"), (&ann, "ann"), (&guest, "nobody"), (&app.browser().await, "ann")] {
            assert_eq!(undo(&app, client, name).await.ok()["undone"], false);
        }
        assert_eq!(app.tables().await, before);
    }
}
