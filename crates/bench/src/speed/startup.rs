//! The time from the start of the process to the first response.

use std::time::Instant;

use serde::{Deserialize, Serialize};

use super::operations::{Kind, OPERATIONS};
use super::settings::Settings;
use super::summary::Summary;
use super::system::{self, SeededSystem};
use crate::http::client::Client;

const STARTS: usize = 7;

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct StartupTime {
    #[serde(rename = "subject")]
    pub(crate) system: String,
    pub(crate) millis: Summary,
}

/// Stops the servers and restarts them repeatedly.
pub(crate) fn run(settings: &Settings, seeded: Vec<SeededSystem>) -> anyhow::Result<Vec<StartupTime>> {
    let mut out = Vec::new();
    for SeededSystem { system, targets } in seeded {
        let name = system.name.to_owned();
        // The cluster runs until the last start.
        let (location, _cluster) = system.stop()?;
        let page = OPERATIONS.iter().find(|operation| operation.kind == Kind::PageRandom);
        let (Some(location), Some(page)) = (location, page) else { continue };
        let mut requests = page.requests(&targets, settings.seed);
        let mut times = Vec::new();
        for _ in 0..STARTS {
            let mut request = Vec::new();
            requests.write_next(0, &mut request);
            let began = Instant::now();
            let server = system::serve(&location, settings.cores, &["--log", &settings.log])?;
            Client::connect(server.address)?.json(&request)?;
            times.push(began.elapsed().as_secs_f64() * 1_000.0);
            server.stop()?;
        }
        out.extend(Summary::of(times).map(|millis| StartupTime { system: name, millis }));
    }
    Ok(out)
}
