//! One server core and two, on SQLite beside the limit. With two, the driver shares them.

use std::path::Path;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::configuration::{LIMIT, SQLITE};
use super::dataset::Dataset;
use super::driver::{LoadModel, Source};
use super::measure::{Slice, measure};
use super::operations::{OPERATIONS, Operation};
use super::procfs::Cores;
use super::progress::Progress;
use super::rounds::SLICES_PER_ROUND;
use super::settings::Settings;
use super::summary::Summary;
use super::system::{SeededSystem, System};
use crate::processes::engine::Engine;

/// The slices of a system, which were measured in turn.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct TwoCores {
    pub(crate) operation: String,
    pub(crate) system: String,
    pub(crate) one: Vec<Slice>,
    pub(crate) two: Vec<Slice>,
}

impl TwoCores {
    /// Throughput with two cores, relative to one.
    pub(crate) fn gain(&self) -> Vec<f64> {
        self.ratios(|slice| slice.per_second)
    }

    /// The server's CPU time per request with two cores, relative to one: contention makes it rise.
    pub(crate) fn cost(&self) -> Vec<f64> {
        self.ratios(|slice| slice.server_cpu)
    }

    fn ratios(&self, value: fn(&Slice) -> f64) -> Vec<f64> {
        self.one.iter().zip(&self.two).map(|(one, two)| value(two) / value(one).max(f64::MIN_POSITIVE)).collect()
    }
}

/// A measure of SQLite on two cores and one, relative to that of the limit.
pub(crate) fn of_limit(results: &[TwoCores], operation: &str, measure: fn(&TwoCores) -> Vec<f64>) -> Option<Summary> {
    let of = |system| results.iter().find(|result| result.operation == operation && result.system == system);
    Summary::of_ratios(&measure(of(SQLITE.name)?), &measure(of(LIMIT)?))
}

fn is_measured(operation: &Operation) -> bool {
    ["page-random", "shop-mix"].contains(&operation.name)
}

/// A system on one core, and the same on two.
struct Pair<'a> {
    one: Contender<'a>,
    two: Contender<'a>,
    result: TwoCores,
}

struct Contender<'a> {
    system: &'a System,
    cores: Cores,
    requests: Box<dyn Source + 'a>,
}

pub(crate) fn run(
    settings: &Settings,
    root: &Path,
    run: &Path,
    dataset: &Dataset,
    samples: &Path,
) -> anyhow::Result<Vec<TwoCores>> {
    let operations: Vec<&Operation> =
        OPERATIONS.iter().filter(|operation| is_measured(operation) && settings.measures(operation)).collect();
    if operations.is_empty() || !settings.engines.contains(&Engine::Sqlite) {
        return Ok(Vec::new());
    }
    let placements = [(settings.cores, "one-core"), (settings.cores.shared(), "two-cores")];
    let (mut limits, mut servers) = (Vec::new(), Vec::new());
    for (cores, folder) in placements {
        limits.push(System::limit(samples, cores)?);
        servers.push(SeededSystem::start(root, &run.join(folder), SQLITE, dataset, cores, &settings.log)?);
    }
    let slices = settings.rounds * SLICES_PER_ROUND;
    let mut progress = Progress::new("slices on one core and on two", (4 * slices * operations.len()) as u64);
    let mut out = Vec::new();
    for operation in operations {
        let to_limit = |number: usize| Contender {
            system: &limits[number],
            cores: placements[number].0,
            requests: operation.requests_to_limit(&servers[number].targets, settings.seed),
        };
        let to_server = |number: usize| Contender {
            system: &servers[number].system,
            cores: placements[number].0,
            requests: operation.requests(&servers[number].targets, settings.seed),
        };
        let mut pairs =
            [Pair::new(operation, to_limit(0), to_limit(1)), Pair::new(operation, to_server(0), to_server(1))];
        for contender in pairs.iter_mut().flat_map(|pair| [&mut pair.one, &mut pair.two]) {
            contender.measure(settings, settings.warm_up())?;
        }
        for slice in 0..slices {
            for pair in &mut pairs {
                pair.measure(settings, slice % 2 == 1)?;
                progress.add(2);
            }
        }
        out.extend(pairs.map(|pair| pair.result));
    }
    progress.finish();
    Ok(out)
}

impl<'a> Pair<'a> {
    fn new(operation: &Operation, one: Contender<'a>, two: Contender<'a>) -> Self {
        let (operation, system) = (operation.name.to_owned(), one.system.name.to_owned());
        Self { one, two, result: TwoCores { operation, system, one: Vec::new(), two: Vec::new() } }
    }

    /// Measures a slice on one core and a slice on two, in either order.
    fn measure(&mut self, settings: &Settings, is_two_first: bool) -> anyhow::Result<()> {
        let order = if is_two_first { [2, 1] } else { [1, 2] };
        for cores in order {
            match cores {
                1 => self.result.one.push(self.one.measure(settings, settings.slice)?),
                _ => self.result.two.push(self.two.measure(settings, settings.slice)?),
            }
        }
        Ok(())
    }
}

impl Contender<'_> {
    fn measure(&mut self, settings: &Settings, duration: Duration) -> anyhow::Result<Slice> {
        measure(self.system, self.cores, settings.load(LoadModel::Closed, duration), &mut *self.requests)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(system: &str, one: [f64; 2], two: [f64; 2]) -> TwoCores {
        let slices = |values: [f64; 2]| {
            values.map(|per_second| Slice { per_second, server_cpu: 1e6 / per_second, ..Slice::default() }).to_vec()
        };
        TwoCores { operation: "page-random".to_owned(), system: system.to_owned(), one: slices(one), two: slices(two) }
    }

    #[test]
    fn the_gain_is_relative_to_that_of_the_limit() {
        let results = [result(LIMIT, [100.0, 100.0], [150.0, 150.0]), result(SQLITE.name, [10.0, 20.0], [12.0, 24.0])];
        let gain = of_limit(&results, "page-random", TwoCores::gain).unwrap();
        assert!((gain.median - 0.8).abs() < 1e-9, "{gain:?}");
        assert_eq!(of_limit(&results, "shop-mix", TwoCores::gain), None);
    }
}
