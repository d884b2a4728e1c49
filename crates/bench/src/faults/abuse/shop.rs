//! An ordinary shop: shoppers read pages and add items.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use anyhow::anyhow;
use serde_json::json;

use super::caller::{Caller, Store};

const SHOPPERS: usize = 4;
/// Pages of each shopper between two writes.
const PAGES_PER_WRITE: usize = 4;
/// Pause of a shopper between two calls.
const PAUSE: Duration = Duration::from_millis(8);
const VARIANTS: i64 = 500;
/// A call that is rejected as overloaded counts as one that takes this long.
const REJECTED: Duration = Duration::from_secs(60);

pub(super) struct Shop {
    shoppers: Vec<(Caller, String)>,
}

/// What the shoppers saw.
#[derive(Default)]
pub(super) struct Latencies {
    pages: Vec<Duration>,
    writes: Vec<Duration>,
    /// Calls that were rejected as overloaded, which are among the slowest of their kind.
    rejected: usize,
    pub(super) failed: usize,
    /// Of the calls that failed otherwise.
    pub(super) first_failure: Option<String>,
}

/// The shop at work.
pub(super) struct Working {
    seen: Arc<Mutex<Latencies>>,
    threads: Vec<JoinHandle<()>>,
}

impl Shop {
    pub(super) fn open(store: &Store) -> anyhow::Result<Self> {
        let mut shoppers = Vec::new();
        for number in 0..SHOPPERS {
            let mut shopper = store.shopper(&format!("shopper{number}@example.com"))?;
            let lid = shopper.list(&[("lname", "Mine")])?;
            let items: Vec<_> = (1..=100).map(item).collect();
            shopper.fill(&lid, &items)?;
            shoppers.push((shopper, lid));
        }
        Ok(Self { shoppers })
    }

    pub(super) fn start(self, stop: &Arc<AtomicBool>) -> Working {
        let seen = Arc::new(Mutex::new(Latencies::default()));
        let start = |(shopper, lid): (Caller, String)| {
            let (seen, stop) = (Arc::clone(&seen), Arc::clone(stop));
            thread::spawn(move || work(shopper, &lid, &seen, &stop))
        };
        let threads = self.shoppers.into_iter().map(start).collect();
        Working { seen, threads }
    }
}

fn work(mut shopper: Caller, lid: &str, seen: &Mutex<Latencies>, stop: &AtomicBool) {
    for number in 0_usize.. {
        if stop.load(Ordering::Relaxed) {
            return;
        }
        let is_write = number % (PAGES_PER_WRITE + 1) == 0;
        let added = json!([item(number as i64 % VARIANTS + 1)]).to_string();
        let request = match is_write {
            true => shopper.request("lists/update-ctx", None, &[("lid", lid), ("a", &added)]),
            false => shopper.request("lists/fetch-user-list", None, &[("lid", lid)]),
        };
        let began = Instant::now();
        let result = match shopper.send(&request) {
            Ok((200, _)) => Ok(began.elapsed()),
            Ok((503, _)) => Ok(REJECTED),
            Ok((status, body)) => Err(format!("{status} {}", String::from_utf8_lossy(&body))),
            Err(error) => Err(format!("{error:#}")),
        };
        let mut seen = seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.rejected += usize::from(result == Ok(REJECTED));
        match (result, is_write) {
            (Err(failure), _) => {
                seen.failed += 1;
                seen.first_failure.get_or_insert(failure);
            }
            (Ok(took), true) => seen.writes.push(took),
            (Ok(took), false) => seen.pages.push(took),
        }
        drop(seen);
        thread::sleep(PAUSE);
    }
}

pub(super) fn item(number: i64) -> serde_json::Value {
    json!({ "epi": number, "empi": number, "du": format!("https://shop.example/p/{number}"), "dt": format!("Product {number}") })
}

impl Working {
    /// Waits for the shoppers; returns what they saw.
    pub(super) fn finish(self) -> anyhow::Result<Latencies> {
        for thread in self.threads {
            thread.join().map_err(|_| anyhow!("a shopper panicked"))?;
        }
        Ok(std::mem::take(&mut self.seen.lock().unwrap_or_else(PoisonError::into_inner)))
    }
}

impl Latencies {
    pub(super) fn page_p99(&self) -> Duration {
        p99(&self.pages)
    }

    /// The number of successful writes.
    pub(super) fn writes(&self) -> u64 {
        self.writes.len() as u64
    }

    pub(super) fn write_p99(&self) -> Duration {
        p99(&self.writes)
    }
}

fn p99(times: &[Duration]) -> Duration {
    let mut times = times.to_vec();
    times.sort_unstable();
    times.get((times.len() * 99).div_ceil(100).saturating_sub(1)).copied().unwrap_or_default()
}

impl fmt::Display for Latencies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let millis = |time: Duration| time.as_secs_f64() * 1_000.0;
        write!(f, "p99 {:.1} ms of {} pages, ", millis(self.page_p99()), self.pages.len())?;
        write!(f, "{:.1} ms of {} writes, ", millis(self.write_p99()), self.writes.len())?;
        write!(f, "{} rejected, {} failed", self.rejected, self.failed)
    }
}
