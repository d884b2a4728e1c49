//! What the fuzz targets found, and what they begin with, tried on every run. Fuzzing itself: see `fuzz/README.md`.

use std::fs;
use std::path::Path;

#[path = "../../../../fuzz/properties.rs"]
mod properties;

fn try_all(name: &str, property: fn(&[u8])) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(name);
    let mut count = 0;
    for entry in fs::read_dir(&folder).unwrap() {
        property(&fs::read(entry.unwrap().path()).unwrap());
        count += 1;
    }
    assert!(count >= 10, "{} has {count}", folder.display());
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
