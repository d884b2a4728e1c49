//! What strangers can put into somebody's mail, and what they can make the shop pay for.

use std::thread;
use std::time::Duration;

use anyhow::{Context, ensure};
use serde_json::json;

use super::{Attack, Scene};
use crate::faults::abuse::caller::{Caller, Origin};
use crate::faults::abuse::tally::Tally;
use crate::http::client::{FORM, post};

const SHOP: &str = "https://shop.example";
/// Nothing in a mail may look like this host.
const EVIL: &str = "evil.example";
/// Requests of a stranger with one session: as many as a shopper may cause confirmations.
const REQUESTS_PER_GUEST: usize = 10;
/// Requests for one address, which need one confirmation.
const ALERTS_PER_GUEST: usize = 25;
/// Confirmations that guests at one address may request per hour, and the SMS of a store per hour.
const PER_ADDRESS: u64 = 60;
const PER_STORE: u64 = 200;
/// Confirmations that a mailbox may get per day.
const PER_MAILBOX: u64 = 5;
/// Alerts of an address that may wait for its confirmation.
const PER_UNCONFIRMED: u64 = 100;
/// Time in which everything that is queued is sent.
const SETTLED: Duration = Duration::from_secs(3);

pub(super) const ATTACKS: &[Attack] = &[
    Attack::planned("changed link of an alert", changed_link),
    Attack::planned("changed quantity", changed_quantity),
    Attack::planned("links in a mailed list", links_in_list_mail),
    Attack::planned("confirmations used up", used_up),
    Attack::planned("1,000 alerts of one address", many_alerts),
    Attack::planned("500 SMS", many_messages),
    Attack::planned("tagged addresses", tagged_addresses),
];

/// A second stranger repeats a pending request with another link.
fn changed_link(scene: &Scene, tally: &mut Tally) -> anyhow::Result<()> {
    let evil = format!("https://{EVIL}/login");
    let text = pending_request(scene, tally, &[("du", &evil)])?;
    tally.require(!text.contains(EVIL), "mails have the shop's links only");
    Ok(())
}

/// A second stranger repeats a pending request for more units than there will ever be.
fn changed_quantity(scene: &Scene, tally: &mut Tally) -> anyhow::Result<()> {
    pending_request(scene, tally, &[("du", "/products/1"), ("quantity", "1000000")])?;
    Ok(())
}

/// A shopper asks for an alert, a stranger asks for the same with other fields, the shopper confirms, and the product is back
/// in stock. Returns the text of all mails.
fn pending_request(scene: &Scene, tally: &mut Tally, fields: &[(&str, &str)]) -> anyhow::Result<String> {
    let victim = "victim@example.com";
    open_catalogue(scene)?;
    let own = format!("{SHOP}/products/1");
    ask(&mut scene.store.guest()?, "email", victim, &[("epi", "1"), ("empi", "1"), ("du", &own)])?;
    scene.wait_for_mails(victim, 1);
    let mut stranger = scene.store.guest()?;
    let changed = ask(&mut stranger, "email", victim, &[&[("epi", "1"), ("empi", "1")], fields].concat());
    tally.count(&changed);
    confirm(scene, victim, 1)?;
    let stock = json!({ "inventory": [{ "epi": 1, "stock": 5 }] });
    ensure!(scene.store.ask_json("inventory/update", &stock)?.0 == 200, "the product is not in stock");
    let mails = scene.wait_for_mails(victim, 3);
    tally.require(mails.len() == 3, "the alert is sent, beside two confirmations");
    Ok(mails.iter().map(|mail| mail.text()).collect())
}

/// A shopper mails a list whose texts are links.
fn links_in_list_mail(scene: &Scene, tally: &mut Tally) -> anyhow::Result<()> {
    let mut shopper = scene.store.shopper("sender@example.com")?;
    let texts = [format!("https://{EVIL}/login"), format!("www.{EVIL}"), format!("{EVIL}/login"), format!("a@{EVIL}")];
    let note = texts.join(" ");
    let lid = shopper.list(&[("lname", &texts[1])])?;
    let item = json!([{ "epi": 1, "empi": 1, "du": texts[0], "dt": texts[2], "iu": texts[0], "vi": texts[1] }]);
    shopper.json("lists/update-ctx", &[("lid", &lid), ("a", &item.to_string())])?;
    let fields = [("lid", lid.as_str()), ("toemail", "friend@example.com"), ("fromname", &texts[1]), ("note", &note)];
    shopper.json("lists/emailList", &fields)?;
    let mails = scene.wait_for_mails("friend@example.com", 1);
    let text = mails.first().context("the list was not mailed")?.text();
    let found: Vec<&String> = texts.iter().filter(|link| text.contains(link.as_str())).collect();
    tally.note(format!("{} of {} kinds of links in the mail", found.len(), texts.len()));
    tally.require(found.is_empty(), "the mail has no link of the sender");
    Ok(())
}

/// Strangers cause all confirmations that an address may get. The person has confirmed it before, and asks for more.
fn used_up(scene: &Scene, tally: &mut Tally) -> anyhow::Result<()> {
    let victim = "victim@example.com";
    let mut person = scene.store.guest()?;
    ask(&mut person, "email", victim, &[("epi", "1"), ("empi", "1"), ("du", SHOP)])?;
    confirm(scene, victim, 1)?;
    for number in 2..20 {
        let mut stranger = scene.store.guest()?;
        let epi = number.to_string();
        let asked = ask(&mut stranger, "email", victim, &[("epi", &epi), ("empi", &epi), ("du", SHOP)]);
        tally.count(&asked);
        // Nothing is pending any more: the next request causes another mail.
        tally.count(&stranger.call("subscriptions/remove", &[("epi", &epi), ("topic", "backinstock")]));
    }
    let asked = ask(&mut person, "email", victim, &[("epi", "99"), ("empi", "99"), ("du", SHOP)]);
    tally.require(matches!(asked, Ok((200, _))), "the person can ask");
    thread::sleep(SETTLED);
    let mails = scene.mails.mails_to(|to| to == victim).len() as u64;
    // The person's own, if it causes one, is not the strangers'.
    tally.require_at_most(PER_MAILBOX + 1, mails, "mails to the victim");
    Ok(())
}

/// Strangers ask for alerts of many products for one address, whose owner confirms what there is.
fn many_alerts(scene: &Scene, tally: &mut Tally) -> anyhow::Result<()> {
    let (victim, mut accepted) = ("victim@example.com", 0);
    let mut stranger = scene.store.guest()?;
    for number in 1..=1_000 {
        if number % ALERTS_PER_GUEST == 0 {
            stranger = scene.store.guest()?;
        }
        let epi = number.to_string();
        let asked = ask(&mut stranger, "email", victim, &[("epi", &epi), ("empi", &epi), ("du", SHOP)]);
        accepted += u64::from(matches!(asked, Ok((200, _))));
        tally.count(&asked);
    }
    tally.require_at_most(PER_UNCONFIRMED, accepted, "alerts accepted");
    confirm(scene, victim, 1)
}

/// Strangers ask for 500 messages to as many numbers.
fn many_messages(scene: &Scene, tally: &mut Tally) -> anyhow::Result<()> {
    let url = format!("http://127.0.0.1:{}/", scene.gateway.port);
    scene.set(&["--sms-url", &url, "--sms-from", "Shop"])?;
    many_requests(scene, tally, 500, "sms", |number| format!("+49151{:08}", 12_345_678 + number));
    let limit = if scene.store.origin() == Origin::OneAddress { PER_ADDRESS } else { PER_STORE };
    tally.require_at_most(limit, scene.gateway.accepted(), "SMS sent");
    Ok(())
}

/// Strangers ask for confirmations to one mailbox under many addresses.
fn tagged_addresses(scene: &Scene, tally: &mut Tally) -> anyhow::Result<()> {
    many_requests(scene, tally, 300, "email", |number| format!("victim+{number}@example.com"));
    let mails = scene.mails.mails_to(|to| to.starts_with("victim")).len() as u64;
    tally.require_at_most(PER_MAILBOX, mails, "mails to one mailbox");
    Ok(())
}

fn many_requests(scene: &Scene, tally: &mut Tally, count: usize, medium: &str, address: impl Fn(usize) -> String) {
    let mut stranger = None;
    for number in 0..count {
        if number % REQUESTS_PER_GUEST == 0 {
            stranger = scene.store.guest().ok();
        }
        let Some(stranger) = &mut stranger else { continue };
        let asked = ask(stranger, medium, &address(number), &[("epi", "1"), ("empi", "1"), ("du", SHOP)]);
        tally.count(&asked);
    }
    thread::sleep(SETTLED);
}

/// A catalogue whose links are relative, and a product that is out of stock.
fn open_catalogue(scene: &Scene) -> anyhow::Result<()> {
    scene.set(&["--alerts-per-unit", "all", "--alert-interval", "0", "--allow-origin", SHOP])?;
    let product = json!({ "products": [{ "epi": 1, "empi": 1, "du": "/products/1", "dt": "Kettle", "stock": 0 }] });
    let (status, body) = scene.store.ask_json("products/upsert", &product)?;
    ensure!(status == 200 && body["updated"] == 1, "{status} {body}");
    Ok(())
}

fn ask(by: &mut Caller, medium: &str, address: &str, fields: &[(&str, &str)]) -> anyhow::Result<(u16, Vec<u8>)> {
    let common = [("topic", "backinstock"), ("medium", medium), ("mediumvalue", address)];
    by.call("subscriptions/add", &[&common[..], fields].concat())
}

/// Follows the link of the mail with this number.
fn confirm(scene: &Scene, address: &str, number: usize) -> anyhow::Result<()> {
    let mails = scene.wait_for_mails(address, number);
    let link = mails.get(number - 1).and_then(|mail| mail.link("http://localhost/mail/confirm"));
    let link = link.context("no mail has a confirmation link")?;
    let path = link.trim_start_matches("http://localhost");
    let (_, head) = scene.store.stranger()?.send(&post(path, &[FORM], ""))?;
    ensure!(head.status == 200, "the confirmation failed: {}", head.status);
    Ok(())
}
