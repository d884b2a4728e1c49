//! Logins that the store's server has signed, for pages that have no server of their own to call from.

use serde_json::json;
use wishbone_core::merging::plan::DEFAULT_NAMES;
use wishbone_core::operator::Operator;
use wishbone_core::stores::login_secret::{NewSecret, rotate};

use super::{contents, names, undo};
use crate::support::{Client, NOW, Reply, login_token, sign};

const PATH: &str = "lists/user-validate-sync";
const HOUR: i64 = 60 * 60 * 1_000;

async fn validate(client: &Client, email: &str, expires: &str, token: &str) -> Reply {
    let fields = [("platform", "shop"), ("extuid", "42"), ("useremail", email), ("expires", expires), ("token", token)];
    client.post(PATH, &fields).await
}

/// As the store's server would make it for a client.
fn token(client: &Client, email: &str, expires: i64) -> String {
    login_token([&client.pid, &client.regid, "42", email, &expires.to_string()])
}

#[test]
fn the_names_of_default_lists_are_those_of_the_client_script() {
    let script = include_str!("../../../../../sdk/src/default-name.ts").to_lowercase();
    let names = DEFAULT_NAMES.map(|name| format!("\"{name}\""));
    assert!(names.iter().all(|name| script.contains(name)), "{names:?}");
    assert_eq!(script.matches(": \"").count(), names.len());
}

both_engines! {
    async fn a_signed_token_logs_a_guest_in(app: TestApp) {
        for (name, guest) in [("Device's", app.guest().await), ("Browser's", app.browser().await)] {
            let lid = guest.list(name).await;
            let expires = NOW + HOUR;
            let email = " Ann@Example.com";
            let mut reply = validate(&guest, email, &expires.to_string(), &token(&guest, email, expires)).await.ok();
            let lists = reply.as_object_mut().unwrap().remove("lists");
            assert_eq!(lists, Some(json!([{ "lid": lid, "lname": name, "cnt": 0 }])));
            let ann = app.shopper("ann").await;
            assert_eq!((&reply["regid"], &reply["sessionid"]), (&json!(ann.regid), &json!(ann.sessionid)));
            contents(&ann, &lid).await;
            contents(&Client { sessionid: guest.sessionid.clone(), ..ann.clone() }, &lid).await;
            // The guest is retired: clients act on this by taking the regid that they were given.
            validate(&guest, email, &expires.to_string(), &token(&guest, email, expires)).await.fails(401, "bad-regid");
            // Asking again as the shopper is a success that changes nothing.
            let before = app.tables().await;
            let again = validate(&ann, email, &expires.to_string(), &token(&ann, email, expires)).await.ok();
            assert_eq!((&again, app.tables().await), (&reply, before));
        }
    }

    async fn default_lists_are_one_and_the_browser_is_told_where_the_items_are(app: TestApp) {
        let (ann, guest) = (app.shopper("ann").await, app.browser().await);
        let hers = ann.list("Meine Wunschliste").await;
        ann.add(&hers, &[1, 2]).await;
        let (his, other) = (guest.list("My Wishlist").await, guest.list("Garden").await);
        guest.add(&his, &[2, 3]).await;
        guest.add(&other, &[4]).await;
        let expires = NOW + HOUR;
        let email = "ann@example.com";
        let reply = validate(&guest, email, &expires.to_string(), &token(&guest, email, expires)).await.ok();
        let merged = json!([
            { "lid": his, "into": hers, "lname": "Meine Wunschliste", "cnt": 2 },
            { "lid": other, "lname": "Garden", "cnt": 1 },
        ]);
        assert_eq!(reply["lists"], merged);
        assert_eq!(names(&ann).await, [(hers.clone(), "Meine Wunschliste".into()), (other.clone(), "Garden".into())]);
        assert_eq!(crate::support::epis(&contents(&ann, &hers).await["items"]), [3, 2, 1]);
        app.assert_sound().await;
        undo(&app, &guest, "ann").await.ok();
        assert_eq!(names(&ann).await, [(hers, "Meine Wunschliste".into())]);
        assert_eq!(names(&guest).await, [(his, "My Wishlist".into()), (other, "Garden".into())]);
        app.assert_sound().await;
    }

    async fn an_empty_default_list_of_a_guest_leaves_none_behind(app: TestApp) {
        let (ann, guest) = (app.shopper("ann").await, app.browser().await);
        let hers = ann.list("Birthday").await;
        ann.add(&hers, &[1]).await;
        let (his, garden) = (guest.list("Ma liste d’envies").await, guest.list("Garden").await);
        let expires = NOW + HOUR;
        let email = "ann@example.com";
        let reply = validate(&guest, email, &expires.to_string(), &token(&guest, email, expires)).await.ok();
        assert_eq!(reply["lists"][0], json!({ "lid": his, "into": hers, "lname": "Birthday", "cnt": 0 }));
        assert_eq!(names(&ann).await, [(hers, "Birthday".into()), (garden, "Garden".into())]);
        undo(&app, &guest, "ann").await.ok();
        assert_eq!(names(&guest).await.len(), 2);
        app.assert_sound().await;
    }

    async fn a_browsers_own_sessionid_goes_on_working(app: TestApp) {
        let guest = Client { sessionid: "made-up-by-the-browser".into(), ..app.browser().await };
        guest.list("Mine").await;
        let expires = NOW + HOUR;
        let token = token(&guest, "ann@example.com", expires);
        let reply = validate(&guest, "ann@example.com", &expires.to_string(), &token).await.ok();
        let ann = Client::new(app.router.clone(), app.store.pid.clone(), reply);
        names(&Client { sessionid: guest.sessionid.clone(), ..ann }).await;
    }

    async fn padding_at_the_end_of_a_token_makes_no_difference(app: TestApp) {
        let guest = app.browser().await;
        let expires = NOW + HOUR;
        let padded = token(&guest, "ann@example.com", expires) + "=";
        validate(&guest, "ann@example.com", &expires.to_string(), &padded).await.ok();
    }

    async fn a_browser_may_not_claim_an_identity(app: TestApp) {
        let (guest, other) = (app.browser().await, app.browser().await);
        guest.list("Mine").await;
        let (expires, email) = (NOW + HOUR, "ann@example.com");
        let good = token(&guest, email, expires);
        let before = app.tables().await;
        let mut wrong = vec![
            validate(&guest, "bea@example.com", &expires.to_string(), &good).await,
            validate(&guest, "Ann@example.com", &expires.to_string(), &good).await,
            validate(&guest, email, &(expires + 1).to_string(), &good).await,
            validate(&other, email, &expires.to_string(), &good).await,
            validate(&guest, email, &expires.to_string(), "x").await,
            validate(&guest, email, &expires.to_string(), "AAAA").await,
            validate(&guest, email, &expires.to_string(), &good[..20]).await,
            validate(&guest, email, &expires.to_string(), &format!("{good}{good}")).await,
            validate(&guest, email, &expires.to_string(), &sign("", &good)).await,
        ];
        let fields = [("extuid", "43"), ("useremail", email), ("token", &good)];
        let expiry = expires.to_string();
        wrong.push(guest.post(PATH, &[&fields[..], &[("expires", expiry.as_str())]].concat()).await);
        for reply in wrong {
            reply.fails(403, "forbidden");
        }
        assert_eq!(app.tables().await, before);
        validate(&guest, email, &expiry, &good).await.ok();
    }

    async fn a_token_ends_and_cannot_last_longer_than_a_day(app: TestApp) {
        let guest = app.browser().await;
        let email = "ann@example.com";
        for expires in [NOW, NOW - 1, 0, -1, NOW + 24 * HOUR + 1, i64::MAX, i64::MIN] {
            let reply = validate(&guest, email, &expires.to_string(), &token(&guest, email, expires)).await;
            reply.fails(403, "forbidden");
        }
        for expires in ["tomorrow", "1.5", "99999999999999999999"] {
            validate(&guest, email, expires, "x").await.fails(400, "invalid-parameter");
        }
        let last = NOW + 24 * HOUR;
        let token = token(&guest, email, last);
        validate(&guest, email, &last.to_string(), &token).await.ok();
    }

    async fn a_login_secret_belongs_to_one_store_and_can_be_replaced(app: TestApp) {
        let guest = app.browser().await;
        let (expires, email) = (NOW + HOUR, "ann@example.com");
        let old = token(&guest, email, expires);
        let new = NewSecret { random: [6; 32], nonce: [1; 12], now: NOW };
        let by = Operator::of_this_machine();
        let secret = rotate(&app.app.database, &app.app.keys, by, &app.store.pid, &new).await.unwrap();
        validate(&guest, email, &expires.to_string(), &old).await.fails(403, "forbidden");
        let message = [&guest.pid, guest.regid.as_str(), "42", email, &expires.to_string()].join("\n");
        validate(&guest, email, &expires.to_string(), &sign(&secret, &message)).await.ok();
        let stored = app.app.database.dump("stores").await.unwrap().join("\n");
        let bytes = format!("{:02x?}", secret.as_bytes());
        assert!(!stored.contains(&secret) && !stored.contains(bytes.trim_matches(['[', ']'])), "it is kept encrypted");
    }

    async fn a_store_without_a_login_secret_says_how_to_get_one(app: TestApp) {
        app.straight("update stores set login_secret = null").await;
        let guest = app.browser().await;
        let reply = validate(&guest, "ann@example.com", &(NOW + HOUR).to_string(), "x").await;
        reply.fails(403, "forbidden");
        assert!(reply.text().contains("--secrets"), "{}", reply.text());
    }
}
