//! Both engines mean the same, also when many write at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::support::{Client, epis, item};

mod failures;
mod outages;
mod random;
mod workers;

both_engines! {
    async fn clients_that_add_to_one_list_at_once_lose_nothing(app: TestApp) {
        let phone = app.shopper("ann").await;
        let laptop = phone.clone();
        let lid = phone.list("Ours").await;
        let calls = (0..40).map(|n| {
            let (client, lid) = (if n % 2 == 0 { phone.clone() } else { laptop.clone() }, lid.clone());
            let items = json!([item(n * 3 + 1), item(n * 3 + 2), item(n * 3 + 3)]).to_string();
            async move { client.post_until_accepted("lists/update-ctx", &[("lid", &lid), ("a", &items)]).await.ok() }
        });
        let answers = join_all(calls.map(tokio::spawn)).await;
        assert!(answers.into_iter().all(|answer| answer.unwrap()["a"].as_array().unwrap().len() == 3));
        let items = phone.all_pages(&lid, &[("itemslimit", "100")]).await;
        let mut variants = epis(&Value::from(items));
        // What came in one call stays together.
        assert!(variants.chunks(3).all(|call| call[0] == call[1] + 1 && call[1] == call[2] + 1), "{variants:?}");
        variants.sort_unstable();
        assert_eq!(variants, (1..=120).collect::<Vec<_>>());
        assert_eq!(phone.page(&lid, &[]).await["data"]["cnt"], 120);
        app.assert_sound().await;
    }

    async fn clients_that_add_the_same_item_at_once_leave_one(app: TestApp) {
        let ann = app.shopper("ann").await;
        let lid = ann.list("Ours").await;
        let calls = (0..20).map(|_| {
            let (ann, lid) = (ann.clone(), lid.clone());
            tokio::spawn(async move {
                let added = json!([item(7)]).to_string();
                ann.post_until_accepted("lists/update-ctx", &[("lid", &lid), ("a", &added)]).await.ok()
            })
        });
        join_all(calls).await.into_iter().for_each(|answer| drop(answer.unwrap()));
        let page = ann.page(&lid, &[]).await;
        assert_eq!(epis(&page["data"]["listcontents"]), [7]);
        assert_eq!(page["data"]["cnt"], 1);
        app.assert_sound().await;
    }

    async fn lists_made_and_deleted_at_once_are_counted_right(app: TestApp) {
        let ann = app.shopper("ann").await;
        let calls = (0..20).map(|n| {
            let ann = ann.clone();
            tokio::spawn(async move {
                let made = ann.post_until_accepted("lists/create", &[("lname", &format!("List {n}"))]).await.ok();
                if n % 2 == 0 {
                    let lid = made["lid"].as_str().unwrap();
                    ann.post_until_accepted("lists/delete-list", &[("lid", lid)]).await.ok();
                }
            })
        });
        join_all(calls).await.into_iter().for_each(|done| done.unwrap());
        let lists = ann.post("lists/fetch-user-lists", &[]).await.ok();
        assert_eq!(lists["data"].as_array().unwrap().len(), 10);
        app.assert_sound().await;
    }

    async fn the_same_new_product_from_many_callers_is_one_row(app: TestApp) {
        let calls = (0..8).map(|n| {
            let admin = app.store_admin();
            tokio::spawn(async move { admin.upsert(json!([{ "epi": 5, "empi": 6, "dt": format!("Title {n}"), "sku": n.to_string() }])).await })
        });
        join_all(calls).await.into_iter().for_each(|done| done.unwrap());
        let rows = app.app.database.dump("products").await.unwrap();
        assert_eq!(rows.len(), 1);
        // All of it from one caller.
        let whole = (0..8).any(|n| rows[0].contains(&format!("Title {n}")) && rows[0].contains(&format!("\"sku\":\"{n}\"")));
        assert!(whole, "{rows:?}");
    }

    async fn a_catalogue_fed_by_many_callers_at_once_is_complete(app: TestApp) {
        const CALLERS: i64 = 6;
        let calls = (0..CALLERS).map(|caller| {
            let admin = app.store_admin();
            let product = move |n| json!({ "epi": 1 + n * CALLERS + caller, "empi": 1 + n, "dt": "Known" });
            tokio::spawn(async move { admin.upsert((0..150).map(product).collect()).await })
        });
        join_all(calls).await.into_iter().for_each(|done| done.unwrap());
        assert_eq!(app.rows("products").await, 900);
    }

    async fn changes_of_one_product_by_many_callers_are_all_kept(app: TestApp) {
        app.store_admin().upsert(json!([{ "epi": 5, "empi": 6 }])).await;
        let fields = [("dt", "Title"), ("ct", "Category"), ("vi", "Variant"), ("bt", "Brand"), ("sku", "Sku")];
        let calls = fields.map(|(key, value)| {
            let admin = app.store_admin();
            tokio::spawn(async move { admin.upsert(json!([{ "epi": 5, "empi": 6, key: value }])).await })
        });
        join_all(calls).await.into_iter().for_each(|done| done.unwrap());
        let rows = app.app.database.dump("products").await.unwrap();
        for (key, value) in fields {
            assert!(rows[0].contains(&format!("\"{key}\":\"{value}\"")), "{key} is lost: {rows:?}");
        }
    }

    async fn stores_made_at_once_get_ids_of_their_own(app: TestApp) {
        let stores = join_all((0..6).map(|_| app.create_store(Default::default()))).await;
        for store in &stores {
            assert_eq!(app.admin_of(store).get("/storeadmin/me").await.ok()["pid"], store.pid);
        }
        assert_eq!(app.rows("stores").await, 7);
    }

    async fn the_same_new_shopper_from_many_callers_is_one_row(app: TestApp) {
        let calls = (0..16).map(|_| {
            let admin = app.store_admin();
            tokio::spawn(async move {
                admin.form("/storeadmin/v3/user/generate-regid", &[("useremail", "new@example.com")]).await.ok()
            })
        });
        let answers: Vec<Value> = join_all(calls).await.into_iter().map(|answer| answer.unwrap()).collect();
        assert!(answers.iter().all(|answer| *answer == answers[0]), "{answers:?}");
        assert_eq!(app.rows("shoppers").await, 1);
    }

    async fn the_first_writes_of_a_guest_at_once_make_one_shopper_and_one_saved_list(app: TestApp) {
        let guest = app.guest().await;
        let calls = (0..12).map(|_| {
            let guest = guest.clone();
            tokio::spawn(async move { guest.post("lists/sfl/create", &[]).await.ok()["lid"].clone() })
        });
        let lids: Vec<Value> = join_all(calls).await.into_iter().map(|lid| lid.unwrap()).collect();
        assert!(lids.iter().all(|lid| *lid == lids[0]), "{lids:?}");
        assert_eq!((app.rows("shoppers").await, app.rows("lists").await), (1, 1));
        app.assert_sound().await;
    }

    async fn a_page_shows_one_state_while_the_list_changes(app: TestApp) {
        let ann = app.shopper("ann").await;
        let lid = ann.list("Busy").await;
        let done = Arc::new(AtomicUsize::new(0));
        let writer = {
            let (ann, lid, done) = (ann.clone(), lid.clone(), Arc::clone(&done));
            tokio::spawn(async move {
                for n in 1..=40 {
                    ann.add(&lid, &[n, n + 100]).await;
                    if n % 3 == 0 {
                        let gone = json!([item(n), item(n - 1)]).to_string();
                        ann.post("lists/update-ctx", &[("lid", &lid), ("d", &gone)]).await.ok();
                    }
                }
                done.store(1, Ordering::SeqCst);
            })
        };
        let mut seen = std::collections::BTreeSet::new();
        while done.load(Ordering::SeqCst) == 0 {
            let page = ann.page(&lid, &[("itemslimit", "100")]).await;
            let shown = page["data"]["listcontents"].as_array().unwrap().len();
            assert_eq!(page["data"]["cnt"], shown, "a count of one moment with the items of another");
            let lists = ann.post("lists/fetch-lists", &[]).await.ok();
            let few = lists[0]["listcontents"].as_array().unwrap().len();
            assert_eq!(lists[0]["cnt"].as_u64().unwrap().min(50), few as u64);
            seen.insert(shown);
        }
        writer.await.unwrap();
        assert!(seen.len() > 1, "the reads never met the writes: {seen:?}");
    }

    async fn hundreds_of_rows_of_one_call_are_replaced_in_order(app: TestApp) {
        let ann = app.shopper("ann").await;
        let lid = ann.list("Renewed").await;
        let variants: Vec<i64> = (1..=200).collect();
        ann.add(&lid, &variants).await;
        // Each row is deleted and inserted again: the other way round it would break its key.
        let items = Value::from(variants.iter().map(|n| item(*n)).collect::<Vec<_>>()).to_string();
        let answer = ann.post("lists/update-ctx", &[("lid", &lid), ("d", &items), ("a", &items)]).await.ok();
        assert_eq!(answer["a"].as_array().unwrap().len(), 200);
        let after = ann.all_pages(&lid, &[]).await;
        assert_eq!(epis(&Value::from(after)), (1..=200).rev().collect::<Vec<_>>());
        app.assert_sound().await;
    }

    async fn what_was_answered_is_there_for_another_server_at_once(app: TestApp) {
        let ann = app.shopper("ann").await;
        let lid = ann.list("Kept").await;
        let other = wishbone_server::http::router::router(&app.second_node().await);
        let there = Client::new(other, ann.pid.clone(), json!({ "regid": ann.regid, "sessionid": ann.sessionid }));
        for n in 1..=5 {
            ann.add(&lid, &[n]).await;
            assert_eq!(there.page(&lid, &[]).await["data"]["cnt"], n);
        }
    }
}
