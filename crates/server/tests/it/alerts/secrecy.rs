//! What a stranger learns of an address by asking for its alerts: nothing, whatever its owner has.

use super::*;

const TOPIC: &str = "backinstock";

/// What a stranger sees who asks for alerts of an address, again and again, and ends them.
async fn seen_by_a_stranger(app: &TestApp, mailing: &Mailing, address: &str) -> Vec<Value> {
    let (stranger, mut seen, start) = (app.browser().await, Vec::new(), app.app.environment.now());
    for _ in 0..6 {
        app.advance(MINUTE);
        for epi in ["1", "2"] {
            let reply = stranger.post("subscriptions/add", &subscription(TOPIC, address, epi)).await;
            seen.push(json!([reply.status.as_u16(), reply.json()]));
        }
        seen.push(stranger.post("subscriptions/fetch-subs", &[("topic", TOPIC)]).await.ok());
        mailing.work(app).await;
    }
    for epi in ["1", "2"] {
        seen.push(
            stranger.post("subscriptions/remove", &[("topic", TOPIC), ("medium", "email"), ("epi", epi)]).await.ok(),
        );
    }
    seen.push(stranger.post("subscriptions/fetch-subs", &[("topic", TOPIC)]).await.ok());
    seen.iter_mut().for_each(|seen| since(seen, start));
    seen
}

/// Makes the times of records those since a start.
fn since(value: &mut Value, start: i64) {
    match value {
        Value::Array(values) => values.iter_mut().for_each(|value| since(value, start)),
        Value::Object(fields) => fields.iter_mut().for_each(|(name, value)| match value.as_i64() {
            Some(time) if name == "cts" || name == "uts" => *value = json!(time - start),
            _ => since(value, start),
        }),
        _ => {}
    }
}

both_engines! {
    async fn a_stranger_sees_the_same_whatever_an_address_has(app: TestApp) {
        let mailing = Mailing::start(&app).await;
        without_interval(&app).await;
        chair(&app).await;
        for name in ["sent", "stopped"] {
            subscribe(&app, name, TOPIC, &[]).await.ok();
        }
        stock(&app, json!(5)).await;
        mailing.work(&app).await;
        let alert = mailing.smtp.to("stopped@example.com")[0].clone();
        stop(&app, &alert).await;
        subscribe(&app, "waiting", TOPIC, &[]).await.ok();
        let fields = subscription(TOPIC, "requested@example.com", "1");
        app.browser().await.post("subscriptions/add", &fields).await.ok();
        app.advance(2 * DAY);
        mailing.work(&app).await;

        let unknown = seen_by_a_stranger(&app, &mailing, "unknown@example.com").await;
        assert!(unknown.iter().any(|seen| seen[0] == 429), "until the limit");
        for name in ["sent", "stopped", "waiting", "requested"] {
            let seen = seen_by_a_stranger(&app, &mailing, &format!("{name}@example.com")).await;
            assert_eq!(seen, unknown, "{name}");
        }
        app.assert_sound().await;
    }

    async fn a_stranger_does_not_see_what_the_owner_confirms(app: TestApp) {
        let mailing = Mailing::start(&app).await;
        without_interval(&app).await;
        chair(&app).await;
        let (stranger, eve) = (app.browser().await, app.browser().await);
        let fields = subscription(TOPIC, "eve@example.com", "1");
        let seen = async || stranger.post("subscriptions/fetch-subs", &[("topic", TOPIC)]).await.ok();
        stranger.post("subscriptions/add", &fields).await.ok();
        mailing.work(&app).await;
        let before = seen().await;
        eve.post("subscriptions/add", &fields).await.ok();
        mailing.work(&app).await;
        confirm(&app, &mailing.smtp.to("eve@example.com")[1]).await;
        assert_eq!(seen().await, before, "confirmed");
        stock(&app, json!(5)).await;
        mailing.work(&app).await;
        assert_eq!(mailing.smtp.to("eve@example.com").len(), 3);
        assert_eq!(seen().await, before, "sent");
        app.advance(MINUTE);
        let again = stranger.post("subscriptions/add", &fields).await.ok();
        assert_eq!(again["subscriptions"][0]["unconfirmed"], true);
        app.assert_sound().await;
    }
}

/// The recipient of a mail follows its link to confirm.
async fn confirm(app: &TestApp, mail: &Value) {
    let request = axum::http::Request::post(confirm_path(mail)).body(axum::body::Body::empty()).unwrap();
    let reply = Reply::of(&app.router, request).await;
    assert_eq!(reply.status, 200, "{}", reply.text());
}

/// The recipient of an alert turns all mail off.
async fn stop(app: &TestApp, alert: &Value) {
    let text = alert["text"].as_str().unwrap();
    let start = text.find("/mail/preferences?token=").unwrap();
    let path = text[start..].split_whitespace().next().unwrap();
    let request = axum::http::Request::post(path).header("content-type", "application/x-www-form-urlencoded");
    let reply = Reply::of(&app.router, request.body(axum::body::Body::from("off=all")).unwrap()).await;
    assert_eq!(reply.status, 200, "{}", reply.text());
}
