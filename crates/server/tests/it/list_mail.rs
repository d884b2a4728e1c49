//! Mailing a list: who may, what the mail says, how often, and who wants none.

use axum::http::HeaderMap;
use serde_json::json;
use wishbone_core::stores::settings::SettingsChange;
use wishbone_server::jobs::send_mail::send_due;
use wishbone_server::mail::outbox::RecentMail;
use wishbone_server::mail::transport::Transport;

use crate::support::{Client, FORM, NOW, Reply, TestApp, encode, encode_form, item, send};

async fn mail(by: &Client, lid: &str, to: &str, more: &[(&str, &str)]) -> Reply {
    let mut fields = vec![("lid", lid), ("fromname", "Ann Lee"), ("toemail", to)];
    fields.extend_from_slice(more);
    by.post("lists/emailList", &fields).await
}

/// Sends what waits, and answers what the outbox has, newest first.
async fn outbox(app: &TestApp) -> Vec<RecentMail> {
    send_due(&app.app).await.unwrap();
    let Transport::Outbox(outbox) = &app.app.mailer.as_ref().unwrap().transport else { panic!("no outbox") };
    outbox.recent()
}

fn header(headers: &HeaderMap, name: &str) -> i64 {
    headers[name].to_str().unwrap().parse().unwrap()
}

/// Where a link in a mail leads that begins like this.
fn path_of(mail: &RecentMail, beginning: &str) -> String {
    let at = mail.text.find(beginning).unwrap_or_else(|| panic!("no link: {}", mail.text));
    mail.text[at..].split_whitespace().next().unwrap().to_owned()
}

fn unsubscribe_path(mail: &RecentMail) -> String {
    path_of(mail, "/mail/unsubscribe?token=")
}

both_engines! {
    async fn what_leads_to_another_site_and_is_not_in_the_catalogue_is_not_mailed(app: TestApp) {
        app.store_admin().upsert(json!([{ "epi": 1, "empi": 1, "dt": "Known", "iu": "https://cdn.example/known.png" }])).await;
        let ann = app.shopper("ann").await;
        let lid = ann.list("Your account is locked").await;
        let bait = |epi: i64, site: &str| json!({ "epi": epi, "empi": epi, "du": format!("https://{site}/p"), "dt": "Bait",
                                                  "iu": format!("https://{site}/p.png") });
        ann.add_items(&lid, &json!([bait(1, "evil.example"), bait(2, "evil.example"), bait(3, "shop.example")])).await;
        let send = async || {
            app.advance(1_000);
            mail(&ann, &lid, "ben@example.com", &[]).await.ok();
            let mails = outbox(&app).await;
            mails.into_iter().next().unwrap()
        };
        let sent = send().await;
        assert_eq!(sent.subject, "A list from Test was shared with you");
        assert!(sent.text.contains("Bait") && sent.html.contains("known.png"), "{}", sent.text);
        assert!(!format!("{} {}", sent.text, sent.html).contains("evil.example"), "{}", sent.html);
        assert!(!sent.text.contains("shop.example/p"), "the store has not said that this is its site");
        app.set(SettingsChange { allowed_origins: Some(vec!["https://shop.example".into()]), ..Default::default() }).await;
        let sent = send().await;
        assert!(sent.text.contains("https://shop.example/p") && !sent.text.contains("evil.example"), "{}", sent.text);
    }

    async fn a_list_is_mailed_with_its_items(app: TestApp) {
        app.set(SettingsChange { allowed_origins: Some(vec!["https://shop.example".into()]), ..Default::default() }).await;
        app.store_admin().upsert(json!([{
            "epi": 1, "empi": 1001, "du": "https://shop.example/shirt", "dt": "Linen shirt", "vi": "Blue / M", "pr": 49.90,
            "iu": "//cdn.example/shirt.png",
        }])).await;
        let ann = app.shopper("ann").await;
        let lid = ann.list("Summer").await;
        let given = json!({ "epi": 2, "empi": 2, "du": "https://shop.example/p/2", "dt": "Sun hat", "qty": 3 });
        ann.add_items(&lid, &json!([item(1), given, item(3)])).await;
        let reply = mail(&ann, &lid, " Ben@Example.com ", &[("note", "Look!\nIsn't it <b>nice</b>?")]).await.ok();
        assert_eq!((reply["listinfo"]["lid"].as_str(), &reply["listinfo"]["cnt"]), (Some(lid.as_str()), &json!(3)));
        assert!(reply["msg"].is_string() && reply.get("error").is_none(), "{reply}");
        assert!(reply["listinfo"].get("listcontents").is_none(), "the record alone: {reply}");

        let [mail] = &outbox(&app).await[..] else { panic!("one mail") };
        assert_eq!((mail.to.as_str(), mail.subject.as_str()), ("ben@example.com", "A list from Test was shared with you"));
        for part in ["Ann Lee", "Summer", "Linen shirt", "Blue / M", "49.9", "https://shop.example/shirt", "Sun hat", "Quantity: 3",
                     "https://shop.example/p/2", "Look!", "Isn't it <b>nice</b>?", "Untitled product", "https://shop.example/p/3"] {
            assert!(mail.text.contains(part), "{part}: {}", mail.text);
        }
        assert!(mail.text.find("Sun hat").unwrap() < mail.text.find("Linen shirt").unwrap(), "newest first");
        for part in ["<a href=\"https:&#x2f;&#x2f;shop.example&#x2f;shirt\"", "src=\"https:&#x2f;&#x2f;cdn.example&#x2f;shirt.png\"",
                     "Isn&#x27;t it &lt;b&gt;nice&lt;&#x2f;b&gt;?"] {
            assert!(mail.html.contains(part), "{part}: {}", mail.html);
        }
        for part in [&mail.text, &mail.html] {
            assert!(!part.contains("ann@example.com"), "the sender's address is not given away");
            assert!(!part.contains(&lid), "a private list has no link");
        }
    }

    async fn a_mail_leads_to_the_list_by_a_link_of_its_own(app: TestApp) {
        let ann = app.shopper("ann").await;
        let lid = ann.list("Summer").await;
        let links = async || ann.post("lists/share-links/list", &[("lid", &lid)]).await.ok()["links"].clone();
        mail(&ann, &lid, "ben@example.com", &[]).await.ok();
        let sent = outbox(&app).await.remove(0);
        let page = sent.text.lines().find(|line| line.starts_with("https://lists.shop.example/shared?token="));
        let page = page.unwrap_or_else(|| panic!("no link: {}", sent.text));
        assert!(sent.html.replace("&#x2f;", "/").contains(page), "{}", sent.html);
        assert!(sent.text.contains("empty") && !sent.text.contains(&lid), "{}", sent.text);
        let link = links().await[0].clone();
        assert_eq!((&link["scope"], &link["label"], &link["fromname"]), (&json!("view"), &json!("b…@example.com"), &json!("Ann Lee")));
        assert_eq!(link["expires"].as_i64().unwrap() - link["cts"].as_i64().unwrap(), 365 * 24 * 60 * 60 * 1_000);

        let list_url = Some(Some("https://shop.example/list?x=1&wishlist={lid}".to_owned()));
        app.set(SettingsChange { list_url, ..SettingsChange::default() }).await;
        app.advance(1_000);
        mail(&ann, &lid, "Cleo@example.com", &[]).await.ok();
        let sent = outbox(&app).await.remove(0);
        let links_now = links().await;
        let [_, cleos] = &links_now.as_array().unwrap()[..] else { panic!("two links") };
        let key = cleos["key"].as_str().unwrap();
        assert!(sent.text.contains(&format!("https://shop.example/list?x=1&wishlist={key}")), "{}", sent.text);
        let stranger = app.browser().await;
        let read = async || stranger.post("lists/fetch-list-with-contents", &[("lid", key)]).await;
        assert_eq!(read().await.ok()["list"]["fromname"], "Ann Lee");
        ann.post("lists/share-links/revoke", &[("lid", &lid), ("key", key)]).await.ok();
        read().await.fails(404, "list-not-found");
        assert_eq!(links().await.as_array().unwrap().len(), 1, "the other mail's link is as it was");
    }

    async fn what_is_queued_holds_no_key(app: TestApp) {
        let ann = app.shopper("ann").await;
        let lid = ann.list("Summer").await;
        mail(&ann, &lid, "ben@example.com", &[]).await.ok();
        let key = ann.post("lists/share-links/list", &[("lid", &lid)]).await.ok()["links"][0]["key"].clone();
        let stored = app.tables().await;
        let mails = format!("{:?}", stored["mails"]);
        assert!(mails.contains("Summer") && !mails.contains(key.as_str().unwrap()) && !mails.contains("token="), "{mails}");
    }

    async fn expired_links_make_room_for_those_of_mails(app: TestApp) {
        let ann = app.shopper("ann").await;
        let lid = ann.list("Summer").await;
        let soon = (NOW + 1_000).to_string();
        for n in 0..100 {
            let expires = if n < 99 { "9000000000000" } else { soon.as_str() };
            ann.post("lists/share-links/create", &[("lid", &lid), ("expires", expires)]).await.ok();
        }
        app.advance(2_000);
        mail(&ann, &lid, "ben@example.com", &[]).await.ok();
        assert!(outbox(&app).await[0].text.contains("/shared?token="));
        ann.post("lists/share-links/create", &[("lid", &lid)]).await.fails(400, "limit-reached");
        app.advance(1_000);
        mail(&ann, &lid, "cleo@example.com", &[]).await.ok();
        assert!(!outbox(&app).await[0].text.contains("/shared?token="), "mailed all the same");
        assert_eq!(app.rows("share_links").await, 100);
    }

    async fn a_long_list_is_cut_short_and_says_so(app: TestApp) {
        app.set(SettingsChange { allowed_origins: Some(vec!["https://shop.example".into()]), ..Default::default() }).await;
        let ann = app.shopper("ann").await;
        let lid = ann.list("Everything").await;
        ann.add(&lid, &(1..=23).collect::<Vec<_>>()).await;
        mail(&ann, &lid, "ben@example.com", &[]).await.ok();
        let sent = &outbox(&app).await[0];
        assert!(sent.text.contains("3 more items on the list"), "{}", sent.text);
        assert!(sent.text.contains("/p/23") && !sent.text.contains("/p/3\n"), "{}", sent.text);
    }

    async fn only_the_logged_in_owner_mails_a_list(app: TestApp) {
        let ann = app.shopper("ann").await;
        let lid = ann.list("Summer").await;
        ann.post("lists/markPublic", &[("lid", &lid)]).await.ok();
        mail(&app.shopper("bea").await, &lid, "ben@example.com", &[]).await.fails(403, "forbidden");
        let guest = app.guest().await;
        mail(&guest, &guest.list("Mine").await, "ben@example.com", &[]).await.fails(401, "user-not-logged-in");
        mail(&ann, "nonsense", "ben@example.com", &[]).await.fails(404, "list-not-found");
        mail(&ann, &lid, "no address", &[]).await.fails(400, "invalid-parameter");
        mail(&ann, &lid, "a@example.com, b@example.com", &[]).await.fails(400, "invalid-parameter");
        mail(&ann, &lid, "a@example.com\r\nBcc: b@example.com", &[]).await.fails(400, "invalid-parameter");
        mail(&ann, &lid, "ben@example.com", &[("note", &"x".repeat(1_001))]).await.fails(400, "invalid-parameter");
        assert_eq!(app.rows("mails").await, 0);
    }

    async fn a_failed_mail_has_errors_and_a_sent_one_has_none(app: TestApp) {
        let ann = app.shopper("ann").await;
        let lid = ann.list("Summer").await;
        let failed = mail(&ann, &lid, "no address", &[]).await;
        assert_eq!(failed.json()["errors"], json!([failed.json()["error-msg"]]));
        let guest = app.guest().await;
        let failed = mail(&guest, &lid, "ben@example.com", &[]).await;
        assert_eq!(failed.json()["errors"].as_array().map(Vec::len), Some(1));
        assert!(mail(&ann, &lid, "ben@example.com", &[]).await.ok().get("errors").is_none());
        let other = ann.post("lists/update", &[("lid", "nonsense"), ("lname", "A")]).await;
        assert!(other.json().get("errors").is_none());
    }

    async fn without_a_name_a_mail_is_from_the_saved_name_or_else_from_the_store(app: TestApp) {
        let ann = app.shopper("ann").await;
        let lid = ann.list("Summer").await;
        let sender = async |name: Option<&str>| {
            let mut fields = vec![("lid", lid.as_str()), ("toemail", "ben@example.com")];
            fields.extend(name.map(|name| ("fromname", name)));
            ann.post("lists/emailList", &fields).await.ok();
            outbox(&app).await.remove(0).text
        };
        for absent in [None, Some(""), Some("\u{202e}\r\n ")] {
            let text = sender(absent).await;
            assert!(text.starts_with("Somebody shared the list “Summer” from Test"), "{text:?}");
        }
        let links = ann.post("lists/share-links/list", &[("lid", &lid)]).await.ok()["links"].clone();
        assert!(links.as_array().unwrap().iter().all(|link| link.get("fromname").is_none()), "no name was given: {links}");
        ann.post("user/save", &[("fname", "Ann"), ("lname", "Lee")]).await.ok();
        assert!(sender(None).await.contains("Ann Lee"));
        assert!(sender(Some("Annie")).await.contains("Annie"));
    }

    async fn a_shopper_mails_a_few_an_hour(app: TestApp) {
        let ann = app.shopper("ann").await;
        let lid = ann.list("Summer").await;
        for n in 0..10 {
            mail(&ann, &lid, &format!("friend{n}@example.com"), &[]).await.ok();
            app.advance(60_000);
        }
        // Who restarts or asks another node is not forgotten.
        let other = app.second_node().await;
        other.environment.set_now(app.app.environment.now());
        for router in [app.router.clone(), wishbone_server::http::router::router(&other)] {
            let reply = mail(&Client { router, ..ann.clone() }, &lid, "friend10@example.com", &[]).await;
            reply.fails(429, "rate-limited");
            assert_eq!(header(&reply.headers, "retry-after"), 50 * 60);
            assert_eq!((header(&reply.headers, "ratelimit-limit"), header(&reply.headers, "ratelimit-remaining")), (10, 0));
        }
        mail(&app.shopper("bea").await, &lid, "friend10@example.com", &[]).await.fails(403, "forbidden");
        app.advance(50 * 60_000);
        mail(&ann, &lid, "friend10@example.com", &[]).await.ok();
        mail(&ann, &lid, "friend10@example.com", &[]).await.fails(429, "rate-limited");
    }

    async fn an_address_is_not_flooded_by_many_shoppers_at_once(app: TestApp) {
        let mut senders = Vec::new();
        for n in 0..8 {
            let shopper = app.shopper(&format!("s{n}")).await;
            let lid = shopper.list("Mine").await;
            senders.push((shopper, lid));
        }
        let (mut replies, mut rest) = (Vec::new(), senders.clone());
        // Two at a time; the others are asked to try again.
        while !rest.is_empty() {
            let calls = rest.iter().map(|(shopper, lid)| mail(shopper, lid, "Victim@example.com", &[]));
            let round = futures_util::future::join_all(calls).await;
            rest = rest.into_iter().zip(&round).filter(|(_, reply)| reply.status == 503).map(|(sender, _)| sender).collect();
            assert!(rest.len() <= 8 - 2 - replies.len());
            replies.extend(round.into_iter().filter(|reply| reply.status != 503));
        }
        let sent = replies.iter().filter(|reply| reply.status == 200).count();
        assert_eq!(sent, 5, "{:?}", replies.iter().map(|reply| reply.status).collect::<Vec<_>>());
        for reply in replies.iter().filter(|reply| reply.status != 200) {
            reply.fails(429, "rate-limited");
            assert_eq!(header(&reply.headers, "retry-after"), 3_600);
        }
        assert_eq!(outbox(&app).await.len(), 5);
        mail(&senders[0].0, &senders[0].1, "another@example.com", &[]).await.ok();
    }

    async fn a_store_sets_how_many(app: TestApp) {
        let change = SettingsChange { mails_per_shopper: Some(2), mails_per_address: Some(1), ..SettingsChange::default() };
        app.set(change).await;
        let ann = app.shopper("ann").await;
        let lid = ann.list("Summer").await;
        mail(&ann, &lid, "a@example.com", &[]).await.ok();
        mail(&ann, &lid, "a@example.com", &[]).await.fails(429, "rate-limited");
        mail(&ann, &lid, "b@example.com", &[]).await.ok();
        mail(&ann, &lid, "c@example.com", &[]).await.fails(429, "rate-limited");
        app.set(SettingsChange { mails_per_shopper: Some(0), ..SettingsChange::default() }).await;
        let bea = app.shopper("bea").await;
        let reply = mail(&bea, &bea.list("Mine").await, "d@example.com", &[]).await;
        reply.fails(429, "rate-limited");
        assert_eq!(header(&reply.headers, "retry-after"), 3_600);
    }

    async fn a_mail_asked_for_twice_under_one_key_is_one_mail(app: TestApp) {
        let ann = app.shopper("ann").await;
        let fields = [
            ("regid", ann.regid.as_str()), ("sessionid", &ann.sessionid), ("lid", &ann.list("Summer").await),
            ("fromname", "Ann"), ("toemail", "ben@example.com"),
        ];
        let (uri, body) = (format!("/api/v3/lists/emailList?pid={}", encode(&ann.pid)), encode_form(&fields));
        let headers = [FORM, ("idempotency-key", "a-click-on-send")];
        let first = send(&app.router, "POST", &uri, &headers, body.clone()).await.ok();
        assert_eq!(send(&app.router, "POST", &uri, &headers, body).await.ok(), first);
        assert_eq!(outbox(&app).await.len(), 1);
    }

    async fn one_click_in_a_mail_ends_such_mail(app: TestApp) {
        let ann = app.shopper("ann").await;
        let lid = ann.list("Summer").await;
        mail(&ann, &lid, "ben@example.com", &[]).await.ok();
        let path = unsubscribe_path(&outbox(&app).await[0]);

        // Scanners open every link: that alone changes nothing.
        let page = send(&app.router, "GET", &path, &[], "").await;
        assert_eq!((page.status.as_u16(), page.headers["cache-control"].to_str().unwrap()), (200, "no-store"));
        assert!(page.text().contains("Unsubscribe from <bdi>Test</bdi>?"), "{}", page.text());
        assert!(page.headers["content-security-policy"].to_str().unwrap().starts_with("default-src 'none'"));
        mail(&ann, &lid, "ben@example.com", &[]).await.ok();
        assert_eq!(outbox(&app).await.len(), 2);

        // One waits to be sent while its recipient says no: it is not sent either.
        mail(&ann, &lid, "ben@example.com", &[]).await.ok();
        let done = send(&app.router, "POST", &path, &[FORM], "List-Unsubscribe=One-Click").await;
        assert_eq!(done.status, 200);
        assert!(done.text().contains("You&#x27;re unsubscribed from <bdi>Test</bdi>"), "{}", done.text());
        assert_eq!(outbox(&app).await.len(), 2);

        // Nobody who mails is told.
        let reply = mail(&ann, &lid, "BEN@example.com", &[]).await.ok();
        assert_eq!(reply["listinfo"]["lid"], lid.as_str());
        assert_eq!(outbox(&app).await.len(), 2);
        mail(&ann, &lid, "cleo@example.com", &[]).await.ok();
        assert_eq!(outbox(&app).await[0].to, "cleo@example.com", "others are not touched");

        // Again, please.
        send(&app.router, "POST", &path, &[FORM], "again=true").await;
        app.advance(3_600_000);
        mail(&ann, &lid, "ben@example.com", &[]).await.ok();
        assert_eq!(outbox(&app).await[0].to, "ben@example.com");
    }

    async fn the_preferences_behind_a_mailed_list_tell_nothing_of_its_recipient_and_only_turn_off(app: TestApp) {
        let (ann, ben) = (app.shopper("ann").await, app.shopper("ben").await);
        let fields = [("topic", "backinstock"), ("medium", "email"), ("mediumvalue", "ben@example.com"), ("epi", "7")];
        let alert = [&fields[..], &[("empi", "7"), ("du", "https://shop.example/7"), ("dt", "Secret chair")]].concat();
        ben.post("subscriptions/add", &alert).await.ok();
        let lid = ann.list("Summer").await;
        mail(&ann, &lid, "ben@example.com", &[]).await.ok();
        let path = path_of(&outbox(&app).await[0], "/mail/preferences?token=");
        let page = async || {
            let page = send(&app.router, "GET", &path, &[], "").await;
            assert_eq!(page.status, 200);
            page.text()
        };
        let press = async |button: &'static str| send(&app.router, "POST", &path, &[FORM], button).await.text();
        let is_told = |page: &str| ["Secret chair", "ben@", "name=\"end\"", "name=\"on\"", "digest"].map(|part| page.contains(part));
        assert_eq!(is_told(&page().await), [false; 5], "{}", page().await);
        press("off=pricedrop").await;
        assert_eq!(is_told(&press("off=all").await), [false; 5]);
        mail(&ann, &lid, "ben@example.com", &[]).await.ok();
        assert_eq!(outbox(&app).await.len(), 1, "stopped");
        for button in ["on=all", "on=pricedrop", "on=digest", "off=digest", "off=reminder"] {
            press(button).await;
        }
        assert_eq!((app.rows("recipients").await, app.rows("refused_topics").await), (1, 1));
        mail(&ann, &lid, "ben@example.com", &[]).await.ok();
        assert_eq!(outbox(&app).await.len(), 1, "whoever has the mail cannot turn anything on");
    }

    async fn a_link_of_one_store_says_nothing_to_another(app: TestApp) {
        let other = app.create_store(wishbone_core::stores::settings::Settings::default()).await;
        let (ann, bea) = (app.shopper("ann").await, app.shopper_of(&other, "bea").await);
        let (lid, other_lid) = (ann.list("Summer").await, bea.list("Winter").await);
        mail(&ann, &lid, "ben@example.com", &[]).await.ok();
        let path = unsubscribe_path(&outbox(&app).await[0]);
        send(&app.router, "POST", &path, &[FORM], "").await;
        mail(&bea, &other_lid, "ben@example.com", &[]).await.ok();
        assert_eq!(outbox(&app).await.len(), 2);
    }

    async fn a_made_up_link_leads_nowhere(app: TestApp) {
        let ann = app.shopper("ann").await;
        mail(&ann, &ann.list("Summer").await, "ben@example.com", &[]).await.ok();
        let path = unsubscribe_path(&outbox(&app).await[0]);
        let (page, token) = path.split_once('=').unwrap();
        let mut changed = token.to_owned();
        changed.replace_range(10..11, if &token[10..11] == "A" { "B" } else { "A" });
        let before = app.app.database.dump("recipients").await.unwrap();
        for token in [changed.as_str(), "", "x", "%ff", "%00", "<script>alert(1)</script>", &token[..40], &ann.regid] {
            for method in ["GET", "POST"] {
                let reply = send(&app.router, method, &format!("{page}={token}").replace(['<', '>'], "%3C"), &[], "").await;
                assert_eq!(reply.status, 404, "{token}");
                assert!(reply.text().contains("Invalid link"), "{}", reply.text());
            }
        }
        assert_eq!(app.app.database.dump("recipients").await.unwrap(), before);
    }

    async fn what_was_sent_keeps_no_content_and_is_gone_after_a_while(app: TestApp) {
        let ann = app.shopper("ann").await;
        let lid = ann.list("Secret-Name").await;
        mail(&ann, &lid, "ben@example.com", &[("note", "Secret-Note")]).await.ok();
        outbox(&app).await;
        for table in ["mails", "recipients"] {
            let rows = app.app.database.dump(table).await.unwrap().join("\n");
            assert!(!rows.contains("ben@") && !rows.contains("Secret"), "{table}: {rows}");
        }
        app.advance(29 * 24 * 3_600_000);
        outbox(&app).await;
        assert_eq!((app.rows("mails").await, app.rows("recipients").await), (1, 1));
        app.advance(2 * 24 * 3_600_000);
        outbox(&app).await;
        assert_eq!((app.rows("mails").await, app.rows("recipients").await), (0, 0));
    }

    async fn a_refusal_outlives_the_mail(app: TestApp) {
        let ann = app.shopper("ann").await;
        let lid = ann.list("Summer").await;
        mail(&ann, &lid, "ben@example.com", &[]).await.ok();
        let path = unsubscribe_path(&outbox(&app).await[0]);
        send(&app.router, "POST", &path, &[FORM], "").await;
        app.advance(40 * 24 * 3_600_000);
        outbox(&app).await;
        assert_eq!((app.rows("mails").await, app.rows("recipients").await), (0, 1));
        mail(&ann, &lid, "ben@example.com", &[]).await.ok();
        assert_eq!(outbox(&app).await.len(), 1);
    }

    async fn a_refusal_holds_for_all_spellings_of_the_address(app: TestApp) {
        let ann = app.shopper("ann").await;
        let lid = ann.list("Summer").await;
        mail(&ann, &lid, "ben+shop@example.com", &[]).await.ok();
        let path = unsubscribe_path(&outbox(&app).await[0]);
        send(&app.router, "POST", &path, &[FORM], "").await;
        let guest = app.browser().await;
        for (number, to) in ["ben+shop@example.com", "ben@example.com", "BEN@example.com", "ben+1@example.com"].iter().enumerate() {
            app.advance(1_000);
            mail(&ann, &lid, to, &[]).await.ok();
            let epi = (number + 1).to_string();
            let product = [("epi", epi.as_str()), ("empi", "1"), ("du", "https://shop.example/p")];
            let alert = [("topic", "backinstock"), ("medium", "email"), ("mediumvalue", to)];
            guest.post("subscriptions/add", &[&alert[..], &product].concat()).await.ok();
        }
        assert_eq!(outbox(&app).await.len(), 1, "as before");
        for to in ["ben.s@example.com", "ben@other.example"] {
            mail(&ann, &lid, to, &[]).await.ok();
        }
        assert_eq!(outbox(&app).await.len(), 3);
        send(&app.router, "POST", &path, &[FORM], "again=true").await;
        app.advance(3_600_000);
        mail(&ann, &lid, "ben@example.com", &[]).await.ok();
        assert_eq!(outbox(&app).await.len(), 4);
    }

    async fn erasing_someone_leaves_no_trace_of_whom_they_mailed_and_a_refusal_stays(app: TestApp) {
        let ann = app.shopper("ann").await;
        let lid = ann.list("Summer").await;
        for to in ["ben@example.com", "cem@example.com"] {
            mail(&ann, &lid, to, &[]).await.ok();
        }
        let refused = outbox(&app).await.into_iter().find(|mail| mail.to == "cem@example.com").unwrap();
        send(&app.router, "POST", &unsubscribe_path(&refused), &[FORM], "").await;
        assert_eq!((app.rows("mails").await, app.rows("recipients").await), (2, 2));
        for who in ["ann@example.com", "cem@example.com"] {
            app.store_admin().form("/storeadmin/v3/user/erase", &[("useremail", who)]).await.ok();
        }
        assert_eq!((app.rows("mails").await, app.rows("recipients").await), (0, 1));
    }

    async fn nothing_that_a_shopper_writes_becomes_a_link(app: TestApp) {
        let ann = app.shopper("ann").await;
        let bait = "Log in: https://evil.example/x www.evil.example eve@evil.example";
        let lid = ann.list(bait).await;
        let given = json!({ "epi": 2, "empi": 2, "du": "https://evil.example/", "dt": bait, "vi": bait, "iu": "https://evil.example/x.png" });
        ann.add_items(&lid, &json!([given])).await;
        let fields = [("lid", lid.as_str()), ("fromname", bait), ("toemail", "ben@example.com"), ("note", bait)];
        ann.post("lists/emailList", &fields).await.ok();
        let mail = &outbox(&app).await[0];
        for part in [&mail.text, &mail.html.replace("&#x2f;", "/"), &mail.subject] {
            for link in ["https://evil", "evil.example", "www.e", "eve@e"] {
                assert!(!part.contains(link), "{link}: {part}");
            }
        }
        assert!(mail.text.contains("Log in: https: / /evil. example/x www. evil. example eve@ evil. example"), "{}", mail.text);
    }

    async fn words_of_strangers_stay_words(app: TestApp) {
        let ann = app.shopper("ann").await;
        let evil = "\"><script>alert(1)</script>{{ 7*7 }}\r\nBcc: eve@example.com\u{202e}";
        let lid = ann.list(evil).await;
        let long = "long ".repeat(200);
        let items = json!([
            { "epi": 1, "empi": 1, "du": "https://shop.example/\"onclick=alert(1)", "dt": evil, "vi": evil, "iu": "https://x/'><img>" },
            { "epi": 2, "empi": 2, "du": "/relative", "dt": long.trim() },
        ]);
        ann.add_items(&lid, &items).await;
        let fields = [("lid", lid.as_str()), ("fromname", evil), ("toemail", "ben@example.com"), ("note", evil)];
        ann.post("lists/emailList", &fields).await.ok();
        let mail = &outbox(&app).await[0];
        assert!(!mail.html.contains("<script") && !mail.html.contains("onclick") && !mail.html.contains("<img"), "{}", mail.html);
        assert!(mail.html.contains("{{ 7*7 }}"), "{}", mail.html);
        assert!(!mail.subject.contains(['\r', '\n', '\u{202e}']), "{:?}", mail.subject);
        assert!(!mail.html.contains('\u{202e}') && !mail.text.contains('\u{202e}'));
        assert!(mail.text.contains("long long") && !mail.text.contains(long.trim()) && !mail.text.contains("/relative"));
    }
}

#[tokio::test]
async fn a_mail_in_the_outbox_is_a_private_file_and_whole() {
    use std::os::unix::fs::PermissionsExt;
    let app = TestApp::start(crate::support::Engine::Sqlite).await;
    let ann = app.shopper("ann").await;
    let lid = ann.list("Summer").await;
    for to in ["b@example.com", "a@example.com"] {
        app.advance(1_000);
        mail(&ann, &lid, to, &[]).await.ok();
        outbox(&app).await;
    }
    let Transport::Outbox(outbox) = &app.app.mailer.as_ref().unwrap().transport else { panic!("no outbox") };
    let mut files: Vec<_> = std::fs::read_dir(outbox.folder()).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert_eq!(files.len(), 2, "{files:?}");
    for (file, to) in files.iter().zip(["b@example.com", "a@example.com"]) {
        assert_eq!(file.extension().unwrap(), "eml");
        assert_eq!(std::fs::metadata(file).unwrap().permissions().mode() & 0o777, 0o600);
        let text = std::fs::read_to_string(file).unwrap();
        assert!(text.contains(&format!("To: {to}\r\n")), "names are sorted by time: {text}");
        for line in [
            "From: Test <lists@shop.example>\r\n",
            "List-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n",
            "Message-ID: <",
        ] {
            assert!(text.contains(line), "{line}: {text}");
        }
    }
}
