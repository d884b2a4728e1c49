//! `wishbone user …`, beside a running server.

use serde_json::{Value, json};

const ANN: &str = "ann@example.com";

both_setups! {
    fn a_person_is_exported_and_erased_while_the_server_runs(setup: Setup) {
        let (_server, shop) = setup.shop(&[]);
        let ann = shop.login(ANN);
        let lid = ann.list("A");
        ann.add(&lid, 1).ok();
        let export = |email: &str| -> Value {
            let exported = setup.run(&["user", "export", &shop.pid, "--email", email]);
            serde_json::from_str(exported.ok()).unwrap()
        };
        assert_eq!(export(" ANN@example.com ")["lists"][0]["listcontents"][0]["epi"], 1);
        assert_eq!(export("nobody@example.com")["found"], false);

        let file = setup.folder().join("ann.json");
        let path = file.to_str().unwrap();
        setup.run(&["user", "export", &shop.pid, "--email", ANN, "--out", path]).ok();
        assert!(std::fs::read_to_string(&file).unwrap().contains("listcontents"));
        setup.run(&["user", "export", &shop.pid, "--email", ANN, "--out", path]).fails(&["cannot create", "exists"]);

        setup.run(&["user", "erase", &shop.pid, "--email", ANN]).fails(&["--yes"]);
        let erased = setup.json(&["user", "erase", &shop.pid, "--email", ANN, "--yes"]);
        assert_eq!((&erased["lists"], &erased["items"]), (&json!(1), &json!(1)));
        ann.post("lists/fetch-user-lists", &[]).fails(401, "bad-regid");
        assert_eq!(export(ANN)["found"], false);
        let again = setup.run(&["user", "erase", &shop.pid, "--email", ANN, "--yes"]);
        assert!(again.ok().contains("Nothing is stored"), "{again:?}");
        setup.run(&["user", "erase", &shop.pid, "--email", "nonsense", "--yes"]).fails(&["--email"]);
        setup.run(&["user", "export", "typo", "--email", ANN]).fails(&["unknown store", "wishbone store list"]);
    }
}
