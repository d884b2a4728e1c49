//! The template engine. Values come from shoppers and templates from stores; neither is trusted: values are escaped in
//! templates whose name ends in `.html`. What a template costs is bounded: filters, texts and output charge the budget for
//! what they read and write, and other instructions, which are counted, read little (see [`subset`]).

use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, LazyLock};

use minijinja::syntax::SyntaxConfig;
use minijinja::value::{Kwargs, Rest, Value, merge_maps};
use minijinja::{AutoEscape, Environment, Error, ErrorKind, State, UndefinedBehavior, escape_formatter};

use crate::mail::budget::{self, Budget, size};
use crate::mail::filters::{FILTERS, no_list, plain_text};
use crate::mail::subset;
use crate::mail::texts::Texts;

/// Instructions that one template may execute. The longest built-in mail needs about 3,000.
const FUEL: u64 = 20_000;

/// Maximum size of a rendered part. Only the longest built-in mail with the longest texts is larger than the 100 KB after
/// which mail clients cut.
const MAX_OUTPUT: usize = 1 << 20;

/// Includes within includes. Each takes some of the thread's stack.
const MAX_DEPTH: usize = 50;

/// Compiling a byte of a template costs as much as reading this many.
const COMPILING: usize = 4;

macro_rules! files {
    ($folder:literal: $($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../../templates/", $folder, "/", $name)))),*]
    };
}

/// The built-in templates of mails, which a store can replace.
pub(crate) const MAIL_TEMPLATES: &[(&str, &str)] = files!["mail":
    "layout.html", "button.html", "items.html", "product.html", "item.txt", "alert.html", "alert.txt",
    "confirmation.html", "confirmation.txt", "digest.html", "digest.txt", "list.html", "list.txt", "reminder.html",
    "reminder.txt",
];

/// The templates of pages, which it cannot replace.
const PAGES: &[(&str, &str)] = files!["pages":
    "page.html", "confirm.html", "preferences.html", "shared.html", "unsubscribe.html",
];

static BUILTIN: LazyLock<Environment<'static>> = LazyLock::new(|| {
    let mut environment = environment();
    environment.set_loader(|name| Ok(builtin(name).map(str::to_owned)));
    environment
});

/// Renders a template, the store's own if it has one.
pub(super) fn render(
    budget: &Arc<Budget>,
    own: &BTreeMap<String, String>,
    name: &str,
    values: &Value,
) -> Result<String, Error> {
    if own.is_empty() {
        return render_in(&BUILTIN, budget, name, values);
    }
    let mut environment = environment();
    let (own, payer) = (own.clone(), Arc::clone(budget));
    environment.set_loader(move |name| {
        let Some(source) = own.get(name) else { return Ok(builtin(name).map(str::to_owned)) };
        payer.charge(source.len().saturating_mul(COMPILING))?;
        // Checked again, since an older version may have accepted it.
        subset::check(source).map_err(|problem| Error::new(ErrorKind::SyntaxError, format!("{name}: {problem}")))?;
        Ok(Some(source.clone()))
    });
    render_in(&environment, budget, name, values)
}

/// Parses a template, which must be one that [`subset::check`] accepts.
pub(super) fn check_syntax(name: &str, source: &str) -> Result<(), Error> {
    BUILTIN.template_from_named_str(name, source).map(|_| ())
}

fn render_in(environment: &Environment<'_>, budget: &Arc<Budget>, name: &str, values: &Value) -> Result<String, Error> {
    let values = merge_maps([Value::from(BTreeMap::from([(budget::NAME, budget.value())])), values.clone()]);
    let mut out = Output { bytes: Vec::new(), budget };
    environment.get_template(name)?.render_captured_to(values, &mut out)?;
    let text = String::from_utf8(out.bytes);
    text.map_err(|error| Error::new(ErrorKind::WriteFailure, "the output is not UTF-8").with_source(error))
}

fn builtin(name: &str) -> Option<&'static str> {
    MAIL_TEMPLATES.iter().chain(PAGES).find(|(known, _)| *known == name).map(|(_, source)| *source)
}

/// The template language, without templates.
fn environment() -> Environment<'static> {
    let mut environment = Environment::empty();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_fuel(Some(FUEL));
    environment.set_recursion_limit(MAX_DEPTH);
    let mut syntax = SyntaxConfig::builder();
    // Only custom delimiters can be invalid.
    if let Ok(syntax) = syntax.trim_blocks(true).lstrip_blocks(true).keep_trailing_newline(true).build() {
        environment.set_syntax(syntax);
    }
    environment
        .set_auto_escape_callback(|name| if name.ends_with(".html") { AutoEscape::Html } else { AutoEscape::None });
    environment.set_formatter(|out, state, value| {
        Budget::of(state)?.charge(size(value))?;
        escape_formatter(out, state, no_list(value)?)
    });
    for (name, filter) in FILTERS {
        environment.add_filter(*name, |state: &mut State<'_, '_>, values: Rest<Value>| {
            let budget = Budget::of(state)?;
            budget.charge(values.iter().map(size).sum())?;
            let out = filter(state, &values)?;
            budget.charge(size(&out))?;
            Ok::<Value, Error>(out)
        });
    }
    environment
}

/// The function `t` of templates: `t("list.more", count=3)`. Several positional arguments are the parts of the key. The
/// store's name is always a value.
pub(super) fn text_function(texts: &Arc<Texts>, store: &str) -> Value {
    let (texts, store) = (Arc::clone(texts), store.to_owned());
    Value::from_function(move |state: &State<'_, '_>, parts: Rest<String>, values: Kwargs| -> Result<Value, Error> {
        let budget = Budget::of(state)?;
        let key = parts.join(".");
        let count: Option<i64> = values.get("count")?;
        let mut arguments = vec![("store".to_owned(), store.clone())];
        for name in values.args() {
            arguments.push((name.to_owned(), plain_text(&values.get(name)?)?.into_owned()));
        }
        arguments.retain(|(name, _)| name != "count");
        let arguments: Vec<(&str, &str)> = arguments.iter().map(|(name, value)| (&**name, &**value)).collect();
        budget.charge(key.len() + arguments.iter().map(|(_, value)| value.len()).sum::<usize>())?;
        let is_html = matches!(state.auto_escape(), AutoEscape::Html);
        let text = if is_html {
            texts.html(&key, count, &arguments).map(Value::from_safe_string)
        } else {
            texts.plain(&key, count, &arguments).map(Value::from)
        };
        let text = text.ok_or_else(|| Error::new(ErrorKind::InvalidOperation, format!("there is no text {key:?}")))?;
        budget.charge(size(&text))?;
        Ok(text)
    })
}

/// Output of bounded size.
struct Output<'a> {
    bytes: Vec<u8>,
    budget: &'a Budget,
}

impl io::Write for Output<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.bytes.len() + bytes.len() > MAX_OUTPUT {
            return Err(io::Error::other(format!("the output is larger than {MAX_OUTPUT} bytes")));
        }
        self.budget.charge(bytes.len()).map_err(io::Error::other)?;
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::mail::budget::BUDGET;

    const LENGTH: usize = 10_000;

    /// Renders a template that has a text of 10,000 characters, and returns what it has spent.
    fn spent(source: &str) -> (usize, Result<String, Error>) {
        let (budget, own) = (Budget::of_test(), BTreeMap::from([("a.html".to_owned(), source.to_owned())]));
        let values = Value::from(BTreeMap::from([("text", Value::from("x".repeat(LENGTH)))]));
        let rendered = render(&budget, &own, "a.html", &values);
        (budget.spent(), rendered)
    }

    /// The quoted names between two words of a text.
    fn names(text: &str, from: &str, to: &str) -> Vec<String> {
        let part = text.split(from).nth(1).and_then(|rest| rest.split(to).next()).unwrap();
        part.split('"').skip(1).step_by(2).map(str::to_owned).collect()
    }

    #[test]
    fn everything_that_reads_a_text_is_charged_for_its_length() {
        // The environment tells its names only this way.
        let known = format!("{:?}", environment());
        let (functions, tests) = (names(&known, "globals: ", "tests: "), names(&known, "tests: ", "filters: "));
        let filters = names(&known, "filters: ", "templates: ");
        assert!(filters.contains(&"upper".to_owned()) && filters.len() == FILTERS.len(), "{known}");
        let mut sources = vec!["{{ text }}".to_owned()];
        sources.extend(filters.iter().map(|name| format!("{{% if text|{name} %}}{{% endif %}}")));
        sources.extend(tests.iter().map(|name| format!("{{% if text is {name} %}}{{% endif %}}")));
        sources.extend(functions.iter().map(|name| format!("{{% if {name}(text) %}}{{% endif %}}")));
        for source in sources {
            let (spent, rendered) = spent(&source);
            assert!(spent >= LENGTH, "{source} costs {spent}: {:?}", rendered.err());
        }
    }

    #[test]
    fn a_text_is_charged_for_its_values() {
        let texts = Arc::new(Texts::new(&["en"], &Default::default()));
        let (budget, own) = (Budget::of_test(), BTreeMap::from([("a.html".to_owned(), TEXT.to_owned())]));
        const TEXT: &str = "{% if t('reminder.intro', list=list) %}{% endif %}";
        let values = [("list", Value::from("x".repeat(LENGTH))), ("t", text_function(&texts, "Shop"))];
        render(&budget, &own, "a.html", &Value::from(BTreeMap::from(values))).unwrap();
        assert!(budget.spent() >= 2 * LENGTH, "it is read and returned: {}", budget.spent());
    }

    #[test]
    fn a_rendering_ends_when_its_budget_is_spent() {
        let looped = |body: &str| {
            let list = "{% for a in [1,2,3,4,5,6,7,8,9,0] %}{% for b in [1,2,3,4,5,6,7,8,9,0] %}";
            format!("{list}{body}{{% endfor %}}{{% endfor %}}")
        };
        for source in [
            looped(&format!("{{% if text{} %}}{{% endif %}}", "|upper|lower".repeat(20))),
            // Output outside of blocks is discarded.
            format!("{{% extends 'page.html' %}}{}", looped(&"{{ text }}".repeat(10))),
            looped("{{ text }}{{ text }}"),
        ] {
            let (spent, rendered) = spent(&source);
            let error = rendered.map(|text| text.len()).unwrap_err();
            let error = format!("{error:#} {:?}", std::error::Error::source(&error));
            assert!(spent <= BUDGET && (error.contains("costs too much") || error.contains("larger than")), "{error}");
        }
    }

    #[test]
    fn a_rendering_ends_when_its_time_is_over() {
        let budget = Budget::new(Duration::ZERO);
        assert!(render(&budget, &BTreeMap::new(), "page.html", &Value::from(BTreeMap::from([("a", 1)]))).is_err());
        assert!(budget.is_over());
    }

    #[test]
    fn lists_are_no_texts() {
        for source in ["{{ text|lines }}", "{{ text|lines|upper }}", "{{ text|lines|escape }}", "{{ text|trim('x') }}"]
        {
            assert!(spent(source).1.is_err(), "{source}");
        }
    }

    #[test]
    fn a_stored_template_outside_of_the_subset_is_not_rendered() {
        for source in ["{{ text ~ text }}", "{% set a = text %}", "{{ {'a':{}}|length ~ text }}"] {
            assert!(spent(source).1.is_err(), "{source}");
        }
    }
}
