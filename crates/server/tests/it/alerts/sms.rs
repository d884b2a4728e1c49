//! Alerts by SMS, through a gateway that takes forms.

use wishbone_core::operator::Operator;
use wishbone_core::stores::sms_auth::SaveSmsAuth;

use super::*;
use crate::support::receiver::Receiver;

/// A store that sends SMS through the receiver.
pub(super) async fn gateway(app: &TestApp) -> Receiver {
    let receiver = Receiver::start().await;
    set(
        app,
        AlertSettingsChange {
            sms_url: Some(Some(receiver.url())),
            sms_from: Some(Some("Test Shop".to_owned())),
            alert_interval: Some(0),
            ..Default::default()
        },
    )
    .await;
    let auth = Some(("user:secret", [1; 12]));
    let save = SaveSmsAuth::new(Operator::of_this_machine(), &app.app.keys, &app.store.pid, auth).unwrap();
    app.app.database.write(save).await.unwrap();
    receiver
}

pub(super) async fn work(app: &TestApp) {
    while send_due(&app.app).await.unwrap() == Rest::None {}
    while send_mail::send_due(&app.app).await.unwrap() == Rest::None {}
}

/// The fields of a form.
pub(super) fn fields(body: &str) -> Vec<(String, String)> {
    let decode = |text: &str| percent_encoding::percent_decode_str(text).decode_utf8().unwrap().into_owned();
    body.split('&')
        .map(|pair| pair.split_once('=').unwrap())
        .map(|(name, value)| (decode(name), decode(value)))
        .collect()
}

async fn create(app: &TestApp, number: &str) {
    let products = json!([item(1)]).to_string();
    let fields =
        [("medium", "sms"), ("mediumvalue", number), ("products", products.as_str()), ("topics", r#"["backinstock"]"#)];
    app.store_admin().form("/storeadmin/bispa/subscriptions/create", &fields).await.ok();
}

both_engines! {
    async fn an_alert_goes_to_the_gateway_of_the_store(app: TestApp) {
        let receiver = gateway(&app).await;
        chair(&app).await;
        create(&app, "+49 151 12345678").await;
        stock(&app, json!(1)).await;
        work(&app).await;
        let [received] = &receiver.take()[..] else { panic!("one SMS") };
        let fields = fields(&received.body);
        assert_eq!(fields[0], ("To".to_owned(), "+4915112345678".to_owned()));
        assert_eq!(fields[1], ("From".to_owned(), "Test Shop".to_owned()));
        let (name, text) = &fields[2];
        assert!(name == "Body" && text.contains("Oak chair") && text.contains("https://shop.example/p/1"), "{text}");
        assert!(text.contains("https://lists.shop.example/mail/unsubscribe?token="), "{text}");
        assert_eq!(received.headers["authorization"], "Basic dXNlcjpzZWNyZXQ=");
    }

    async fn a_long_name_of_a_product_is_cut(app: TestApp) {
        let receiver = gateway(&app).await;
        chair(&app).await;
        let product = json!({ "epi": 1, "empi": 1001, "dt": "Oak chair ".repeat(44) });
        app.store_admin().json("/storeadmin/v3/products/upsert", &json!({ "products": [product] })).await.ok();
        create(&app, "+49 151 12345678").await;
        app.browser().await.post("subscriptions/add", &{
            let mut fields = subscription("backinstock", "+4915112345679", "1");
            fields[1].1 = "sms";
            fields
        }).await.ok();
        stock(&app, json!(1)).await;
        work(&app).await;
        for sms in receiver.take() {
            let text = &fields(&sms.body)[2].1;
            assert!(text.contains("Oak chair…") && text.matches("Oak chair").count() == 6, "{text}");
        }
    }

    async fn a_gateway_that_fails_is_tried_again_and_one_that_refuses_is_not(app: TestApp) {
        let receiver = gateway(&app).await;
        chair(&app).await;
        create(&app, "+4915112345678").await;
        receiver.respond(500);
        stock(&app, json!(1)).await;
        work(&app).await;
        receiver.respond(200);
        app.advance(30_000);
        work(&app).await;
        assert_eq!(receiver.take().len(), 2);
        create(&app, "0049 151 12345679").await;
        receiver.respond(422);
        stock(&app, json!(0)).await;
        stock(&app, json!(1)).await;
        work(&app).await;
        app.advance(DAY);
        work(&app).await;
        assert_eq!(receiver.take().len(), 1);
        let failed = app.store_admin().json("/storeadmin/v3/subscriptions/list", &json!({ "state": "failed" })).await.ok();
        let problem = failed["data"]["subscriptions"][0]["lasterror"].as_str().unwrap().to_owned();
        assert!(problem.contains("422"), "{problem}");
    }

    async fn a_number_given_in_a_browser_is_confirmed_by_sms(app: TestApp) {
        let guest = app.browser().await;
        let mut add = subscription("backinstock", "+4915112345678", "1");
        add[1].1 = "sms";
        guest.post("subscriptions/add", &add).await.fails(400, "invalid-parameter");
        let receiver = gateway(&app).await;
        chair(&app).await;
        guest.post("subscriptions/add", &add).await.ok();
        work(&app).await;
        let [received] = &receiver.take()[..] else { panic!("one SMS") };
        let text = fields(&received.body)[2].1.clone();
        let start = text.find("/mail/confirm?token=").unwrap_or_else(|| panic!("no link: {text}"));
        let path = text[start..].split_whitespace().next().unwrap();
        let request = axum::http::Request::post(path).body(axum::body::Body::empty()).unwrap();
        assert_eq!(Reply::of(&app.router, request).await.status, 200);
        stock(&app, json!(1)).await;
        work(&app).await;
        assert_eq!(receiver.take().len(), 1, "the alert");
    }
}
