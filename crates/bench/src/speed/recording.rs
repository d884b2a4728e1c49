//! Records the responses of a real server, which the limit serves.

use std::fs;
use std::path::{Path, PathBuf};

use super::driver::{Response, Source};
use super::limit::Sample;
use super::operations::Kind;
use super::settings::Settings;
use super::system::SeededSystem;
use crate::http::client::Client;

/// The number of recorded responses per operation.
const SAMPLES: usize = 128;
/// The mix has many kinds of requests, some of them rare.
const SAMPLES_OF_MIX: usize = 2_000;

/// Returns the file of the recorded responses.
pub(super) fn record(settings: &Settings, run: &Path, seeded: &SeededSystem) -> anyhow::Result<PathBuf> {
    let mut samples = Vec::new();
    let mut client = Client::connect(seeded.system.address)?;
    for operation in settings.operations.iter().filter(|operation| operation.has_limit()) {
        let mut requests = operation.requests(&seeded.targets, settings.seed);
        for _ in 0..if operation.kind == Kind::ShopMix { SAMPLES_OF_MIX } else { SAMPLES } {
            samples.push(sample(&mut client, &mut *requests)?);
        }
    }
    let file = run.join("samples.json");
    fs::write(&file, serde_json::to_vec(&samples)?)?;
    Ok(file)
}

fn sample(client: &mut Client, requests: &mut dyn Source) -> anyhow::Result<Sample> {
    let mut request = Vec::new();
    let wanted = requests.write_next(0, &mut request);
    let (response, head) = client.send(&request)?;
    anyhow::ensure!(head.status == 200, "{}", String::from_utf8_lossy(&response));
    if wanted == Response::Wanted {
        requests.receive(0, head.status, &head.body(&response)?)?;
    }
    Sample::new(&request, &response, &head)
}
