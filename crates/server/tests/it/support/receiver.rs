//! A real HTTP server on loopback that receives webhooks and SMS.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;

use super::described;

#[derive(Clone, Debug)]
pub struct Received {
    pub path: String,
    /// By name in lower case.
    pub headers: BTreeMap<String, String>,
    pub body: String,
}

impl Received {
    /// The event, which must be as described.
    pub fn json(&self) -> Value {
        let body = serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.body));
        described::check_event(&body);
        body
    }

    /// The type of the event.
    pub fn kind(&self) -> String {
        self.json()["type"].as_str().unwrap().to_owned()
    }

    pub fn id(&self) -> &str {
        &self.headers["webhook-id"]
    }
}

/// What the server does with a request.
#[derive(Clone, Debug)]
pub enum Behaviour {
    Status(u16),
    Redirect(String),
    /// Never answers.
    Hang,
}

type Decide = Arc<Mutex<Box<dyn Fn(&Received) -> Behaviour + Send>>>;

pub struct Receiver {
    port: u16,
    received: Arc<Mutex<Vec<Received>>>,
    decide: Decide,
    arrived: Arc<Notify>,
}

impl Receiver {
    /// Answers everything with 200.
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let receiver = Self {
            port: listener.local_addr().unwrap().port(),
            received: Arc::default(),
            decide: Arc::new(Mutex::new(Box::new(|_| Behaviour::Status(200)))),
            arrived: Arc::default(),
        };
        let (received, decide, arrived) =
            (Arc::clone(&receiver.received), Arc::clone(&receiver.decide), Arc::clone(&receiver.arrived));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, Arc::clone(&received), Arc::clone(&decide), Arc::clone(&arrived)));
            }
        });
        receiver
    }

    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}/hooks?of=shop", self.port)
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    pub fn behave(&self, decide: impl Fn(&Received) -> Behaviour + Send + 'static) {
        *self.decide.lock().unwrap() = Box::new(decide);
    }

    pub fn respond(&self, status: u16) {
        self.behave(move |_| Behaviour::Status(status));
    }

    /// Everything received so far, in order of arrival.
    pub fn all(&self) -> Vec<Received> {
        self.received.lock().unwrap().clone()
    }

    pub fn take(&self) -> Vec<Received> {
        std::mem::take(&mut self.received.lock().unwrap())
    }

    /// The types of the events received since the last look.
    pub fn take_kinds(&self) -> Vec<String> {
        self.take().iter().map(Received::kind).collect()
    }

    /// Waits for a number of requests.
    pub async fn wait_for(&self, count: usize) -> Vec<Received> {
        loop {
            let arrived = self.arrived.notified();
            if self.all().len() >= count {
                return self.all();
            }
            arrived.await;
        }
    }
}

async fn serve(mut stream: TcpStream, received: Arc<Mutex<Vec<Received>>>, decide: Decide, arrived: Arc<Notify>) {
    let Some(request) = read(&mut stream).await else { return };
    let behaviour = (decide.lock().unwrap())(&request);
    received.lock().unwrap().push(request);
    arrived.notify_waiters();
    let head = match behaviour {
        Behaviour::Hang => std::future::pending().await,
        Behaviour::Status(status) => format!("HTTP/1.1 {status} x\r\n"),
        Behaviour::Redirect(to) => format!("HTTP/1.1 307 x\r\nlocation: {to}\r\n"),
    };
    let _ = stream.write_all(format!("{head}content-length: 2\r\n\r\nok").as_bytes()).await;
}

async fn read(stream: &mut TcpStream) -> Option<Received> {
    let mut bytes = Vec::new();
    let end = loop {
        if let Some(at) = bytes.windows(4).position(|part| part == b"\r\n\r\n") {
            break at + 4;
        }
        if stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    };
    let head = String::from_utf8(bytes[..end].to_vec()).unwrap();
    let mut lines = head.split("\r\n");
    let path = lines.next().unwrap().split(' ').nth(1).unwrap().to_owned();
    let headers: BTreeMap<String, String> = lines
        .filter_map(|line| line.split_once(": "))
        .map(|(name, value)| (name.to_lowercase(), value.to_owned()))
        .collect();
    let length: usize = headers["content-length"].parse().unwrap();
    while bytes.len() < end + length {
        stream.read_buf(&mut bytes).await.ok()?;
    }
    Some(Received { path, headers, body: String::from_utf8(bytes[end..].to_vec()).unwrap() })
}
