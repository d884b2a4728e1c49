//! At the end, in peace: every way to read must tell the same, and what the model says.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::compare::records;
use super::model::{Kind, Person};
use super::worker::{Problem, Result, Worker};

/// Background copies must be done by then.
const PATIENCE: Duration = Duration::from_secs(60);

impl Worker {
    pub(crate) async fn verify(&mut self) -> Result<()> {
        for who in 0..self.people.len() {
            let began = Instant::now();
            self.compare(who).await?;
            while self.people[who].lists.iter().any(|list| list.is_copying) {
                if began.elapsed() > PATIENCE {
                    return Err(Problem(format!("a copy is not done after {PATIENCE:?}")));
                }
                tokio::time::sleep(Duration::from_millis(50)).await;
                self.compare(who).await?;
            }
            // Once more, now that no list is only a part.
            self.compare(who).await?;
            let person = self.people[who].clone();
            self.verify_overview(&person).await?;
            self.verify_contains(&person).await?;
            if person.email.is_some() {
                self.verify_pages(&person).await?;
                self.verify_subscriptions(&person).await?;
            }
        }
        Ok(())
    }

    /// `fetch-lists` has the same lists and counts, and their newest items.
    async fn verify_overview(&mut self, person: &Person) -> Result<()> {
        let answer = self.insist(&self.shop.shopper_call("lists/fetch-lists", person, vec![]), &[]).await?;
        let own = person.lists.iter().filter(|list| list.kind != Kind::Foreign);
        let shown = records(&answer.body);
        if shown.len() != own.clone().count() {
            return Err(Problem(format!("fetch-lists shows {} lists", shown.len())));
        }
        for list in own.filter(|list| list.kind != Kind::Shared) {
            let found = shown.iter().find(|shown| shown["lid"].as_str() == list.lid.as_deref());
            let count = found.and_then(|found| found["cnt"].as_u64());
            let contents = found.map_or(0, |found| records(&found["listcontents"]).len());
            if count != Some(list.items.len() as u64) || contents != list.items.len().min(50) {
                let name = &list.name;
                return Err(Problem(format!("fetch-lists shows list {name} with cnt {count:?} and {contents} items")));
            }
        }
        Ok(())
    }

    /// Following `next` shows every item once, in the order of the list.
    async fn verify_pages(&mut self, person: &Person) -> Result<()> {
        for list in person.lists.iter().filter(|list| matches!(list.kind, Kind::Own | Kind::SaveForLater)) {
            let lid = list.lid.clone().unwrap_or_default();
            let (mut epis, mut next): (Vec<i64>, Option<String>) = (Vec::new(), None);
            loop {
                let mut fields = vec![("lid", lid.clone())];
                fields.extend(next.take().map(|next| ("next", next)));
                let answer = self.insist(&self.shop.shopper_call("lists/fetch-user-list", person, fields), &[]).await?;
                let page = records(&answer.body["data"]["listcontents"]).iter();
                epis.extend(page.filter_map(|item| item["epi"].as_i64()));
                match &answer.body["pagination"]["next"] {
                    Value::String(token) => next = Some(token.clone()),
                    _ => break,
                }
            }
            let mut wanted: Vec<i64> = list.items.iter().rev().map(|item| item.epi).collect();
            if !list.is_ordered {
                epis.sort_unstable();
                wanted.sort_unstable();
            }
            if epis != wanted {
                return Err(Problem(format!("the pages of {} have {epis:?} rather than {wanted:?}", list.name)));
            }
        }
        Ok(())
    }

    async fn verify_contains(&mut self, person: &Person) -> Result<()> {
        let own = || person.lists.iter().filter(|list| list.kind != Kind::Foreign);
        let some: BTreeSet<i64> = own().flat_map(|list| &list.items).map(|item| item.epi).take(200).collect();
        if some.is_empty() {
            return Ok(());
        }
        let fields = vec![("epis", json!(some).to_string())];
        let answer = self.insist(&self.shop.shopper_call("lists/contains", person, fields), &[]).await?;
        for epi in some {
            let wanted: BTreeSet<&str> =
                own().filter(|list| list.has(epi)).filter_map(|list| list.lid.as_deref()).collect();
            let found: BTreeSet<&str> =
                records(&answer.body["data"][epi.to_string()]).iter().filter_map(Value::as_str).collect();
            if wanted != found {
                return Err(Problem(format!("{epi} is said to be on {found:?} rather than {wanted:?}")));
            }
        }
        Ok(())
    }

    async fn verify_subscriptions(&mut self, person: &Person) -> Result<()> {
        let fields = vec![("topic", "backinstock".to_owned()), ("limit", "1000".to_owned())];
        let answer = self.insist(&self.shop.shopper_call("subscriptions/fetch-subs", person, fields), &[]).await?;
        let shown = records(&answer.body["subscriptions"]);
        let found: BTreeSet<i64> = shown.iter().filter_map(|one| one["epi"].as_i64()).collect();
        let total = answer.body["total"].as_u64();
        if found != person.subscriptions || shown.len() != found.len() || total != Some(found.len() as u64) {
            let wanted = &person.subscriptions;
            return Err(Problem(format!("subscriptions {found:?} (total {total:?}) rather than {wanted:?}")));
        }
        Ok(())
    }
}
