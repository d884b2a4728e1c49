//! Shape of the request → store → shopper → logged in → feature → parameters → list → ownership.

use wishbone_core::stores::settings::{Feature, Plan, SettingsChange};
use wishbone_server::api::operation::Caller;

use super::{BETA, Case, NO_LIST, ONE_ITEM, Shop, posts};
use crate::support::{Client, FORM, JSON, send};

both_engines! {
    async fn the_request_is_checked_before_the_store_and_the_store_before_the_shopper(app: TestApp) {
        let Shop { ann, .. } = Shop::new(&app).await;
        let nobody = Client { pid: "nobody".into(), regid: "x".into(), sessionid: "y".into(), ..ann.clone() };
        for path in posts(Caller::Shopper) {
            let uri = format!("{path}?pid=nobody");
            send(&app.router, "POST", &uri, &[JSON], "{}").await.fails(400, "invalid-content-type");
            send(&app.router, "POST", &uri, &[FORM], "regid=x&regid=y").await.fails(400, "invalid-parameter");
            send(&app.router, "POST", &uri, &[FORM], "regid=%ff").await.fails(400, "invalid-parameter");
            send(&app.router, "POST", &format!("{uri}&pid=again"), &[], "").await.fails(400, "invalid-parameter");
            send(&app.router, "POST", &uri, &[FORM], vec![b'x'; (1 << 20) + 1]).await.fails(400, "body-too-large");
            nobody.raw(path, &[("regid", "x"), ("sessionid", "y")]).await.fails(401, "unknown-store");
            nobody.raw(path, &[]).await.fails(401, "unknown-store");
            ann.raw(path, &[("sessionid", "y")]).await.fails(400, "missing-parameter");
            ann.raw(path, &[("regid", &ann.regid)]).await.fails(400, "missing-parameter");
            ann.raw(path, &[("regid", &ann.regid), ("sessionid", "y")]).await.fails(401, "bad-regid");
        }
        for path in posts(Caller::StoreAdmin) {
            let wrong = [("authorization", "Basic eDp5"), ("content-type", "text/plain")];
            send(&app.router, "POST", path, &wrong, "x").await.fails(400, "invalid-content-type");
            send(&app.router, "POST", path, &wrong[..1], "").await.fails(401, "bad-api-key");
        }
    }

    async fn the_shopper_is_checked_before_the_feature_and_the_feature_before_parameters(app: TestApp) {
        let Shop { ann, guest, lid, .. } = Shop::new(&app).await;
        app.set(SettingsChange {
            disable: vec![Feature::SaveForLater, Feature::Subscriptions],
            ..SettingsChange::default()
        })
        .await;
        let stranger = Client { sessionid: "12345678".into(), ..ann.clone() };
        for path in BETA {
            stranger.post(path, &[]).await.fails(401, "bad-regid");
            for client in [&ann, &guest] {
                client.post(path, &[]).await.fails(403, "feature-not-enabled");
                client
                    .post(path, &[("lid", NO_LIST), ("items", "x"), ("topic", "x"), ("itemslimit", "x")])
                    .await
                    .fails(403, "feature-not-enabled");
            }
        }
        // A guest is told to log in before anything else is looked at.
        for fields in [
            vec![],
            vec![("itemslimit", "1")],
            vec![("lid", NO_LIST)],
            vec![("lid", lid.as_str()), ("sortby", "x"), ("next", "x")],
        ] {
            guest.post("lists/fetch-user-list", &fields).await.fails(401, "user-not-logged-in");
        }
    }

    async fn parameters_are_checked_before_the_list_and_the_list_before_its_owner(app: TestApp) {
        let Shop { ann, lid, saved, bea_lid, .. } = Shop::new(&app).await;
        for lid in [NO_LIST, &bea_lid, "no uuid"] {
            let cases: &[Case<'_>] = &[
                ("lists/fetch-user-list", &[("itemslimit", "20")], "min-items-limit-not-met"),
                ("lists/fetch-user-list", &[("itemslimit", "200")], "max-items-limit-exceeded"),
                ("lists/fetch-user-list", &[("itemslimit", "x")], "invalid-parameter"),
                ("lists/fetch-user-list", &[("sortby", "x")], "invalid-parameter"),
                ("lists/fetch-list-with-contents?limit=-1", &[], "invalid-parameter"),
                ("lists/fetch-list-with-contents?offset=x", &[], "invalid-parameter"),
                ("lists/fetch-list-with-contents", &[("excludeArchived", "maybe")], "invalid-parameter"),
                ("lists/update", &[], "missing-parameter"),
                ("lists/update", &[("archived", "maybe")], "invalid-parameter"),
                ("lists/update-ctx", &[], "missing-parameter"),
                ("lists/update-ctx", &[("a", "[]")], "invalid-parameter"),
                ("lists/update-ctx", &[("a", ONE_ITEM), ("d", "{}")], "invalid-parameter"),
                ("lists/sfl/add", &[], "missing-parameter"),
                ("lists/sfl/add", &[("items", "[]")], "invalid-parameter"),
                ("lists/sfl/update", &[("items", ONE_ITEM)], "missing-parameter"),
                ("lists/sfl/remove", &[("items", "7")], "invalid-parameter"),
                ("lists/sfl/moved-to-cart", &[("items", "null")], "invalid-parameter"),
            ];
            for (path, fields, code) in cases {
                let mut all = vec![("lid", lid)];
                all.extend_from_slice(fields);
                ann.post(path, &all).await.fails(400, code);
            }
        }
        // Sort and filter count as sent whatever their values; an empty one was not sent.
        app.set(SettingsChange { plan: Some(Plan::Standard), ..SettingsChange::default() }).await;
        for (name, value) in [("sortby", "price"), ("sortby", "x"), ("sortorder", "asc"), ("filterby", "instock")] {
            ann.post("lists/fetch-user-list", &[("lid", NO_LIST), (name, value)])
                .await
                .fails(400, "sort-filter-disabled");
        }
        ann.post(
            "lists/fetch-user-list",
            &[("lid", &lid), ("sortby", ""), ("sortorder", ""), ("filterby", ""), ("next", ""), ("itemslimit", "")],
        )
        .await
        .ok();
        ann.post("lists/sfl/add", &[("lid", &lid), ("items", ONE_ITEM)]).await.fails(400, "not-save-for-later");
        ann.post("lists/sfl/add", &[("lid", &saved), ("items", ONE_ITEM)]).await.ok();
    }
}
