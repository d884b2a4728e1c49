//! A real SMTP server (aiosmtpd) in a separate process.

use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use super::process::until;

pub struct SmtpServer {
    child: Child,
    port: u16,
    file: PathBuf,
}

impl SmtpServer {
    pub fn start(folder: &Path) -> Self {
        Self::start_at(folder, 0, &[])
    }

    /// A server that requires authentication, and STARTTLS or, if `implicit`, TLS from the start.
    pub fn private(folder: &Path, [certificate, key]: [&Path; 2], user: &str, password: &str, implicit: bool) -> Self {
        let mut private = vec![certificate.to_str().unwrap(), key.to_str().unwrap(), user, password];
        private.extend(implicit.then_some("implicit"));
        Self::start_at(folder, 0, &private)
    }

    fn start_at(folder: &Path, port: u16, private: &[&str]) -> Self {
        let (script, file) = (folder.join("smtp.py"), folder.join("mails.jsonl"));
        fs::write(&script, include_str!("smtp.py")).unwrap();
        // Debian's Python, which has Debian's packages.
        let mut command = Command::new("/usr/bin/python3");
        command.arg(script).arg(&file).arg(port.to_string()).args(private);
        let log = File::create(folder.join("smtp.log")).unwrap();
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(log).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let port = line
            .trim()
            .parse()
            .expect("the SMTP server needs the package python3-aiosmtpd (./scripts/test installs it)");
        Self { child, port, file }
    }

    pub fn url(&self) -> String {
        format!("smtp://127.0.0.1:{}", self.port)
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    /// All received mails, in order.
    pub fn mails(&self) -> Vec<Value> {
        let text = fs::read_to_string(&self.file).unwrap_or_default();
        let whole = text.rsplit_once('\n').map_or("", |(whole, _)| whole);
        whole.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// Received mails to one address.
    pub fn to(&self, address: &str) -> Vec<Value> {
        self.mails().into_iter().filter(|mail| mail["to"][0] == address).collect()
    }

    #[track_caller]
    pub fn wait_for(&self, count: usize) -> Vec<Value> {
        until("the mails have arrived", || self.mails().len() >= count);
        self.mails()
    }

    /// Stops the server.
    pub fn stop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// Restarts the server on the same port.
    pub fn restart(&mut self) {
        let folder = self.file.parent().unwrap().to_owned();
        *self = Self::start_at(&folder, self.port, &[]);
    }
}

impl Drop for SmtpServer {
    fn drop(&mut self) {
        self.stop();
    }
}
