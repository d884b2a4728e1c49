//! Endpoints of a store that do not behave, and calls of a store that meet each other.

use std::io::Write;
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;

use super::contents::long_list;
use super::{Attack, Scene};
use crate::faults::abuse::tally::Tally;

/// Webhooks of the store.
const WEBHOOKS: usize = 10;
/// The time of a delivery, 15 seconds, and some for a busy machine.
const DELIVERY_LIMIT: Duration = Duration::from_secs(20);
/// Time to see deliveries end.
const LONG: Duration = Duration::from_secs(30);
/// Callers that erase people at the same time, and how many each erases.
const CALLERS: usize = 2;
const PEOPLE: usize = 20;

pub(super) const ATTACKS: &[Attack] =
    &[Attack::by_store("endless 1xx of webhooks", endless), Attack::by_store("erasures at once", erasures)];

/// A delivery as the endpoint sees it.
#[derive(Default)]
struct Delivery {
    lasted: Duration,
    bytes: usize,
}

/// Endpoints that answer each delivery with 1xx responses without end.
fn endless(scene: &Scene, tally: &mut Tally) -> anyhow::Result<()> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let url = format!("http://{}/", listener.local_addr()?);
    let deliveries = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&deliveries);
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let seen = Arc::clone(&seen);
            thread::spawn(move || {
                let delivery = continue_without_end(stream);
                seen.lock().unwrap_or_else(PoisonError::into_inner).push(delivery);
            });
        }
    });
    for number in 0..WEBHOOKS {
        let webhook = json!({ "url": format!("{url}{number}"), "events": ["*"] });
        tally.count(&scene.store.ask_json("webhooks/create", &webhook));
    }
    // The shop's writes are the events.
    tally.begin_for(LONG);
    while tally.goes_on() {
        thread::sleep(Duration::from_millis(100));
    }
    let deliveries = deliveries.lock().unwrap_or_else(PoisonError::into_inner);
    let lasted = deliveries.iter().map(|delivery| delivery.lasted).max().unwrap_or_default();
    let bytes: usize = deliveries.iter().map(|delivery| delivery.bytes).sum();
    tally.note(format!("{} deliveries ended, {} MiB of 1xx read", deliveries.len(), bytes >> 20));
    let is_ended = !deliveries.is_empty() && lasted < DELIVERY_LIMIT;
    if !tally.is_short {
        tally.require(is_ended, "deliveries end in time");
    }
    Ok(())
}

fn continue_without_end(mut stream: TcpStream) -> Delivery {
    let (began, mut bytes) = (Instant::now(), 0);
    let part = "HTTP/1.1 103 Early Hints\r\nlink: </>\r\n\r\n".repeat(100);
    // An end, in case that the server does not find one.
    while began.elapsed() < 2 * LONG && stream.write_all(part.as_bytes()).is_ok() {
        bytes += part.len();
    }
    Delivery { lasted: began.elapsed(), bytes }
}

/// Shoppers are erased at the same time, one after the other by each caller. None of the calls may be 500.
fn erasures(scene: &Scene, tally: &mut Tally) -> anyhow::Result<()> {
    let address = |caller: usize, number: usize| format!("person{caller}.{number}@example.com");
    for (caller, number) in (0..CALLERS).flat_map(|caller| (0..PEOPLE).map(move |number| (caller, number))) {
        long_list(&mut scene.store.shopper(&address(caller, number))?, 100)?;
    }
    let erase = |caller| {
        let erase = |number| scene.store.ask("user/erase", &[("useremail", &address(caller, number))]);
        (0..PEOPLE).map(erase).collect::<Vec<_>>()
    };
    let responses = thread::scope(|scope| {
        let threads: Vec<_> = (0..CALLERS).map(|caller| scope.spawn(move || erase(caller))).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap_or_default()).collect::<Vec<_>>()
    });
    for response in &responses {
        tally.count(response);
    }
    Ok(())
}
