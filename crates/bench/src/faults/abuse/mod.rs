//! Strangers, shoppers and a store try to slow, fill or stop the server, or to misuse it, while an ordinary shop works. The shop
//! must not notice, and the server must stay within its memory, its quotas and its limits.

mod caller;
mod tally;
mod shop;
mod gateway;
mod h2;
mod attacks;
mod footprint;
mod trial;

use self::attacks::Attack;
use self::caller::Origin;
use super::environment::{Environment, Outcome};
use crate::processes::engine::Engine;

pub(crate) fn run(env: &mut Environment) -> anyhow::Result<Outcome> {
    let cluster = match env.engine {
        Engine::Sqlite => None,
        Engine::Postgres => Some(env.cluster("postgres", &[])?),
    };
    let chosen = |attack: &&Attack| env.attacks.is_empty() || env.attacks.iter().any(|part| attack.name.contains(part));
    let attacks: Vec<Attack> = attacks::all();
    let attacks = attacks.iter().filter(chosen);
    let trials = attacks.flat_map(|attack| attack.origins().iter().map(move |origin| (Some(attack), *origin)));
    let mut outcome = Outcome::default();
    for (number, (attack, origin)) in std::iter::once((None, Origin::OneAddress)).chain(trials).enumerate() {
        let verdict = trial::run(env, cluster.as_ref(), number, attack, origin)?;
        outcome.faults += usize::from(attack.is_some());
        outcome.acknowledged += verdict.writes;
        outcome.violations.extend(verdict.violations);
    }
    anyhow::ensure!(outcome.faults > 0, "no attack has such a name: {}", attacks::names());
    Ok(outcome)
}
