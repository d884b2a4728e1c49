//! The clock of this machine, against that of the database.

use std::path::Path;
use std::time::UNIX_EPOCH;

use wishbone_core::moment::{Millis, iso8601};
use wishbone_storage::ServerDiagnosis;

use crate::cli::doctor::finding::Finding;

const CHECK: &str = "clock";
/// When this was written. A clock that shows less has lost its battery.
const EARLIEST: Millis = 1_767_225_600_000;
/// Differences below are due to the way to the server and back.
const NOTABLE: Millis = 2_000;
/// Claims of jobs and tokens are valid for as little as a minute.
const HARMFUL: Millis = 30_000;
const REMEDY: &str = "synchronize the clocks of all machines (timedatectl set-ntp true, or chrony)";

pub(super) fn check(now: Millis, servers: &[ServerDiagnosis], file: Option<&Path>) -> Finding {
    if now < EARLIEST {
        return Finding::error(CHECK, format!("this machine's clock shows {}", iso8601(now)), REMEDY);
    }
    let clocks = servers.iter().filter_map(|server| {
        let postgres = server.state.as_ref().ok()?.postgres.as_ref()?;
        let ago = Millis::try_from(postgres.clock_read_at.elapsed().as_millis()).unwrap_or(Millis::MAX);
        Some((server.name.as_str(), postgres.clock - now.saturating_sub(ago)))
    });
    if let Some((name, difference)) = clocks.max_by_key(|(_, difference)| difference.abs()) {
        let seconds = difference.abs() as f64 / 1_000.0;
        let fact = format!("the clock of {name} differs from this machine's by {seconds:.1} seconds");
        return match difference.abs() {
            ..NOTABLE => Finding::ok(CHECK, fact),
            NOTABLE..HARMFUL => Finding::warning(CHECK, fact, REMEDY),
            _ => Finding::error(CHECK, fact, REMEDY),
        };
    }
    let written = file.and_then(|file| file.metadata().ok()?.modified().ok()?.duration_since(UNIX_EPOCH).ok());
    let written = written.and_then(|written| Millis::try_from(written.as_millis()).ok());
    match written {
        Some(written) if written > now + HARMFUL => {
            let fact = format!(
                "this machine's clock shows {}, and the database was written at {}",
                iso8601(now),
                iso8601(written)
            );
            Finding::error(CHECK, fact, REMEDY)
        }
        _ => Finding::ok(CHECK, format!("this machine's clock shows {}", iso8601(now))),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use wishbone_storage::{PostgresState, ServerState};

    use super::*;
    use crate::cli::doctor::finding::Status;

    fn server(clock: Millis) -> ServerDiagnosis {
        let postgres = PostgresState {
            version_number: 170_000,
            clock,
            clock_read_at: Instant::now(),
            max_connections: 100,
            other_connections: 0,
            fsync: true,
            full_page_writes: true,
            synchronous_commit: "on".to_owned(),
            synchronous_standbys: false,
        };
        let state = ServerState {
            engine: "PostgreSQL",
            version: "17".to_owned(),
            schema: 1,
            newest_schema: 1,
            is_standby: false,
            write_problem: None,
            postgres: Some(postgres),
        };
        ServerDiagnosis { name: "db".to_owned(), state: Ok(state) }
    }

    #[test]
    fn the_clock_that_differs_most_counts() {
        let now = EARLIEST + 1;
        let status = |clocks: &[Millis]| {
            check(now, &clocks.iter().map(|clock| server(now + clock)).collect::<Vec<_>>(), None).status
        };
        assert_eq!(status(&[1_000, -1_000]), Status::Ok);
        assert_eq!(status(&[0, -10_000]), Status::Warning);
        assert_eq!(status(&[60_000, 0]), Status::Error);
        assert_eq!(check(EARLIEST - 1, &[], None).status, Status::Error);
    }
}
