//! Layout of the plain-text part.

/// Maximum width of a line that can be wrapped.
const WIDTH: usize = 76;

/// Wraps long lines at spaces, unless they hold a URL, and reduces runs of empty lines to one.
pub(super) fn tidy(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut was_empty = true;
    for line in text.lines().map(str::trim_end) {
        if !(line.is_empty() && was_empty) {
            wrap(line, &mut out);
        }
        was_empty = line.is_empty();
    }
    out.truncate(out.trim_end().len());
    out.push('\n');
    out
}

fn wrap(line: &str, out: &mut String) {
    if line.contains("://") || width(line) <= WIDTH {
        out.push_str(line);
        out.push('\n');
        return;
    }
    let prefix = if line.starts_with("> ") { "> " } else { "" };
    let mut length = 0;
    for word in line[prefix.len()..].split(' ') {
        let needed = width(word) + 1;
        if length > 0 && length + needed > WIDTH {
            out.push('\n');
            length = 0;
        }
        out.push_str(if length == 0 { prefix } else { " " });
        out.push_str(word);
        length += needed;
    }
    out.push('\n');
}

/// Columns of a text; East Asian characters take two.
fn width(text: &str) -> usize {
    text.chars().map(|c| if matches!(c, '\u{1100}'..='\u{115f}' | '\u{2e80}'..='\u{ffe6}') { 2 } else { 1 }).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_wrapped_and_urls_are_not() {
        let words = "word ".repeat(30);
        let url = format!("View: https://shop.example/{}", "a b".repeat(60));
        let text = tidy(&format!("\n\n{words}\n> {words}\n\n\n\n{url}\n\n"));
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 6, "{text}");
        assert!(lines[..4].iter().all(|line| line.len() <= WIDTH + 2), "{text}");
        assert!(lines[2].starts_with("> word") && lines[3].starts_with("> word"), "{text}");
        assert_eq!((lines[4], lines[5]), ("", url.as_str()));
        assert!(text.ends_with("b\n"));
    }
}
