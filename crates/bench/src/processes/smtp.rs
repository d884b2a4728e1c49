//! An SMTP server that is not ours (aiosmtpd), in a process of its own.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::Context;

/// A running mail server, killed when dropped. It records what it accepts in the file `mails.txt`.
pub(crate) struct SmtpServer {
    child: Child,
    port: u16,
    folder: PathBuf,
}

/// The Message-IDs of the accepted mails, by recipient, in the order of acceptance.
pub(crate) type AcceptedMails = BTreeMap<String, Vec<String>>;

impl SmtpServer {
    /// Starts a server with its files in `folder`. Port 0 selects a free port.
    pub(crate) fn start(folder: &Path, port: u16) -> anyhow::Result<Self> {
        fs::create_dir_all(folder)?;
        let script = folder.join("smtp.py");
        fs::write(&script, include_str!("smtp.py"))?;
        // Debian's Python, which has Debian's packages.
        let mut command = Command::new("/usr/bin/python3");
        command.arg(script).arg(folder.join("mails.txt")).arg(port.to_string()).stdin(Stdio::null());
        let log = File::options().create(true).append(true).open(folder.join("smtp.log"))?;
        let mut child = command.stdout(Stdio::piped()).stderr(log).spawn()?;
        let mut line = String::new();
        BufReader::new(child.stdout.take().context("stdout is not piped")?).read_line(&mut line)?;
        let port = line.trim().parse();
        let port = port.context("the SMTP server did not start: run `apt-get install python3-aiosmtpd`")?;
        Ok(Self { child, port, folder: folder.to_owned() })
    }

    /// Arguments of `wishbone serve` for this mail server.
    pub(crate) fn serve_arguments(&self) -> Vec<String> {
        arguments(self.port)
    }

    /// Kills the server; returns its port.
    pub(crate) fn stop(self) -> u16 {
        self.port
    }

    /// The number of accepted mails.
    pub(crate) fn count(&self) -> anyhow::Result<usize> {
        Ok(self.accepted()?.values().map(Vec::len).sum())
    }

    pub(crate) fn accepted(&self) -> anyhow::Result<AcceptedMails> {
        let text = fs::read_to_string(self.folder.join("mails.txt"))?;
        let mut mails = AcceptedMails::new();
        // The last line may be incomplete.
        for line in text.split_inclusive('\n').filter_map(|line| line.strip_suffix('\n')) {
            let (address, id) = line.split_once(' ').with_context(|| format!("not a recorded mail: {line}"))?;
            mails.entry(address.to_owned()).or_default().push(id.to_owned());
        }
        Ok(mails)
    }
}

impl Drop for SmtpServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Arguments of `wishbone serve` for a mail server on a local port.
pub(crate) fn arguments(port: u16) -> Vec<String> {
    let smtp = format!("smtp://127.0.0.1:{port}");
    ["--smtp", &smtp, "--mail-from", "alerts@shop.example", "--public-url", "http://localhost"]
        .map(str::to_owned)
        .to_vec()
}
