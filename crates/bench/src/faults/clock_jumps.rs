//! The server's clock jumps back and forth by up to ten hours.

use super::environment::{Environment, Outcome};
use super::fake_clock::{FakeClock, NOT_INSTALLED};
use super::load::Load;

const WORKERS: usize = 8;

pub(crate) fn run(env: &mut Environment) -> anyhow::Result<Outcome> {
    let Some(clock) = FakeClock::new(&env.folder)? else { return Ok(Outcome::skipped(NOT_INSTALLED)) };
    let (location, _cluster) = env.location()?;
    let server = env.serve_with_clock(&location, 0, &[], &clock)?;
    let mut load = env.load(&location, &server, WORKERS)?;
    verify_clock(env, &clock, &mut load)?;
    load.start();
    for jump in 1..=env.times {
        let calls = env.rng.u64(1..40);
        env.wait_for_writes(&load, calls)?;
        // Less than a day: idempotency keys expire after that.
        let far = env.rng.i64(-10 * 3_600..10 * 3_600);
        let near = env.rng.i64(-5..5);
        clock.set(if jump % 2 == 0 { far } else { near })?;
        if !load.ledger.violations().is_empty() {
            break;
        }
    }
    clock.set(0)?;
    env.log_progress(&format!("{} clock jumps, {} calls acknowledged", env.times, load.ledger.acknowledged()));
    env.wait_for_writes(&load, 50)?;
    let outcome = Outcome::of(load, &location, env.times);
    drop(server);
    outcome
}

/// Verifies that the server's clock can be set.
fn verify_clock(env: &Environment, clock: &FakeClock, load: &mut Load) -> anyhow::Result<()> {
    let mut times = Vec::new();
    for hours in [0, 5] {
        clock.set(hours * 3_600)?;
        let made = load.with_worker(async |worker| worker.creation_time().await);
        times.push(made.map_err(|violation| anyhow::anyhow!("{}", violation.0))?);
    }
    let hours = (times[1] - times[0]) as f64 / 3_600_000.0;
    anyhow::ensure!((4.9..5.5).contains(&hours), "the clock should have jumped by 5 hours, not by {hours}");
    env.log_progress("the server's clock can be set");
    Ok(())
}
