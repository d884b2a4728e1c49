//! Where webhooks may lead: nowhere in the operator's own network, unless the operator allows it.

use serde_json::json;
use tokio::io::AsyncWriteExt;
use wishbone_server::http::router::router;
use wishbone_server::outbound::client::HttpClient;

use super::{call, create, deliveries, work};
use crate::support::Admin;
use crate::support::receiver::{Behaviour, Receiver};

both_engines! {
    async fn literal_private_addresses_are_refused_when_a_webhook_is_created(app: TestApp) {
        let node = app.node_sending(HttpClient::new(false)).await;
        let admin = Admin::new(router(&node), app.store.clone());
        for url in ["http://127.0.0.1:9/", "http://[::ffff:127.0.0.1]/", "http://2130706433/", "http://localhost/"] {
            let reply = call(&admin, "create", &json!({ "url": url, "events": ["*"] })).await;
            let told = reply.fails(400, "invalid-parameter")["error-msg"].as_str().unwrap().to_owned();
            assert!(told.starts_with("url leads to a private network") && told.contains("--allow-private-webhooks"), "{told}");
        }
        call(&admin, "create", &json!({ "url": "https://shop.example/", "events": ["*"] })).await.ok();
    }

    async fn private_targets_are_refused_again_at_delivery(app: TestApp) {
        let receiver = Receiver::start().await;
        // While the operator allowed them.
        let (literal, _) = create(&app, &receiver.url(), &["*"]).await;
        let (name, _) = create(&app, &format!("http://localhost:{}/", receiver.port()), &["*"]).await;
        app.shopper("ann").await.list("Summer").await;
        let node = app.node_sending(HttpClient::new(false)).await;
        work(&node, 0).await;
        assert_eq!(receiver.take().len(), 0);
        for id in [literal, name] {
            let logged = deliveries(&app, &id).await[0].clone();
            assert!(logged["lasterror"].as_str().unwrap().contains("private network"), "{logged}");
            assert_eq!((&logged["state"], &logged["status"]), (&json!("waiting"), &json!(null)));
        }
    }

    async fn redirects_are_not_followed(app: TestApp) {
        let (receiver, inside) = (Receiver::start().await, Receiver::start().await);
        let (id, _) = create(&app, &receiver.url(), &["*"]).await;
        let to = inside.url();
        receiver.behave(move |_| Behaviour::Redirect(to.clone()));
        app.shopper("ann").await.list("Summer").await;
        work(&app.app, 0).await;
        assert_eq!((receiver.take().len(), inside.take().len()), (1, 0));
        let logged = deliveries(&app, &id).await[0].clone();
        assert_eq!((&logged["status"], &logged["state"]), (&json!(307), &json!("waiting")));
        assert!(logged["lasterror"].as_str().unwrap().contains("redirects are not followed"));
    }

    async fn a_target_that_cannot_be_reached_says_why(app: TestApp) {
        let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let (refused, _) = create(&app, &format!("http://{closed}/"), &["*"]).await;
        // A server that speaks first, and not TLS.
        let plain = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = plain.local_addr().unwrap();
        tokio::spawn(async move {
            let (mut stream, _) = plain.accept().await.unwrap();
            stream.write_all(b"220 mail.example\r\n").await.unwrap();
        });
        let (plain, _) = create(&app, &format!("https://{address}/"), &["*"]).await;
        app.shopper("ann").await.list("Summer").await;
        work(&app.app, 0).await;
        for (id, told) in [(refused, "cannot connect"), (plain, "TLS failed")] {
            let logged = deliveries(&app, &id).await[0].clone();
            assert!(logged["lasterror"].as_str().unwrap().contains(told), "{logged}");
        }
    }

    async fn endless_interim_responses_end_a_delivery(app: TestApp) {
        let endpoint = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = endpoint.local_addr().unwrap();
        let sent = tokio::spawn(async move {
            let (mut stream, _) = endpoint.accept().await.unwrap();
            // Until the other side has had enough.
            while stream.write_all(b"HTTP/1.1 102 Processing\r\n\r\n").await.is_ok() {}
        });
        let (id, _) = create(&app, &format!("http://{address}/"), &["*"]).await;
        app.shopper("ann").await.list("Summer").await;
        work(&app.app, 0).await;
        sent.await.unwrap();
        let logged = deliveries(&app, &id).await[0].clone();
        assert!(logged["lasterror"].as_str().unwrap().contains("no valid response"), "{logged}");
    }
}
