//! A guest logs in: what was the guest's is the shopper's, nothing is lost, and it can be undone.

mod belongings;
mod crashes;
mod limits;
mod long_lists;
mod meanwhile;
mod random;
mod sessions;
mod social_counts;
mod storefronts;
mod tokens;
mod undo;

use serde_json::{Value, json};
use uuid::Uuid;

use crate::support::{Client, Reply, TestApp, epis, item};

const SYNC: &str = "/storeadmin/v3/user/guest-validate-sync";
const UNDO: &str = "/storeadmin/v3/user/undo-merge";
const MERGES: &str = "/storeadmin/v3/user/merges";
const GENERATE: &str = "/storeadmin/v3/user/generate-regid";

/// Asks for the merge of a guest into `<name>@example.com`.
async fn sync(app: &TestApp, guest: &Client, name: &str) -> Reply {
    let email = format!("{name}@example.com");
    app.store_admin()
        .form(SYNC, &[("regid", &guest.regid), ("useremail", &email), ("useragenttype", "undefined")])
        .await
}

/// The same, and whom the guest has become.
async fn log_in(app: &TestApp, guest: &Client, name: &str) -> Client {
    Client::new(app.router.clone(), app.store.pid.clone(), sync(app, guest, name).await.ok())
}

async fn undo(app: &TestApp, guest: &Client, name: &str) -> Reply {
    let email = format!("{name}@example.com");
    app.store_admin().form(UNDO, &[("regid", &guest.regid), ("useremail", &email)]).await
}

/// Every list with all of its items, as its owner sees them; versions aside, which only ever rise.
async fn everything(client: &Client) -> Vec<Value> {
    let lists = client.post("lists/fetch-user-lists", &[("includeArchived", "true")]).await.ok();
    let mut out = Vec::new();
    for list in lists["data"].as_array().unwrap() {
        let lid = list["lid"].as_str().unwrap();
        let mut whole = client.post("lists/fetch-list-with-contents", &[("lid", lid)]).await.ok();
        whole["list"].as_object_mut().unwrap().remove("version");
        out.push(whole);
    }
    out
}

async fn contents(client: &Client, lid: &str) -> Value {
    client.post("lists/fetch-list-with-contents", &[("lid", lid)]).await.ok()
}

/// Lids and names, in order.
async fn names(client: &Client) -> Vec<(String, String)> {
    let lists = client.post("lists/fetch-user-lists", &[("includeArchived", "true")]).await.ok();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    lists["data"].as_array().unwrap().iter().map(|list| (text(&list["lid"]), text(&list["lname"]))).collect()
}

async fn typed_list(client: &Client, name: &str, list_type: &str) -> String {
    let made = client.post("lists/create", &[("lname", name), ("lty", list_type)]).await.ok();
    made["lid"].as_str().unwrap().to_owned()
}

both_engines! {
    async fn a_guests_lists_become_the_shoppers_under_the_same_lids(app: TestApp) {
        let (guest, ann) = (app.guest().await, app.shopper("ann").await);
        let own = ann.list("Own").await;
        app.advance(10);
        let (first, second) = (guest.list("First").await, guest.list("Second").await);
        guest.add(&first, &[1, 2]).await;
        app.advance(10);
        guest.add(&first, &[3]).await;
        let before = contents(&guest, &first).await;
        app.advance(1_000);
        let merged = log_in(&app, &guest, "ann").await;
        assert_eq!((&merged.regid, &merged.sessionid), (&ann.regid, &ann.sessionid));
        let lids: Vec<String> = names(&ann).await.into_iter().map(|(lid, _)| lid).collect();
        assert_eq!(lids, [own, first.clone(), second], "the shopper's own first, then the guest's in their order");
        let after = contents(&ann, &first).await;
        assert_eq!(epis(&after["items"]), [3, 2, 1]);
        for (old, new) in before["items"].as_array().unwrap().iter().zip(after["items"].as_array().unwrap()) {
            for key in ["id", "cts", "uts", "di", "du", "qty"] {
                assert_eq!(old[key], new[key], "{key}");
            }
            assert_eq!(new["cby"], "ann@example.com");
            assert_ne!(new["uid"], old["uid"]);
        }
        assert_eq!((&after["list"]["cnt"], &after["list"]["uts"]), (&json!(3), &before["list"]["uts"]));
        assert_ne!(after["list"]["lhash"], before["list"]["lhash"], "the hash is of the shopper too");
        // A new list comes last, as always.
        let newest = ann.list("Newest").await;
        assert_eq!(names(&ann).await.last().unwrap().0, newest);
        app.assert_sound().await;
    }

    async fn lists_of_one_type_and_name_become_one_under_the_shoppers_lid(app: TestApp) {
        let (guest, ann) = (app.guest().await, app.shopper("ann").await);
        let theirs = guest.list("  gifts ").await;
        let note = json!([{ "epi": 2, "empi": 1002, "du": "https://shop.example/p/2", "note": "the guest's", "qty": 7 }]);
        guest.add(&theirs, &[1]).await;
        app.advance(10);
        let hers = ann.list("GIFTS").await;
        ann.add(&hers, &[2, 3]).await;
        app.advance(10);
        guest.add_items(&theirs, &note).await;
        guest.add(&theirs, &[4]).await;
        let (before, of_guest) = (contents(&ann, &hers).await, contents(&guest, &theirs).await);
        app.advance(10);
        log_in(&app, &guest, "ann").await;
        assert_eq!(names(&ann).await, [(hers.clone(), "GIFTS".to_owned())]);
        let after = contents(&ann, &hers).await;
        assert_eq!(epis(&after["items"]), [4, 3, 2, 1], "by time of addition");
        let find = |list: &Value, epi: i64| {
            list["items"].as_array().unwrap().iter().find(|item| item["epi"] == epi).unwrap().clone()
        };
        assert_eq!(find(&after, 2), find(&before, 2), "the shopper's own item wins, untouched");
        for epi in [1, 4] {
            let (old, new) = (find(&of_guest, epi), find(&after, epi));
            for key in ["id", "cts", "uts", "di"] {
                assert_eq!(old[key], new[key], "{epi} {key}");
            }
            assert_eq!(new["lid"], hers.as_str());
        }
        assert_eq!(after["list"]["cnt"], 4);
        assert!(after["list"]["uts"].as_i64() > before["list"]["uts"].as_i64());
        guest.raw("/api/v3/lists/fetch-list-with-contents", &[("regid", &ann.regid), ("sessionid", &ann.sessionid), ("lid", &theirs)])
            .await
            .fails(404, "list-not-found");
        app.assert_sound().await;
    }

    async fn of_several_lists_of_a_name_the_one_updated_last_takes_the_guests(app: TestApp) {
        let (guest, ann) = (app.guest().await, app.shopper("ann").await);
        let (one, two) = (ann.list("A").await, ann.list("a").await);
        app.advance(5);
        ann.add(&one, &[9]).await;
        app.advance(5);
        let other_type = typed_list(&ann, "A", "registry").await;
        for name in ["A", "a"] {
            let lid = guest.list(name).await;
            guest.add(&lid, &[if name == "A" { 1 } else { 2 }, 3]).await;
            app.advance(5);
        }
        log_in(&app, &guest, "ann").await;
        assert_eq!(names(&ann).await.len(), 3);
        assert_eq!(epis(&contents(&ann, &one).await["items"]), [2, 3, 1, 9]);
        assert_eq!(contents(&ann, &two).await["list"]["cnt"], 0);
        assert_eq!(contents(&ann, &other_type).await["list"]["cnt"], 0);
        app.assert_sound().await;
    }

    async fn two_lists_of_a_guest_with_one_name_stay_two_if_the_shopper_has_none(app: TestApp) {
        let (guest, ann) = (app.guest().await, app.shopper("ann").await);
        let lids = [guest.list("A").await, guest.list("A").await];
        log_in(&app, &guest, "ann").await;
        let merged: Vec<String> = names(&ann).await.into_iter().map(|(lid, _)| lid).collect();
        assert_eq!(merged, lids);
    }

    async fn save_for_later_lists_always_become_one(app: TestApp) {
        let (guest, ann) = (app.guest().await, app.shopper("ann").await);
        let (short, long) = (typed_list(&guest, "x", "sfl").await, typed_list(&guest, "y", "_saveForLater").await);
        guest.add(&short, &[1, 2]).await;
        guest.add(&long, &[2, 3]).await;
        let merged = log_in(&app, &guest, "ann").await;
        let shown = merged.post("lists/sfl/fetch", &[]).await.ok();
        assert_eq!((&shown["list"]["lid"], &shown["list"]["cnt"]), (&json!(short), &json!(3)));
        assert_eq!(names(&ann).await.len(), 1);
        // Another guest's goes into the one that there is now, whatever it is called.
        let other = app.browser().await;
        let saved = other.post("lists/sfl/create", &[("lname", "z")]).await.ok();
        other.add(saved["lid"].as_str().unwrap(), &[4]).await;
        log_in(&app, &other, "ann").await;
        let shown = ann.post("lists/sfl/fetch", &[]).await.ok();
        assert_eq!((&shown["list"]["lid"], &shown["list"]["cnt"]), (&json!(short), &json!(4)));
        app.assert_sound().await;
    }

    async fn what_the_guest_looked_at_does_not_end_up_in_an_archived_list(app: TestApp) {
        let (guest, ann) = (app.guest().await, app.shopper("ann").await);
        let hers = ann.list("A").await;
        ann.post("lists/update", &[("lid", &hers), ("archived", "true")]).await.ok();
        let theirs = guest.list("A").await;
        guest.add(&theirs, &[1]).await;
        log_in(&app, &guest, "ann").await;
        let lists = ann.post("lists/fetch-lists", &[]).await.ok();
        assert_eq!((&lists[0]["lid"], &lists[0]["cnt"], &lists[0]["st"]), (&json!(hers), &json!(1), &json!(1)));
        undo(&app, &guest, "ann").await.ok();
        assert_eq!(ann.post("lists/fetch-lists", &[]).await.ok(), json!([]));
    }

    async fn an_address_that_nobody_knew_becomes_a_shopper_with_the_guests_lists(app: TestApp) {
        let guest = app.browser().await;
        let lid = guest.list("Mine").await;
        guest.post("user/save", &[("fname", "Zoe"), ("lname", "Doe")]).await.ok();
        let email = " ZOE@Example.com ";
        let reply = app.store_admin().form(SYNC, &[("regid", &guest.regid), ("useremail", email)]).await.ok();
        let zoe = app.shopper("zoe").await;
        assert_eq!(reply["regid"], zoe.regid.as_str());
        let shown = contents(&zoe, &lid).await;
        assert_eq!((&shown["list"]["userinfo"]["fname"], &shown["list"]["userinfo"]["lname"]), (&json!("Zoe"), &json!("Doe")));
        // A name that the shopper has is not the guest's to change.
        let other = app.browser().await;
        other.post("user/save", &[("fname", "Max")]).await.ok();
        log_in(&app, &other, "zoe").await;
        assert_eq!(contents(&zoe, &lid).await["list"]["userinfo"]["fname"], "Zoe");
    }

    async fn subscriptions_of_a_guest_become_the_shoppers(app: TestApp) {
        let (guest, ann) = (app.guest().await, app.shopper("ann").await);
        guest.list("Makes a row").await;
        let form = |address: &'static str, epi: i64| {
            [("medium", "email".to_owned()), ("mediumvalue", address.to_owned()), ("topics", r#"["backinstock"]"#.to_owned()),
             ("products", json!([item(epi)]).to_string())]
        };
        for (address, epi) in [("ann@example.com", 1), ("other@example.com", 2)] {
            let fields = form(address, epi);
            let fields: Vec<(&str, &str)> = fields.iter().map(|(name, value)| (*name, value.as_str())).collect();
            app.store_admin().form("/storeadmin/bispa/subscriptions/create", &fields).await.ok();
        }
        // No call makes one for a guest yet: the second is given to it here.
        app.straight("update subscriptions set ordinal = 0,
                          shopper_id = (select shopper_id from shoppers where store_id = 1 and email is null)
                      where store_id = 1 and address = 'other@example.com'").await;
        app.straight("update shoppers set next_subscription = 1 where email is null").await;
        log_in(&app, &guest, "ann").await;
        let subscribed = ann.post("subscriptions/fetch-subs", &[("topic", "backinstock")]).await.ok();
        assert_eq!(epis(&subscribed["subscriptions"]), [2, 1], "newest first");
        undo(&app, &guest, "ann").await.ok();
        let subscribed = ann.post("subscriptions/fetch-subs", &[("topic", "backinstock")]).await.ok();
        assert_eq!(epis(&subscribed["subscriptions"]), [1]);
        assert_eq!(guest.post("subscriptions/fetch-subs", &[("topic", "backinstock")]).await.ok()["total"], 1);
        app.assert_sound().await;
    }

    async fn links_comments_and_editors_go_with_their_lists(app: TestApp) {
        let (guest, ann, bea) = (app.guest().await, app.shopper("ann").await, app.shopper("bea").await);
        let (hers, theirs, others) = (ann.list("A").await, guest.list("A").await, bea.list("Bea's").await);
        ann.add(&hers, &[1]).await;
        guest.add(&theirs, &[1, 2]).await;
        bea.add(&others, &[5]).await;
        // The calls for these come from elsewhere; a merge must move their rows all the same.
        let id = |client: &Client, n: i64| format!("(select list_id from lists where store_id = 1 and item_count = {n}
             and shopper_id = (select shopper_id from shoppers where store_id = 1 and email {}))",
            if client.regid == ann.regid { "= 'ann@example.com'" } else if client.regid == bea.regid { "= 'bea@example.com'" } else { "is null" });
        let person = |email: &str| format!("(select shopper_id from shoppers where store_id = 1 and email {email})");
        let (bea_id, guest_id) = (person("= 'bea@example.com'"), person("is null"));
        let rows = [
            format!("insert into share_links (store_id, list_id, link_id, may_edit, created_at) select 1, {}, {bea_id}, 1, 1", id(&guest, 2)),
            format!("insert into editors (store_id, list_id, number, shopper_id) select 1, {}, 1, {bea_id}", id(&ann, 1)),
            format!("insert into editors (store_id, list_id, number, shopper_id) select 1, {}, 1, {bea_id}", id(&guest, 2)),
            format!("insert into editors (store_id, list_id, number, shopper_id) select 1, {}, 1, {guest_id}", id(&bea, 1)),
            format!("update items set added_by = 1, changed_by = 0 where store_id = 1 and variant_id = 2 and list_id = {}", id(&guest, 2)),
            format!("insert into comments (store_id, list_id, variant_id, created_at, comment_id, shopper_id, text)
                     select 1, {}, 2, 1, {bea_id}, {guest_id}, 'nice'", id(&guest, 2)),
            format!("update lists set comment_count = 1 where store_id = 1 and list_id = {}", id(&guest, 2)),
        ];
        for row in rows {
            app.straight(Box::leak(row.into_boxed_str())).await;
        }
        let before = app.tables().await;
        log_in(&app, &guest, "ann").await;
        assert_eq!(contents(&ann, &hers).await["list"]["itemcmnts"], 1);
        let after = app.tables().await;
        let holds = |table: &str, lid: &str| {
            let id = format!("{:02x?}", Uuid::parse_str(lid).unwrap().as_bytes());
            after[table].iter().filter(|row| row.contains(&id)).count()
        };
        assert_eq!((holds("share_links", &hers), holds("comments", &hers), holds("editors", &hers)), (1, 1, 2));
        assert_eq!((holds("share_links", &theirs), holds("comments", &theirs), holds("editors", &theirs)), (0, 0, 0));
        let second = after["items"].iter().find(|row| row.contains("/p/2")).unwrap();
        assert!(second.contains(r#"| 3 | 0 | "id""#), "the guest's editor 1 is the list's editor 3 now, and 0 is nobody: {second}");
        assert_ne!(before["editors"], after["editors"]);
        undo(&app, &guest, "ann").await.ok();
        let undone = app.tables().await;
        for table in ["share_links", "comments"] {
            assert_eq!(undone[table], before[table]);
        }
        // The shopper's list may keep an editor whom nothing names any more.
        assert!(before["editors"].iter().all(|row| undone["editors"].contains(row)), "{undone:#?}");
        assert_eq!(contents(&guest, &theirs).await["list"]["itemcmnts"], 1);
        app.assert_sound().await;
    }

    async fn saying_it_again_changes_nothing_and_writes_nothing(app: TestApp) {
        let (guest, ann) = (app.guest().await, app.shopper("ann").await);
        let lid = guest.list("A").await;
        guest.add(&lid, &[1, 2]).await;
        let first = sync(&app, &guest, "ann").await.ok();
        let before = app.tables().await;
        for _ in 0..3 {
            app.advance(1_000);
            assert_eq!(sync(&app, &guest, "ann").await.ok(), first);
            // Also with the regid that the shopper has now.
            assert_eq!(sync(&app, &ann, "ann").await.ok(), first);
        }
        assert_eq!(app.tables().await, before);
    }

    async fn a_regid_of_someone_else_is_refused_and_nothing_moves(app: TestApp) {
        let (guest, ann) = (app.guest().await, app.shopper("ann").await);
        app.shopper("bea").await;
        let lid = guest.list("A").await;
        log_in(&app, &guest, "ann").await;
        let before = app.tables().await;
        for other in ["bea", "nobody"] {
            sync(&app, &guest, other).await.fails(403, "forbidden");
            sync(&app, &ann, other).await.fails(403, "forbidden");
            undo(&app, &guest, other).await;
        }
        assert_eq!(app.tables().await, before);
        assert_eq!(contents(&ann, &lid).await["list"]["cnt"], 0);
    }

    async fn a_merge_says_what_is_wrong_with_it(app: TestApp) {
        let (guest, admin) = (app.guest().await, app.store_admin());
        let other_store = app.create_store(wishbone_core::stores::settings::Settings::default()).await;
        let foreign = app.shopper_of(&other_store, "ann").await;
        for regid in ["x", "", &foreign.regid, &guest.regid[1..]] {
            let reply = admin.form(SYNC, &[("regid", regid), ("useremail", "ann@example.com")]).await;
            let expected = if regid.is_empty() { (400, "missing-parameter") } else { (401, "bad-regid") };
            reply.fails(expected.0, expected.1);
        }
        let with = |name: &'static str, value: &'static str| {
            let (admin, regid) = (admin.clone(), guest.regid.clone());
            async move { admin.form(SYNC, &[("regid", regid.as_str()), ("useremail", "ann@example.com"), (name, value)]).await }
        };
        with("dryrun", "perhaps").await.fails(400, "invalid-parameter");
        with("sessionid", "short").await.fails(400, "invalid-parameter");
        admin.form(SYNC, &[("regid", &guest.regid), ("useremail", "nobody")]).await.fails(400, "invalid-parameter");
        assert_eq!(app.rows("merges").await, 0);
    }

    async fn a_dry_run_tells_what_would_happen_and_does_nothing(app: TestApp) {
        let (guest, ann) = (app.guest().await, app.shopper("ann").await);
        let hers = ann.list("A").await;
        ann.add(&hers, &[1]).await;
        let (one, two, three) = (guest.list("a").await, guest.list("A").await, guest.list("Else").await);
        guest.add(&one, &[1, 2]).await;
        guest.add(&two, &[2, 3, 4]).await;
        let saved = typed_list(&guest, "s", "sfl").await;
        let before = app.tables().await;
        let dry = |email: &'static str| {
            let (admin, regid) = (app.store_admin(), guest.regid.clone());
            async move { admin.form(SYNC, &[("regid", regid.as_str()), ("useremail", email), ("dryrun", "true")]).await }
        };
        let told = dry("ann@example.com").await.ok();
        let list = |lid: &str, name: &str, kind: &str, cnt: i64| json!({ "lid": lid, "lname": name, "lty": kind, "cnt": cnt });
        let union = |mut list: Value, adds: i64, already: i64| {
            list.as_object_mut().unwrap().extend([
                ("into".to_owned(), json!(hers)), ("adds".to_owned(), json!(adds)), ("already".to_owned(), json!(already)),
            ]);
            list
        };
        assert_eq!(told, json!({
            "status": "success", "dryrun": true, "subscriptions": 0,
            "moves": [list(&three, "Else", "wl", 0), list(&saved, "s", "sfl", 0)],
            "unites": [union(list(&one, "a", "wl", 2), 1, 1), union(list(&two, "A", "wl", 3), 2, 1)],
        }));
        let unknown = dry("new@example.com").await.ok();
        assert_eq!((unknown["moves"].as_array().unwrap().len(), &unknown["unites"]), (4, &json!([])));
        assert_eq!(app.tables().await, before);
        log_in(&app, &guest, "ann").await;
        assert_eq!(contents(&ann, &hers).await["list"]["cnt"], 4, "as it was told");
        assert_eq!(dry("ann@example.com").await.ok()["moves"], json!([]));
        dry("new@example.com").await.fails(403, "forbidden");
    }

    async fn the_journal_keeps_every_column_of_lists_and_items(app: TestApp) {
        // Or a list that comes back would have lost something.
        let described = app.app.database.describe().await.unwrap();
        let columns = |table: &str| -> Vec<String> {
            let prefix = format!("{table}.");
            described.iter().filter_map(|line| line.strip_prefix(&prefix)).map(str::to_owned).collect()
        };
        for (table, journal) in [("lists", "merged_lists"), ("items", "merged_items")] {
            let kept = columns(journal);
            // The owner, for whom wishes are counted, and whether a merge can be undone, follow from the merge.
            let is_own = |column: &str| ["shopper_id ", "wished_by ", "merged "].iter().any(|name| column.starts_with(name));
            let missing: Vec<String> =
                columns(table).into_iter().filter(|column| !is_own(column) && !kept.contains(column)).collect();
            assert!(kept.len() > 10 && missing.is_empty(), "{journal} lacks {missing:?}");
        }
    }
}
