//! A store's own mail templates and texts, and what else mails to a recipient depend on.

use std::collections::BTreeMap;

use wishbone_storage::{FromRow, Query, Read, Row};

use crate::error::{Error, Result};
use crate::mail::recipients::Recipient;
use crate::stores::record::StoreRecord;

/// The templates and texts that replace the built-in ones.
#[derive(Clone, Debug, Default)]
pub struct Customization {
    /// Templates by name, such as `alert.html`.
    pub templates: BTreeMap<String, String>,
    /// Texts by language tag and key.
    pub texts: BTreeMap<String, BTreeMap<String, String>>,
}

/// What a mail or page for a recipient depends on, besides its content.
#[derive(Clone, Debug)]
pub struct MailContext {
    pub store: StoreRecord,
    /// The language that the shopper of this address has saved.
    pub language: Option<String>,
    pub customization: Customization,
}

pub struct FindMailContext {
    pub by: Recipient,
    /// The recipient's normalized address, if it is known.
    pub address: Option<String>,
}

impl Read for FindMailContext {
    const NAME: &'static str = "find_mail_context";
    /// `None` if the store does not exist.
    type Out = Option<MailContext>;
    type Error = Error;

    async fn run<Q: Query>(&self, query: &mut Q) -> Result<Self::Out> {
        let store_id = self.by.store_id();
        let Some(store) = query.first(STORE.bind(&[store_id.into()])).await? else { return Ok(None) };
        let language = match &self.address {
            Some(address) => query.first(LANGUAGE.bind(&[store_id.into(), address.into()])).await?,
            None => None,
        };
        let language = language.and_then(|Language(tag)| tag);
        Ok(Some(MailContext { store, language, customization: load(query, store_id).await? }))
    }
}

/// Reads everything that a store has customized.
pub(crate) async fn load<Q: Query>(query: &mut Q, store_id: i64) -> Result<Customization> {
    let mut out = Customization::default();
    let args = [store_id.into()];
    query
        .query_all(&[TEMPLATES.bind(&args), TEXTS.bind(&args)], &mut |statement, row| {
            let value = row.text(1)?.to_owned();
            if statement == 0 {
                out.templates.insert(row.text(0)?.to_owned(), value);
            } else {
                out.texts.entry(row.text(2)?.to_owned()).or_default().insert(row.text(0)?.to_owned(), value);
            }
            Ok(())
        })
        .await?;
    Ok(out)
}

struct Language(Option<String>);

impl FromRow for Language {
    fn from_row(row: &dyn Row) -> wishbone_storage::Result<Self> {
        Ok(Self(row.opt_text(0)?.map(str::to_owned)))
    }
}

statements! {
    STORE = "select store_id, pid, name, settings, generation, api_key_hash, created_at from stores where store_id = $1";
    LANGUAGE = "select language from shoppers where store_id = $1 and email = $2";
    TEMPLATES = "select name, source from mail_templates where store_id = $1 order by name";
    TEXTS = "select name, content, language from mail_texts where store_id = $1 order by language, name";
}
