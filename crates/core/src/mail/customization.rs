//! A store's own mail templates and texts, and what else mails to a recipient depend on.

use std::collections::BTreeMap;

use wishbone_storage::{Arg, FromRow, Query, Read, Row, Tx, Write};

use crate::error::{Error, Result};
use crate::mail::recipients::Recipient;
use crate::moment::Millis;
use crate::stores::admin::StoreAdmin;
use crate::stores::record::{self, StoreRecord};

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
    /// The language that the shopper has saved.
    pub language: Option<String>,
    pub customization: Customization,
}

pub struct FindMailContext {
    pub by: Recipient,
    /// The recipient's normalized address, if it is known.
    pub address: Option<String>,
    /// Whether it is about confirming the address.
    pub for_confirmation: bool,
}

impl Read for FindMailContext {
    const NAME: &'static str = "find_mail_context";
    /// `None` if the store does not exist.
    type Out = Option<MailContext>;
    type Error = Error;

    async fn run<Q: Query>(&self, query: &mut Q) -> Result<Self::Out> {
        let store_id = self.by.store_id();
        let Some(store) = query.first(record::BY_ID.bind(&[store_id.into()])).await? else { return Ok(None) };
        let language = match &self.address {
            Some(address) => {
                let sql = if self.for_confirmation { REQUESTED_LANGUAGE } else { LANGUAGE };
                query.first(sql.bind(&[store_id.into(), address.into()])).await?
            }
            None => None,
        };
        let language = language.and_then(|Language(tag)| tag);
        Ok(Some(MailContext { store, language, customization: load(query, store_id).await? }))
    }
}

pub struct FindCustomization {
    pub by: StoreAdmin,
}

impl Read for FindCustomization {
    const NAME: &'static str = "find_customization";
    type Out = Customization;
    type Error = Error;

    async fn run<Q: Query>(&self, query: &mut Q) -> Result<Customization> {
        load(query, self.by.store_id()).await
    }
}

/// Replaces a template, which was validated; `None` restores the built-in one.
pub struct SetTemplate {
    pub by: StoreAdmin,
    pub name: String,
    pub source: Option<String>,
    pub now: Millis,
}

impl Write for SetTemplate {
    const NAME: &'static str = "set_template";
    type Out = ();
    type Error = Error;

    async fn run<T: Tx>(&self, tx: &mut T) -> Result<()> {
        let key: [Arg<'_>; 2] = [self.by.store_id().into(), (&self.name).into()];
        match &self.source {
            Some(source) => {
                tx.execute(SET_TEMPLATE.bind(&[key[0], key[1], source.into(), self.now.into()])).await?;
            }
            None => {
                tx.execute(RESET_TEMPLATE.bind(&key)).await?;
            }
        }
        Ok(())
    }
}

/// Replaces texts of a language, which were validated; `None` restores the built-in text.
pub struct SetTexts {
    pub by: StoreAdmin,
    pub language: String,
    pub texts: BTreeMap<String, Option<String>>,
    pub now: Millis,
}

impl Write for SetTexts {
    const NAME: &'static str = "set_texts";
    type Out = ();
    type Error = Error;

    async fn run<T: Tx>(&self, tx: &mut T) -> Result<()> {
        let (store_id, language) = (self.by.store_id(), &self.language);
        for (key, text) in &self.texts {
            let key: [Arg<'_>; 3] = [store_id.into(), language.into(), key.into()];
            match text {
                Some(text) => {
                    tx.execute(SET_TEXT.bind(&[key[0], key[1], key[2], text.into(), self.now.into()])).await?;
                }
                None => {
                    tx.execute(RESET_TEXT.bind(&key)).await?;
                }
            }
        }
        Ok(())
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

/// The language of the shopper who has this address, else of the one who has last subscribed with it. Anyone may request a
/// subscription, so what is not confirmed (4) counts only for the confirmation, and after what is.
macro_rules! language {
    ($condition:literal) => {
        concat!(
            "select coalesce(
               (select h.language from shoppers h where h.store_id = $1 and h.email = $2),
               (select h.language from subscriptions s
                  join shoppers h on h.store_id = $1 and h.shopper_id = s.shopper_id
                where s.store_id = $1 and s.address = $2 and s.variant_id > 0 ",
            $condition,
            " order by case when s.status = 4 then 1 else 0 end, s.subscription_id desc limit 1))
             from stores where store_id = $1"
        )
    };
}

statements! {
    LANGUAGE = language!("and s.status <> 4");
    REQUESTED_LANGUAGE = language!("");
    TEMPLATES = "select name, source from mail_templates where store_id = $1";
    TEXTS = "select name, content, language from mail_texts where store_id = $1";
    SET_TEMPLATE = "insert into mail_templates (store_id, name, source, updated_at) values ($1, $2, $3, $4)
                    on conflict (store_id, name) do update set source = excluded.source, updated_at = excluded.updated_at";
    RESET_TEMPLATE = "delete from mail_templates where store_id = $1 and name = $2";
    SET_TEXT = "insert into mail_texts (store_id, language, name, content, updated_at) values ($1, $2, $3, $4, $5)
                on conflict (store_id, language, name)
                do update set content = excluded.content, updated_at = excluded.updated_at";
    RESET_TEXT = "delete from mail_texts where store_id = $1 and language = $2 and name = $3";
}
