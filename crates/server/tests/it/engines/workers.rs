//! Workers of a sharded database. Runs on Citus only.

use futures_util::future::join_all;
use tokio_postgres::{Client, Config, NoTls};
use wishbone_storage::Location;

use crate::support::{Engine, TestApp, epis, is_on_citus};

/// Where the shoppers of a store are.
struct Shard {
    table: String,
    port: u16,
}

async fn shard(coordinator: &Client, store_id: i64) -> Shard {
    let sql = "select current_schema() || '.shoppers_' || p.shardid, n.nodeport
               from pg_dist_placement p join pg_dist_node n on n.groupid = p.groupid
               where p.shardid = get_shard_id_for_distribution_column('shoppers', $1::bigint)";
    let row = coordinator.query_one(sql, &[&store_id]).await.unwrap();
    Shard { table: row.get(0), port: row.get::<_, i32>(1).try_into().unwrap() }
}

/// A connection to a worker on this machine.
async fn connect(app: &TestApp, port: u16) -> Client {
    let Location::Postgres(url) = app.location() else { panic!("SQLite has no workers") };
    let coordinator: Config = url.parse().unwrap();
    let mut config = Config::new();
    config.host("127.0.0.1").port(port).user(coordinator.get_user().unwrap()).dbname(coordinator.get_dbname().unwrap());
    let (client, connection) = config.connect(NoTls).await.unwrap();
    tokio::spawn(connection);
    client
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_stores_of_a_worker_that_does_not_respond_leave_connections_to_others() {
    if !is_on_citus() {
        return;
    }
    const CONNECTIONS: usize = 8;
    let app = TestApp::start(Engine::Postgres).await;
    let coordinator = app.connect().await;
    let stuck = shard(&coordinator, 1).await;
    let mut store_id = 1;
    let elsewhere = loop {
        let store = app.create_store(Default::default()).await;
        store_id += 1;
        if shard(&coordinator, store_id).await.port != stuck.port {
            break store;
        }
    };
    let app = app.limiting_workers(CONNECTIONS).await;
    let (ann, bob) = (app.shopper("ann").await, app.shopper_of(&elsewhere, "bob").await);

    let worker = connect(&app, stuck.port).await;
    worker.batch_execute("set citus.enable_manual_changes_to_shards = on").await.unwrap();
    worker.batch_execute(&format!("begin; lock table {} in access exclusive mode", stuck.table)).await.unwrap();
    let calls = join_all((0..2 * CONNECTIONS).map(|_| ann.post("lists/fetch-user-lists", &[])));
    let others = async {
        let waiting = "select count(*) from pg_locks where not granted and relation = to_regclass($1::text)";
        while worker.query_one(waiting, &[&stuck.table]).await.unwrap().get::<_, i64>(0) < CONNECTIONS as i64 / 2 {
            tokio::task::yield_now().await;
        }
        for _ in 0..10 {
            bob.post("lists/fetch-user-lists", &[]).await.ok();
        }
        worker.batch_execute("rollback").await.unwrap();
    };
    let (replies, ()) = tokio::join!(calls, others);
    for reply in replies {
        assert!(reply.status == 200 || reply.status == 503, "{}", reply.text());
    }
    ann.post("lists/fetch-user-lists", &[]).await.ok();
}

/// Calls run on the worker of their store, on a connection of their own: it would have another name if the coordinator had
/// opened it. They stay correct after these connections were lost, and after the store was moved to another worker.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn calls_run_on_the_worker_of_their_store_and_survive_its_loss_and_a_move() {
    if !is_on_citus() {
        return;
    }
    let app = TestApp::start(Engine::Postgres).await;
    let coordinator = app.connect().await;
    let shard = shard(&coordinator, 1).await;
    let ann = app.shopper("ann").await;
    let lid = ann.list("Wishes").await;
    ann.add(&lid, &[1]).await;

    let worker = connect(&app, shard.port).await;
    worker.batch_execute("set citus.enable_manual_changes_to_shards = on").await.unwrap();
    worker.batch_execute(&format!("begin; lock table {} in access exclusive mode", shard.table)).await.unwrap();
    let page = ann.page(&lid, &[]);
    let name = async {
        let sql = "select a.application_name from pg_locks l join pg_stat_activity a on a.pid = l.pid
                   where not l.granted and l.relation = to_regclass($1::text)";
        let name = loop {
            if let Some(row) = worker.query_opt(sql, &[&shard.table]).await.unwrap() {
                break row.get::<_, String>(0);
            }
            tokio::task::yield_now().await;
        };
        worker.batch_execute("rollback").await.unwrap();
        name
    };
    let (page, name) = tokio::join!(page, name);
    assert_eq!(epis(&page["data"]["listcontents"]), [1]);
    assert!(!name.starts_with("citus_internal"), "{name}");

    let end = "select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1";
    assert!(worker.execute(end, &[&name]).await.unwrap() >= 1);
    assert_eq!(epis(&ann.page(&lid, &[]).await["data"]["listcontents"]), [1]);

    let sql =
        "select citus_move_shard_placement(p.shardid, n.nodename, n.nodeport, t.nodename, t.nodeport, 'block_writes')
               from pg_dist_placement p join pg_dist_node n on n.groupid = p.groupid,
                    (select nodename, nodeport from pg_dist_node
                     where shouldhaveshards and isactive and nodeport <> $1 limit 1) t
               where p.shardid = get_shard_id_for_distribution_column('shoppers', 1)";
    coordinator.execute(sql, &[&i32::from(shard.port)]).await.unwrap();
    ann.add(&lid, &[2]).await;
    assert_eq!(epis(&ann.page(&lid, &[]).await["data"]["listcontents"]), [2, 1]);
}
