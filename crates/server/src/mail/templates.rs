//! The template engine. Values come from shoppers and templates from stores; neither is trusted: values are escaped in
//! templates whose name ends in `.html`, and templates are bounded in time and output, with few functions.

use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, LazyLock};

use minijinja::syntax::SyntaxConfig;
use minijinja::value::{Kwargs, Rest, Value};
use minijinja::{AutoEscape, Environment, Error, ErrorKind, State, UndefinedBehavior, filters};

use crate::mail::texts::Texts;

/// Instructions that one template may execute. The longest built-in mail needs about 3,000.
const FUEL: u64 = 50_000;

/// Maximum size of a rendered part. Mail clients cut mails of more than about 100 KB.
const MAX_OUTPUT: usize = 512 << 10;

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
const PAGES: &[(&str, &str)] = files!["pages": "page.html", "confirm.html", "unsubscribe.html"];

static BUILTIN: LazyLock<Environment<'static>> = LazyLock::new(|| environment(&BTreeMap::new()));

/// Renders a template, the store's own if it has one.
pub(super) fn render(own: &BTreeMap<String, String>, name: &str, values: &Value) -> Result<String, Error> {
    if own.is_empty() { render_in(&BUILTIN, name, values) } else { render_in(&environment(own), name, values) }
}

/// Parses a template.
pub(super) fn check_syntax(name: &str, source: &str) -> Result<(), Error> {
    BUILTIN.template_from_named_str(name, source).map(|_| ())
}

fn render_in(environment: &Environment<'_>, name: &str, values: &Value) -> Result<String, Error> {
    let mut out = Output(Vec::new());
    environment.get_template(name)?.render_captured_to(values, &mut out)?;
    let text = String::from_utf8(out.0);
    text.map_err(|error| Error::new(ErrorKind::WriteFailure, "the output is not UTF-8").with_source(error))
}

fn environment(own: &BTreeMap<String, String>) -> Environment<'static> {
    let mut environment = Environment::empty();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_fuel(Some(FUEL));
    let mut syntax = SyntaxConfig::builder();
    // Only custom delimiters can be invalid.
    if let Ok(syntax) = syntax.trim_blocks(true).lstrip_blocks(true).keep_trailing_newline(true).build() {
        environment.set_syntax(syntax);
    }
    environment
        .set_auto_escape_callback(|name| if name.ends_with(".html") { AutoEscape::Html } else { AutoEscape::None });
    // Filters whose result is no longer than their input.
    environment.add_filter("default", filters::default);
    environment.add_filter("escape", filters::escape);
    environment.add_filter("length", filters::length);
    environment.add_filter("lines", filters::lines);
    environment.add_filter("lower", filters::lower);
    environment.add_filter("trim", filters::trim);
    environment.add_filter("upper", filters::upper);
    let own = own.clone();
    environment.set_loader(move |name| {
        let builtin = || MAIL_TEMPLATES.iter().chain(PAGES).find(|(known, _)| *known == name);
        Ok(own.get(name).cloned().or_else(|| builtin().map(|(_, source)| (*source).to_owned())))
    });
    environment
}

/// The function `t` of templates: `t("list.more", count=3)`. Several positional arguments are the parts of the key. The
/// store's name is always a value.
pub(super) fn text_function(texts: &Arc<Texts>, store: &str) -> Value {
    let (texts, store) = (Arc::clone(texts), store.to_owned());
    Value::from_function(move |state: &State<'_, '_>, parts: Rest<String>, values: Kwargs| -> Result<Value, Error> {
        let key = parts.join(".");
        let count: Option<i64> = values.get("count")?;
        let mut arguments = vec![("store".to_owned(), store.clone())];
        for name in values.args() {
            let value: Value = values.get(name)?;
            arguments.push((name.to_owned(), value.to_string()));
        }
        arguments.retain(|(name, _)| name != "count");
        let arguments: Vec<(&str, &str)> = arguments.iter().map(|(name, value)| (&**name, &**value)).collect();
        let is_html = matches!(state.auto_escape(), AutoEscape::Html);
        let text = if is_html {
            texts.html(&key, count, &arguments).map(Value::from_safe_string)
        } else {
            texts.plain(&key, count, &arguments).map(Value::from)
        };
        text.ok_or_else(|| Error::new(ErrorKind::InvalidOperation, format!("there is no text {key:?}")))
    })
}

/// Output of bounded size.
struct Output(Vec<u8>);

impl io::Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0.len() + bytes.len() > MAX_OUTPUT {
            return Err(io::Error::other(format!("the output is larger than {MAX_OUTPUT} bytes")));
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
