use crate::support::epis;

both_engines! {
    async fn adding_an_item_twice_keeps_one(app: TestApp) {
        let ann = app.shopper("ann").await;
        let lid = ann.list("Summer").await;
        ann.add(&lid, &[1, 2, 3]).await;
        ann.add(&lid, &[2]).await;
        let page = ann.page(&lid, &[]).await;
        assert_eq!(epis(&page["data"]["listcontents"]), [3, 2, 1]);
        assert_eq!(page["data"]["cnt"], 3);
        assert_eq!(page["pagination"]["next"], serde_json::Value::Null);
    }
}
