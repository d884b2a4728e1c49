//! Social counts are exact when lists change hands: a person who had two identities is counted once.

use futures_util::FutureExt;
use serde_json::{Value, json};
use tokio::sync::Notify;
use wishbone_server::jobs::copy_lists::copy_next;
use wishbone_server::jobs::job::Rest;
use wishbone_server::jobs::purge_lists::purge_some;

use super::long_lists::{pending_undo, undo_next};
use super::{log_in, typed_list, undo};
use crate::support::{Client, TestApp};

/// The counts of products.
async fn counts(client: &Client, products: &[i64]) -> Vec<i64> {
    let products = Value::from(products.to_vec()).to_string();
    let reply = client.post("product/wishlist/social-count", &[("empis", &products)]).await.ok();
    reply["data"].as_array().unwrap().iter().map(|count| count["count"].as_i64().unwrap()).collect()
}

/// Products that are on lists with one variant each.
async fn add(client: &Client, lid: &str, products: std::ops::Range<i64>) {
    let items: Vec<Value> =
        products.map(|product| json!({ "epi": product, "empi": product, "du": "https://shop.example/" })).collect();
    for some in items.chunks(500) {
        client.add_items(lid, &json!(some)).await;
    }
}

async fn run_jobs(app: &TestApp) {
    while copy_next(&app.app).await.unwrap() != Rest::UntilWoken {}
    while purge_some(&app.app).await.unwrap() != Rest::UntilWoken {}
}

/// Takes the database back to the schema before the wishes, and migrates it.
async fn migrate_again(app: &TestApp) {
    let before = app.tables().await;
    for table in ["items", "merged_items"] {
        for sql in without_members(app, table) {
            app.alter(Box::leak(sql.into_boxed_str())).await;
        }
    }
    for sql in [
        "drop index changed_products",
        "alter table products drop column changed_in",
        "drop index stopped_mailboxes",
        "alter table recipients drop column mailbox_id",
        "drop index items_of_products",
        "create index merged_items_by_item on merged_items (store_id, guest_id, item_id)",
        "drop index requested_subscriptions",
        "drop index subscriptions_by_key",
        "drop index subscriptions_by_address",
        "alter table share_links drop column owner_name",
        "drop table wishes",
        "drop table wish_transfers",
        "alter table lists drop column wished_by",
        "alter table deleted_lists drop column wished_by",
        "create index items_by_product on items (store_id, product_id, list_id)",
        "alter table stores add column catalog_stamp bigint not null default 0",
        "alter table stores add column reminders_at bigint not null default 0",
        "drop table store_states",
        "drop table message_counters",
        "drop table merge_steps",
        "drop table list_stamps",
        "drop index merged_lists_by_target",
        "create index merged_lists_by_target on merged_lists (store_id, into_id, seq_offset)",
        "drop index shoppers_by_merge",
        "drop index comments_by_id",
        "alter table stores drop column deleting_since",
        "alter table server drop column last_store_id",
        "delete from schema_versions where number >= 21",
    ] {
        app.alter(sql).await;
    }
    app.migrate().await;
    app.assert_sound().await;
    let after = app.tables().await;
    assert_eq!((&after["items"], &after["merged_items"]), (&before["items"], &before["merged_items"]));
}

/// Gives items the columns that they had before their members were encoded.
fn without_members(app: &TestApp, table: &str) -> [String; 5] {
    let hex = "replace(substr(members, 7, 36), '-', '')";
    let (blob, id, find, number) = match app.app.database.engine() {
        "sqlite" => ("blob", format!("unhex({hex})"), "instr", "integer"),
        _ => ("bytea", format!("decode({hex}, 'hex')"), "strpos", "bigint"),
    };
    [
        format!("alter table {table} add column item_id {blob}"),
        format!("alter table {table} add column updated_at bigint"),
        format!("alter table {table} add column attributes text"),
        format!(
            r#"update {table} set item_id = {id},
                   updated_at = cast(substr(members, {find}(members, ',"uts":') + 7) as {number}),
                   attributes = substr(members, {find}(members, '"du":'), {find}(members, ',"cts":') - {find}(members, '"du":'))"#
        ),
        format!("alter table {table} drop column members"),
    ]
}

both_engines! {
    async fn a_guest_and_the_shopper_whom_the_guest_becomes_are_one(app: TestApp) {
        let (ann, bea, guest) = (app.shopper("ann").await, app.shopper("bea").await, app.guest().await);
        // One list is united with Ann's, the other moves.
        let hers = ann.list("A").await;
        add(&ann, &hers, 1..4).await;
        let (same, other) = (guest.list("a").await, guest.list("B").await);
        add(&guest, &same, 2..6).await;
        add(&guest, &other, 3..8).await;
        add(&bea, &bea.list("C").await, 7..8).await;
        let products = [1, 2, 3, 4, 5, 6, 7, 8];
        let before = [1, 2, 2, 1, 1, 1, 2, 0];
        assert_eq!(counts(&bea, &products).await, before);
        log_in(&app, &guest, "ann").await;
        assert_eq!(counts(&bea, &products).await, [1, 1, 1, 1, 1, 1, 2, 0]);
        // Ann changes a list that was the guest's, and keeps it when the login is undone.
        ann.add_items(&other, &json!([{ "epi": 8, "empi": 8, "du": "https://shop.example/" }])).await;
        ann.post("lists/update-ctx", &[("lid", &other), ("d", "[{\"epi\":7}]")]).await.ok();
        assert_eq!(counts(&bea, &products).await, [1, 1, 1, 1, 1, 1, 1, 1]);
        undo(&app, &guest, "ann").await.ok();
        assert_eq!(counts(&bea, &products).await, [1, 2, 2, 2, 2, 2, 2, 1]);
        app.assert_sound().await;
    }

    async fn wishes_for_many_products_change_hands_in_steps(app: TestApp) {
        let (ann, guest) = (app.shopper("ann").await, app.guest().await);
        add(&ann, &ann.list("A").await, 1..3).await;
        let moved = guest.list("B").await;
        add(&guest, &moved, 2..1_302).await;
        let products = [1, 2, 3, 700, 1_301];
        assert_eq!(counts(&ann, &products).await, [1, 2, 1, 1, 1]);
        log_in(&app, &guest, "ann").await;
        assert_eq!(app.rows("wish_transfers").await, 1);
        run_jobs(&app).await;
        assert_eq!((counts(&ann, &products).await, app.rows("wish_transfers").await), (vec![1, 1, 1, 1, 1], 0));
        app.assert_sound().await;
        undo(&app, &guest, "ann").await.ok();
        run_jobs(&app).await;
        assert_eq!((counts(&ann, &products).await, app.rows("wish_transfers").await), (vec![1, 2, 1, 1, 1], 0));
        app.assert_sound().await;
        guest.post("lists/delete-list", &[("lid", &moved)]).await.ok();
        run_jobs(&app).await;
        assert_eq!((counts(&ann, &products).await, app.rows("wishes").await), (vec![1, 1, 0, 0, 0], 2));
        app.assert_sound().await;
    }

    async fn an_undo_right_after_a_login_is_counted_as_if_neither_had_been(app: TestApp) {
        let (ann, guest) = (app.shopper("ann").await, app.guest().await);
        add(&ann, &ann.list("A").await, 1..3).await;
        let moved = guest.list("B").await;
        add(&guest, &moved, 2..602).await;
        log_in(&app, &guest, "ann").await;
        // A step has been taken when few products are left.
        copy_next(&app.app).await.unwrap();
        let few: Vec<Value> = (200..602).map(|product| json!({ "epi": product })).collect();
        ann.post("lists/update-ctx", &[("lid", &moved), ("d", &json!(few).to_string())]).await.ok();
        undo(&app, &guest, "ann").await.ok();
        run_jobs(&app).await;
        assert_eq!(counts(&ann, &[1, 2, 3, 300]).await, [1, 2, 2, 1]);
        app.assert_sound().await;
    }

    async fn an_older_database_is_counted_when_it_is_migrated(app: TestApp) {
        let (ann, guest) = (app.shopper("ann").await, app.guest().await);
        add(&ann, &ann.list("A").await, 1..3).await;
        add(&ann, &typed_list(&ann, "R", "registry").await, 4..5).await;
        add(&guest, &guest.list("B").await, 2..4).await;
        log_in(&app, &guest, "ann").await;
        migrate_again(&app).await;
        assert_eq!(counts(&ann, &[1, 2, 3, 4]).await, [1, 1, 1, 0]);
        undo(&app, &guest, "ann").await.ok();
        assert_eq!(counts(&ann, &[1, 2, 3, 4]).await, [1, 2, 1, 0]);
        app.assert_sound().await;
    }

    async fn an_older_database_with_an_unfinished_undo_is_counted_when_it_is_migrated(app: TestApp) {
        let (ann, guest) = (app.shopper("ann").await, app.guest().await);
        add(&ann, &ann.list("A").await, 1..3).await;
        add(&guest, &guest.list("a").await, 2..1_202).await;
        log_in(&app, &guest, "ann").await;
        run_jobs(&app).await;
        let pending = pending_undo(&app, &guest).await;
        assert!(undo_next(&app, pending).await);
        migrate_again(&app).await;
        undo(&app, &guest, "ann").await.ok();
        run_jobs(&app).await;
        assert_eq!(counts(&ann, &[1, 2, 3, 700, 1_201]).await, [1, 2, 1, 1, 1]);
        app.assert_sound().await;
    }

    async fn what_is_left_to_be_done_wakes_its_job(app: TestApp) {
        let (ann, guest) = (app.shopper("ann").await, app.guest().await);
        let is_woken = |job: &Notify| job.notified().now_or_never().is_some();
        let moved = guest.list("B").await;
        add(&guest, &moved, 1..602).await;
        log_in(&app, &guest, "ann").await;
        run_jobs(&app).await;
        is_woken(&app.app.new_copy);
        undo(&app, &guest, "ann").await.ok();
        assert!(app.rows("wish_transfers").await == 1 && is_woken(&app.app.new_copy));
        run_jobs(&app).await;
        // A list that is copied is purged once it is.
        guest.post("lists/create", &[("lname", "Copy"), ("fromlid", &moved)]).await.ok();
        guest.post("lists/delete-list", &[("lid", &moved)]).await.ok();
        while purge_some(&app.app).await.unwrap() != Rest::UntilWoken {}
        is_woken(&app.app.deleted_list);
        assert_eq!(app.rows("deleted_lists").await, 1);
        while copy_next(&app.app).await.unwrap() != Rest::UntilWoken {}
        assert!(is_woken(&app.app.deleted_list));
        run_jobs(&app).await;
        assert_eq!(counts(&ann, &[1, 601]).await, [1, 1]);
        app.assert_sound().await;
    }

    async fn only_wishlists_are_counted_wherever_items_move(app: TestApp) {
        let (ann, guest) = (app.shopper("ann").await, app.guest().await);
        let (wishes, registry) = (ann.list("A").await, typed_list(&ann, "R", "registry").await);
        add(&ann, &registry, 1..3).await;
        add(&ann, &wishes, 2..4).await;
        assert_eq!(counts(&guest, &[1, 2, 3]).await, [0, 1, 1]);
        let to = [("fromlid", registry.as_str()), ("tolid", wishes.as_str()), ("items", "[{\"epi\":1},{\"epi\":2}]")];
        ann.post("lists/move-items", &to).await.ok();
        assert_eq!(counts(&guest, &[1, 2, 3]).await, [1, 1, 1]);
        let back = [("fromlid", wishes.as_str()), ("tolid", registry.as_str()), ("items", "[{\"epi\":3}]")];
        ann.post("lists/move-items", &back).await.ok();
        assert_eq!((counts(&guest, &[1, 2, 3]).await, app.rows("wishes").await), (vec![1, 1, 0], 2));
        app.assert_sound().await;
    }
}
