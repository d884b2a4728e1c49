//! Templates of a store that cost more than they look like.

use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;

use super::{Attack, Scene};
use crate::faults::abuse::caller::{Origin, Store};
use crate::faults::abuse::tally::Tally;

/// Previews at once.
const PREVIEWS: usize = 2;
/// Time in which another store's mail is sent meanwhile.
const MAIL_LIMIT: Duration = Duration::from_secs(5);

pub(super) const ATTACKS: &[Attack] = &[Attack::by_store("costly templates", costly)];

/// Another store previews a template of 18 KB, again and again, and tries to set it. The shop sends a mail meanwhile.
fn costly(scene: &Scene, tally: &mut Tally) -> anyhow::Result<()> {
    let hostile = Store::create(&scene.location, scene.store.address, Origin::OneAddress)?;
    let source = template();
    tally.note(format!("template of {} bytes", source.len()));
    tally.begin();
    let times: Vec<Duration> = thread::scope(|scope| {
        let preview = || {
            let mut times = Vec::new();
            while tally.goes_on() {
                let began = Instant::now();
                let body = json!({ "kind": "alert", "templates": { "alert.txt": source, "alert.html": source } });
                // Refused or not: what counts is the time.
                let _ = hostile.ask_json("mail/preview", &body);
                times.push(began.elapsed());
            }
            times
        };
        let threads: Vec<_> = (0..PREVIEWS).map(|_| scope.spawn(preview)).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap_or_default()).collect()
    });
    let slowest = times.iter().max().map_or(0, Duration::as_millis);
    tally.note(format!("{} previews, slowest {slowest} ms", times.len()));
    other_mail(scene, &hostile, &source, tally)?;
    let set = hostile.ask_json("mail/templates/set", &json!({ "name": "alert.txt", "source": source }));
    let is_accepted = tally.count(&set);
    tally.require(!is_accepted, "the template is refused when it is set");
    Ok(())
}

/// The shop's mail is sent while previews run.
fn other_mail(scene: &Scene, hostile: &Store, source: &str, tally: &mut Tally) -> anyhow::Result<()> {
    let took = thread::scope(|scope| {
        for _ in 0..PREVIEWS {
            let body = json!({ "kind": "alert", "templates": { "alert.txt": source, "alert.html": source } });
            scope.spawn(move || drop(hostile.ask_json("mail/preview", &body)));
        }
        let began = Instant::now();
        let (status, body) = scene.store.ask_json("mail/send-test", &json!({ "to": "ann@example.com" }))?;
        anyhow::ensure!(status == 200, "{status} {body}");
        scene.wait_for_mails("ann@example.com", 1);
        Ok(began.elapsed())
    })?;
    tally.note(format!("mail of the shop after {} ms", took.as_millis()));
    tally.require(took < MAIL_LIMIT, "the shop's mail is sent meanwhile");
    Ok(())
}

/// A template that applies cheap filters to a long text, as often as it may: fuel that counts instructions pays for
/// few of their bytes.
fn template() -> String {
    let (text, filters) = ("é".repeat(7_000), "|upper|lower".repeat(300));
    let rounds = ["1"; 75].join(",");
    format!(
        "{{% for x in [{rounds}] %}}{{% if \"{text}\"{filters} == \"x\" %}}x{{% endif %}}{{% endfor %}}\
         <a href=\"{{{{ unsubscribe }}}}\">{{{{ unsubscribe }}}}</a>"
    )
}
