//! Wishbone's server and commands. This program contains them, so nothing has to be built or located; another build can be
//! chosen.

use std::io::{BufRead, BufReader, Read};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use anyhow::{Context, bail, ensure};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

/// Options of `store set` that lift the limits of a store: all load comes from one address, and for few shoppers.
pub(crate) const UNLIMITED: &[&str] = &[
    "--rate-limit",
    "100000/s",
    "--address-rate-limit",
    "100000/s",
    "--write-rate-limit",
    "100000/s",
    "--address-write-rate-limit",
    "100000/s",
    "--shopper-quota",
    "1000000",
    "--address-quota",
    "1000000",
    "--store-quota",
    "1000000",
];

/// The time limit of a shutdown.
const TIMEOUT: Duration = Duration::from_secs(60);

/// The `wishbone` program under test, if it is not this one.
static PROGRAM: OnceLock<PathBuf> = OnceLock::new();

/// Selects the `wishbone` program that all commands run, before the first of them.
pub(crate) fn use_program(path: &Path) -> anyhow::Result<()> {
    let path = path.canonicalize().with_context(|| format!("there is no program {}", path.display()))?;
    PROGRAM.set(path).ok().context("the program was chosen before")
}

/// The location of a server's data.
#[derive(Clone, Debug)]
pub(crate) struct DataLocation {
    /// The directory of the secret key and of the SQLite database.
    pub(crate) data: PathBuf,
    /// The URL of a PostgreSQL database.
    pub(crate) database: Option<String>,
}

impl DataLocation {
    /// A `wishbone` command on this location, with an empty environment.
    pub(crate) fn command(&self, arguments: &[&str]) -> anyhow::Result<Command> {
        let mut command = match PROGRAM.get() {
            Some(path) => Command::new(path),
            None => Command::new(std::env::current_exe()?),
        };
        if PROGRAM.get().is_none() {
            command.arg("wishbone");
        }
        command
            .env_clear()
            .env("WISHBONE_METRICS_LISTEN", "127.0.0.1:0")
            .args(arguments)
            .arg("--data")
            .arg(&self.data)
            .stdin(Stdio::null());
        if let Some(url) = &self.database {
            command.args(["--database", url]);
        }
        Ok(command)
    }

    /// Runs a command and returns the JSON object it prints.
    pub(crate) fn json(&self, arguments: &[&str]) -> anyhow::Result<Value> {
        let mut command = self.command(arguments)?;
        command.arg("--json");
        let output = command.output()?;
        ensure!(output.status.success(), "{command:?} failed: {}", String::from_utf8_lossy(&output.stderr));
        Ok(serde_json::from_slice(&output.stdout)?)
    }

    /// Starts `wishbone serve` and waits until it is ready. Port 0 selects a free port.
    pub(crate) fn serve(&self, port: u16, arguments: &[&str], log: Option<&Path>) -> anyhow::Result<Server> {
        Server::start(self.serve_command(port, arguments, log)?)
    }

    /// The command that [`Self::serve`] starts.
    pub(crate) fn serve_command(&self, port: u16, arguments: &[&str], log: Option<&Path>) -> anyhow::Result<Command> {
        let listen = format!("127.0.0.1:{port}");
        let mut command = self.command(&["serve", "--json", "--listen", &listen])?;
        command.args(arguments).stdout(Stdio::piped());
        match log {
            Some(path) => command.stderr(std::fs::File::options().create(true).append(true).open(path)?),
            None => command.stderr(Stdio::null()),
        };
        Ok(command)
    }
}

/// A running server, killed with SIGKILL when dropped.
pub(crate) struct Server {
    child: Child,
    pub(crate) address: SocketAddr,
    /// Where its metrics are.
    pub(crate) metrics: Option<SocketAddr>,
}

impl Server {
    /// Starts a command whose first line on stdout is JSON with a `url`.
    pub(crate) fn start(mut command: Command) -> anyhow::Result<Self> {
        let mut child = command.stdout(Stdio::piped()).spawn()?;
        let mut line = String::new();
        BufReader::new(child.stdout.take().context("stdout is not piped")?).read_line(&mut line)?;
        if line.is_empty() {
            let status = child.wait()?;
            let mut log = String::new();
            if let Some(mut stderr) = child.stderr.take() {
                stderr.read_to_string(&mut log)?;
            }
            bail!("{:?} ended with {status} before it was ready: {log}", command.get_args().collect::<Vec<_>>());
        }
        let ready: Value = serde_json::from_str(&line)?;
        let url = ready["url"].as_str().context("the first line has no url")?;
        let address = url.trim_start_matches("http://").parse()?;
        let metrics =
            ready["metrics"].as_str().map(|url| url.trim_start_matches("http://").trim_end_matches("/metrics"));
        Ok(Self { child, address, metrics: metrics.map(str::parse).transpose()? })
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Sends SIGKILL and waits.
    pub(crate) fn kill(mut self) -> anyhow::Result<()> {
        self.child.kill()?;
        self.child.wait()?;
        Ok(())
    }

    /// Sends SIGTERM and waits; returns the exit status.
    pub(crate) fn stop(mut self) -> anyhow::Result<ExitStatus> {
        kill_process(Pid::from_child(&self.child), Signal::TERM)?;
        let began = Instant::now();
        while began.elapsed() < TIMEOUT {
            if let Some(status) = self.child.try_wait()? {
                return Ok(status);
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        bail!("the server did not stop within {TIMEOUT:?}")
    }

    /// The command pinned to `cores`, so that server and load driver do not share a core.
    pub(crate) fn pinned(command: &Command, cores: &str) -> Command {
        let mut pinned = Command::new("taskset");
        pinned.arg("-c").arg(cores).arg(command.get_program()).args(command.get_args()).stdin(Stdio::null());
        // Only what the command itself sets.
        pinned.env_clear().envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
        pinned
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
