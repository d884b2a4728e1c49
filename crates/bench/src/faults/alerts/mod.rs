//! Product alerts while servers are killed and the mail server fails: every alert is sent, and sent again only if a server
//! died between the mail server's acceptance and the commit.

mod compare;
mod server_kills;
mod mail_faults;

use super::environment::{Environment, Outcome};
use super::fake_clock::{FakeClock, NOT_INSTALLED};
use crate::processes::engine::Engine;

pub(crate) fn run(env: &mut Environment) -> anyhow::Result<Outcome> {
    let Some(clock) = FakeClock::new(&env.folder)? else { return Ok(Outcome::skipped(NOT_INSTALLED)) };
    let mut outcome = Outcome::default();
    let nodes: &[usize] = if env.engine == Engine::Postgres { &[1, 2] } else { &[1] };
    for nodes in nodes {
        clock.set(0)?;
        outcome.add(server_kills::run(env, &clock, *nodes)?);
    }
    outcome.add(mail_faults::run(env)?);
    Ok(outcome)
}
