//! `wishbone store delete`

use std::cell::Cell;
use std::io::IsTerminal;
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use clap::Args;
use serde_json::json;
use wishbone_core::error::Error;
use wishbone_core::operator::Operator;
use wishbone_core::registry::store_rows;
use wishbone_core::stores::counts::CountStore;
use wishbone_core::stores::deletion::{self, BeginDeletion, FinishDeletion, StoreDeletion};
use wishbone_storage::{Database, ProgressReporter};

use crate::cli::hint::hint;
use crate::cli::output::{plural, print, print_error, shell_quoted};
use crate::cli::progress;
use crate::cli::store_arg::{FoundStore, StoreArg};
use crate::cli::store_output::counts;
use crate::environment::Environment;

#[derive(Args)]
pub(super) struct DeleteArgs {
    #[command(flatten)]
    store: StoreArg,
    /// Delete without asking for confirmation, if this is the store's name
    #[arg(long, value_name = "NAME")]
    confirm: Option<String>,
    /// Seconds from the beginning until the last look for rows: longer than any request takes that was in progress then.
    /// 0 if no server runs
    #[arg(long, value_name = "SECONDS", default_value_t = 20, value_parser = clap::value_parser!(u32).range(0..=3_600))]
    wait: u32,
}

const MAX_PAUSE: Duration = Duration::from_secs(1);

/// Rows that the first step in a table deletes, and any step at most.
const FIRST_ROWS: u32 = 16;
const MAX_ROWS: u32 = 500;
/// Steps become larger while they are shorter than this, and smaller when they are twice as long.
const STEP_TIME: Duration = Duration::from_millis(20);

/// A step of a deletion, of rows whose size is not known before.
#[derive(Clone, Copy, Debug)]
struct Step {
    table: &'static str,
    rows: u32,
    begun: Instant,
}

impl Step {
    fn next(self, table: &'static str, took: Duration) -> Self {
        let rows = match self.rows {
            _ if table != self.table => FIRST_ROWS,
            rows if took < STEP_TIME => (rows * 2).min(MAX_ROWS),
            rows if took > STEP_TIME * 2 => (rows / 2).max(1),
            rows => rows,
        };
        Self { table, rows, begun: Instant::now() }
    }
}

pub(super) async fn run(args: &DeleteArgs, database: &Database, json: bool) -> anyhow::Result<()> {
    let by = Operator::of_this_machine();
    let found = args.store.find_any(database).await?;
    args.ensure_confirmed(database, &found).await?;
    let deletion = match found {
        FoundStore::Deleting(deletion) => deletion,
        FoundStore::Store(store) => {
            database.write(BeginDeletion { by, store: *store, now: Environment::Real.now() }).await?
        }
    };
    let rows = delete(database, by, &deletion, args.wait.into(), &progress::show()).await;
    let StoreDeletion { pid, name, .. } = deletion;
    let rows = rows.with_context(|| {
        let next = hint(format_args!("store delete {pid}"));
        format!("the deletion has begun and is not finished: run `{next}` to go on")
    })?;
    print(&if json {
        json!({ "pid": pid, "name": name, "deleted": true, "rows": rows }).to_string()
    } else {
        format!(
            "Deleted {name} with {}.\nOlder backups still contain the data, and so may mails in the folder outbox.",
            plural(rows, "row")
        )
    });
    Ok(())
}

/// Deletes what the store has, waits for requests that were in progress when the deletion began, and deletes what they have
/// written. Returns the number of rows.
async fn delete(
    database: &Database,
    by: Operator,
    deletion: &StoreDeletion,
    wait: i64,
    progress: &ProgressReporter,
) -> anyhow::Result<u64> {
    let step = Cell::new(Step { table: "", rows: 0, begun: Instant::now() });
    // Pauses for as long as the step took, so that servers get to write.
    let pause = async |table: &'static str, rows: u64| {
        progress.report(&format!("deleting {table}"), rows, 0)?;
        let last = step.get();
        let took = last.begun.elapsed();
        tokio::time::sleep(took.min(MAX_PAUSE)).await;
        let next = last.next(table, took);
        step.set(next);
        Ok::<_, Error>(next.rows)
    };
    let mut total = deletion::delete_rows(database, deletion, store_rows(), &pause).await?;
    // The beginning is in the future if the clock of this machine is behind.
    let elapsed = (Environment::Real.now() - deletion.since) / 1_000;
    for _ in 0..(wait - elapsed).clamp(0, wait) {
        progress.report("waiting for requests in progress", 0, 0)?;
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    loop {
        let deleted = deletion::delete_rows(database, deletion, store_rows(), &pause).await?;
        total += deleted;
        if deleted == 0 {
            break;
        }
    }
    let scrubbed = database.purge_deleted().await?;
    ensure!(scrubbed, "all rows are deleted, but the files could not be scrubbed during a long read");
    database.write(FinishDeletion { by, deletion: deletion.clone() }).await?;
    Ok(total)
}

impl DeleteArgs {
    /// Fails unless the operator has given the store's name, as an option or when asked.
    async fn ensure_confirmed(&self, database: &Database, found: &FoundStore) -> anyhow::Result<()> {
        let (pid, name) = found.names();
        if let Some(given) = &self.confirm {
            ensure!(given.trim() == name, "--confirm must be the store's name, {name}: nothing was deleted");
            return Ok(());
        }
        ensure!(
            std::io::stdin().is_terminal(),
            "deleting a store cannot be undone: add --confirm {} to confirm",
            shell_quoted(name)
        );
        let what = match found {
            FoundStore::Store(store) => {
                let by = Operator::of_this_machine();
                counts(&database.read(CountStore { by, store_id: store.store_id }).await?)
            }
            FoundStore::Deleting(_) => "the rest of what it had".to_owned(),
        };
        print_error(&format!(
            "Delete the store {name} ({pid}) with {what}? This cannot be undone. Type its name to confirm:"
        ));
        let mut line = String::new();
        std::io::stdin().read_line(&mut line)?;
        ensure!(line.trim() == name, "the name does not match; nothing was deleted");
        Ok(())
    }
}
