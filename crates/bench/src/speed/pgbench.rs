//! The PostgreSQL baseline: pgbench runs the selects of a page, without HTTP and without encoding a response. It has as
//! many connections as the server, on the same core.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};

use super::operations::Kind;
use super::procfs::Cores;
use super::rng::Rng;
use super::system::{POSTGRES_CONNECTIONS, SeededSystem};
use super::targets::ListTarget;
use crate::processes::postgres::Cluster;

/// The number of pages in a row of the parameter table. pgbench cannot generate text parameters, so it selects a random
/// row of a table instead: one small statement in sixteen. More pages would mean more statements to prepare and plan
/// per connection.
const PAGES: usize = 5;
const ROWS: usize = 8_000;
const TABLE: &str = "bench_pages";

pub(crate) struct Pgbench {
    script: PathBuf,
}

impl Pgbench {
    /// `None` for operations without this baseline.
    pub(crate) fn prepare(seeded: &SeededSystem, kind: Kind, run: &Path) -> anyhow::Result<Option<Self>> {
        let (Some(cluster), Kind::PageRandom) = (&seeded.system.cluster, kind) else {
            return Ok(None);
        };
        create_table(seeded, cluster, kind)?;
        let script = run.join(format!("{kind:?}.pgbench"));
        fs::write(&script, text(kind)?)?;
        Ok(Some(Self { script }))
    }

    /// Returns the number of pages per second.
    pub(crate) fn run(&self, cluster: &Cluster, cores: Cores, seconds: f64) -> anyhow::Result<f64> {
        let mut command = cluster.program("pgbench")?;
        // One second more, for connecting, preparing and planning; it is not counted.
        let (clients, seconds) = (POSTGRES_CONNECTIONS.to_string(), (1 + (seconds.ceil() as u64).max(1)).to_string());
        command.args(["--no-vacuum", "--protocol=prepared", "--jobs=1", "--progress=1"]);
        command
            .args(["--client", &clients, "--time", &seconds, "--file"])
            .arg(&self.script)
            .arg(cluster.url("wishbone"));
        let output = cores.pinned(&command).output()?;
        let log = String::from_utf8(output.stderr)?;
        ensure!(output.status.success(), "pgbench failed: {log}");
        let transactions = transactions(&log).with_context(|| format!("pgbench reported no progress: {log}"))?;
        Ok(transactions * PAGES as f64)
    }
}

/// The mean of transactions per second, without the first second: `progress: 2.0 s, 312.9 tps, lat …`
fn transactions(log: &str) -> Option<f64> {
    let lines = log.lines().filter_map(|line| line.strip_prefix("progress: ")?.split(", ").nth(1)?.split(' ').next());
    let seconds: Vec<f64> = lines.skip(1).filter_map(|number| number.parse().ok()).collect();
    (!seconds.is_empty()).then(|| seconds.iter().sum::<f64>() / seconds.len() as f64)
}

fn name(kind: Kind) -> String {
    format!("{TABLE}_{kind:?}").to_lowercase()
}

fn create_table(seeded: &SeededSystem, cluster: &Cluster, kind: Kind) -> anyhow::Result<()> {
    let targets = &seeded.targets;
    let columns = (1..=PAGES).map(|i| format!("pid{i} text, shopper{i} bytea, store{i} bigint, list{i} bytea"));
    let columns: Vec<String> = columns.collect();
    let name = name(kind);
    let mut sql = format!("create table {name} (n bigint primary key, {});\n", columns.join(", "));
    let mut rng = Rng::new(7);
    for chunk in (1..=ROWS).collect::<Vec<_>>().chunks(100) {
        let rows = chunk.iter().map(|n| {
            let mut row = format!("({n}");
            for _ in 0..PAGES {
                let ListTarget { shopper, id } = rng.pick(&targets.paged);
                let shopper = &targets.shoppers[*shopper];
                let store = &targets.stores[shopper.store];
                let pid = percent_encoding::percent_decode_str(&store.pid).decode_utf8_lossy();
                let _ = write!(row, ", '{pid}', '\\x{}', {}, '\\x{}'", hex(&shopper.id), store.id, hex(id));
            }
            row + ")"
        });
        let rows: Vec<String> = rows.collect();
        let _ = writeln!(sql, "insert into {name} values {};", rows.join(", "));
        cluster.sql("wishbone", &sql)?;
        sql.clear();
    }
    cluster.sql("wishbone", &format!("vacuum analyze {name}"))?;
    Ok(())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The script: the server's statements for a page, with variables as arguments.
fn text(kind: Kind) -> anyhow::Result<String> {
    let statements = wishbone_core::registry::statements();
    let find = |name: &str| {
        let found = statements.iter().find(|(known, _)| known == name).map(|(_, sql)| sql.text());
        found.with_context(|| format!("there is no statement {name}: update speed/pgbench.rs"))
    };
    let mut out =
        format!("\\set n random(1, {ROWS})\n\\set everything -1\n\\set newest 9223372036854775807\n\\set limit 51\n");
    let _ = writeln!(out, "select * from {} where n = :n \\gset", name(kind));
    for i in 1..=PAGES {
        let [pid, shopper, store, list] = ["pid", "shopper", "store", "list"].map(|name| format!(":{name}{i}"));
        let calls: [(&str, &[&str]); 4] = [
            ("stores::record::FIND", &[&pid]),
            ("identity::profile::BY_ID", &[&store, &shopper]),
            ("lists::row::FIND", &[&store, &list]),
            ("items::page::NEWEST_FIRST", &[&store, &list, ":everything", ":newest", ":newest", ":limit"]),
        ];
        for (name, arguments) in calls {
            let _ = writeln!(out, "{};", bind(find(name)?, arguments));
        }
    }
    Ok(out)
}

fn bind(sql: &str, arguments: &[&str]) -> String {
    // In descending order, so that $1 does not match $10.
    let numbered = arguments.iter().enumerate().rev();
    numbered.fold(sql.to_owned(), |sql, (i, argument)| sql.replace(&format!("${}", i + 1), argument))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_become_variables() {
        let arguments: Vec<String> = (1..=10).map(|i| format!(":v{i}")).collect();
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        assert_eq!(bind("a = $1 and b = $10 or c = $1", &arguments), "a = :v1 and b = :v10 or c = :v1");
    }

    #[test]
    fn the_first_second_is_not_counted() {
        let log = "pgbench (17)\nprogress: 1.0 s, 5.0 tps, lat 1.0 ms\nprogress: 2.0 s, 100.0 tps, lat 1 ms\n\
                    progress: 3.0 s, 300.0 tps, lat 1 ms stddev 2";
        assert_eq!(transactions(log), Some(200.0));
        assert_eq!(transactions("progress: 1.0 s, 5.0 tps, lat 1.0 ms"), None);
    }

    #[test]
    fn the_statements_of_a_page_exist_and_all_their_parameters_are_bound() {
        let script = text(Kind::PageRandom).unwrap();
        assert!(script.contains("from items") && !script.contains('$'), "{script}");
    }
}
