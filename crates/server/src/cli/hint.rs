//! Commands that messages suggest: as they have to be typed, with the options that locate the database.

use std::ffi::OsString;
use std::fmt::Display;
use std::sync::OnceLock;

use crate::cli::output::shell_quoted;

/// The options of the command line that locate the database, each after a space.
static LOCATION: OnceLock<String> = OnceLock::new();

/// Remembers the options with which the program was started.
pub(super) fn remember(arguments: &[OsString]) {
    let _ = LOCATION.set(location(arguments));
}

/// A command to run next, on the same database.
pub(super) fn hint(command: impl Display) -> String {
    format!("wishbone {command}{}", LOCATION.get().map_or("", String::as_str))
}

fn location(arguments: &[OsString]) -> String {
    let mut out = String::new();
    let mut texts = arguments.iter().filter_map(|argument| argument.to_str());
    while let Some(text) = texts.next() {
        let (name, value) = text.split_once('=').map_or((text, None), |(name, value)| (name, Some(value)));
        if matches!(name, "--data" | "--database")
            && let Some(value) = value.or_else(|| texts.next())
        {
            let is_word = |c: char| c.is_ascii_alphanumeric() || "_-./:@".contains(c);
            let value = if value.chars().all(is_word) { value.to_owned() } else { shell_quoted(value) };
            out.extend([" ", name, " ", &value]);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hint_names_the_database_that_the_command_used() {
        for (arguments, options) in [
            (vec!["wishbone", "store", "list"], ""),
            (vec!["wishbone", "store", "list", "--data", "./shop"], " --data ./shop"),
            (vec!["wishbone", "--data=my shop", "store", "list", "--json"], " --data 'my shop'"),
            (vec!["wishbone", "check", "--database", "postgres://u@h/w"], " --database postgres://u@h/w"),
            (vec!["wishbone", "check", "--data"], ""),
        ] {
            let arguments: Vec<OsString> = arguments.into_iter().map(OsString::from).collect();
            assert_eq!(location(&arguments), options);
        }
    }
}
