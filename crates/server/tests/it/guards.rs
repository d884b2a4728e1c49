//! Rules that every statement, the schema and the sources must keep. A rule that cannot be checked
//! here would not last.

mod deployment;
mod imports;
mod json;
mod rendering;
mod sharding;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use wishbone_core::registry::{DISTRIBUTED_TABLE, MIGRATIONS, REFERENCE_TABLES, layout, statements, store_rows};
use wishbone_storage::Sql;

use crate::support::{Engine, TABLES, TestApp};

/// Statements that read a whole table, and why they may; a module's name stands for all of its statements.
const MAY_SCAN: &[(&str, &str)] = &[
    ("integrity::check::", "the check looks at everything, on a connection of its own"),
    ("integrity::rules::", "the check looks at everything, on a connection of its own"),
    ("integrity::stores::", "the check looks at everything, on a connection of its own"),
    ("integrity::enumerated::", "the check looks at everything, on a connection of its own"),
    ("mail::customization::TEMPLATES", "a store has a template per name at most"),
    ("mail::customization::TEXTS", "a store's texts are bounded"),
    ("stores::manage::ALL", "the operator asks for every store"),
    ("stores::work::", "the jobs serve every store; one look at an index for each"),
    ("stores::signing_keys::ALL", "there are a few keys"),
    ("encrypted_secrets::LOGIN", "a rotation of keys is about every store"),
    ("encrypted_secrets::SMS_GATEWAY", "a rotation of keys is about every store"),
    ("encrypted_secrets::WEBHOOK", "a rotation of keys is about every store"),
    ("encrypted_secrets::PREVIOUS_WEBHOOK", "a rotation of keys is about every store"),
];

/// Statements that read all of a store in a table of which a store has few rows, and why those are few.
const MAY_READ_ALL_OF_A_STORE: &[(&str, &str)] = &[
    ("webhooks::endpoints::OF_STORE", "a store has at most 20 webhooks"),
    ("webhooks::events::DELIVER", "a store has at most 20 webhooks"),
    ("webhooks::events::QUEUE", "a store has at most 20 webhooks"),
    ("webhooks::queue::DUE_WEBHOOKS", "a store has at most 20 webhooks"),
    ("webhooks::queue::ENABLED", "a store has at most 20 webhooks"),
    ("stores::work::WEBHOOKS", "a store has at most 20 webhooks"),
    ("stores::work::DELETED_LISTS", "takes the first row of a store"),
    ("lists::delete::NEXT_DELETED", "takes the first row"),
    ("lists::copy::PENDING", "holds only what is being copied at this moment"),
    ("lists::wishes::PENDING", "holds only what is being transferred at this moment"),
    ("merging::union::PENDING", "holds only what is being united at this moment"),
    ("merging::pending::MERGES", "holds only what is being merged at this moment"),
    ("merging::pending::UNDOS", "holds only what is being undone at this moment"),
    ("mail::failed::OF_STORE", "the operator asks for it, on a connection of its own"),
    ("stores::counts::", "counting ends at a bound"),
    ("stores::deletion::", "deletes all of a store, a bounded number of rows at a time"),
    ("alerts::summary::SUMMARY", "the store asks for all of it, on a connection of its own"),
];
fn allows(list: &[(&str, &str)], name: &str) -> bool {
    list.iter().any(|(allowed, _)| *allowed == name || (allowed.ends_with("::") && name.starts_with(allowed)))
}

/// The text as the rules see it: lower case, one space between words.
fn plain(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

fn texts() -> impl Iterator<Item = (String, String)> {
    statements().into_iter().map(|(name, sql)| (name, plain(sql.text())))
}

/// What is wrong, all of it at once: a list of one finding after the other is tiresome to fix.
#[track_caller]
fn assert_none(findings: &[String]) {
    assert!(findings.is_empty(), "\n{}", findings.join("\n"));
}

both_engines! {
    async fn every_statement_prepares(app: TestApp) {
        if app.skip_on_citus("the generic plan of a distributed table does not know its shard") {
            return;
        }
        let mut findings = Vec::new();
        for (name, sql) in statements() {
            match app.app.database.explain(sql).await {
                Ok(plan) if plan.is_empty() && name != "stores::manage::NEXT_ID" && !is_insert(sql) => {
                    findings.push(format!("{name}: no plan"));
                }
                Ok(_) => {}
                Err(error) => findings.push(format!("{name}: {error}")),
            }
        }
        assert!(statements().len() > 40, "the list of statements has shrunk to {}", statements().len());
        assert_none(&findings);
    }

    async fn no_statement_scans_a_table_or_all_of_a_store(app: TestApp) {
        if app.skip_on_citus("the generic plan of a distributed table does not know its shard") {
            return;
        }
        fill(&app).await;
        let mut findings = Vec::new();
        let mut scanning = BTreeSet::new();
        for (name, sql) in statements() {
            let plan = app.app.database.explain(sql).await.unwrap();
            if !scans(&plan) {
                continue;
            }
            scanning.insert(name.clone());
            // A walk over a whole store within another walk is not linear any more.
            let walks = |line: &String| line.starts_with("SEARCH") && scans(std::slice::from_ref(line));
            let nested = plan.len() > 1 && plan.iter().any(walks);
            if allows(MAY_READ_ALL_OF_A_STORE, &name) {
                continue;
            }
            if nested || !allows(MAY_SCAN, &name) {
                findings.push(format!("{name} scans a table:\n  {}", plan.join("\n  ")));
            }
        }
        for (name, reason) in MAY_SCAN.iter().chain(MAY_READ_ALL_OF_A_STORE) {
            if !scanning.iter().any(|scanning| scanning.starts_with(name)) {
                findings.push(format!("{name} may scan ({reason}) and does not: take it off the list"));
            }
        }
        assert_none(&findings);
    }

    async fn a_step_of_a_deletion_looks_only_at_what_it_deletes(app: TestApp) {
        if app.skip_on_citus("the generic plan of a distributed table does not know its shard") {
            return;
        }
        fill(&app).await;
        let tables: BTreeSet<&str> = store_rows().iter().map(|rows| rows.table).collect();
        assert_eq!(tables, layout().distributed.into_iter().collect());
        let mut findings = Vec::new();
        for rows in store_rows().iter().filter(|rows| rows.table != DISTRIBUTED_TABLE) {
            let plan = app.app.database.explain(rows.first.unwrap()).await.unwrap();
            // One walk to the last row of the step, and one up to it.
            let conditions = plan.iter().filter(|line| line.starts_with("SEARCH ") || line.contains("Index Cond: "));
            let bounded = conditions.filter(|condition| condition.contains('<')).count();
            let sorts = plan.iter().any(|line| line.contains("TEMP B-TREE") || line.contains("Sort"));
            if bounded != 1 || sorts {
                findings.push(format!("{}:\n  {}", rows.table, plan.join("\n  ")));
            }
        }
        assert_none(&findings);
    }

    async fn pages_by_addition_walk_the_primary_key_and_sort_nothing(app: TestApp) {
        if app.skip_on_citus("the generic plan of a distributed table does not know its shard") {
            return;
        }
        for name in ["items::page::NEWEST_FIRST", "items::page::OLDEST_FIRST"] {
            let plan = app.app.database.explain(statement(name)).await.unwrap().join("\n");
            let bound = match app.app.database.engine() {
                "sqlite" => {
                    assert!(!plan.contains("TEMP B-TREE"), "{name} sorts:\n{plan}");
                    let comparison = if name.contains("NEWEST") { "<" } else { ">" };
                    format!(
                        "SEARCH i USING PRIMARY KEY (store_id=? AND list_id=? AND (added_at,seq){comparison}(?,?))"
                    )
                }
                _ => {
                    assert!(!plan.contains("Sort"), "{name} sorts:\n{plan}");
                    assert!(plan.contains("using items_pkey on items i"), "{name} does not use the key:\n{plan}");
                    "AND (ROW(added_at, seq) ".to_owned()
                }
            };
            let edge = plan.lines().find(|line| line.contains(&bound));
            let edge = edge.unwrap_or_else(|| panic!("{name} does not start at its edge:\n{plan}"));
            assert!(!edge.contains("Filter"), "{name} reads what is before its edge:\n{plan}");
        }
    }
}

/// A message to an address of a caller's choice is a row of `mails`. Its only insert wants a permit, whose field is private to
/// the limits: per shopper, client address, recipient, and store and hour.
#[test]
fn nothing_is_queued_without_a_permit_of_the_limits() {
    let inserts: BTreeSet<String> =
        texts().filter(|(_, text)| text.contains("into mails ")).map(|(name, _)| name).collect();
    assert_eq!(inserts, BTreeSet::from(["mail::queue::INSERT".to_owned()]));
    let source =
        |path: &str| std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../core/src").join(path));
    let queue = source("mail/queue.rs").unwrap();
    assert_eq!(queue.matches("INSERT.bind").count(), 1);
    assert!(plain(&queue).contains("accepts_mail: bool, _: permit, moment: &moment"), "the queue wants no permit");
    let limits = source("mail/limits.rs").unwrap();
    assert!(
        limits.contains("pub(crate) struct Permit(());")
            && !limits.contains("derive(Clone)]\npub(crate) struct Permit")
    );
    let granted: Vec<&str> = limits
        .lines()
        .filter(|line| {
            line.contains("-> Self {") || line.contains("-> Result<Permit>") || line.contains("-> Result<Self> {")
        })
        .collect();
    assert_eq!(granted.len(), 3, "whoever grants a permit passes the limits, or is a job: {granted:?}");
}

fn is_insert(sql: Sql) -> bool {
    plain(sql.text()).starts_with("insert")
}

fn statement(wanted: &str) -> Sql {
    let found = statements().into_iter().find(|(name, _)| name == wanted);
    found.unwrap_or_else(|| panic!("no statement is called {wanted}")).1
}

/// PostgreSQL plans by what it knows of its tables, so they need contents that look real. SQLite is
/// never told, and plans by the schema alone.
async fn fill(app: &TestApp) {
    if app.app.database.engine() == "sqlite" {
        return;
    }
    let contents = "
        insert into stores select g, 'pid' || g, '', '', '{}', 0, 0, 0 from generate_series(2, 50) g;
        insert into store_states select g from generate_series(2, 50) g;
        insert into shoppers select 1 + g % 2, decode(md5('shopper' || g), 'hex'), 'shopper' || g, 0, '', '', null, 2, 2, 2,
                                    null, 0, 0
          from generate_series(1, 2000) g;
        insert into lists select 1 + g % 2, decode(md5('list' || g), 'hex'), decode(md5('shopper' || g % 2000), 'hex'),
                                 g / 2000, '', 'wl', '', null, null, null, 0, 0, 0, '', 10, 0, 10, 1, 0, 0
          from generate_series(1, 4000) g;
        insert into items select 1 + g % 2, decode(md5('list' || g % 4000), 'hex'), g, g, g / 4000, 1, null, null, null, null,
                                 null, null, ''
          from generate_series(1, 40000) g;
        insert into items select 1, decode(md5('list2'), 'hex'), g, g, g, 1, null, null, null, null, null, null, ''
          from generate_series(50000, 55000) g;
        insert into products select 1 + g % 2, g, g / 5, '', '', 1, '', null, 0, 1, 0 from generate_series(1, 5000) g;
        insert into subscriptions select 1 + g % 2, decode(md5('shopper' || g % 2000), 'hex'), g,
                                         decode(md5('subscription' || g), 'hex'), 'backinstock', 'email',
                                         'shopper' || g % 2000, g, 1, '', null, null, 0, 0, 0, 0, 0
          from generate_series(1, 6000) g;
        update subscriptions set status = 1 where ordinal > 300;
        update subscriptions set due_at = 1 where ordinal < 100;
        insert into alert_events select 1 + g % 2, g, 'backinstock', '', 0, null, 1, 0, '', case when g < 50 then 1 end, 1
          from generate_series(1, 3000) g;
        insert into refused_topics select 1 + g % 2, decode(md5('recipient' || g), 'hex'), 'backinstock', 1
          from generate_series(1, 3000) g;
        insert into editors select 1 + g % 2, decode(md5('list' || g % 4000), 'hex'), g, decode(md5('shopper' || g % 2000), 'hex')
          from generate_series(1, 4000) g;
        insert into comments select 1 + g % 2, decode(md5('list' || g % 4000), 'hex'), g, g, decode(md5('comment' || g), 'hex'),
                                    decode(md5('shopper' || g % 2000), 'hex'), null, ''
          from generate_series(1, 4000) g;
        insert into share_links select 1 + g % 2, decode(md5('list' || g % 4000), 'hex'), decode(md5('link' || g), 'hex'), 0,
                                       null, null, 0, null
          from generate_series(1, 4000) g;
        insert into copies select 1 + g % 2, decode(md5('list' || g), 'hex'), decode(md5('shopper' || g % 2000), 'hex'),
                                  decode(md5('list' || g % 50), 'hex'), 0, 0, 0, '', 0
          from generate_series(1, 2000) g;
        insert into deleted_lists select 1 + g % 2, decode(md5('deleted_lists' || g), 'hex') from generate_series(1, 2000) g;
        insert into unions select 1 + g % 2, decode(md5('deleted_lists' || g), 'hex'), decode(md5('guest' || g), 'hex'),
                                  decode(md5('shopper' || g % 2000), 'hex'), decode(md5('list' || g % 50), 'hex'), 0
          from generate_series(1, 2000) g;
        insert into undos select 1 + g % 2, decode(md5('guest' || g), 'hex'), decode(md5('shopper' || g % 2000), 'hex'), g
          from generate_series(1, 2000) g;
        insert into merge_steps select 1 + g % 2, decode(md5('guest' || g), 'hex'), decode(md5('shopper' || g % 2000), 'hex'), g
          from generate_series(1, 2000) g;
        insert into list_stamps select 1 + g % 2, decode(md5('shopper' || g), 'hex'), g, ''
          from generate_series(1, 4000) g;
        insert into wishes select 1 + g % 2, decode(md5('shopper' || g % 2000), 'hex'), g / 10,
                                  decode(md5('shopper' || g % 2000), 'hex'), 1
          from generate_series(1, 40000) g;
        analyze wishes; analyze undos; analyze merge_steps; analyze list_stamps; analyze copies; analyze deleted_lists; analyze unions;
        insert into merges select 1 + g % 2, decode(md5('guest' || g), 'hex'), decode(md5('shopper' || g % 2000), 'hex'), 0, 0, 0,
                                  g, null, 0
          from generate_series(1, 2000) g;
        insert into merged_lists select 1 + g % 2, decode(md5('guest' || g % 2000), 'hex'), decode(md5('list' || g), 'hex'),
                                        decode(md5('list' || g / 2), 'hex'), 1, 0, 0, 0, 0, 1, g / 2000, '', 'wl', '', null, null,
                                        null, 0, 0, 0, '', 10, 0, 10, 1, 0, 0, null
          from generate_series(1, 4000) g;
        insert into merged_items select 1 + g % 2, decode(md5('guest' || g % 2000), 'hex'),
                                        decode(md5('list' || g % 4000), 'hex'), g, g, g / 4000, 1, null, null, null, null,
                                        null, null, ''
          from generate_series(1, 40000) g;
        insert into merged_parts select 1 + g % 2, decode(md5('guest' || g % 2000), 'hex'), 'comment',
                                        decode(md5('list' || g), 'hex'), decode(md5('comment' || g), 'hex'), 0
          from generate_series(1, 4000) g;
        insert into merged_comments select 1 + g % 2, decode(md5('guest' || g % 2000), 'hex'), decode(md5('list' || g), 'hex'),
                                           decode(md5('comment' || g), 'hex'), 1, 1, decode(md5('guest' || g % 2000), 'hex'), null, ''
          from generate_series(1, 4000) g;
        insert into guest_sessions select 1 + g % 2, decode(md5('shopper' || g % 2000), 'hex'), decode(md5('s' || g), 'hex'),
                                            decode(md5('guest' || g), 'hex'), '', 0, 0, 0
          from generate_series(1, 4000) g;
        insert into idempotent_responses select 1 + g % 2, decode(md5('shopper' || g % 2000), 'hex'), decode(md5('key' || g), 'hex'), '', '', null, g
          from generate_series(1, 6000) g;
        insert into mails select 1 + g % 2, decode(md5('mail' || g), 'hex'), 'list', decode(md5('shopper' || g % 2000), 'hex'),
                                 decode(md5('recipient' || g % 3000), 'hex'), '', null, null, 1, 1, g, null, g, g
          from generate_series(1, 6000) g;
        insert into recipients select 1 + g % 2, decode(md5('recipient' || g), 'hex'), null from generate_series(1, 3000) g;
        insert into message_counters select 1 + g % 2, 'counter' || g, g, 1 from generate_series(1, 3000) g;
        insert into mail_templates select 1 + g % 2, 'name' || g, '', 0 from generate_series(1, 20) g;
        insert into mail_texts select 1 + g % 2, 'de', 'name' || g, '', 0 from generate_series(1, 200) g;
        insert into shares select 1 + g % 2, decode(md5('list' || g % 4000), 'hex'), 'medium' || g / 4000, 1, 1
          from generate_series(1, 8000) g;
        insert into webhooks select 1 + g % 2, decode(md5('webhook' || g), 'hex'), '', -1, '', null, null, 0, null, g
          from generate_series(1, 40) g;
        insert into webhook_events select 1 + g % 2, g, 0, decode(md5('event' || g), 'hex'), 1,
                                          decode(md5('list' || g % 4000), 'hex'), decode(md5('shopper' || g % 2000), 'hex'), '{}'
          from generate_series(1, 20000) g;
        insert into webhook_deliveries select 1 + g % 2, g, 0, decode(md5('event' || g), 'hex'),
                                              decode(md5('webhook' || g % 40), 'hex'), decode(md5('list' || g % 4000), 'hex'),
                                              g % 2, 1, null, null, g
          from generate_series(1, 20000) g;
        insert into webhook_queues select 1 + g % 2, decode(md5('webhook' || g % 40), 'hex'),
                                          decode(md5('list' || g % 4000), 'hex'), g, 1
          from generate_series(1, 4000) g";
    let analyze = format!("{contents}; analyze {}", TABLES.join(", "));
    app.connect().await.batch_execute(&analyze).await.unwrap();
}

/// Whether a step of the plan reads a table, or what one store has of it, from end to end: every walk
/// must be narrowed by more than the store.
fn scans(plan: &[String]) -> bool {
    let narrowed = |conditions: &str| {
        let parts = conditions.split(" AND ").map(|part| part.trim_start_matches('('));
        // `(store_id, list_id) > (?, ?)` goes on where it left off.
        parts.into_iter().any(|part| !part.starts_with("store_id") || part.starts_with("store_id,"))
    };
    plan.iter().enumerate().any(|(i, line)| {
        let step = line.trim().trim_start_matches("->").trim();
        if let Some(of) = step.strip_prefix("SCAN ") {
            // One row of constants is no table, nor is what the statement itself has gathered.
            let gathered = [format!("MATERIALIZE {of}"), format!("CO-ROUTINE {of}")];
            return of != "CONSTANT ROW" && !gathered.iter().any(|step| plan.contains(step));
        }
        if let Some(of) = step.strip_prefix("SEARCH ") {
            return of.split_once(" (").is_some_and(|(_, conditions)| !narrowed(conditions));
        }
        if !step.starts_with("Index Scan") && !step.starts_with("Index Only Scan") {
            return step.starts_with("Seq Scan");
        }
        let details = plan[i + 1..].iter().take_while(|next| !next.contains("->"));
        let condition = details.into_iter().find_map(|next| next.trim().strip_prefix("Index Cond: "));
        // These have one row per store.
        let is_of_store = step.ends_with(" on stores") || step.ends_with(" on store_states");
        !condition.is_some_and(|condition| narrowed(condition) || is_of_store)
    })
}

#[test]
fn plans_that_scan_are_told_from_plans_that_do_not() {
    let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
    for bad in [
        "SCAN items",
        "SCAN i USING INDEX sqlite_autoindex_items_2",
        "SEARCH items USING PRIMARY KEY (store_id=?)",
        "Limit\n  ->  Seq Scan on items i\n        Filter: (x = 1)",
        "Sort\n  ->  Index Scan using items_pkey on items i\n        Filter: (x = 1)",
        "Sort\n  ->  Index Scan using items_pkey on items i\n        Index Cond: (store_id = $1)",
        "Index Scan using a on b\n  ->  Result\n        Index Cond: (x = $1)",
    ] {
        assert!(scans(&lines(bad)), "{bad}");
    }
    for good in [
        "SEARCH i USING PRIMARY KEY (store_id=? AND list_id=?)\nSCAN CONSTANT ROW",
        "SEARCH items USING PRIMARY KEY ((store_id,list_id)>(?,?))",
        "SEARCH stores USING INDEX sqlite_autoindex_stores_1 (pid=?)",
        "Sort\n  ->  Index Scan using a on b\n        Index Cond: ((store_id = $1) AND (list_id = $2))",
        "Index Scan using stores_pkey on stores\n    Index Cond: (store_id = $2)",
    ] {
        assert!(!scans(&lines(good)), "{good}");
    }
}

/// PostgreSQL takes the type of a parameter from where it is first. Next to a literal it has 32 bits, too few for ids.
#[test]
fn a_filter_that_may_be_absent_is_compared_with_its_column_first() {
    let mut findings = Vec::new();
    for (name, text) in texts() {
        let is_literal_first =
            |part: &str| part.trim_start_matches(|c: char| c.is_ascii_digit()).starts_with(" = 0 or ");
        if text.split("($").skip(1).any(is_literal_first) {
            findings.push(format!("{name}: write (column = $1 or $1 = 0)"));
        }
    }
    assert_none(&findings);
}

#[test]
fn statements_are_written_in_what_both_engines_speak() {
    const FORBIDDEN: &[(&str, &str)] = &[
        ("::", "casts are PostgreSQL's alone"),
        ("cast(", "the engines round and refuse differently"),
        ("now()", "time is an input"),
        ("current_timestamp", "time is an input"),
        ("current_date", "time is an input"),
        ("random()", "randomness is an input"),
        ("replace into", "it deletes the row, and with it what hangs on it"),
        ("insert or ", "SQLite's alone"),
        ("update or ", "SQLite's alone"),
        ("greatest(", "SQLite calls it max"),
        ("least(", "SQLite calls it min"),
        ("ilike", "PostgreSQL's alone"),
        (" like ", "it folds case on one engine and not on the other"),
        ("collate", "text is compared as bytes"),
        ("any(", "there are no arrays"),
        ("array[", "there are no arrays"),
        ("interval", "time is integer milliseconds"),
        ("rowid", "SQLite's alone"),
        ("on conflict do", "name the columns of the conflict"),
        ("for update", "a lock is taken by updating the row"),
        ("select distinct on", "PostgreSQL's alone"),
        (" is true", "booleans are 0 and 1"),
        (" = true", "booleans are 0 and 1"),
        (" = false", "booleans are 0 and 1"),
        ("ifnull(", "coalesce is the word of both"),
        ("group_concat", "SQLite's alone"),
        ("string_agg", "the order is not the same on both"),
        ("json_", "JSON is text"),
        ("->", "JSON is text"),
        ("\"", "names need no quotes"),
        ("`", "names need no quotes"),
        (";", "one statement at a time"),
        ("?", "parameters are $1, $2, …"),
    ];
    let mut findings = Vec::new();
    for (name, text) in texts() {
        for (word, reason) in FORBIDDEN {
            if text.contains(word) {
                findings.push(format!("{name} says {word:?}: {reason}"));
            }
        }
        if text.contains("select *") && !text.contains("select * from (select ") {
            findings.push(format!("{name} says `select *`: the columns of a table change"));
        }
    }
    assert_none(&findings);
}

/// The engines disagree on where nulls go, so an order by a column that can be null says it.
#[tokio::test]
async fn an_order_by_what_can_be_null_says_where_nulls_go() {
    let app = TestApp::start(Engine::Sqlite).await;
    let described = app.app.database.describe().await.unwrap();
    let nullable: BTreeSet<&str> = described
        .iter()
        .filter(|line| !line.contains('(') && !line.ends_with("not null"))
        .filter_map(|line| line.split(['.', ' ']).nth(1))
        .chain(["value"])
        .collect();
    assert!(nullable.contains("price") && !nullable.contains("ordinal"), "{nullable:?}");
    let required: BTreeSet<&str> =
        described.iter().filter_map(|line| line.strip_suffix(" not null")?.split(' ').next()).collect();
    let mut findings = Vec::new();
    let mut seen = 0;
    for (name, text) in texts() {
        for order in text.split("order by ").skip(1) {
            let keys = order.split(" limit ").next().unwrap_or_default().split(')').next().unwrap_or_default();
            for key in keys.split(", ") {
                let column = key.split(' ').next().unwrap_or_default().rsplit('.').next().unwrap_or_default();
                seen += 1;
                // A comparison excludes nulls.
                let is_compared = text.contains(&format!("{column} <= $"));
                let is_safe = required.contains(key) || key.contains(" nulls ") || is_compared;
                if nullable.contains(column) && !is_safe {
                    findings.push(format!("{name} orders by {key}, which can be null"));
                }
            }
        }
    }
    assert!(seen > 10, "{seen}");
    assert_none(&findings);
}

/// A sharded database divides a table by its first column.
#[tokio::test]
async fn every_table_is_divided_by_store_or_copied_to_every_node() {
    let app = TestApp::start(Engine::Sqlite).await;
    let described = app.app.database.describe().await.unwrap();
    let mut findings = Vec::new();
    for table in layout().distributed {
        let keys = described.iter().filter(|line| line.starts_with(&format!("{table} unique (")));
        for key in keys.filter(|key| !key.starts_with(&format!("{table} unique (store_id"))) {
            findings.push(format!("a unique key of a table that is divided by store must start with it: {key}"));
        }
        if !described.contains(&format!("{table}.store_id int not null")) {
            findings.push(format!("{table} has no store: is it in REFERENCE_TABLES?"));
        }
    }
    for table in REFERENCE_TABLES {
        if !wishbone_storage::tables(MIGRATIONS).contains(table) {
            findings.push(format!("{table} does not exist: take it off REFERENCE_TABLES"));
        }
    }
    assert_none(&findings);
}

#[test]
fn the_documentation_gives_a_reason_for_every_dependency() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let manifest = std::fs::read_to_string(root.join("Cargo.toml")).unwrap();
    let text = std::fs::read_to_string(root.join("docs/architecture.md")).unwrap();
    let reasons = text.split("## Dependencies").nth(1).unwrap_or_default();
    let table = manifest.split("[workspace.dependencies]").nth(1).unwrap().split("\n[").next().unwrap();
    let names = table.lines().filter_map(|line| line.split_once(" = ")).map(|(name, _)| name.trim());
    let names: Vec<&str> =
        names.filter(|name| !name.starts_with(['#', ' ']) && !name.starts_with("wishbone")).collect();
    assert!(names.len() > 30, "{names:?}");
    let named =
        |name: &&str| reasons.split(|c: char| !(c.is_alphanumeric() || "-_".contains(c))).any(|word| word == *name);
    let findings: Vec<String> = names
        .iter()
        .filter(|name| !named(name))
        .map(|name| format!("docs/architecture.md gives no reason for {name}: add it to the table of dependencies"))
        .collect();
    assert_none(&findings);
}

#[tokio::test]
async fn both_schemas_have_equal_tables_columns_and_keys() {
    let mut described = Vec::new();
    for engine in [Engine::Sqlite, Engine::Postgres] {
        let app = TestApp::start(engine).await;
        let lines = app.app.database.describe().await.unwrap();
        // SQLite has no index of its own for an integer key, which is the table itself.
        let lines: BTreeSet<String> = lines
            .into_iter()
            .filter(|line| !line.ends_with("stores unique (store_id)") && !line.ends_with("states unique (store_id)"))
            .filter(|line| line != "schema_versions unique (number)")
            .collect();
        assert!(lines.contains("items.given_price double") && lines.contains("lists.list_id blob not null"));
        assert!(lines.contains("items unique (store_id, list_id, added_at, seq)"), "{lines:#?}");
        described.push(lines);
    }
    let findings: Vec<String> = described[0].symmetric_difference(&described[1]).cloned().collect();
    assert_none(&findings);
}

#[tokio::test]
async fn every_table_of_a_store_is_keyed_by_the_store_first() {
    let app = TestApp::start(Engine::Postgres).await;
    let described = app.app.database.describe().await.unwrap();
    let indexes = described.iter().filter(|line| line.ends_with(')'));
    let findings: Vec<String> = indexes
        .filter(|line| !line.starts_with("schema_versions ") && *line != "stores unique (pid)")
        // About all nodes and stores.
        .filter(|line| *line != "server unique (id)" && *line != "signing_keys unique (fingerprint)")
        .filter(|line| !line.contains("(store_id,") && !line.ends_with("(store_id)"))
        .cloned()
        .collect();
    assert_none(&findings);
}

/// The folder that holds all crates.
fn crates() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// Every file in a folder and below it.
fn walk(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { walk(&path) } else { vec![path] }).collect()
}

/// Every Rust source of the product, with its path below the folder of crates.
fn sources() -> Vec<(String, String)> {
    let mut paths = Vec::new();
    for name in ["storage", "core", "server"] {
        let files = walk(&crates().join(name).join("src"));
        paths.extend(files.into_iter().filter(|path| path.extension().is_some_and(|extension| extension == "rs")));
    }
    let name = |path: &Path| path.strip_prefix(crates()).unwrap().to_string_lossy().replace('\\', "/");
    let mut out: Vec<(String, String)> =
        paths.iter().map(|path| (name(path), without_tests(&std::fs::read_to_string(path).unwrap()))).collect();
    out.sort();
    assert!(out.len() > 40, "{}", out.len());
    out
}

/// Unit tests are at the end of their file.
fn without_tests(source: &str) -> String {
    source.split("#[cfg(test)]").next().unwrap_or_default().to_owned()
}

#[test]
fn statements_are_declared_by_the_macro() {
    let mut findings = Vec::new();
    for (path, source) in sources() {
        for (number, line) in source.lines().enumerate() {
            let code = line.split("//").next().unwrap_or_default();
            let is_macro = path == "core/src/lib.rs" && code.contains("$name: wishbone_storage::Sql");
            // Derived from the schema, and listed with the others.
            let is_derived = path == "core/src/stores/deletion.rs"
                && code.contains("first: first.map(Sql::new), rest: Sql::new(rest)");
            if code.contains("Sql::new(") && !is_macro && !is_derived {
                findings.push(format!("{path}:{}: a statement outside `statements!`", number + 1));
            }
        }
    }
    assert_none(&findings);
}

#[test]
fn every_module_with_statements_is_in_the_list_of_statements() {
    let listed: BTreeSet<String> =
        statements().iter().map(|(name, _)| name.rsplit_once("::").unwrap().0.to_owned()).collect();
    let declared: BTreeSet<String> = sources()
        .iter()
        .filter(|(path, source)| path != "core/src/lib.rs" && source.contains("statements! {"))
        .map(|(path, _)| path.trim_start_matches("core/src/").trim_end_matches(".rs").replace('/', "::"))
        .collect();
    let missing = declared
        .difference(&listed)
        .map(|module| format!("{module} declares statements: add it to registered! in core/src/registry.rs"));
    assert_none(&missing.collect::<Vec<_>>());
    assert_eq!(listed, declared);
}

#[test]
fn the_engine_is_matched_in_one_file() {
    let findings: Vec<String> = sources()
        .iter()
        .filter(|(path, _)| path != "storage/src/database.rs")
        .filter(|(_, source)| ["Database::Sqlite", "Database::Postgres"].iter().any(|arm| source.contains(arm)))
        .map(|(path, _)| format!("{path} matches the engine"))
        .collect();
    assert_none(&findings);
    let engines = ["rusqlite", "tokio_postgres", "deadpool"];
    let findings: Vec<String> = sources()
        .iter()
        .filter(|(path, _)| !path.starts_with("storage/"))
        .filter(|(_, source)| engines.iter().any(|engine| source.contains(&format!("{engine}::"))))
        .map(|(path, _)| format!("{path} talks to an engine past the seam"))
        .collect();
    assert_none(&findings);
}

#[test]
fn every_migration_is_a_pair_of_files_and_every_file_is_a_migration() {
    let files = |engine: &str| -> Vec<String> {
        let folder = crates().join("core/schema").join(engine);
        let entries = std::fs::read_dir(folder).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    };
    let listed: Vec<String> =
        MIGRATIONS.iter().map(|migration| format!("{:04}_{}.sql", migration.number, migration.name)).collect();
    for engine in ["sqlite", "postgres"] {
        let hint =
            "each file in core/schema needs a line in MIGRATIONS (core/src/registry.rs), and each line two files";
        assert_eq!(files(engine), listed, "{hint}");
    }
    let numbers: Vec<i64> = MIGRATIONS.iter().map(|migration| migration.number).collect();
    assert_eq!(numbers, (1..).take(numbers.len()).collect::<Vec<_>>(), "numbers have no gaps");
    for migration in MIGRATIONS {
        let name = format!("{:04}_{}.sql", migration.number, migration.name);
        for (engine, text) in [("sqlite", migration.sqlite), ("postgres", migration.postgres)] {
            let file = std::fs::read_to_string(crates().join("core/schema").join(engine).join(&name)).unwrap();
            assert_eq!(file, text, "{engine}/{name} is not what the program carries");
        }
    }
}
