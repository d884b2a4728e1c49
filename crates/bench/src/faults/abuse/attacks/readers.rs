//! Clients that read nothing, or next to nothing, over HTTP/1 and HTTP/2.

use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::thread;
use std::time::Duration;

use super::contents::{MAX_LISTS, lists_with_full_notes};
use super::{Attack, Scene};
use crate::faults::abuse::caller::Origin;
use crate::faults::abuse::h2::H2;
use crate::faults::abuse::tally::Tally;
use crate::http::client::get;

/// Requests of an HTTP/2 connection.
const STREAMS: usize = 250;
/// Connections of one address, and of many.
const FEW: usize = 5;
const MANY: usize = 20;
/// HTTP/1 connections of a slow reader.
const SLOW: usize = 200;
/// Longer than a write timeout of 30 seconds.
const LONG: Duration = Duration::from_secs(45);
/// What a slow reader reads per second over HTTP/1: enough for the kernel to report room now and then.
const DRIP: usize = 256;

const STATIC: &[&str] = &[
    "/",
    "/openapi.json",
    "/sdk/wishbone.js",
    "/sdk/wishbone.mjs",
    "/sdk/wishbone-elements.mjs",
    "/sdk/wishbone-legacy.mjs",
    "/sdk/wishbone.d.ts",
];

pub(super) const ATTACKS: &[Attack] = &[
    Attack::planned("HTTP/2 window of 0, docs", |scene, tally| held(scene, tally, &["/docs"])),
    Attack::planned("HTTP/2 window of 0, files", |scene, tally| held(scene, tally, STATIC)),
    Attack::planned("HTTP/2 window of 0, API", held_lists),
    Attack::planned("slow reader, HTTP/1", slow_http1),
    Attack::planned("slow reader, HTTP/2", slow_http2),
];

/// The requests of a stream: path, and form of a POST.
type Requests = Vec<(String, Option<String>)>;

fn held(scene: &Scene, tally: &mut Tally, paths: &[&str]) -> anyhow::Result<()> {
    let requests: Requests = paths.iter().map(|path| ((*path).to_owned(), None)).collect();
    hold(scene, tally, &requests, 0)
}

fn held_lists(scene: &Scene, tally: &mut Tally) -> anyhow::Result<()> {
    let requests = user_lists(scene)?;
    tally.begin();
    hold(scene, tally, &requests, 0)
}

/// One byte of each response per second.
fn slow_http2(scene: &Scene, tally: &mut Tally) -> anyhow::Result<()> {
    let mut requests = user_lists(scene)?;
    requests.push(("/docs".to_owned(), None));
    tally.begin_for(LONG);
    hold(scene, tally, &requests, 1)
}

/// The largest response of the API that a guest can have made.
fn user_lists(scene: &Scene) -> anyhow::Result<Requests> {
    let mut guest = scene.store.guest()?;
    lists_with_full_notes(&mut guest, MAX_LISTS)?;
    let (path, form) = guest.path_and_form("lists/fetch-user-lists", &[]);
    Ok(vec![(path, Some(form))])
}

/// Fills connections with requests, opens their windows by so many bytes a second, and reads the rest.
fn hold(scene: &Scene, tally: &mut Tally, requests: &Requests, window: u32) -> anyhow::Result<()> {
    let count = if scene.store.origin() == Origin::OneAddress { FEW } else { MANY };
    let mut connections = Vec::new();
    while tally.goes_on() {
        while connections.len() < count {
            connections.push(filled(scene, requests)?);
        }
        // A connection that the server has ended is opened again, once a second.
        connections
            .retain_mut(|connection| connection.read() > 0 && (window == 0 || connection.open_windows(window).is_ok()));
        thread::sleep(Duration::from_secs(1));
    }
    let held: usize = connections.iter_mut().map(H2::read).sum();
    tally.note(format!("{held} of {} responses held", count * STREAMS));
    Ok(())
}

fn filled(scene: &Scene, requests: &Requests) -> anyhow::Result<H2> {
    let mut connection = H2::connect(&scene.store, 0)?;
    for (path, form) in requests.iter().cycle().take(STREAMS) {
        connection.request(path, form.as_deref())?;
        connection.read();
    }
    Ok(connection)
}

fn slow_http1(scene: &Scene, tally: &mut Tally) -> anyhow::Result<()> {
    let mut guest = scene.store.guest()?;
    lists_with_full_notes(&mut guest, MAX_LISTS)?;
    let requests = [guest.request("lists/fetch-user-lists", None, &[]), get("/docs")];
    tally.begin_for(LONG);
    let mut connections: Vec<TcpStream> = Vec::new();
    while tally.goes_on() {
        while connections.len() < SLOW {
            let mut connection = scene.store.narrow()?;
            connection.write_all(&requests[connections.len() % 2])?;
            connection.set_nonblocking(true)?;
            connections.push(connection);
        }
        connections.retain_mut(is_open);
        thread::sleep(Duration::from_secs(1));
    }
    connections.retain_mut(is_open);
    tally.note(format!("{} of {SLOW} responses held", connections.len()));
    Ok(())
}

/// Reads a few bytes; false if the server has closed the connection.
fn is_open(connection: &mut TcpStream) -> bool {
    match connection.read(&mut [0; DRIP]) {
        Ok(count) => count > 0,
        Err(error) => error.kind() == ErrorKind::WouldBlock,
    }
}
