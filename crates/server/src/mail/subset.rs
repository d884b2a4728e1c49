//! The part of the template language that stores may use. What can build long values out of short ones (`set`, macros,
//! concatenation) is left out, and tags are short, so that an instruction reads one value or one tag's literals at most.

/// Tags that a template may have.
const TAGS: &[&str] = &["block", "elif", "else", "endblock", "endfor", "endif", "extends", "for", "if", "include"];

/// Names that a template may not use.
const NAMES: &[&str] = &["recursive", "self", "super"];

/// Operators and literals that it may not use. Without braces, the first end of a tag outside of texts is its end.
const OPERATORS: &str = "~*+:{";

/// Maximum length of a tag, and so of its literals and the depth of its expressions.
const MAX_TAG_BYTES: usize = 1_000;

/// Tags within tags, and `elif`s, which the parser nests as well. It takes some of the thread's stack for each.
const MAX_NESTING: usize = 50;

/// Returns the first problem of a template, with its line.
pub(super) fn check(source: &str) -> Result<(), String> {
    let mut rest = source;
    let mut nesting = Nesting::default();
    while let Some(start) = rest.find('{') {
        let at = source.len() - rest.len() + start;
        rest = &rest[start + 1..];
        let Some(kind) = rest.chars().next().filter(|kind| "{%#".contains(*kind)) else { continue };
        rest = &rest[1..];
        if kind == '#' {
            rest = rest.find("#}").map_or("", |end| &rest[end + 2..]);
            continue;
        }
        let (code, after) = split_code(rest, if kind == '%' { "%}" } else { "}}" });
        let checked = check_length(rest.len() - after.len())
            .and_then(|()| check_code(&code, kind == '%'))
            .and_then(|()| if kind == '%' { nesting.enter(&code) } else { Ok(()) });
        checked.map_err(|problem| format!("line {}: {problem}", 1 + source[..at].matches('\n').count()))?;
        rest = after;
    }
    Ok(())
}

/// The tags that are open, with what each adds to the depth.
#[derive(Default)]
struct Nesting(Vec<usize>);

impl Nesting {
    fn enter(&mut self, code: &str) -> Result<(), String> {
        match words(code).next() {
            Some("if" | "for" | "block") => self.0.push(1),
            Some("elif") => self.0.last_mut().into_iter().for_each(|depth| *depth += 1),
            Some("endif" | "endfor" | "endblock") => drop(self.0.pop()),
            _ => {}
        }
        if self.0.iter().sum::<usize>() > MAX_NESTING {
            return Err(format!("more than {MAX_NESTING} tags are nested, counting each elif: use fewer"));
        }
        Ok(())
    }
}

/// Splits a template after a tag. The code of the tag has a quote in place of each string literal.
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
                code.push('"');
            }
            None => code.push(character),
        }
    }
    // The parser reports that the end is missing.
    (code, "")
}

fn check_length(bytes: usize) -> Result<(), String> {
    if bytes > MAX_TAG_BYTES {
        return Err(format!("a tag has more than {MAX_TAG_BYTES} bytes: write text outside of tags, or split it"));
    }
    Ok(())
}

fn check_code(code: &str, is_tag: bool) -> Result<(), String> {
    let inner = without_whitespace_control(code);
    if let Some(operator) = inner.chars().find(|c| OPERATORS.contains(*c)) {
        return Err(format!("the operator {operator} is not available in templates"));
    }
    if let Some(tag) = words(code).next().filter(|tag| is_tag && !TAGS.contains(tag)) {
        let tag: String = tag.chars().take(40).collect();
        return Err(format!("the tag {tag} is not available in templates: use {}", TAGS.join(", ")));
    }
    if let Some(name) = words(code).find(|word| NAMES.contains(word)) {
        return Err(format!("{name} is not available in templates"));
    }
    check_lookups(code, is_tag && words(code).next() == Some("for"))?;
    let calls_loop = code.match_indices("loop").any(|(at, _)| code[at + 4..].trim_start().starts_with('('));
    if calls_loop { Err("loop() is not available in templates".to_owned()) } else { Ok(()) }
}

/// A search in a text, and a character of it, cost more than the one instruction that is counted for them.
fn check_lookups(code: &str, is_loop: bool) -> Result<(), String> {
    if words(code).filter(|word| *word == "in").count() > usize::from(is_loop) {
        return Err("the operator in is not available in templates: use == and or".to_owned());
    }
    let brackets = code.matches('[').count();
    let start = code.split('[').next().unwrap_or_default().trim_end();
    let is_list = is_loop && start.strip_suffix("in").is_some_and(|start| start.ends_with(char::is_whitespace));
    if brackets > usize::from(is_list) {
        return Err("[ is available in templates only for the list of a loop, {% for a in [1, 2] %}: use loop.first \
                    in place of a position"
            .to_owned());
    }
    // A position, unless it is the fraction of a number.
    let is_number = |text: &str| {
        let word = text.rsplit(|c: char| !(c.is_alphanumeric() || c == '_')).next().unwrap_or_default();
        !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit())
    };
    let has_position = code.match_indices('.').any(|(at, _)| {
        code[at + 1..].trim_start().starts_with(|c: char| c.is_ascii_digit()) && !is_number(code[..at].trim_end())
    });
    if has_position {
        return Err("a position such as text.0 is not available in templates: use a loop, and loop.first".to_owned());
    }
    Ok(())
}

fn words(code: &str) -> impl Iterator<Item = &str> {
    code.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| !word.is_empty())
}

/// The code without the `+` of `{%+` and `+%}`.
fn without_whitespace_control(code: &str) -> &str {
    let inner = code.strip_prefix('+').unwrap_or(code);
    inner.strip_suffix('+').unwrap_or(inner)
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
        for good in [
            "{ + }",
            "{# a ~ b #}{{ \"a ~ b\" }}",
            "{%- if a -%}{%+ endif +%}",
            "{{ loop.index }}",
            "{{ 1.5 }}{{ a.b2 }}",
            "{{ '\\'+' }}",
            "{% for a in b if a == 'a in b' %}",
        ] {
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
            "{{ a.0 }}",
            "{{ a . 1 }}",
            "{{ f(a).0 }}",
            "{% raw %}",
            "{% with a = 1 %}",
            "{% import 'a' as b %}",
            "{{ \"\" }}{{ 'a\\'' ~ a }}",
            "{{ '%}' ~ a }}",
            "{{ a[1:] }}",
            "{{ {'a': 1} }}",
            "{{ {'a':{}}|length ~ a }}",
            "{{ a in b }}",
            "{% if a not in b %}",
            "{% for a in b if a in c %}",
            "{{ 'a' in [b][0] }}",
            "{{ a[0] }}",
            "{{ a['b'] }}",
            "{{ [a] == [b] }}",
            "{% for a in b[0] %}",
            "{% for a in 'b'[0] %}",
            "{% for a in [b][0] %}",
            "{% for a in (b) [0] %}",
        ] {
            assert!(check(bad).is_err(), "{bad}");
        }
        assert!(check("\n\n{{ a ~ b }}").unwrap_err().starts_with("line 3: "));
    }

    #[test]
    fn tags_are_short_and_not_deep() {
        let deep = |tag: &str, count: usize, end: &str| tag.repeat(count) + &end.repeat(count);
        let elifs = |count: usize| format!("{{% if a %}}{}{{% endif %}}", "{% elif a %}".repeat(count));
        for good in [
            format!("{{{{ a{} }}}}", "|trim".repeat(150)),
            deep("{% if a %}", MAX_NESTING, "{% endif %}"),
            elifs(MAX_NESTING - 1),
            elifs(10).repeat(100),
        ] {
            assert_eq!(check(&good), Ok(()), "{good}");
        }
        for bad in [
            format!("{{{{ a{} }}}}", "|trim".repeat(250)),
            format!("{{{{ '{}' }}}}", "a".repeat(MAX_TAG_BYTES)),
            deep("{% if a %}{% for a in b %}", MAX_NESTING, "{% endfor %}{% endif %}"),
            elifs(MAX_NESTING),
        ] {
            assert!(check(&bad).is_err(), "{bad}");
        }
    }
}
