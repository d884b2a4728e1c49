//! The final verification: every read operation must return what the model expects.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::compare::records;
use super::model::{Kind, Shopper};
use super::worker::{Result, Violation, Worker};

/// The time limit of background copies.
const TIMEOUT: Duration = Duration::from_secs(60);

impl Worker {
    pub(crate) async fn verify(&mut self) -> Result<()> {
        for who in 0..self.shoppers.len() {
            let began = Instant::now();
            self.compare(who).await?;
            while self.shoppers[who].lists.iter().any(|list| list.is_copying) {
                if began.elapsed() > TIMEOUT {
                    return Err(Violation(format!("a copy is not complete after {TIMEOUT:?}")));
                }
                tokio::time::sleep(Duration::from_millis(50)).await;
                self.compare(who).await?;
            }
            // Again, now that all lists are complete.
            self.compare(who).await?;
            let shopper = self.shoppers[who].clone();
            self.verify_overview(&shopper).await?;
            self.verify_contains(&shopper).await?;
            if shopper.email.is_some() {
                self.verify_pages(&shopper).await?;
                self.verify_subscriptions(&shopper).await?;
            }
        }
        Ok(())
    }

    /// `fetch-lists` must return the same lists and counts, and their newest items.
    async fn verify_overview(&mut self, shopper: &Shopper) -> Result<()> {
        let mut shown = Vec::new();
        for list_type in [None, Some("sfl")] {
            let fields = list_type.map(|list_type| ("lty", list_type.to_owned())).into_iter().collect();
            let call = self.store.shopper_call("lists/fetch-lists", shopper, fields);
            shown.extend_from_slice(records(&self.send_with_retries(&call, &[]).await?.body));
        }
        let own = shopper.lists.iter().filter(|list| list.kind != Kind::Foreign);
        if shown.len() != own.clone().count() {
            return Err(Violation(format!("fetch-lists shows {} lists", shown.len())));
        }
        for list in own.filter(|list| list.kind != Kind::Shared) {
            let found = shown.iter().find(|shown| shown["lid"].as_str() == list.lid.as_deref());
            let count = found.and_then(|found| found["cnt"].as_u64());
            let contents = found.map_or(0, |found| records(&found["listcontents"]).len());
            if count != Some(list.items.len() as u64) || contents != list.items.len().min(50) {
                let name = &list.name;
                return Err(Violation(format!(
                    "fetch-lists shows list {name} with cnt {count:?} and {contents} items"
                )));
            }
        }
        Ok(())
    }

    /// Pagination must return every item once, in the order of the list.
    async fn verify_pages(&mut self, shopper: &Shopper) -> Result<()> {
        for list in shopper.lists.iter().filter(|list| matches!(list.kind, Kind::Own | Kind::SaveForLater)) {
            let lid = list.lid.clone().unwrap_or_default();
            let (mut epis, mut next): (Vec<i64>, Option<String>) = (Vec::new(), None);
            loop {
                let mut fields = vec![("lid", lid.clone())];
                fields.extend(next.take().map(|next| ("next", next)));
                let response = self
                    .send_with_retries(&self.store.shopper_call("lists/fetch-user-list", shopper, fields), &[])
                    .await?;
                let page = records(&response.body["data"]["listcontents"]).iter();
                epis.extend(page.filter_map(|item| item["epi"].as_i64()));
                match &response.body["pagination"]["next"] {
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
                return Err(Violation(format!("the pages of {} have {epis:?} instead of {wanted:?}", list.name)));
            }
        }
        Ok(())
    }

    async fn verify_contains(&mut self, shopper: &Shopper) -> Result<()> {
        let own = || shopper.lists.iter().filter(|list| list.kind != Kind::Foreign);
        let some: BTreeSet<i64> = own().flat_map(|list| &list.items).map(|item| item.epi).take(200).collect();
        if some.is_empty() {
            return Ok(());
        }
        let fields = vec![("epis", json!(some).to_string())];
        let response = self.send_with_retries(&self.store.shopper_call("lists/contains", shopper, fields), &[]).await?;
        for epi in some {
            let wanted: BTreeSet<&str> =
                own().filter(|list| list.has(epi)).filter_map(|list| list.lid.as_deref()).collect();
            let found: BTreeSet<&str> =
                records(&response.body["data"][epi.to_string()]).iter().filter_map(Value::as_str).collect();
            if wanted != found {
                return Err(Violation(format!("contains returns {found:?} for {epi} instead of {wanted:?}")));
            }
        }
        Ok(())
    }

    async fn verify_subscriptions(&mut self, shopper: &Shopper) -> Result<()> {
        let fields = vec![("topic", "backinstock".to_owned()), ("limit", "1000".to_owned())];
        let response =
            self.send_with_retries(&self.store.shopper_call("subscriptions/fetch-subs", shopper, fields), &[]).await?;
        let shown = records(&response.body["subscriptions"]);
        let found: BTreeSet<i64> = shown.iter().filter_map(|one| one["epi"].as_i64()).collect();
        let total = response.body["total"].as_u64();
        if found != shopper.subscriptions || shown.len() != found.len() || total != Some(found.len() as u64) {
            let wanted = &shopper.subscriptions;
            return Err(Violation(format!("subscriptions {found:?} (total {total:?}) instead of {wanted:?}")));
        }
        Ok(())
    }
}
