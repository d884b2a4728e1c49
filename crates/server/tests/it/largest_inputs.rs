//! The largest inputs that are allowed, on SQLite: no operation holds a thread of the runtime for more than 10 ms, or the
//! writer for more than 50 ms. Counted in instructions of SQLite's virtual machine, so that a busy machine does not matter.

use serde_json::{Value, json};
use wishbone_core::stores::settings::SettingsChange;
use wishbone_server::jobs::clean_up::clean_some;
use wishbone_server::jobs::copy_lists::copy_next;
use wishbone_server::jobs::job::Rest;
use wishbone_server::jobs::purge_lists::purge_some;
use wishbone_storage::{Holds, StepRecorder};

use crate::support::{Client, Engine, TestApp, item};

/// 100,000 instructions take about 2.5 ms.
const THREAD_LIMIT: u64 = 400_000;
const WRITER_LIMIT: u64 = 2_000_000;

/// The most items of a list, and lists of a shopper.
const ITEMS: i64 = 10_000;
const LISTS: usize = 1_000;

struct Costs {
    recorder: StepRecorder,
    too_many: Vec<String>,
}

impl Costs {
    /// Notes the operations since the last call that took too many instructions.
    fn note(&mut self, what: &str) {
        for ((holds, operation), steps) in self.recorder.take() {
            let limit = if holds == Holds::Writer { WRITER_LIMIT } else { THREAD_LIMIT };
            if steps > limit {
                self.too_many.push(format!("{what}: {operation} took {steps} of {limit}"));
            }
        }
    }
}

async fn fill(client: &Client, lid: &str) {
    for some in (1..=ITEMS).collect::<Vec<_>>().chunks(500) {
        client.add(lid, some).await;
    }
}

fn elements(count: i64, element: impl Fn(i64) -> Value) -> String {
    Value::from((1..=count).map(element).collect::<Vec<_>>()).to_string()
}

async fn run_jobs(app: &TestApp) {
    while copy_next(&app.app).await.unwrap() != Rest::UntilWoken {}
    while purge_some(&app.app).await.unwrap() != Rest::UntilWoken {}
}

#[tokio::test]
async fn the_largest_inputs_hold_nobody_up() {
    let recorder = StepRecorder::new();
    let app = TestApp::start_with(Engine::Sqlite, |options| {
        options.steps = recorder.clone();
    })
    .await;
    let most = Some(1_000_000);
    let unlimited = SettingsChange {
        rate_limit: most,
        write_rate_limit: most,
        shopper_quota: most,
        address_quota: most,
        store_quota: most,
        guest_days: Some(30),
        ..SettingsChange::default()
    };
    app.set(unlimited).await;
    let mut costs = Costs { recorder, too_many: Vec::new() };
    let (guest, ann) = (app.guest().await, app.shopper("ann").await);
    let hers = ann.list("A").await;
    fill(&ann, &hers).await;
    let mut theirs = Vec::new();
    for name in ["A", "B"] {
        let lid = guest.list(name).await;
        fill(&guest, &lid).await;
        theirs.push(lid);
    }
    costs.note("adding 500 items to a long list");
    for number in 0..LISTS - 1 {
        let lid = ann.list(&format!("List {number}")).await;
        ann.add(&lid, &[1]).await;
    }
    costs.note("creating lists");

    let products =
        |n: i64| json!({ "epi": n, "empi": 1, "du": "https://shop.example/p", "pr": n, "dt": format!("Thing {n}") });
    let admin = app.store_admin();
    for start in (0..ITEMS).step_by(1_000) {
        let products: Vec<Value> = (1..=1_000).map(|n| products(start + n)).collect();
        admin.json("/storeadmin/v3/products/upsert", &json!({ "products": products })).await.ok();
    }
    costs.note("a feed of 1,000 products");

    let lid = ("lid", hers.as_str());
    for sort in
        [&[][..], &[("sortby", "price")], &[("sortby", "title"), ("sortorder", "desc")], &[("filterby", "outofstock")]]
    {
        ann.page(&hers, &[&[("itemslimit", "100")], sort].concat()).await;
        costs.note(&format!("a page {sort:?}"));
    }
    let variants = json!((1..=250).collect::<Vec<i64>>()).to_string();
    let models = json!((1_001..=1_100).collect::<Vec<i64>>()).to_string();
    for (path, fields) in [
        ("lists/fetch-user-lists", vec![]),
        ("lists/fetch-lists", vec![]),
        ("lists/fetch-list-with-contents", vec![lid]),
        ("lists/contains", vec![("epis", variants.as_str())]),
        ("product/wishlist/social-count", vec![("empis", models.as_str())]),
        (
            "lists/update-ctx",
            vec![lid, ("u", &elements(500, |n| json!({ "epi": n, "empi": 1, "du": "https://x.example/", "qty": 2 })))],
        ),
        ("lists/update-ctx", vec![lid, ("d", &elements(500, |n| json!({ "epi": n })))]),
        ("lists/update-ctx", vec![lid, ("a", &elements(500, item))]),
        ("lists/markPublic", vec![lid]),
    ] {
        ann.post(path, &fields).await.ok();
        costs.note(path);
    }

    let copy = guest.post("lists/create", &[("fromlid", &theirs[1]), ("lname", "Copy")]).await.ok();
    guest.post("lists/delete-list", &[("lid", &theirs[1])]).await.ok();
    run_jobs(&app).await;
    costs.note("copying a long list that is deleted meanwhile");
    guest.post("lists/delete-list", &[("lid", copy["lid"].as_str().unwrap())]).await.ok();
    run_jobs(&app).await;
    costs.note("deleting a long list");

    let login = [("regid", guest.regid.as_str()), ("useremail", "ann@example.com"), ("useragenttype", "test")];
    admin.form("/storeadmin/v3/user/guest-validate-sync", &login).await.ok();
    costs.note("a login that merges");
    admin.form("/storeadmin/v3/user/undo-merge", &login).await.ok();
    costs.note("undoing it");
    admin.form("/storeadmin/v3/user/guest-validate-sync", &login).await.ok();
    costs.note("logging in again");

    // As many lists as allowed, half of them with names that the shopper has.
    let crowd = app.guest().await;
    for number in 0..LISTS {
        let name = if number % 2 == 0 { format!("List {number}") } else { format!("Guest {number}") };
        let lid = crowd.list(&name).await;
        crowd.add(&lid, &[2]).await;
    }
    costs.note("a guest with many lists");
    for name in ["ann", "bea"] {
        let email = format!("{name}@example.com");
        let login = [("regid", crowd.regid.as_str()), ("useremail", email.as_str()), ("useragenttype", "test")];
        admin.form("/storeadmin/v3/user/guest-validate-sync", &login).await.ok();
        costs.note(&format!("a login of a guest with many lists to {name}"));
        admin.form("/storeadmin/v3/user/guest-validate-sync", &login).await.ok();
        costs.note(&format!("the same again to {name}"));
        admin.form("/storeadmin/v3/user/undo-merge", &login).await.ok();
        costs.note(&format!("undoing it for {name}"));
        run_jobs(&app).await;
        costs.note(&format!("jobs after it for {name}"));
    }
    ann.post("lists/live", &[("timeout", "0")]).await;
    costs.note("live lists");
    // Another guest is never seen again.
    let gone = app.guest().await;
    let lid = gone.list("Gone").await;
    fill(&gone, &lid).await;
    costs.note("before the clean-up");
    app.advance(40 * 86_400_000);
    while clean_some(&app.app).await.unwrap() != Rest::UntilWoken {}
    costs.note("cleaning up");
    admin.form("/storeadmin/v3/user/export", &login[1..2]).await;
    costs.note("an export");
    admin.form("/storeadmin/v3/user/erase", &login[1..2]).await.ok();
    run_jobs(&app).await;
    costs.note("an erasure");
    app.assert_sound().await;
    assert!(costs.too_many.is_empty(), "{:#?}", costs.too_many);
}
