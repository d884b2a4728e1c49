//! Words of mails and of the recipient's page. What is in a letter was written by strangers: HTML is escaped by the
//! engine, for every value, by the template's name.

use std::sync::LazyLock;

use minijinja::value::{Serde, Value};
use minijinja::{Environment, Error, UndefinedBehavior, context};
use wishbone_core::list_mail::{ListLetter, one_line};
use wishbone_core::recipients::Standing;

use super::Worded;

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

pub(super) fn list(letter: &ListLetter, unsubscribe: &str) -> Result<Worded, Error> {
    let values = context! { unsubscribe, ..Value::from(Serde(letter)) };
    let render = |name| TEMPLATES.get_template(name)?.render(&values);
    Ok(Worded {
        store: letter.store.clone(),
        subject: subject(&format!("{} shares a list with you: {}", letter.sender, letter.list)),
        text: render("list.txt")?,
        html: render("list.html")?,
    })
}

/// Encoded words (`=?utf-8?q?…?=`) are ASCII and would go into the header as they are, where mail programs decode them:
/// what a line must not hold could be smuggled in.
fn subject(text: &str) -> String {
    one_line(text, LONGEST_SUBJECT).replace("=?", "= ?")
}

/// The page where a recipient says whether mail is welcome; without a standing, that the link is none of ours.
pub(crate) fn recipient_page(standing: Option<&Standing>) -> Result<String, Error> {
    let (store, refuses) = standing.map_or(("", false), |standing| (standing.store_name.as_str(), standing.refuses));
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
