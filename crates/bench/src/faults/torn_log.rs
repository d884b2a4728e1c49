//! The power goes while SQLite writes its log: the last thing in it is half there, or nonsense.

use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::path::Path;

use anyhow::{Context, ensure};

use super::bed::{Outcome, Stage};
use super::calls::Call;

const WORKERS: usize = 8;

pub(crate) fn run(stage: &mut Stage) -> anyhow::Result<Outcome> {
    let (place, _) = stage.place()?;
    let mut server = stage.serve(&place, 0, &[])?;
    let port = server.address.port();
    let mut load = stage.load(&place, &server, WORKERS)?;
    let path = place.data.join("wishbone.db-wal");
    let (mut gone, mut stayed) = (0, 0);
    for round in 0..stage.times {
        load.begin();
        let calls = stage.rng.u64(1..100);
        stage.wait_for_answers(&load, calls)?;
        if round % 2 == 0 {
            // In the middle of everything: what comes after the last commit is half a frame.
            server.kill()?;
            append_half_a_frame(stage, &path)?;
            server = stage.serve(&place, port, &[])?;
            load.rest()?;
        } else {
            // One call more, as if its answer had not come: its part of the log is cut somewhere.
            load.rest()?;
            let call = load.with_worker(async |worker| {
                let call = Call::some_items(&mut worker.rng, worker.number);
                worker.say_and_forget(0, &call).await.map(|()| call)
            });
            let call = call.map_err(|problem| anyhow::anyhow!("{}", problem.0))?;
            server.kill()?;
            cut_last_commit(stage, &path)?;
            server = stage.serve(&place, port, &[])?;
            let happened = load.with_worker(async |worker| worker.find_out(0, &call).await);
            match happened {
                Ok(true) => stayed += 1,
                Ok(false) => gone += 1,
                Err(problem) => load.ledger.problem(1, &problem.0),
            }
        }
        if !load.ledger.problems().is_empty() {
            break;
        }
    }
    stage.say(&format!("of the calls that were cut {gone} are gone and {stayed} had left the log before"));
    ensure!(gone > 0 || !load.ledger.problems().is_empty(), "no cut has hit anything");
    Outcome::of(load, &place, stage.times)
}

const HEADER: u64 = 32;
const FRAME_HEADER: u64 = 24;
/// Where in the log's index it is said how far copying has got.
const ATTEMPTED: u64 = 128;

/// Where the log's transactions end, in bytes; the log's header comes first.
struct Log {
    file: File,
    frame: u64,
    ends: Vec<u64>,
    salts: [u8; 8],
}

impl Log {
    /// Frames belong to the log as long as they carry the salts of its header; those after are left from before.
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
            // The size of the database after a commit; zero in all other frames.
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

fn append_half_a_frame(stage: &mut Stage, path: &Path) -> anyhow::Result<()> {
    let Some(log) = Log::read(path)? else { return Ok(()) };
    let mut frame = vec![0; (log.frame / 2) as usize];
    stage.rng.fill(&mut frame);
    // As a real one would begin: page 2, not the end of a transaction, the right salts.
    frame[..8].copy_from_slice(&[0, 0, 0, 2, 0, 0, 0, 0]);
    frame[8..16].copy_from_slice(&log.salts);
    log.file.write_all_at(&frame, log.end())?;
    Ok(())
}

/// How many frames of the log are in the database, or on their way there: `nBackfillAttempted` of the log's index.
fn frames_being_copied(path: &Path) -> anyhow::Result<u64> {
    let mut number = [0; 4];
    match File::open(path.with_extension("db-shm")) {
        Ok(index) => index.read_exact_at(&mut number, ATTEMPTED)?,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
        Err(error) => return Err(error.into()),
    }
    Ok(u32::from_ne_bytes(number).into())
}

fn cut_last_commit(stage: &mut Stage, path: &Path) -> anyhow::Result<()> {
    let log = Log::read(path)?.context("there is a log")?;
    let [.., start, end] = log.ends[..] else { return Ok(()) };
    if frames_being_copied(path)? > (start - HEADER) / log.frame {
        // SQLite copies nothing into the database before the log is safe, and no power cut takes that away again.
        return Ok(());
    }
    let cut = stage.rng.u64(start + 1..end);
    if stage.rng.bool() {
        log.file.set_len(cut)?;
    } else {
        let mut noise = vec![0; (end - cut) as usize];
        stage.rng.fill(&mut noise);
        log.file.write_all_at(&noise, cut)?;
    }
    // Nothing of it is left in the index, which a power cut takes away: it is made anew from the log.
    fs::remove_file(path.with_extension("db-shm")).or_else(|error| match error.kind() {
        std::io::ErrorKind::NotFound => Ok(()),
        _ => Err(error),
    })?;
    Ok(())
}
