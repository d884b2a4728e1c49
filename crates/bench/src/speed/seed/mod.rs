//! Filling a database. Stores, the catalogue and one list with every kind of item are made through the API; then
//! the rows of that list, its shopper and its items are copied as they were written, with other ids, times and products.

mod postgres;
mod sqlite;
mod table;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use rustix::process::Signal;
use serde_json::{Value, json};

use super::client::{Client, FORM, encoded, post};
use super::progress::{Progress, thousands};
use super::shape::{self, Shape, StoreShape};
use super::subject::Engine as Kind;
use crate::parts::postgres::Cluster;
use crate::parts::server::Place;
use table::{Cell, Table};

/// In the address of the product of every copied item, to be replaced by its own.
const TEMPLATE_URL: &str = "https://template.example/";

const MOST_TO_CHECK: u64 = 1_000_000;

/// Where the copies go, in bulk.
trait Bulk {
    fn table(&mut self, name: &str) -> anyhow::Result<Table>;
    /// Ids of stores by their pids.
    fn store_id(&mut self, pid: &str) -> anyhow::Result<i64>;
    fn begin(&mut self) -> anyhow::Result<()>;
    fn load(&mut self, table: &Table, rows: &mut dyn Iterator<Item = Vec<Cell>>) -> anyhow::Result<()>;
    /// Indexes again, and whatever the engine needs for good plans.
    fn finish(&mut self) -> anyhow::Result<()>;
}

/// The folder of a seeded database, which is made when it is not there: `data` for the server and, on PostgreSQL,
/// `cluster`.
pub(crate) fn seeded(root: &Path, engine: Kind, shape: &Shape) -> anyhow::Result<PathBuf> {
    let size = format!("{}-{}-", engine.name(), shape.items);
    let kept = root.join(format!("{size}{}", shape.fingerprint()));
    if kept.exists() {
        return Ok(kept);
    }
    // They are large, and nobody comes back for those of another schema.
    for entry in fs::read_dir(root)?.flatten().filter(|entry| entry.file_name().to_string_lossy().starts_with(&size)) {
        fs::remove_dir_all(entry.path())?;
    }
    eprintln!(
        "Seeding {} with {} items on {} lists (once; kept in {}) …",
        engine.name(),
        thousands(shape.item_count()),
        thousands(shape.list_count() as u64),
        kept.display()
    );
    let draft = root.join(format!("draft-{}", std::process::id()));
    let _ = fs::remove_dir_all(&draft);
    fs::create_dir_all(&draft)?;
    let made = match engine {
        Kind::Sqlite => make_sqlite(&draft, shape),
        Kind::Postgres => make_postgres(&draft, shape),
    };
    made.and_then(|()| Ok(fs::rename(&draft, &kept)?)).inspect_err(|_| {
        let _ = fs::remove_dir_all(&draft);
    })?;
    Ok(kept)
}

fn make_sqlite(draft: &Path, shape: &Shape) -> anyhow::Result<()> {
    let place = Place { data: draft.join("data"), database: None };
    through_the_api(&place, shape)?;
    let mut bulk = sqlite::SqliteBulk::open(&place.data.join("wishbone.db"))?;
    let store_ids = copy_rows(&mut bulk, shape)?;
    drop(bulk);
    note_store_ids(draft, &store_ids)?;
    check(&place, shape)
}

fn make_postgres(draft: &Path, shape: &Shape) -> anyhow::Result<()> {
    let settings = ["fsync=off", "maintenance_work_mem=1GB", "max_wal_size=8GB", "shared_buffers=512MB"];
    let mut cluster = Cluster::create(&draft.join("making"), &settings)?;
    cluster.sql("postgres", "create database wishbone")?;
    let place = Place { data: draft.join("data"), database: Some(cluster.url("wishbone")) };
    through_the_api(&place, shape)?;
    let store_ids = copy_rows(&mut postgres::PostgresBulk::new(&cluster), shape)?;
    note_store_ids(draft, &store_ids)?;
    check(&place, shape)?;
    cluster.stop(Signal::INT)?;
    // The switch of fsync is only the server's; the files are complete on disk before they are used.
    let status = std::process::Command::new("sync").status()?;
    ensure!(status.success(), "sync failed");
    fs::rename(cluster.data(), draft.join("cluster"))?;
    Ok(())
}

/// Stores, catalogues, and the rows that are copied.
fn through_the_api(place: &Place, shape: &Shape) -> anyhow::Result<()> {
    let mut keys = Vec::new();
    for store in &shape.stores {
        let name = format!("Shop {}", store.number);
        let made = place.json(&["store", "create", "--name", &name, "--pid", &store.pid])?;
        keys.push(made["apikey"].as_str().context("a new store has a key")?.to_owned());
        // All load comes from one address, and some of it from few shoppers.
        let rates = ["--rate-limit", "100000/s", "--address-rate-limit", "100000/s"];
        place.json(&[&["store", "set", &store.pid], &rates[..]].concat())?;
    }
    let server = place.serve(0, &["--log", "warn", "--drain-grace", "0"], None)?;
    let mut client = Client::connect(server.address)?;
    let mut progress = Progress::new("catalogue", shape.stores.iter().map(|store| store.variants).sum());
    for (store, key) in shape.stores.iter().zip(&keys) {
        let authorization = format!("Basic {}", STANDARD.encode(format!("{}:{key}", store.pid)));
        let numbers: Vec<u64> = (0..store.variants).collect();
        for chunk in numbers.chunks(1_000) {
            let products: Vec<Value> = chunk.iter().map(|number| product(store, *number)).collect();
            let body = json!({ "products": products }).to_string();
            let headers = [("content-type", "application/json"), ("authorization", &authorization)];
            let answer = client.json(&post("/storeadmin/v3/products/upsert", &headers, &body))?;
            ensure!(answer["updated"] == chunk.len(), "{answer}");
            progress.add(chunk.len() as u64);
        }
    }
    progress.finish();
    let (store, key) = shape.stores.iter().zip(&keys).next().context("a shape has stores")?;
    let authorization = format!("Basic {}", STANDARD.encode(format!("{}:{key}", store.pid)));
    let headers = [FORM, ("authorization", &authorization)];
    let body = "useremail=template%40example.com&useragenttype=bench";
    let who = client.json(&post("/storeadmin/v3/user/generate-regid", &headers, body))?;
    let text = |value: &Value| value.as_str().map(str::to_owned).context("a text");
    let who = format!("regid={}&sessionid={}", text(&who["regid"])?, text(&who["sessionid"])?);
    let pid = encoded(&store.pid);
    let create = post(&format!("/api/v3/lists/create?pid={pid}"), &[FORM], &format!("{who}&lname=Template"));
    let lid = text(&client.json(&create)?["lid"])?;
    let items = encoded(&templates(store).to_string());
    let add = format!("{who}&lid={lid}&a={items}");
    client.json(&post(&format!("/api/v3/lists/update-ctx?pid={pid}"), &[FORM], &add))?;
    drop(client);
    server.stop()?;
    Ok(())
}

/// Every kind of item, in the order of `shape::TEMPLATES`.
fn templates(store: &StoreShape) -> Value {
    let item = |number: u64| {
        let variant = shape::variant(number);
        json!({ "epi": variant, "empi": shape::product(variant), "du": TEMPLATE_URL })
    };
    let with = |number: u64, key: &str, value: Value| {
        let mut item = item(number);
        item[key] = value;
        item
    };
    let mut unknown = product(store, store.variants);
    unknown["du"] = TEMPLATE_URL.into();
    json!([
        item(0),
        with(1, "qty", 2.into()),
        with(2, "note", "For the new flat, if the colour fits the sofa".into()),
        with(3, "cprops", json!({ "size": "M", "engraving": "For Ann", "gift": true })),
        with(4, "clbls", json!(["Living room"])),
        unknown,
    ])
}

/// A variant as a shop would send it.
fn product(store: &StoreShape, number: u64) -> Value {
    const THINGS: [&str; 10] =
        ["Shirt", "Lamp", "Chair", "Kettle", "Backpack", "Blanket", "Mug", "Rug", "Clock", "Jacket"];
    const STUFF: [&str; 7] = ["Linen", "Oak", "Merino Wool", "Stoneware", "Recycled Cotton", "Brass", "Organic Hemp"];
    const COLOURS: [&str; 4] = ["Forest Green", "Natural", "Night Blue", "Terracotta"];
    let variant = shape::variant(number);
    let id = shape::product(variant);
    let (thing, stuff) = (THINGS[(id % 10) as usize], STUFF[(id % 7) as usize]);
    let colour = COLOURS[(number % 4) as usize];
    let price = serde_json::Number::from_string_unchecked(format!("{}.{:02}", 5 + number % 195, (number * 7) % 100));
    json!({
        "epi": variant, "empi": id, "du": shape::url(store.number, variant), "dt": format!("{stuff} {thing} No. {}", id % 10_000),
        "iu": format!("https://cdn.shop-{}.example/images/{id}-{}.jpg", store.number, number % 4), "pr": price,
        "ct": format!("Home & Living > {thing}s"), "vi": colour, "bt": "Wishbone & Daughters",
        "sku": format!("{}-{}-{number:06}", &thing[..3].to_uppercase(), number % 4), "stock": number % 50,
    })
}

fn copy_rows(bulk: &mut dyn Bulk, shape: &Shape) -> anyhow::Result<Vec<i64>> {
    let [shoppers, lists, items] = ["shoppers", "lists", "items"]
        .map(|name| bulk.table(name))
        .into_iter()
        .collect::<anyhow::Result<Vec<_>>>()?
        .try_into()
        .ok()
        .context("three tables")?;
    ensure!(items.rows.len() == shape::TEMPLATES.len(), "every kind of item was added");
    bulk.begin()?;
    let mut store_ids = Vec::new();
    for store in &shape.stores {
        let store_id = bulk.store_id(&store.pid)?;
        store_ids.push(store_id);
        bulk.load(
            &shoppers,
            &mut store.shoppers.iter().map(|shopper| {
                let short = &uuid::Uuid::from_bytes(shopper.id).simple().to_string()[..12];
                shoppers.like(
                    0,
                    &[
                        ("store_id", store_id.into()),
                        ("shopper_id", shopper.id.into()),
                        ("email", format!("shopper.{short}@example.com").into()),
                        ("list_count", shopper.lists.into()),
                        ("next_list", shopper.lists.into()),
                        ("created_at", shopper.created_at.into()),
                        ("updated_at", shopper.created_at.into()),
                    ],
                )
            }),
        )?;
        bulk.load(
            &lists,
            &mut store.lists.iter().map(|list| {
                let updated_at = store.items(list).last().map_or(list.created_at, |item| item.added_at);
                let (record, device) = list.more_ids();
                lists.like(
                    0,
                    &[
                        ("store_id", store_id.into()),
                        ("list_id", list.id.into()),
                        ("shopper_id", list.shopper.into()),
                        ("ordinal", list.ordinal.into()),
                        ("record_id", record.into()),
                        ("name", format!("List {}", list.ordinal + 1).into()),
                        ("device", format!("{}-API", uuid::Uuid::from_bytes(device)).into()),
                        ("item_count", list.size.into()),
                        // Each item was added by a call of its own.
                        ("next_seq", list.size.into()),
                        ("version", (list.size + 1).into()),
                        ("created_at", list.created_at.into()),
                        ("updated_at", updated_at.into()),
                    ],
                )
            }),
        )?;
        let total = store.lists.iter().map(|list| list.size).sum();
        let mut progress = Progress::new(format!("items of store {}", store.number + 1), total);
        let attributes = items.column("attributes")?;
        bulk.load(
            &items,
            &mut store.lists.iter().flat_map(|list| {
                progress.add(list.size);
                let items = &items;
                store.items(list).enumerate().map(move |(seq, item)| {
                    let url = shape::url(store.number, item.variant);
                    items.like(
                        item.template,
                        &[
                            ("store_id", store_id.into()),
                            ("list_id", list.id.into()),
                            ("added_at", item.added_at.into()),
                            ("seq", (seq as u64).into()),
                            ("item_id", item.id.into()),
                            ("variant_id", item.variant.into()),
                            ("product_id", shape::product(item.variant).into()),
                            ("updated_at", item.added_at.into()),
                            ("attributes", items.rows[item.template][attributes].replaced(TEMPLATE_URL, &url)),
                        ],
                    )
                })
            }),
        )?;
        progress.finish();
    }
    eprintln!("  indexes …");
    bulk.finish()?;
    Ok(store_ids)
}

const STORE_IDS: &str = "stores.json";

fn note_store_ids(folder: &Path, store_ids: &[i64]) -> anyhow::Result<()> {
    Ok(fs::write(folder.join(STORE_IDS), serde_json::to_string(store_ids)?)?)
}

/// The ids that the stores of the shape got, for signing what shoppers send.
pub(crate) fn store_ids(seeded: &Path) -> anyhow::Result<Vec<i64>> {
    Ok(serde_json::from_slice(&fs::read(seeded.join(STORE_IDS))?)?)
}

/// `wishbone check` counts everything again. That takes minutes where there is much, and what wrote the rows is the same.
fn check(place: &Place, shape: &Shape) -> anyhow::Result<()> {
    if shape.items > MOST_TO_CHECK {
        return Ok(());
    }
    eprintln!("  checking …");
    let report = place.json(&["check"])?;
    let template = shape::TEMPLATES.len() as u64;
    ensure!(report["ok"] == true, "the seeded database is not sound: {report}");
    ensure!(report["counts"]["items"] == shape.item_count() + template, "{report}");
    Ok(())
}
