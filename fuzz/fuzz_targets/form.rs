#![no_main]

#[path = "../properties.rs"]
#[allow(dead_code, reason = "each target tries one of them")]
mod properties;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| properties::form(bytes));
