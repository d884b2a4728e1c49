//! Double opt-in: an address given in a browser is confirmed by its owner.

use axum::body::Body;
use axum::http::Request;
use wishbone_server::jobs::clean_up::clean_some;

use super::*;

async fn get(app: &TestApp, path: &str) -> Reply {
    Reply::of(&app.router, Request::get(path).body(Body::empty()).unwrap()).await
}

async fn post(app: &TestApp, path: &str) -> Reply {
    Reply::of(&app.router, Request::post(path).body(Body::empty()).unwrap()).await
}

/// The states of all subscriptions, sorted.
async fn status(app: &TestApp) -> Vec<String> {
    let rows = app.store_admin().json("/storeadmin/v3/subscriptions/list", &json!({})).await.ok();
    let rows = rows["data"]["subscriptions"].as_array().unwrap().clone();
    let mut states: Vec<String> = rows.iter().map(|row| row["state"].as_str().unwrap().to_owned()).collect();
    states.sort_unstable();
    states
}

/// What was not requested only.
async fn subscriptions(app: &TestApp) -> Vec<Value> {
    let listed = app.store_admin().json("/storeadmin/v3/subscriptions/list", &json!({})).await.ok();
    let records = listed["data"]["subscriptions"].as_array().unwrap();
    records.iter().filter(|record| record["state"] != "unconfirmed").cloned().collect()
}

async fn states(app: &TestApp) -> Vec<String> {
    subscriptions(app).await.iter().map(|record| record["state"].as_str().unwrap().to_owned()).collect()
}

/// The first record of a reply.
fn first(reply: &Value) -> &Value {
    &reply["subscriptions"][0]
}

both_engines! {
    async fn a_record_tells_that_it_waits_for_its_confirmation(app: TestApp) {
        let mailing = Mailing::start(&app).await;
        let guest = app.browser().await;
        let fields = subscription("backinstock", "eve@example.com", "1");
        let made = guest.post("subscriptions/add", &fields).await.ok();
        assert_eq!((&first(&made)["unconfirmed"], &first(&made)["status"]), (&json!(true), &json!(0)));
        assert_eq!(fetch_one(&guest, "backinstock").await["unconfirmed"], true);
        mailing.work(&app).await;
        let confirm = confirm_path(&mailing.smtp.to("eve@example.com")[0]);
        // The same for an address that a stranger has given before, and for one whose owner waits already.
        subscribe(&app, "ann", "backinstock", &[]).await.ok();
        for address in ["eve@example.com", "ann@example.com"] {
            let fields = subscription("backinstock", address, "1");
            let shown = app.browser().await.post("subscriptions/add", &fields).await.ok();
            assert_eq!(first(&shown)["unconfirmed"], true);
        }
        post(&app, &confirm).await;
        let confirmed = fetch_one(&guest, "backinstock").await;
        assert_eq!((confirmed.get("unconfirmed"), &confirmed["status"]), (None, &json!(0)));
        let again = guest.post("subscriptions/add", &fields).await.ok();
        assert_eq!(first(&again).get("unconfirmed"), None);
        let ann = fetch_one(&app.shopper("ann").await, "backinstock").await;
        assert_eq!(ann.get("unconfirmed"), None, "her own address");
    }

    async fn asking_again_sends_the_confirmation_again(app: TestApp) {
        let mailing = Mailing::start(&app).await;
        let guest = app.browser().await;
        let ask = async |by: &Client, epi: &str| {
            by.post("subscriptions/add", &subscription("backinstock", "eve@example.com", epi)).await
        };
        ask(&guest, "1").await.ok();
        ask(&guest, "1").await.ok();
        mailing.work(&app).await;
        assert_eq!(mailing.recipients().len(), 1, "the first is still on its way");
        app.advance(MINUTE);
        ask(&guest, "1").await.ok();
        mailing.work(&app).await;
        assert_eq!(mailing.recipients().len(), 2);
        // Another alert of the same address is confirmed by the link that was sent, until she asks for it again.
        ask(&guest, "2").await.ok();
        mailing.work(&app).await;
        assert_eq!(mailing.recipients().len(), 2);
        app.advance(MINUTE);
        ask(&guest, "2").await.ok();
        mailing.work(&app).await;
        assert_eq!(mailing.recipients().len(), 3);
        let before = fetch_one(&guest, "backinstock").await;
        app.advance(MINUTE);
        ask(&app.shopper("mallory").await, "1").await.ok();
        mailing.work(&app).await;
        assert_eq!(mailing.recipients().len(), 4, "a stranger's link is for the stranger's");
        assert_eq!(fetch_one(&guest, "backinstock").await, before, "which changes nothing of hers");
        app.advance(MINUTE);
        ask(&guest, "1").await.ok();
        mailing.work(&app).await;
        app.advance(MINUTE);
        ask(&guest, "1").await.fails(429, "rate-limited");
        assert_eq!(mailing.recipients().len(), 5, "the limit of an address");
        post(&app, &confirm_path(&mailing.smtp.mails()[0])).await;
        app.advance(2 * DAY);
        ask(&guest, "1").await.ok();
        mailing.work(&app).await;
        assert_eq!(mailing.recipients().len(), 5, "nothing is left to confirm");
    }

    async fn a_request_that_is_repeated_lives_as_long_as_its_last_link(app: TestApp) {
        let mailing = Mailing::start(&app).await;
        let guest = app.browser().await;
        for _ in 0..2 {
            guest.post("subscriptions/add", &subscription("backinstock", "eve@example.com", "1")).await.ok();
            mailing.work(&app).await;
            app.advance(6 * DAY);
            while clean_some(&app.app).await.unwrap() != Rest::UntilWoken {}
        }
        assert_eq!(post(&app, &confirm_path(&mailing.smtp.mails()[1])).await.status, 200);
        assert_eq!(status(&app).await, ["waiting"]);
    }

    async fn the_page_leads_back_to_the_shop_and_its_products(app: TestApp) {
        let mailing = Mailing::start(&app).await;
        chair(&app).await;
        let alerts = AlertSettingsChange {
            logo: Some(Some("https://cdn.example/logo.png".to_owned())),
            ..AlertSettingsChange::default()
        };
        let allowed_origins = Some(vec!["https://shop.example".to_owned()]);
        app.set(SettingsChange { allowed_origins, alerts, ..SettingsChange::default() }).await;
        let guest = app.browser().await;
        for (epi, du) in [("1", "https://evil.example/1"), ("2", "https://evil.example/2"), ("3", "https://shop.example/p/3")] {
            let mut fields = subscription("backinstock", "eve@example.com", epi);
            fields[5].1 = du;
            guest.post("subscriptions/add", &fields).await.ok();
        }
        mailing.work(&app).await;
        let path = confirm_path(&mailing.smtp.mails()[0]);
        let (product, given) = ("https://shop.example/p/1", "https://shop.example/p/3");
        for (page, linked) in [(get(&app, &path).await, vec![product]), (post(&app, &path).await, vec![product, given])] {
            let policy = page.header("content-security-policy").unwrap().to_owned();
            assert!(policy.ends_with("; img-src https://cdn.example"), "{policy}");
            let html = page.text().replace("&#x2f;", "/");
            let links: Vec<&str> =
                html.split("href=\"").skip(1).map(|rest| rest.split('"').next().unwrap()).collect();
            let mut sorted = links.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, [vec!["https://shop.example/"], linked].concat(), "{html}");
            assert!(html.contains("<img src=\"https://cdn.example/logo.png\" alt=\"Test\">"), "{html}");
        }
    }

    async fn an_address_given_by_a_guest_is_confirmed_by_its_owner(app: TestApp) {
        let mailing = Mailing::start(&app).await;
        chair(&app).await;
        let guest = app.browser().await;
        let made = guest.post("subscriptions/add", &subscription("backinstock", "Eve@Example.com", "1")).await.ok();
        let record = &made["subscriptions"][0];
        assert_eq!((&record["mediumvalue"], &record["status"], &record["epi"]), (&json!("XXXXXX"), &json!(0), &json!(1)));
        mailing.work(&app).await;
        let [mail] = &mailing.smtp.to("eve@example.com")[..] else { panic!("one mail") };
        assert!(mail["text"].as_str().unwrap().contains("Oak chair"));
        assert!(mail["headers"].get("list-unsubscribe").is_none());
        stock(&app, json!(1)).await;
        mailing.work(&app).await;
        assert_eq!(mailing.recipients().len(), 1, "no alert to an address that nobody confirmed");
        let path = confirm_path(mail);
        let page = get(&app, &path).await;
        assert_eq!(page.status, 200);
        assert!(page.text().contains("Oak chair") && page.text().contains("<form"), "{}", page.text());
        assert_eq!(status(&app).await, ["unconfirmed"], "looking changes nothing");
        assert_eq!(post(&app, &path).await.status, 200);
        assert_eq!(status(&app).await, ["waiting"]);
        assert_eq!(post(&app, &path).await.status, 200, "again is no error");
        stock(&app, json!(0)).await;
        stock(&app, json!(1)).await;
        app.advance(20 * MINUTE);
        mailing.work(&app).await;
        assert_eq!(mailing.recipients(), ["eve@example.com", "eve@example.com"]);
        app.assert_sound().await;
    }

    async fn mails_are_in_the_language_of_the_guest_who_subscribed(app: TestApp) {
        let mailing = Mailing::start(&app).await;
        chair(&app).await;
        let guest = app.browser().await;
        guest.post("user/save", &[("language", "de")]).await.ok();
        guest.post("subscriptions/add", &subscription("backinstock", "eve@example.com", "1")).await.ok();
        mailing.work(&app).await;
        let path = confirm_path(&mailing.smtp.mails()[0]);
        assert!(get(&app, &path).await.text().contains("<html lang=\"de\""));
        post(&app, &path).await;
        // A stranger who gives the same address does not change it.
        let stranger = app.browser().await;
        stranger.post("user/save", &[("language", "fr")]).await.ok();
        stranger.post("subscriptions/add", &subscription("pricedrop", "eve@example.com", "1")).await.ok();
        stock(&app, json!(1)).await;
        mailing.work(&app).await;
        let mails = mailing.smtp.mails();
        let languages: Vec<bool> = mails.iter().map(|mail| mail["html"].as_str().unwrap().contains("lang=\"de\"")).collect();
        assert_eq!(languages, vec![true; mails.len()]);
        // Nor of a shopper who has saved none, nor with a list that is mailed.
        app.shopper("ann").await;
        stranger.post("subscriptions/add", &subscription("pricedrop", "ann@example.com", "1")).await.ok();
        subscribe(&app, "ann", "backinstock", &[]).await.ok();
        let lid = app.shopper("bob").await.list("Summer").await;
        app.shopper("bob").await.post("lists/emailList", &[("lid", &lid), ("toemail", "ann@example.com")]).await.ok();
        app.advance(20 * MINUTE);
        stock(&app, json!(0)).await;
        stock(&app, json!(5)).await;
        mailing.work(&app).await;
        let to_ann = mailing.smtp.to("ann@example.com");
        let english = to_ann.iter().filter(|mail| mail["html"].as_str().unwrap().contains("lang=\"en\"")).count();
        assert_eq!((to_ann.len(), english), (3, 3));
        // What the owner of the address has saved wins.
        app.shopper("eve").await.post("user/save", &[("language", "nl")]).await.ok();
        assert!(get(&app, &path).await.text().contains("<html lang=\"nl\""));
    }

    async fn the_store_sees_why_a_confirmation_did_not_arrive(app: TestApp) {
        let mailing = Mailing::start(&app).await;
        app.browser().await.post("subscriptions/add", &subscription("backinstock", "never@example.com", "1")).await.ok();
        mailing.work(&app).await;
        let listed = app.store_admin().json("/storeadmin/v3/subscriptions/list", &json!({})).await.ok();
        let record = &listed["data"]["subscriptions"][0];
        assert_eq!(record["state"], "unconfirmed");
        assert!(record["lasterror"].as_str().unwrap().contains("nobody here"), "{record}");
    }

    async fn a_tampered_or_expired_link_changes_nothing(app: TestApp) {
        let mailing = Mailing::start(&app).await;
        let guest = app.browser().await;
        guest.post("subscriptions/add", &subscription("backinstock", "eve@example.com", "1")).await.ok();
        mailing.work(&app).await;
        let path = confirm_path(&mailing.smtp.mails()[0]);
        let token = path.split_once('=').unwrap().1;
        let mut broken = token.to_owned();
        let last = if broken.ends_with('A') { 'B' } else { 'A' };
        broken.replace_range(broken.len() - 10..broken.len() - 9, &last.to_string());
        for bad in [broken.as_str(), "", "x", &token[..20]] {
            for reply in [get(&app, &format!("/mail/confirm?token={bad}")).await, post(&app, &format!("/mail/confirm?token={bad}")).await] {
                assert_eq!(reply.status, 404, "{}", reply.text());
                assert!(reply.text().contains("<html"), "a page for people");
            }
        }
        // A link of another kind is none.
        assert_eq!(get(&app, &format!("/mail/unsubscribe?token={token}")).await.status, 404);
        assert_eq!(status(&app).await, ["unconfirmed"]);
        app.advance(7 * DAY);
        assert_eq!(post(&app, &path).await.status, 404);
        assert_eq!(status(&app).await, ["unconfirmed"]);
    }

    async fn shoppers_who_are_logged_in_need_not_confirm_their_own_address(app: TestApp) {
        let mailing = Mailing::start(&app).await;
        chair(&app).await;
        let ann = app.shopper("ann").await;
        let without_address: Vec<_> =
            subscription("backinstock", "", "1").into_iter().filter(|(name, _)| *name != "mediumvalue").collect();
        let made = ann.post("subscriptions/add", &without_address).await.ok();
        let record = &made["subscriptions"][0];
        assert_eq!((&record["mediumvalue"], &record["cby"]), (&json!("ann@example.com"), &json!("ann@example.com")));
        // Somebody else's address is not the shopper's to confirm.
        ann.post("subscriptions/add", &subscription("backinstock", "ben@example.com", "1")).await.ok();
        assert_eq!(status(&app).await, ["unconfirmed", "waiting"]);
        mailing.work(&app).await;
        assert_eq!(mailing.recipients(), ["ben@example.com"]);
    }

    async fn a_guest_who_logs_in_with_the_address_need_not_confirm_it(app: TestApp) {
        let mailing = Mailing::start(&app).await;
        without_interval(&app).await;
        chair(&app).await;
        let (guest, stranger) = (app.guest().await, app.browser().await);
        guest.post("subscriptions/add", &subscription("backinstock", "ann@example.com", "1")).await.ok();
        guest.post("subscriptions/add", &subscription("backinstock", "ben@example.com", "1")).await.ok();
        stranger.post("subscriptions/add", &subscription("pricedrop", "ann@example.com", "1")).await.ok();
        let fields = [("regid", guest.regid.as_str()), ("useremail", "ann@example.com"), ("useragenttype", "undefined")];
        app.store_admin().form("/storeadmin/v3/user/guest-validate-sync", &fields).await.ok();
        let listed = app.store_admin().json("/storeadmin/v3/subscriptions/list", &json!({ "state": "waiting" })).await.ok();
        let confirmed = listed["data"]["subscriptions"].as_array().unwrap();
        assert_eq!(confirmed.len(), 1, "neither another address nor the wish of somebody else: {listed}");
        assert_eq!((&confirmed[0]["mediumvalue"], &confirmed[0]["topic"]), (&json!("ann@example.com"), &json!("backinstock")));
        mailing.work(&app).await;
        stock(&app, json!(5)).await;
        mailing.work(&app).await;
        let alerts = mailing.smtp.to("ann@example.com").len();
        assert_eq!((alerts, status(&app).await.iter().filter(|state| *state == "sent").count()), (3, 1));
        app.assert_sound().await;
    }

    async fn a_shopper_takes_over_what_was_requested_before_the_login_and_goes_on(app: TestApp) {
        chair(&app).await;
        let guest = app.guest().await;
        for epi in ["1", "2"] {
            guest.post("subscriptions/add", &subscription("backinstock", "ann@example.com", epi)).await.ok();
        }
        let ann = app.shopper("ann").await;
        for epi in ["1", "2", "3"] {
            ann.post("subscriptions/add", &subscription("backinstock", "ann@example.com", epi)).await.ok();
        }
        let found = ann.post("subscriptions/fetch-subs", &[("topic", "backinstock")]).await.ok();
        assert_eq!(found["total"], 3);
        assert_eq!(states(&app).await, ["waiting"; 3]);
        app.assert_sound().await;
    }

    async fn a_stranger_changes_nothing_of_a_shoppers_subscription(app: TestApp) {
        let mailing = Mailing::start(&app).await;
        without_interval(&app).await;
        chair(&app).await;
        let mut evil = subscription("backinstock", "never@example.com", "1");
        evil.extend([("quantity", "1000000")]);
        evil.retain(|(name, _)| *name != "du");
        evil.push(("du", "https://evil.example/"));
        subscribe(&app, "never", "backinstock", &[]).await.ok();
        stock(&app, json!(1)).await;
        mailing.work(&app).await;
        let failed = subscriptions(&app).await;
        assert_eq!(failed[0]["state"], "failed");
        app.browser().await.post("subscriptions/add", &evil).await.ok();
        assert_eq!(subscriptions(&app).await, failed, "it stays on the list of failures");

        stock(&app, json!(0)).await;
        subscribe(&app, "ann", "backinstock", &[]).await.ok();
        stock(&app, json!(1)).await;
        mailing.work(&app).await;
        evil[2] = ("mediumvalue", "ann@example.com");
        for _ in 0..2 {
            app.browser().await.post("subscriptions/add", &evil).await.ok();
        }
        let anns = fetch_one(&app.shopper("ann").await, "backinstock").await;
        assert_eq!((&anns["du"], &anns["quantity"]), (&json!("https://shop.example/p/1"), &json!(null)));
    }

    async fn a_stranger_who_asks_for_what_was_sent_changes_nothing(app: TestApp) {
        let mailing = Mailing::start(&app).await;
        without_interval(&app).await;
        chair(&app).await;
        subscribe(&app, "ann", "backinstock", &[]).await.ok();
        let eve = app.browser().await;
        eve.post("subscriptions/add", &subscription("backinstock", "eve@example.com", "1")).await.ok();
        mailing.work(&app).await;
        post(&app, &confirm_path(&mailing.smtp.mails()[0])).await;
        stock(&app, json!(5)).await;
        mailing.work(&app).await;
        assert_eq!(status(&app).await, ["sent"; 2]);
        let before = subscriptions(&app).await;
        for address in ["ann@example.com", "eve@example.com"] {
            for stranger in [app.browser().await, app.shopper("mallory").await] {
                app.advance(MINUTE);
                let known = stranger.post("subscriptions/add", &subscription("backinstock", address, "1")).await.ok();
                let unknown = stranger.post("subscriptions/add", &subscription("backinstock", "nobody@example.com", "1")).await.ok();
                let shown = |reply: &Value| reply["subscriptions"][0]["status"].clone();
                assert_eq!((shown(&known), shown(&unknown)), (json!(0), json!(0)));
                assert_eq!(subscriptions(&app).await, before);
            }
        }
        app.advance(8 * DAY);
        while clean_some(&app.app).await.unwrap() != Rest::UntilWoken {}
        assert_eq!((subscriptions(&app).await, status(&app).await.len()), (before, 2), "what nobody confirmed is over");
        app.assert_sound().await;
    }

    async fn what_was_sent_starts_anew_when_its_owner_confirms_it_from_another_device(app: TestApp) {
        let mailing = Mailing::start(&app).await;
        without_interval(&app).await;
        chair(&app).await;
        let eve = app.browser().await;
        eve.post("subscriptions/add", &subscription("backinstock", "eve@example.com", "1")).await.ok();
        mailing.work(&app).await;
        let first = confirm_path(&mailing.smtp.mails()[0]);
        post(&app, &first).await;
        stock(&app, json!(5)).await;
        mailing.work(&app).await;
        app.advance(2 * DAY);
        for _ in 0..3 {
            let device = app.browser().await;
            device.post("subscriptions/add", &subscription("backinstock", "eve@example.com", "1")).await.ok();
            app.advance(MINUTE);
            mailing.work(&app).await;
        }
        let mails = mailing.smtp.mails();
        assert_eq!(mails.len(), 5, "a confirmation for each request");
        let path = confirm_path(&mails[4]);
        let page = get(&app, &path).await.text();
        assert!(page.contains("Oak chair") && page.contains("<form"), "{page}");
        assert_eq!(states(&app).await, ["sent"], "looking changes nothing");
        assert_eq!(post(&app, &path).await.status, 200);
        assert_eq!(status(&app).await, ["unconfirmed", "unconfirmed", "waiting"], "the others are not confirmed");
        stock(&app, json!(0)).await;
        stock(&app, json!(5)).await;
        mailing.work(&app).await;
        assert_eq!(mailing.smtp.mails().len(), 6);
        post(&app, &path).await;
        assert_eq!(status(&app).await, ["sent", "unconfirmed", "unconfirmed"], "once");
        // Her own hand asks anew, too.
        eve.post("subscriptions/add", &subscription("backinstock", "eve@example.com", "1")).await.ok();
        assert_eq!(status(&app).await, ["sent", "unconfirmed", "unconfirmed", "unconfirmed"]);
        app.assert_sound().await;
    }

    async fn limits_do_not_tell_whether_an_alert_was_sent(app: TestApp) {
        let mailing = Mailing::start(&app).await;
        chair(&app).await;
        subscribe(&app, "ann", "backinstock", &[]).await.ok();
        stock(&app, json!(1)).await;
        mailing.work(&app).await;
        let stranger = app.browser().await;
        for address in ["ann@example.com", "nobody@example.com"] {
            for _ in 0..2 {
                stranger.post("subscriptions/add", &subscription("backinstock", address, "1")).await.ok();
            }
        }
        for n in 0..8 {
            stranger.post("subscriptions/add", &subscription("backinstock", &format!("a{n}@example.com"), "1")).await.ok();
        }
        stranger.post("subscriptions/add", &subscription("backinstock", "b@example.com", "1")).await.fails(429, "rate-limited");
    }

    async fn a_pending_request_changes_only_by_the_hand_that_made_it(app: TestApp) {
        let mailing = Mailing::start(&app).await;
        without_interval(&app).await;
        chair(&app).await;
        let request = async |by: &Client, du: &str, quantity: &str| {
            let mut fields = subscription("backinstock", "eve@example.com", "1");
            fields.retain(|(name, _)| *name != "du");
            fields.extend([("du", du), ("quantity", quantity), ("targetprice", "1")]);
            by.post("subscriptions/add", &fields).await.ok()["subscriptions"][0].clone()
        };
        let stored = async || {
            let listed = app.store_admin().json("/storeadmin/v3/subscriptions/list", &json!({})).await.ok();
            listed["data"]["subscriptions"][0].clone()
        };
        let eve = app.browser().await;
        request(&eve, "https://shop.example/p/7", "2").await;
        request(&eve, "https://shop.example/p/8", "1").await;
        let before = stored().await;
        assert_eq!((&before["du"], &before["quantity"]), (&json!("https://shop.example/p/8"), &json!(1)), "her own hand");
        mailing.work(&app).await;
        let id = before["id"].clone();
        let stored = async || {
            let listed = app.store_admin().json("/storeadmin/v3/subscriptions/list", &json!({})).await.ok();
            let records = listed["data"]["subscriptions"].as_array().unwrap().clone();
            records.into_iter().find(|record| record["id"] == id).unwrap()
        };
        // A guest and a shopper who is logged in see what they asked for, and change nothing.
        for stranger in [app.browser().await, app.shopper("mallory").await] {
            let shown = request(&stranger, "https://evil.example/", "1000000").await;
            assert_eq!((&shown["du"], &shown["quantity"]), (&json!("https://evil.example/"), &json!(1_000_000)));
            assert_eq!(stored().await, before);
        }
        mailing.work(&app).await;
        post(&app, &confirm_path(&mailing.smtp.mails()[0])).await;
        stock(&app, json!(1)).await;
        mailing.work(&app).await;
        assert_eq!(mailing.recipients(), ["eve@example.com"; 4], "three confirmations, and the alert");
        assert!(mailing.smtp.mails().iter().all(|mail| !mail["raw"].as_str().unwrap().contains("evil")));
    }

    async fn nobody_silences_what_somebody_else_asks_for(app: TestApp) {
        let mailing = Mailing::start(&app).await;
        without_interval(&app).await;
        chair(&app).await;
        let evil: [&[(&str, &str)]; 2] = [&[("quantity", "1000000")], &[("targetprice", "0.01")]];
        let mut strangers = Vec::new();
        for conditions in evil {
            let mut fields = subscription("backinstock", "eve@example.com", "1");
            fields.extend_from_slice(conditions);
            strangers.push(app.browser().await);
            strangers.last().unwrap().post("subscriptions/add", &fields).await.ok();
            app.advance(MINUTE);
            mailing.work(&app).await;
        }
        // Of the mails that she did not ask for, she answers one.
        post(&app, &confirm_path(&mailing.smtp.mails()[0])).await;
        assert_eq!(status(&app).await, ["unconfirmed", "waiting"]);
        let eve = app.browser().await;
        let mut fields = subscription("backinstock", "eve@example.com", "1");
        fields.push(("quantity", "2"));
        eve.post("subscriptions/add", &fields).await.ok();
        mailing.work(&app).await;
        let path = confirm_path(&mailing.smtp.mails()[2]);
        assert_eq!(get(&app, &path).await.text().matches("Oak chair").count(), 1, "only what she has asked for");
        post(&app, &path).await;
        assert_eq!(status(&app).await, ["unconfirmed", "waiting"]);
        for stranger in &strangers {
            stranger.post("subscriptions/remove", &[("epi", "1"), ("topic", "backinstock")]).await.ok();
        }
        assert_eq!(fetch_one(&eve, "backinstock").await["quantity"], 2);
        stock(&app, json!(2)).await;
        mailing.work(&app).await;
        assert_eq!((mailing.recipients().len(), status(&app).await), (4, vec!["sent".to_owned()]));
        app.assert_sound().await;
    }

    async fn a_request_with_more_conditions_does_not_replace_what_is_waited_for(app: TestApp) {
        let mailing = Mailing::start(&app).await;
        without_interval(&app).await;
        chair(&app).await;
        let (eve, stranger) = (app.browser().await, app.browser().await);
        let fields = subscription("backinstock", "eve@example.com", "1");
        eve.post("subscriptions/add", &fields).await.ok();
        mailing.work(&app).await;
        post(&app, &confirm_path(&mailing.smtp.mails()[0])).await;
        stranger.post("subscriptions/add", &fields).await.ok();
        mailing.work(&app).await;
        let stricter = [&fields[..], &[("quantity", "1000000")]].concat();
        stranger.post("subscriptions/add", &stricter).await.ok();
        post(&app, &confirm_path(&mailing.smtp.mails()[1])).await;
        assert_eq!(status(&app).await, ["waiting"]);
        assert_eq!(fetch_one(&eve, "backinstock").await.get("quantity"), None);
        stock(&app, json!(5)).await;
        mailing.work(&app).await;
        assert_eq!(mailing.recipients().len(), 3);
        app.assert_sound().await;
    }

    async fn what_the_shopper_begins_anew_after_a_login_stays_after_its_undo(app: TestApp) {
        let mailing = Mailing::start(&app).await;
        without_interval(&app).await;
        chair(&app).await;
        let guest = app.guest().await;
        for epi in ["1", "2"] {
            guest.post("subscriptions/add", &subscription("backinstock", "ann@example.com", epi)).await.ok();
        }
        mailing.work(&app).await;
        post(&app, &confirm_path(&mailing.smtp.mails()[0])).await;
        stock(&app, json!(5)).await;
        mailing.work(&app).await;
        let fields = [("regid", guest.regid.as_str()), ("useremail", "ann@example.com"), ("useragenttype", "undefined")];
        app.store_admin().form("/storeadmin/v3/user/guest-validate-sync", &fields).await.ok();
        let ann = app.shopper("ann").await;
        ann.post("subscriptions/add", &subscription("backinstock", "ann@example.com", "1")).await.ok();
        app.store_admin().form("/storeadmin/v3/user/undo-merge", &fields[..2]).await.ok();
        let epis = async |by: &Client| {
            let found = by.post("subscriptions/fetch-subs", &[("topic", "backinstock")]).await.ok();
            found["subscriptions"].as_array().unwrap().iter().map(|row| row["epi"].clone()).collect::<Vec<_>>()
        };
        assert_eq!(epis(&ann).await, [1]);
        let left = app.store_admin().json("/storeadmin/v3/subscriptions/list", &json!({})).await.ok();
        assert_eq!(left["data"]["subscriptions"].as_array().unwrap().len(), 2);
        app.assert_sound().await;
    }

    async fn who_logs_in_takes_over_what_somebody_else_made_for_the_address(app: TestApp) {
        let mailing = Mailing::start(&app).await;
        without_interval(&app).await;
        chair(&app).await;
        let stranger = app.browser().await;
        let mut fields = subscription("backinstock", "ann@example.com", "1");
        fields.push(("quantity", "1000000"));
        stranger.post("subscriptions/add", &fields).await.ok();
        mailing.work(&app).await;
        post(&app, &confirm_path(&mailing.smtp.mails()[0])).await;
        app.advance(MINUTE);
        let ann = app.shopper("ann").await;
        ann.post("subscriptions/add", &subscription("backinstock", "ann@example.com", "1")).await.ok();
        let removed = stranger.post("subscriptions/remove", &[("epi", "1"), ("topic", "backinstock")]).await.ok();
        assert_eq!(removed["subscriptions"], json!([]), "it is not the stranger's any more");
        assert_eq!(fetch_one(&ann, "backinstock").await.get("quantity"), None);
        // What she waits for, logged in, stays hers when she confirms the same as a guest.
        let guest = app.browser().await;
        guest.post("subscriptions/add", &fields).await.ok();
        mailing.work(&app).await;
        assert_eq!(post(&app, &confirm_path(&mailing.smtp.mails()[1])).await.status, 200);
        assert_eq!(status(&app).await, ["waiting"]);
        assert_eq!(fetch_one(&ann, "backinstock").await.get("quantity"), None);
        app.assert_sound().await;
    }

    async fn a_link_confirms_what_the_guest_has_taken_along_to_an_account(app: TestApp) {
        let mailing = Mailing::start(&app).await;
        let guest = app.guest().await;
        guest.post("subscriptions/add", &subscription("backinstock", "friend@example.com", "1")).await.ok();
        mailing.work(&app).await;
        let fields = [("regid", guest.regid.as_str()), ("useremail", "ann@example.com"), ("useragenttype", "undefined")];
        app.store_admin().form("/storeadmin/v3/user/guest-validate-sync", &fields).await.ok();
        post(&app, &confirm_path(&mailing.smtp.mails()[0])).await;
        assert_eq!(status(&app).await, ["waiting"]);
    }

    async fn of_a_request_of_the_guest_and_of_the_shopper_one_stays(app: TestApp) {
        let (guest, ann) = (app.guest().await, app.shopper("ann").await);
        for (by, epi) in [(&guest, "1"), (&guest, "2"), (&ann, "1"), (&ann, "3")] {
            by.post("subscriptions/add", &subscription("backinstock", "friend@example.com", epi)).await.ok();
        }
        let fields = [("regid", guest.regid.as_str()), ("useremail", "ann@example.com"), ("useragenttype", "undefined")];
        let merged = app.store_admin().form("/storeadmin/v3/user/guest-validate-sync", &fields).await.ok();
        assert_eq!(merged.get("leftsubscriptions"), None, "{merged}");
        let found = ann.post("subscriptions/fetch-subs", &[("topic", "backinstock")]).await.ok();
        let mut epis: Vec<i64> = found["subscriptions"].as_array().unwrap().iter().map(|row| row["epi"].as_i64().unwrap()).collect();
        epis.sort_unstable();
        assert_eq!(epis, [1, 2, 3]);
        app.assert_sound().await;
    }

    async fn the_page_tells_how_many_are_confirmed_and_that_a_link_has_expired(app: TestApp) {
        let mailing = Mailing::start(&app).await;
        let guest = app.browser().await;
        for epi in 1..=23 {
            guest.post("subscriptions/add", &subscription("backinstock", "eve@example.com", &epi.to_string())).await.ok();
            app.advance(100);
        }
        mailing.work(&app).await;
        let path = confirm_path(&mailing.smtp.mails()[0]);
        assert!(get(&app, &path).await.text().contains("3 more products"));
        for epi in 1..=23 {
            let fields = [("epi", epi.to_string()), ("topic", "backinstock".into()), ("medium", "email".into())];
            let fields: Vec<(&str, &str)> = fields.iter().map(|(name, value)| (*name, value.as_str())).collect();
            guest.post("subscriptions/remove", &fields).await.ok();
            app.advance(100);
        }
        let gone = get(&app, &path).await;
        assert_eq!(gone.status, 404);
        assert!(gone.text().contains("expired") && !gone.text().contains("<form"), "{}", gone.text());
    }

    async fn the_store_sees_who_made_a_subscription(app: TestApp) {
        chair(&app).await;
        let ann = app.shopper("ann").await;
        ann.post("subscriptions/add", &subscription("backinstock", "friend@example.com", "1")).await.ok();
        app.browser().await.post("subscriptions/add", &subscription("pricedrop", "friend@example.com", "1")).await.ok();
        let list = async |topic: &str| {
            let listed = app.store_admin().json("/storeadmin/v3/subscriptions/list", &json!({ "topic": topic })).await.ok();
            listed["data"]["subscriptions"][0].clone()
        };
        let made = list("backinstock").await;
        assert_eq!((&made["cby"], &made["uby"]), (&json!("ann@example.com"), &json!("ann@example.com")));
        assert!(list("pricedrop").await.get("cby").is_none(), "a guest has no address");
    }

    async fn one_confirmation_is_for_all_that_a_shopper_asks_for(app: TestApp) {
        let mailing = Mailing::start(&app).await;
        let guest = app.browser().await;
        for epi in ["1", "2", "3", "4"] {
            guest.post("subscriptions/add", &subscription("backinstock", "eve@example.com", epi)).await.ok();
            guest.post("subscriptions/add", &subscription("backinstock", "eve@example.com", epi)).await.ok();
            app.advance(1_000);
        }
        mailing.work(&app).await;
        app.browser().await.post("subscriptions/add", &subscription("backinstock", "eve@example.com", "5")).await.ok();
        mailing.work(&app).await;
        assert_eq!(mailing.recipients(), ["eve@example.com"; 2], "one each, however often while it is on its way");
        post(&app, &confirm_path(&mailing.smtp.mails()[0])).await;
        assert_eq!(status(&app).await, ["unconfirmed", "waiting", "waiting", "waiting", "waiting"]);
    }

    async fn nobody_can_flood_a_mailbox_with_confirmations(app: TestApp) {
        let mailing = Mailing::start(&app).await;
        let mut accepted = 0;
        for n in 0..8 {
            let guest = app.browser().await;
            let epi = (n + 1).to_string();
            let reply = guest.post("subscriptions/add", &subscription("backinstock", "eve@example.com", &epi)).await;
            if reply.status == 200 {
                accepted += 1;
            } else {
                reply.fails(429, "rate-limited");
                assert!(reply.header("retry-after").is_some());
            }
            // The attacker removes what is pending, so that the next one asks again.
            guest.post("subscriptions/remove", &[("epi", &epi), ("topic", "backinstock"), ("medium", "email")]).await.ok();
        }
        mailing.work(&app).await;
        assert_eq!((accepted, mailing.recipients().len()), (5, 5));
        app.advance(DAY);
        let guest = app.browser().await;
        guest.post("subscriptions/add", &subscription("backinstock", "eve@example.com", "1")).await.ok();
    }

    async fn a_guest_learns_nothing_of_somebody_elses_subscription(app: TestApp) {
        chair(&app).await;
        subscribe(&app, "ann", "backinstock", &[("quantity", "3")]).await.ok();
        app.advance(MINUTE);
        let guest = app.browser().await;
        let fields = subscription("backinstock", "ann@example.com", "1");
        let theirs = guest.post("subscriptions/add", &fields).await.ok();
        let fresh = guest.post("subscriptions/add", &subscription("backinstock", "nobody@example.com", "1")).await.ok();
        assert_eq!(theirs, fresh, "the same answer, whether the address is known or not");
        let found = guest.post("subscriptions/fetch-subs", &[("topic", "backinstock")]).await.ok();
        assert_eq!(found["subscriptions"], json!([first(&fresh), first(&theirs)]), "nor later");
        let removed =
            guest.post("subscriptions/remove", &[("epi", "1"), ("topic", "backinstock"), ("medium", "email")]).await.ok();
        assert_eq!(removed["subscriptions"], json!([first(&theirs), first(&fresh)]), "only the guest's own");
        assert_eq!(fetch_one(&app.shopper("ann").await, "backinstock").await["quantity"], 3);
    }

    async fn a_store_can_do_without_confirmation(app: TestApp) {
        set(&app, AlertSettingsChange { confirm_addresses: Some(false), ..Default::default() }).await;
        let guest = app.browser().await;
        guest.post("subscriptions/add", &subscription("backinstock", "eve@example.com", "1")).await.ok();
        assert_eq!(status(&app).await, ["waiting"]);
    }

    async fn a_link_confirms_what_waits_for_it_also_when_its_first_request_is_gone(app: TestApp) {
        let mailing = Mailing::start(&app).await;
        let guest = app.browser().await;
        guest.post("subscriptions/add", &subscription("backinstock", "eve@example.com", "1")).await.ok();
        guest.post("subscriptions/add", &subscription("pricedrop", "eve@example.com", "2")).await.ok();
        guest.post("subscriptions/remove", &[("epi", "1"), ("topic", "backinstock")]).await.ok();
        mailing.work(&app).await;
        let path = confirm_path(&mailing.smtp.mails()[0]);
        assert!(!path.contains("eve"), "addresses do not belong into URLs: {path}");
        assert_eq!(post(&app, &path).await.status, 200);
        assert_eq!(status(&app).await, ["waiting"]);
    }

    async fn a_confirmation_links_to_nothing_that_the_caller_sent(app: TestApp) {
        let mailing = Mailing::start(&app).await;
        let guest = app.browser().await;
        let mut fields = subscription("backinstock", "eve@example.com", "77");
        fields[5].1 = "https://evil.example/login";
        guest.post("subscriptions/add", &fields).await.ok();
        mailing.work(&app).await;
        let mail = &mailing.smtp.mails()[0];
        assert!(!mail["raw"].as_str().unwrap().contains("evil"), "{mail}");
    }
}
