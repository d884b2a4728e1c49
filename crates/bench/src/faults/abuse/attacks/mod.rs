//! What strangers, shoppers and stores can try, one file per class. Whatever is rejected is tried again at once.

mod contents;
mod answers;
mod readers;
mod senders;
mod reads;
mod writes;
mod quotas;
mod merges;
mod renders;
mod alerts;
mod outbound;
mod inputs;

use std::thread;
use std::time::{Duration, Instant};

use super::caller::{Origin, Store};
use super::gateway::Gateway;
use super::tally::Tally;
use crate::processes::mail::Mail;
use crate::processes::server::DataLocation;
use crate::processes::smtp_sink::SmtpSink;

/// Threads of an attack that does the same again and again.
const THREADS: usize = 4;
/// Time in which a mail arrives on a busy machine.
const MAIL_TIMEOUT: Duration = Duration::from_secs(20);

/// What an attack meets: a server with the store of a shop, and what the server sends.
pub(super) struct Scene {
    pub(super) store: Store,
    pub(super) location: DataLocation,
    pub(super) mails: SmtpSink,
    pub(super) gateway: Gateway,
}

impl Scene {
    /// Changes settings of the store.
    pub(super) fn set(&self, settings: &[&str]) -> anyhow::Result<()> {
        self.location.json(&[&["store", "set", &self.store.pid], settings].concat()).map(drop)
    }

    /// Waits for so many mails to an address; returns those that have come.
    fn wait_for_mails(&self, recipient: &str, count: usize) -> Vec<Mail> {
        let began = Instant::now();
        loop {
            let mails = self.mails.mails_to(|to| to == recipient);
            if mails.len() >= count || began.elapsed() > MAIL_TIMEOUT {
                return mails;
            }
            thread::sleep(Duration::from_millis(20));
        }
    }
}

type Run = fn(&Scene, &mut Tally) -> anyhow::Result<()>;

#[derive(Clone, Copy)]
pub(super) struct Attack {
    pub(super) name: &'static str,
    threads: usize,
    origins: &'static [Origin],
    run: Run,
}

impl Attack {
    /// An attack that strangers repeat on several threads.
    const fn repeated(name: &'static str, run: Run) -> Self {
        Self { threads: THREADS, ..Self::planned(name, run) }
    }

    /// An attack of strangers that has a plan, which it carries out once.
    const fn planned(name: &'static str, run: Run) -> Self {
        Self { name, threads: 1, origins: &[Origin::OneAddress, Origin::ManyAddresses], run }
    }

    /// An attack by a store, whose address does not matter.
    const fn by_store(name: &'static str, run: Run) -> Self {
        Self { origins: &[Origin::OneAddress], ..Self::planned(name, run) }
    }

    pub(super) fn origins(&self) -> &'static [Origin] {
        self.origins
    }

    /// Runs the attack. If it fails, because something that it needs was rejected, it starts again while there is time.
    pub(super) fn run(&self, scene: &Scene, duration: Duration, is_short: bool) -> Tally {
        let attack = || {
            let mut tally = Tally::new(duration, is_short);
            while let Err(problem) = (self.run)(scene, &mut tally) {
                tally.restart(&problem);
                if !tally.goes_on() {
                    break;
                }
                thread::sleep(Duration::from_millis(20));
            }
            tally
        };
        let mut total = Tally::new(duration, is_short);
        thread::scope(|scope| {
            let threads: Vec<_> = (0..self.threads).map(|_| scope.spawn(attack)).collect();
            for thread in threads {
                match thread.join() {
                    Ok(tally) => total.add(tally),
                    Err(_) => total.broken += 1,
                }
            }
        });
        total
    }
}

pub(super) fn all() -> Vec<Attack> {
    [
        answers::ATTACKS,
        readers::ATTACKS,
        senders::ATTACKS,
        reads::ATTACKS,
        writes::ATTACKS,
        quotas::ATTACKS,
        merges::ATTACKS,
        renders::ATTACKS,
        alerts::ATTACKS,
        outbound::ATTACKS,
        inputs::ATTACKS,
    ]
    .concat()
}

pub(super) fn names() -> String {
    all().iter().map(|attack| attack.name).collect::<Vec<_>>().join(", ")
}
