//! Several servers on one PostgreSQL: to shoppers and stores they are one.

use std::io::copy;
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::Engine;
use crate::support::process::{Buyer, Ending, Server, Setup, Wire, product, until};

/// Servers that share a database and a key.
fn nodes(place: &Setup, count: usize, arguments: &[&str]) -> Vec<Server> {
    (0..count).map(|_| place.serve(arguments)).collect()
}

#[test]
fn what_one_node_has_answered_every_node_shows() {
    let place = Setup::on(Engine::Postgres);
    let nodes = nodes(&place, 3, &[]);
    let (pid, key) = place.create_store();
    let shops: Vec<_> = nodes.iter().map(|node| node.shop(&pid, &key)).collect();
    let ann = shops[0].login("ann@example.com");
    let anns: Vec<Buyer> = nodes.iter().map(|node| ann.at(node)).collect();
    let lid = ann.list("Everywhere");
    let page = |ann: &Buyer| ann.post("lists/fetch-user-list", &[("lid", &lid)]).ok()["data"].clone();
    for round in 0..30 {
        let (writer, epi) = (round % 3, 1 + round as i64);
        anns[writer].add(&lid, epi).ok();
        let title = format!("Title {round}");
        // What is new, and what every node knows by heart.
        let words = [epi, 1].map(|epi| json!({ "epi": epi, "empi": 1, "du": "https://shop.example/", "dt": title }));
        let upsert = shops[(writer + 1) % 3].json("/storeadmin/v3/products/upsert", &json!({ "products": words }));
        assert_eq!(upsert.ok()["updated"], 2);
        let name = format!("Name {round}");
        anns[(writer + 2) % 3].post("lists/update", &[("lid", &lid), ("lname", &name)]).ok();
        for ann in &anns {
            let shown = page(ann);
            assert_eq!(shown["lname"], name.as_str());
            assert_eq!(shown["cnt"], epi);
            let contents = ann.post("lists/fetch-list-with-contents", &[("lid", &lid)]).ok()["items"].clone();
            let newest = ann.post("lists/fetch-lists", &[]).ok()[0]["listcontents"].clone();
            for items in [&shown["listcontents"], &contents, &newest] {
                assert_eq!(items[0]["dt"], title.as_str());
                assert_eq!(items[round]["dt"], title.as_str());
            }
        }
    }
    // A shopper who is logged out at one node is so at all of them.
    shops[1].form("/storeadmin/v3/user/revoke-sessions", &[("useremail", "ann@example.com")]).ok();
    for ann in &anns {
        assert_eq!(ann.post("lists/fetch-user-list", &[("lid", &lid)]).status, 401);
    }
}

/// As plain as a proxy can be: it sends each connection to the next node that says it is ready.
struct Proxy {
    address: SocketAddr,
    stopped: Arc<AtomicBool>,
}

impl Proxy {
    fn before(nodes: Vec<SocketAddr>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let (address, stopped) = (listener.local_addr().unwrap(), Arc::new(AtomicBool::new(false)));
        let ready = Arc::new(Mutex::new(nodes.clone()));
        let (seen, over) = (Arc::clone(&ready), Arc::clone(&stopped));
        thread::spawn(move || {
            while !over.load(Ordering::Relaxed) {
                let are: Vec<_> = nodes.iter().copied().filter(|node| is_ready(*node)).collect();
                *seen.lock().unwrap() = are;
                thread::sleep(Duration::from_millis(50));
            }
        });
        let over = Arc::clone(&stopped);
        thread::spawn(move || {
            for (turn, client) in listener.incoming().enumerate() {
                if over.load(Ordering::Relaxed) {
                    return;
                }
                let nodes = ready.lock().unwrap().clone();
                let (before, after) = nodes.split_at(turn % nodes.len().max(1));
                let order: Vec<_> = after.iter().chain(before).copied().collect();
                thread::spawn(move || pass(client.unwrap(), &order));
            }
        });
        Self { address, stopped }
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.stopped.store(true, Ordering::Relaxed);
        let _ = TcpStream::connect(self.address);
    }
}

fn is_ready(node: SocketAddr) -> bool {
    let ask = || {
        let mut wire = Wire::try_connect(node)?;
        wire.try_send("GET /readyz HTTP/1.1\r\nHost: test\r\n\r\n")?;
        wire.try_answer()
    };
    ask().is_ok_and(|answer| answer.status == 200)
}

fn pass(client: TcpStream, nodes: &[SocketAddr]) {
    let Some(node) = nodes.iter().find_map(|node| TcpStream::connect(node).ok()) else { return };
    let (mut from_client, mut to_node) = (client.try_clone().unwrap(), node.try_clone().unwrap());
    let upwards = thread::spawn(move || {
        let _ = copy(&mut from_client, &mut to_node);
        let _ = to_node.shutdown(Shutdown::Write);
    });
    let (mut from_node, mut to_client) = (node, client);
    let _ = copy(&mut from_node, &mut to_client);
    let _ = to_client.shutdown(Shutdown::Both);
    let _ = upwards.join();
}

#[test]
fn rolling_restarts_behind_a_plain_proxy_lose_no_request() {
    const GRACE: [&str; 2] = ["--drain-grace", "1"];
    let place = Setup::on(Engine::Postgres);
    let mut nodes = nodes(&place, 3, &GRACE);
    let (pid, key) = place.create_store();
    let addresses: Vec<SocketAddr> = nodes.iter().map(|node| node.address).collect();
    let shop = nodes[0].shop(&pid, &key);
    let proxy = Proxy::before(addresses.clone());
    let (over, answered) = (AtomicBool::new(false), AtomicUsize::new(0));
    let buyers: Vec<(Buyer, String)> = (0..4)
        .map(|number| {
            let buyer = Buyer { address: proxy.address, ..shop.login(&format!("b{number}@example.com")) };
            let lid = buyer.list("Wishes");
            (buyer, lid)
        })
        .collect();
    let added: Vec<Vec<i64>> = thread::scope(|scope| {
        let (over, answered) = (&over, &answered);
        let workers: Vec<_> =
            buyers.iter().map(|(buyer, lid)| scope.spawn(move || keep_adding(buyer, lid, over, answered))).collect();
        let ending = Ending(over);
        for address in &addresses {
            let old = nodes.remove(0);
            let before = answered.load(Ordering::Relaxed);
            until("requests go on", || answered.load(Ordering::Relaxed) > before + 20);
            old.stop();
            nodes.push(place.serve_at(address.port(), &GRACE));
            until("the node is back", || is_ready(*address));
        }
        drop(ending);
        workers.into_iter().map(|worker| worker.join().unwrap()).collect()
    });
    for ((buyer, lid), mut added) in buyers.iter().zip(added) {
        added.reverse();
        assert_eq!(buyer.contents(lid), added);
    }
}

/// Adds one item after the other over connections that stay open as long as the server lets them.
fn keep_adding(buyer: &Buyer, lid: &str, over: &AtomicBool, answered: &AtomicUsize) -> Vec<i64> {
    let (mut wire, mut added) = (None, Vec::new());
    while !over.load(Ordering::Relaxed) {
        let epi = 1 + added.len() as i64;
        let call =
            buyer.call("lists/update-ctx", "", &[("lid", lid), ("a", &Value::from(vec![product(epi)]).to_string())]);
        let answer = wire.get_or_insert_with(|| Wire::connect(buyer.address)).ask(&call);
        assert_eq!(answer.status, 200, "{}", answer.body);
        added.push(epi);
        answered.fetch_add(1, Ordering::Relaxed);
        if answer.header("connection") == Some("close") {
            wire = None;
        }
    }
    added
}
