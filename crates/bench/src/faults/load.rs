//! Many clients at once on one store, from its making to the last look at what is left.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, ensure};
use base64::prelude::{BASE64_STANDARD, Engine};
use fastrand::Rng;
use serde_json::Value;
use tokio::runtime::Runtime;
use tokio::task::JoinHandle;

use super::calls::Shop;
use super::http::Client;
use super::ledger::Ledger;
use super::model::{Kind, List};
use super::worker::{Problem, Worker, person};
use crate::parts::server::Place;

pub(crate) struct Load {
    runtime: Runtime,
    pub(crate) ledger: Arc<Ledger>,
    /// Those who rest.
    workers: Vec<Worker>,
    /// Those who call.
    busy: Vec<JoinHandle<Worker>>,
    stop: Arc<AtomicBool>,
}

impl Load {
    /// Makes a store and its shoppers; the server runs at `address`.
    pub(crate) fn prepare(
        place: &Place,
        address: SocketAddr,
        ledger: &Path,
        seed: u64,
        workers: usize,
    ) -> anyhow::Result<Self> {
        let shop = Arc::new(make_shop(place)?);
        let ledger = Arc::new(Ledger::create(ledger)?);
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
        let mut rng = Rng::with_seed(seed);
        let workers = (1..=workers)
            .map(|number| Worker {
                number,
                rng: rng.fork(),
                client: Client::new(address),
                shop: Arc::clone(&shop),
                people: Vec::new(),
                ledger: Arc::clone(&ledger),
                serial: 0,
            })
            .collect();
        let mut load = Self { runtime, ledger, workers, busy: Vec::new(), stop: Arc::default() };
        let made = load.runtime.block_on(make_people(&mut load.workers));
        made.map_err(|Problem(what)| anyhow::anyhow!("the shoppers could not be made: {what}"))?;
        Ok(load)
    }

    /// Lets all workers call, in the background.
    pub(crate) fn begin(&mut self) {
        self.stop = Arc::default();
        for mut worker in self.workers.drain(..) {
            let stop = Arc::clone(&self.stop);
            self.busy.push(self.runtime.spawn(async move {
                if let Err(Problem(what)) = worker.work(&stop).await {
                    worker.ledger.problem(worker.number, &what);
                }
                worker
            }));
        }
    }

    /// Waits until every worker knows what became of its last call.
    pub(crate) fn rest(&mut self) -> anyhow::Result<()> {
        self.stop.store(true, Ordering::Relaxed);
        for worker in self.busy.drain(..) {
            self.workers.push(self.runtime.block_on(worker)?);
        }
        self.ledger.flush();
        Ok(())
    }

    /// Rests, and looks at everything.
    pub(crate) fn verify(&mut self) -> anyhow::Result<()> {
        self.rest()?;
        // After a problem a worker no longer knows what to expect.
        if self.ledger.problems().is_empty() {
            for worker in &mut self.workers {
                if let Err(Problem(what)) = self.runtime.block_on(worker.verify()) {
                    worker.ledger.problem(worker.number, &what);
                }
            }
        }
        self.ledger.flush();
        Ok(())
    }

    /// One worker, for scenarios that make calls of their own.
    pub(crate) fn with_worker<T>(&mut self, run: impl AsyncFnOnce(&mut Worker) -> T) -> T {
        self.runtime.block_on(run(&mut self.workers[0]))
    }

    /// Reads every list of every shopper once, while all rest: how many were as they must be, how many were refused, and
    /// what else there was.
    pub(crate) fn read_all(&mut self) -> (usize, usize, Vec<String>) {
        let (mut right, mut refused, mut wrong) = (0, 0, Vec::new());
        for worker in &mut self.workers {
            for who in 0..worker.people.len() {
                match self.runtime.block_on(worker.glance(who)) {
                    Ok((read, failed)) => (right, refused) = (right + read, refused + failed),
                    Err(Problem(what)) => wrong.push(what),
                }
            }
        }
        (right, refused, wrong)
    }
}

fn make_shop(place: &Place) -> anyhow::Result<Shop> {
    let features = ["--enable", "save-for-later", "--enable", "subscriptions", "--enable", "sort-filter"];
    let store =
        place.json(&[&["store", "create", "--name", "Faults", "--plan", "enterprise"], &features[..]].concat())?;
    let text = |name: &str| store[name].as_str().map(str::to_owned).with_context(|| format!("{name} is missing"));
    let (pid, key) = (text("pid")?, text("apikey")?);
    // Whoever breaks things looks more often than a storefront.
    place.json(&["store", "set", &pid, "--rate-limit", "100000/s", "--address-rate-limit", "100000/s"])?;
    let authorization = format!("Basic {}", BASE64_STANDARD.encode(format!("{pid}:{key}")));
    Ok(Shop { pid, authorization })
}

/// Each worker has two shoppers; the first shopper's first list is shared with the next worker.
async fn make_people(workers: &mut [Worker]) -> Result<(), Problem> {
    let mut keys = Vec::new();
    for worker in workers.iter_mut() {
        for which in ["ann", "bob"] {
            let email = format!("{which}-{}@example.com", worker.number);
            let fields = vec![("useremail", email.clone())];
            let request = worker.shop.admin_call("v3/user/generate-regid", fields);
            let answer = worker.insist(&request, &[]).await?;
            worker.people.push(person(Some(email), &answer));
        }
        let owner = worker.people[0].clone();
        let mut list = List::new(format!("shared {}", worker.number), Kind::Shared);
        let request = worker.shop.shopper_call("lists/create", &owner, vec![("lname", list.name.clone())]);
        let answer = worker.insist(&request, &[]).await?;
        list.lid = answer.body["lid"].as_str().map(str::to_owned);
        let fields = vec![("lid", list.lid.clone().unwrap_or_default()), ("scope", "edit".to_owned())];
        let request = worker.shop.shopper_call("lists/share-links/create", &owner, fields);
        let answer = worker.insist(&request, &[]).await?;
        keys.push((list.name.clone(), answer.body["link"]["key"].as_str().map(str::to_owned)));
        worker.people[0].lists.push(list);
    }
    let last = keys.len() - 1;
    keys.rotate_right(last.min(1));
    for (worker, (name, key)) in workers.iter_mut().zip(keys) {
        let mut list = List::new(name, Kind::Foreign);
        list.lid = key;
        worker.people[1].lists.push(list);
    }
    Ok(())
}

/// What `wishbone check` finds; nothing, if all is well.
pub(crate) fn check(place: &Place) -> anyhow::Result<Vec<String>> {
    let output = place.command(&["check", "--json"])?.output()?;
    let said: Value = serde_json::from_slice(&output.stdout)
        .with_context(|| format!("wishbone check said {}", String::from_utf8_lossy(&output.stderr)))?;
    let faults: Vec<String> = super::compare::records(&said["faults"]).iter().map(Value::to_string).collect();
    ensure!(faults.is_empty() == output.status.success(), "wishbone check ended with {} and {said}", output.status);
    Ok(faults)
}
