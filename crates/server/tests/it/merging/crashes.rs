//! Failures at every point, and rivals at the same moment: all or nothing, once.

use futures_util::future::{join, join_all};
use serde_json::json;

use super::{contents, everything, names, sync, typed_list, undo};
use crate::support::{Client, TestApp, item};

/// A guest and a shopper with something to move, to unite and to save for later.
async fn parties(app: &TestApp) -> (Client, Client) {
    let (guest, ann) = (app.guest().await, app.shopper("ann").await);
    let hers = ann.list("A").await;
    ann.add(&hers, &[1, 2]).await;
    for (name, kind, variants) in [("a", "wl", [2, 3]), ("B", "wl", [4, 5]), ("s", "sfl", [6, 7]), ("t", "sfl", [7, 8])]
    {
        let lid = typed_list(&guest, name, kind).await;
        guest.add(&lid, &variants).await;
    }
    (guest, ann)
}

both_engines! {
    async fn a_merge_that_breaks_at_any_point_is_done_as_a_whole_or_not_at_all(app: TestApp) {
        let (guest, ann) = parties(&app).await;
        app.break_everywhere(async || sync(&app, &guest, "ann").await).await;
        // Only the answer was lost, and asking again brings it.
        let merged = app.tables().await;
        sync(&app, &guest, "ann").await.ok();
        assert_eq!(app.tables().await, merged);
        assert_eq!(names(&ann).await.len(), 3);
    }

    async fn an_undo_that_breaks_at_any_point_is_done_as_a_whole_or_not_at_all(app: TestApp) {
        let (guest, ann) = parties(&app).await;
        let before = everything(&guest).await;
        sync(&app, &guest, "ann").await.ok();
        let lid = names(&ann).await[1].0.clone();
        ann.add(&lid, &[9]).await;
        app.break_everywhere(async || undo(&app, &guest, "ann").await).await;
        assert_eq!(undo(&app, &guest, "ann").await.ok()["undone"], false);
        assert_eq!(everything(&guest).await, before);
    }

    async fn many_merges_of_one_guest_at_once_are_one(app: TestApp) {
        let (guest, ann) = parties(&app).await;
        let replies = join_all((0..8).map(|_| sync(&app, &guest, "ann"))).await;
        for reply in replies {
            assert_eq!(reply.ok()["regid"], ann.regid.as_str());
        }
        assert_eq!((names(&ann).await.len(), app.rows("items").await), (3, 8));
        assert_eq!(app.rows("merges").await, 1);
        app.assert_sound().await;
    }

    async fn a_guest_who_logs_in_twice_at_once_is_one_of_the_two(app: TestApp) {
        let (guest, ann) = parties(&app).await;
        let bea = app.shopper("bea").await;
        let (one, other) = join(sync(&app, &guest, "ann"), sync(&app, &guest, "bea")).await;
        let (won, lost) = if one.status == 200 { (one, other) } else { (other, one) };
        won.ok();
        lost.fails(403, "forbidden");
        assert_eq!(names(&ann).await.len() + names(&bea).await.len(), if names(&bea).await.is_empty() { 3 } else { 4 });
        app.assert_sound().await;
    }

    async fn what_both_add_during_a_merge_is_lost_only_if_they_are_told_so(app: TestApp) {
        let (guest, ann) = parties(&app).await;
        let (of_guest, hers) = (names(&guest).await, names(&ann).await[0].0.clone());
        let (united, moved) = (&of_guest[0].0, &of_guest[1].0);
        let calls = (0..24).map(|n: i64| {
            let (guest, ann, app) = (&guest, &ann, &app);
            let hers = &hers;
            async move {
                let variant = 100 + n;
                let items = json!([item(variant)]).to_string();
                let reply = match n % 4 {
                    0 => guest.post("lists/update-ctx", &[("lid", united), ("a", &items)]).await,
                    1 => guest.post("lists/update-ctx", &[("lid", moved), ("a", &items)]).await,
                    2 => ann.post("lists/update-ctx", &[("lid", hers), ("a", &items)]).await,
                    _ if n == 11 => sync(app, guest, "ann").await,
                    _ => guest.post("lists/create", &[("lname", "New")]).await,
                };
                (n, variant, reply)
            }
        });
        let replies = join_all(calls).await;
        let all = everything(&ann).await;
        let has = |variant: i64| {
            all.iter().any(|list| list["items"].as_array().unwrap().iter().any(|item| item["epi"] == variant))
        };
        for (n, variant, reply) in &replies {
            match (reply.status.as_u16(), n % 4) {
                (200, 0..=2) => assert!(has(*variant), "{n} was told that {variant} is kept"),
                (200, _) => {}
                // The guest came too late.
                (401 | 403 | 404, _) => assert!(!has(*variant), "{n}"),
                other => panic!("{n}: {other:?} {}", reply.text()),
            }
        }
        let made = replies.iter().filter(|(n, _, reply)| n % 4 == 3 && *n != 11 && reply.status == 200).count();
        assert_eq!(names(&ann).await.len(), 3 + made);
        assert_eq!(contents(&ann, &hers).await["list"]["lname"], "A");
        app.assert_sound().await;
    }
}
