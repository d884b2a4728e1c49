//! Words of mails and of the recipient's page. What is in a letter was written by strangers: HTML is escaped by the
//! engine, for every value, by the template's name.

use std::sync::LazyLock;

use minijinja::value::{Serde, Value};
use minijinja::{Environment, Error, UndefinedBehavior, context};
use wishbone_core::mail::message::{ListMessage, one_line};
use wishbone_core::mail::recipients::MailPreference;

use crate::mail::attempt::RenderedMail;

/// Mail programs cut longer ones.
const LONGEST_SUBJECT: usize = 150;

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

pub(super) fn list(letter: &ListMessage, unsubscribe: &str) -> Result<RenderedMail, Error> {
    let values = context! { unsubscribe, ..Value::from(Serde(letter)) };
    let render = |name| TEMPLATES.get_template(name)?.render(&values);
    Ok(RenderedMail {
        store: letter.store.clone(),
        subject: subject(&format!("{} shared a list with you: {}", letter.sender, letter.list)),
        text: render("list.txt")?,
        html: render("list.html")?,
    })
}

/// Encoded words (`=?utf-8?q?…?=`) are ASCII and would go into the header as they are, where mail programs decode them:
/// what a line must not hold could be smuggled in.
fn subject(text: &str) -> String {
    one_line(text, LONGEST_SUBJECT).replace("=?", "= ?")
}

/// The page where a recipient says whether mail is welcome; without a preference, that the link is none of ours.
pub(crate) fn recipient_page(preference: Option<&MailPreference>) -> Result<String, Error> {
    let (store, refuses) =
        preference.map_or(("", false), |preference| (preference.store_name.as_str(), preference.refuses));
    TEMPLATES.get_template("recipient.html")?.render(context! { store, refuses })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_subject_holds_no_encoded_words() {
        assert_eq!(subject("=?utf-8?q?=E2=80=AE?= shares"), "= ?utf-8?q?=E2=80=AE?= shares");
        assert!(!subject("==??=?=\u{202e}?").contains("=?"));
    }
}
