//! A store with its default limits, and clients of it.

use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use anyhow::Context;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use crate::http::client::{Client, FORM, connect_from, encoded, post};
use crate::processes::server::DataLocation;

/// The shop's own server, and its shoppers.
const SHOP: Ipv4Addr = Ipv4Addr::new(127, 2, 1, 1);
const SHOPPERS: Ipv4Addr = Ipv4Addr::LOCALHOST;
/// A response that stalls for so long counts as broken.
const TIMEOUT: Duration = Duration::from_secs(30);
/// Receive buffer of a client that does not read, in bytes; the kernel takes its minimum.
const NARROW: usize = 1;

/// Where strangers come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    OneAddress,
    ManyAddresses,
}

/// The addresses of strangers.
struct Addresses {
    origin: Origin,
    given: AtomicU32,
}

impl Addresses {
    /// The same one, or one in a /24 network of its own.
    fn next(&self) -> Ipv4Addr {
        match self.origin {
            Origin::OneAddress => Ipv4Addr::new(127, 1, 1, 1),
            Origin::ManyAddresses => {
                let number = self.given.fetch_add(1, Ordering::Relaxed);
                Ipv4Addr::new(127, 16 + (number / 256 % 200) as u8, (number % 256) as u8, 1)
            }
        }
    }
}

#[derive(Clone)]
pub(super) struct Store {
    pub(super) address: SocketAddr,
    pub(super) pid: String,
    authorization: String,
    addresses: Arc<Addresses>,
}

impl Store {
    pub(super) fn create(location: &DataLocation, address: SocketAddr, origin: Origin) -> anyhow::Result<Self> {
        let features = ["--enable", "save-for-later", "--enable", "subscriptions"];
        let made = location.json(&[&["store", "create", "--name", "Shop"], &features[..]].concat())?;
        let text = |name: &str| made[name].as_str().with_context(|| format!("the new store has no {name}"));
        let (pid, key) = (text("pid")?.to_owned(), text("apikey")?);
        let authorization = format!("Basic {}", STANDARD.encode(format!("{pid}:{key}")));
        Ok(Self { address, pid, authorization, addresses: Arc::new(Addresses { origin, given: AtomicU32::new(0) }) })
    }

    pub(super) fn origin(&self) -> Origin {
        self.addresses.origin
    }

    /// A connection of a stranger who will hardly read.
    pub(super) fn narrow(&self) -> anyhow::Result<TcpStream> {
        connect_from(self.addresses.next(), self.address, Some(NARROW))
    }

    /// A connection of a stranger.
    pub(super) fn stranger(&self) -> anyhow::Result<Client> {
        Client::connect_from(self.addresses.next(), self.address, TIMEOUT)
    }

    /// A call by the store's server that must succeed.
    pub(super) fn admin(&self, path: &str, fields: &[(&str, &str)]) -> anyhow::Result<Value> {
        let (status, body) = self.ask(path, fields)?;
        anyhow::ensure!(status == 200, "{path}: {status} {body}");
        Ok(body)
    }

    /// A call by the store's server. Returns the status and the body.
    pub(super) fn ask(&self, path: &str, fields: &[(&str, &str)]) -> anyhow::Result<(u16, Value)> {
        self.ask_with(path, FORM, &form(fields))
    }

    /// A call with a JSON body by the store's server.
    pub(super) fn ask_json(&self, path: &str, body: &Value) -> anyhow::Result<(u16, Value)> {
        self.ask_text(path, &body.to_string())
    }

    /// The same, with a body that is encoded already.
    pub(super) fn ask_text(&self, path: &str, body: &str) -> anyhow::Result<(u16, Value)> {
        self.ask_with(path, ("content-type", "application/json"), body)
    }

    fn ask_with(&self, path: &str, media_type: (&str, &str), body: &str) -> anyhow::Result<(u16, Value)> {
        let headers = [media_type, ("authorization", self.authorization.as_str())];
        let mut client = Client::connect_from(SHOP, self.address, TIMEOUT)?;
        let (raw, head) = client.send(&post(&format!("/storeadmin/v3/{path}"), &headers, body))?;
        Ok((head.status, serde_json::from_slice(&head.body(&raw)?)?))
    }

    /// A shopper who is logged in.
    pub(super) fn shopper(&self, email: &str) -> anyhow::Result<Caller> {
        self.caller(SHOPPERS, &self.admin("user/generate-regid", &[("useremail", email)])?)
    }

    /// A guest that anyone can create.
    pub(super) fn guest(&self) -> anyhow::Result<Caller> {
        let source = self.addresses.next();
        let path = format!("/api/v3/provider/register?pid={}", encoded(&self.pid));
        let mut client = Client::connect_from(source, self.address, TIMEOUT)?;
        self.caller(source, &client.json(&post(&path, &[FORM], ""))?)
    }

    /// Logs a guest in, as the shop does.
    pub(super) fn login(&self, guest: &Caller, email: &str) -> anyhow::Result<(u16, Value)> {
        let fields = [("regid", guest.regid.as_str()), ("useremail", email), ("useragenttype", "bench")];
        self.ask("user/guest-validate-sync", &fields)
    }

    fn caller(&self, source: Ipv4Addr, credentials: &Value) -> anyhow::Result<Caller> {
        let text = |name: &str| credentials[name].as_str().map(str::to_owned).with_context(|| format!("no {name}"));
        let (regid, sessionid) = (text("regid")?, text("sessionid")?);
        Ok(Caller { server: self.address, pid: self.pid.clone(), source, regid, sessionid, connection: None })
    }
}

/// A shopper or guest with one connection.
pub(super) struct Caller {
    server: SocketAddr,
    pid: String,
    source: Ipv4Addr,
    regid: String,
    sessionid: String,
    connection: Option<Client>,
}

impl Caller {
    /// The path and the form of a call.
    pub(super) fn path_and_form(&self, path: &str, fields: &[(&str, &str)]) -> (String, String) {
        let credentials = [("regid", self.regid.as_str()), ("sessionid", self.sessionid.as_str())];
        (format!("/api/v3/{path}?pid={}", encoded(&self.pid)), form(&[&credentials[..], fields].concat()))
    }

    /// The encoded request of a call.
    pub(super) fn request(&self, path: &str, key: Option<&str>, fields: &[(&str, &str)]) -> Vec<u8> {
        let (path, body) = self.path_and_form(path, fields);
        let headers = [&[FORM][..], key.map(|key| ("idempotency-key", key)).as_slice()].concat();
        post(&path, &headers, &body)
    }

    /// Returns the status and the body. A broken connection is opened again for the next call.
    pub(super) fn send(&mut self, request: &[u8]) -> anyhow::Result<(u16, Vec<u8>)> {
        let mut connection = match self.connection.take() {
            Some(connection) => connection,
            None => Client::connect_from(self.source, self.server, TIMEOUT)?,
        };
        let (raw, head) = connection.send(request)?;
        self.connection = Some(connection);
        Ok((head.status, head.body(&raw)?.into_owned()))
    }

    pub(super) fn call(&mut self, path: &str, fields: &[(&str, &str)]) -> anyhow::Result<(u16, Vec<u8>)> {
        self.send(&self.request(path, None, fields))
    }

    /// A call that must succeed; returns its body.
    pub(super) fn json(&mut self, path: &str, fields: &[(&str, &str)]) -> anyhow::Result<Value> {
        let (status, body) = self.call(path, fields)?;
        anyhow::ensure!(status == 200, "{path}: {status} {}", String::from_utf8_lossy(&body));
        Ok(serde_json::from_slice(&body)?)
    }

    /// Creates a list; returns its lid.
    pub(super) fn list(&mut self, fields: &[(&str, &str)]) -> anyhow::Result<String> {
        let list = self.json("lists/create", fields)?;
        list["lid"].as_str().map(str::to_owned).with_context(|| format!("no list was created: {list}"))
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
