//! Links that a list's owner gives away, and several people editing one list.

use serde_json::{Value, json};
use wishbone_server::api::operation::Caller;

use crate::support::{Client, NOW, Subject, calls, encode, epis, item, send};

const DAY: i64 = 24 * 60 * 60 * 1_000;

async fn link(owner: &Client, lid: &str, fields: &[(&str, &str)]) -> String {
    let mut all = vec![("lid", lid)];
    all.extend_from_slice(fields);
    let made = owner.post("lists/share-links/create", &all).await.ok();
    made["link"]["key"].as_str().unwrap().to_owned()
}

async fn contents(client: &Client, lid: &str) -> Value {
    client.post("lists/fetch-list-with-contents", &[("lid", lid)]).await.ok()
}

async fn try_to_read(client: &Client, lid: &str) -> (u16, String) {
    client.post("lists/fetch-list-with-contents", &[("lid", lid)]).await.error()
}

fn add_one(n: i64) -> String {
    json!([item(n)]).to_string()
}

both_engines! {
    async fn whoever_has_a_link_to_see_sees_and_changes_nothing(app: TestApp) {
        let ann = app.shopper("ann").await;
        let lid = ann.list("Summer").await;
        ann.add(&lid, &[1, 2]).await;
        let key = link(&ann, &lid, &[]).await;
        assert!(key.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte)), "{key}");
        for visitor in [app.shopper("bob").await, app.guest().await, app.browser().await] {
            let seen = contents(&visitor, &key).await;
            assert_eq!(epis(&seen["items"]), [2, 1]);
            assert_eq!((&seen["list"]["canEdit"], &seen["list"]["anonRead"]), (&json!(false), &json!(false)));
            let change = [("lid", key.as_str()), ("a", &add_one(3))];
            visitor.post("lists/update-ctx", &change).await.fails(403, "forbidden");
            visitor.post("lists/update", &[("lid", &key), ("lname", "Mine")]).await.fails(403, "forbidden");
            visitor.post("lists/delete-list", &[("lid", &key)]).await.fails(403, "forbidden");
            // The list's own lid stays closed.
            assert_eq!(try_to_read(&visitor, &lid).await, (403, "forbidden".into()));
        }
        assert_eq!(epis(&contents(&ann, &lid).await["items"]), [2, 1]);
    }

    async fn a_visitor_through_a_link_learns_nothing_of_the_owner_and_goes_on_using_the_link(app: TestApp) {
        let ann = app.shopper("ann").await;
        let lid = ann.list("Summer").await;
        ann.add(&lid, &[1]).await;
        let own = contents(&ann, &lid).await;
        let key = link(&ann, &lid, &[("scope", "edit")]).await;
        let bob = app.shopper("bob").await;
        let read = bob.post("lists/fetch-list-with-contents", &[("lid", &key)]).await;
        let changed = bob.post("lists/update-ctx", &[("lid", &key), ("u", &add_one(1)), ("a", &add_one(2))]).await;
        let renamed = bob.post("lists/update", &[("lid", &key), ("lname", "Autumn")]).await;
        for reply in [read, changed, renamed] {
            reply.ok();
            for secret in [
                "ann@example.com",
                &lid,
                own["list"]["uid"].as_str().unwrap(),
                own["list"]["di"].as_str().unwrap(),
                own["list"]["_pkey"].as_str().unwrap(),
            ] {
                assert!(!reply.text().contains(secret), "{secret} in {}", reply.text());
            }
        }
        let seen = contents(&bob, &key).await;
        assert_eq!(seen["list"]["lid"], key.as_str());
        assert_eq!(seen["items"][0]["lid"], key.as_str());
        assert!(seen["list"].get("uby").is_none() && seen["items"][0].get("cby").is_none(), "{seen}");
    }

    async fn several_people_edit_one_list_and_the_owner_sees_who_did_what(app: TestApp) {
        let (ann, bob, cid) = (app.shopper("ann").await, app.shopper("bob").await, app.shopper("cid").await);
        let dan = app.shopper("dan").await;
        ann.add(&ann.list("Own").await, &[9]).await;
        let lid = ann.list("Wedding").await;
        ann.add(&lid, &[1]).await;
        let key = link(&ann, &lid, &[("scope", "edit")]).await;
        assert_eq!(contents(&bob, &key).await["list"]["canEdit"], true);
        bob.add(&key, &[2]).await;
        cid.add(&key, &[3]).await;
        cid.post("lists/update-ctx", &[("lid", &key), ("u", r#"[{"epi":1,"empi":1001,"du":"https://shop.example/p/1","qty":4}]"#)])
            .await
            .ok();
        let guest = app.browser().await;
        guest.add(&key, &[4]).await;
        let who = |items: &Value| -> Vec<(i64, Value, Value)> {
            let of = |item: &Value, key: &str| item.get(key).cloned().unwrap_or(json!("?"));
            items.as_array().unwrap().iter()
                .map(|item| (item["epi"].as_i64().unwrap(), of(item, "cby"), of(item, "uby"))).collect()
        };
        let (a, b, c, nobody) = (json!("ann@example.com"), json!("bob@example.com"), json!("cid@example.com"), json!("?"));
        let expected = [
            (4, nobody.clone(), nobody.clone()),
            (3, c.clone(), c.clone()),
            (2, b.clone(), b.clone()),
            (1, a.clone(), c.clone()),
        ];
        let whole = contents(&ann, &lid).await;
        assert_eq!(who(&whole["items"]), expected);
        assert_eq!(who(&whole["list"]["listcontents"]), expected);
        assert_eq!(who(&ann.page(&lid, &[]).await["data"]["listcontents"]), expected);
        let other = ann.list("Housewarming").await;
        dan.add(&link(&ann, &other, &[("scope", "edit")]).await, &[7]).await;
        let lists = ann.post("lists/fetch-lists", &[]).await.ok();
        assert_eq!(who(&lists[0]["listcontents"]), [(9, a.clone(), a.clone())]);
        assert_eq!(who(&lists[1]["listcontents"]), expected);
        let d = json!("dan@example.com");
        assert_eq!(who(&lists[2]["listcontents"]), [(7, d.clone(), d.clone())]);
        assert_eq!((&lists[0]["uby"], lists[1].get("uby"), &lists[2]["uby"]), (&a, None, &d));
        // The last to touch the list was a guest, whom nobody knows.
        for list in [&whole["list"], &ann.post("lists/fetch-user-lists", &[]).await.ok()["data"][1]] {
            assert_eq!((&list["cby"], list.get("uby"), &list["cfor"]), (&a, None, &a), "{list}");
        }
        bob.post("lists/update-ctx", &[("lid", &key), ("d", r#"[{"epi":4}]"#)]).await.ok();
        assert_eq!(ann.page(&lid, &[]).await["data"]["uby"], b);
        // What the owner touches is the owner's again.
        let touched = ann.post("lists/update-ctx", &[("lid", &lid), ("u", &add_one(2))]).await.ok();
        assert_eq!((&touched["u"][0]["cby"], &touched["u"][0]["uby"]), (&b, &a));
        assert_eq!(ann.page(&lid, &[]).await["data"]["uby"], a);
        assert_eq!(whole["list"]["cnt"], 4);
        app.assert_sound().await;
        bob.post("lists/update-ctx", &[("lid", &key), ("d", r#"[{"epi":3}]"#)]).await.ok();
        assert_eq!(ann.post("lists/delete-list", &[("lid", &lid)]).await.ok()["uby"], b);
    }

    async fn an_editor_may_name_the_list_but_neither_put_it_away_nor_share_nor_delete_it(app: TestApp) {
        let (ann, bob) = (app.shopper("ann").await, app.shopper("bob").await);
        let lid = ann.list("Summer").await;
        let key = link(&ann, &lid, &[("scope", "edit")]).await;
        bob.post("lists/update", &[("lid", &key), ("lname", "Autumn"), ("lnote", "Rain")]).await.ok();
        assert_eq!(ann.page(&lid, &[]).await["data"]["lname"], "Autumn");
        for (path, fields) in [
            ("lists/update", vec![("archived", "true")]),
            ("lists/delete-list", vec![]),
            ("lists/markPublic", vec![]),
            ("lists/share-links/create", vec![]),
            ("lists/share-links/list", vec![]),
            ("lists/share-links/revoke", vec![("all", "true")]),
        ] {
            let mut all = vec![("lid", key.as_str())];
            all.extend(fields);
            bob.post(path, &all).await.fails(403, "forbidden");
        }
        bob.post("lists/fetch-user-list", &[("lid", &key)]).await.fails(404, "list-not-found");
    }

    async fn a_link_that_is_taken_back_or_has_expired_opens_nothing(app: TestApp) {
        let (ann, bob) = (app.shopper("ann").await, app.shopper("bob").await);
        let lid = ann.list("Summer").await;
        let until = (NOW + DAY).to_string();
        let short = link(&ann, &lid, &[("scope", "edit"), ("expires", &until), ("label", "Bob & Co <b>")]).await;
        let long = link(&ann, &lid, &[("scope", "edit")]).await;
        contents(&bob, &short).await;
        app.advance(DAY);
        assert_eq!(try_to_read(&bob, &short).await, (404, "list-not-found".into()));
        bob.post("lists/update-ctx", &[("lid", &short), ("a", &add_one(1))]).await.fails(404, "list-not-found");
        let links = ann.post("lists/share-links/list", &[("lid", &lid)]).await.ok()["links"].clone();
        assert_eq!(links[0]["key"], short.as_str());
        assert_eq!((&links[0]["expired"], &links[1]["expired"]), (&json!(true), &json!(false)));
        assert_eq!((&links[0]["label"], &links[1]["expires"]), (&json!("Bob & Co <b>"), &Value::Null));
        bob.add(&long, &[1]).await;
        let revoke = [("lid", lid.as_str()), ("key", &long)];
        assert_eq!(ann.post("lists/share-links/revoke", &revoke).await.ok()["revoked"], 1);
        assert_eq!(ann.post("lists/share-links/revoke", &revoke).await.ok()["revoked"], 0);
        assert_eq!(try_to_read(&bob, &long).await, (404, "list-not-found".into()));
        bob.post("lists/update-ctx", &[("lid", &long), ("a", &add_one(2))]).await.fails(404, "list-not-found");
        // What Bob brought stays.
        assert_eq!(epis(&contents(&ann, &lid).await["items"]), [1]);
    }

    async fn all_links_can_be_taken_back_at_once_and_go_with_the_list(app: TestApp) {
        let (ann, bob) = (app.shopper("ann").await, app.shopper("bob").await);
        let (lid, other) = (ann.list("Summer").await, ann.list("Winter").await);
        let keys = [link(&ann, &lid, &[]).await, link(&ann, &lid, &[("scope", "edit")]).await];
        let kept = link(&ann, &other, &[]).await;
        assert_eq!(ann.post("lists/share-links/revoke", &[("lid", &lid), ("all", "true")]).await.ok()["revoked"], 2);
        for key in &keys {
            assert_eq!(try_to_read(&bob, key).await, (404, "list-not-found".into()));
        }
        contents(&bob, &kept).await;
        ann.post("lists/delete-list", &[("lid", &other)]).await.ok();
        assert_eq!(try_to_read(&bob, &kept).await, (404, "list-not-found".into()));
        assert_eq!(app.rows("share_links").await, 0);
    }

    async fn a_key_of_another_store_or_of_nobody_opens_nothing(app: TestApp) {
        let ann = app.shopper("ann").await;
        let lid = ann.list("Summer").await;
        let key = link(&ann, &lid, &[]).await;
        let elsewhere = app.create_store(Default::default()).await;
        let eve = app.shopper_of(&elsewhere, "eve").await;
        assert_eq!(try_to_read(&eve, &key).await, (404, "list-not-found".into()));
        let mut forged = key.clone().into_bytes();
        forged[3] = if forged[3] == b'A' { b'B' } else { b'A' };
        let forged = String::from_utf8(forged).unwrap();
        assert_eq!(try_to_read(&ann, &forged).await, (404, "list-not-found".into()));
        ann.post("lists/share-links/revoke", &[("lid", &lid), ("key", &forged)]).await.fails(400, "invalid-parameter");
        // A link of one list does not revoke through another.
        let other = ann.list("Other").await;
        assert_eq!(ann.post("lists/share-links/revoke", &[("lid", &other), ("key", &key)]).await.ok()["revoked"], 0);
        contents(&ann, &key).await;
    }

    async fn the_owner_may_use_the_link_too_and_sees_everything(app: TestApp) {
        let ann = app.shopper("ann").await;
        let lid = ann.list("Summer").await;
        let key = link(&ann, &lid, &[]).await;
        ann.add(&key, &[1]).await;
        let seen = contents(&ann, &key).await;
        assert_eq!((&seen["list"]["lid"], &seen["list"]["canEdit"]), (&json!(lid), &json!(true)));
        assert_eq!(seen["items"][0]["cby"], "ann@example.com");
    }

    async fn what_a_link_says_is_checked(app: TestApp) {
        let ann = app.shopper("ann").await;
        let lid = ann.list("Summer").await;
        let past = (NOW - 1).to_string();
        for (name, value) in [("scope", "own"), ("expires", "soon"), ("expires", &past), ("label", &"x".repeat(101))] {
            ann.post("lists/share-links/create", &[("lid", &lid), (name, value)]).await.fails(400, "invalid-parameter");
        }
        for _ in 0..100 {
            link(&ann, &lid, &[]).await;
        }
        ann.post("lists/share-links/create", &[("lid", &lid)]).await.fails(400, "limit-reached");
        ann.post("lists/share-links/revoke", &[("lid", &lid)]).await.fails(400, "missing-parameter");
    }

    async fn a_key_that_is_encoded_twice_opens_the_list_all_the_same(app: TestApp) {
        let ann = app.shopper("ann").await;
        let lid = ann.list("Summer").await;
        let key = link(&ann, &lid, &[]).await;
        // Keys are URL-safe, so encoding them once more changes nothing.
        assert_eq!(encode(&key).replace("%2D", "-").replace("%5F", "_"), key);
        contents(&ann, &key).await;
        let body = format!("regid={}&sessionid={}&lid={key}", ann.regid, ann.sessionid);
        let uri = format!("/api/v3/lists/fetch-list-with-contents?pid={}", encode(&encode(&ann.pid)));
        send(&app.router, "POST", &uri, &[crate::support::FORM], body).await.ok();
    }

    async fn taking_a_link_back_while_it_is_used_ends_in_one_of_two_orders(app: TestApp) {
        let (ann, bob) = (app.shopper("ann").await, app.shopper("bob").await);
        for round in 0..10 {
            let lid = ann.list("Summer").await;
            let key = link(&ann, &lid, &[("scope", "edit")]).await;
            let (item, other) = (add_one(round + 1), add_one(round + 100));
            let (add, also) = ([("lid", key.as_str()), ("a", &item)], [("lid", key.as_str()), ("a", &other)]);
            let revoke = [("lid", lid.as_str()), ("key", &key)];
            let (one, two, revoked) = tokio::join!(
                bob.post("lists/update-ctx", &add),
                bob.post("lists/update-ctx", &also),
                ann.post("lists/share-links/revoke", &revoke),
            );
            assert_eq!(revoked.ok()["revoked"], 1);
            let done = [one, two].iter().filter(|reply| reply.status == 200).count();
            assert_eq!(ann.page(&lid, &[]).await["data"]["cnt"], done);
            bob.post("lists/update-ctx", &add).await.fails(404, "list-not-found");
        }
        app.assert_sound().await;
    }

    async fn what_an_erased_editor_did_is_never_said_of_another(app: TestApp) {
        let (ann, bob, cid) = (app.shopper("ann").await, app.shopper("bob").await, app.shopper("cid").await);
        let lid = ann.list("Summer").await;
        let key = link(&ann, &lid, &[("scope", "edit")]).await;
        bob.add(&key, &[1]).await;
        app.store_admin().form("/storeadmin/v3/user/erase", &[("useremail", "bob@example.com")]).await.ok();
        cid.add(&key, &[2]).await;
        let items = contents(&ann, &lid).await["items"].clone();
        assert_eq!((&items[0]["epi"], &items[0]["cby"]), (&json!(2), &json!("cid@example.com")));
        assert_eq!((&items[1]["epi"], items[1].get("cby")), (&json!(1), None));
    }

    async fn no_operation_tells_a_visitor_who_the_owner_is(app: TestApp) {
        let (ann, bob) = (app.shopper("ann").await, app.shopper("bob").await);
        ann.post("user/save", &[("fname", "Annabel"), ("lname", "Owner")]).await.ok();
        for visitor in [bob, app.guest().await, app.browser().await] {
            // By its lid, by either kind of link; each time with a new list, since some calls change it.
            for scope in ["public", "view", "edit"] {
                let lid = ann.list("Summer").await;
                ann.add(&lid, &[1, 2, 3]).await;
                ann.post("lists/comments/add", &[("lid", &lid), ("epi", "1"), ("text", "nice")]).await.ok();
                let owned = ann.page(&lid, &[]).await["data"].clone();
                let mut secrets: Vec<&str> = ["cby", "uid", "di", "_pkey"].iter().map(|key| owned[*key].as_str().unwrap()).collect();
                secrets.extend(["Annabel", "ann@"]);
                let name = match scope {
                    "public" => {
                        ann.post("lists/markPublic", &[("lid", &lid)]).await.ok();
                        lid.clone()
                    }
                    scope => {
                        secrets.push(&lid);
                        link(&ann, &lid, &[("scope", scope)]).await
                    }
                };
                let subject = Subject {
                    shopper: visitor.clone(),
                    store: app.store.clone(),
                    email: "visitor@example.com".into(),
                    lid: name.clone(),
                    saved_lid: name,
                    next: String::new(),
                    saved_next: String::new(),
                    webhook: app.webhook().await,
                };
                let mut answered = 0;
                for call in calls(&subject).iter().filter(|call| call.caller == Caller::Shopper) {
                    // Logging in would end this visitor.
                    if call.path.ends_with("/user-validate-sync") {
                        continue;
                    }
                    let reply = call.send_with(&app.router, &[]).await;
                    assert!(!reply.status.is_server_error(), "{}: {}", call.path, reply.text());
                    answered += usize::from(reply.status == 200);
                    let told = format!("{:?}{}", reply.headers, reply.text());
                    for secret in &secrets {
                        assert!(!told.contains(secret), "{scope}: {} tells {secret}: {told}", call.path);
                    }
                }
                assert!(answered > 5, "{scope}: only {answered} calls were answered");
            }
        }
        app.assert_sound().await;
    }

    async fn a_list_that_is_deleted_while_others_edit_it_is_gone_without_a_fault(app: TestApp) {
        let (ann, bob, cid) = (app.shopper("ann").await, app.shopper("bob").await, app.shopper("cid").await);
        for round in 0..10 {
            let lid = ann.list("Summer").await;
            ann.add(&lid, &[1000]).await;
            let key = link(&ann, &lid, &[("scope", "edit")]).await;
            let item = add_one(round + 1);
            let add = [("lid", key.as_str()), ("a", &item)];
            let say = [("lid", key.as_str()), ("epi", "1000"), ("text", "nice")];
            let copy = [("fromlid", key.as_str()), ("lname", "Copy")];
            let delete = [("lid", lid.as_str())];
            let (one, two, three, gone) = tokio::join!(
                bob.post("lists/update-ctx", &add),
                cid.post("lists/comments/add", &say),
                cid.post("lists/create", &copy),
                ann.post("lists/delete-list", &delete),
            );
            gone.ok();
            for reply in [one, two, three] {
                assert!(reply.status == 200 || reply.status == 404, "{} {}", reply.status, reply.text());
            }
        }
        app.assert_sound().await;
    }
}
