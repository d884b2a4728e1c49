//! `wishbone mail …`: templates and texts of a store's mails, and those that failed.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use clap::{Args, Subcommand};
use serde::de::IgnoredAny;
use serde_json::json;
use wishbone_core::identity::profile::normalize_email;
use wishbone_core::mail::customization::{FindCustomization, SetTemplate, SetTexts};
use wishbone_core::mail::failed::FindFailedMails;
use wishbone_core::mail::test_mail::SendTestMail;
use wishbone_core::stores::admin::StoreAdmin;
use wishbone_storage::Database;

use crate::api::mail::KINDS;
use crate::cli::hint::hint;
use crate::cli::location::LocationArgs;
use crate::cli::mail_output::{print_failed, print_preview, print_templates, print_texts};
use crate::cli::output::{plural, print};
use crate::cli::store_arg::StoreArg;
use crate::environment::Environment;
use crate::mail::customize::{self, SampleChoice, TextChanges};
use crate::mail::pool::RenderPool;

#[derive(Subcommand)]
pub(super) enum MailCommand {
    /// Replace templates of mails
    #[command(subcommand)]
    Template(TemplateCommand),
    /// Change texts of mails and pages, or add a language
    #[command(subcommand)]
    Text(TextCommand),
    /// Show a mail with sample content
    ///
    /// Prints the subject and the text part.
    ///
    /// Example: `wishbone mail preview "My shop" --language de --html alert.html`
    Preview {
        #[command(flatten)]
        store: StoreArg,
        #[command(flatten)]
        sample: SampleArgs,
        /// File to write the HTML part to
        #[arg(long, value_name = "FILE")]
        html: Option<PathBuf>,
    },
    /// List mails that were given up in the last 30 days, newest first
    ///
    /// A mail is given up if the mail server rejects it for good, or after the last retry. Correct the cause; the shopper can
    /// request it again.
    ///
    /// Example: `wishbone mail failed "My shop" --limit 20`
    Failed {
        #[command(flatten)]
        store: StoreArg,
        /// Maximum number of mails
        #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(i64).range(1..=10_000))]
        limit: i64,
    },
    /// Send a mail with sample content
    ///
    /// Queues the mail; a running server sends it. At most 20 per store and hour.
    ///
    /// Example: `wishbone mail send-test "My shop" --to owner@shop.example`
    SendTest {
        #[command(flatten)]
        store: StoreArg,
        #[command(flatten)]
        sample: SampleArgs,
        /// Address of the recipient
        #[arg(long, value_name = "ADDRESS")]
        to: String,
    },
}

/// Templates are written in a part of Jinja: if, for, block, extends, include. `{{ t("alert.button") }}` inserts a text.
#[derive(Subcommand)]
pub(super) enum TemplateCommand {
    /// List the templates and show which are replaced
    List(StoreArg),
    /// Print a template, as a start for your own
    ///
    /// Example: `wishbone mail template show "My shop" alert.html > alert.html`
    Show {
        #[command(flatten)]
        store: StoreArg,
        /// Name of the template; see `wishbone mail template list`
        name: String,
    },
    /// Replace a template; it is validated first
    ///
    /// All mails of the store are rendered with sample content. They must name the product and its URL in the text part, and
    /// link to {{ unsubscribe }}, or {{ confirm }} in a confirmation.
    ///
    /// Example: `wishbone mail template set "My shop" alert.html alert.html`
    Set {
        #[command(flatten)]
        store: StoreArg,
        /// Name of the template; see `wishbone mail template list`
        name: String,
        /// File with the new source
        file: PathBuf,
    },
    /// Restore a built-in template
    Reset {
        #[command(flatten)]
        store: StoreArg,
        /// Name of the template
        name: String,
    },
}

#[derive(Subcommand)]
pub(super) enum TextCommand {
    /// List the texts of a language
    ///
    /// With --json the output can be edited and read by `wishbone mail text import`.
    List {
        #[command(flatten)]
        store: StoreArg,
        /// Language tag, such as de or pt-BR [default: the store's language]
        #[arg(long, value_name = "TAG")]
        language: Option<String>,
    },
    /// Change one text
    ///
    /// Example: `wishbone mail text set "My shop" alert.button "Buy" --language en`
    Set {
        #[command(flatten)]
        store: StoreArg,
        /// Key of the text; see `wishbone mail text list`
        key: String,
        /// The text, with placeholders such as {store}
        text: String,
        /// Language tag, such as de or pt-BR
        #[arg(long, value_name = "TAG")]
        language: String,
    },
    /// Change many texts, or add a language, from a JSON file of keys and texts
    ///
    /// A new language is used as soon as no text is missing.
    ///
    /// Example: `wishbone mail text import "My shop" pl.json --language pl`
    Import {
        #[command(flatten)]
        store: StoreArg,
        /// File with one JSON object: {"alert.button": "Kup teraz", …}
        file: PathBuf,
        /// Language tag, such as de or pt-BR
        #[arg(long, value_name = "TAG")]
        language: String,
    },
    /// Restore built-in texts: the given ones, or all of the language
    Reset {
        #[command(flatten)]
        store: StoreArg,
        /// Keys of the texts
        keys: Vec<String>,
        /// Language tag, such as de or pt-BR
        #[arg(long, value_name = "TAG")]
        language: String,
    },
}

#[derive(Args)]
pub(super) struct SampleArgs {
    /// Kind of mail
    #[arg(long, default_value = "alert", value_parser = clap::builder::PossibleValuesParser::new(KINDS))]
    kind: String,
    /// Topic of an alert or a confirmation: backinstock, comingsoon, pricedrop or lowstock
    #[arg(long, default_value = "backinstock")]
    topic: String,
    /// Language tag, such as de or pt-BR [default: the store's language]
    #[arg(long, value_name = "TAG")]
    language: Option<String>,
}

impl SampleArgs {
    fn choice(self) -> SampleChoice {
        SampleChoice { kind: Some(self.kind), topic: Some(self.topic), language: self.language }
    }
}

pub(super) async fn run(command: MailCommand, location: &LocationArgs, json: bool) -> anyhow::Result<ExitCode> {
    let database = location.open_existing().await?;
    match command {
        MailCommand::Template(command) => template(command, &database, json).await?,
        MailCommand::Text(command) => text(command, &database, json).await?,
        MailCommand::Preview { store, sample, html } => {
            let by = store.admin(&database).await?;
            let preview =
                customize::preview(&database, &RenderPool::default(), &by, &sample.choice(), Default::default())
                    .await?;
            if let Some(path) = &html {
                std::fs::write(path, &preview.html).with_context(|| format!("cannot write {}", path.display()))?;
            }
            print_preview(&preview, html.as_deref(), json);
        }
        MailCommand::Failed { store, limit } => {
            let by = store.admin(&database).await?;
            print_failed(&database.read_long(FindFailedMails { by, limit }).await?, json);
        }
        MailCommand::SendTest { store, sample, to } => {
            let by = store.admin(&database).await?;
            let address = normalize_email("--to", &to)?;
            let message = sample.choice().message()?;
            let reply_to = by.store().settings.alerts.reply_to.clone();
            let domain =
                reply_to.as_deref().and_then(|address| address.rsplit_once('@')).map_or("localhost", |it| it.1);
            let moment = Environment::Real.moment();
            let mail = SendTestMail { by, address: address.clone(), message, domain: domain.to_owned(), moment };
            database.write(mail).await?;
            let line = format!("Queued a mail to {address}. A running server sends it within seconds.");
            print(&if json { json!({ "to": address }).to_string() } else { line });
        }
    }
    Ok(ExitCode::SUCCESS)
}

async fn template(command: TemplateCommand, database: &Database, json: bool) -> anyhow::Result<()> {
    let now = Environment::Real.now();
    match command {
        TemplateCommand::List(store) => {
            let by = store.admin(database).await?;
            print_templates(&customize::templates(&database.read(FindCustomization { by }).await?), json);
        }
        TemplateCommand::Show { store, name } => {
            let name = customize::template_name(&name)?;
            let by = store.admin(database).await?;
            let source = customize::template(&database.read(FindCustomization { by }).await?, name);
            print(&if json { json!({ "name": name, "source": source }).to_string() } else { source });
        }
        TemplateCommand::Set { store, name, file } => {
            let by = store.admin(database).await?;
            let source = std::fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
            let name = customize::check_template(database, &RenderPool::default(), &by, &name, &source).await?;
            let next = hint(format_args!("mail preview {} --html FILE", by.store().pid));
            let line = format!("Replaced {name}. To look at it: {next}");
            database.write(SetTemplate { by, name: name.to_owned(), source: Some(source), now }).await?;
            print(&if json { json!({ "name": name, "customized": true }).to_string() } else { line });
        }
        TemplateCommand::Reset { store, name } => {
            let by = store.admin(database).await?;
            let name = customize::template_name(&name)?;
            database.write(SetTemplate { by, name: name.to_owned(), source: None, now }).await?;
            let line = format!("Restored the built-in {name}.");
            print(&if json { json!({ "name": name, "customized": false }).to_string() } else { line });
        }
    }
    Ok(())
}

async fn text(command: TextCommand, database: &Database, json: bool) -> anyhow::Result<()> {
    match command {
        TextCommand::List { store, language } => {
            let by = store.admin(database).await?;
            let language = language.unwrap_or_else(|| by.store().settings.alerts.language.clone());
            let customization = database.read(FindCustomization { by }).await?;
            print_texts(&customize::texts(&customization, &language)?, json);
            Ok(())
        }
        TextCommand::Set { store, key, text, language } => {
            let by = store.admin(database).await?;
            set_texts(database, by, &language, [(key, Some(text))].into(), json).await
        }
        TextCommand::Import { store, file, language } => {
            let by = store.admin(database).await?;
            let content = std::fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
            let _: IgnoredAny =
                serde_json::from_str(&content).with_context(|| format!("{}: not JSON", file.display()))?;
            set_texts(database, by, &language, customize::parse_texts(&content)?, json).await
        }
        TextCommand::Reset { store, keys, language } => {
            let by = store.admin(database).await?;
            let customization = database.read(FindCustomization { by: by.clone() }).await?;
            let keys = Some(keys).filter(|keys| !keys.is_empty());
            let texts = customize::reset_texts(&customization, &language, keys)?;
            set_texts(database, by, &language, texts, json).await
        }
    }
}

async fn set_texts(
    database: &Database,
    by: StoreAdmin,
    language: &str,
    texts: TextChanges,
    json: bool,
) -> anyhow::Result<()> {
    let checked = customize::check_texts(database, &RenderPool::default(), &by, language, &texts).await?;
    let (language, missing, changed) = (checked.language.clone(), checked.missing, texts.len());
    database.write(SetTexts { by, language: checked.language, texts, now: Environment::Real.now() }).await?;
    if json {
        print(&json!({ "language": language, "changed": changed, "missing": missing }).to_string());
    } else if missing.is_empty() {
        print(&format!("Changed {} in {language}.", plural(changed as u64, "text")));
    } else {
        let lacks = plural(missing.len() as u64, "text");
        print(&format!(
            "Changed {} in {language}, which is not used yet: it lacks {lacks}:",
            plural(changed as u64, "text")
        ));
        missing.iter().for_each(|key| print(&format!("  {key}")));
    }
    Ok(())
}
