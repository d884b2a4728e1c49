//! Reports of share buttons: counted by list and medium.

use crate::support::{Client, Reply, TestApp};

async fn share(by: &Client, lid: &str, medium: &str) -> Reply {
    by.post("lists/reportShare", &[("lid", lid), ("fromname", "Ann"), ("medium", medium)]).await
}

/// Medium and count of every list, in order.
async fn shares(app: &TestApp) -> Vec<(String, String)> {
    let rows = app.app.database.dump("shares").await.unwrap();
    let column = |row: &str, n: usize| row.split(" | ").nth(n).unwrap().to_owned();
    rows.iter().map(|row| (column(row, 2), column(row, 3))).collect()
}

both_engines! {
    async fn shares_are_counted_by_medium(app: TestApp) {
        let ann = app.shopper("ann").await;
        let lid = ann.list("Summer").await;
        assert_eq!(share(&ann, &lid, "facebook").await.ok(), serde_json::json!({ "lid": lid }));
        share(&ann, &lid, " Facebook ").await.ok();
        share(&ann, &lid, "💌").await.ok();
        let counted = shares(&app).await;
        assert_eq!(counted.len(), 2);
        assert!(counted.contains(&("facebook".to_owned(), "2".to_owned())), "{counted:?}");
    }

    async fn a_name_may_be_absent_or_empty(app: TestApp) {
        let ann = app.shopper("ann").await;
        let lid = ann.list("Summer").await;
        ann.post("lists/reportShare", &[("lid", &lid), ("medium", "email")]).await.ok();
        ann.post("lists/reportShare", &[("lid", &lid), ("medium", "email"), ("fromname", "")]).await.ok();
        let long = "x".repeat(101);
        ann.post("lists/reportShare", &[("lid", &lid), ("medium", "email"), ("fromname", &long)]).await.fails(400, "invalid-parameter");
        assert_eq!(shares(&app).await, [("email".to_owned(), "2".to_owned())]);
    }

    async fn visitors_share_what_they_may_read(app: TestApp) {
        let ann = app.shopper("ann").await;
        let lid = ann.list("Summer").await;
        let guest = app.guest().await;
        share(&guest, &lid, "email").await.fails(403, "forbidden");
        ann.post("lists/markPublic", &[("lid", &lid)]).await.ok();
        share(&guest, &lid, "email").await.ok();
        share(&guest, "nonsense", "email").await.fails(404, "list-not-found");
        share(&ann, &lid, &"x".repeat(51)).await.fails(400, "invalid-parameter");
        share(&ann, &lid, "  ").await.fails(400, "invalid-parameter");
        assert_eq!(shares(&app).await.len(), 1);
    }

    async fn a_list_has_a_bounded_number_of_media(app: TestApp) {
        let ann = app.shopper("ann").await;
        let lid = ann.list("Summer").await;
        for n in 0..40 {
            share(&ann, &lid, &format!("medium{n}")).await.ok();
        }
        share(&ann, &lid, "medium9").await.ok();
        let counted = shares(&app).await;
        assert_eq!(counted.len(), 21, "{counted:?}");
        for (medium, times) in [("medium9", "2"), ("other", "20")] {
            assert!(counted.contains(&(medium.to_owned(), times.to_owned())), "{counted:?}");
        }
    }

    async fn shares_go_with_their_list(app: TestApp) {
        let ann = app.shopper("ann").await;
        let (lid, kept) = (ann.list("Summer").await, ann.list("Winter").await);
        share(&ann, &lid, "email").await.ok();
        share(&ann, &kept, "email").await.ok();
        ann.post("lists/delete-list", &[("lid", &lid)]).await.ok();
        assert_eq!(app.rows("shares").await, 1);
    }
}
