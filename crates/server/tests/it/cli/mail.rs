//! `wishbone mail …`, beside a running server.

use serde_json::json;

both_setups! {
    fn mails_are_customized_previewed_and_tested(setup: Setup) {
        let (_server, shop) = setup.shop(&[]);
        let pid = shop.pid.as_str();
        let file = |name: &str| setup.folder().join(name).to_str().unwrap().to_owned();
        let (template, html) = (file("button.html"), file("preview.html"));

        assert!(setup.run(&["mail", "template", "list", pid]).ok().contains("alert.html"));
        let builtin = setup.run(&["mail", "template", "show", pid, "button.html"]).ok().to_owned();
        assert!(builtin.contains("{{ label }}"), "{builtin}");
        std::fs::write(&template, "<a class=\"own\" href=\"{{ target }}\">{{ label }}</a>").unwrap();
        setup.run(&["mail", "template", "set", pid, "button.html", &template]).ok();
        setup.run(&["mail", "text", "set", pid, "alert.button", "Los", "--language", "de"]).ok();
        let preview = setup.run(&["mail", "preview", pid, "--topic", "lowstock", "--language", "de", "--html", &html]);
        assert!(preview.ok().contains("Subject: Fast ausverkauft: Linen shirt"), "{preview:?}");
        let shown = std::fs::read_to_string(&html).unwrap();
        assert!(shown.contains("class=\"own\"") && shown.contains(">Los<"), "{shown}");

        std::fs::write(&template, "\n{{ labl }}").unwrap();
        setup.run(&["mail", "template", "set", pid, "button.html", &template]).fails(&["button.html", "line 2"]);
        setup.run(&["mail", "text", "set", pid, "alert.buton", "Los", "--language", "de"]).fails(&["unknown key", "alert.button"]);
        setup.run(&["mail", "preview", pid, "--kind", "newsletter"]).fails(&["alert, confirmation"]);

        let texts = setup.json(&["mail", "text", "list", pid, "--language", "en"]);
        let polish = file("pl.json");
        std::fs::write(&polish, texts.to_string()).unwrap();
        let imported = setup.json(&["mail", "text", "import", pid, &polish, "--language", "pl"]);
        assert_eq!(imported["missing"], json!([]));
        assert_eq!(setup.json(&["mail", "preview", pid, "--language", "pl"])["language"], "pl");
        std::fs::write(&polish, "{\"alert.button\": \"Kup\"}").unwrap();
        assert!(setup.run(&["mail", "text", "import", pid, &polish, "--language", "cs"]).ok().contains("not used yet"));

        // The languages of the store are those that have texts, or a more general one that has.
        setup.run(&["store", "set", pid, "--language", "sv"]).fails(&[
            "no texts in sv, only in cs, de, en, es, fr, it, ja, nl, pl, pt",
            &format!("wishbone mail text import {pid} FILE --language sv"),
        ]);
        for language in ["pl", "cs", "de-AT", "pt-BR"] {
            assert_eq!(setup.json(&["store", "set", pid, "--language", language])["language"], language);
        }
        setup.run(&["store", "set", pid, "--language", "en"]).ok();

        setup.run(&["mail", "template", "reset", pid, "button.html"]).ok();
        assert_eq!(setup.run(&["mail", "template", "show", pid, "button.html"]).ok(), builtin);
        setup.run(&["mail", "text", "reset", pid, "--language", "de"]).ok();
        assert!(setup.run(&["mail", "failed", pid]).ok().contains("No mail was given up"));
        assert_eq!(setup.json(&["mail", "failed", pid]), json!({ "mails": [] }));
        setup.run(&["mail", "send-test", pid, "--to", "owner@shop.example", "--kind", "list"]).ok();
        setup.run(&["mail", "send-test", pid, "--to", "nobody"]).fails(&["--to", "e-mail address"]);
    }
}
