//! Reverse proxies in front of several nodes, configured by the example files of `deploy/`.

use std::fs::{self, File};
use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, bail, ensure};
use clap::ValueEnum;
use fastrand::Rng;
use rustix::process::{Pid, Signal, kill_process};

use crate::http::client::Client;

const TIMEOUT: Duration = Duration::from_secs(20);
/// The addresses of the nodes in the example files.
const NODES: [&str; 3] = ["10.0.0.11:8080", "10.0.0.12:8080", "10.0.0.13:8080"];

/// A reverse proxy of Debian's packages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReverseProxy {
    Nginx,
    Caddy,
    Haproxy,
}

impl ReverseProxy {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Nginx => "nginx",
            Self::Caddy => "caddy",
            Self::Haproxy => "haproxy",
        }
    }

    fn program(self) -> Option<PathBuf> {
        let folders = ["/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin"];
        folders.iter().map(|folder| Path::new(folder).join(self.name())).find(|path| path.exists())
    }

    pub(crate) fn is_installed(self) -> bool {
        self.program().is_some()
    }

    /// The example file for this machine: with these addresses, without TLS, and without files outside of `folder`.
    fn configuration(self, listen: SocketAddr, nodes: [SocketAddr; 3], folder: &Path) -> anyhow::Result<String> {
        let folder = folder.display();
        let (example, changes, removed): (_, &[(&str, String)], &[&str]) = match self {
            Self::Nginx => (
                include_str!("../../../../deploy/nginx.conf"),
                &[
                    ("listen 80;", format!("listen unix:{folder}/redirect.sock;")),
                    ("listen 443 ssl http2;", format!("listen {listen};")),
                    (
                        "http {",
                        format!(
                            "http {{ access_log off; client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; \
                             fastcgi_temp_path {folder}/f; uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s;"
                        ),
                    ),
                ],
                &["ssl_certificate ", "ssl_certificate_key "],
            ),
            Self::Caddy => (
                include_str!("../../../../deploy/Caddyfile.nodes"),
                &[(
                    "lists.example.com {",
                    format!(
                        "{{\n\tadmin off\n\tauto_https off\n}}\n\nhttp://:{} {{\n\tbind {}",
                        listen.port(),
                        listen.ip()
                    ),
                )],
                &[],
            ),
            Self::Haproxy => (
                include_str!("../../../../deploy/haproxy.cfg"),
                &[("bind :80", format!("bind {listen}"))],
                &["bind :443 ssl ", "http-request redirect scheme https "],
            ),
        };
        let mut text = example.to_owned();
        let nodes = NODES.into_iter().zip(nodes.map(|node| node.to_string()));
        for (from, to) in changes.iter().map(|(from, to)| (*from, to.clone())).chain(nodes) {
            ensure!(text.contains(from), "the example file for {} has no '{from}'", self.name());
            text = text.replace(from, &to);
        }
        for start in removed {
            let kept = text.lines().filter(|line| !line.trim_start().starts_with(start)).collect::<Vec<_>>().join("\n");
            ensure!(kept.len() + 1 < text.len(), "the example file for {} has no '{start}'", self.name());
            text = kept + "\n";
        }
        Ok(text)
    }

    /// Starts the proxy and waits until it forwards requests.
    pub(crate) fn start(self, folder: &Path, port: u16, nodes: [SocketAddr; 3]) -> anyhow::Result<RunningReverseProxy> {
        let name = self.name();
        let program = self.program().with_context(|| format!("{name} is not installed: {INSTALL}"))?;
        fs::create_dir_all(folder)?;
        let address = SocketAddr::from(([127, 0, 0, 1], port));
        let (file, log) = (folder.join("configuration"), folder.join("log"));
        fs::write(&file, self.configuration(address, nodes, folder)?)?;
        let mut command = Command::new(program);
        match self {
            Self::Nginx => {
                let global = format!("daemon off; pid {};", folder.join("pid").display());
                command.arg("-e").arg(&log).arg("-p").arg(folder).arg("-c").arg(file).args(["-g", &global])
            }
            Self::Caddy => command.args(["run", "--adapter", "caddyfile", "--config"]).arg(file),
            Self::Haproxy => command.args(["-db", "-f"]).arg(file),
        };
        command.env_clear().env("HOME", folder).current_dir(folder).stdin(Stdio::null());
        let output = File::options().create(true).append(true).open(&log)?;
        let child = command.stdout(output.try_clone()?).stderr(output).spawn()?;
        let mut proxy = RunningReverseProxy { child, address };
        let began = Instant::now();
        while !is_ready(address) {
            if let Some(status) = proxy.child.try_wait()? {
                bail!("{name} ended with {status}: {}", fs::read_to_string(&log).unwrap_or_default());
            }
            ensure!(began.elapsed() < TIMEOUT, "{name} is not ready after {TIMEOUT:?}: see {}", log.display());
            std::thread::sleep(Duration::from_millis(20));
        }
        Ok(proxy)
    }
}

pub(crate) const INSTALL: &str = "run `apt-get install nginx-light caddy haproxy`";

fn is_ready(address: SocketAddr) -> bool {
    let request = b"GET /readyz HTTP/1.1\r\nhost: localhost\r\n\r\n";
    let response = Client::connect(address).and_then(|mut client| client.send(request));
    response.is_ok_and(|(_, head)| head.status == 200)
}

/// A running proxy, stopped when dropped.
pub(crate) struct RunningReverseProxy {
    child: Child,
    pub(crate) address: SocketAddr,
}

impl Drop for RunningReverseProxy {
    fn drop(&mut self) {
        // Not SIGKILL: it would leave the worker processes of nginx behind.
        let _ = kill_process(Pid::from_child(&self.child), Signal::TERM);
        let began = Instant::now();
        while began.elapsed() < TIMEOUT && matches!(self.child.try_wait(), Ok(None)) {
            std::thread::sleep(Duration::from_millis(5));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A free port below those that the kernel gives to outgoing connections, so that no connection takes it while its
/// server restarts.
pub(crate) fn stable_port(rng: &mut Rng) -> anyhow::Result<u16> {
    let port = (0..100).map(|_| rng.u16(20_000..32_000)).find(|port| TcpListener::bind(("127.0.0.1", *port)).is_ok());
    port.context("there is no free port from 20000 to 32000")
}
