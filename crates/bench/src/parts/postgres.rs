//! Throw-away PostgreSQL clusters from Debian's packages, with the durability of a real one.

use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, bail, ensure};
use rustix::process::{Pid, Signal, kill_process};

const PATIENCE: Duration = Duration::from_secs(60);

/// The folder of PostgreSQL's programs, the newest of those installed.
pub(crate) fn programs() -> anyhow::Result<PathBuf> {
    let installed = fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten().map(|entry| entry.path());
    let number = |path: &PathBuf| path.file_name()?.to_str()?.parse::<u32>().ok();
    installed
        .filter(|path| path.join("bin/initdb").exists())
        .max_by_key(number)
        .map(|path| path.join("bin"))
        .context("PostgreSQL's server is not installed. Next step:  apt-get install postgresql")
}

/// A cluster: its files, and its server while one runs. Both end with it.
pub(crate) struct Cluster {
    folder: PathBuf,
    port: u16,
    server: Option<Child>,
}

impl Cluster {
    /// Makes one in `folder`, which must not exist yet, and starts it with `settings` (`name=value`).
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

    /// Makes one in `folder`, which must not exist yet, with a copy of the files of another that was stopped.
    pub(crate) fn copy(files: &Path, folder: &Path, settings: &[&str]) -> anyhow::Result<Self> {
        let mut cluster = Self::in_folder(folder, None)?;
        let copied = Command::new("cp").args(["-a", "--reflink=auto"]).arg(files).arg(cluster.data()).status()?;
        ensure!(copied.success(), "cannot copy {}", files.display());
        cluster.start(settings)?;
        Ok(cluster)
    }

    /// A standby that follows this one, in `folder`, which must not exist yet.
    pub(crate) fn follow(&self, folder: &Path, port: Option<u16>) -> anyhow::Result<Self> {
        let mut standby = Self::in_folder(folder, port)?;
        let (data, primary) = (standby.data(), self.url("postgres"));
        standby
            .run("pg_basebackup", &["-R", "-X", "stream", "-c", "fast", "--no-sync", "-D", &data, "-d", &primary])?;
        standby.start(&[])?;
        Ok(standby)
    }

    /// The folder, owned by whom PostgreSQL runs as, and a port, by default a free one.
    fn in_folder(folder: &Path, port: Option<u16>) -> anyhow::Result<Self> {
        fs::create_dir_all(folder.parent().context("a folder has a parent")?)?;
        fs::create_dir(folder)?;
        let folder = folder.canonicalize()?;
        if rustix::process::getuid().is_root() {
            let status = Command::new("chown").arg("postgres:").arg(&folder).status()?;
            ensure!(status.success(), "there is no user 'postgres'. Next step:  useradd --system postgres");
        }
        let port = port.map_or_else(|| Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?.port()), anyhow::Ok)?;
        Ok(Self { folder, port, server: None })
    }

    /// The server's files.
    pub(crate) fn data(&self) -> String {
        self.folder.join("data").display().to_string()
    }

    /// The name of its folder.
    pub(crate) fn name(&self) -> String {
        self.folder.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// The address of one of its databases.
    pub(crate) fn url(&self, database: &str) -> String {
        format!("postgres://postgres@127.0.0.1:{}/{database}", self.port)
    }

    /// The process, while it runs.
    pub(crate) fn pid(&self) -> Option<u32> {
        self.server.as_ref().map(Child::id)
    }

    /// One of PostgreSQL's programs. It refuses to run as root: then it runs as the user that Debian's package made.
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

    /// Statements, by `psql`, and what they print.
    pub(crate) fn sql(&self, database: &str, statements: &str) -> anyhow::Result<String> {
        self.run("psql", &["-X", "-q", "-At", "-v", "ON_ERROR_STOP=1", "-d", &self.url(database), "-c", statements])
    }

    /// Starts the server and waits until it takes connections.
    pub(crate) fn start(&mut self, settings: &[&str]) -> anyhow::Result<()> {
        let log = fs::File::options().create(true).append(true).open(self.folder.join("log"))?;
        let mut command = self.program("postgres")?;
        command.args(["-D", &self.data(), "-p", &self.port.to_string(), "-c", "listen_addresses=127.0.0.1"]);
        command.arg("-c").arg(format!("unix_socket_directories={}", self.folder.display()));
        // After a crash it would sync every one of its files; once for all is much quicker.
        command.args(["-c", "recovery_init_sync_method=syncfs"]);
        for setting in settings {
            command.args(["-c", setting]);
        }
        self.server = Some(command.stdout(Stdio::null()).stderr(log).spawn()?);
        let (began, port) = (Instant::now(), self.port.to_string());
        while began.elapsed() < PATIENCE {
            if self.run("pg_isready", &["-q", "-h", "127.0.0.1", "-p", &port]).is_ok() {
                return Ok(());
            }
            if let Some(Some(status)) = self.server.as_mut().map(|server| server.try_wait()).transpose()? {
                bail!("PostgreSQL ended with {status}: see {}", self.folder.join("log").display());
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        bail!("PostgreSQL did not answer within {PATIENCE:?}")
    }

    /// The server and every process that it has started.
    fn processes(&self) -> anyhow::Result<Vec<Pid>> {
        let Some(server) = self.server.as_ref().map(Pid::from_child) else { return Ok(Vec::new()) };
        let mut all = vec![server];
        for entry in fs::read_dir("/proc")?.flatten() {
            let Ok(stat) = fs::read_to_string(entry.path().join("stat")) else { continue };
            // The name, in brackets, may hold anything; after it come the state and the parent.
            let parent = stat.rsplit_once(") ").and_then(|(_, rest)| rest.split(' ').nth(1)?.parse().ok());
            if parent.and_then(Pid::from_raw) == Some(server) {
                all.extend(entry.file_name().to_str().and_then(|name| Pid::from_raw(name.parse().ok()?)));
            }
        }
        Ok(all)
    }

    pub(crate) fn signal_all(&self, signal: Signal) -> anyhow::Result<()> {
        for process in self.processes()? {
            // One may have ended by itself.
            let _ = kill_process(process, signal);
        }
        Ok(())
    }

    /// `kill -9` of all its processes, as when the machine loses power; the server first, so that it starts no others.
    pub(crate) fn kill_all(&mut self) -> anyhow::Result<()> {
        self.signal_all(Signal::KILL)?;
        if let Some(mut server) = self.server.take() {
            server.wait()?;
        }
        Ok(())
    }

    /// Ends the server by a signal (`INT` is a fast shutdown, `QUIT` one without a checkpoint, as after a crash) and waits.
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
        let _ = self.stop(Signal::QUIT);
        let _ = fs::remove_dir_all(&self.folder);
    }
}
