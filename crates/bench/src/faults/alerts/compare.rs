//! Compares subscriptions with the mails that the mail server has accepted.

use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use anyhow::ensure;

use crate::alert_store::{AlertStore, Subscription};
use crate::processes::smtp::AcceptedMails;

/// Waits until no alert waits or is being sent.
pub(super) fn settled(
    store: &AlertStore,
    server: SocketAddr,
    timeout: Duration,
) -> anyhow::Result<BTreeMap<String, Subscription>> {
    let began = Instant::now();
    loop {
        let subscriptions = store.subscriptions(server)?;
        let is_open = |subscription: &&Subscription| ["waiting", "sending"].contains(&subscription.state.as_str());
        let open = subscriptions.values().filter(is_open).count();
        if open == 0 {
            return Ok(subscriptions);
        }
        ensure!(began.elapsed() < timeout, "{open} alerts were not sent within {timeout:?}");
        std::thread::sleep(Duration::from_millis(100));
    }
}

/// Every address must have been sent its alert, under one Message-ID of its own. Returns the violations.
pub(super) fn delivered(
    addresses: &[String],
    subscriptions: &BTreeMap<String, Subscription>,
    accepted: &AcceptedMails,
) -> Vec<String> {
    let mut violations = Vec::new();
    let mut seen = BTreeSet::new();
    for address in addresses {
        match subscriptions.get(address) {
            None => violations.push(format!("the subscription of {address} is lost")),
            Some(Subscription { state, .. }) if state == "sent" => {}
            Some(subscription) => violations.push(format!("the alert of {address} was not sent: {subscription:?}")),
        }
        let Some([first, copies @ ..]) = accepted.get(address).map(Vec::as_slice) else {
            violations.push(format!("{address} got no mail"));
            continue;
        };
        if copies.iter().any(|copy| copy != first) {
            violations.push(format!("{address} got the same alert under several Message-IDs: {first} {copies:?}"));
        }
        if !seen.insert(first) {
            violations.push(format!("two alerts have the Message-ID {first}"));
        }
    }
    violations
}

/// The number of mails beyond the first of each recipient.
pub(super) fn duplicates(accepted: &AcceptedMails) -> usize {
    accepted.values().map(|copies| copies.len() - 1).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lost_alerts_and_changed_message_ids_are_violations() {
        let addresses = ["a", "b", "c", "d"].map(str::to_owned);
        let mails = |ids: &[&str]| ids.iter().map(|id| (*id).to_owned()).collect::<Vec<_>>();
        let accepted: AcceptedMails = [("a", mails(&["1", "1"])), ("b", mails(&["2", "3"])), ("c", mails(&["1"]))]
            .map(|(address, ids)| (address.to_owned(), ids))
            .into();
        let subscription =
            |state: &str| Subscription { state: state.to_owned(), attempts: 1, last_error: String::new() };
        let subscriptions = [("a", "sent"), ("b", "sent"), ("c", "waiting"), ("d", "sent")]
            .map(|(address, state)| (address.to_owned(), subscription(state)));
        let violations = delivered(&addresses, &subscriptions.into(), &accepted).join("\n");
        for expected in
            ["b got the same alert under several", "alert of c was not sent", "two alerts have", "d got no mail"]
        {
            assert!(violations.contains(expected), "{violations}");
        }
        assert_eq!((violations.lines().count(), duplicates(&accepted)), (4, 2));
    }
}
