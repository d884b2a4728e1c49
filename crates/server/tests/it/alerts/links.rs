//! Links and pictures in mails and SMS are the shop's, whoever asked for them.

use wishbone_server::jobs::send_reminders::queue_due;
use wishbone_server::mail::transport::Transport;

use super::sms::{fields, gateway, work};
use super::*;

/// A catalogue with a product whose URL and picture are as given, which eve waits for with a URL of her own.
async fn eve_waits(app: &TestApp, du: Option<&str>, given: &str) {
    let mut chair = json!({ "epi": 1, "empi": 1001, "dt": "Oak chair", "stock": 0, "iu": "/chair.png" });
    if let Some(du) = du {
        chair["du"] = json!(du);
    }
    app.store_admin().upsert(json!([chair])).await;
    let mut fields = subscription("backinstock", "eve@example.com", "1");
    fields[5].1 = given;
    app.shopper("eve").await.post("subscriptions/add", &fields).await.ok();
}

/// The alert that eve gets.
async fn alert(app: &TestApp, mailing: &Mailing) -> Value {
    stock(app, json!(1)).await;
    mailing.work(app).await;
    let mail = mailing.smtp.mails().last().unwrap().clone();
    assert!(mail["text"].as_str().unwrap().contains("Oak chair"));
    mail
}

async fn allow(app: &TestApp, origin: &str) {
    app.set(SettingsChange { allowed_origins: Some(vec![origin.to_owned()]), ..Default::default() }).await;
}

both_engines! {
    async fn an_alert_links_to_nothing_that_a_stranger_has_set(app: TestApp) {
        let mailing = Mailing::start(&app).await;
        without_interval(&app).await;
        for du in [None, Some("/p/1")] {
            app.advance(DAY);
            eve_waits(&app, du, "https://evil.example/login").await;
            let mail = alert(&app, &mailing).await;
            assert!(!mail["raw"].as_str().unwrap().contains("evil"), "{mail}");
            assert!(!mail["html"].as_str().unwrap().contains("chair.png"), "the shop's site is not known: {mail}");
        }
    }

    async fn a_path_in_the_catalogue_leads_to_the_site_of_the_shop(app: TestApp) {
        let mailing = Mailing::start(&app).await;
        without_interval(&app).await;
        allow(&app, "https://shop.example").await;
        for given in ["https://evil.example/login", "https://shop.example/logout"] {
            app.advance(DAY);
            eve_waits(&app, Some("/p/1"), given).await;
            let mail = alert(&app, &mailing).await;
            let html = mail["html"].as_str().unwrap().replace("&#x2f;", "/");
            assert!(mail["text"].as_str().unwrap().contains("https://shop.example/p/1"), "{mail}");
            assert!(html.contains("href=\"https://shop.example/p/1\"") && html.contains("https://shop.example/chair.png"), "{html}");
            assert!(!html.contains("evil") && !html.contains("logout"), "{html}");
        }
    }

    async fn without_a_url_in_the_catalogue_the_shoppers_is_used_on_a_site_of_the_shop(app: TestApp) {
        let mailing = Mailing::start(&app).await;
        without_interval(&app).await;
        allow(&app, "https://shop.example").await;
        eve_waits(&app, None, "https://shop.example/p/1?v=2").await;
        assert!(alert(&app, &mailing).await["text"].as_str().unwrap().contains("https://shop.example/p/1?v=2"));
    }

    async fn digests_and_sms_link_to_the_shop_only(app: TestApp) {
        let receiver = gateway(&app).await;
        let eve = app.shopper("eve").await;
        eve.post("user/save", &[("alertdigest", "daily")]).await.ok();
        let chair = |epi: i64| json!({ "epi": epi, "empi": epi, "dt": "Oak chair", "stock": 0 });
        app.store_admin().upsert(json!([chair(1), chair(2)])).await;
        for (epi, medium, address) in
            [("1", "email", "eve@example.com"), ("2", "email", "eve@example.com"), ("1", "sms", "+4915112345678")]
        {
            let mut fields = subscription("backinstock", address, epi);
            (fields[1].1, fields[5].1) = (medium, "https://evil.example/login");
            eve.post("subscriptions/add", &fields).await.ok();
        }
        work(&app).await;
        let text = fields(&receiver.take()[0].body)[2].1.clone();
        let confirm = axum::http::Request::post(&text[text.find("/mail/confirm").unwrap()..]);
        assert_eq!(Reply::of(&app.router, confirm.body(axum::body::Body::empty()).unwrap()).await.status, 200);
        app.advance(1);
        for epi in [1, 2] {
            app.store_admin().stock(epi, json!(5)).await;
        }
        work(&app).await;
        let Transport::Outbox(outbox) = &app.app.mailer.as_ref().unwrap().transport else { panic!("no outbox") };
        let [digest] = &outbox.recent()[..] else { panic!("one mail") };
        assert_eq!((digest.text.matches("Oak chair").count(), digest.html.contains("evil")), (2, false), "{}", digest.text);
        let [sms] = &receiver.take()[..] else { panic!("one SMS") };
        assert!(sms.body.contains("Oak") && !sms.body.contains("evil"), "{}", sms.body);
    }

    async fn a_reminder_links_to_nothing_that_a_friend_has_set(app: TestApp) {
        let mailing = Mailing::start(&app).await;
        app.store_admin().upsert(json!([{ "epi": 1, "empi": 1, "dt": "Oak chair", "stock": 5 }])).await;
        let ann = app.shopper("ann").await;
        ann.post("user/save", &[("acceptMarketing", "true")]).await.ok();
        let lid = ann.list("Summer").await;
        ann.add_items(&lid, &json!([{ "epi": 1, "empi": 1, "du": "https://evil.example/login" }])).await;
        set(&app, AlertSettingsChange { reminder_days: Some(Some(1)), ..Default::default() }).await;
        app.advance(2 * DAY);
        mailing.node.environment.set_now(app.app.environment.now());
        queue_due(&mailing.node).await.unwrap();
        mailing.work(&app).await;
        let [mail] = &mailing.smtp.to("ann@example.com")[..] else { panic!("one mail") };
        assert!(mail["text"].as_str().unwrap().contains("Oak chair") && !mail["raw"].as_str().unwrap().contains("evil"), "{mail}");
    }
}
