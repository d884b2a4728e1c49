//! A client that remembers what it was told, and finds out what it was not.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use fastrand::Rng;

use super::calls::{Call, Shop};
use super::compare::{Seen, differences, is_same, records};
use super::http::{Answer, Client, Request, Trouble};
use super::ledger::Ledger;
use super::model::{Kind, Person};

/// How long a server may be away before that is a failure of its own.
const PATIENCE: Duration = Duration::from_secs(120);
const PAUSE: Duration = Duration::from_millis(10);

/// What the server did wrong.
pub(crate) struct Problem(pub(crate) String);

pub(crate) type Result<T> = std::result::Result<T, Problem>;

pub(crate) struct Worker {
    pub(crate) number: usize,
    pub(crate) rng: Rng,
    pub(crate) client: Client,
    pub(crate) shop: Arc<Shop>,
    pub(crate) people: Vec<Person>,
    pub(crate) ledger: Arc<Ledger>,
    pub(crate) serial: u64,
}

impl Worker {
    /// Calls at random until it is told to stop, or the server breaks its word.
    pub(crate) async fn work(&mut self, stop: &AtomicBool) -> Result<()> {
        while !stop.load(Ordering::Relaxed) {
            let who = self.rng.usize(0..self.people.len());
            self.serial += 1;
            match self.rng.u8(0..100) {
                0 if self.people.len() < 4 => self.welcome_guest().await?,
                1 if self.people[who].email.is_none() => self.log_in(who).await?,
                2..5 => self.compare(who).await?,
                _ => {
                    let call = Call::draw(&mut self.rng, self.number, self.serial, &self.people[who]);
                    self.make(who, &call).await?;
                }
            }
        }
        Ok(())
    }

    /// Makes a call and does to the model what became of it.
    async fn make(&mut self, who: usize, call: &Call) -> Result<()> {
        let mut request = call.request(&self.shop, &self.people[who]);
        if self.rng.u8(0..3) == 0 {
            request.idempotency_key = Some(format!("{}-{}-{}", self.number, self.serial, self.rng.u64(..)));
        }
        let version = call.list().and_then(|list| self.people[who].lists[list].version);
        let version = version.filter(|_| self.rng.u8(0..4) == 0);
        if let Some(version) = version {
            request.fields.push(("ifversion", version.to_string()));
        }
        let keyed = if request.idempotency_key.is_some() { ", with a key" } else { "" };
        self.note(&format!("person {who} {call:?}, ifversion {version:?}{keyed}"));
        let began = Instant::now();
        let fate = loop {
            match self.client.send(&request).await {
                Err(Trouble::NotSent) => self.wait(began).await?,
                Err(Trouble::Lost(why)) => break Err(why),
                Ok(answer) if answer.code() == "outcome-unknown" => {
                    Ledger::count(&self.ledger.admitted);
                    break Err("the server does not know".to_owned());
                }
                Ok(answer) => break Ok(answer),
            }
        };
        match fate {
            Ok(answer) if answer.status == 200 => self.done(who, call, &answer),
            // Nothing was changed, it says; a later comparison would see if that was not so.
            Ok(answer) if answer.status == 503 => {
                Ledger::count(&self.ledger.refused);
                self.note(&format!("refused: {}", answer.body));
                tokio::time::sleep(PAUSE).await;
                Ok(())
            }
            Ok(answer) => Err(Problem(format!("{call:?} was answered {} {}", answer.status, answer.body))),
            Err(why) => {
                self.note(&format!("no answer: {why}"));
                let is_repeatable = call.is_repeatable() || request.idempotency_key.is_some();
                if is_repeatable || version.is_some() {
                    self.repeat(who, call, &request, is_repeatable).await
                } else {
                    self.find_out(who, call).await.map(drop)
                }
            }
        }
    }

    fn done(&mut self, who: usize, call: &Call, answer: &Answer) -> Result<()> {
        Ledger::count(&self.ledger.answered);
        self.note(&format!("answered, version {:?}", answer.list_version));
        if let Some(objection) = call.objection(answer) {
            return Err(Problem(format!("{call:?}: {objection}: {}", answer.body)));
        }
        call.apply(&mut self.people[who], Some(answer));
        Ok(())
    }

    /// Makes the call again until there is an answer: the key, the version or its nature keep it from being done twice.
    async fn repeat(&mut self, who: usize, call: &Call, request: &Request, is_repeatable: bool) -> Result<()> {
        let answer = self.insist(request, &["version-conflict", "list-not-found"]).await?;
        match answer.status {
            200 => {
                self.note("answered when asked again");
                self.done(who, call, &answer)?;
                Ledger::count(if is_repeatable { &self.ledger.repeated } else { &self.ledger.not_happened });
            }
            // The first time had been heard, and has changed the version, or deleted the list.
            _ if !is_repeatable => {
                self.note("it had happened: the version is another");
                Ledger::count(&self.ledger.happened);
                call.apply(&mut self.people[who], None);
            }
            _ => return Err(Problem(format!("{call:?} with a key was answered {}", answer.body))),
        }
        self.compare(who).await
    }

    /// Makes a call whose answer is not to be trusted: the power will be cut before it could have come.
    pub(crate) async fn say_and_forget(&mut self, who: usize, call: &Call) -> Result<()> {
        let request = call.request(&self.shop, &self.people[who]);
        self.note(&format!("person {who} {call:?}, whose answer is forgotten"));
        self.insist(&request, &[]).await.map(drop)
    }

    /// Looks whether the call happened: wholly, or not at all.
    pub(crate) async fn find_out(&mut self, who: usize, call: &Call) -> Result<bool> {
        self.wait_for_earlier_calls(who, call).await?;
        let mut after = self.people[who].clone();
        call.apply(&mut after, None);
        let seen = self.look(&self.people[who].clone()).await?;
        let (as_before, as_after) =
            (differences(self.number, &self.people[who], &seen), differences(self.number, &after, &seen));
        let happened = as_after.is_empty();
        if happened {
            self.note("it had happened");
            Ledger::count(&self.ledger.happened);
            self.people[who] = after;
        } else if as_before.is_empty() {
            self.note("it had not happened");
            Ledger::count(&self.ledger.not_happened);
        } else {
            return Err(Problem(format!(
                "{call:?} is neither there nor not there; against nothing: {as_before:?}; against all: {as_after:?}"
            )));
        }
        self.adopt(who, &seen);
        Ok(happened)
    }

    /// A server that is gone may have left a commit with the database. It holds the locks of the call, so that whoever
    /// writes to the same shopper and lists comes after it.
    async fn wait_for_earlier_calls(&mut self, who: usize, call: &Call) -> Result<()> {
        let person = self.people[who].clone();
        let mut lists: Vec<usize> = call.list().into_iter().collect();
        if let Call::Move { to, .. } = call {
            lists.push(*to);
        }
        let mut calls = vec![self.shop.shopper_call("user/save", &person, vec![("fname", "Ann".to_owned())])];
        for list in lists {
            let lid = person.lists[list].lid.clone().unwrap_or_default();
            calls.push(self.shop.shopper_call("lists/update", &person, vec![("lid", lid), ("lnote", " ".to_owned())]));
            self.people[who].lists[list].version = None;
        }
        for request in calls {
            self.insist(&request, &["list-not-found"]).await?;
        }
        Ok(())
    }

    /// Sends until there is an answer other than that the server is busy or does not know.
    pub(crate) async fn insist(&mut self, request: &Request, allowed: &[&str]) -> Result<Answer> {
        let began = Instant::now();
        loop {
            match self.client.send(request).await {
                Ok(answer) if answer.status == 200 || allowed.contains(&answer.code()) => return Ok(answer),
                Ok(answer) if answer.status == 503 || answer.code() == "outcome-unknown" => self.wait(began).await?,
                Ok(answer) => {
                    let path = request.path.split('?').next().unwrap_or_default();
                    return Err(Problem(format!("{path} was answered {} {}", answer.status, answer.body)));
                }
                Err(_) => self.wait(began).await?,
            }
        }
    }

    async fn wait(&self, began: Instant) -> Result<()> {
        if began.elapsed() > PATIENCE {
            return Err(Problem(format!("the server has not worked for {PATIENCE:?}")));
        }
        tokio::time::sleep(PAUSE).await;
        Ok(())
    }

    async fn look(&mut self, person: &Person) -> Result<Vec<Seen>> {
        let request = self.shop.shopper_call("lists/fetch-user-lists", person, vec![]);
        let lists = self.insist(&request, &[]).await?;
        let mut lids: Vec<String> = records(&lists.body["data"])
            .iter()
            .map(|list| list["lid"].as_str().unwrap_or_default().to_owned())
            .collect();
        let foreign = person.lists.iter().filter(|list| list.kind == Kind::Foreign);
        lids.extend(foreign.filter_map(|list| list.lid.clone()));
        let mut out = Vec::new();
        for lid in lids {
            let request = self.shop.shopper_call("lists/fetch-list-with-contents", person, vec![("lid", lid)]);
            let answer = self.insist(&request, &[]).await?;
            out.push(Seen::read(&answer.body).map_err(Problem)?);
        }
        Ok(out)
    }

    /// Everything that this person has must be as the model says.
    pub(crate) async fn compare(&mut self, who: usize) -> Result<()> {
        let seen = self.look(&self.people[who].clone()).await?;
        let differences = differences(self.number, &self.people[who], &seen);
        if !differences.is_empty() {
            return Err(Problem(differences.join("; ")));
        }
        self.note("compared");
        self.adopt(who, &seen);
        Ok(())
    }

    /// Reads this person's lists one by one; a refusal is as good as the right answer. How many there were of both.
    pub(crate) async fn glance(&mut self, who: usize) -> Result<(usize, usize)> {
        let (mut right, mut refused) = (0, 0);
        let person = self.people[who].clone();
        for list in &person.lists {
            let lid = list.lid.clone().unwrap_or_default();
            let request = self.shop.shopper_call("lists/fetch-list-with-contents", &person, vec![("lid", lid)]);
            match self.client.send(&request).await {
                Ok(answer) if answer.status == 200 => {
                    let seen = Seen::read(&answer.body).map_err(Problem)?;
                    let alone = Person { lists: vec![list.clone()], ..person.clone() };
                    let differences = differences(self.number, &alone, &[seen]);
                    if !differences.is_empty() {
                        return Err(Problem(differences.join("; ")));
                    }
                    right += 1;
                }
                Ok(answer) if answer.status >= 500 => refused += 1,
                other => return Err(Problem(format!("{other:?}"))),
            }
        }
        Ok((right, refused))
    }

    /// What the server takes for now.
    pub(crate) async fn creation_time(&mut self) -> Result<i64> {
        self.serial += 1;
        let call = Call::Create { name: format!("time {}-{}", self.number, self.serial), copy_of: None };
        let request = call.request(&self.shop, &self.people[0]);
        let answer = self.insist(&request, &[]).await?;
        call.apply(&mut self.people[0], Some(&answer));
        Ok(answer.body["cts"].as_i64().unwrap_or_default())
    }

    /// Takes over what only the server knows.
    fn adopt(&mut self, who: usize, seen: &[Seen]) {
        for list in &mut self.people[who].lists {
            if let Some(seen) = seen.iter().find(|seen| is_same(list, seen)) {
                list.lid = Some(seen.lid.clone());
                let is_alone = matches!(list.kind, Kind::Own | Kind::SaveForLater) && !list.is_copying;
                list.version = is_alone.then_some(seen.version);
                list.is_copying = list.is_copying && seen.is_copying;
            }
        }
    }

    async fn welcome_guest(&mut self) -> Result<()> {
        let uuid = format!("{:08x}-0000-4000-8000-{:012x}", self.rng.u32(..), self.serial);
        let request = self.shop.admin_call("v3/user/generate-regid", vec![("uuid", uuid)]);
        let answer = self.insist(&request, &[]).await?;
        self.people.push(person(None, &answer));
        Ok(())
    }

    /// The guest's lists are the shopper's from now on. Saying it again changes nothing, so it is said until it is heard.
    async fn log_in(&mut self, who: usize) -> Result<()> {
        let guest = self.people.remove(who);
        let Some(shopper) = self.people.iter().position(|person| person.email.is_some()) else { return Ok(()) };
        let email = self.people[shopper].email.clone().unwrap_or_default();
        self.note(&format!("logs a guest with {} lists in", guest.lists.len()));
        let fields = vec![("regid", guest.regid), ("useremail", email)];
        self.insist(&self.shop.admin_call("v3/user/guest-validate-sync", fields), &[]).await?;
        Ledger::count(&self.ledger.answered);
        let moved = guest.lists.into_iter().map(|mut list| {
            list.version = None;
            list
        });
        self.people[shopper].lists.extend(moved);
        self.compare(shopper).await
    }

    pub(crate) fn note(&self, what: &str) {
        self.ledger.note(self.number, what);
    }
}

pub(crate) fn person(email: Option<String>, answer: &Answer) -> Person {
    let text = |name: &str| answer.body[name].as_str().unwrap_or_default().to_owned();
    let subscriptions = Default::default();
    Person { email, regid: text("regid"), sessionid: text("sessionid"), lists: Vec::new(), subscriptions }
}
