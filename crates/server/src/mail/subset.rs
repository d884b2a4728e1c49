//! The part of the template language that stores may use. What can build long values out of short ones (`set`, macros,
//! concatenation) is left out, so that fuel and the size of the output bound what a template costs.

/// Tags that a template may have.
const TAGS: &[&str] = &["block", "elif", "else", "endblock", "endfor", "endif", "extends", "for", "if", "include"];

/// Names that a template may not use.
const NAMES: &[&str] = &["recursive", "self", "super"];

/// Returns the first problem of a template, with its line.
pub(super) fn check(source: &str) -> Result<(), String> {
    let mut rest = source;
    while let Some(start) = rest.find('{') {
        let line = 1 + source[..source.len() - rest.len() + start].matches('\n').count();
        rest = &rest[start + 1..];
        let Some(kind) = rest.chars().next().filter(|kind| "{%#".contains(*kind)) else { continue };
        rest = &rest[1..];
        if kind == '#' {
            rest = rest.find("#}").map_or("", |end| &rest[end + 2..]);
            continue;
        }
        let (code, after) = split_code(rest, if kind == '%' { "%}" } else { "}}" });
        check_code(&code, kind == '%').map_err(|problem| format!("line {line}: {problem}"))?;
        rest = after;
    }
    Ok(())
}

/// Splits a template after a tag. The code of the tag has its string literals removed.
fn split_code<'a>(rest: &'a str, end: &str) -> (String, &'a str) {
    let mut code = String::new();
    let mut quote = None;
    let mut characters = rest.char_indices();
    while let Some((at, character)) = characters.next() {
        match quote {
            Some(_) if character == '\\' => {
                characters.next();
            }
            Some(open) if character == open => quote = None,
            Some(_) => {}
            None if rest[at..].starts_with(end) => return (code, &rest[at + end.len()..]),
            None if matches!(character, '"' | '\'') => {
                quote = Some(character);
                code.push(' ');
            }
            None => code.push(character),
        }
    }
    // The parser reports that the end is missing.
    (code, "")
}

fn check_code(code: &str, is_tag: bool) -> Result<(), String> {
    if let Some(operator) = code.chars().find(|c| "~*+".contains(*c)).filter(|_| !is_whitespace_control(code)) {
        return Err(format!("the operator {operator} is not available in templates"));
    }
    let words: Vec<&str> =
        code.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| !word.is_empty()).collect();
    if let Some(tag) = words.first().filter(|tag| is_tag && !TAGS.contains(tag)) {
        let tag: String = tag.chars().take(40).collect();
        return Err(format!("the tag {tag} is not available in templates: use {}", TAGS.join(", ")));
    }
    if let Some(name) = words.iter().find(|word| NAMES.contains(word)) {
        return Err(format!("{name} is not available in templates"));
    }
    let calls_loop = code.match_indices("loop").any(|(at, _)| code[at + 4..].trim_start().starts_with('('));
    if calls_loop { Err("loop() is not available in templates".to_owned()) } else { Ok(()) }
}

/// True if the only operator is the `+` of `{%+` or `+%}`.
fn is_whitespace_control(code: &str) -> bool {
    let inner = code.strip_prefix('+').unwrap_or(code);
    let inner = inner.strip_suffix('+').unwrap_or(inner);
    !inner.contains(['~', '*', '+'])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mail::templates::MAIL_TEMPLATES;

    #[test]
    fn the_built_in_templates_use_the_subset() {
        for (name, source) in MAIL_TEMPLATES {
            assert_eq!(check(source), Ok(()), "{name}");
        }
    }

    #[test]
    fn values_cannot_be_multiplied() {
        for good in
            ["{ + }", "{# a ~ b #}{{ \"a ~ b\" }}", "{%- if a -%}{%+ endif +%}", "{{ loop.index }}", "{{ '\\'+' }}"]
        {
            assert_eq!(check(good), Ok(()), "{good}");
        }
        for bad in [
            "{{ a ~ a }}",
            "{{ 'a' * 9 }}",
            "{{ a + a }}",
            "{% set a = 1 %}",
            "{%-set a%}{%endset%}",
            "{% filter upper %}",
            "{% macro a() %}",
            "{% for a in b recursive %}",
            "{{ loop (a) }}",
            "{{ super()|upper }}",
            "{{ self.a() }}",
            "{% raw %}",
            "{% with a = 1 %}",
            "{% import 'a' as b %}",
            "{{ \"\" }}{{ 'a\\'' ~ a }}",
            "{{ '%}' ~ a }}",
        ] {
            assert!(check(bad).is_err(), "{bad}");
        }
        assert!(check("\n\n{{ a ~ b }}").unwrap_err().starts_with("line 3: "));
    }
}
