//! What the fuzz targets found, and what they begin with, tried on every run, with some neighbours of it. Fuzzing itself:
//! see `fuzz/README.md`.

use std::fs;
use std::path::Path;

use proptest::prelude::*;
use proptest::sample::Index;

use crate::support::runner;

#[path = "../../../../fuzz/properties.rs"]
mod properties;

fn try_all(name: &str, property: fn(&[u8])) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(name);
    let files = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
    let corpus: Vec<Vec<u8>> = files.map(|path| fs::read(path).unwrap()).collect();
    assert!(corpus.len() >= 10, "{} has {}", folder.display(), corpus.len());
    corpus.iter().for_each(|bytes| property(bytes));

    // The beginning of one, other bytes, the end of another.
    let between = proptest::collection::vec(any::<u8>(), 0..4);
    let neighbours = (any::<[Index; 4]>(), between).prop_map(|([first, until, second, from], between)| {
        let (first, second) = (first.get(&corpus), second.get(&corpus));
        let (until, from) = (until.index(first.len() + 1), from.index(second.len() + 1));
        [&first[..until], &between, &second[from..]].concat()
    });
    runner(2_000)
        .run(&neighbours, |bytes| {
            property(&bytes);
            Ok(())
        })
        .unwrap();
}

#[test]
fn forms_hold_what_is_promised() {
    try_all("form", properties::form);
}

#[test]
fn products_hold_what_is_promised() {
    try_all("products", properties::products);
}

#[test]
fn tokens_hold_what_is_promised() {
    try_all("tokens", properties::tokens);
}
