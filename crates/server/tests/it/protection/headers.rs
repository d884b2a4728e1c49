//! Response headers for browsers, caches and search engines.

use wishbone_core::stores::settings::SettingsChange;

use crate::support::process::{Server, Setup};
use crate::support::{FORM, Reply, encode, encode_form, send};

fn header<'a>(reply: &'a Reply, name: &str) -> &'a str {
    reply.headers.get(name).unwrap_or_else(|| panic!("no {name} in {reply:?}")).to_str().unwrap()
}

both_engines! {
    async fn responses_forbid_caching_framing_and_indexing(app: TestApp) {
        let ann = app.shopper("ann").await;
        let lid = ann.list("Mine").await;
        let mut replies = vec![
            ann.post("lists/fetch-user-list", &[("lid", &lid)]).await,
            ann.post("lists/fetch-list-with-contents", &[("lid", &lid)]).await,
            ann.post("lists/fetch-lists", &[]).await,
            ann.post("lists/fetch-user-list", &[("lid", "none")]).await,
            app.store_admin().get("/storeadmin/me").await,
            send(&app.router, "GET", "/nowhere", &[], "").await,
            send(&app.router, "GET", "/api/v3/lists/create", &[], "").await,
            send(&app.router, "POST", "/storeadmin/v3/user/generate-regid", &[FORM], "x=1").await,
            send(&app.router, "GET", "/healthz", &[], "").await,
        ];
        app.set(SettingsChange { maintenance: Some(true), ..SettingsChange::default() }).await;
        replies.push(ann.post("lists/fetch-lists", &[]).await);
        for reply in &replies {
            assert_eq!(header(reply, "cache-control"), "no-store");
            assert_eq!(header(reply, "content-security-policy"), "default-src 'none'; frame-ancestors 'none'");
            assert_eq!(header(reply, "x-frame-options"), "DENY");
            assert_eq!(header(reply, "x-content-type-options"), "nosniff");
            assert_eq!(header(reply, "referrer-policy"), "no-referrer");
            assert_eq!(header(reply, "cross-origin-resource-policy"), "same-origin");
            assert_eq!(header(reply, "x-robots-tag"), "noindex");
        }
        assert_eq!(replies.iter().filter(|reply| reply.status == 200).count(), 5);
    }

    async fn a_page_of_another_site_cannot_call_for_the_store(app: TestApp) {
        let admin = app.store_admin();
        let me = async |headers: &[(&str, &str)]| admin.send_with("GET", "/storeadmin/me", headers, String::new()).await;
        for allowed in [
            &[][..],
            &[("sec-fetch-site", "same-origin"), ("origin", "https://other.example")],
            &[("sec-fetch-site", "none")],
            &[("origin", "https://wishbone.example:8443"), ("host", "wishbone.example:8443")],
        ] {
            me(allowed).await.ok();
        }
        for refused in [
            &[("sec-fetch-site", "cross-site")][..],
            &[("sec-fetch-site", "same-site")],
            &[("origin", "https://evil.example"), ("host", "wishbone.example")],
            &[("origin", "https://wishbone.example"), ("host", "wishbone.example:8443")],
            &[("origin", "null"), ("host", "wishbone.example")],
        ] {
            me(refused).await.fails(403, "forbidden");
        }
        // Shoppers call from the pages of the shop.
        let ann = app.shopper("ann").await;
        let uri = format!("/api/v3/lists/create?pid={}", encode(&ann.pid));
        let body = encode_form(&[("regid", &ann.regid), ("sessionid", &ann.sessionid), ("lname", "Mine")]);
        send(&app.router, "POST", &uri, &[FORM, ("sec-fetch-site", "cross-site")], body).await.ok();
    }

    async fn browsers_are_not_asked_for_the_password_of_a_store(app: TestApp) {
        let challenge = async |headers: &[(&str, &str)]| {
            let reply = send(&app.router, "GET", "/storeadmin/me", headers, "").await;
            reply.fails(401, "bad-api-key");
            reply.headers.get("www-authenticate").cloned()
        };
        assert_eq!(challenge(&[("user-agent", "curl/8.5.0")]).await.unwrap(), "Basic realm=\"wishbone\"");
        assert_eq!(challenge(&[("user-agent", "Mozilla/5.0 (X11; Linux x86_64)")]).await, None);
        assert_eq!(challenge(&[("sec-fetch-site", "none")]).await, None);
    }

    async fn the_client_script_loads_from_any_page_and_is_cached(app: TestApp) {
        let script = send(&app.router, "GET", "/sdk/wishbone.js", &[], "").await;
        assert_eq!(header(&script, "cross-origin-resource-policy"), "cross-origin");
        assert_eq!(header(&script, "access-control-allow-origin"), "*");
        assert!(header(&script, "cache-control").starts_with("public"));
        assert_eq!(header(&script, "x-content-type-options"), "nosniff");
    }
}

#[test]
fn the_demo_page_allows_only_its_own_scripts() {
    let setup = Setup::new();
    let demo = Server::start(setup.bare(&["demo", "--listen", "127.0.0.1:0"]), setup.folder());
    let page = demo.get("/");
    let policy = page.header("content-security-policy").unwrap();
    assert!(policy.starts_with("default-src 'self'") && !policy.contains("unsafe"), "{policy}");
    assert!(policy.contains("frame-ancestors 'none'"), "{policy}");
    assert_eq!(page.header("x-frame-options"), Some("DENY"));
    assert!(!page.body.contains("<script>") && !page.body.contains("onclick="), "{}", page.body);
    assert_eq!(demo.get("/demo/shop.js").header("cross-origin-resource-policy"), Some("cross-origin"));
}
