//! Limits on messages that a stranger can have sent: per client address, recipient, and store and hour, for every medium.

use super::sms::{fields, gateway, work};
use super::*;
use crate::protection::calling_from;

/// A guest in a browser at a client address.
async fn guest_at(app: &TestApp, peer: &str) -> Client {
    calling_from(&app.browser().await, peer)
}

/// A request for an SMS or a mail to an address.
fn request<'a>(medium: &'a str, address: &'a str, epi: &'a str) -> Vec<(&'a str, &'a str)> {
    let mut fields = subscription("backinstock", address, epi);
    fields[1].1 = medium;
    fields
}

/// How many of the calls were accepted; the others must be over a limit.
fn accepted(replies: &[Reply]) -> usize {
    for reply in replies.iter().filter(|reply| reply.status != 200) {
        reply.fails(429, "rate-limited");
        assert!(reply.header("retry-after").is_some());
    }
    replies.iter().filter(|reply| reply.status == 200).count()
}

/// The path of the link in an SMS.
fn confirm_path(text: &str) -> &str {
    let start = text.find("/mail/confirm?token=").unwrap_or_else(|| panic!("no link: {text}"));
    text[start..].split_whitespace().next().unwrap()
}

both_engines! {
    async fn one_client_address_cannot_have_many_people_messaged(app: TestApp) {
        let receiver = gateway(&app).await;
        for medium in ["sms", "email"] {
            let mut replies = Vec::new();
            for n in 0..70 {
                let guest = guest_at(&app, "203.0.113.7").await;
                let address = if medium == "sms" { format!("+49151000{n:05}") } else { format!("a{n}@example.com") };
                replies.push(guest.post("subscriptions/add", &request(medium, &address, "1")).await);
            }
            assert_eq!(accepted(&replies), if medium == "sms" { 60 } else { 0 }, "{medium}: one limit for all media");
        }
        work(&app).await;
        assert_eq!(receiver.take().len(), 60);
        // Another node, and a node that has just started, count along.
        let other = app.second_node().await;
        other.environment.set_now(app.app.environment.now());
        let guest = guest_at(&app, "203.0.113.7").await;
        let fields = request("sms", "+4915199999999", "1");
        let there = Client { router: wishbone_server::http::router::router(&other), ..guest.clone() };
        calling_from(&there, "203.0.113.7").post("subscriptions/add", &fields).await.fails(429, "rate-limited");
        // Others are not limited by it, nor is the next hour.
        guest_at(&app, "203.0.113.8").await.post("subscriptions/add", &fields).await.ok();
        app.advance(HOUR);
        guest.post("subscriptions/add", &request("sms", "+4915199999998", "1")).await.ok();
    }

    async fn a_mailbox_is_counted_without_its_tag(app: TestApp) {
        for (first, others) in [("victim+0@example.com", "victim+N@example.com"), ("a.bc@gmail.com", "ab.c+N@googlemail.com")] {
            let mut replies = vec![app.browser().await.post("subscriptions/add", &subscription("backinstock", first, "1")).await];
            for n in 1..20 {
                let address = others.replace('N', &n.to_string());
                replies.push(app.browser().await.post("subscriptions/add", &subscription("backinstock", &address, "1")).await);
            }
            assert_eq!(accepted(&replies), 5, "{first}");
        }
        let ann = app.shopper("ann").await;
        let lid = ann.list("Summer").await;
        let mut replies = Vec::new();
        for n in 0..8 {
            let to = format!("victim+{n}@example.com");
            replies.push(ann.post("lists/emailList", &[("lid", &lid), ("toemail", &to)]).await);
        }
        assert_eq!(accepted(&replies), 5, "lists, too");
    }

    async fn an_address_written_in_another_way_is_the_same_mailbox(app: TestApp) {
        let ways = ["änn@bücher.example", "ÄNN@xn--bcher-kva.example", "ann@xn--e1afmkfd.example"];
        let mut replies = Vec::new();
        for (n, address) in ways.iter().cycle().take(12).enumerate() {
            let (guest, epi) = (app.browser().await, (n + 1).to_string());
            replies.push(guest.post("subscriptions/add", &subscription("backinstock", address, &epi)).await);
            guest.post("subscriptions/remove", &[("epi", &epi), ("topic", "backinstock")]).await.ok();
        }
        assert_eq!(accepted(&replies), 5 + 4, "five of one mailbox, and all of another");
    }

    async fn a_number_gets_few_confirmations_a_day(app: TestApp) {
        let receiver = gateway(&app).await;
        let mut replies = Vec::new();
        for n in 0..8 {
            let (guest, epi) = (app.browser().await, (n + 1).to_string());
            replies.push(guest.post("subscriptions/add", &request("sms", "+4915112345678", &epi)).await);
            guest.post("subscriptions/remove", &[("epi", &epi), ("topic", "backinstock")]).await.ok();
        }
        work(&app).await;
        assert_eq!((accepted(&replies), receiver.take().len()), (5, 5));
    }

    async fn a_store_has_a_limit_for_each_medium_that_strangers_cannot_use_up(app: TestApp) {
        let _receiver = gateway(&app).await;
        let alerts = AlertSettingsChange { sms_per_hour: Some(4), ..Default::default() };
        app.set(SettingsChange { mails_per_hour: Some(8), alerts, ..Default::default() }).await;
        let send = async |medium: &str, n: i64| {
            let address = if medium == "sms" { format!("+4915112345{n:03}") } else { format!("a{n}@example.com") };
            app.browser().await.post("subscriptions/add", &request(medium, &address, "1")).await
        };
        for (medium, strangers) in [("sms", 3), ("email", 6)] {
            let mut replies = Vec::new();
            for n in 0..10 {
                replies.push(send(medium, n).await);
            }
            assert_eq!(accepted(&replies), strangers, "{medium}");
        }
        // Shoppers who are logged in have the rest.
        let ann = app.shopper("ann").await;
        let lid = ann.list("Summer").await;
        let mut replies = Vec::new();
        for n in 0..5 {
            let to = format!("friend{n}@example.com");
            replies.push(ann.post("lists/emailList", &[("lid", &lid), ("toemail", &to)]).await);
        }
        assert_eq!(accepted(&replies), 2);
        app.advance(HOUR);
        send("sms", 20).await.ok();
        send("email", 20).await.ok();
        app.assert_sound().await;
    }

    async fn calls_at_the_same_time_do_not_exceed_the_limit_of_a_store(app: TestApp) {
        app.set(SettingsChange { mails_per_hour: Some(8), ..Default::default() }).await;
        let mut guests = Vec::new();
        for n in 0..20 {
            guests.push((app.browser().await, format!("a{n}@example.com")));
        }
        let calls = guests.iter().map(|(guest, address)| async move {
            guest.post("subscriptions/add", &subscription("backinstock", address, "1")).await
        });
        assert_eq!(accepted(&futures_util::future::join_all(calls).await), 6);
        assert_eq!(app.rows("mails").await, 6);
    }

    async fn what_strangers_ask_for_in_the_name_of_an_address_is_limited_and_does_not_keep_its_owner_out(app: TestApp) {
        let receiver = gateway(&app).await;
        let number = "+4915112345678";
        // The first one is the owner, as a guest.
        let owner = app.browser().await;
        owner.post("subscriptions/add", &request("sms", number, "1")).await.ok();
        work(&app).await;
        let text = fields(&receiver.take()[0].body)[2].1.clone();
        let ask = async |guest: &Client, products: std::ops::Range<usize>| {
            for epi in products {
                guest.post("subscriptions/add", &request("sms", number, &epi.to_string())).await.ok();
            }
        };
        let refused = async |guest: &Client, who: &str| {
            let reply = guest.post("subscriptions/add", &request("sms", number, "301")).await;
            let message = reply.fails(400, "limit-reached")["error-msg"].as_str().unwrap().to_owned();
            assert!(message.starts_with(who) && message.contains("confirm them"), "{message}");
        };
        ask(&owner, 2..26).await;
        refused(&owner, "a shopper may have 25").await;
        for n in 0..2 {
            ask(&app.browser().await, 26 + 25 * n..51 + 25 * n).await;
        }
        let stranger = app.browser().await;
        // Whether somebody else has asked for the same makes no difference.
        ask(&stranger, 11..36).await;
        refused(&stranger, "a shopper may have 25").await;
        assert_eq!(app.rows("subscriptions").await, 100);
        assert_eq!(stranger.post("subscriptions/fetch-subs", &[("topic", "backinstock")]).await.ok()["total"], 25);
        app.advance(DAY);
        let newcomer = app.browser().await;
        refused(&newcomer, "all shoppers may have 100").await;
        // What is confirmed makes room, and proves who the guest is.
        let confirm = axum::http::Request::post(confirm_path(&text)).body(axum::body::Body::empty()).unwrap();
        assert_eq!(Reply::of(&app.router, confirm).await.status, 200);
        ask(&newcomer, 101..126).await;
        refused(&app.browser().await, "all shoppers may have 100").await;
        ask(&owner, 201..202).await;
        app.assert_sound().await;
    }

    async fn an_address_has_a_limited_number_of_subscriptions(app: TestApp) {
        set(&app, AlertSettingsChange { confirm_addresses: Some(false), ..Default::default() }).await;
        let address = "ann@example.com";
        let create = async |from: i64, to: i64| {
            let products: Vec<Value> = (from..to).map(item).collect();
            let fields = [
                ("medium", "email"),
                ("mediumvalue", address),
                ("products", &Value::from(products).to_string()),
                ("topics", r#"["backinstock"]"#),
            ];
            app.store_admin().form("/storeadmin/bispa/subscriptions/create", &fields).await
        };
        let products: Vec<(i64, i64)> = (0..10).map(|n| (1 + n * 100, 101 + n * 100)).collect();
        for (from, to) in &products {
            create(*from, *to).await.ok();
        }
        // Everything again is nothing new.
        create(1, 101).await.ok();
        let refused = create(1_001, 1_003).await;
        assert!(refused.fails(400, "limit-reached")["error-msg"].as_str().unwrap().contains("1000"), "{}", refused.text());
        let ann = app.shopper("ann").await;
        ann.post("subscriptions/add", &subscription("backinstock", address, "1001")).await.fails(400, "limit-reached");
        let stranger = app.browser().await;
        stranger.post("subscriptions/add", &subscription("backinstock", address, "1001")).await.fails(400, "limit-reached");
        assert_eq!(app.rows("subscriptions").await, 1_000);
        ann.post("subscriptions/remove", &[("epi", "7"), ("topic", "backinstock")]).await.ok();
        // A stranger takes the place, and does not keep the owner out.
        stranger.post("subscriptions/add", &subscription("backinstock", address, "1001")).await.ok();
        ann.post("subscriptions/add", &subscription("backinstock", address, "1002")).await.ok();
        app.assert_sound().await;
    }

    async fn few_calls_wait_for_a_recipient_and_its_owner_is_none_of_them(app: TestApp) {
        let (ann, mut guests) = (app.shopper("ann").await, Vec::new());
        for n in 1..=30 {
            guests.push((app.browser().await, n.to_string()));
        }
        let strangers = guests.iter().map(|(guest, epi)| async move {
            guest.post("subscriptions/add", &subscription("backinstock", "ann@example.com", epi)).await
        });
        let owner = ["101", "102", "103"].map(|epi| {
            let ann = &ann;
            async move { ann.post("subscriptions/add", &subscription("backinstock", "ann@example.com", epi)).await }
        });
        let (strangers, owner) =
            futures_util::join!(futures_util::future::join_all(strangers), futures_util::future::join_all(owner));
        let refused = strangers.iter().filter(|reply| reply.status == 503);
        assert!(refused.inspect(|reply| _ = reply.fails(503, "overloaded")).count() > 0);
        assert!(strangers.iter().all(|reply| [200, 503].contains(&reply.status.as_u16())));
        owner.iter().for_each(|reply| _ = reply.ok());
    }

    async fn whoever_has_confirmed_before_is_not_blocked_by_strangers(app: TestApp) {
        let receiver = gateway(&app).await;
        let number = "+4915112345678";
        let vera = app.browser().await;
        vera.post("subscriptions/add", &request("sms", number, "1")).await.ok();
        work(&app).await;
        let text = fields(&receiver.take()[0].body)[2].1.clone();
        let confirm = axum::http::Request::post(confirm_path(&text)).body(axum::body::Body::empty()).unwrap();
        assert_eq!(Reply::of(&app.router, confirm).await.status, 200);
        let exhaust = async || {
            let mut last = None;
            for n in 10..20 {
                let (stranger, epi) = (app.browser().await, n.to_string());
                last = Some(stranger.post("subscriptions/add", &request("sms", number, &epi)).await.status);
                stranger.post("subscriptions/remove", &[("epi", &epi), ("topic", "backinstock")]).await.ok();
            }
            assert_eq!(last.unwrap(), 429);
        };
        exhaust().await;
        // Her own count is limited as well.
        let mut replies = Vec::new();
        for n in 20..28 {
            let epi = n.to_string();
            replies.push(vera.post("subscriptions/add", &request("sms", number, &epi)).await);
            vera.post("subscriptions/remove", &[("epi", &epi), ("topic", "backinstock")]).await.ok();
        }
        assert_eq!(accepted(&replies), 5);
        // Also when all she had was sent.
        app.advance(2 * DAY);
        chair(&app).await;
        stock(&app, json!(1)).await;
        work(&app).await;
        exhaust().await;
        vera.post("subscriptions/add", &request("sms", number, "30")).await.ok();
    }

    async fn without_confirmation_strangers_are_limited_too(app: TestApp) {
        set(&app, AlertSettingsChange { confirm_addresses: Some(false), ..Default::default() }).await;
        let mut replies = Vec::new();
        for n in 0..55 {
            let epi = (n + 1).to_string();
            replies.push(app.browser().await.post("subscriptions/add", &subscription("backinstock", "a@example.com", &epi)).await);
        }
        assert_eq!(accepted(&replies), 50, "of one recipient");
        app.advance(HOUR);
        let mut replies = Vec::new();
        for n in 0..65 {
            let guest = guest_at(&app, "203.0.113.7").await;
            let address = format!("b{n}@example.com");
            replies.push(guest.post("subscriptions/add", &subscription("backinstock", &address, "1")).await);
        }
        assert_eq!(accepted(&replies), 60, "of one client address");
        app.advance(HOUR);
        let mut replies = Vec::new();
        for n in 0..260 {
            let guest = guest_at(&app, &format!("203.0.113.{}", n % 6)).await;
            let address = format!("c{n}@example.com");
            replies.push(guest.post("subscriptions/add", &subscription("backinstock", &address, "1")).await);
        }
        assert_eq!(accepted(&replies), 240, "of one network");
    }

    async fn what_was_never_confirmed_proves_nothing(app: TestApp) {
        let mailing = Mailing::start(&app).await;
        set(&app, AlertSettingsChange { confirm_addresses: Some(false), ..Default::default() }).await;
        let guests = [app.browser().await, app.browser().await];
        let mut replies = Vec::new();
        for n in 0..30 {
            for (guest, first) in guests.iter().zip([100, 200]) {
                let epi = (first + n).to_string();
                replies.push(guest.post("subscriptions/add", &subscription("backinstock", "a@example.com", &epi)).await);
            }
        }
        assert_eq!(accepted(&replies), 50, "no guest has a count of their own");
        // Suppressed: the mailbox does not exist.
        chair(&app).await;
        subscribe(&app, "never", "backinstock", &[]).await.ok();
        stock(&app, json!(1)).await;
        mailing.work(&app).await;
        let [guest, _] = &guests;
        guest.post("subscriptions/add", &subscription("pricedrop", "never@example.com", "1")).await.ok();
        set(&app, AlertSettingsChange { confirm_addresses: Some(true), ..Default::default() }).await;
        let states = app.store_admin().json("/storeadmin/v3/subscriptions/list", &json!({ "state": "suppressed" })).await.ok();
        assert_eq!(states["data"]["subscriptions"].as_array().unwrap().len(), 1);
        // The mailbox returns.
        let never = app.shopper("never").await;
        app.store_admin().json("/storeadmin/v3/subscriptions/retry", &json!({ "state": "failed" })).await.ok();
        never.post("subscriptions/remove", &[("epi", "1"), ("topic", "backinstock")]).await.ok();
        let mut replies = Vec::new();
        for n in 10..16 {
            let (stranger, epi) = (app.browser().await, n.to_string());
            replies.push(stranger.post("subscriptions/add", &subscription("backinstock", "never@example.com", &epi)).await);
            stranger.post("subscriptions/remove", &[("epi", &epi), ("topic", "backinstock")]).await.ok();
        }
        assert_eq!(accepted(&replies), 5);
        for epi in ["1", "2"] {
            let asked = guest.post("subscriptions/add", &subscription("pricedrop", "never@example.com", epi)).await;
            asked.fails(429, "rate-limited");
        }
    }

    async fn sms_go_to_the_countries_of_the_store_only(app: TestApp) {
        let receiver = gateway(&app).await;
        chair(&app).await;
        let guest = app.browser().await;
        guest.post("subscriptions/add", &request("sms", "+18765550100", "1")).await.ok();
        let countries = Some(vec!["AT".to_owned(), "DE".to_owned()]);
        set(&app, AlertSettingsChange { sms_countries: countries, ..Default::default() }).await;
        work(&app).await;
        assert!(receiver.take().is_empty(), "what was queued before is not sent");
        for foreign in ["+18765550100", "+88213000000", "015112345678"] {
            let refused = guest.post("subscriptions/add", &request("sms", foreign, "2")).await;
            refused.fails(400, "invalid-parameter");
            assert!(refused.text().contains("AT, DE"), "{}", refused.text());
            let products = json!([item(1)]).to_string();
            let create = [("medium", "sms"), ("mediumvalue", foreign), ("products", &products), ("topics", r#"["backinstock"]"#)];
            app.store_admin().form("/storeadmin/bispa/subscriptions/create", &create).await.fails(400, "invalid-parameter");
        }
        guest.post("subscriptions/add", &request("sms", "+43 660 1234567", "2")).await.ok();
        work(&app).await;
        assert_eq!(receiver.take().len(), 1);
    }
}
