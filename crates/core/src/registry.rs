//! All statements and migrations of the product.

use std::sync::LazyLock;

use wishbone_storage::{Layout, Migration, Options, Sql};

use crate::stores::deletion::{TableRows, Texts};
use crate::{
    alerts, catalog, encrypted_secrets, idempotency, identity, integrity, items, lists, mail, merging, privacy,
    sharing, stores, subscriptions, webhooks,
};

macro_rules! migration {
    ($number:literal, $name:literal, $file:literal) => {
        Migration {
            number: $number,
            name: $name,
            sqlite: include_str!(concat!("../schema/sqlite/", $file)),
            postgres: include_str!(concat!("../schema/postgres/", $file)),
        }
    };
}

/// The migrations of the schema. A released migration never changes.
pub const MIGRATIONS: &[Migration] = &[
    migration!(1, "lists", "0001_lists.sql"),
    migration!(2, "profiles", "0002_profiles.sql"),
    migration!(3, "sharing", "0003_sharing.sql"),
    migration!(4, "merging", "0004_merging.sql"),
    migration!(5, "mail", "0005_mail.sql"),
    migration!(6, "answers", "0006_answers.sql"),
    migration!(7, "copies", "0007_copies.sql"),
    migration!(8, "server", "0008_server.sql"),
    migration!(9, "catalog_stamp", "0009_catalog_stamp.sql"),
    migration!(10, "previous_api_key", "0010_previous_api_key.sql"),
    migration!(11, "alerts", "0011_alerts.sql"),
    migration!(12, "templates", "0012_templates.sql"),
    migration!(13, "webhooks", "0013_webhooks.sql"),
    migration!(14, "digest", "0014_digest.sql"),
    migration!(15, "waiting_line", "0015_waiting_line.sql"),
    migration!(16, "table_names", "0016_table_names.sql"),
    migration!(17, "signing_keys", "0017_signing_keys.sql"),
    migration!(18, "copies_by_source", "0018_copies_by_source.sql"),
    migration!(19, "unions", "0019_unions.sql"),
    migration!(20, "undos", "0020_undos.sql"),
    migration!(21, "wishes", "0021_wishes.sql"),
    migration!(22, "store_states", "0022_store_states.sql"),
    migration!(23, "item_members", "0023_item_members.sql"),
    migration!(24, "record_stamp", "0024_record_stamp.sql"),
    migration!(25, "message_counters", "0025_message_counters.sql"),
    migration!(26, "merge_steps", "0026_merge_steps.sql"),
    migration!(27, "store_deletion", "0027_store_deletion.sql"),
    migration!(28, "items_of_products", "0028_items_of_products.sql"),
    migration!(29, "link_names", "0029_link_names.sql"),
    migration!(30, "requests", "0030_requests.sql"),
    migration!(31, "mailboxes", "0031_mailboxes.sql"),
    migration!(32, "catalog_version", "0032_catalog_version.sql"),
];

pub fn default_options() -> Options {
    Options { distributed_by: Some((DISTRIBUTED_TABLE, DISTRIBUTION_COLUMN)), ..Options::default() }
}

/// Tables that a sharded database copies to every node: small, rarely changed, and read for all stores. All other tables
/// are divided by their first column, `store_id`.
pub const REFERENCE_TABLES: &[&str] = &["stores", "server", "signing_keys", "schema_versions"];

/// The column, and one of the tables that are divided by it.
const DISTRIBUTION_COLUMN: &str = "store_id";
pub const DISTRIBUTED_TABLE: &str = "store_states";

/// How a sharded database lays out the tables.
pub fn layout() -> Layout {
    let is_reference = |table: &&str| REFERENCE_TABLES.contains(table);
    let (reference, distributed) = wishbone_storage::tables(MIGRATIONS).into_iter().partition(is_reference);
    Layout { distributed, key: DISTRIBUTION_COLUMN, reference }
}

/// What deletes a store's rows of every table that is divided by store: as the schema says, so that no table is forgotten. Rows
/// that others depend on come last.
pub fn store_rows() -> &'static [TableRows] {
    static TEXTS: LazyLock<Vec<(&str, Texts)>> = LazyLock::new(|| {
        let tables = wishbone_storage::primary_keys(MIGRATIONS).into_iter().rev();
        let divided = tables.filter(|(table, _)| !REFERENCE_TABLES.contains(table));
        divided.map(|(table, key)| (table, TableRows::texts(table, &key))).collect()
    });
    static ROWS: LazyLock<Vec<TableRows>> = LazyLock::new(|| {
        TEXTS.iter().map(|(table, (first, rest))| TableRows::new(table, first.as_deref(), rest)).collect()
    });
    &ROWS
}

macro_rules! registered {
    ($($first:ident $(:: $rest:ident)*),* $(,)?) => {
        [$((stringify!($first $(:: $rest)*), $first $(:: $rest)* ::STATEMENTS)),*]
    };
}

/// Returns every statement by module and name, for the tests that check all of them.
pub fn statements() -> Vec<(String, Sql)> {
    let modules = registered![
        stores::record,
        stores::admin,
        stores::manage,
        stores::deletion,
        stores::counts,
        stores::login_secret,
        stores::sms_auth,
        stores::maintenance,
        stores::signing_keys,
        stores::work,
        identity::profile,
        identity::guest_sessions,
        identity::shoppers,
        idempotency,
        catalog::alert_events,
        webhooks::endpoints,
        webhooks::events,
        webhooks::queue,
        webhooks::claim,
        webhooks::record,
        webhooks::log,
        webhooks::replay,
        webhooks::personal_data,
        encrypted_secrets,
        catalog::feed,
        catalog::inventory,
        catalog::lookup,
        lists::row,
        lists::access,
        lists::editors,
        lists::create,
        lists::update,
        lists::wishes,
        lists::copy,
        lists::changes,
        lists::merge_journal,
        lists::duplicate,
        lists::delete,
        lists::save_for_later,
        lists::fetch,
        lists::live,
        items::page,
        items::contents,
        items::fetch_lists,
        items::working_set,
        items::change,
        items::move_items,
        sharing::links,
        sharing::comments,
        sharing::reports,
        sharing::counts,
        mail::recipients,
        mail::customization,
        mail::limits,
        mail::queue,
        mail::outcome,
        mail::claim,
        mail::record,
        mail::failed,
        mail::personal_data,
        mail::list_mail,
        mail::shared_list,
        mail::reminders,
        subscriptions::row,
        subscriptions::insert,
        subscriptions::limits,
        subscriptions::create,
        subscriptions::add,
        subscriptions::confirm,
        subscriptions::unsubscribe,
        subscriptions::fetch,
        subscriptions::remove,
        subscriptions::preferences,
        alerts::dispatch,
        alerts::queue,
        alerts::outcome,
        alerts::claim,
        alerts::record,
        alerts::digest,
        alerts::backlog,
        alerts::list,
        alerts::summary,
        alerts::retry,
        merging::plan,
        merging::events,
        merging::journal,
        merging::union,
        merging::pending,
        merging::belongings,
        merging::merge_steps,
        merging::merge,
        merging::preview,
        merging::recorded_list,
        merging::detach,
        merging::restore,
        merging::undo,
        merging::undo_steps,
        privacy::guest_expiry,
        privacy::erase,
        privacy::export,
        integrity::rules,
        integrity::stores,
        integrity::enumerated,
        integrity::contents,
        integrity::check,
    ];
    let named = |(module, statements): (&str, &[(&str, Sql)])| -> Vec<(String, Sql)> {
        let module: String = module.split_whitespace().collect();
        statements.iter().map(|(name, sql)| (format!("{module}::{name}"), *sql)).collect()
    };
    let derived = store_rows().iter().flat_map(|TableRows { table, first, rest, .. }| {
        let named = first.iter().map(|sql| ("first", *sql)).chain([("rest", *rest)]);
        named.map(move |(name, sql)| (format!("stores::deletion::{name}_of_{table}"), sql))
    });
    modules.into_iter().flat_map(named).chain(derived).collect()
}
