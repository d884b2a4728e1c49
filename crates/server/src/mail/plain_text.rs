//! Layout of the plain-text part.

/// Reduces runs of empty lines to one. Lines are not wrapped: mail programs do that, and a title stays in one piece.
pub(super) fn tidy(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut was_empty = true;
    for line in text.lines().map(str::trim_end) {
        if !(line.is_empty() && was_empty) {
            out.push_str(line);
            out.push('\n');
        }
        was_empty = line.is_empty();
    }
    out.truncate(out.trim_end().len());
    out.push('\n');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_of_empty_lines_become_one() {
        assert_eq!(tidy("\n\na \n\n \n\nb\nc\n\n"), "a\n\nb\nc\n");
    }
}
