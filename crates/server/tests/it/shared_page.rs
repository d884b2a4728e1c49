//! The page of a shared list: what friends and messengers see, and what they do not.

use axum::body::Body;
use axum::http::Request;
use futures_util::future::join_all;
use serde_json::{Value, json};
use wishbone_core::stores::settings::SettingsChange;

use crate::support::{Client, NOW, Reply, TestApp, item};

/// Creates a link, and returns its record.
async fn share(owner: &Client, lid: &str, fields: &[(&str, &str)]) -> Value {
    let fields = [&[("lid", lid)], fields].concat();
    owner.post("lists/share-links/create", &fields).await.ok()["link"].clone()
}

fn path(link: &Value) -> String {
    link["url"].as_str().unwrap().strip_prefix("http://localhost").unwrap().to_owned()
}

async fn get(app: &TestApp, path: &str) -> Reply {
    Reply::of(&app.router, Request::get(path).body(Body::empty()).unwrap()).await
}

/// The text of a page, with its slashes.
fn html(reply: &Reply) -> String {
    assert!(reply.status == 200 || reply.status == 404, "{}", reply.text());
    reply.text().replace("&#x2f;", "/")
}

async fn of_shop(app: &TestApp) {
    let allowed_origins = Some(vec!["https://shop.example".to_owned()]);
    app.set(SettingsChange { allowed_origins, ..SettingsChange::default() }).await;
}

both_engines! {
    async fn a_shared_list_is_a_page_with_a_preview(app: TestApp) {
        of_shop(&app).await;
        app.store_admin().upsert(json!([{
            "epi": 1, "empi": 1001, "du": "https://shop.example/shirt", "dt": "Linen shirt", "vi": "Blue / M", "pr": 49.90,
            "iu": "https://cdn.example/shirt.png",
        }])).await;
        let ann = app.shopper("ann").await;
        let lid = ann.list("Summer").await;
        let noted = json!({ "epi": 1, "empi": 1001, "du": "https://shop.example/shirt", "qty": 2, "note": "In blue, please" });
        ann.add_items(&lid, &json!([noted, item(2)])).await;
        ann.post("lists/update", &[("lid", &lid), ("lnote", "For my birthday")]).await.ok();
        let reply = get(&app, &path(&share(&ann, &lid, &[("fromname", " Ann ")]).await)).await;
        let page = html(&reply);
        for part in [
            "<h1 dir=\"auto\">Summer</h1>", "Shared by <bdi>Ann</bdi>", "For my birthday", "<a href=\"https://shop.example/shirt\">Linen shirt</a>",
            "Blue / M", "49.9", "Quantity: 2", "In blue, please", "https://shop.example/p/2", "href=\"https://shop.example/\"",
            "<meta name=\"robots\" content=\"noindex\">", "<meta property=\"og:title\" content=\"Summer\">",
            "<meta property=\"og:site_name\" content=\"Test\">",
            "<meta property=\"og:description\" content=\"Ann shared the list “Summer” from Test with you.\">",
            "<meta property=\"og:image\" content=\"https://cdn.example/shirt.png\">",
        ] {
            assert!(page.contains(part), "{part}: {page}");
        }
        assert!(!page.contains("ann@example.com") && !page.contains(&lid) && !page.contains("<script"), "{page}");
        let policy = reply.header("content-security-policy").unwrap();
        assert!(policy.starts_with("default-src 'none'; ") && policy.ends_with("; img-src https://cdn.example"), "{policy}");
        assert_eq!((reply.header("referrer-policy"), reply.header("cache-control")), (Some("no-referrer"), Some("no-store")));
        let anonymous = html(&get(&app, &path(&share(&ann, &lid, &[("fromname", " \u{202e} ")]).await)).await);
        assert!(anonymous.contains("Somebody shared the list") && !anonymous.contains("Ann"), "{anonymous}");
    }

    async fn what_shoppers_write_is_escaped_and_leads_nowhere(app: TestApp) {
        of_shop(&app).await;
        let ann = app.shopper("ann").await;
        let hostile = "\"><script>alert(1)</script> evil.example";
        let lid = ann.list(hostile).await;
        let bait = json!({ "epi": 1, "empi": 1, "du": "https://evil.example/p", "dt": hostile, "iu": "https://evil.example/p.png", "note": hostile });
        ann.add_items(&lid, &json!([bait])).await;
        ann.post("lists/update", &[("lid", &lid), ("lnote", hostile)]).await.ok();
        let reply = get(&app, &path(&share(&ann, &lid, &[("fromname", hostile)]).await)).await;
        let page = html(&reply);
        assert!(page.contains("&lt;script&gt;") && !page.contains("<script"), "{page}");
        assert!(!page.contains("evil.example") && page.contains("evil. example"), "{page}");
        assert!(!reply.header("content-security-policy").unwrap().contains("img-src"), "no picture of another site");
    }

    async fn a_long_list_is_divided_into_pages(app: TestApp) {
        of_shop(&app).await;
        let ann = app.shopper("ann").await;
        let lid = ann.list("Everything").await;
        ann.add(&lid, &(1..=60).collect::<Vec<_>>()).await;
        let link = path(&share(&ann, &lid, &[]).await);
        let (mut at, mut seen, mut left) = (link.clone(), Vec::new(), Vec::new());
        loop {
            let page = html(&get(&app, &at).await);
            let items = page.split("href=\"https://shop.example/p/").skip(1);
            seen.extend(items.map(|rest| rest.split('"').next().unwrap().parse::<i64>().unwrap()));
            let Some(next) = page.split("href=\"?token=").nth(1) else { break };
            left.push(next.split('>').nth(1).unwrap().split('<').next().unwrap().to_owned());
            at = format!("/shared?token={}", next.split('"').next().unwrap().replace("&amp;", "&"));
        }
        assert_eq!(seen, (1..=60).rev().collect::<Vec<_>>(), "every item once, newest first");
        assert_eq!(left, ["36 more items on the list", "12 more items on the list"]);
        for odd in ["x", "1", "1-2", "99999999999999999999-1-1", "-1--1--1", "1-1-1"] {
            assert_eq!(get(&app, &format!("{link}&after={odd}")).await.status, 200, "{odd}");
        }
    }

    async fn a_link_that_is_over_says_so_and_leads_to_the_shop(app: TestApp) {
        of_shop(&app).await;
        let ann = app.shopper("ann").await;
        let lid = ann.list("Summer").await;
        let until = (NOW + 5_000).to_string();
        let (expiring, revoked) = (share(&ann, &lid, &[("expires", &until)]).await, share(&ann, &lid, &[]).await);
        let (deleted, other) = (share(&ann, &lid, &[]).await, ann.list("Other").await);
        let is_over = async |link: &Value| {
            let reply = get(&app, &path(link)).await;
            let page = html(&reply);
            let is_over = page.contains("This list is not shared any more");
            assert_eq!((reply.status == 404, !page.contains("Summer"), !page.contains("og:")), (is_over, is_over, is_over), "{page}");
            assert!(page.contains("href=\"https://shop.example/\""), "{page}");
            is_over
        };
        assert!(!is_over(&expiring).await && !is_over(&revoked).await);
        app.advance(10_000);
        ann.post("lists/share-links/revoke", &[("lid", &lid), ("key", revoked["key"].as_str().unwrap())]).await.ok();
        assert!(is_over(&expiring).await && is_over(&revoked).await && !is_over(&deleted).await);
        ann.post("lists/delete-list", &[("lid", &lid)]).await.ok();
        assert!(is_over(&deleted).await);
        let token = path(&share(&ann, &other, &[]).await);
        let mut forged = token.clone();
        forged.pop();
        for wrong in ["/shared", "/shared?token=", "/shared?token=abc", &forged, &format!("/shared?token={}", deleted["key"].as_str().unwrap())] {
            let reply = get(&app, wrong).await;
            assert!(reply.status == 404 && html(&reply).contains("Invalid link"), "{wrong}: {}", reply.text());
        }
    }

    async fn where_the_store_has_a_page_for_lists_this_one_leads_there(app: TestApp) {
        let list_url = Some(Some("https://shop.example/list?wishlist={lid}".to_owned()));
        app.set(SettingsChange { list_url, ..SettingsChange::default() }).await;
        let ann = app.shopper("ann").await;
        let lid = ann.list("Summer").await;
        let link = share(&ann, &lid, &[]).await;
        let page = html(&get(&app, &path(&link)).await);
        let own = format!("href=\"https://shop.example/list?wishlist={}\"", link["key"].as_str().unwrap());
        assert!(page.contains(&own) && page.contains("This list is empty"), "{page}");
    }

    async fn a_link_has_a_few_calls_at_a_time(app: TestApp) {
        let ann = app.shopper("ann").await;
        let lid = ann.list("Summer").await;
        let link = path(&share(&ann, &lid, &[]).await);
        let statuses: Vec<u16> = join_all((0..20).map(|_| get(&app, &link))).await.iter().map(|reply| reply.status.into()).collect();
        // On a busy machine some end before others begin.
        let rejected = statuses.iter().filter(|status| **status == 503).count();
        assert!((1..=12).contains(&rejected) && statuses.iter().all(|status| [200, 503].contains(status)), "{statuses:?}");
        assert_eq!(get(&app, &link).await.status, 200);
    }
}
