//! Comments on items of a list that several people edit.

use serde_json::{Value, json};

use crate::support::Client;

async fn link(owner: &Client, lid: &str, scope: &str) -> String {
    let made = owner.post("lists/share-links/create", &[("lid", lid), ("scope", scope)]).await.ok();
    made["link"]["key"].as_str().unwrap().to_owned()
}

async fn say(client: &Client, lid: &str, epi: &str, text: &str) -> Value {
    client.post("lists/comments/add", &[("lid", lid), ("epi", epi), ("text", text)]).await.ok()
}

async fn texts(client: &Client, lid: &str, fields: &[(&str, &str)]) -> Vec<String> {
    let mut all = vec![("lid", lid)];
    all.extend_from_slice(fields);
    let found = client.post("lists/comments/list", &all).await.ok();
    found["comments"].as_array().unwrap().iter().map(|c| c["text"].as_str().unwrap().to_owned()).collect()
}

async fn count(client: &Client, lid: &str) -> Value {
    client.post("lists/fetch-list-with-contents", &[("lid", lid)]).await.ok()["list"]["itemcmnts"].clone()
}

both_engines! {
    async fn comments_are_counted_in_the_list_and_listed_oldest_first(app: TestApp) {
        let ann = app.shopper("ann").await;
        let lid = ann.list("Summer").await;
        ann.add(&lid, &[1, 2]).await;
        say(&ann, &lid, "2", "second item").await;
        say(&ann, &lid, "1", "in blue?").await;
        let last = say(&ann, &lid, "1", "or <b>green</b> 🟢").await;
        assert_eq!(last["itemcmnts"], 3);
        assert_eq!(count(&ann, &lid).await, 3);
        assert_eq!(texts(&ann, &lid, &[("epi", "1")]).await, ["in blue?", "or <b>green</b> 🟢"]);
        assert_eq!(texts(&ann, &lid, &[]).await, ["in blue?", "or <b>green</b> 🟢", "second item"]);
        assert_eq!(texts(&ann, &lid, &[("limit", "1"), ("offset", "1")]).await, ["or <b>green</b> 🟢"]);
        app.assert_sound().await;
    }

    async fn the_owner_sees_who_said_it_and_others_only_the_name_that_was_given(app: TestApp) {
        let (ann, bob) = (app.shopper("ann").await, app.shopper("bob").await);
        let lid = ann.list("Summer").await;
        ann.add(&lid, &[1]).await;
        let key = link(&ann, &lid, "edit").await;
        say(&ann, &lid, "1", "mine").await;
        bob.post("lists/comments/add", &[("lid", &key), ("epi", "1"), ("text", "hers"), ("fromname", "Bobby")]).await.ok();
        let seen = ann.post("lists/comments/list", &[("lid", &lid)]).await.ok()["comments"].clone();
        assert_eq!((&seen[0]["cby"], &seen[1]["cby"]), (&json!("ann@example.com"), &json!("bob@example.com")));
        assert_eq!((&seen[0]["byowner"], &seen[1]["byowner"], &seen[1]["mine"]), (&json!(true), &json!(false), &json!(false)));
        assert_eq!(seen[1]["fromname"], "Bobby");
        let reply = bob.post("lists/comments/list", &[("lid", &key)]).await;
        assert_eq!(reply.ok()["comments"][1]["mine"], true);
        assert!(!reply.text().contains("@example.com"), "{}", reply.text());
    }

    async fn commenting_needs_the_right_to_edit_and_reading_the_right_to_read(app: TestApp) {
        let (ann, bob) = (app.shopper("ann").await, app.shopper("bob").await);
        let lid = ann.list("Summer").await;
        ann.add(&lid, &[1]).await;
        say(&ann, &lid, "1", "mine").await;
        let add = |lid: &str| {
            let (bob, lid) = (bob.clone(), lid.to_owned());
            async move { bob.post("lists/comments/add", &[("lid", &lid), ("epi", "1"), ("text", "x")]).await }
        };
        add(&lid).await.fails(403, "forbidden");
        bob.post("lists/comments/list", &[("lid", &lid)]).await.fails(403, "forbidden");
        let view = link(&ann, &lid, "view").await;
        add(&view).await.fails(403, "forbidden");
        assert_eq!(texts(&bob, &view, &[]).await, ["mine"]);
        ann.post("lists/markPublic", &[("lid", &lid)]).await.ok();
        add(&lid).await.fails(403, "forbidden");
        assert_eq!(texts(&bob, &lid, &[]).await, ["mine"]);
    }

    async fn authors_and_the_owner_may_delete_a_comment_and_nobody_else(app: TestApp) {
        let (ann, bob, cid) = (app.shopper("ann").await, app.shopper("bob").await, app.shopper("cid").await);
        let lid = ann.list("Summer").await;
        ann.add(&lid, &[1]).await;
        let key = link(&ann, &lid, "edit").await;
        let of = |made: Value| made["comment"]["id"].as_str().unwrap().to_owned();
        let (first, second) = (of(say(&bob, &key, "1", "one").await), of(say(&bob, &key, "1", "two").await));
        cid.post("lists/comments/delete", &[("lid", &key), ("id", &first)]).await.fails(403, "forbidden");
        bob.post("lists/comments/delete", &[("lid", &key), ("id", &first)]).await.ok();
        ann.post("lists/comments/delete", &[("lid", &lid), ("id", &second)]).await.ok();
        let again = ann.post("lists/comments/delete", &[("lid", &lid), ("id", &second)]).await.ok();
        assert_eq!((&again["comment"], &again["itemcmnts"]), (&Value::Null, &json!(0)));
        assert_eq!(count(&ann, &lid).await, 0);
    }

    async fn comments_go_with_their_item_and_with_their_list(app: TestApp) {
        let ann = app.shopper("ann").await;
        let lid = ann.list("Summer").await;
        ann.add(&lid, &[1, 2]).await;
        say(&ann, &lid, "1", "one").await;
        say(&ann, &lid, "1", "two").await;
        say(&ann, &lid, "2", "three").await;
        ann.post("lists/update-ctx", &[("lid", &lid), ("d", r#"[{"epi":1},{"epi":9}]"#)]).await.ok();
        assert_eq!(count(&ann, &lid).await, 1);
        // Changing or adding an item again keeps what was said of it; taking it off and putting it back does not.
        ann.add(&lid, &[2]).await;
        assert_eq!(count(&ann, &lid).await, 1);
        let item = r#"[{"epi":2,"empi":1002,"du":"https://shop.example/p/2"}]"#;
        ann.post("lists/update-ctx", &[("lid", &lid), ("d", item), ("a", item)]).await.ok();
        assert_eq!(count(&ann, &lid).await, 0);
        assert_eq!(app.rows("comments").await, 0);
        say(&ann, &lid, "2", "four").await;
        app.assert_sound().await;
        ann.post("lists/delete-list", &[("lid", &lid)]).await.ok();
        assert_eq!(app.rows("comments").await, 0);
    }

    async fn what_a_comment_says_is_checked(app: TestApp) {
        let ann = app.shopper("ann").await;
        let lid = ann.list("Summer").await;
        ann.add(&lid, &[1]).await;
        let add = async |epi: &str, text: &str| {
            ann.post("lists/comments/add", &[("lid", &lid), ("epi", epi), ("text", text)]).await
        };
        add("7", "x").await.fails(400, "item-not-found");
        add("0", "x").await.fails(400, "invalid-parameter");
        add("one", "x").await.fails(400, "invalid-parameter");
        add("1", "  ").await.fails(400, "missing-parameter");
        add("1", &"é".repeat(1_001)).await.fails(400, "invalid-parameter");
        add("1", &"é".repeat(1_000)).await.ok();
        ann.post("lists/comments/delete", &[("lid", &lid), ("id", "x")]).await.fails(400, "invalid-parameter");
    }

    async fn a_comment_breaks_whole_or_is_there_whole(app: TestApp) {
        let ann = app.shopper("ann").await;
        let lid = ann.list("Summer").await;
        ann.add(&lid, &[1]).await;
        app.break_everywhere(async || {
            ann.post("lists/comments/add", &[("lid", &lid), ("epi", "1"), ("text", "x")]).await
        })
        .await;
        assert_eq!(count(&ann, &lid).await, 1);
    }
}
