//! Temporary PostgreSQL clusters, with the programs of Debian's packages and default durability.

use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, bail, ensure};
use rustix::process::{Pid, Signal, kill_process};

const TIMEOUT: Duration = Duration::from_secs(60);

/// The directory of the newest installed PostgreSQL programs.
pub(crate) fn programs() -> anyhow::Result<PathBuf> {
    let installed = fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten().map(|entry| entry.path());
    let number = |path: &PathBuf| path.file_name()?.to_str()?.parse::<u32>().ok();
    installed
        .filter(|path| path.join("bin/initdb").exists())
        .max_by_key(number)
        .map(|path| path.join("bin"))
        .context("PostgreSQL is not installed: run `apt-get install postgresql`")
}

/// A cluster: its files, and its server while it runs. Dropping it stops the server and deletes the files.
pub(crate) struct Cluster {
    folder: PathBuf,
    port: u16,
    server: Option<Child>,
}

impl Cluster {
    /// Creates a cluster in `folder`, which must not exist, and starts it with `settings` (`name=value`).
    pub(crate) fn create(folder: &Path, settings: &[&str]) -> anyhow::Result<Self> {
        let mut cluster = Self::in_folder(folder, None)?;
        let data = cluster.data();
        cluster.run(
            "initdb",
            &["--username=postgres", "--auth=trust", "--encoding=UTF8", "--locale=C.UTF-8", "--no-sync", "-D", &data],
        )?;
        cluster.start(settings)?;
        Ok(cluster)
    }

    /// Creates a cluster in `folder`, which must not exist, from the files of a stopped cluster, and starts it.
    pub(crate) fn copy(files: &Path, folder: &Path, settings: &[&str]) -> anyhow::Result<Self> {
        let mut cluster = Self::in_folder(folder, None)?;
        let copied = Command::new("cp").args(["-a", "--reflink=auto"]).arg(files).arg(cluster.data()).status()?;
        ensure!(copied.success(), "cannot copy {}", files.display());
        cluster.start(settings)?;
        Ok(cluster)
    }

    /// Creates a streaming standby of this cluster in `folder`, which must not exist.
    pub(crate) fn create_standby(&self, folder: &Path, port: Option<u16>) -> anyhow::Result<Self> {
        let mut standby = Self::in_folder(folder, port)?;
        let (data, primary) = (standby.data(), self.url("postgres"));
        standby
            .run("pg_basebackup", &["-R", "-X", "stream", "-c", "fast", "--no-sync", "-D", &data, "-d", &primary])?;
        standby.start(&[])?;
        Ok(standby)
    }

    /// Creates the directory, owned by PostgreSQL's user, and selects a port, by default a free one.
    fn in_folder(folder: &Path, port: Option<u16>) -> anyhow::Result<Self> {
        fs::create_dir_all(folder.parent().context("the directory has no parent")?)?;
        fs::create_dir(folder)?;
        let folder = folder.canonicalize()?;
        if rustix::process::getuid().is_root() {
            let status = Command::new("chown").arg("postgres:").arg(&folder).status()?;
            ensure!(status.success(), "there is no user 'postgres': run `useradd --system postgres`");
        }
        let port = port.map_or_else(|| Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?.port()), anyhow::Ok)?;
        Ok(Self { folder, port, server: None })
    }

    /// The data directory.
    pub(crate) fn data(&self) -> String {
        self.folder.join("data").display().to_string()
    }

    /// The name of the cluster's directory.
    pub(crate) fn name(&self) -> String {
        self.folder.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// The URL of a database of the cluster.
    pub(crate) fn url(&self, database: &str) -> String {
        format!("postgres://postgres@127.0.0.1:{}/{database}", self.port)
    }

    /// The process id of the server, while it runs.
    pub(crate) fn pid(&self) -> Option<u32> {
        self.server.as_ref().map(Child::id)
    }

    /// A command that runs one of PostgreSQL's programs. They refuse to run as root, so root runs them as `postgres`.
    pub(crate) fn program(&self, name: &str) -> anyhow::Result<Command> {
        let program = programs()?.join(name);
        let mut command = if rustix::process::getuid().is_root() {
            let mut command = Command::new("setpriv");
            command.args(["--reuid=postgres", "--regid=postgres", "--init-groups", "--"]).arg(program);
            command
        } else {
            Command::new(program)
        };
        command
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .env("LC_ALL", "C")
            .current_dir(&self.folder)
            .stdin(Stdio::null());
        Ok(command)
    }

    pub(crate) fn run(&self, name: &str, arguments: &[&str]) -> anyhow::Result<String> {
        let output = self.program(name)?.args(arguments).output()?;
        ensure!(output.status.success(), "{name} failed: {}", String::from_utf8_lossy(&output.stderr));
        Ok(String::from_utf8(output.stdout)?)
    }

    /// Runs statements with `psql`; returns their output.
    pub(crate) fn sql(&self, database: &str, statements: &str) -> anyhow::Result<String> {
        self.run("psql", &["-X", "-q", "-At", "-v", "ON_ERROR_STOP=1", "-d", &self.url(database), "-c", statements])
    }

    /// Starts the server and waits until it accepts connections.
    pub(crate) fn start(&mut self, settings: &[&str]) -> anyhow::Result<()> {
        let log = fs::File::options().create(true).append(true).open(self.folder.join("log"))?;
        let mut command = self.program("postgres")?;
        command.args(["-D", &self.data(), "-p", &self.port.to_string(), "-c", "listen_addresses=127.0.0.1"]);
        command.arg("-c").arg(format!("unix_socket_directories={}", self.folder.display()));
        // After a crash it would sync each file; one call of syncfs is much faster.
        command.args(["-c", "recovery_init_sync_method=syncfs"]);
        for setting in settings {
            command.args(["-c", setting]);
        }
        self.server = Some(command.stdout(Stdio::null()).stderr(log).spawn()?);
        let (began, port) = (Instant::now(), self.port.to_string());
        while began.elapsed() < TIMEOUT {
            if self.run("pg_isready", &["-q", "-h", "127.0.0.1", "-p", &port]).is_ok() {
                return Ok(());
            }
            if let Some(Some(status)) = self.server.as_mut().map(|server| server.try_wait()).transpose()? {
                bail!("PostgreSQL ended with {status}: see {}", self.folder.join("log").display());
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        bail!("PostgreSQL was not ready within {TIMEOUT:?}")
    }

    /// The server process and its children.
    fn processes(&self) -> anyhow::Result<Vec<Pid>> {
        let Some(server) = self.server.as_ref().map(Pid::from_child) else { return Ok(Vec::new()) };
        let mut all = vec![server];
        for entry in fs::read_dir("/proc")?.flatten() {
            let Ok(stat) = fs::read_to_string(entry.path().join("stat")) else { continue };
            // The process name, in parentheses, can contain anything; the state and the parent follow it.
            let parent = stat.rsplit_once(") ").and_then(|(_, rest)| rest.split(' ').nth(1)?.parse().ok());
            if parent.and_then(Pid::from_raw) == Some(server) {
                all.extend(entry.file_name().to_str().and_then(|name| Pid::from_raw(name.parse().ok()?)));
            }
        }
        Ok(all)
    }

    pub(crate) fn signal_all(&self, signal: Signal) -> anyhow::Result<()> {
        for process in self.processes()? {
            // The process may have exited.
            let _ = kill_process(process, signal);
        }
        Ok(())
    }

    /// Sends SIGKILL to all processes, the server first, so that it starts no others.
    pub(crate) fn kill_all(&mut self) -> anyhow::Result<()> {
        self.signal_all(Signal::KILL)?;
        if let Some(mut server) = self.server.take() {
            server.wait()?;
        }
        Ok(())
    }

    /// Stops the server by a signal and waits: `INT` is a fast shutdown, `QUIT` an immediate one without a checkpoint.
    pub(crate) fn stop(&mut self, signal: Signal) -> anyhow::Result<()> {
        if let Some(mut server) = self.server.take() {
            kill_process(Pid::from_child(&server), signal)?;
            server.wait()?;
        }
        Ok(())
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        // A suspended process would not end.
        let _ = self.signal_all(Signal::CONT);
        let _ = self.stop(Signal::QUIT);
        let _ = fs::remove_dir_all(&self.folder);
    }
}
