//! A client that maintains the model, and determines the outcome of calls without a response.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use fastrand::Rng;

use super::calls::{Call, TestStore};
use super::compare::{ObservedList, differences, is_same, records};
use super::http::{Client, Request, Response, SendError};
use super::ledger::Ledger;
use super::model::{Kind, Shopper};

/// The longest tolerated outage of the server.
const TIMEOUT: Duration = Duration::from_secs(120);
const PAUSE: Duration = Duration::from_millis(10);

/// A violated guarantee.
pub(crate) struct Violation(pub(crate) String);

pub(crate) type Result<T> = std::result::Result<T, Violation>;

pub(crate) struct Worker {
    pub(crate) number: usize,
    pub(crate) rng: Rng,
    pub(crate) client: Client,
    pub(crate) store: Arc<TestStore>,
    pub(crate) shoppers: Vec<Shopper>,
    pub(crate) ledger: Arc<Ledger>,
    pub(crate) serial: u64,
    /// Requests without a response or with a status of 5xx.
    pub(crate) failed: u64,
}

impl Worker {
    /// Makes random calls until `stop` is set or a guarantee is violated.
    pub(crate) async fn work(&mut self, stop: &AtomicBool) -> Result<()> {
        while !stop.load(Ordering::Relaxed) {
            let who = self.rng.usize(0..self.shoppers.len());
            self.serial += 1;
            match self.rng.u8(0..100) {
                0 if self.shoppers.len() < 4 => self.create_guest().await?,
                1 if self.shoppers[who].email.is_none() => self.log_in(who).await?,
                2..5 => self.compare(who).await?,
                _ => {
                    let call = Call::random(&mut self.rng, self.number, self.serial, &self.shoppers[who]);
                    self.make(who, &call).await?;
                }
            }
        }
        Ok(())
    }

    /// Makes a call and applies its outcome to the model.
    async fn make(&mut self, who: usize, call: &Call) -> Result<()> {
        let mut request = call.request(&self.store, &self.shoppers[who]);
        if self.rng.u8(0..3) == 0 {
            request.idempotency_key = Some(format!("{}-{}-{}", self.number, self.serial, self.rng.u64(..)));
        }
        let version = call.list().and_then(|list| self.shoppers[who].lists[list].version);
        let version = version.filter(|_| self.rng.u8(0..4) == 0);
        if let Some(version) = version {
            request.fields.push(("ifversion", version.to_string()));
        }
        let keyed = if request.idempotency_key.is_some() { ", with a key" } else { "" };
        self.record(&format!("shopper {who} {call:?}, ifversion {version:?}{keyed}"));
        let began = Instant::now();
        let outcome = loop {
            match self.send(&request).await {
                Err(SendError::NotSent) => self.wait(began).await?,
                Err(SendError::Lost(why)) => break Err(why),
                Ok(response) if response.code() == "outcome-unknown" => {
                    Ledger::count(&self.ledger.reported_unknown);
                    break Err("outcome-unknown".to_owned());
                }
                Ok(response) => break Ok(response),
            }
        };
        self.ledger.call_took(began.elapsed());
        match outcome {
            Ok(response) if response.status == 200 => self.done(who, call, &response),
            // A 503 means that nothing was changed; a later comparison would detect a violation.
            Ok(response) if response.status == 503 => {
                Ledger::count(&self.ledger.rejected);
                self.record(&format!("rejected: {}", response.body));
                tokio::time::sleep(PAUSE).await;
                Ok(())
            }
            Ok(response) => Err(Violation(format!("{call:?} returned {} {}", response.status, response.body))),
            Err(why) => {
                self.record(&format!("no response: {why}"));
                let is_idempotent = call.is_idempotent() || request.idempotency_key.is_some();
                if is_idempotent || version.is_some() {
                    self.repeat(who, call, &request, is_idempotent).await
                } else {
                    self.determine_outcome(who, call).await.map(drop)
                }
            }
        }
    }

    fn done(&mut self, who: usize, call: &Call, response: &Response) -> Result<()> {
        Ledger::count(&self.ledger.acknowledged);
        self.record(&format!("acknowledged, version {:?}", response.list_version));
        if let Some(fault) = call.validate(response) {
            return Err(Violation(format!("{call:?}: {fault}: {}", response.body)));
        }
        call.apply(&mut self.shoppers[who], Some(response));
        Ok(())
    }

    /// Retries the call until there is a response. The key, the version or its idempotency prevents a second effect.
    async fn repeat(&mut self, who: usize, call: &Call, request: &Request, is_idempotent: bool) -> Result<()> {
        let response = self.send_with_retries(request, &["version-conflict", "list-not-found"]).await?;
        match response.status {
            200 => {
                self.record("acknowledged after a retry");
                self.done(who, call, &response)?;
                Ledger::count(if is_idempotent { &self.ledger.retried } else { &self.ledger.not_applied });
            }
            // The first attempt was applied: it has changed the version, or deleted the list.
            _ if !is_idempotent => {
                self.record("was applied: the version has changed");
                Ledger::count(&self.ledger.applied);
                call.apply(&mut self.shoppers[who], None);
            }
            _ => return Err(Violation(format!("{call:?} with a key returned {}", response.body))),
        }
        self.compare(who).await
    }

    /// Makes a call and ignores its response, because the log will be cut as if power was lost before it.
    pub(crate) async fn send_ignoring_response(&mut self, who: usize, call: &Call) -> Result<()> {
        let request = call.request(&self.store, &self.shoppers[who]);
        self.record(&format!("shopper {who} {call:?}, response ignored"));
        self.send_with_retries(&request, &[]).await.map(drop)
    }

    /// Determines whether the call was applied completely or not at all; returns true if it was.
    pub(crate) async fn determine_outcome(&mut self, who: usize, call: &Call) -> Result<bool> {
        self.wait_for_earlier_calls(who, call).await?;
        let mut after = self.shoppers[who].clone();
        call.apply(&mut after, None);
        let observed = self.fetch_all_lists(&self.shoppers[who].clone()).await?;
        let (as_before, as_after) =
            (differences(self.number, &self.shoppers[who], &observed), differences(self.number, &after, &observed));
        let applied = as_after.is_empty();
        if applied {
            self.record("was applied");
            Ledger::count(&self.ledger.applied);
            self.shoppers[who] = after;
        } else if as_before.is_empty() {
            self.record("was not applied");
            Ledger::count(&self.ledger.not_applied);
        } else {
            return Err(Violation(format!(
                "{call:?} is half-applied; differences if not applied: {as_before:?}; if applied: {as_after:?}"
            )));
        }
        self.adopt_server_state(who, &observed);
        Ok(applied)
    }

    /// Waits for a commit that a killed server may have left running in the database, by writing to the rows that it
    /// has locked.
    async fn wait_for_earlier_calls(&mut self, who: usize, call: &Call) -> Result<()> {
        let shopper = self.shoppers[who].clone();
        let mut lists: Vec<usize> = call.list().into_iter().collect();
        if let Call::Move { to, .. } = call {
            lists.push(*to);
        }
        let mut calls = vec![self.store.shopper_call("user/save", &shopper, vec![("fname", "Ann".to_owned())])];
        for list in lists {
            let lid = shopper.lists[list].lid.clone().unwrap_or_default();
            calls.push(self.store.shopper_call(
                "lists/update",
                &shopper,
                vec![("lid", lid), ("lnote", " ".to_owned())],
            ));
            self.shoppers[who].lists[list].version = None;
        }
        for request in calls {
            self.send_with_retries(&request, &["list-not-found"]).await?;
        }
        Ok(())
    }

    /// Sends the request until there is a response other than 503 and `outcome-unknown`.
    pub(crate) async fn send_with_retries(&mut self, request: &Request, allowed: &[&str]) -> Result<Response> {
        let began = Instant::now();
        loop {
            match self.send(request).await {
                Ok(response) if response.status == 200 || allowed.contains(&response.code()) => return Ok(response),
                Ok(response) if response.status == 503 || response.code() == "outcome-unknown" => {
                    self.wait(began).await?
                }
                Ok(response) => {
                    let path = request.path.split('?').next().unwrap_or_default();
                    return Err(Violation(format!("{path} returned {} {}", response.status, response.body)));
                }
                Err(_) => self.wait(began).await?,
            }
        }
    }

    /// Sends the request once, and counts it.
    async fn send(&mut self, request: &Request) -> std::result::Result<Response, SendError> {
        let sent = self.client.send(request).await;
        Ledger::count(&self.ledger.requests);
        let failure = match &sent {
            Ok(response) if response.status < 500 => return sent,
            Ok(response) => format!("{} {}", response.status, response.body),
            Err(error) => format!("{error:?}"),
        };
        self.failed += 1;
        self.record(&format!("{} failed: {failure}", request.path.split('?').next().unwrap_or_default()));
        sent
    }

    async fn wait(&self, began: Instant) -> Result<()> {
        if began.elapsed() > TIMEOUT {
            return Err(Violation(format!("the server was unavailable for {TIMEOUT:?}")));
        }
        tokio::time::sleep(PAUSE).await;
        Ok(())
    }

    async fn fetch_all_lists(&mut self, shopper: &Shopper) -> Result<Vec<ObservedList>> {
        let request = self.store.shopper_call("lists/fetch-user-lists", shopper, vec![]);
        let lists = self.send_with_retries(&request, &[]).await?;
        let mut lids: Vec<String> = records(&lists.body["data"])
            .iter()
            .map(|list| list["lid"].as_str().unwrap_or_default().to_owned())
            .collect();
        let foreign = shopper.lists.iter().filter(|list| list.kind == Kind::Foreign);
        lids.extend(foreign.filter_map(|list| list.lid.clone()));
        let mut out = Vec::new();
        for lid in lids {
            let request = self.store.shopper_call("lists/fetch-list-with-contents", shopper, vec![("lid", lid)]);
            let response = self.send_with_retries(&request, &[]).await?;
            out.push(ObservedList::read(&response.body).map_err(Violation)?);
        }
        Ok(out)
    }

    /// Verifies all lists of the shopper against the model.
    pub(crate) async fn compare(&mut self, who: usize) -> Result<()> {
        let observed = self.fetch_all_lists(&self.shoppers[who].clone()).await?;
        let differences = differences(self.number, &self.shoppers[who], &observed);
        if !differences.is_empty() {
            return Err(Violation(differences.join("; ")));
        }
        self.record("compared");
        self.adopt_server_state(who, &observed);
        Ok(())
    }

    /// Reads the shopper's lists one by one; a server error is accepted, wrong data is not. Returns the numbers of
    /// correct and failed reads.
    pub(crate) async fn read_lists(&mut self, who: usize) -> Result<(usize, usize)> {
        let (mut right, mut rejected) = (0, 0);
        let shopper = self.shoppers[who].clone();
        for list in &shopper.lists {
            let lid = list.lid.clone().unwrap_or_default();
            let request = self.store.shopper_call("lists/fetch-list-with-contents", &shopper, vec![("lid", lid)]);
            match self.send(&request).await {
                Ok(response) if response.status == 200 => {
                    let observed = ObservedList::read(&response.body).map_err(Violation)?;
                    let alone = Shopper { lists: vec![list.clone()], ..shopper.clone() };
                    let differences = differences(self.number, &alone, &[observed]);
                    if !differences.is_empty() {
                        return Err(Violation(differences.join("; ")));
                    }
                    right += 1;
                }
                Ok(response) if response.status >= 500 => rejected += 1,
                other => return Err(Violation(format!("{other:?}"))),
            }
        }
        Ok((right, rejected))
    }

    /// The current time of the server.
    pub(crate) async fn creation_time(&mut self) -> Result<i64> {
        self.serial += 1;
        let call = Call::Create { name: format!("time {}-{}", self.number, self.serial), copy_of: None };
        let request = call.request(&self.store, &self.shoppers[0]);
        let response = self.send_with_retries(&request, &[]).await?;
        call.apply(&mut self.shoppers[0], Some(&response));
        Ok(response.body["cts"].as_i64().unwrap_or_default())
    }

    /// Copies ids and versions generated by the server to the model.
    fn adopt_server_state(&mut self, who: usize, observed: &[ObservedList]) {
        for list in &mut self.shoppers[who].lists {
            if let Some(observed) = observed.iter().find(|observed| is_same(list, observed)) {
                list.lid = Some(observed.lid.clone());
                let is_alone = matches!(list.kind, Kind::Own | Kind::SaveForLater) && !list.is_copying;
                list.version = is_alone.then_some(observed.version);
                list.is_copying = list.is_copying && observed.is_copying;
            }
        }
    }

    async fn create_guest(&mut self) -> Result<()> {
        let uuid = format!("{:08x}-0000-4000-8000-{:012x}", self.rng.u32(..), self.serial);
        let request = self.store.admin_call("v3/user/generate-regid", vec![("uuid", uuid)]);
        let response = self.send_with_retries(&request, &[]).await?;
        self.shoppers.push(shopper(None, &response));
        Ok(())
    }

    /// Moves the guest's lists to the shopper. The call is idempotent, so it is retried until it succeeds.
    async fn log_in(&mut self, who: usize) -> Result<()> {
        let guest = self.shoppers.remove(who);
        let Some(shopper) = self.shoppers.iter().position(|shopper| shopper.email.is_some()) else { return Ok(()) };
        let email = self.shoppers[shopper].email.clone().unwrap_or_default();
        self.record(&format!("login of a guest with {} lists", guest.lists.len()));
        let fields = vec![("regid", guest.regid), ("useremail", email)];
        self.send_with_retries(&self.store.admin_call("v3/user/guest-validate-sync", fields), &[]).await?;
        Ledger::count(&self.ledger.acknowledged);
        let moved = guest.lists.into_iter().map(|mut list| {
            list.version = None;
            list
        });
        self.shoppers[shopper].lists.extend(moved);
        self.compare(shopper).await
    }

    pub(crate) fn record(&self, what: &str) {
        self.ledger.record(self.number, what);
    }
}

pub(crate) fn shopper(email: Option<String>, response: &Response) -> Shopper {
    let text = |name: &str| response.body[name].as_str().unwrap_or_default().to_owned();
    let subscriptions = Default::default();
    Shopper { email, regid: text("regid"), sessionid: text("sessionid"), lists: Vec::new(), subscriptions }
}
