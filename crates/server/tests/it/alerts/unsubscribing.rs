//! Unsubscribing through the mail itself, from a topic or from everything.

use axum::body::Body;
use axum::http::Request;
use wishbone_core::operator::Operator;
use wishbone_core::registry::{layout, store_rows};
use wishbone_core::stores::deletion::{BeginDeletion, FinishDeletion, delete_rows};
use wishbone_core::stores::manage::ListStores;

use super::*;
use crate::support::NOW;

/// The path of the unsubscribe link in the header of an alert.
fn unsubscribe_path(mail: &Value) -> String {
    let link = mail["headers"]["list-unsubscribe"].as_str().unwrap().trim_matches(['<', '>']).to_owned();
    link.strip_prefix("https://lists.shop.example").unwrap().to_owned()
}

async fn post(app: &TestApp, path: &str, body: &'static str) -> Reply {
    let request = Request::post(path).header("content-type", "application/x-www-form-urlencoded");
    Reply::of(&app.router, request.body(Body::from(body)).unwrap()).await
}

/// Ann gets an alert; returns its unsubscribe link.
async fn alerted(app: &TestApp, mailing: &Mailing) -> String {
    without_interval(app).await;
    chair(app).await;
    subscribe(app, "ann", "backinstock", &[]).await.ok();
    stock(app, json!(1)).await;
    mailing.work(app).await;
    unsubscribe_path(&mailing.smtp.mails()[0])
}

/// The chair sells out, gets cheaper and returns.
async fn happen(app: &TestApp, mailing: &Mailing, price: i64) {
    stock(app, json!(0)).await;
    app.store_admin().upsert(json!([{ "epi": 1, "empi": 1001, "pr": price }])).await;
    stock(app, json!(1)).await;
    mailing.work(app).await;
}

async fn create(app: &TestApp) {
    app.advance(1);
    let products = json!([item(1)]).to_string();
    let fields = [
        ("medium", "email"),
        ("mediumvalue", "ann@example.com"),
        ("products", products.as_str()),
        ("topics", r#"["backinstock","pricedrop"]"#),
    ];
    app.store_admin().form("/storeadmin/bispa/subscriptions/create", &fields).await.ok();
}

both_engines! {
    async fn a_link_of_a_deleted_store_writes_nothing(app: TestApp) {
        let mailing = Mailing::start(&app).await;
        let path = alerted(&app, &mailing).await;
        let (by, database) = (Operator::of_this_machine(), &app.app.database);
        let store = database.read(ListStores { by }).await.unwrap().remove(0);
        let deletion = database.write(BeginDeletion { by, store, now: NOW }).await.unwrap();
        while delete_rows(database, &deletion, store_rows(), async |_, _| Ok(1)).await.unwrap() > 0 {}
        for is_finished in [false, true] {
            if is_finished {
                database.write(FinishDeletion { by, deletion: deletion.clone() }).await.unwrap();
            }
            for body in ["List-Unsubscribe=One-Click", "scope=all", "again=true", "again=true&scope=all"] {
                assert_eq!(post(&app, &path, body).await.status, 404, "{is_finished} {body}");
            }
            for table in layout().distributed {
                assert_eq!(app.rows(table).await, 0, "{table}");
            }
        }
    }

    async fn one_click_ends_alerts_of_the_topic(app: TestApp) {
        let mailing = Mailing::start(&app).await;
        let path = alerted(&app, &mailing).await;
        create(&app).await;
        let page = Reply::of(&app.router, Request::get(&path).body(Body::empty()).unwrap()).await;
        assert!(page.status == 200 && page.text().contains("<form"), "{}", page.text());
        assert_eq!(post(&app, &path, "List-Unsubscribe=One-Click").await.status, 200);
        happen(&app, &mailing, 40).await;
        assert_eq!(mailing.recipients().len(), 2, "the price drop arrives, the other topic does not");
        let listed = app.store_admin().json("/storeadmin/v3/subscriptions/list", &json!({ "state": "suppressed" })).await.ok();
        assert_eq!(listed["data"]["subscriptions"][0]["topic"], "backinstock");
        assert!(listed["data"]["subscriptions"][0]["lasterror"].as_str().unwrap().contains("unsubscribed"));
        // The store cannot subscribe her again.
        create(&app).await;
        happen(&app, &mailing, 30).await;
        assert_eq!(mailing.recipients().len(), 3, "another price drop");
        // She can.
        subscribe(&app, "ann", "backinstock", &[]).await.ok();
        happen(&app, &mailing, 35).await;
        assert_eq!(mailing.recipients().len(), 4);
    }

    async fn everything_ends_at_once_and_can_begin_again(app: TestApp) {
        let mailing = Mailing::start(&app).await;
        let path = alerted(&app, &mailing).await;
        create(&app).await;
        assert_eq!(post(&app, &path, "scope=all").await.status, 200);
        happen(&app, &mailing, 40).await;
        assert_eq!(mailing.recipients().len(), 1);
        let ann = app.shopper("ann").await;
        let lid = ann.list("Mine").await;
        let bob = app.shopper("bob").await;
        let theirs = bob.list("Theirs").await;
        for (by, lid) in [(&ann, &lid), (&bob, &theirs)] {
            by.post("lists/emailList", &[("lid", lid), ("toemail", "ann@example.com")]).await.ok();
        }
        mailing.work(&app).await;
        assert_eq!(mailing.recipients().len(), 1, "lists of others neither");
        assert_eq!(post(&app, &path, "again=true").await.status, 200);
        happen(&app, &mailing, 30).await;
        assert_eq!(mailing.recipients().len(), 3, "what had waited arrives");
    }

    async fn a_store_cannot_retry_what_the_recipient_has_unsubscribed_from(app: TestApp) {
        let mailing = Mailing::start(&app).await;
        let path = alerted(&app, &mailing).await;
        create(&app).await;
        post(&app, &path, "List-Unsubscribe=One-Click").await;
        let admin = app.store_admin();
        let list = async |state: &str| {
            let found = admin.json("/storeadmin/v3/subscriptions/list", &json!({ "state": state })).await.ok();
            found["data"]["subscriptions"].clone()
        };
        let suppressed = list("suppressed").await;
        let retried = admin.json("/storeadmin/v3/subscriptions/retry", &json!({ "ids": [suppressed[0]["id"]] })).await.ok();
        assert_eq!(retried["data"], json!({ "retried": 0 }));
        assert_eq!(list("suppressed").await[0]["lasterror"], suppressed[0]["lasterror"]);
        post(&app, &path, "again=true").await;
        assert_eq!(list("suppressed").await, json!([]));
    }

    async fn the_page_leads_back_to_the_shop_and_the_product(app: TestApp) {
        let mailing = Mailing::start(&app).await;
        let path = alerted(&app, &mailing).await;
        let get = async || {
            let page = Reply::of(&app.router, Request::get(&path).body(Body::empty()).unwrap()).await;
            page.text().replace("&#x2f;", "/")
        };
        assert!(get().await.contains("href=\"https://shop.example/p/1\""), "the catalogue's");
        assert_eq!(get().await.matches("href=").count(), 1, "no site of the shop is known");
        let list_url = Some(Some("https://www.shop.example/lists/{lid}".to_owned()));
        app.set(SettingsChange { list_url, ..SettingsChange::default() }).await;
        post(&app, &path, "scope=all").await;
        assert!(get().await.contains("href=\"https://www.shop.example/\""));
    }

    async fn the_page_is_in_the_language_of_the_shopper(app: TestApp) {
        let mailing = Mailing::start(&app).await;
        app.shopper("ann").await.post("user/save", &[("language", "de")]).await.ok();
        let path = alerted(&app, &mailing).await;
        let page = Reply::of(&app.router, Request::get(&path).body(Body::empty()).unwrap()).await;
        assert!(page.text().contains("<html lang=\"de\""), "{}", page.text());
    }

    async fn a_forged_link_changes_nothing(app: TestApp) {
        let mailing = Mailing::start(&app).await;
        let path = alerted(&app, &mailing).await;
        let forged = format!("{}A{}", &path[..path.len() - 1], "");
        let forged = if forged == path { format!("{}B", &path[..path.len() - 1]) } else { forged };
        assert_eq!(post(&app, &forged, "List-Unsubscribe=One-Click").await.status, 404);
        assert_eq!(app.rows("refused_topics").await, 0);
    }

    async fn subscribing_again_confirms_nothing(app: TestApp) {
        let mailing = Mailing::start(&app).await;
        let path = alerted(&app, &mailing).await;
        let stranger = app.browser().await;
        stranger.post("subscriptions/add", &subscription("backinstock", "ann@example.com", "9")).await.ok();
        post(&app, &path, "scope=all").await;
        post(&app, &path, "again=true").await;
        let listed = app.store_admin().json("/storeadmin/v3/subscriptions/list", &json!({ "epi": 9 })).await.ok();
        assert_eq!(listed["data"]["subscriptions"][0]["state"], "unconfirmed");
    }
}
