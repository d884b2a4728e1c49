//! Events of subscriptions and alerts reach the store's webhooks.

use wishbone_server::jobs::deliver_webhooks::deliver_due;

use super::*;
use crate::support::receiver::Receiver;

both_engines! {
    async fn a_subscription_and_its_alert_are_reported(app: TestApp) {
        let mailing = Mailing::start(&app).await;
        let receiver = Receiver::start().await;
        let body = json!({ "url": receiver.url(), "events": ["*"] });
        app.store_admin().json("/storeadmin/v3/webhooks/create", &body).await.ok();
        chair(&app).await;
        for name in ["ann", "never"] {
            subscribe(&app, name, "backinstock", &[]).await.ok();
        }
        let ben = app.shopper("ben").await;
        ben.post("subscriptions/add", &subscription("pricedrop", "ben@example.com", "1")).await.ok();
        ben.post("subscriptions/remove", &[("epi", "1"), ("topic", "pricedrop")]).await.ok();
        app.browser().await.post("subscriptions/add", &subscription("backinstock", "eve@example.com", "1")).await.ok();
        stock(&app, json!(2)).await;
        mailing.work(&app).await;
        app.advance(1);
        deliver_due(&app.app).await.unwrap();
        let received = receiver.take();
        let mut kinds: Vec<String> = received.iter().map(|event| event.kind()).collect();
        kinds.sort();
        assert_eq!(
            kinds,
            [
                "alert.failed",
                "alert.sent",
                "subscription.created",
                "subscription.created",
                "subscription.created",
                "subscription.created",
                "subscription.removed",
            ]
        );
        let sent = received.iter().find(|event| event.kind() == "alert.sent").unwrap().json();
        let data = &sent["data"];
        assert_eq!((&data["mediumvalue"], &data["status"], &data["epi"]), (&json!("ann@example.com"), &json!(1), &json!(1)));
        assert_eq!((&data["pid"], data["uid"].is_string()), (&json!(app.store.pid), true));
        let unconfirmed = received.iter().map(|event| event.json()["data"].clone()).filter(|data| data["unconfirmed"] == true);
        let states: Vec<Value> = unconfirmed.map(|data| json!([data["mediumvalue"], data["state"]])).collect();
        assert_eq!(states, [json!(["eve@example.com", "unconfirmed"])]);
        let failed = received.iter().find(|event| event.kind() == "alert.failed").unwrap().json();
        assert!(failed["data"]["lasterror"].as_str().unwrap().contains("nobody here"), "{failed}");
    }
}
