//! A store with its default limits, and clients of it.

use std::net::SocketAddr;

use anyhow::Context;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use crate::http::client::{Client, FORM, encoded, post};
use crate::processes::server::DataLocation;

/// The header in which a proxy tells the address of a client.
const FORWARDED: &str = "x-forwarded-for";

#[derive(Clone)]
pub(super) struct Store {
    pub(super) address: SocketAddr,
    pid: String,
    authorization: String,
    /// The address that its callers come from, as a proxy tells the server.
    client: String,
}

impl Store {
    pub(super) fn create(location: &DataLocation, address: SocketAddr) -> anyhow::Result<Self> {
        let features = ["--enable", "save-for-later", "--enable", "subscriptions"];
        let made = location.json(&[&["store", "create", "--name", "Shop"], &features[..]].concat())?;
        let text = |name: &str| made[name].as_str().with_context(|| format!("the new store has no {name}"));
        let (pid, key) = (text("pid")?.to_owned(), text("apikey")?);
        let authorization = format!("Basic {}", STANDARD.encode(format!("{pid}:{key}")));
        Ok(Self { address, pid, authorization, client: "192.0.2.1".to_owned() })
    }

    /// The same store, for callers from another address.
    pub(super) fn seen_from(&self, client: &str) -> Self {
        Self { client: client.to_owned(), ..self.clone() }
    }

    /// A call by the store's server.
    pub(super) fn admin(&self, path: &str, fields: &[(&str, &str)]) -> anyhow::Result<Value> {
        let headers = [FORM, ("authorization", self.authorization.as_str())];
        Client::connect(self.address)?.json(&post(&format!("/storeadmin/v3/{path}"), &headers, &form(fields)))
    }

    /// A shopper who is logged in.
    pub(super) fn shopper(&self, email: &str) -> anyhow::Result<Caller> {
        self.caller(&self.admin("user/generate-regid", &[("useremail", email)])?)
    }

    /// A guest that anyone can create.
    pub(super) fn guest(&self) -> anyhow::Result<Caller> {
        let path = format!("/api/v3/provider/register?pid={}", encoded(&self.pid));
        self.caller(&Client::connect(self.address)?.json(&post(&path, &[FORM, (FORWARDED, &self.client)], ""))?)
    }

    fn caller(&self, credentials: &Value) -> anyhow::Result<Caller> {
        let text = |name: &str| credentials[name].as_str().map(str::to_owned).with_context(|| format!("no {name}"));
        let (regid, sessionid) = (text("regid")?, text("sessionid")?);
        Ok(Caller { store: self.clone(), regid, sessionid, connection: None })
    }
}

/// A shopper or guest with one connection.
pub(super) struct Caller {
    store: Store,
    pub(super) regid: String,
    sessionid: String,
    connection: Option<Client>,
}

impl Caller {
    /// The encoded request of a call.
    pub(super) fn request(&self, path: &str, key: Option<&str>, fields: &[(&str, &str)]) -> Vec<u8> {
        let credentials = [("regid", self.regid.as_str()), ("sessionid", self.sessionid.as_str())];
        let body = form(&[&credentials[..], fields].concat());
        let client = (FORWARDED, self.store.client.as_str());
        let headers = [&[FORM, client][..], key.map(|key| ("idempotency-key", key)).as_slice()].concat();
        post(&format!("/api/v3/{path}?pid={}", encoded(&self.store.pid)), &headers, &body)
    }

    /// Returns the status and the raw response. A broken connection is opened again for the next call.
    pub(super) fn send(&mut self, request: &[u8]) -> anyhow::Result<(u16, Vec<u8>)> {
        let mut connection = match self.connection.take() {
            Some(connection) => connection,
            None => Client::connect(self.store.address)?,
        };
        let (raw, head) = connection.send(request)?;
        self.connection = Some(connection);
        Ok((head.status, raw.get(head.length..).unwrap_or_default().to_vec()))
    }

    pub(super) fn call(&mut self, path: &str, fields: &[(&str, &str)]) -> anyhow::Result<(u16, Vec<u8>)> {
        self.send(&self.request(path, None, fields))
    }

    /// Creates a list; returns its lid.
    pub(super) fn list(&mut self, fields: &[(&str, &str)]) -> anyhow::Result<String> {
        let (status, body) = self.call("lists/create", fields)?;
        let list: Value = serde_json::from_slice(&body)?;
        list["lid"].as_str().map(str::to_owned).with_context(|| format!("no list was created: {status} {list}"))
    }

    /// Adds items, 100 in a call. Stops at the first that is rejected.
    pub(super) fn fill(&mut self, lid: &str, items: &[Value]) -> anyhow::Result<bool> {
        for part in items.chunks(100) {
            let items = Value::from(part).to_string();
            if self.call("lists/update-ctx", &[("lid", lid), ("a", &items)])?.0 != 200 {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

fn form(fields: &[(&str, &str)]) -> String {
    let pairs: Vec<String> = fields.iter().map(|(name, value)| format!("{name}={}", encoded(value))).collect();
    pairs.join("&")
}
