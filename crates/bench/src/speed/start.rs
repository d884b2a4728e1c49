//! From the start of the process to the first answer.

use std::time::Instant;

use serde::{Deserialize, Serialize};

use super::Settings;
use super::client::Client;
use super::driver::Source;
use super::operations::{Kind, OPERATIONS};
use super::spread::Spread;
use super::subject::{self, Seeded};

const TIMES: usize = 7;

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Start {
    pub(crate) subject: String,
    pub(crate) millis: Spread,
}

/// Ends the servers, and starts them again and again.
pub(crate) fn run(settings: &Settings, seeded: Vec<Seeded>) -> anyhow::Result<Vec<Start>> {
    let mut out = Vec::new();
    for Seeded { subject, targets } in seeded {
        let name = subject.name.to_owned();
        // The database goes on until the last start.
        let (place, _cluster) = subject.stop()?;
        let page = OPERATIONS.iter().find(|operation| operation.kind == Kind::PageRandom);
        let (Some(place), Some(page)) = (place, page) else { continue };
        let mut requests = page.requests(&targets, settings.seed);
        let mut times = Vec::new();
        for _ in 0..TIMES {
            let mut request = Vec::new();
            requests.write_next(&mut request);
            let began = Instant::now();
            let server = subject::serve(&place, settings.cores, &["--log", &settings.log])?;
            Client::connect(server.address)?.json(&request)?;
            times.push(began.elapsed().as_secs_f64() * 1_000.0);
            server.stop()?;
        }
        out.extend(Spread::of(times).map(|millis| Start { subject: name, millis }));
    }
    Ok(out)
}
