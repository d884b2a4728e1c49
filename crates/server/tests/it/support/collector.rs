//! A collector on loopback that receives traces as OTLP over HTTP.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::any_value::Value;
use opentelemetry_proto::tonic::common::v1::{AnyValue, KeyValue};
use opentelemetry_proto::tonic::trace::v1::Span;
use prost::Message;

pub struct Collector {
    pub url: String,
    received: Arc<Mutex<Vec<Received>>>,
}

/// A request, whose head and body also come as text, to look for what must not be there.
struct Received {
    head: String,
    body: Vec<u8>,
}

impl Collector {
    /// Answers everything with 200.
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let received: Arc<Mutex<Vec<Received>>> = Arc::default();
        let all = Arc::clone(&received);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                if let Some(request) = serve(stream.unwrap()) {
                    all.lock().unwrap().push(request);
                }
            }
        });
        Self { url, received }
    }

    /// Everything received so far.
    pub fn spans(&self) -> Vec<Span> {
        let spans_of = |request: &Received| {
            let sent = ExportTraceServiceRequest::decode(&request.body[..]).unwrap();
            let scopes = sent.resource_spans.into_iter().flat_map(|resource| resource.scope_spans);
            scopes.flat_map(|scope| scope.spans).collect::<Vec<Span>>()
        };
        self.received.lock().unwrap().iter().flat_map(spans_of).collect()
    }

    /// The attributes of the server.
    pub fn resource(&self) -> Vec<KeyValue> {
        let first = &self.received.lock().unwrap()[0];
        let sent = ExportTraceServiceRequest::decode(&first.body[..]).unwrap();
        sent.resource_spans[0].resource.as_ref().unwrap().attributes.clone()
    }

    /// True if any request contains the text.
    pub fn has(&self, text: &str) -> bool {
        let is_in = |request: &Received| {
            request.head.contains(text) || request.body.windows(text.len()).any(|part| part == text.as_bytes())
        };
        self.received.lock().unwrap().iter().any(is_in)
    }
}

fn serve(stream: TcpStream) -> Option<Received> {
    let mut reader = BufReader::new(stream);
    let (mut head, mut length) = (String::new(), 0);
    loop {
        let start = head.len();
        reader.read_line(&mut head).ok().filter(|read| *read > 0)?;
        let line = head[start..].trim().to_ascii_lowercase();
        if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        if line.is_empty() {
            break;
        }
    }
    assert!(head.starts_with("POST /v1/traces "), "{head}");
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    reader.get_mut().write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n").ok()?;
    Some(Received { head, body })
}

/// An attribute as text.
pub fn attribute(attributes: &[KeyValue], name: &str) -> Option<String> {
    let found = attributes.iter().find(|attribute| attribute.key == name)?;
    match found.value.as_ref()? {
        AnyValue { value: Some(Value::StringValue(text)) } => Some(text.clone()),
        AnyValue { value: Some(Value::IntValue(number)) } => Some(number.to_string()),
        other => panic!("{other:?}"),
    }
}
