//! The page of mail preferences behind every mail's link.

use axum::body::Body;
use axum::http::Request;
use futures_util::FutureExt;
use wishbone_core::stores::settings::Settings;
use wishbone_server::jobs::send_reminders::queue_due;

use super::*;
use crate::protection::bodies::unfinished;

/// The path of the link in a mail.
fn path(mail: &Value) -> String {
    let text = mail["text"].as_str().unwrap();
    let start = text.find("/mail/preferences?token=").unwrap_or_else(|| panic!("no link: {text}"));
    let path = text[start..].split_whitespace().next().unwrap().to_owned();
    let html = mail["html"].as_str().unwrap().replace("&#x2f;", "/");
    assert!(html.contains(&format!("href=\"https://lists.shop.example{path}\"")), "{html}");
    path
}

async fn get(app: &TestApp, path: &str) -> String {
    let reply = Reply::of(&app.router, Request::get(path).body(Body::empty()).unwrap()).await;
    assert_eq!(reply.status, 200, "{}", reply.text());
    reply.text().replace("&#x2f;", "/")
}

/// Presses a button of the page.
async fn press(app: &TestApp, path: &str, name: &str, value: &str) -> String {
    let page = get(app, path).await;
    assert!(page.contains(&format!("name=\"{name}\" value=\"{value}\"")), "no button {name}={value}: {page}");
    post(app, path, format!("{name}={value}")).await
}

async fn post(app: &TestApp, path: &str, body: String) -> String {
    let request = Request::post(path).header("content-type", "application/x-www-form-urlencoded");
    let reply = Reply::of(&app.router, request.body(Body::from(body)).unwrap()).await;
    assert_eq!(reply.status, 200, "{}", reply.text());
    reply.text().replace("&#x2f;", "/")
}

/// Eve confirms an alert about the chair; returns the link of the confirmation mail.
async fn eve_waits(app: &TestApp, mailing: &Mailing) -> String {
    without_interval(app).await;
    chair(app).await;
    let guest = app.browser().await;
    guest.post("subscriptions/add", &subscription("backinstock", "eve@example.com", "1")).await.ok();
    mailing.work(app).await;
    let mail = mailing.smtp.to("eve@example.com")[0].clone();
    let text = mail["text"].as_str().unwrap();
    let confirm = text[text.find("/mail/confirm").unwrap()..].split_whitespace().next().unwrap();
    post(app, confirm, String::new()).await;
    path(&mail)
}

/// The chair sells out and returns.
async fn restock(app: &TestApp, mailing: &Mailing) -> usize {
    stock(app, json!(0)).await;
    stock(app, json!(5)).await;
    mailing.work(app).await;
    mailing.recipients().len()
}

/// What the value of the first button of a name is.
fn value<'a>(page: &'a str, name: &str) -> &'a str {
    let start = format!("name=\"{name}\" value=\"");
    page.split(&start).nth(1).unwrap_or_else(|| panic!("no button {name}: {page}")).split('"').next().unwrap()
}

async fn list(app: &TestApp) -> Vec<Value> {
    let listed = app.store_admin().json("/storeadmin/v3/subscriptions/list", &json!({})).await.ok();
    listed["data"]["subscriptions"].as_array().unwrap().clone()
}

both_engines! {
    async fn every_mail_leads_to_the_page_and_looking_changes_nothing(app: TestApp) {
        let mailing = Mailing::start(&app).await;
        let link = eve_waits(&app, &mailing).await;
        assert!(!link.contains("eve"), "addresses do not belong into URLs: {link}");
        let before = list(&app).await;
        let page = get(&app, &link).await;
        assert!(page.contains("Oak chair") && page.contains("href=\"https://shop.example/p/1\""), "{page}");
        assert!(!page.contains("eve@") && !page.contains("<script") && page.contains("content=\"noindex\""), "{page}");
        assert_eq!(list(&app).await, before);
        restock(&app, &mailing).await;
        let mails = mailing.smtp.to("eve@example.com");
        assert_eq!(path(&mails[1]), link, "the same in every mail");
        assert!(get(&app, &link).await.contains("You aren&#x27;t waiting for any alerts."), "it was sent");

        let ann = app.shopper("ann").await;
        ann.post("user/save", &[("alertdigest", "daily"), ("acceptMarketing", "true")]).await.ok();
        subscribe(&app, "ann", "backinstock", &[]).await.ok();
        restock(&app, &mailing).await;
        let products: Vec<Value> = (1..=2).map(|n| json!({ "epi": n, "empi": n, "stock": 0, "pr": 50, "dt": "Chair" })).collect();
        app.store_admin().upsert(json!(products)).await;
        for epi in ["1", "2"] {
            ann.post("subscriptions/add", &subscription("backinstock", "ann@example.com", epi)).await.ok();
            app.advance(1);
            app.store_admin().stock(epi.parse().unwrap(), json!(5)).await;
        }
        app.advance(DAY);
        mailing.work(&app).await;
        let lid = ann.list("Summer").await;
        ann.add(&lid, &[1]).await;
        set(&app, AlertSettingsChange { reminder_days: Some(Some(1)), ..Default::default() }).await;
        app.advance(2 * DAY);
        mailing.node.environment.set_now(app.app.environment.now());
        queue_due(&mailing.node).await.unwrap();
        mailing.work(&app).await;
        let to_ann = mailing.smtp.to("ann@example.com");
        let subjects: Vec<&str> = to_ann.iter().map(|mail| mail["headers"]["subject"].as_str().unwrap()).collect();
        assert_eq!(to_ann.len(), 3, "an alert, a digest and a reminder: {subjects:?}");
        assert!(to_ann.iter().all(|mail| path(mail) == path(&to_ann[0])));
    }

    async fn one_alert_is_ended(app: TestApp) {
        let mailing = Mailing::start(&app).await;
        let link = eve_waits(&app, &mailing).await;
        subscribe(&app, "ann", "backinstock", &[]).await.ok();
        let anns = list(&app).await.iter().find(|row| row["mediumvalue"] == "ann@example.com").unwrap()["id"].clone();
        for foreign in [anns.as_str().unwrap(), "x", "00000000-0000-0000-0000-000000000000"] {
            post(&app, &link, format!("end={foreign}")).await;
        }
        assert_eq!(list(&app).await.len(), 2, "nobody else's");
        let page = get(&app, &link).await;
        let page = press(&app, &link, "end", value(&page, "end")).await;
        assert!(page.contains("Saved.") && !page.contains("Oak chair"), "{page}");
        assert_eq!(list(&app).await.len(), 1);
        restock(&app, &mailing).await;
        assert_eq!(mailing.smtp.to("eve@example.com").len(), 1, "the confirmation only");
        assert_eq!(mailing.smtp.to("ann@example.com").len(), 1);
        app.assert_sound().await;
    }

    async fn a_link_has_few_calls_at_a_time_and_others_do_not_wait_for_it(app: TestApp) {
        let mailing = Mailing::start(&app).await;
        let link = eve_waits(&app, &mailing).await;
        let call = |method: &str, path: &str, body: Body| {
            let request = Request::builder().method(method).uri(path).body(body).unwrap();
            let router = app.router.clone();
            async move { Reply::of(&router, request).await.status.as_u16() }
        };
        // They wait for the rest of their bodies.
        let mut waiting: Vec<_> = (0..4).map(|_| Box::pin(call("POST", &link, unfinished(1)))).collect();
        assert!(waiting.iter_mut().all(|call| call.as_mut().now_or_never().is_none()));
        for method in ["GET", "POST"] {
            assert_eq!(call(method, &format!("{link}&page=2"), Body::empty()).await, 503, "{method}");
        }
        assert_eq!(call("GET", "/mail/preferences?token=x", Body::empty()).await, 404, "another link");
        waiting.pop();
        get(&app, &link).await;
    }

    async fn a_topic_is_turned_off_and_on(app: TestApp) {
        let mailing = Mailing::start(&app).await;
        let link = eve_waits(&app, &mailing).await;
        let page = press(&app, &link, "off", "backinstock").await;
        assert!(page.contains("name=\"on\" value=\"backinstock\"") && page.contains("Turned off"), "{page}");
        assert_eq!(list(&app).await[0]["state"], "suppressed");
        assert_eq!(restock(&app, &mailing).await, 1);
        press(&app, &link, "off", "pricedrop").await;
        press(&app, &link, "on", "backinstock").await;
        assert_eq!(restock(&app, &mailing).await, 2);
        assert!(get(&app, &link).await.contains("name=\"on\" value=\"pricedrop\""));
        app.assert_sound().await;
    }

    async fn everything_is_stopped_and_begins_again(app: TestApp) {
        let mailing = Mailing::start(&app).await;
        let link = eve_waits(&app, &mailing).await;
        press(&app, &link, "off", "lowstock").await;
        let page = press(&app, &link, "off", "all").await;
        assert!(!page.contains("name=\"off\"") && page.contains("Oak chair"), "{page}");
        // A page that was open before does not turn everything on.
        post(&app, &link, "on=backinstock".to_owned()).await;
        assert_eq!(restock(&app, &mailing).await, 1);
        let bob = app.shopper("bob").await;
        let lid = bob.list("Mine").await;
        bob.post("lists/emailList", &[("lid", &lid), ("toemail", "eve@example.com")]).await.ok();
        mailing.work(&app).await;
        assert_eq!(mailing.recipients().len(), 1);
        let page = press(&app, &link, "on", "all").await;
        assert!(page.contains("name=\"on\" value=\"lowstock\"") && page.contains("name=\"off\" value=\"backinstock\""), "{page}");
        assert_eq!(restock(&app, &mailing).await, 2);
        app.assert_sound().await;
    }

    async fn a_digest_is_turned_on_and_off(app: TestApp) {
        let mailing = Mailing::start(&app).await;
        let link = eve_waits(&app, &mailing).await;
        assert!(!get(&app, &link).await.contains("value=\"digest\""), "the address is no shopper's");
        let eve = app.shopper("eve").await;
        eve.post("user/save", &[("fname", "Eve")]).await.ok();
        press(&app, &link, "on", "digest").await;
        assert_eq!(restock(&app, &mailing).await, 2);
        subscribe(&app, "eve", "backinstock", &[]).await.ok();
        assert_eq!(restock(&app, &mailing).await, 2, "a day after the first");
        press(&app, &link, "off", "digest").await;
        mailing.work(&app).await;
        assert_eq!(mailing.recipients().len(), 3, "at once");
        app.assert_sound().await;
    }

    async fn reminders_are_turned_off_without_consent_being_withdrawn(app: TestApp) {
        let mailing = Mailing::start(&app).await;
        let link = eve_waits(&app, &mailing).await;
        let eve = app.shopper("eve").await;
        let lid = eve.list("Summer").await;
        app.store_admin().stock(1, json!(5)).await;
        mailing.work(&app).await;
        let sent = mailing.recipients().len();
        eve.add(&lid, &[1]).await;
        assert!(!get(&app, &link).await.contains("value=\"reminder\""), "the store sends none");
        set(&app, AlertSettingsChange { reminder_days: Some(Some(1)), ..Default::default() }).await;
        assert!(!get(&app, &link).await.contains("value=\"reminder\""), "she has not agreed to any");
        eve.post("user/save", &[("acceptMarketing", "true")]).await.ok();
        press(&app, &link, "off", "reminder").await;
        let remind = async |queued_only: bool| {
            app.advance(2 * DAY);
            mailing.node.environment.set_now(app.app.environment.now());
            queue_due(&mailing.node).await.unwrap();
            if !queued_only {
                mailing.work(&app).await;
            }
            mailing.recipients().len() - sent
        };
        assert_eq!(remind(false).await, 0);
        press(&app, &link, "on", "reminder").await;
        // One waits to be sent while she turns them off.
        remind(true).await;
        press(&app, &link, "off", "reminder").await;
        mailing.work(&app).await;
        assert_eq!(mailing.recipients().len() - sent, 0);
        press(&app, &link, "on", "reminder").await;
        app.advance(1);
        eve.add(&lid, &[2]).await;
        assert_eq!(remind(false).await, 1);
        app.assert_sound().await;
    }

    async fn a_link_is_of_one_address_in_one_store(app: TestApp) {
        let mailing = Mailing::start(&app).await;
        let link = eve_waits(&app, &mailing).await;
        let token = link.split_once('=').unwrap().1.to_owned();
        let mut broken = token.clone();
        broken.replace_range(20..21, if &token[20..21] == "A" { "B" } else { "A" });
        let text = mailing.smtp.mails()[0]["text"].as_str().unwrap().to_owned();
        let confirm = text.split("/mail/confirm?token=").nth(1).unwrap().split_whitespace().next().unwrap().to_owned();
        for bad in [broken.as_str(), "", "x", &token[..30], &confirm] {
            for request in [Request::get(format!("/mail/preferences?token={bad}")), Request::post(format!("/mail/preferences?token={bad}"))] {
                let reply = Reply::of(&app.router, request.body(Body::from("off=all")).unwrap()).await;
                assert_eq!(reply.status, 404, "{}", reply.text());
            }
        }
        for page in ["unsubscribe", "confirm"] {
            let request = Request::get(format!("/mail/{page}?token={token}")).body(Body::empty()).unwrap();
            assert_eq!(Reply::of(&app.router, request).await.status, 404, "a link of another kind");
        }
        let reply = Reply::of(&app.router, Request::get(&link).body(Body::empty()).unwrap()).await;
        assert_eq!((reply.header("referrer-policy"), reply.header("x-robots-tag")), (Some("no-referrer"), Some("noindex")));
        assert_eq!(reply.header("cache-control"), Some("no-store"));
        // The same address in another store.
        let other = app.create_store(Settings::default()).await;
        let bob = app.shopper_of(&other, "bob").await;
        bob.post("subscriptions/add", &subscription("backinstock", "eve@example.com", "1")).await.ok();
        mailing.work(&app).await;
        press(&app, &link, "off", "all").await;
        let theirs = path(mailing.smtp.to("eve@example.com").last().unwrap());
        assert!(theirs != link && get(&app, &theirs).await.contains("value=\"all\" class=\"plain\""));
    }

    async fn what_a_stranger_has_asked_for_is_shown_as_not_confirmed_and_can_be_ended(app: TestApp) {
        let mailing = Mailing::start(&app).await;
        let link = eve_waits(&app, &mailing).await;
        let mut fields = subscription("pricedrop", "eve@example.com", "9");
        fields[5].1 = "https://evil.example/";
        app.browser().await.post("subscriptions/add", &fields).await.ok();
        let page = get(&app, &link).await;
        assert!(page.contains("Not confirmed yet") && !page.contains("evil"), "{page}");
        press(&app, &link, "off", "all").await;
        press(&app, &link, "on", "all").await;
        let unconfirmed = list(&app).await.into_iter().find(|row| row["state"] == "unconfirmed").expect("still");
        press(&app, &link, "end", unconfirmed["id"].as_str().unwrap()).await;
        assert_eq!(list(&app).await.len(), 1);
        // Many requests for the same are one, and end together; those for what she waits for are none.
        for epi in ["9", "9", "1"] {
            app.browser().await.post("subscriptions/add", &subscription("backinstock", "eve@example.com", epi)).await.ok();
        }
        assert_eq!(get(&app, &link).await.matches("Not confirmed yet").count(), 1);
        let requests = list(&app).await.into_iter().filter(|row| row["epi"] == 9);
        let shown = requests.map(|row| row["id"].as_str().unwrap().to_owned()).min().unwrap();
        press(&app, &link, "end", &shown).await;
        assert!(!get(&app, &link).await.contains("Not confirmed yet"));
        assert_eq!(list(&app).await.iter().filter(|row| row["epi"] == 9).count(), 0);
    }

    async fn many_alerts_are_on_several_pages(app: TestApp) {
        let mailing = Mailing::start(&app).await;
        let link = eve_waits(&app, &mailing).await;
        let products: Vec<Value> = (100..125).map(|n| json!({ "epi": n, "empi": n, "du": format!("https://shop.example/p/{n}") })).collect();
        for products in products.chunks(5) {
            app.advance(1);
            let fields = [
                ("medium", "email"),
                ("mediumvalue", "eve@example.com"),
                ("products", &json!(products).to_string()),
                ("topics", r#"["backinstock"]"#),
            ];
            app.store_admin().form("/storeadmin/bispa/subscriptions/create", &fields).await.ok();
        }
        let (first, second) = (get(&app, &link).await, get(&app, &format!("{link}&page=2")).await);
        let ends = |page: &str| page.matches("name=\"end\"").count();
        assert_eq!((ends(&first), ends(&second)), (20, 6));
        assert!(first.contains(&format!("?token={}&amp;page=2\"", link.split_once('=').unwrap().1)), "{first}");
        assert!(!first.contains("Oak chair") && second.contains("Oak chair"), "newest first");
        assert!(second.contains("&amp;page=1\"") && !second.contains("&amp;page=3\""));
        let last = format!("{link}&page=2");
        for _ in 0..6 {
            let page = get(&app, &last).await;
            press(&app, &last, "end", value(&page, "end")).await;
        }
        assert_eq!(ends(&get(&app, &last).await), 20, "the first page, since the second has become empty");
        for odd in ["0", "-1", "x", "99999999999999999999", "1000"] {
            get(&app, &format!("{link}&page={odd}")).await;
        }
    }

    async fn the_page_is_in_the_language_of_the_shopper(app: TestApp) {
        let mailing = Mailing::start(&app).await;
        let link = eve_waits(&app, &mailing).await;
        app.shopper("eve").await.post("user/save", &[("language", "de")]).await.ok();
        let page = get(&app, &link).await;
        assert!(page.contains("<html lang=\"de\"") && page.contains("Was du erhältst"), "{page}");
    }

    async fn a_link_outlives_the_person_and_the_alerts(app: TestApp) {
        let mailing = Mailing::start(&app).await;
        let link = eve_waits(&app, &mailing).await;
        app.store_admin().form("/storeadmin/v3/user/erase", &[("useremail", "eve@example.com")]).await.ok();
        assert!(get(&app, &link).await.contains("You aren&#x27;t waiting for any alerts."));
        press(&app, &link, "off", "all").await;
        app.browser().await.post("subscriptions/add", &subscription("backinstock", "eve@example.com", "1")).await.ok();
        mailing.work(&app).await;
        assert_eq!(mailing.recipients().len(), 1, "not even a confirmation");
    }
}
