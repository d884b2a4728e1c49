//! Concurrent clients of one store, from its creation to the final verification.

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

use super::calls::TestStore;
use super::http::Client;
use super::ledger::Ledger;
use super::model::{Kind, List};
use super::worker::{Violation, Worker, shopper};
use crate::processes::server::{DataLocation, UNLIMITED};

pub(crate) struct Load {
    runtime: Runtime,
    pub(crate) ledger: Arc<Ledger>,
    /// Idle workers.
    workers: Vec<Worker>,
    /// Workers that make calls.
    running: Vec<JoinHandle<Worker>>,
    stop: Arc<AtomicBool>,
}

impl Load {
    /// Creates a store and its shoppers on the server at `address`.
    pub(crate) fn prepare(
        location: &DataLocation,
        address: SocketAddr,
        ledger: &Path,
        seed: u64,
        workers: usize,
    ) -> anyhow::Result<Self> {
        let store = Arc::new(create_store(location)?);
        let ledger = Arc::new(Ledger::create(ledger)?);
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
        let mut rng = Rng::with_seed(seed);
        let workers = (1..=workers)
            .map(|number| Worker {
                number,
                rng: rng.fork(),
                client: Client::new(address),
                store: Arc::clone(&store),
                shoppers: Vec::new(),
                ledger: Arc::clone(&ledger),
                serial: 0,
                failed: 0,
            })
            .collect();
        let mut load = Self { runtime, ledger, workers, running: Vec::new(), stop: Arc::default() };
        let created = load.runtime.block_on(create_shoppers(&mut load.workers));
        created.map_err(|Violation(what)| anyhow::anyhow!("cannot create the shoppers: {what}"))?;
        Ok(load)
    }

    /// Starts all workers in the background.
    pub(crate) fn start(&mut self) {
        self.stop = Arc::default();
        for mut worker in self.workers.drain(..) {
            let stop = Arc::clone(&self.stop);
            self.running.push(self.runtime.spawn(async move {
                if let Err(Violation(what)) = worker.work(&stop).await {
                    worker.ledger.violation(worker.number, &what);
                }
                worker
            }));
        }
    }

    /// Stops all workers and waits until each knows the outcome of its last call.
    pub(crate) fn stop_workers(&mut self) -> anyhow::Result<()> {
        self.stop.store(true, Ordering::Relaxed);
        for worker in self.running.drain(..) {
            self.workers.push(self.runtime.block_on(worker)?);
        }
        self.ledger.flush();
        Ok(())
    }

    /// The numbers of failed requests of each idle worker.
    pub(crate) fn failed(&self) -> Vec<u64> {
        self.workers.iter().map(|worker| worker.failed).collect()
    }

    /// Stops all workers and verifies all data.
    pub(crate) fn verify(&mut self) -> anyhow::Result<()> {
        self.stop_workers()?;
        // After a violation the model is no longer accurate.
        if self.ledger.violations().is_empty() {
            for worker in &mut self.workers {
                if let Err(Violation(what)) = self.runtime.block_on(worker.verify()) {
                    worker.ledger.violation(worker.number, &what);
                }
            }
        }
        self.ledger.flush();
        Ok(())
    }

    /// Runs a function with an idle worker, for scenarios that make their own calls.
    pub(crate) fn with_worker<T>(&mut self, run: impl AsyncFnOnce(&mut Worker) -> T) -> T {
        self.runtime.block_on(run(&mut self.workers[0]))
    }

    /// Reads every list of every shopper once while all workers are idle. Returns the numbers of correct and failed
    /// reads, and the violations.
    pub(crate) fn read_all(&mut self) -> (usize, usize, Vec<String>) {
        let (mut right, mut rejected, mut wrong) = (0, 0, Vec::new());
        for worker in &mut self.workers {
            for who in 0..worker.shoppers.len() {
                match self.runtime.block_on(worker.read_lists(who)) {
                    Ok((read, failed)) => (right, rejected) = (right + read, rejected + failed),
                    Err(Violation(what)) => wrong.push(what),
                }
            }
        }
        (right, rejected, wrong)
    }
}

fn create_store(location: &DataLocation) -> anyhow::Result<TestStore> {
    let features = ["--enable", "save-for-later", "--enable", "subscriptions", "--enable", "sort-filter"];
    let store =
        location.json(&[&["store", "create", "--name", "Faults", "--plan", "enterprise"], &features[..]].concat())?;
    let text = |name: &str| store[name].as_str().map(str::to_owned).with_context(|| format!("{name} is missing"));
    let (pid, key) = (text("pid")?, text("apikey")?);
    location.json(&[&["store", "set", &pid], UNLIMITED].concat())?;
    let authorization = format!("Basic {}", BASE64_STANDARD.encode(format!("{pid}:{key}")));
    Ok(TestStore { pid, authorization })
}

/// Each worker has two shoppers; the first shopper's first list is shared with the next worker.
async fn create_shoppers(workers: &mut [Worker]) -> Result<(), Violation> {
    let mut keys = Vec::new();
    for worker in workers.iter_mut() {
        for which in ["ann", "bob"] {
            let email = format!("{which}-{}@example.com", worker.number);
            let fields = vec![("useremail", email.clone())];
            let request = worker.store.admin_call("v3/user/generate-regid", fields);
            let response = worker.send_with_retries(&request, &[]).await?;
            worker.shoppers.push(shopper(Some(email), &response));
        }
        let owner = worker.shoppers[0].clone();
        let mut list = List::new(format!("shared {}", worker.number), Kind::Shared);
        let request = worker.store.shopper_call("lists/create", &owner, vec![("lname", list.name.clone())]);
        let response = worker.send_with_retries(&request, &[]).await?;
        list.lid = response.body["lid"].as_str().map(str::to_owned);
        let fields = vec![("lid", list.lid.clone().unwrap_or_default()), ("scope", "edit".to_owned())];
        let request = worker.store.shopper_call("lists/share-links/create", &owner, fields);
        let response = worker.send_with_retries(&request, &[]).await?;
        keys.push((list.name.clone(), response.body["link"]["key"].as_str().map(str::to_owned)));
        worker.shoppers[0].lists.push(list);
    }
    let last = keys.len() - 1;
    keys.rotate_right(last.min(1));
    for (worker, (name, key)) in workers.iter_mut().zip(keys) {
        let mut list = List::new(name, Kind::Foreign);
        list.lid = key;
        worker.shoppers[1].lists.push(list);
    }
    Ok(())
}

/// Runs `wishbone check`; returns the faults found.
pub(crate) fn check(location: &DataLocation) -> anyhow::Result<Vec<String>> {
    let output = location.command(&["check", "--json"])?.output()?;
    let errors = String::from_utf8_lossy(&output.stderr);
    if let Some(line) = errors.lines().find(|line| line.contains("is corrupt")) {
        // It cannot even be opened.
        return Ok(vec![line.to_owned()]);
    }
    let report: Value =
        serde_json::from_slice(&output.stdout).with_context(|| format!("wishbone check failed: {errors}"))?;
    let faults: Vec<String> = super::compare::records(&report["faults"]).iter().map(Value::to_string).collect();
    ensure!(faults.is_empty() == output.status.success(), "wishbone check ended with {} and {report}", output.status);
    Ok(faults)
}
