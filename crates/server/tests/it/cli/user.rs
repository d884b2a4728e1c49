//! `wishbone user …`, beside a running server.

use serde_json::{Value, json};

const ANN: &str = "ann@example.com";

both_places! {
    fn a_person_is_exported_and_erased_while_the_server_runs(place: Setup) {
        let (_server, shop) = place.shop(&[]);
        let ann = shop.login(ANN);
        let lid = ann.list("A");
        ann.add(&lid, 1).ok();
        let export = |email: &str| -> Value {
            let exported = place.run(&["user", "export", &shop.pid, "--email", email]);
            serde_json::from_str(exported.ok()).unwrap()
        };
        assert_eq!(export(" ANN@example.com ")["lists"][0]["listcontents"][0]["epi"], 1);
        assert_eq!(export("nobody@example.com")["found"], false);

        let file = place.folder().join("ann.json");
        let path = file.to_str().unwrap();
        place.run(&["user", "export", &shop.pid, "--email", ANN, "--out", path]).ok();
        assert!(std::fs::read_to_string(&file).unwrap().contains("listcontents"));
        place.run(&["user", "export", &shop.pid, "--email", ANN, "--out", path]).fails(&["cannot write", "exists"]);

        place.run(&["user", "erase", &shop.pid, "--email", ANN]).fails(&["--yes"]);
        let erased = place.json(&["user", "erase", &shop.pid, "--email", ANN, "--yes"]);
        assert_eq!((&erased["lists"], &erased["items"]), (&json!(1), &json!(1)));
        ann.post("lists/fetch-user-lists", &[]).fails(401, "bad-regid");
        assert_eq!(export(ANN)["found"], false);
        let again = place.run(&["user", "erase", &shop.pid, "--email", ANN, "--yes"]);
        assert!(again.ok().contains("Nothing is kept"), "{again:?}");
        place.run(&["user", "erase", &shop.pid, "--email", "nonsense", "--yes"]).fails(&["--email"]);
        place.run(&["user", "export", "typo", "--email", ANN]).fails(&["no store has", "wishbone store list"]);
    }
}
