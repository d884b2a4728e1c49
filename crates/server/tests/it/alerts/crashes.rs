//! Failures of the database at every point.

use super::*;

both_engines! {
    async fn a_call_happens_as_a_whole_or_not_at_all(app: TestApp) {
        chair(&app).await;
        let (ann, guest, admin) = (app.shopper("ann").await, app.guest().await, app.store_admin());
        let own = subscription("backinstock", "ann@example.com", "1");
        app.break_everywhere(async || ann.post("subscriptions/add", &own).await).await;
        // With a confirmation mail.
        let other = subscription("backinstock", "eve@example.com", "1");
        app.break_everywhere(async || guest.post("subscriptions/add", &other).await).await;
        // With events.
        let restock = json!({ "inventory": [{ "epi": 1, "stock": 3 }] });
        app.break_everywhere(async || admin.json("/storeadmin/v3/inventory/update", &restock).await).await;
        let products = json!([item(1), item(2)]).to_string();
        let create = [
            ("medium", "email"),
            ("mediumvalue", "ben@example.com"),
            ("products", products.as_str()),
            ("topics", r#"["backinstock","pricedrop"]"#),
        ];
        app.break_everywhere(async || admin.form("/storeadmin/bispa/subscriptions/create", &create).await).await;
        let removed = [("epi", "1"), ("topic", "backinstock"), ("medium", "email")];
        app.break_everywhere(async || ann.post("subscriptions/remove", &removed).await).await;
    }

    async fn an_alert_arrives_once_whatever_fails(app: TestApp) {
        let mailing = Mailing::start(&app).await;
        without_interval(&app).await;
        chair(&app).await;
        let mut count = 0;
        for point in 0.. {
            count += 1;
            let name = format!("shopper{point}");
            subscribe(&app, &name, "backinstock", &[]).await.ok();
            stock(&app, json!(1)).await;
            mailing.node.environment.set_now(app.app.environment.now());
            let is_over = app.break_at(point, async {
                while matches!(send_due(&mailing.node).await, Ok(Rest::None)) {}
            });
            let is_over = is_over.await.is_none();
            // A lease that was left behind expires.
            app.advance(151_000);
            mailing.work(&app).await;
            assert_eq!(mailing.smtp.to(&format!("{name}@example.com")).len(), 1, "point {point}");
            assert_eq!(fetch_one(&app.shopper(&name).await, "backinstock").await["status"], 1, "point {point}");
            stock(&app, json!(0)).await;
            if is_over {
                break;
            }
        }
        assert!(count > 10, "{count}");
        app.assert_sound().await;
    }
}
