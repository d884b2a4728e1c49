//! A mail server that is down, slow, rejects a recipient or hangs after DATA.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};

use super::compare;
use crate::alert_store::{AlertStore, Subscription};
use crate::faults::environment::{Environment, Outcome};
use crate::processes::smtp::SmtpServer;

/// First in line, and named after what the mail server does to them (see `smtp.py`).
const TROUBLED: [&str; 5] =
    ["hang@example.com", "slow-1@example.com", "slow-2@example.com", "never@example.com", "later@example.com"];
const OTHERS: usize = 150;
/// Well below the timeout of a mail (90 s), for which the mail server hangs.
const OTHERS_WITHIN: Duration = Duration::from_secs(30);
/// More than the timeout of a mail and the first pause (5 to 7.5 s).
const TIMEOUT: Duration = Duration::from_secs(150);

pub(super) fn run(env: &Environment) -> anyhow::Result<Outcome> {
    let (location, _cluster) = env.location_in("mail-faults")?;
    let folder = env.folder.join("mail-faults");
    let smtp = SmtpServer::start(&folder, 0)?;
    let arguments = smtp.serve_arguments();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let server = env.serve(&location, 0, &arguments)?;
    let address = server.address;

    let store = AlertStore::create(&location, address, 1)?;
    let recipients = addresses("down", 20);
    store.subscribe(address, &recipients)?;
    let port = smtp.stop();
    store.restock(address)?;
    let tried = wait_for(&store, address, |all| all.values().all(|one| one.attempts > 0 && one.state == "waiting"))?;
    let mut violations = Vec::new();
    if let Some((who, one)) = tried.iter().find(|(_, one)| one.last_error.is_empty()) {
        violations.push(format!("the mail server is down, and the alert of {who} has no error: {one:?}"));
    }
    let smtp = SmtpServer::start(&folder, port)?;
    let sent = compare::settled(&store, address, TIMEOUT)?;
    violations.extend(compare::delivered(&recipients, &sent, &smtp.accepted()?));
    env.log_progress(&format!("mail server down and back: {} alerts sent", sent.len()));

    let troubled = TROUBLED.map(str::to_owned);
    let others = addresses("other", OTHERS);
    let elsewhere = addresses("elsewhere", 10);
    let [store, other_store] = [1, 1].map(|variants| AlertStore::create(&location, address, variants));
    let (store, other_store) = (store?, other_store?);
    store.subscribe(address, &[&troubled[..], &others].concat())?;
    other_store.subscribe(address, &elsewhere)?;
    store.restock(address)?;
    other_store.restock(address)?;
    let began = Instant::now();
    let is_sent = |all: &BTreeMap<String, Subscription>, who: &[String]| {
        who.iter().all(|address| all.get(address).is_some_and(|one| one.state == "sent"))
    };
    wait_for(&other_store, address, |all| is_sent(all, &elsewhere))?;
    let elsewhere_took = began.elapsed();
    wait_for(&store, address, |all| is_sent(all, &others))?;
    let others_took = began.elapsed();
    env.log_progress(&format!(
        "a recipient hangs: others sent after {:.1} s, those of another store after {:.1} s",
        others_took.as_secs_f64(),
        elsewhere_took.as_secs_f64()
    ));
    if others_took.max(elsewhere_took) > OTHERS_WITHIN {
        violations
            .push(format!("one recipient delays others: {others_took:.1?}, and {elsewhere_took:.1?} in another store"));
    }
    if !env.is_short {
        let ended = compare::settled(&store, address, TIMEOUT)?;
        let accepted = smtp.accepted()?;
        let sent: Vec<String> =
            troubled.iter().chain(&others).filter(|who| !who.starts_with("never")).cloned().collect();
        violations.extend(compare::delivered(&sent, &ended, &accepted));
        let rejected = ended.get("never@example.com").context("the rejected subscription is lost")?;
        if rejected.state != "failed" || !rejected.last_error.contains("5.1.1") {
            violations.push(format!("the rejected alert is not in the dead-letter list with its reason: {rejected:?}"));
        }
        env.log_progress(&format!("after the hang: all sent, {} duplicates", compare::duplicates(&accepted)));
    }
    let acknowledged = (recipients.len() + others.len() + elsewhere.len()) as u64;
    Ok(Outcome { faults: 1 + TROUBLED.len(), acknowledged, violations, ..Outcome::default() })
}

fn addresses(name: &str, count: usize) -> Vec<String> {
    (0..count).map(|number| format!("{name}-{number}@example.com")).collect()
}

/// Waits until the subscriptions meet a condition; returns them.
fn wait_for(
    store: &AlertStore,
    server: SocketAddr,
    condition: impl Fn(&BTreeMap<String, Subscription>) -> bool,
) -> anyhow::Result<BTreeMap<String, Subscription>> {
    let began = Instant::now();
    loop {
        let subscriptions = store.subscriptions(server)?;
        if condition(&subscriptions) {
            return Ok(subscriptions);
        }
        ensure!(began.elapsed() < TIMEOUT, "the alerts are not as expected within {TIMEOUT:?}: {subscriptions:?}");
        std::thread::sleep(Duration::from_millis(50));
    }
}
