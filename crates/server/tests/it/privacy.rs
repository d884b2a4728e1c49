//! What a store owes the people it knows: handing over everything, and forgetting it.

use futures_util::future::join_all;
use serde_json::{Value, json};
use wishbone_core::error::Code;
use wishbone_core::identity::caller::Claim;
use wishbone_core::identity::shoppers::SaveProfile;
use wishbone_core::lists::access::{ListRef, ListTarget};
use wishbone_core::lists::create::{CreateList, ListDetails};
use wishbone_core::lists::duplicate::DuplicateList;
use wishbone_core::lists::save_for_later::EnsureSaveForLater;
use wishbone_core::sharing::comments::AddComment;
use wishbone_core::stores::record_cache::RecordCache;
use wishbone_storage::Location;

use crate::support::{Client, FORM, NOW, TABLES, TestApp, encode_form, item};

const ANN: &str = "ann@example.com";

/// Everything of the database that can be read: its files, or, where those are another server's, all its rows.
async fn everything(app: &TestApp) -> Vec<u8> {
    match app.location() {
        Location::Sqlite(path) => {
            let files = std::fs::read_dir(path.parent().unwrap()).unwrap();
            files.flat_map(|file| std::fs::read(file.unwrap().path()).unwrap()).collect()
        }
        Location::Postgres(_) => {
            let mut out = Vec::new();
            for &table in TABLES {
                out.extend(app.app.database.dump(table).await.unwrap().concat().into_bytes());
            }
            out
        }
    }
}

fn contains(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|window| window == text.as_bytes())
}

async fn link(owner: &Client, lid: &str) -> String {
    let made = owner.post("lists/share-links/create", &[("lid", lid), ("scope", "edit"), ("label", "friends")]).await;
    made.ok()["link"]["key"].as_str().unwrap().to_owned()
}

/// Ann with a bit of everything, on her own lists and on Bob's; answers the lid of Bob's list.
async fn fill(app: &TestApp, ann: &Client, bob: &Client) -> String {
    let admin = app.store_admin();
    let guest = app.browser().await;
    guest.post("user/save", &[("fname", "Ann-As-Guest")]).await.ok();
    let lid = guest.list("Guest-List-Of-Ann").await;
    guest.add(&lid, &[7]).await;
    let merge = [("regid", guest.regid.as_str()), ("useremail", ANN), ("sessionid", &guest.sessionid)];
    admin.form("/storeadmin/v3/user/guest-validate-sync", &merge).await.ok();
    ann.post("user/save", &[("fname", "Ann-First"), ("lname", "Ann-Last"), ("language", "de")]).await.ok();
    let (summer, winter) = (ann.list("Summer-Of-Ann").await, ann.list("Winter-Of-Ann").await);
    let items: Vec<Value> = (1..=60)
        .map(|n| json!({ "epi": n, "empi": n, "du": "https://shop.example/p", "note": "Note-Of-Ann" }))
        .collect();
    ann.add_items(&summer, &Value::from(items)).await;
    ann.post("lists/update", &[("lid", &winter), ("archived", "true")]).await.ok();
    ann.post("lists/comments/add", &[("lid", &summer), ("epi", "1"), ("text", "Comment-Of-Ann")]).await.ok();
    link(ann, &summer).await;
    let his = bob.list("Bobs").await;
    bob.add(&his, &[1]).await;
    let key = link(bob, &his).await;
    ann.add(&key, &[2, 3]).await;
    ann.post("lists/comments/add", &[("lid", &key), ("epi", "1"), ("text", "Elsewhere-By-Ann")]).await.ok();
    bob.post("lists/comments/add", &[("lid", &his), ("epi", "1"), ("text", "By-Bob")]).await.ok();
    let subscribe = [
        ("medium", "email"),
        ("mediumvalue", ANN),
        ("products", &json!([item(1), item(2)]).to_string()),
        ("topics", r#"["backinstock"]"#),
    ];
    let call = |key: &'static str, fields: Vec<(&str, &str)>| {
        let body = encode_form(&fields);
        let admin = admin.clone();
        async move {
            let headers = [FORM, ("idempotency-key", key)];
            admin.send_with("POST", "/storeadmin/bispa/subscriptions/create", &headers, body).await.ok()
        }
    };
    ann.post("lists/emailList", &[("lid", &summer), ("fromname", "Ann"), ("toemail", "cid@example.com")]).await.ok();
    bob.post("lists/emailList", &[("lid", &his), ("fromname", "Bob"), ("toemail", ANN)]).await.ok();
    call("one", subscribe.to_vec()).await;
    call("two", vec![("medium", "email"), ("mediumvalue", "bob@example.com"), subscribe[2], subscribe[3]]).await;
    his
}

both_engines! {
    async fn an_export_has_everything_and_nothing_of_others(app: TestApp) {
        let (ann, bob) = (app.shopper("ann").await, app.shopper("bob").await);
        fill(&app, &ann, &bob).await;
        let reply = app.store_admin().form("/storeadmin/v3/user/export", &[("useremail", " ANN@example.com ")]).await;
        let all = reply.ok();
        assert_eq!((&all["found"], &all["email"]), (&json!(true), &json!(ANN)));
        assert_eq!(all["profile"]["userinfo"]["fname"], "Ann-First");
        assert_eq!(all["profile"]["language"], "de");
        let lists = all["lists"].as_array().unwrap();
        assert_eq!(lists.len(), 3, "the archived one too");
        assert_eq!(lists[1]["listcontents"].as_array().unwrap().len(), 60, "all items, not a page");
        assert_eq!(lists[1]["comments"][0]["text"], "Comment-Of-Ann");
        assert_eq!(lists[1]["links"][0]["label"], "friends");
        let said: Vec<&str> = all["comments"].as_array().unwrap().iter().map(|c| c["text"].as_str().unwrap()).collect();
        assert_eq!(said, ["Comment-Of-Ann", "Elsewhere-By-Ann"]);
        assert_eq!(all["subscriptions"].as_array().unwrap().len(), 2);
        let mails: Vec<&Value> = all["mails"].as_array().unwrap().iter().map(|mail| &mail["received"]).collect();
        assert!(mails.len() == 2 && mails.contains(&&json!(true)) && mails.contains(&&json!(false)), "{mails:?}");
        assert!(!reply.text().contains("bob@") && !reply.text().contains("By-Bob"), "{}", reply.text());
    }

    async fn of_a_stranger_nothing_is_found(app: TestApp) {
        let all = app.store_admin().form("/storeadmin/v3/user/export", &[("useremail", ANN)]).await.ok();
        assert_eq!((&all["found"], &all["subscriptions"]), (&json!(false), &json!([])));
        let erased = app.store_admin().form("/storeadmin/v3/user/erase", &[("useremail", ANN)]).await.ok();
        assert_eq!(erased["erased"]["shoppers"], 0);
    }

    async fn after_erasing_the_whole_database_has_nothing_of_the_person(app: TestApp) {
        let (ann, bob) = (app.shopper("ann").await, app.shopper("bob").await);
        let his = fill(&app, &ann, &bob).await;
        let words = [ANN, "cid@example.com", "Ann-As-Guest", "Guest-List-Of-Ann", "Ann-First", "Ann-Last", "Summer-Of-Ann", "Note-Of-Ann", "Comment-Of-Ann", "Elsewhere-By-Ann"];
        let before = everything(&app).await;
        assert!(words.iter().all(|word| contains(&before, word)), "otherwise this proves nothing");
        let reply = app.store_admin().form("/storeadmin/v3/user/erase", &[("useremail", ANN)]).await.ok();
        let erased = json!({
            "shoppers": 1, "lists": 3, "items": 61, "comments": 1, "subscriptions": 2, "mails": 2, "answers": 0, "events": 0,
        });
        assert_eq!(reply["erased"], erased);
        let after = everything(&app).await;
        for word in words {
            assert!(!contains(&after, word), "{word} is still there");
        }
        // Bob has what is his: his list with what Ann brought, and nobody's name on it.
        let page = bob.page(&his, &[]).await["data"].clone();
        assert_eq!(page["cnt"], 3);
        assert!(page["listcontents"][0].get("cby").is_none(), "{page}");
        assert_eq!(bob.post("lists/comments/list", &[("lid", &his)]).await.ok()["comments"][0]["text"], "By-Bob");
        assert!(contains(&after, "bob@example.com"));
        app.assert_sound().await;
        // Her sessions are over, and should she come back she is new.
        ann.post("lists/fetch-lists", &[]).await.fails(401, "bad-regid");
        let again = app.shopper("ann").await;
        assert_eq!(again.post("lists/fetch-lists", &[]).await.ok(), json!([]));
        assert_ne!(again.regid, ann.regid);
    }

    async fn erasing_twice_and_after_a_crash_anywhere_ends_the_same(app: TestApp) {
        let (ann, bob) = (app.shopper("ann").await, app.shopper("bob").await);
        fill(&app, &ann, &bob).await;
        let admin = app.store_admin();
        let erase = async || admin.form("/storeadmin/v3/user/erase", &[("useremail", ANN)]).await;
        for point in 0.. {
            let Some(broken) = app.break_at(point, erase()).await else { break };
            let (_, code) = broken.error();
            assert!(["overloaded", "outcome-unknown"].contains(&code.as_str()), "{}", broken.text());
            app.assert_sound().await;
        }
        assert_eq!(erase().await.ok()["erased"]["shoppers"], 0);
        assert!(!contains(&everything(&app).await, ANN));
    }

    async fn the_same_person_in_another_store_stays(app: TestApp) {
        let other = app.create_store(Default::default()).await;
        let (ann, elsewhere) = (app.shopper("ann").await, app.shopper_of(&other, "ann").await);
        let lid = elsewhere.list("Elsewhere").await;
        ann.list("Here").await;
        app.store_admin().form("/storeadmin/v3/user/erase", &[("useremail", ANN)]).await.ok();
        assert_eq!(elsewhere.page(&lid, &[]).await["data"]["lname"], "Elsewhere");
    }

    async fn several_people_are_erased_and_exported_at_once(app: TestApp) {
        let names: Vec<String> = (0..8).map(|number| format!("person{number}")).collect();
        for name in &names {
            let client = app.shopper(name).await;
            client.add(&client.list("Mine").await, &[1, 2, 3]).await;
        }
        let admin = &app.store_admin();
        let call = |path: &'static str, email: String| async move { admin.form(path, &[("useremail", &email)]).await };
        let calls = names.iter().flat_map(|name| {
            let email = format!("{name}@example.com");
            [call("/storeadmin/v3/user/erase", email.clone()), call("/storeadmin/v3/user/export", email)]
        });
        for reply in join_all(calls).await {
            reply.ok();
        }
    }

    async fn lists_too_long_for_one_step_are_erased_in_several(app: TestApp) {
        app.set(wishbone_core::stores::settings::SettingsChange { max_items: Some(100_000), ..Default::default() }).await;
        let ann = app.shopper("ann").await;
        let (long, short) = (ann.list("Long").await, ann.list("Short").await);
        for hundred in 0..45 {
            ann.add(&long, &(hundred * 500 + 1..=hundred * 500 + 500).collect::<Vec<_>>()).await;
        }
        ann.add(&short, &[1]).await;
        let reply = app.store_admin().form("/storeadmin/v3/user/erase", &[("useremail", ANN)]).await.ok();
        assert_eq!((&reply["erased"]["items"], &reply["erased"]["lists"]), (&json!(22_501), &json!(2)));
        assert_eq!(app.rows("items").await, 0);
        app.assert_sound().await;
    }

    async fn answers_kept_for_others_forget_the_person_too(app: TestApp) {
        let (ann, bob) = (app.shopper("ann").await, app.shopper("bob").await);
        let lid = bob.list("Bobs").await;
        let key = link(&bob, &lid).await;
        ann.add(&key, &[1]).await;
        let note = json!([{ "epi": 1, "empi": 1_001, "du": "https://shop.example/p", "note": "n" }]).to_string();
        // Bob is told who brought it, and would be told again.
        let told = crate::idempotency::post(&bob, "k", "lists/update-ctx", &[("lid", &lid), ("u", &note)]).await;
        assert!(told.text().contains(ANN), "otherwise this proves nothing: {}", told.text());
        app.store_admin().form("/storeadmin/v3/user/erase", &[("useremail", ANN)]).await.ok();
        assert!(!contains(&everything(&app).await, ANN));
        assert_eq!(app.rows("idempotent_responses").await, 0);
    }

    async fn comments_that_go_or_move_while_their_author_is_erased_are_counted_right(app: TestApp) {
        let bob = app.shopper("bob").await;
        for _ in 0..8 {
            let ann = app.shopper("ann").await;
            let (his, other) = (bob.list("Bobs").await, bob.list("Other").await);
            bob.add(&his, &[1, 2, 3, 4, 5, 6]).await;
            let key = link(&bob, &his).await;
            let mut said = Vec::new();
            for epi in ["1", "2", "3", "4", "5", "6"] {
                let fields = [("lid", key.as_str()), ("epi", epi), ("text", "Elsewhere-By-Ann")];
                let reply = ann.post("lists/comments/add", &fields).await.ok();
                said.push(reply["comment"]["id"].as_str().unwrap().to_owned());
            }
            let deletions = said[..3].iter().map(|id| {
                let (bob, his, id) = (bob.clone(), his.clone(), id.clone());
                tokio::spawn(async move { bob.post("lists/comments/delete", &[("lid", &his), ("id", &id)]).await.ok() })
            });
            let moves = (4..=6).map(|n| {
                let (bob, his, other) = (bob.clone(), his.clone(), other.clone());
                let items = json!([{ "epi": n }]).to_string();
                tokio::spawn(async move {
                    let fields = [("fromlid", his.as_str()), ("tolid", &other), ("items", &items)];
                    bob.post("lists/move-items", &fields).await.ok()
                })
            });
            let others: Vec<_> = deletions.chain(moves).collect();
            app.store_admin().form("/storeadmin/v3/user/erase", &[("useremail", ANN)]).await.ok();
            for other in others {
                other.await.unwrap();
            }
            app.assert_sound().await;
            assert_eq!(app.rows("comments").await, 0);
        }
    }

    async fn calls_that_were_under_way_when_their_caller_was_erased_leave_nothing(app: TestApp) {
        let (ann, bob) = (app.shopper("ann").await, app.shopper("bob").await);
        let his = bob.list("Bobs").await;
        bob.add(&his, &[1]).await;
        bob.post("lists/markPublic", &[("lid", &his)]).await.ok();
        let key = link(&bob, &his).await;
        // Ann's calls have been let in, and wait for their turn.
        let (store, keys, moment) = (&app.app.database, &app.app.keys, app.app.environment.moment());
        let claim = Claim::look_up(store, keys, &ann.pid, Some(&ann.regid), &RecordCache::default()).await.unwrap();
        let by = claim.prove(store, keys, &ann.sessionid).await.unwrap();
        app.store_admin().form("/storeadmin/v3/user/erase", &[("useremail", ANN)]).await.ok();
        let tables = app.tables().await;
        let name = || Some("Of-Ann".to_owned());
        let details = || ListDetails { name: name(), ..ListDetails::default() };
        let create = CreateList { by: by.clone(), list_type: "wl".into(), details: details(), moment };
        let from = ListRef::parse(keys, &by, &his, NOW);
        let duplicate = DuplicateList { by: by.clone(), from, list_type: None, details: details(), moment };
        let save = SaveProfile {
            by: by.clone(),
            first_name: name(),
            last_name: None,
            accepts_marketing: None,
            alert_digest: None,
            language: None,
            region: None,
            now: NOW,
        };
        let list = ListTarget { list: ListRef::parse(keys, &by, &key, NOW), if_version: None };
        let comment = AddComment { by: by.clone(), list, variant_id: 1, name: name(), text: "Of-Ann".into(), moment };
        let refused = [
            store.write(create).await.map(drop),
            store.write(EnsureSaveForLater { by: by.clone(), details: details(), moment }).await.map(drop),
            store.write(duplicate).await.map(drop),
            store.write(save).await,
            store.write(comment).await.map(drop),
        ];
        for (number, outcome) in refused.into_iter().enumerate() {
            assert_eq!(outcome.map_err(|error| error.code), Err(Code::BadRegid), "{number}");
        }
        assert_eq!(app.tables().await, tables);
    }
}
