//! The demo as a newcomer meets it: what it prints, what it serves, what it leaves behind.

use std::collections::BTreeSet;
use std::fs;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::support::encode_form;
use crate::support::process::{Answer, Buyer, Finished, Server, Setup, Wire, post, until};

fn start(place: &Setup) -> Server {
    let mut command = place.bare(&["demo", "--listen", "127.0.0.1:0"]);
    command.env("TMPDIR", temporary(place));
    Server::start(command, place.folder())
}

fn temporary(place: &Setup) -> std::path::PathBuf {
    let folder = place.folder().join("tmp");
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// The shopper whose lists the page shows.
fn ann(demo: &Server) -> Buyer {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let (said, shopper) = (&demo.said, &demo.said["shopper"]);
    Buyer {
        address: demo.address,
        pid: text(&said["pid"]),
        regid: text(&shopper["regid"]),
        sessionid: text(&shopper["sessionid"]),
    }
}

/// What the demo prints without `--json`, and the server that goes on running.
fn as_text(place: &Setup) -> (String, impl Drop) {
    struct Demo(std::process::Child);
    impl Drop for Demo {
        fn drop(&mut self) {
            let _ = self.0.kill();
            let _ = self.0.wait();
        }
    }
    let out = place.folder().join("demo.out");
    let mut command = place.bare(&["demo", "--listen", "127.0.0.1:0"]);
    command.env("TMPDIR", temporary(place)).stdout(fs::File::create(&out).unwrap()).stderr(Stdio::null());
    let mut demo = Demo(command.spawn().unwrap());
    let mut text = String::new();
    until("the demo has said its piece", || {
        assert!(demo.0.try_wait().unwrap().is_none(), "it ended");
        text = fs::read_to_string(&out).unwrap();
        text.trim_end().ends_with("Demo data is deleted on exit.")
    });
    (text, demo)
}

/// The commands of a text: what begins with curl, to the end of its last continued line.
fn commands(text: &str) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let mut goes_on = false;
    for line in text.lines() {
        if goes_on {
            let command = out.last_mut().unwrap();
            command.push('\n');
            command.push_str(line);
        } else if line.starts_with("curl ") {
            out.push(line.to_owned());
        } else {
            continue;
        }
        goes_on = line.ends_with('\\');
    }
    out
}

/// Pastes a command into bash.
#[track_caller]
fn paste(command: &str) -> Value {
    let mut bash = Command::new("bash");
    bash.args(["-euc", &format!("{command} --fail-with-body")]).stdin(Stdio::null());
    let finished = Finished::of(bash);
    // A stream of events has one.
    let text = finished.ok().lines().find_map(|line| line.strip_prefix("data: ")).unwrap_or(finished.ok());
    let value: Value = serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {finished:?}"));
    assert_ne!(value["status"], "error", "{value}");
    value
}

#[test]
fn json_is_one_object_with_all_that_a_tool_needs() {
    let place = Setup::new();
    let demo = start(&place);
    let said = &demo.said;
    for key in ["url", "pid", "apikey"] {
        assert!(said[key].is_string(), "{key}: {said}");
    }
    for key in ["email", "regid", "sessionid"] {
        assert!(said["shopper"][key].is_string(), "{key}: {said}");
    }
    let shop = demo.shop(said["pid"].as_str().unwrap(), said["apikey"].as_str().unwrap());
    assert_eq!(shop.me().ok()["pid"], said["pid"]);
    assert_eq!(shop.login(said["shopper"]["email"].as_str().unwrap()).regid, ann(&demo).regid);
    assert_eq!(demo.log(), "", "nothing but the object");
}

#[test]
fn the_text_has_everything_and_every_command_works_when_pasted() {
    let place = Setup::new();
    let (text, _demo) = as_text(&place);
    assert!(!text.contains('\u{1b}'), "no colours in a file: {text}");
    let after = |label: &str| {
        let line =
            text.lines().find(|line| line.trim_start().starts_with(label)).unwrap_or_else(|| panic!("{label}: {text}"));
        line.trim_start()[label.len()..].trim().to_owned()
    };
    let (base, pid, key) = (after("Demo shop"), after("Store (pid)"), after("API key"));
    assert!(base.starts_with("http://127.0.0.1:"), "{base}");
    assert_eq!(after("API reference"), format!("{base}/docs"));
    assert!(text.contains("wishbone store create") && text.contains("wishbone serve"), "the next step: {text}");

    let commands = commands(&text);
    let find = |path: &str| {
        let found = commands.iter().find(|command| command.contains(path));
        paste(found.unwrap_or_else(|| panic!("no command for {path}: {text}")))
    };
    let page = find("/api/v3/lists/fetch-user-list?");
    let items = page["data"]["listcontents"].as_array().unwrap();
    let prices: Vec<f64> = items.iter().map(|item| item["pr"].as_f64().unwrap()).collect();
    assert_eq!(items.len(), 50);
    assert!(prices.is_sorted(), "cheapest first: {prices:?}");
    assert!(page["pagination"]["next"].is_string());

    let lists = find("/api/v3/lists/fetch-user-lists?");
    assert!(lists["data"].as_array().unwrap().len() >= 4, "{lists}");
    assert!(
        lists["data"].as_array().unwrap().iter().all(|list| list["pid"] == *pid && list.get("listcontents").is_none())
    );

    let contents = find("/api/v3/lists/fetch-list-with-contents?");
    assert_eq!(contents["items"].as_array().unwrap().len(), 3, "{contents}");
    assert_eq!(contents["list"]["lid"], page["data"]["lid"]);

    let updated = find("/api/v3/lists/sfl/update?");
    assert_eq!(
        (&updated["itemsupdated"][0]["qty"], &updated["itemsupdated"][0]["note"]),
        (&3.into(), &"from the terminal".into()),
        "{updated}"
    );
    assert_eq!(updated["itemsfailed"], Value::Array(Vec::new()), "{updated}");

    let subscriptions = find("/api/v3/subscriptions/fetch-subs?");
    assert!(subscriptions.to_string().contains("backinstock"), "{subscriptions}");

    let login = find("/storeadmin/v3/user/generate-regid");
    assert!(login["regid"].is_string() && login["sessionid"].is_string(), "{login}");
    assert!(text.contains(&format!("{pid}:{key}")));
    assert_eq!(commands.len(), 7, "{commands:?}");
    commands.iter().for_each(|command| drop(paste(command)));
}

#[test]
fn a_page_shows_the_same_commands_without_the_key() {
    let place = Setup::new();
    let demo = start(&place);
    let html = demo.get("/demo/developers").body;
    let text = ["&#x27;", "&quot;", "&lt;", "&gt;", "&#x2f;", "&amp;"]
        .iter()
        .zip(["'", "\"", "<", ">", "/", "&"])
        .fold(html, |html, (code, text)| html.replace(code, text));
    let (_, commands_only) = text.split_once("id=\"curls\">").unwrap();
    assert_eq!(commands(commands_only).len(), 6);
    assert!(!text.contains(demo.said["apikey"].as_str().unwrap()), "the page is for browsers");
    assert!(!text.contains("{{"), "every value is filled in");
}

#[test]
fn every_link_of_the_shop_leads_somewhere() {
    let place = Setup::new();
    let demo = start(&place);
    let mut wire = demo.connect();
    let (mut open, mut seen) = (vec!["/".to_owned()], BTreeSet::new());
    while let Some(path) = open.pop() {
        if !seen.insert(path.clone()) {
            continue;
        }
        let answer = wire.ask(&format!("GET {path} HTTP/1.1\r\nHost: test\r\n\r\n"));
        assert_eq!(answer.status, 200, "{path}");
        if answer.header("content-type").is_some_and(|kind| kind.starts_with("text/html")) && path != "/docs" {
            let addresses = ["href=\"/", "src=\"/"].iter().flat_map(|start| answer.body.split(start).skip(1));
            open.extend(addresses.map(|rest| format!("/{}", rest.split(['"', '?', '#']).next().unwrap())));
        }
    }
    assert!(seen.iter().filter(|path| path.starts_with("/demo/products/")).count() >= 48, "{seen:?}");
    assert!(seen.iter().filter(|path| path.starts_with("/demo/category/")).count() >= 9, "{seen:?}");
    for missing in ["/demo/products/piano", "/demo/category/pianos", "/demo/piano"] {
        let answer = demo.get(missing);
        assert_eq!(answer.status, 404, "{missing}");
        assert!(answer.body.contains("<h1>Not found</h1>"), "{missing}: {}", answer.body);
    }
}

#[test]
fn the_shop_signs_logins_of_its_shoppers_and_of_nobody_else() {
    let place = Setup::new();
    let demo = start(&place);
    let sign = |regid: &str, name: &str| {
        let form = encode_form(&[("regid", regid), ("shopper", name)]);
        Wire::connect(demo.address).ask(&post("/demo/login", "", &form))
    };
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let register = format!("/api/v3/provider/register?{}", encode_form(&[("pid", demo.said["pid"].as_str().unwrap())]));
    let made = Wire::connect(demo.address).ask(&post(&register, "", "")).ok();
    let guest = Buyer { regid: text(&made["regid"]), sessionid: text(&made["sessionid"]), ..ann(&demo) };
    let signed = sign(&guest.regid, "ben").ok();
    let fields = ["extuid", "useremail", "expires", "token"].map(|name| (name, signed[name].as_str().unwrap()));
    let login = guest.post("lists/user-validate-sync", &fields).ok();
    assert_ne!(login["regid"], made["regid"], "{login}");
    sign(&guest.regid, "eve").fails(400, "invalid-parameter");
}

#[test]
fn a_restock_reaches_those_who_wait() {
    let place = Setup::new();
    let demo = start(&place);
    let ann = ann(&demo);
    let waiting = ann.post("subscriptions/fetch-subs", &[("topic", "backinstock")]).ok();
    let subscription = &waiting["subscriptions"][0];
    let epi = subscription["epi"].to_string();
    let page = demo.get(subscription["du"].as_str().unwrap().strip_prefix(demo.said["url"].as_str().unwrap()).unwrap());
    assert!(
        page.body.contains(&format!("data-variant=\"{epi}\"")),
        "a subscription leads to its product: {subscription}"
    );
    let restock =
        |epi: &str| Wire::connect(demo.address).ask(&post("/demo/restock", "", &encode_form(&[("epi", epi)])));
    restock(&epi).ok();
    until("the alert is written", || {
        let mails = demo.get("/demo/mails").ok();
        mails.as_array().unwrap().iter().any(|mail| mail["subject"].as_str().unwrap().starts_with("Back in stock"))
    });
    restock("1").fails(400, "invalid-parameter");
    let price = |epi: &str, price: &str| {
        Wire::connect(demo.address).ask(&post("/demo/price", "", &encode_form(&[("epi", epi), ("pr", price)])))
    };
    assert_eq!(price(&epi, "12.5").ok()["pr"].to_string(), "12.50");
    for wrong in ["-1", "free", "NaN", "10000"] {
        price(&epi, wrong).fails(400, "invalid-parameter");
    }
    price("1", "12.50").fails(400, "invalid-parameter");
}

#[test]
fn every_example_of_the_description_works_when_pasted() {
    let place = Setup::new();
    let demo = start(&place);
    let page = demo.get("/docs");
    let text = examples(&page.body);
    let key = demo.said["apikey"].as_str().unwrap();
    assert!(!text.contains(key), "the page is for browsers");
    let mut count = 0;
    for command in commands(&text) {
        let is_operation = command.contains("/api/v3/") || command.contains("/storeadmin/");
        // Only the store's own server can sign a login.
        if is_operation && !command.contains("/user-validate-sync") {
            let answer = paste(&format!("API_KEY={key}\n{command}")).to_string();
            assert!(!answer.contains("hasError"), "{command} {answer}");
            count += 1;
        }
    }
    assert_eq!(count, 62, "{text}");
    assert_eq!(page.header("cache-control"), Some("no-cache"), "the next demo has other shoppers");
}

/// The text of the API reference, each command on lines of its own.
fn examples(html: &str) -> String {
    ["&#x2f;", "&#x27;", "&#39;", "&quot;", "&lt;", "&gt;", "&amp;"]
        .iter()
        .zip(["/", "'", "'", "\"", "<", ">", "&"])
        .fold(html.to_owned(), |html, (code, text)| html.replace(code, text))
        .replace("<code>curl", "\ncurl")
        .replace("</code></pre>", "\n")
}

#[test]
fn every_example_of_a_plain_server_works_once_its_variables_are_set() {
    let place = Setup::new();
    let (server, shop) = place.shop(&[]);
    let ann = shop.login("ann@fernweh.example");
    let host = server.address;
    let page = server.connect().ask(&format!("GET /docs HTTP/1.1\r\nHost: {host}\r\n\r\n"));
    let text = examples(&page.body);
    let setup = text.split_once("<pre id=\"setup\"><code>").unwrap().1.split_once("GUEST_REGID='...'").unwrap().0;
    let pid = encode_form(&[("pid", &shop.pid)]);
    let register = crate::support::process::post(&format!("/api/v3/provider/register?{pid}"), "", "");
    let guest = server.connect().ask(&register).ok();
    let saved = ann.post("lists/sfl/create", &[]).ok();
    let mut count = 0;
    for command in commands(&text) {
        let is_operation = command.contains("/api/v3/") || command.contains("/storeadmin/");
        // Only the store's own server can sign a login.
        if !is_operation || command.contains("/user-validate-sync") {
            continue;
        }
        assert!(command.contains(&format!("http://{host}/")), "{command}");
        // Some commands delete what others need.
        let lid = ann.list("Mine");
        let item = |number: i64| format!(r#"[{{"epi":{number},"empi":{number},"du":"https://shop.example/p"}}]"#);
        ann.post("lists/update-ctx", &[("lid", &lid), ("a", &item(1))]).ok();
        let saved_lid = saved["lid"].as_str().unwrap();
        ann.post("lists/sfl/add", &[("lid", saved_lid), ("items", &item(2))]).ok();
        let webhook = if command.contains("$WEBHOOK") {
            let body = serde_json::json!({ "url": "https://shop.example/hooks", "events": ["*"] });
            let made = shop.json("/storeadmin/v3/webhooks/create", &body).ok();
            made["data"]["id"].as_str().unwrap().to_owned()
        } else {
            String::new()
        };
        let values = [
            ("PID", shop.pid.as_str()),
            ("API_KEY", &shop.key),
            ("REGID", &ann.regid),
            ("SESSIONID", &ann.sessionid),
            ("LID", &lid),
            ("SAVED_LID", saved_lid),
        ];
        let set = values.iter().fold(setup.to_owned(), |setup, (name, value)| {
            setup.replace(&format!("\n{name}='...'"), &format!("\n{name}='{value}'"))
        });
        let guest = format!("GUEST_REGID='{}'\nWEBHOOK='{webhook}'", guest["regid"].as_str().unwrap());
        let answer = paste(&format!("{set}\n{guest}\n{command}")).to_string();
        assert!(!answer.contains("hasError"), "{command} {answer}");
        count += 1;
    }
    assert_eq!(count, 62, "{text}");
}

#[test]
fn the_page_its_files_and_every_picture_are_served_with_their_types_and_policy() {
    let place = Setup::new();
    let demo = start(&place);
    let base = demo.said["url"].as_str().unwrap();
    let check = |answer: &Answer, media_type: &str| {
        assert_eq!(answer.status, 200, "{answer:?}");
        assert_eq!(answer.header("content-type"), Some(media_type));
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
        let policy = answer.header("content-security-policy").unwrap();
        for rule in ["default-src 'self'", "frame-ancestors 'none'", "form-action 'none'", "base-uri 'none'"] {
            assert!(policy.contains(rule), "{policy}");
        }
        assert!(!policy.contains("unsafe"), "{policy}");
        // Pictures have one address, and the page may be open under another name of the same server.
        assert!(policy.contains(&format!("img-src 'self' {base};")), "{policy}");
    };
    let page = demo.get("/");
    check(&page, "text/html; charset=utf-8");
    check(&demo.get("/demo/shop.css"), "text/css; charset=utf-8");
    check(&demo.get("/demo/shop.js"), "text/javascript; charset=utf-8");
    check(&demo.get("/demo/icon.svg"), "image/svg+xml");
    for name in ["/demo/shop.css", "/demo/shop.js", "/demo/icon.svg", "/sdk/wishbone.js"] {
        assert!(page.body.contains(&format!("\"{name}\"")), "the page asks for {name}");
    }
    let script = demo.get("/sdk/wishbone.js");
    assert_eq!(script.header("content-type"), Some("text/javascript; charset=utf-8"));
    assert_eq!(script.header("access-control-allow-origin"), Some("*"));

    let pictures: BTreeSet<String> =
        all_items(&demo).iter().map(|item| item["iu"].as_str().unwrap().to_owned()).collect();
    assert!(pictures.len() >= 40, "{}", pictures.len());
    let mut wire = demo.connect();
    for picture in &pictures {
        let path = picture.strip_prefix(base).unwrap_or_else(|| panic!("{picture} is not ours"));
        let answer = wire.ask(&format!("GET {path} HTTP/1.1\r\nHost: test\r\n\r\n"));
        check(&answer, "image/svg+xml");
        assert!(answer.body.starts_with("<svg ") && answer.body.trim_end().ends_with("</svg>"), "{picture}");
    }
    for unknown in ["/demo/nothing.css", "/demo/pictures/piano-moss.svg", "/demo/pictures/tent-moss", "/favicon.png"] {
        demo.get(unknown).fails(404, "not-found");
    }
}

#[test]
fn mails_are_read_on_the_page_and_do_nothing_there() {
    let place = Setup::new();
    let demo = start(&place);
    let ann = ann(&demo);
    let lid = ann.list("<script>alert(1)</script>");
    let fields =
        [("lid", lid.as_str()), ("fromname", "<img src=x onerror=alert(1)>"), ("toemail", "eve@fernweh.example")];
    ann.post("lists/emailList", &fields).ok();
    let mut mails = Value::Null;
    until("both mails are written", || {
        mails = demo.get("/demo/mails").ok();
        mails.as_array().unwrap().len() == 2
    });
    let find = |to: &str| mails.as_array().unwrap().iter().find(|mail| mail["to"] == to).unwrap();
    let (filled, evil) = (find("ben@fernweh.example"), find("eve@fernweh.example"));
    assert_eq!(filled["subject"], "A list from Fernweh & Co. was shared with you", "{filled}");
    assert!(filled["text"].as_str().unwrap().contains("Any of these!") && filled["at"].is_i64(), "{filled}");
    assert!(filled["text"].as_str().unwrap().contains('€'), "prices have the currency of the shop's pages: {filled}");
    let html = demo.get(&format!("/demo/mails/{}", evil["id"].as_str().unwrap()));
    // The only picture is the shop's logo.
    let pictures: Vec<_> = html.body.match_indices("<img").map(|(at, _)| &html.body[at..]).collect();
    assert!(!html.body.contains("<script") && pictures.len() == 1, "{}", html.body);
    assert!(pictures[0].contains("logo.svg"), "{}", html.body);
    let policy = html.header("content-security-policy").unwrap();
    for rule in ["default-src 'none'", "sandbox", "frame-ancestors 'self'"] {
        assert!(policy.contains(rule), "{policy}");
    }
    // It is of the page's origin, which is safe as long as it runs nothing.
    assert!(!policy.contains("allow-scripts") && !policy.contains("script-src"), "{policy}");
    demo.get("/demo/mails/nothing").fails(404, "not-found");
    let path = evil["text"].as_str().unwrap().rsplit_once(demo.said["url"].as_str().unwrap()).unwrap().1.trim();
    assert_eq!(demo.get(path).status, 200, "the link in it works");
}

#[test]
fn mails_are_the_demos_alone() {
    let place = Setup::new();
    let (server, shop) = place.shop(&[]);
    let ann = shop.login("ann@example.com");
    let lid = ann.list("Mine");
    ann.post("lists/emailList", &[("lid", &lid), ("fromname", "Ann"), ("toemail", "ben@example.com")]).ok();
    server.get("/demo/mails").fails(404, "not-found");
}

fn all_items(demo: &Server) -> Vec<Value> {
    let ann = ann(demo);
    let lists = ann.post("lists/fetch-user-lists", &[]).ok();
    let mut wire = Wire::connect(demo.address);
    let mut items = Vec::new();
    for list in lists["data"].as_array().unwrap() {
        let lid = list["lid"].as_str().unwrap();
        let contents = wire.ask(&ann.call("lists/fetch-list-with-contents", "", &[("lid", lid)])).ok();
        items.extend(contents["items"].as_array().unwrap().clone());
    }
    items
}

#[test]
fn the_shop_is_worth_looking_at() {
    let place = Setup::new();
    let demo = start(&place);
    let lists = ann(&demo).post("lists/fetch-user-lists", &[]).ok();
    let counts: Vec<i64> = lists["data"].as_array().unwrap().iter().map(|list| list["cnt"].as_i64().unwrap()).collect();
    assert!(counts.contains(&300), "one long list: {counts:?}");
    assert!(counts.contains(&0), "one empty list: {counts:?}");
    assert!(lists["data"].as_array().unwrap().iter().any(|list| list["lty"] == "_saveForLater"));
    let items = all_items(&demo);
    let of = |key: &str| items.iter().map(|item| item[key].to_string()).collect::<BTreeSet<_>>().len();
    assert!(of("empi") >= 40, "products: {}", of("empi"));
    assert!(of("dt") >= 40, "titles: {}", of("dt"));
    for item in &items {
        for key in ["dt", "iu", "ct", "du"] {
            assert!(!item[key].as_str().unwrap().is_empty(), "{key} of {item}");
        }
        assert!(item["pr"].as_f64().unwrap() > 0.0, "{item}");
    }
}

#[test]
fn some_goods_are_sold_out_so_that_filters_and_alerts_have_something_to_do() {
    let place = Setup::new();
    let demo = start(&place);
    let ann = ann(&demo);
    let lists = ann.post("lists/fetch-user-lists", &[]).ok();
    let long = lists["data"].as_array().unwrap().iter().find(|list| list["cnt"] == 300).unwrap();
    let lid = long["lid"].as_str().unwrap();
    for filter in ["instock", "outofstock"] {
        let page = ann.post("lists/fetch-user-list", &[("lid", lid), ("filterby", filter)]).ok();
        assert!(!page["data"]["listcontents"].as_array().unwrap().is_empty(), "{filter}");
    }
}

#[test]
fn a_plain_server_has_no_demo_pages() {
    let place = Setup::new();
    let server = place.serve(&[]);
    for path in ["/demo/style.css", "/demo/page.js", "/demo/icon.svg", "/demo/pictures/tent-moss.svg", "/favicon.ico"] {
        server.get(path).fails(404, "not-found");
    }
    assert_eq!(server.get("/sdk/wishbone.js").status, 200);
    assert!(server.get("/sdk/wishbone.d.ts").body.contains("fetchUserLists"));
}

#[test]
fn a_plain_server_says_where_to_go_and_nothing_about_its_stores() {
    let place = Setup::new();
    let server = place.serve(&[]);
    let empty = server.get("/");
    assert_eq!(empty.status, 200);
    assert_eq!(empty.header("content-type"), Some("text/html; charset=utf-8"));
    assert!(empty.header("content-security-policy").unwrap().starts_with("default-src 'none';"), "{empty:?}");
    for part in ["href=\"/docs\"", "href=\"/openapi.json\"", "wishbone store create", env!("CARGO_PKG_VERSION")] {
        assert!(empty.body.contains(part), "{part}: {}", empty.body);
    }
    drop(server);
    let (server, _shop) = place.shop(&[]);
    assert_eq!(server.get("/").body, empty.body);
    server.connect().ask("POST / HTTP/1.1\r\nHost: test\r\nContent-Length: 0\r\n\r\n").fails(405, "method-not-allowed");
}

#[test]
fn nothing_is_left_behind() {
    let place = Setup::new();
    let tmp = temporary(&place);
    let entries = || fs::read_dir(&tmp).unwrap().count();
    for signal in ["TERM", "INT"] {
        let mut demo = start(&place);
        assert_eq!(entries(), 1);
        let ann = ann(&demo);
        ann.list("One more");
        demo.signal(signal);
        assert_eq!(demo.wait().code(), Some(0));
        assert_eq!(entries(), 0, "after {signal}");
        assert!(!place.folder().join("wishbone-data").exists());
    }
}

#[test]
fn a_browser_guest_can_use_the_demo_store() {
    let place = Setup::new();
    let demo = start(&place);
    let pid = encode_form(&[("pid", demo.said["pid"].as_str().unwrap())]);
    let answer =
        demo.connect().ask(&crate::support::process::post(&format!("/api/v3/provider/register?{pid}"), "", ""));
    let guest = answer.ok();
    let mut buyer = ann(&demo);
    buyer.regid = guest["regid"].as_str().unwrap().to_owned();
    buyer.sessionid = guest["sessionid"].as_str().unwrap().to_owned();
    assert_eq!(buyer.post("lists/fetch-user-lists", &[]).ok()["data"], Value::Array(Vec::new()));
}

#[test]
fn the_usual_port_taken_means_another_one() {
    let place = Setup::new();
    // Whoever has it, this test or another program: it is taken.
    let _taken = std::net::TcpListener::bind("127.0.0.1:8080");
    let mut command = place.bare(&["demo"]);
    command.env("TMPDIR", temporary(&place));
    let demo = Server::start(command, place.folder());
    assert_ne!(demo.address.port(), 8080);
    assert!(demo.log().contains("127.0.0.1:8080 is in use"), "{}", demo.log());
    assert_eq!(demo.get("/").status, 200);
}

#[test]
fn listening_everywhere_still_prints_an_address_that_opens() {
    let place = Setup::new();
    let mut command = place.bare(&["demo", "--listen", "0.0.0.0:0"]);
    command.env("TMPDIR", temporary(&place));
    let demo = Server::start(command, place.folder());
    assert!(demo.address.ip().is_loopback(), "{}", demo.address);
    assert_eq!(demo.get("/").status, 200);
}
