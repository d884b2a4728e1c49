//! The pages of the demo shop, and the example commands that they show.

use minijinja::value::Serde;
use minijinja::{Environment, Error, Value, context};
use wishbone_core::stores::admin::StoreAdmin;

use crate::api::examples::{Examples, form_field};
use crate::demo::catalogue;
use crate::demo::files::TEMPLATES;
use crate::demo::fill::{ANN, BEN, DemoItem, DemoStore, NAME};
use crate::demo::shop::{Shop, slug};

/// Products on the start page.
const NOVELTIES: usize = 8;
/// The category of everything.
const ALL: &str = "all";
/// Pages without a part of their address that varies.
const PLAIN_PAGES: [&str; 6] = ["wishlist", "shared", "cart", "outbox", "guide", "developers"];

type Rendered = Result<String, Error>;

pub struct DemoShop {
    pub(crate) shop: Shop,
    templates: Environment<'static>,
    /// What every page can show.
    values: Value,
    /// The content security policy of the pages and their files.
    pub policy: String,
    /// The policy of a mail shown by a page: no scripts, no forms, only the demo's own pictures. It is of the page's origin,
    /// which can then measure it, and harmless without scripts.
    pub mail_policy: String,
    /// Values that make the examples of the API description work against the demo store.
    pub examples: Examples,
    pub(crate) by: StoreAdmin,
    /// With which the shop's server signs logins.
    pub(crate) login_secret: String,
}

impl DemoShop {
    pub fn new(base: &str, demo: &DemoStore) -> Result<Self, Error> {
        let mut templates = Environment::new();
        for (name, text) in TEMPLATES {
            templates.add_template(name, text)?;
        }
        let shop = Shop::new(&catalogue::products(base));
        let curls: Vec<_> =
            curls(base, demo).into_iter().map(|(title, command)| format!("# {title}\n{command}")).collect();
        let values = context! {
            shop => NAME,
            pid => demo.pid.as_str(),
            base => base,
            version => env!("CARGO_PKG_VERSION"),
            categories => Serde(shop.categories()),
            curls => curls.join("\n\n"),
        };
        // Picture URLs use the address that the demo listens on; the page may be open under another name, such as
        // localhost.
        let policy = format!(
            "default-src 'self'; img-src 'self' {base}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        );
        let mail_policy = format!(
            "default-src 'none'; img-src {base}; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; \
             frame-ancestors 'self'; sandbox allow-same-origin allow-popups allow-popups-to-escape-sandbox"
        );
        let examples = examples(base, demo);
        let (by, login_secret) = (demo.by.clone(), demo.login_secret.clone());
        Ok(Self { shop, templates, values, policy, mail_policy, examples, by, login_secret })
    }

    pub(crate) fn home(&self) -> Rendered {
        // From all over the catalogue.
        let mut products = self.shop.products();
        let step = (products.len() / NOVELTIES).max(1);
        products = products.into_iter().step_by(step).take(NOVELTIES).collect();
        self.render("home.html", context! { products => Serde(products) })
    }

    /// `None` if there is no such category.
    pub(crate) fn category(&self, name: &str) -> Option<Rendered> {
        let mut products = self.shop.products();
        products.retain(|product| name == ALL || slug(&product.category) == name);
        let title = match name {
            ALL => "All products".to_owned(),
            _ => products.first()?.category.clone(),
        };
        Some(self.render("category.html", context! { products => Serde(products), title, current => name }))
    }

    /// `None` if there is no such product.
    pub(crate) fn product(&self, name: &str) -> Option<Rendered> {
        let product = self.shop.product(name)?;
        let colours = choices(product.variants.iter().map(|variant| &variant.colour));
        let sizes = choices(product.variants.iter().map(|variant| &variant.size));
        let current = slug(&product.category);
        let mut related = self.shop.products();
        related.retain(|other| other.category == product.category && other.id != product.id);
        related.truncate(4);
        let (product, related) = (Serde(product), Serde(related));
        Some(self.render("product.html", context! { product, colours, sizes, current, related }))
    }

    /// `None` if there is no such page.
    pub(crate) fn plain(&self, name: &str) -> Option<Rendered> {
        PLAIN_PAGES.contains(&name).then(|| self.render(&format!("{name}.html"), context! { current => name }))
    }

    pub(crate) fn missing(&self) -> Rendered {
        self.render("missing.html", context! {})
    }

    fn render(&self, template: &str, page: Value) -> Rendered {
        self.templates.get_template(template)?.render(context! { ..page, ..self.values.clone() })
    }
}

/// The e-mail address of a shopper that a visitor can log in as.
pub(crate) fn shopper(name: &str) -> Option<&'static str> {
    match name {
        "ann" => Some(ANN),
        "ben" => Some(BEN),
        _ => None,
    }
}

/// The distinct colours or sizes of a product, in order.
fn choices<'a>(all: impl Iterator<Item = &'a String>) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for choice in all.filter(|choice| !choice.is_empty()) {
        if !out.contains(choice) {
            out.push(choice.clone());
        }
    }
    out
}

fn examples(base: &str, demo: &DemoStore) -> Examples {
    let DemoItem { variant_id, product_id, url } = &demo.liked;
    let saved = &demo.saved;
    Examples(vec![
        ("{base}", base.to_owned()),
        ("{pid}", demo.pid.clone()),
        ("{regid}", demo.credentials.regid.clone()),
        ("{guest_regid}", demo.guest_regid.clone()),
        ("{sessionid}", demo.credentials.sessionid.clone()),
        ("{lid}", demo.long_list.clone()),
        ("{spare_lid}", demo.empty_list.clone()),
        ("{saved_lid}", demo.saved_list.clone()),
        ("{epi}", variant_id.to_string()),
        ("{empi}", product_id.to_string()),
        ("{du}", url.clone()),
        ("{saved_epi}", saved.variant_id.to_string()),
        ("{saved_empi}", saved.product_id.to_string()),
        ("{saved_du}", saved.url.clone()),
        ("{webhook}", demo.webhook.clone()),
    ])
}

/// Example commands with their titles, ready to paste.
pub fn curls(base: &str, demo: &DemoStore) -> Vec<(&'static str, String)> {
    let pid = percent_encoding::utf8_percent_encode(&demo.pid, percent_encoding::NON_ALPHANUMERIC);
    let call = |path: &str, query: &str, fields: &[(&str, &str)]| {
        let mut command = format!("curl -sS '{base}/api/v3/{path}?pid={pid}{query}'");
        let credentials = [("regid", demo.credentials.regid.as_str()), ("sessionid", &demo.credentials.sessionid)];
        for (name, value) in credentials.iter().chain(fields) {
            command.push_str(" \\\n  ");
            command.push_str(&form_field(name, value));
        }
        command
    };
    let saved = format!(
        r#"[{{"epi": {}, "empi": {}, "du": "{}", "qty": 3, "note": "from the terminal"}}]"#,
        demo.saved.variant_id, demo.saved.product_id, demo.saved.url
    );
    let (long, saved_list) = (demo.long_list.as_str(), demo.saved_list.as_str());
    vec![
        (
            "Fetch a page of the 300-item list, cheapest first",
            call("lists/fetch-user-list", "", &[("lid", long), ("sortby", "price"), ("sortorder", "asc")]),
        ),
        ("Fetch all lists of the shopper", call("lists/fetch-user-lists", "", &[])),
        (
            "Fetch a list with its first three items",
            call("lists/fetch-list-with-contents", "&limit=3", &[("lid", long)]),
        ),
        (
            "Update the quantity and note of a saved-for-later item",
            call("lists/sfl/update", "", &[("lid", saved_list), ("user-agent", "curl"), ("items", &saved)]),
        ),
        (
            "Fetch the shopper's back-in-stock subscriptions",
            call("subscriptions/fetch-subs", "", &[("topic", "backinstock")]),
        ),
        (
            "Email a list; the email appears in the outbox of the demo",
            call("lists/emailList", "", &[("lid", long), ("fromname", "Ann"), ("toemail", "cleo@fernweh.example")]),
        ),
    ]
}
