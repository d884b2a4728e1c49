//! Power loss while SQLite writes its log: the end of the log is missing or garbage.

use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::path::Path;

use anyhow::{Context, ensure};

use super::calls::Call;
use super::environment::{Environment, Outcome};

const WORKERS: usize = 8;

pub(crate) fn run(env: &mut Environment) -> anyhow::Result<Outcome> {
    let (location, _) = env.location()?;
    let mut server = env.serve(&location, 0, &[])?;
    let port = server.address.port();
    let mut load = env.load(&location, &server, WORKERS)?;
    let path = location.data.join("wishbone.db-wal");
    let (mut lost, mut retained) = (0, 0);
    for round in 0..env.times {
        load.start();
        let calls = env.rng.u64(1..100);
        env.wait_for_writes(&load, calls)?;
        if round % 2 == 0 {
            // Under load: half a frame follows the last commit.
            server.kill()?;
            append_half_a_frame(env, &path)?;
            server = env.serve(&location, port, &[])?;
            load.stop_workers()?;
        } else {
            // One more call whose response is ignored: its frames are cut at a random position.
            load.stop_workers()?;
            let call = load.with_worker(async |worker| {
                let call = Call::twenty_items(&mut worker.rng, worker.number);
                worker.send_ignoring_response(0, &call).await.map(|()| call)
            });
            let call = call.map_err(|violation| anyhow::anyhow!("{}", violation.0))?;
            server.kill()?;
            cut_last_commit(env, &path)?;
            server = env.serve(&location, port, &[])?;
            let applied = load.with_worker(async |worker| worker.determine_outcome(0, &call).await);
            match applied {
                Ok(true) => retained += 1,
                Ok(false) => lost += 1,
                Err(violation) => load.ledger.violation(1, &violation.0),
            }
        }
        if !load.ledger.violations().is_empty() {
            break;
        }
    }
    env.log_progress(&format!("cut calls: {lost} lost, {retained} already checkpointed"));
    ensure!(lost > 0 || !load.ledger.violations().is_empty(), "no cut had an effect");
    Outcome::of(load, &location, env.times)
}

const HEADER: u64 = 32;
const FRAME_HEADER: u64 = 24;
/// The offset of `nBackfillAttempted` in the WAL index.
const BACKFILL_ATTEMPTED: u64 = 128;

/// A write-ahead log, with the offsets at which its transactions end.
struct Log {
    file: File,
    frame: u64,
    ends: Vec<u64>,
    salts: [u8; 8],
}

impl Log {
    /// Reads the log. Frames whose salts differ from the header's are left over from before the last reset.
    fn read(path: &Path) -> anyhow::Result<Option<Self>> {
        let file = File::options().read(true).write(true).open(path)?;
        let length = file.metadata()?.len();
        if length < HEADER {
            return Ok(None);
        }
        let mut header = [0; HEADER as usize];
        file.read_exact_at(&mut header, 0)?;
        let page = u32::from_be_bytes(header[8..12].try_into()?);
        let salts: [u8; 8] = header[16..24].try_into()?;
        let frame = FRAME_HEADER + u64::from(page);
        let mut ends = vec![HEADER];
        let mut at = HEADER;
        while at + frame <= length {
            let mut header = [0; FRAME_HEADER as usize];
            file.read_exact_at(&mut header, at)?;
            if header[8..16] != salts {
                break;
            }
            at += frame;
            // A commit frame has the size of the database here, all others zero.
            if header[4..8] != [0; 4] {
                ends.push(at);
            }
        }
        Ok(Some(Self { file, frame, ends, salts }))
    }

    fn end(&self) -> u64 {
        self.ends.last().copied().unwrap_or(HEADER)
    }
}

fn append_half_a_frame(env: &mut Environment, path: &Path) -> anyhow::Result<()> {
    let Some(log) = Log::read(path)? else { return Ok(()) };
    let mut frame = vec![0; (log.frame / 2) as usize];
    env.rng.fill(&mut frame);
    // A valid start of a frame: page 2, not a commit, the current salts.
    frame[..8].copy_from_slice(&[0, 0, 0, 2, 0, 0, 0, 0]);
    frame[8..16].copy_from_slice(&log.salts);
    log.file.write_all_at(&frame, log.end())?;
    Ok(())
}

/// The number of frames that were, or are being, copied to the database.
fn frames_checkpointed(path: &Path) -> anyhow::Result<u64> {
    let mut number = [0; 4];
    match File::open(path.with_extension("db-shm")) {
        Ok(index) => index.read_exact_at(&mut number, BACKFILL_ATTEMPTED)?,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
        Err(error) => return Err(error.into()),
    }
    Ok(u32::from_ne_bytes(number).into())
}

fn cut_last_commit(env: &mut Environment, path: &Path) -> anyhow::Result<()> {
    let log = Log::read(path)?.context("the log is missing")?;
    let [.., start, end] = log.ends[..] else { return Ok(()) };
    if frames_checkpointed(path)? > (start - HEADER) / log.frame {
        // SQLite syncs the log before a checkpoint, so these frames survive a power loss.
        return Ok(());
    }
    let cut = env.rng.u64(start + 1..end);
    if env.rng.bool() {
        log.file.set_len(cut)?;
    } else {
        let mut noise = vec![0; (end - cut) as usize];
        env.rng.fill(&mut noise);
        log.file.write_all_at(&noise, cut)?;
    }
    // A power loss also removes the index; SQLite rebuilds it from the log.
    fs::remove_file(path.with_extension("db-shm")).or_else(|error| match error.kind() {
        std::io::ErrorKind::NotFound => Ok(()),
        _ => Err(error),
    })?;
    Ok(())
}
