//! No answer is stale: two servers on one database, commands beside them, and somebody who changes rows by hand. After
//! each random write, by any of them, both servers answer what the database has, although they keep product fields in memory.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::process::{Answer, Buyer, Ending, Server, Setup, Shop, product};
use crate::support::{Random, seed};

const STEPS: usize = 120;
const SHOPPERS: [&str; 2] = ["ann@example.com", "bob@example.com"];
const NAMES: [&str; 3] = ["Gifts", "Summer", "Home"];
const VARIANTS: u64 = 12;
/// Between reads during the writes.
const PAUSE: Duration = Duration::from_millis(2);
/// Lists that are read after each write.
const SAMPLE: usize = 3;

both_setups! {
    fn caches_of_two_servers_and_writes_by_other_processes_agree(setup: Setup) {
        agree(&setup);
    }
}

fn agree(setup: &Setup) {
    let servers = [setup.serve(&[]), setup.serve(&[])];
    let (pid, key) = setup.create_store();
    setup.run(&["store", "set", &pid, "--rate-limit", "1000/s", "--address-rate-limit", "1000/s"]).ok();
    let shops = [0, 1].map(|number: usize| servers[number].shop(&pid, &key));
    let mut world = World::new(setup, &servers, shops);
    let (known, is_over) = (Mutex::new(Vec::new()), AtomicBool::new(false));
    std::thread::scope(|scope| {
        // Reads during the writes fill the caches at every moment.
        for server in &servers {
            let (known, is_over) = (&known, &is_over);
            scope.spawn(move || {
                while !is_over.load(Ordering::Relaxed) {
                    let pages: Vec<(Buyer, String)> = known.lock().unwrap().clone();
                    for (buyer, lid) in pages {
                        let answer = page(&buyer.at(server), &lid, &[]);
                        assert!(answer.status < 500 || answer.status == 503, "{answer:?}");
                        std::thread::sleep(PAUSE);
                    }
                }
            });
        }
        let _ending = Ending(&is_over);
        for step in 0..STEPS {
            let wrote = world.write();
            *known.lock().unwrap() =
                world.lists.iter().map(|(who, lid)| (world.people[*who].clone(), lid.clone())).collect();
            world.compare(&format!("step {step}: {wrote}"));
        }
    });
}

fn page(buyer: &Buyer, lid: &str, order: &[(&str, &str)]) -> Answer {
    buyer.post("lists/fetch-user-list", &[&[("lid", lid)], order].concat())
}

struct World<'a> {
    setup: &'a Setup,
    servers: &'a [Server; 2],
    shops: [Shop; 2],
    random: Random,
    people: Vec<Buyer>,
    /// The first names that were saved.
    names: [Option<String>; 2],
    /// Lists that exist or did, and whose they are or were.
    lists: Vec<(usize, String)>,
    /// The regids of guests who have become a shopper.
    merged: Vec<(String, usize)>,
    count: usize,
}

impl<'a> World<'a> {
    fn new(setup: &'a Setup, servers: &'a [Server; 2], shops: [Shop; 2]) -> Self {
        let people: Vec<Buyer> = SHOPPERS.iter().map(|email| shops[0].login(email)).collect();
        let lists = people.iter().enumerate().map(|(who, buyer)| (who, buyer.list(NAMES[0]))).collect();
        let (random, names, merged) = (Random::new(seed()), [None, None], Vec::new());
        Self { setup, servers, shops, random, people, names, lists, merged, count: 0 }
    }

    fn below(&mut self, bound: usize) -> usize {
        self.random.below(bound as u64) as usize
    }

    fn item(&mut self) -> Value {
        product(1 + self.random.below(VARIANTS) as i64)
    }

    fn list_of(&mut self, who: usize) -> Option<String> {
        let own: Vec<String> =
            self.lists.iter().filter(|(owner, _)| *owner == who).map(|(_, lid)| lid.clone()).collect();
        (!own.is_empty()).then(|| self.random.pick(&own).clone())
    }

    /// Writes something by one of the servers, a command or by hand. Returns what.
    fn write(&mut self) -> String {
        self.count += 1;
        let (at, who) = (self.below(2), self.below(2));
        let (buyer, shop) = (self.people[who].at(&self.servers[at]), self.shops[at].clone());
        let text = format!("{} {}", *self.random.pick(&NAMES), self.count);
        let Some(lid) = self.list_of(who) else { return self.create(&buyer, who) };
        let (what, answer) = match self.below(20) {
            0..=4 => {
                let (added, deleted) = (json!([self.item(), self.item()]), json!([self.item()]));
                let fields = [("lid", &*lid), ("a", &added.to_string()), ("d", &deleted.to_string())];
                ("items", buyer.post("lists/update-ctx", &fields))
            }
            5 => ("list", buyer.post("lists/update", &[("lid", &lid), ("lname", &text)])),
            6..=7 => {
                let mut product = self.item();
                product["dt"] = text.into();
                ("product", shop.json("/storeadmin/v3/products/upsert", &json!({ "products": [product] })))
            }
            8 => return self.create(&buyer, who),
            9 => ("deletion", buyer.post("lists/delete-list", &[("lid", &lid)])),
            10 => {
                let to = self.list_of(who).unwrap_or_default();
                let items = json!([self.item(), self.item(), self.item()]).to_string();
                ("move", buyer.post("lists/move-items", &[("fromlid", &lid), ("tolid", &to), ("items", &items)]))
            }
            11 => {
                self.names[who] = Some(text.clone());
                ("profile", buyer.post("user/save", &[("fname", &text)]))
            }
            12..=13 => return self.log_in(&shop, who),
            14 => {
                let Some((regid, who)) = self.merged.pop() else { return self.log_in(&shop, who) };
                let fields = [("regid", &*regid), ("useremail", SHOPPERS[who])];
                ("undo", shop.form("/storeadmin/v3/user/undo-merge", &fields))
            }
            15 => {
                let made = buyer.post("lists/share-links/create", &[("lid", &lid), ("scope", "edit")]);
                let key = serde_json::from_str::<Value>(&made.body).unwrap()["link"]["key"].clone();
                let editor = self.people[1 - who].at(&self.servers[at]);
                let added = json!([self.item()]).to_string();
                let key = key.as_str().unwrap_or("none");
                ("edit by a link", editor.post("lists/update-ctx", &[("lid", key), ("a", &added)]))
            }
            16 => {
                let made = buyer.post("lists/create", &[("lname", &text), ("fromlid", &lid)]);
                self.learn(who, &made);
                ("copy", made)
            }
            17 => {
                self.setup.tamper(&format!("update lists set name = '{text}', version = version + 1"));
                return "names, by hand".to_owned();
            }
            18 => return self.revoke(&shop, who),
            _ => return self.erase_or_close(who),
        };
        assert!(answer.status < 500, "{what}: {answer:?}");
        format!("{what} at server {at}: {}", answer.status)
    }

    fn create(&mut self, buyer: &Buyer, who: usize) -> String {
        let name = *self.random.pick(&NAMES);
        let made = buyer.post("lists/create", &[("lname", name)]);
        self.learn(who, &made);
        "new list".to_owned()
    }

    fn learn(&mut self, who: usize, made: &Answer) {
        let made: Value = serde_json::from_str(&made.body).unwrap();
        self.lists.extend(made["lid"].as_str().map(|lid| (who, lid.to_owned())));
    }

    /// A guest with a list becomes a shopper.
    fn log_in(&mut self, shop: &Shop, who: usize) -> String {
        let (guest, name) = (shop.guest(), *self.random.pick(&NAMES));
        let lid = guest.list(name);
        for _ in 0..3 {
            let epi = 1 + self.random.below(VARIANTS) as i64;
            guest.add(&lid, epi).ok();
        }
        let fields = [("regid", &*guest.regid), ("useremail", SHOPPERS[who])];
        shop.form("/storeadmin/v3/user/guest-validate-sync", &fields).ok();
        self.lists.push((who, lid));
        self.merged.push((guest.regid, who));
        "login".to_owned()
    }

    /// A command or a server logs a shopper out, or everybody.
    fn revoke(&mut self, shop: &Shop, who: usize) -> String {
        let all = self.random.one_in(2);
        if self.random.one_in(2) {
            let one = ["store", "revoke-sessions", &shop.pid, "--email", SHOPPERS[who]];
            self.setup.run(if all { &one[..3] } else { &one }).ok();
        } else {
            let fields = if all { ("all", "true") } else { ("useremail", SHOPPERS[who]) };
            shop.form("/storeadmin/v3/user/revoke-sessions", &[fields]).ok();
        }
        for number in (0..SHOPPERS.len()).filter(|number| all || *number == who) {
            for server in self.servers {
                assert_eq!(self.people[number].at(server).post("lists/fetch-lists", &[]).status, 401, "revoked");
            }
            self.people[number] = self.shops[0].login(SHOPPERS[number]);
        }
        "revoked sessions".to_owned()
    }

    /// A command erases a shopper, or closes the store for a moment.
    fn erase_or_close(&mut self, who: usize) -> String {
        let pid = self.shops[0].pid.clone();
        if self.random.one_in(4) {
            self.setup.run(&["user", "erase", &pid, "--email", SHOPPERS[who], "--yes"]).ok();
            self.people[who] = self.shops[0].login(SHOPPERS[who]);
            self.names[who] = None;
            self.merged.retain(|(_, shopper)| *shopper != who);
            return "erased".to_owned();
        }
        self.setup.run(&["store", "set", &pid, "--maintenance", "on"]).ok();
        for server in self.servers {
            self.people[who].at(server).post("lists/fetch-lists", &[]).fails(503, "maintenance");
        }
        self.setup.run(&["store", "set", &pid, "--maintenance", "off"]).ok();
        "maintenance".to_owned()
    }

    /// Compares answers with product fields from memory with those of the database: the ascending order joins the products.
    fn compare(&mut self, after: &str) {
        let newest = self.lists.last().cloned();
        let mut sample: Vec<(usize, String)> =
            (1..SAMPLE).map(|_| self.random.pick(&self.lists).clone()).chain(newest).collect();
        sample.dedup();
        for (who, lid) in sample {
            for server in self.servers {
                let buyer = self.people[who].at(server);
                let fresh = page(&buyer, &lid, &[("sortorder", "asc")]);
                for _ in 0..2 {
                    let cached = page(&buyer, &lid, &[]);
                    assert_eq!(cached.status, fresh.status, "{after}: {cached:?} {fresh:?}");
                    if cached.status == 200 {
                        assert_eq!(cached.ok()["data"], newest_first(fresh.ok())["data"], "{after}");
                    }
                }
                let lists = buyer.post("lists/fetch-lists", &[]).ok();
                let listed = lists.as_array().unwrap().iter().find(|list| list["lid"] == *lid);
                assert_eq!(listed.is_some(), fresh.status == 200, "{after}: {lists}");
                if let Some(listed) = listed {
                    let data = newest_first(fresh.ok())["data"].clone();
                    for part in ["lname", "cnt", "version", "listcontents"] {
                        assert_eq!(listed[part], data[part], "{after}");
                    }
                    if let Some(name) = &self.names[who] {
                        assert_eq!(data["userinfo"]["fname"], **name, "{after}");
                    }
                }
            }
        }
    }
}

fn newest_first(mut page: Value) -> Value {
    page["data"]["listcontents"].as_array_mut().unwrap().reverse();
    page
}
