//! A proxy between the server and PostgreSQL that parses the protocol and cuts connections during commits.

use std::collections::HashSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::Context;
use fastrand::Rng;
use tokio::io::{AsyncReadExt, AsyncWriteExt, copy};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Runtime;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cut {
    /// The commit does not reach PostgreSQL.
    Before,
    /// The commit reaches PostgreSQL, but its response is lost.
    After,
    /// As `After`, but the connection stays open.
    Silence,
}

/// The probability of each cut, in thousandths of all commits.
pub(crate) struct CutProbabilities {
    rng: Mutex<Rng>,
    pub(crate) before: AtomicU64,
    pub(crate) after: AtomicU64,
    pub(crate) silence: AtomicU64,
    pub(crate) cuts: AtomicU64,
}

impl CutProbabilities {
    fn new(seed: u64) -> Self {
        let [before, after, silence, cuts] = [0; 4].map(AtomicU64::new);
        Self { rng: Mutex::new(Rng::with_seed(seed)), before, after, silence, cuts }
    }

    fn number(&self, below: u64) -> u64 {
        self.rng.lock().unwrap_or_else(PoisonError::into_inner).u64(0..below)
    }

    pub(crate) fn set(&self, before: u64, after: u64, silence: u64) {
        self.before.store(before, Ordering::Relaxed);
        self.after.store(after, Ordering::Relaxed);
        self.silence.store(silence, Ordering::Relaxed);
    }

    fn random(&self) -> Option<Cut> {
        let number = self.number(1_000);
        let mut least = 0;
        for (chance, cut) in [(&self.before, Cut::Before), (&self.after, Cut::After), (&self.silence, Cut::Silence)] {
            least += chance.load(Ordering::Relaxed);
            if number < least {
                self.cuts.fetch_add(1, Ordering::Relaxed);
                return Some(cut);
            }
        }
        None
    }
}

pub(crate) struct Proxy {
    pub(crate) port: u16,
    pub(crate) probabilities: Arc<CutProbabilities>,
    _runtime: Runtime,
}

impl Proxy {
    pub(crate) fn start(database_port: u16, seed: u64) -> anyhow::Result<Self> {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0"))?;
        let (port, probabilities) = (listener.local_addr()?.port(), Arc::new(CutProbabilities::new(seed)));
        let shared = Arc::clone(&probabilities);
        runtime.spawn(async move {
            while let Ok((server, _)) = listener.accept().await {
                let probabilities = Arc::clone(&shared);
                tokio::spawn(async move {
                    // Errors are expected: the proxy cuts connections.
                    let _ = relay(server, database_port, &probabilities).await;
                });
            }
        });
        Ok(Self { port, probabilities, _runtime: runtime })
    }
}

async fn relay(server: TcpStream, database_port: u16, probabilities: &CutProbabilities) -> anyhow::Result<()> {
    let database = TcpStream::connect(("127.0.0.1", database_port)).await?;
    server.set_nodelay(true)?;
    database.set_nodelay(true)?;
    let (mut from_server, mut to_server) = server.into_split();
    let (mut from_database, mut to_database) = database.into_split();
    let responses = tokio::spawn(async move { copy(&mut from_database, &mut to_server).await });
    let cut = forward_until_cut(&mut from_server, &mut to_database, probabilities).await;
    match cut {
        Ok((Cut::Before, _)) | Err(_) => responses.abort(),
        Ok((cut, message)) => {
            responses.abort();
            // Once this task has ended, no response can be forwarded.
            let _ = responses.await;
            to_database.write_all(&message).await?;
            if cut == Cut::Silence {
                tokio::time::sleep(Duration::from_secs(600)).await;
            }
        }
    }
    drop(from_server);
    // If closed at once, PostgreSQL might discard unread messages.
    tokio::time::sleep(Duration::from_millis(probabilities.number(100))).await;
    Ok(())
}

/// Forwards messages until a commit is to be cut; returns the kind of cut and the commit message.
async fn forward_until_cut(
    from_server: &mut OwnedReadHalf,
    to_database: &mut OwnedWriteHalf,
    probabilities: &CutProbabilities,
) -> anyhow::Result<(Cut, Vec<u8>)> {
    // The startup message has no tag; the server does not request TLS here.
    let first = message(from_server, false).await?;
    to_database.write_all(&first).await?;
    let mut commits = HashSet::new();
    loop {
        let message = message(from_server, true).await?;
        let text = String::from_utf8_lossy(&message[5..]).to_lowercase();
        let name = text.split('\0').next().unwrap_or_default();
        let is_commit = match message[0] {
            b'Q' => text.contains("commit") && !text.contains("committed"),
            b'P' if text.contains("commit") && !text.contains("committed") => {
                commits.insert(name.to_owned());
                false
            }
            // The name of the portal precedes that of the statement.
            b'B' => commits.contains(text.split('\0').nth(1).unwrap_or_default()),
            _ => false,
        };
        if is_commit && let Some(cut) = probabilities.random() {
            return Ok((cut, message));
        }
        to_database.write_all(&message).await?;
    }
}

async fn message(from: &mut OwnedReadHalf, is_tagged: bool) -> anyhow::Result<Vec<u8>> {
    let start = usize::from(is_tagged);
    let mut message = vec![0; start + 4];
    from.read_exact(&mut message).await?;
    let length = u32::from_be_bytes(message[start..].try_into()?) as usize;
    let rest = length.checked_sub(4).context("a message is shorter than its length field")?;
    message.resize(start + 4 + rest, 0);
    from.read_exact(&mut message[start + 4..]).await?;
    Ok(message)
}
