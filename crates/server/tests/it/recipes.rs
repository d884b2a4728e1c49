//! The recipes for a shop's server are copied out of the documentation, and run beside a real Wishbone server.

mod failures;

use std::fs::{self, File};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};
use wishbone_core::webhooks::signature::{Secret, TOLERANCE};
use wishbone_server::environment::Environment;

use crate::support::process::{Answer, Server, Setup, Shop, Wire, until};

/// A language, and how its server is started.
struct Language {
    page: &'static str,
    /// The files of the page.
    files: &'static [&'static str],
    /// The third file, which the page leaves to the shop.
    shop: (&'static str, &'static str),
    /// `ADDRESS` is replaced. Servers that take no address as an argument read the port from `PORT`.
    command: &'static [&'static str],
}

const NODE: Language = Language {
    page: "node.md",
    files: &["wishbone.mjs", "server.mjs"],
    shop: ("shop.mjs", include_str!("recipes/shop.mjs")),
    command: &["node", "server.mjs"],
};

const PYTHON: Language = Language {
    page: "python.md",
    files: &["wishbone.py", "server.py", "webhooks.py"],
    shop: ("shop.py", include_str!("recipes/shop.py")),
    command: &["python3", "webhooks.py"],
};

const PHP: Language = Language {
    page: "php.md",
    files: &["wishbone.php", "index.php"],
    shop: ("shop.php", include_str!("recipes/shop.php")),
    command: &["php", "-S", "ADDRESS", "index.php"],
};

const RUBY: Language = Language {
    page: "ruby.md",
    files: &["wishbone.rb", "config.ru"],
    shop: ("shop.rb", include_str!("recipes/shop.rb")),
    command: &["puma", "--bind", "tcp://ADDRESS", "config.ru"],
};

/// The first step of the Python page. The shop has no job queue, and no secret of a webhook is set.
const PYTHON_WITHOUT_WEBHOOKS: Language = Language {
    shop: ("shop.py", "def customer_of(environ): return {'id': 7, 'email': 'ann@example.com'}\n"),
    command: &["python3", "server.py"],
    ..PYTHON
};

/// The code of a page by the name of the file in the heading above it, `` ## `name` ``.
fn files(page: &str) -> Vec<(String, String)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/recipes").join(page);
    let text = fs::read_to_string(path).unwrap();
    let sections = text.split("\n## `").skip(1).filter_map(|section| section.split_once('`'));
    let blocks = sections.filter_map(|(name, rest)| Some((name, rest.split("```").nth(1)?)));
    blocks.map(|(name, block)| (name.to_owned(), block.split_once('\n').unwrap().1.to_owned())).collect()
}

/// The shop's server as a process, in a folder of its own.
struct Recipe {
    child: Child,
    address: SocketAddr,
    folder: PathBuf,
}

impl Recipe {
    fn start(language: &Language, folder: &Path, settings: &[(&str, &str)]) -> Self {
        let folder = folder.join("shop");
        fs::create_dir(&folder).unwrap();
        let files = files(language.page);
        assert_eq!(files.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), language.files);
        for (name, code) in &files {
            fs::write(folder.join(name), code).unwrap();
        }
        fs::write(folder.join(language.shop.0), language.shop.1).unwrap();
        fs::write(folder.join("events"), "").unwrap();
        let address = settings.iter().find(|(name, _)| *name == "ADDRESS").unwrap().1;
        let port = address.split_once(':').unwrap().1;
        let words: Vec<String> = language.command.iter().map(|word| word.replace("ADDRESS", address)).collect();
        let log = File::create(folder.join("log")).unwrap();
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).current_dir(&folder).env("PORT", port).envs(settings.iter().copied());
        command.stdin(Stdio::null()).stdout(log.try_clone().unwrap()).stderr(log);
        let child = command.spawn().unwrap_or_else(|error| panic!("{}: {error}; ./scripts/test installs it", words[0]));
        let mut recipe = Self { child, address: address.parse().unwrap(), folder };
        until("the shop's server is ready", || {
            assert!(recipe.child.try_wait().unwrap().is_none(), "it ended: {}", recipe.log());
            TcpStream::connect(recipe.address).is_ok()
        });
        recipe
    }

    fn log(&self) -> String {
        fs::read_to_string(self.folder.join("log")).unwrap()
    }

    /// The id and content of every event that was queued.
    fn events(&self) -> Vec<(String, Value)> {
        let text = fs::read_to_string(self.folder.join("events")).unwrap();
        let lines = text.split_inclusive('\n').filter(|line| line.ends_with('\n'));
        let parsed = lines.map(|line| line.split_once(' ').unwrap());
        parsed.map(|(id, event)| (id.to_owned(), serde_json::from_str(event).unwrap())).collect()
    }

    /// HTTP/1.0: the response ends with the connection and is not chunked.
    fn ask(&self, call: &str, headers: &str, body: &str) -> Answer {
        let length = body.len();
        let request = format!("{call} HTTP/1.0\r\nHost: shop\r\n{headers}Content-Length: {length}\r\n\r\n{body}");
        let (head, body) = Wire::connect(self.address).raw(&request);
        let mut lines = head.lines();
        let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
        let headers = lines.filter_map(|line| line.split_once(": "));
        let headers = headers.map(|(name, value)| (name.to_lowercase(), value.to_owned())).collect();
        Answer { status, headers, body: String::from_utf8(body).unwrap() }
    }

    fn identity(&self, cookie: &str) -> Answer {
        self.ask("GET /wishbone-identity", &format!("Cookie: {cookie}\r\n"), "")
    }

    fn token(&self, cookie: &str, form: &str) -> Answer {
        let headers = format!("Cookie: {cookie}\r\nContent-Type: application/x-www-form-urlencoded\r\n");
        self.ask("POST /wishbone-token", &headers, form)
    }

    fn deliver(&self, headers: &[(&str, &str)], body: &str) -> u16 {
        let headers: String = headers.iter().map(|(name, value)| format!("webhook-{name}: {value}\r\n")).collect();
        self.ask("POST /webhooks/wishbone", &format!("{headers}Content-Type: application/json\r\n"), body).status
    }
}

impl Drop for Recipe {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

const ANN: &str = "customer=ann";

/// A Wishbone server with a store and a webhook, and the settings of the shop's server.
struct Fixture {
    server: Server,
    shop: Shop,
    webhook: Value,
    settings: Vec<(&'static str, String)>,
    setup: Setup,
}

impl Fixture {
    fn new() -> Self {
        let setup = Setup::new();
        let server = setup.serve(&["--allow-private-webhooks"]);
        let made = setup.json(&["store", "create", "--name", "Shop"]);
        let text = |key: &str| made[key].as_str().unwrap().to_owned();
        let shop = server.shop(&text("pid"), &text("apikey"));
        let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let new = json!({ "url": format!("http://{free}/webhooks/wishbone"), "events": ["*"] });
        let webhook = shop.json("/storeadmin/v3/webhooks/create", &new).ok()["data"].clone();
        let settings = vec![
            ("ADDRESS", free.to_string()),
            ("WISHBONE_URL", format!("http://{}", server.address)),
            ("WISHBONE_PID", text("pid")),
            ("WISHBONE_API_KEY", text("apikey")),
            ("WISHBONE_LOGIN_SECRET", text("loginsecret")),
            ("WISHBONE_WEBHOOK_SECRET", webhook["secret"].as_str().unwrap().to_owned()),
        ];
        Self { server, shop, webhook, settings, setup }
    }

    fn start(&self, language: &Language) -> Recipe {
        let settings: Vec<_> = self.settings.iter().map(|(name, value)| (*name, value.as_str())).collect();
        Recipe::start(language, self.setup.folder(), &settings)
    }
}

fn identifies_customers(language: &Language) {
    let fixture = Fixture::new();
    let recipe = fixture.start(language);
    assert_eq!(recipe.identity("").status, 401);
    let answer = recipe.identity(ANN);
    assert_eq!(answer.ok()["regid"], fixture.shop.login("ann@example.com").regid);
    assert!(answer.ok()["sessionid"].is_string());
    assert_eq!(answer.header("cache-control"), Some("no-store"));
}

fn signs_tokens(language: &Language) {
    let fixture = Fixture::new();
    let recipe = fixture.start(language);
    let guest = fixture.shop.guest();
    let lid = guest.list("Guest's");
    let regid = format!("regid={}", guest.regid);
    assert_eq!(recipe.token("", &regid).status, 401);
    // What is not a regid could move the borders between the signed fields.
    for wrong in ["", "regid=", "regid=a%0Ab", "regid=a%0A", "regid=%FF"] {
        assert_eq!(recipe.token(ANN, wrong).status, 400, "{wrong}: {}", recipe.log());
    }
    let answer = recipe.token(ANN, &regid);
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    let token = answer.ok();
    let expires = token["expires"].as_i64().unwrap().to_string();
    let text = |key: &str| token[key].as_str().unwrap();
    let fields = ["extuid", "useremail", "token"].map(|key| (key, text(key)));
    let synced = guest.post("lists/user-validate-sync", &[&fields[..], &[("expires", &expires)]].concat()).ok();
    let ann = fixture.shop.login("ann@example.com");
    assert_eq!(synced["regid"], ann.regid);
    assert!(ann.contents(&lid).is_empty(), "the guest's list is the customer's");
}

fn verifies_webhooks(language: &Language) {
    let fixture = Fixture::new();
    let recipe = fixture.start(language);
    fixture.shop.login("ann@example.com").list("Sömmer 🎁");
    until("the event has arrived", || !recipe.events().is_empty());
    let (id, event) = recipe.events().remove(0);
    assert_eq!((&event["type"], &event["data"]["lname"]), (&json!("list.created"), &json!("Sömmer 🎁")));
    let log = json!({ "id": fixture.webhook["id"] });
    let state = || fixture.shop.json("/storeadmin/v3/webhooks/deliveries", &log).ok()["data"]["deliveries"][0].clone();
    until("the delivery is recorded", || state()["state"] == "delivered");
    assert_eq!(state()["id"], id);

    let secret = Secret::parse(fixture.webhook["secret"].as_str().unwrap()).unwrap();
    let now = Environment::Real.now() / 1_000;
    // Parsed and written again, it would have other spaces.
    let body = "{ \"type\" : \"list.created\",\n  \"data\": {\"lname\":\"ä\"} }";
    let signature = |timestamp: i64| secret.sign("evt", timestamp, body.as_bytes());
    let send = |timestamp: i64, signature: &str, body: &str| {
        recipe.deliver(&[("id", "evt"), ("timestamp", &timestamp.to_string()), ("signature", signature)], body)
    };
    assert_eq!(send(now, &signature(now), body), 204, "{}", recipe.log());
    let rotated = format!("v1,AAAA v2,x {} v1,BBBB", signature(now));
    assert_eq!(send(now, &rotated, body), 204, "one of several matches");
    let (early, late) = (now - TOLERANCE + 60, now + TOLERANCE - 60);
    assert_eq!((send(early, &signature(early), body), send(late, &signature(late), body)), (204, 204));
    let accepted = recipe.events().len();

    let (old, future) = (now - TOLERANCE - 60, now + TOLERANCE + 60);
    let unversioned = signature(now).replace("v1,", "");
    let other = Secret::new([7; 32]).sign("evt", now, body.as_bytes());
    for (what, status) in [
        ("another body", send(now, &signature(now), &body.replace('ä', "b"))),
        ("another timestamp", send(now + 1, &signature(now), body)),
        ("an old one", send(old, &signature(old), body)),
        ("one from the future", send(future, &signature(future), body)),
        ("another secret", send(now, &other, body)),
        ("another version", send(now, &signature(now).replace("v1,", "v2,"), body)),
        ("no version", send(now, &unversioned, body)),
        ("an empty signature", send(now, "", body)),
        ("no headers", recipe.deliver(&[], body)),
        ("no number", recipe.deliver(&[("id", "evt"), ("timestamp", "soon"), ("signature", &signature(now))], body)),
        ("no signature", recipe.deliver(&[("id", "evt"), ("timestamp", &now.to_string())], body)),
    ] {
        assert_eq!(status, 400, "{what}: {}", recipe.log());
    }
    assert_eq!(recipe.events().len(), accepted);
}

#[test]
fn python_starts_without_webhooks() {
    let mut fixture = Fixture::new();
    fixture.settings.retain(|(name, _)| *name != "WISHBONE_WEBHOOK_SECRET");
    let recipe = fixture.start(&PYTHON_WITHOUT_WEBHOOKS);
    assert_eq!(recipe.identity("").ok()["regid"], fixture.shop.login("ann@example.com").regid);
    assert_eq!(recipe.deliver(&[], "{}"), 404);
}

macro_rules! languages {
    ($($name:ident: $language:expr,)*) => {
        $(
            mod $name {
                use super::*;

                #[test]
                fn identifies_customers() {
                    super::identifies_customers(&$language);
                }

                #[test]
                fn signs_tokens() {
                    super::signs_tokens(&$language);
                }

                #[test]
                fn verifies_webhooks() {
                    super::verifies_webhooks(&$language);
                }

                #[test]
                fn survives_failures() {
                    super::failures::survives(&$language);
                }
            }
        )*
    };
}

languages! {
    node: NODE,
    python: PYTHON,
    php: PHP,
    ruby: RUBY,
}
