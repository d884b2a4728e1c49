//! Load shedding.

use std::collections::BTreeMap;

use crate::support::process::{Answer, Buyer, Server, Setup, Wire, product};

/// In every round, sends each call on a connection of its own, all before the first response is read.
fn flood(server: &Server, rounds: usize, calls: &[String]) -> Vec<Answer> {
    let mut wires: Vec<Wire> = calls.iter().map(|_| Wire::connect(server.address)).collect();
    let mut answers = Vec::new();
    for _ in 0..rounds {
        for (wire, call) in wires.iter_mut().zip(calls) {
            wire.send(call);
        }
        answers.extend(wires.iter_mut().map(Wire::answer));
    }
    answers
}

fn adding(ann: &Buyer, lid: &str, epi: i64) -> String {
    ann.call("lists/update-ctx", "", &[("lid", lid), ("a", &serde_json::Value::from(vec![product(epi)]).to_string())])
}

both_setups! {
    fn an_overloaded_server_rejects_with_503_immediately_and_recovers(setup: Setup) {
        let (server, shop) = setup.shop(&["--max-requests", "4"]);
        let ann = shop.login("ann@example.com");
        let lid = ann.list("A");
        let calls: Vec<String> = (1..=200).map(|epi| adding(&ann, &lid, epi)).collect();
        flood(&server, 2, &calls);
        let before = server.memory();
        let answers = flood(&server, 10, &calls);
        assert_eq!(answers.len(), 2_000, "every request is answered");
        let mut seen = BTreeMap::new();
        for answer in &answers {
            *seen.entry(answer.status).or_insert(0) += 1;
            if answer.status == 503 {
                answer.fails(503, "overloaded");
                assert_eq!(answer.header("retry-after"), Some("1"));
                assert!(answer.header("x-request-id").is_some());
            }
        }
        assert_eq!(seen.keys().copied().collect::<Vec<_>>(), [200, 503], "{seen:?}");
        let grown = server.memory() - before;
        assert!(grown < 32 * 1_024, "{grown} KiB more than before");

        // Rejected adds have no effect; acknowledged ones are stored.
        let there = ann.contents(&lid);
        for answer in answers.iter().filter(|answer| answer.status == 200) {
            let epi = answer.ok()["a"][0]["epi"].as_i64().unwrap();
            assert!(there.contains(&epi), "{epi} was answered");
        }
        for epi in 301..=310 {
            ann.add(&lid, epi).ok();
        }
        assert_eq!(server.get("/readyz").ok()["status"], "ok");
        assert_eq!(setup.json(&["check"])["ok"], true);
    }

    fn a_burst_of_reads_is_served_completely(setup: Setup) {
        let (server, shop) = setup.shop(&[]);
        let ann = shop.login("ann@example.com");
        let lid = ann.list("A");
        ann.add(&lid, 1).ok();
        let calls = vec![ann.call("lists/fetch-user-list", "", &[("lid", &lid)]); 500];
        let answers = flood(&server, 4, &calls);
        assert_eq!(answers.len(), 2_000);
        let strange: Vec<&Answer> = answers.iter().filter(|answer| ![200, 503].contains(&answer.status)).collect();
        assert!(strange.is_empty(), "{strange:?}");
        assert!(answers.iter().any(|answer| answer.status == 200));
        ann.post("lists/fetch-user-list", &[("lid", &lid)]).ok();
        assert!(!server.log().contains("panicked"));
    }
}

#[test]
fn slow_senders_do_not_block_others() {
    let setup = Setup::new();
    let (server, shop) = setup.shop(&["--max-requests", "2"]);
    let ann = shop.login("ann@example.com");
    let lid = ann.list("A");
    let call = adding(&ann, &lid, 1);
    let mut slow: Vec<Wire> = (0..20).map(|_| server.connect()).collect();
    for wire in &mut slow {
        wire.send(&call[..call.len() - 5]);
    }
    ann.add(&lid, 2).ok();
    assert_eq!(ann.contents(&lid), [2]);
    for wire in &mut slow {
        wire.send(&call[call.len() - 5..]);
        wire.answer().ok();
    }
    assert_eq!(ann.contents(&lid), [1, 2]);
}
