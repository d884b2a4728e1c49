//! A progress line on stderr.

use std::io::{IsTerminal, Write, stderr};
use std::time::{Duration, Instant};

pub(crate) struct Progress {
    what: String,
    total: u64,
    done: u64,
    began: Instant,
    shown_at: Option<Instant>,
}

impl Progress {
    pub(crate) fn new(what: impl Into<String>, total: u64) -> Self {
        Self { what: what.into(), total, done: 0, began: Instant::now(), shown_at: None }
    }

    pub(crate) fn add(&mut self, done: u64) {
        self.done += done;
        // Less often in a log file.
        let interval = if stderr().is_terminal() { Duration::from_millis(200) } else { Duration::from_secs(10) };
        if self.shown_at.unwrap_or(self.began).elapsed() >= interval {
            self.shown_at = Some(Instant::now());
            let percent = 100 * self.done / self.total.max(1);
            self.show(&format!("{percent:>3} %"));
        }
    }

    pub(crate) fn finish(self) {
        self.show(&format!("{} in {:.1} s", thousands(self.done), self.began.elapsed().as_secs_f64()));
        if stderr().is_terminal() {
            eprintln!();
        }
    }

    fn show(&self, state: &str) {
        if stderr().is_terminal() {
            eprint!("\r\x1b[K  {}: {state}", self.what);
            let _ = stderr().flush();
        } else {
            eprintln!("  {}: {state}", self.what);
        }
    }
}

/// Formats 1234567 as 1,234,567.
pub(crate) fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::thousands;

    #[test]
    fn long_numbers_have_commas() {
        assert_eq!([7, 999, 1_000, 1_234_567].map(thousands), ["7", "999", "1,000", "1,234,567"]);
    }
}
