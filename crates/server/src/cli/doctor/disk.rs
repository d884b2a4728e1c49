//! Free space, the limit on open files, and who can read the data folder.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use rustix::fs::{Access, access, statvfs};

use crate::app::Limits;
use crate::cli::doctor::finding::Finding;
use crate::cli::secret;

const CHECK: &str = "disk";
/// Free space below which writes are about to fail, and below which somebody should look.
const TOO_LITTLE: u64 = 128 << 20;
const LITTLE: u64 = 1 << 30;

pub(super) fn check(data: &Path) -> Vec<Finding> {
    let shown = data.display();
    let metadata = match data.metadata() {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            let fact = format!("the data folder {shown} does not exist");
            return vec![Finding::warning(CHECK, fact, "check --data, or run `wishbone serve`, which creates it")];
        }
        Err(error) => {
            let remedy = "check --data, and run this as the server's user";
            return vec![Finding::error(CHECK, format!("cannot read the data folder {shown} ({error})"), remedy)];
        }
    };
    let mut findings = Vec::new();
    if !metadata.is_dir() {
        return vec![Finding::error(CHECK, format!("{shown} is not a folder"), "choose a folder with --data")];
    }
    if access(data, Access::WRITE_OK | Access::EXEC_OK).is_err() {
        let remedy = format!("give {shown} to the server's user (chown), or run this as that user");
        findings.push(Finding::error(CHECK, format!("this user cannot write to the data folder {shown}"), remedy));
    }
    if metadata.permissions().mode() & 0o077 != 0 {
        let fact = format!("other users can look into the data folder {shown}");
        findings.push(Finding::warning(CHECK, fact, format!("run `chmod 700 {shown}`")));
    }
    let key = data.join(secret::FILE);
    if key.metadata().is_ok_and(|found| found.permissions().mode() & 0o077 != 0) {
        let fact = format!("other users can read {}, and servers refuse to start", key.display());
        findings.push(Finding::error(CHECK, fact, format!("run `chmod 600 {}`", key.display())));
    }
    match statvfs(data) {
        Ok(disk) => findings.push(check_space(data, disk.f_bavail.saturating_mul(disk.f_frsize))),
        Err(error) => findings.push(Finding::warning(CHECK, format!("cannot tell the free space ({error})"), "run df")),
    }
    findings
}

/// The space left for the data folder, or for the outbox if the database is elsewhere.
fn check_space(data: &Path, free: u64) -> Finding {
    let fact = format!("{} MiB free for {}", free >> 20, data.display());
    match free {
        ..TOO_LITTLE => Finding::error(CHECK, fact, "free disk space: writes fail without it"),
        TOO_LITTLE..LITTLE => Finding::warning(CHECK, fact, "free disk space"),
        _ => Finding::ok(CHECK, fact),
    }
}

/// Compares the limit on open files with the number of connections.
pub(super) fn check_files(limits: &Limits) -> Finding {
    const CHECK: &str = "open files";
    let (connections, usual) = (limits.connections, Limits::default().connections);
    let fact = format!("room for {connections} client connections");
    if !limits.is_cut_short {
        return Finding::ok(CHECK, fact);
    }
    let remedy = "raise the hard limit on open files (ulimit -Hn; systemd: LimitNOFILE=, which counts for the service instead \
                  of the limit of this shell), or set --max-connections";
    Finding::warning(CHECK, format!("{fact} instead of {usual}"), remedy)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::doctor::finding::Status;

    #[test]
    fn little_free_space_is_a_warning_and_too_little_an_error() {
        let status = |free| check_space(Path::new("."), free).status;
        assert_eq!(status(TOO_LITTLE - 1), Status::Error);
        assert_eq!(status(LITTLE - 1), Status::Warning);
        assert_eq!(status(LITTLE), Status::Ok);
    }
}
