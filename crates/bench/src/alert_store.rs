//! A store whose shoppers wait for products to be back in stock.

use std::collections::BTreeMap;
use std::net::SocketAddr;

use anyhow::{Context, ensure};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use crate::http::client::{Client, FORM, encoded, post};
use crate::processes::server::{DataLocation, UNLIMITED};

const FIRST_VARIANT: usize = 1_001;
/// Subscriptions in one page of the list.
const PAGE: usize = 1_000;

pub(crate) struct AlertStore {
    authorization: String,
    variants: usize,
}

/// A subscription as the store sees it.
#[derive(Clone, Debug)]
pub(crate) struct Subscription {
    pub(crate) state: String,
    pub(crate) attempts: i64,
    pub(crate) last_error: String,
}

impl AlertStore {
    /// Creates a store that alerts everybody who waits, and its catalogue, which is out of stock.
    pub(crate) fn create(location: &DataLocation, server: SocketAddr, variants: usize) -> anyhow::Result<Self> {
        let store = location.json(&["store", "create", "--name", "Alerts"])?;
        let text = |name: &str| store[name].as_str().with_context(|| format!("the new store has no {name}"));
        let (pid, key) = (text("pid")?, text("apikey")?);
        let alerts = ["--alerts-per-unit", "all", "--alert-interval", "0"];
        location.json(&[&["store", "set", pid], &alerts[..], UNLIMITED].concat())?;
        let authorization = format!("Basic {}", STANDARD.encode(format!("{pid}:{key}")));
        let store = Self { authorization, variants };
        let products: Vec<Value> = (0..variants)
            .map(|number| {
                let mut product = product(number);
                product["dt"] = format!("Kettle No. {number}").into();
                product["stock"] = 0.into();
                product
            })
            .collect();
        let mut client = Client::connect(server)?;
        let response = store.call(&mut client, "v3/products/upsert", &json!({ "products": products }))?;
        ensure!(response["updated"] == variants, "{response}");
        Ok(store)
    }

    /// Subscribes each address to one of the variants.
    pub(crate) fn subscribe(&self, server: SocketAddr, addresses: &[String]) -> anyhow::Result<()> {
        let mut client = Client::connect(server)?;
        for (number, address) in addresses.iter().enumerate() {
            let products = encoded(&json!([product(number % self.variants)]).to_string());
            let topics = encoded(r#"["backinstock"]"#);
            let body = format!("medium=email&mediumvalue={}&products={products}&topics={topics}", encoded(address));
            let headers = [FORM, ("authorization", &self.authorization)];
            let response = client.json(&post("/storeadmin/bispa/subscriptions/create", &headers, &body))?;
            ensure!(response["subscriptions"].as_array().is_some_and(|made| made.len() == 1), "{response}");
        }
        Ok(())
    }

    /// Puts all variants in stock.
    pub(crate) fn restock(&self, server: SocketAddr) -> anyhow::Result<()> {
        let inventory: Vec<Value> =
            (0..self.variants).map(|number| json!({ "epi": FIRST_VARIANT + number, "stock": 5 })).collect();
        let mut client = Client::connect(server)?;
        let response = self.call(&mut client, "v3/inventory/update", &json!({ "inventory": inventory }))?;
        ensure!(response["updated"] == self.variants, "{response}");
        Ok(())
    }

    /// All subscriptions, by address.
    pub(crate) fn subscriptions(&self, server: SocketAddr) -> anyhow::Result<BTreeMap<String, Subscription>> {
        let mut client = Client::connect(server)?;
        let (mut out, mut next) = (BTreeMap::new(), Value::Null);
        loop {
            let mut request = json!({ "limit": PAGE });
            if !next.is_null() {
                request["next"] = next;
            }
            let response = self.call(&mut client, "v3/subscriptions/list", &request)?;
            let data = &response["data"];
            for record in data["subscriptions"].as_array().context("the page has no subscriptions")? {
                let text = |name: &str| record[name].as_str().unwrap_or_default().to_owned();
                let attempts = record["attempts"].as_i64().unwrap_or(0);
                let subscription = Subscription { state: text("state"), attempts, last_error: text("lasterror") };
                out.insert(text("mediumvalue"), subscription);
            }
            next = data["next"].clone();
            if next.is_null() {
                return Ok(out);
            }
        }
    }

    fn call(&self, client: &mut Client, path: &str, body: &Value) -> anyhow::Result<Value> {
        let headers = [("content-type", "application/json"), ("authorization", &self.authorization)];
        client.json(&post(&format!("/storeadmin/{path}"), &headers, &body.to_string()))
    }
}

/// The fields that identify a product.
fn product(number: usize) -> Value {
    let variant = FIRST_VARIANT + number;
    json!({ "epi": variant, "empi": variant, "du": format!("https://shop.example/products/{variant}") })
}
