//! The database, or each server of it.

use wishbone_storage::{PostgresState, ServerDiagnosis, ServerState};

use crate::cli::doctor::finding::Finding;

const CHECK: &str = "database";
/// The oldest PostgreSQL that its developers still support is 14 (until November 2026).
const OLDEST_SUPPORTED: i64 = 140_000;

/// True if a server has the schema of this program, so that opening the database changes nothing.
pub(super) fn is_current(servers: &[ServerDiagnosis]) -> bool {
    let mut states = servers.iter().flat_map(|server| &server.state);
    states.any(|state| !state.is_standby && state.schema == state.newest_schema)
}

pub(super) fn check(servers: &[ServerDiagnosis], pool_size: usize) -> Vec<Finding> {
    let mut findings = Vec::new();
    for ServerDiagnosis { name, state } in servers {
        match state {
            Ok(state) => findings.extend(check_server(name, state, pool_size)),
            Err(problem) => findings.push(unreachable(name, problem, servers.len())),
        }
    }
    let has_primary = servers.iter().flat_map(|server| &server.state).any(|state| !state.is_standby);
    let has_standby = servers.iter().flat_map(|server| &server.state).any(|state| state.is_standby);
    if has_standby && !has_primary {
        let remedy = "name the primary in --database (WISHBONE_DATABASE_URL), or promote a standby";
        findings.push(Finding::error(CHECK, "all servers that answer are standbys, which accept no writes", remedy));
    }
    findings
}

fn unreachable(name: &str, problem: &str, servers: usize) -> Finding {
    let fact = format!("{name} cannot be used ({problem})");
    let remedy =
        "check --data or --database (WISHBONE_DATABASE_URL), that the server runs, and that this user may connect";
    // The others carry on.
    if servers > 1 { Finding::warning(CHECK, fact, remedy) } else { Finding::error(CHECK, fact, remedy) }
}

fn check_server(name: &str, state: &ServerState, pool_size: usize) -> Vec<Finding> {
    let ServerState { engine, version, schema, newest_schema, .. } = state;
    let role = if state.is_standby { "standby" } else { "writable" };
    let mut findings = Vec::new();
    if let Some(problem) = &state.write_problem {
        let remedy = "give the server's user the right to write";
        findings.push(Finding::error(CHECK, format!("{name} accepts no writes ({problem})"), remedy));
    }
    if schema > newest_schema {
        let fact = format!("{name} has schema {schema}, and this program knows {newest_schema}");
        findings.push(Finding::error(CHECK, fact, "run the newer Wishbone that wrote it"));
    } else if schema < newest_schema && !state.is_standby {
        let fact = format!("{name} has schema {schema}, and this program needs {newest_schema}");
        findings.push(Finding::warning(CHECK, fact, "`wishbone serve` updates it: run `wishbone backup` first"));
    }
    if let Some(postgres) = &state.postgres {
        findings.extend(check_postgres(name, postgres, pool_size));
    }
    if findings.is_empty() {
        findings.push(Finding::ok(CHECK, format!("{engine} {version} at {name}: {role}, schema {schema}")));
    }
    findings
}

fn check_postgres(name: &str, state: &PostgresState, pool_size: usize) -> Vec<Finding> {
    let mut findings = Vec::new();
    if state.version_number < OLDEST_SUPPORTED {
        let major = state.version_number / 10_000;
        let fact = format!("{name} runs PostgreSQL {major}, which gets no security fixes");
        findings.push(Finding::warning(CHECK, fact, "update it to 14 or newer"));
    }
    if !state.fsync {
        let remedy = "set fsync = on in postgresql.conf";
        findings.push(Finding::error(CHECK, format!("{name} has fsync off: a crash can destroy all data"), remedy));
    }
    if !state.full_page_writes {
        let remedy = "set full_page_writes = on, unless the file system never tears a page";
        findings.push(Finding::warning(CHECK, format!("{name} has full_page_writes off"), remedy));
    }
    if state.synchronous_commit == "off" {
        let fact = format!("{name} has synchronous_commit off: a crash loses acknowledged writes");
        findings.push(Finding::error(CHECK, fact, "set synchronous_commit = on for this database and user"));
    } else if state.synchronous_commit == "local" && state.synchronous_standbys {
        let fact = format!("{name} has synchronous_commit = local: a fail-over loses acknowledged writes");
        findings.push(Finding::warning(CHECK, fact, "set synchronous_commit = on for this database and user"));
    }
    let (pool, room) = (pool_size as i64, state.max_connections);
    if pool > room {
        let fact = format!("--pool-size is {pool}, and {name} has room for {room} connections");
        findings.push(Finding::error(CHECK, fact, "lower --pool-size, or raise max_connections in postgresql.conf"));
    } else if pool + state.other_connections > room {
        let fact = format!("--pool-size is {pool}, and other programs have {} of {room}", state.other_connections);
        let remedy = format!("lower --pool-size, or raise max_connections of {name}");
        findings.push(Finding::warning(CHECK, fact, remedy));
    }
    findings
}
