//! Clients that do not send their requests to the end, and requests that take far more memory than they are long.

use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::thread;
use std::time::Duration;

use super::{Attack, Scene};
use crate::faults::abuse::caller::Origin;
use crate::faults::abuse::h2::H2;
use crate::faults::abuse::tally::Tally;

/// HTTP/1 connections; the server accepts fewer of one address.
const CONNECTIONS: usize = 4_000;
/// HTTP/2 connections of one address, and of many.
const FEW: usize = 100;
const MANY: usize = 400;
/// Those of requests that are as cheap as they can be.
const CHEAP: usize = 1_000;
/// Requests of an HTTP/2 connection.
const STREAMS: usize = 31;
/// Below the limit on heads, and below what is read of every body.
const LENGTH: usize = 60_000;
/// A body of the largest size, as long as the server accepts it.
const LARGEST: usize = 4 << 20;
const SENDERS: usize = 30;
/// Headers of a request without a value.
const HEADERS: usize = 1_700;
/// Connections that have had a response, and the time in which they are opened.
const IDLE: usize = 18_000;
const FILLING: Duration = Duration::from_secs(20);

pub(super) const ATTACKS: &[Attack] = &[
    Attack::planned("slow heads, HTTP/1", |scene, tally| http1(scene, tally, head())),
    Attack::planned("slow bodies, HTTP/1", |scene, tally| http1(scene, tally, body())),
    Attack::planned("slow bodies, HTTP/2", |scene, tally| slow_http2(scene, tally, 0, LENGTH)),
    Attack::planned("long heads and slow bodies, HTTP/2", |scene, tally| slow_http2(scene, tally, LENGTH, 1)),
    Attack::planned("open bodies, HTTP/2", |scene, tally| http2(scene, tally, CHEAP, |it| it.begin(PATH, &[], 0))),
    Attack::planned("many headers, HTTP/2", many_headers),
    Attack::planned("idle connections", idle),
    Attack::by_store("arrays of empty arrays", empty_arrays),
];

const PATH: &str = "/api/v3/lists/fetch-lists?pid=x";

fn head() -> Vec<u8> {
    format!("POST {PATH} HTTP/1.1\r\nhost: 127.0.0.1\r\nx: {}", "x".repeat(LENGTH)).into_bytes()
}

fn body() -> Vec<u8> {
    let head = "host: 127.0.0.1\r\ncontent-type: application/x-www-form-urlencoded";
    format!("POST {PATH} HTTP/1.1\r\n{head}\r\ncontent-length: {}\r\n\r\n{}", LENGTH + 1, "x".repeat(LENGTH))
        .into_bytes()
}

/// Opens connections with the beginning of a request, and opens those again that the server has ended.
fn http1(scene: &Scene, tally: &mut Tally, beginning: Vec<u8>) -> anyhow::Result<()> {
    let mut connections: Vec<(TcpStream, usize)> = Vec::new();
    while tally.goes_on() {
        while connections.len() < CONNECTIONS && tally.goes_on() {
            let connection = scene.store.narrow()?;
            connection.set_nonblocking(true)?;
            connections.push((connection, 0));
        }
        connections.retain_mut(|(connection, sent)| is_open(connection) && proceeds(connection, &beginning, sent));
        thread::sleep(Duration::from_millis(100));
    }
    connections.retain_mut(|(connection, _)| is_open(connection));
    tally.note(format!("{} of {CONNECTIONS} requests held", connections.len()));
    Ok(())
}

fn is_open(connection: &mut TcpStream) -> bool {
    match connection.read(&mut [0; 256]) {
        Ok(count) => count > 0,
        Err(error) => error.kind() == ErrorKind::WouldBlock,
    }
}

fn proceeds(connection: &mut TcpStream, beginning: &[u8], sent: &mut usize) -> bool {
    match connection.write(&beginning[*sent..]) {
        Ok(count) => *sent += count,
        Err(error) if error.kind() == ErrorKind::WouldBlock => {}
        Err(_) => return false,
    }
    true
}

/// Requests whose heads have so many bytes, and whose bodies do not end after so many.
fn slow_http2(scene: &Scene, tally: &mut Tally, head: usize, body: usize) -> anyhow::Result<()> {
    let count = if scene.store.origin() == Origin::OneAddress { FEW } else { MANY };
    let filler = "x".repeat(head);
    http2(scene, tally, count, |connection| connection.begin(PATH, &[("x", &filler)], body))
}

/// Heads that are short, and take far more memory. They also take far more time than their sender needs: they are sent at a
/// rate, since a flood from ever new networks is none of memory.
fn many_headers(scene: &Scene, tally: &mut Tally) -> anyhow::Result<()> {
    let names: Vec<String> = (0..HEADERS).map(|number| format!("h{number}")).collect();
    let headers: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "")).collect();
    http2(scene, tally, FEW, |connection| {
        thread::sleep(Duration::from_micros(500));
        connection.begin(PATH, &headers, 0)
    })
}

/// Fills connections with requests that have begun.
fn http2(
    scene: &Scene,
    tally: &mut Tally,
    count: usize,
    begin: impl Fn(&mut H2) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let mut connections: Vec<H2> = Vec::new();
    while tally.goes_on() {
        while connections.len() < count && tally.goes_on() {
            let mut connection = H2::connect(&scene.store, 0)?;
            // The server may end it at any time.
            if (0..STREAMS).try_for_each(|_| begin(&mut connection)).is_ok() {
                connections.push(connection);
            }
        }
        connections.retain_mut(|connection| connection.read() > 0);
        thread::sleep(Duration::from_millis(100));
    }
    let held: usize = connections.iter_mut().map(H2::read).sum();
    tally.note(format!("{held} of {} requests held", count * STREAMS));
    Ok(())
}

/// Connections that have had a response, and are kept open.
fn idle(scene: &Scene, tally: &mut Tally) -> anyhow::Result<()> {
    let request = format!("GET /healthz HTTP/1.1\r\nhost: 127.0.0.1\r\nx: {}\r\n\r\n", "x".repeat(LENGTH)).into_bytes();
    let mut connections = Vec::new();
    tally.begin_for(FILLING);
    while connections.len() < IDLE && tally.goes_on() {
        let mut connection = scene.store.stranger()?;
        let response = connection.send(&request).map(|(_, head)| (head.status, ()));
        if tally.count(&response) {
            connections.push(connection);
        }
    }
    tally.note(format!("{} connections opened", connections.len()));
    Ok(())
}

/// Products that are empty arrays: a parsed one takes many times the memory of its two bytes.
fn empty_arrays(scene: &Scene, tally: &mut Tally) -> anyhow::Result<()> {
    let body = format!("{{\"products\":[{}[]]}}", "[],".repeat(LARGEST / 3 - 10));
    let mut accepted = 0;
    while tally.goes_on() {
        let statuses: Vec<u16> = thread::scope(|scope| {
            let send = || scene.store.ask_text("products/upsert", &body).map_or(0, |(status, _)| status);
            let senders: Vec<_> = (0..SENDERS).map(|_| scope.spawn(send)).collect();
            senders.into_iter().map(|sender| sender.join().unwrap_or(0)).collect()
        });
        accepted += statuses.iter().filter(|status| **status == 200).count() as u64;
    }
    tally.require_at_most(0, accepted, "arrays of too many products accepted");
    Ok(())
}
