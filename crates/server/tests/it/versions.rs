//! Versions: whoever says which version of a list they have seen is told when there is a newer one.

use serde_json::{Value, json};

use crate::support::{Client, Reply, epis, item};

async fn version(client: &Client, lid: &str) -> i64 {
    client.page(lid, &[]).await["data"]["version"].as_i64().unwrap()
}

async fn add_if(client: &Client, lid: &str, variant: i64, version: &str) -> Reply {
    let items = json!([item(variant)]).to_string();
    client.post("lists/update-ctx", &[("lid", lid), ("a", &items), ("ifversion", version)]).await
}

both_engines! {
    async fn the_second_of_two_who_have_seen_the_same_version_is_told(app: TestApp) {
        let ann = app.shopper("ann").await;
        let lid = ann.list("Summer").await;
        let seen = version(&ann, &lid).await;
        let first = add_if(&ann, &lid, 1, &seen.to_string()).await;
        let now: i64 = first.header("x-list-version").unwrap().parse().unwrap();
        first.ok();
        assert!(now > seen);
        let second = add_if(&ann, &lid, 2, &seen.to_string()).await;
        let body: Value = second.fails(400, "version-conflict");
        assert_eq!(body["version"], now);
        assert_eq!(epis(&ann.page(&lid, &[]).await["data"]["listcontents"]), [1]);
        add_if(&ann, &lid, 2, &now.to_string()).await.ok();
        assert_eq!(epis(&ann.page(&lid, &[]).await["data"]["listcontents"]), [2, 1]);
    }

    async fn every_change_raises_the_version_and_every_write_can_name_it(app: TestApp) {
        let ann = app.shopper("ann").await;
        let lid = ann.list("Summer").await;
        let changes: &[(&str, &[(&str, &str)])] = &[
            ("lists/update", &[("lname", "Autumn")]),
            ("lists/update-ctx", &[("a", r#"[{"epi":1,"empi":1,"du":"https://shop.example/1"}]"#)]),
            ("lists/update-ctx", &[("u", r#"[{"epi":1,"empi":1,"du":"https://shop.example/1","qty":2}]"#)]),
            ("lists/update-ctx", &[("d", r#"[{"epi":1}]"#)]),
            ("lists/markPublic", &[]),
        ];
        for (path, fields) in changes {
            let before = version(&ann, &lid).await;
            let call = |seen: i64| {
                let (ann, lid) = (ann.clone(), lid.clone());
                async move {
                    let seen = seen.to_string();
                    let mut all = vec![("lid", lid.as_str()), ("ifversion", &seen)];
                    all.extend_from_slice(fields);
                    ann.post(path, &all).await
                }
            };
            call(before + 1).await.fails(400, "version-conflict");
            assert_eq!(version(&ann, &lid).await, before, "{path}");
            call(before).await.ok();
            assert!(version(&ann, &lid).await > before, "{path}");
        }
        ann.post("lists/delete-list", &[("lid", &lid), ("ifversion", "1")]).await.fails(400, "version-conflict");
        let now = version(&ann, &lid).await.to_string();
        ann.post("lists/delete-list", &[("lid", &lid), ("ifversion", &now)]).await.ok();
    }

    async fn a_version_that_is_none_is_a_bad_parameter_and_nobody_else_learns_the_real_one(app: TestApp) {
        let (ann, bob) = (app.shopper("ann").await, app.shopper("bob").await);
        let lid = ann.list("Summer").await;
        for bad in ["-1", "one", "1.5", "99999999999999999999"] {
            add_if(&ann, &lid, 1, bad).await.fails(400, "invalid-parameter");
        }
        // Ownership comes first.
        add_if(&bob, &lid, 1, "77").await.fails(403, "forbidden");
    }

    async fn of_many_who_write_at_once_with_the_same_version_one_wins_and_without_a_version_all_do(app: TestApp) {
        let ann = app.shopper("ann").await;
        let lid = ann.list("Summer").await;
        let seen = version(&ann, &lid).await.to_string();
        let tries = futures_util::future::join_all((1..=8).map(|n| add_if(&ann, &lid, n, &seen))).await;
        assert_eq!(tries.iter().filter(|reply| reply.status == 200).count(), 1);
        futures_util::future::join_all((11..=18).map(|n| {
            let (ann, lid) = (ann.clone(), lid.clone());
            async move { ann.add(&lid, &[n]).await }
        }))
        .await;
        assert_eq!(ann.page(&lid, &[]).await["data"]["cnt"], 9);
        app.assert_sound().await;
    }
}
