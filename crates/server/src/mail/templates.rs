//! Templates of mails and of the unsubscribe page. Values come from shoppers and are untrusted: the template engine
//! escapes each of them in templates whose name ends in `.html`.

use std::sync::LazyLock;

use minijinja::value::{Serde, Value};
use minijinja::{Environment, Error, UndefinedBehavior, context};
use wishbone_core::mail::message::{ListMessage, one_line};
use wishbone_core::mail::recipients::MailPreference;

use crate::mail::attempt::RenderedMail;

/// Maximum length of a subject; mail clients truncate longer ones.
const MAX_SUBJECT: usize = 150;

static TEMPLATES: LazyLock<Environment<'static>> = LazyLock::new(|| {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_loader(|name| {
        Ok(match name {
            "list.txt" => Some(include_str!("../../templates/list.txt").to_owned()),
            "list.html" => Some(include_str!("../../templates/list.html").to_owned()),
            "recipient.html" => Some(include_str!("../../templates/recipient.html").to_owned()),
            _ => None,
        })
    });
    environment
});

pub(super) fn list(list: &ListMessage, unsubscribe: &str) -> Result<RenderedMail, Error> {
    let values = context! { unsubscribe, ..Value::from(Serde(list)) };
    let render = |name| TEMPLATES.get_template(name)?.render(&values);
    Ok(RenderedMail {
        store: list.store.clone(),
        subject: subject(&format!("{} shared a list with you: {}", list.sender, list.list)),
        text: render("list.txt")?,
        html: render("list.html")?,
    })
}

/// A single-line subject without encoded words (`=?utf-8?q?…?=`). They are ASCII, so they would pass unencoded, and mail
/// clients would decode characters that [`one_line`] removes.
fn subject(text: &str) -> String {
    one_line(text, MAX_SUBJECT).replace("=?", "= ?")
}

/// The page where a recipient unsubscribes; without a preference, a page that says that the link is invalid.
pub(crate) fn recipient_page(preference: Option<&MailPreference>) -> Result<String, Error> {
    let (store, refuses) =
        preference.map_or(("", false), |preference| (preference.store_name.as_str(), preference.unsubscribed));
    TEMPLATES.get_template("recipient.html")?.render(context! { store, refuses })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_subject_contains_no_encoded_words() {
        assert_eq!(subject("=?utf-8?q?=E2=80=AE?= shares"), "= ?utf-8?q?=E2=80=AE?= shares");
        assert!(!subject("==??=?=\u{202e}?").contains("=?"));
    }
}
