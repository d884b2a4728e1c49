//! The SQLite baseline: a loop that inserts the same rows into the same tables and indexes, with the group size and
//! durability of the server, but without HTTP, authentication and validation.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use rusqlite::backup::Progress;
use rusqlite::{Connection, params};
use serde_json::{Value, json};

use super::dataset;
use super::procfs::Cores;
use super::rng::Rng;

/// Copies the database, so that the server is not affected.
pub(crate) fn copy(database: &Path, folder: &Path) -> anyhow::Result<PathBuf> {
    let copy = folder.join("raw.db");
    Connection::open(database)?.backup(rusqlite::MAIN_DB, &copy, None::<fn(Progress)>)?;
    Ok(copy)
}

/// Measures adds per second in a separate process on the server's core.
pub(crate) fn measure(database: &Path, cores: Cores, group: usize, seconds: f64, seed: u64) -> anyhow::Result<f64> {
    let mut command = Command::new(std::env::current_exe()?);
    command.arg("raw-adds").arg(database);
    command.args([group.to_string(), seconds.to_string(), seed.to_string()]);
    let output = cores.pinned(&command).output()?;
    ensure!(output.status.success(), "raw SQLite failed: {}", String::from_utf8_lossy(&output.stderr));
    let output: Value = serde_json::from_slice(&output.stdout)?;
    output["per_second"].as_f64().context("the output has no result")
}

/// The main function of that process.
pub(crate) fn run(database: &Path, group: usize, seconds: f64, seed: u64) -> anyhow::Result<()> {
    let connection = Connection::open(database)?;
    connection.busy_timeout(Duration::from_secs(5))?;
    // The settings of the server's writer.
    connection.execute_batch(
        "pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on; pragma secure_delete = on;
         pragma cache_size = -16384; pragma journal_size_limit = 67108864;",
    )?;
    // Short lists.
    let lists: Vec<(i64, Vec<u8>)> = connection
        .prepare("select store_id, list_id from lists order by item_count limit (select 1 + count(*) / 4 from lists)")?
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<rusqlite::Result<_>>()?;
    let mut update_list = connection.prepare(
        "update lists set version = version + 1, updated_at = max(updated_at + 1, ?1), item_count = item_count + 1,
                          next_seq = next_seq + 1
         where store_id = ?2 and list_id = ?3 returning next_seq - 1, updated_at",
    )?;
    let mut insert = connection.prepare(
        "insert into items (store_id, list_id, added_at, seq, members, variant_id, product_id, device)
         values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
    )?;
    let mut add_wish = connection.prepare(
        "insert into wishes (store_id, wisher, product_id, person, items)
         select store_id, wished_by, ?1, shopper_id, 1 from lists where store_id = ?2 and list_id = ?3 and wished_by is not null
         on conflict (store_id, wisher, product_id) do update set items = wishes.items + 1",
    )?;
    let mut rng = Rng::new(seed);
    let now = i64::try_from(std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH)?.as_millis())?;
    let device = format!("{}-API", uuid::Uuid::from_bytes(rng.uuid()));
    let (mut added, mut counted, mut began) = (0_u64, None, Instant::now());
    let warm_up = Duration::from_secs_f64(seconds / 5.0);
    loop {
        // The warm-up is over.
        if counted.is_none() && began.elapsed() >= warm_up {
            (counted, began) = (Some(added), Instant::now());
        }
        if counted.is_some() && began.elapsed().as_secs_f64() >= seconds {
            break;
        }
        connection.execute_batch("begin immediate")?;
        for _ in 0..group {
            let (store_id, list_id) = rng.pick(&lists);
            let (seq, at): (i64, i64) =
                update_list.query_row(params![now, store_id, list_id], |row| Ok((row.get(0)?, row.get(1)?)))?;
            // Not in any catalogue, and practically unique.
            let variant = dataset::variant(1_000_000 + rng.below(1 << 40));
            let (id, product) = (uuid::Uuid::from_bytes(rng.uuid()), dataset::product(variant));
            let members = format!(
                r#""id":"{id}","epi":{variant},"empi":{product},"du":"{}","qty":1,"cprops":{{}},"clbls":[],"cts":{at},"uts":{at}"#,
                dataset::url(0, variant)
            );
            insert.execute(params![store_id, list_id, at, seq, members, variant, product, device])?;
            add_wish.execute(params![product, store_id, list_id])?;
        }
        connection.execute_batch("commit")?;
        added += group as u64;
    }
    let per_second = (added - counted.unwrap_or(0)) as f64 / began.elapsed().as_secs_f64();
    println!("{}", json!({ "per_second": per_second }));
    Ok(())
}
