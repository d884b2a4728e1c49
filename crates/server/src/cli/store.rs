//! `wishbone store …`

use std::process::ExitCode;

use anyhow::Context;
use clap::Subcommand;
use serde_json::json;
use wishbone_core::identity::profile::normalize_email;
use wishbone_core::mail::customization::FindCustomization;
use wishbone_core::operator::Operator;
use wishbone_core::registry::default_options;
use wishbone_core::stores::admin::StoreAdmin;
use wishbone_core::stores::counts::CountStore;
use wishbone_core::stores::deletion::ListDeletions;
use wishbone_core::stores::login_secret::{self, NewSecret};
use wishbone_core::stores::manage::{CreateStore, ListStores, RevokeSessions, RotateKey, UpdateStore};
use wishbone_core::stores::record::FindStore;
use wishbone_core::stores::sms_auth::SaveSmsAuth;
use wishbone_core::tokens::{api_key, is_pid, pid};
use wishbone_storage::{Database, Options};

use crate::cli::hint::hint;
use crate::cli::location::LocationArgs;
use crate::cli::output::{print, print_error};
use crate::cli::secret::{NO_KEYS, SecretArgs};
use crate::cli::store_arg::StoreArg;
use crate::cli::store_args::{CreateArgs, Lifetime, SetArgs, lifetime};
use crate::cli::store_delete::{self, DeleteArgs};
use crate::cli::store_output::{StoreState, list, print_credentials, show, show_changes, snippet};
use crate::environment::Environment;
use crate::mail::customize::require_language;

#[derive(Subcommand)]
pub(super) enum StoreCommand {
    /// Create a store and print its pid, API key and login secret
    ///
    /// The store has all features, unless --plan or --enable says which. The API key is shown only once.
    ///
    /// Example: `wishbone store create --name "My shop"`
    Create(CreateArgs),
    /// List all stores with what they have
    ///
    /// Counts end at 10000, so that the list costs little: 10000+ means at least as many. With --json, `counts` has the same
    /// numbers.
    List,
    /// Show a store with its settings
    Show {
        #[command(flatten)]
        store: StoreArg,
        /// Also show the login secret, which your shop's server signs logins with; created if there is none yet
        #[arg(long)]
        secrets: bool,
        #[command(flatten)]
        secret: SecretArgs,
    },
    /// Change settings of a store and print what has changed; settings that are not given stay unchanged
    ///
    /// Example: `wishbone store set "My shop" --currency EUR --language de`
    Set(Box<SetArgs>),
    /// Delete a store with everything that belongs to it; this cannot be undone
    ///
    /// Asks for the store's name. Works while servers run: the store is unknown to all calls at once, and its data is deleted in
    /// small steps. If the command is interrupted, run it again: it goes on. Backups are not changed.
    ///
    /// Example: `wishbone store delete "My shop"`
    Delete(DeleteArgs),
    /// Replace the API key; the old one stops working at once, or after --keep-old
    RotateKey {
        #[command(flatten)]
        store: StoreArg,

        /// Time for which the old key stays valid, such as 30m, 24h or 7d (30 days at most), so that servers can change
        /// over without a failed call. Leave it out when the old key has leaked
        #[arg(long, value_name = "TIME", value_parser = lifetime)]
        keep_old: Option<Lifetime>,
    },
    /// Replace the login secret; tokens signed with the old one are rejected immediately
    RotateLoginSecret {
        #[command(flatten)]
        store: StoreArg,
        #[command(flatten)]
        secret: SecretArgs,
    },
    /// Revoke sessions; lists are not affected
    ///
    /// Revokes the sessions of all shoppers of the store, or of one.
    RevokeSessions {
        #[command(flatten)]
        store: StoreArg,
        /// Only sessions of the shopper with this e-mail address
        #[arg(long, value_name = "E")]
        email: Option<String>,
    },
}

pub(super) async fn run(command: StoreCommand, location: &LocationArgs, json: bool) -> anyhow::Result<ExitCode> {
    let by = Operator::of_this_machine();
    let environment = Environment::Real;
    let now = environment.now();
    match command {
        StoreCommand::Create(args) => {
            // The first store may be created before the server first starts.
            let is_new = location.is_new();
            let database = location.open_or_create(&Options { readers: 1, pool_size: 2, ..default_options() }).await?;
            if is_new {
                print_error(&format!("Created a new database in {}.", location.data.display()));
            }
            create(&database, args, location, &environment, json).await?;
        }
        StoreCommand::List => {
            let database = location.open_existing().await?;
            let mut stores = Vec::new();
            for store in database.read(ListStores { by }).await? {
                let counts = database.read(CountStore { by, store_id: store.store_id }).await?;
                stores.push((store, counts));
            }
            list(&stores, &database.read(ListDeletions { by }).await?, json);
        }
        StoreCommand::Show { store, secrets, secret } => {
            let database = location.open_existing().await?;
            let store = store.find(&database).await?;
            let keys = if secrets {
                Some(secret.keys(&database, location, &environment).await?.context(NO_KEYS)?)
            } else {
                None
            };
            let secret = match keys {
                Some(keys) => {
                    Some(login_secret::show(&database, &keys, by, &store.pid, &new_secret(&environment)).await?)
                }
                None => None,
            };
            let state = StoreState::read(&database, by, store, now).await?;
            show(&state, secret.as_deref(), json);
        }
        StoreCommand::Set(args) => {
            let database = location.open_existing().await?;
            let store = args.store.find(&database).await?;
            if let Some(language) = &args.alerts.language {
                let by = StoreAdmin::by_operator(by, store.clone());
                let own = database.read(FindCustomization { by }).await?;
                require_language(&own, language).map_err(|known| {
                    let add = hint(format_args!("mail text import {} FILE --language {language}", store.pid));
                    anyhow::anyhow!("--language: {known}. Choose one of these, or add it first: {add}")
                })?;
            }
            let pid = store.pid.clone();
            let before = StoreState::read(&database, by, store, now).await?;
            if let Some(auth) = args.alerts.sms_auth() {
                let keys = args.alerts.secret().keys(&database, location, &environment).await?.context(NO_KEYS)?;
                let auth = auth.map(|auth| (auth, environment.random()));
                database.write(SaveSmsAuth::new(by, &keys, &pid, auth)?).await?;
            }
            let changed =
                database.write(UpdateStore { by, pid, change: args.change(), moment: environment.moment() }).await?;
            let after = StoreState::read(&database, by, changed, now).await?;
            show_changes(&before, &after, json);
        }
        StoreCommand::Delete(args) => {
            store_delete::run(&args, &location.open_existing().await?, json).await?;
        }
        StoreCommand::RotateKey { store, keep_old } => {
            let database = location.open_existing().await?;
            let pid = store.find(&database).await?.pid;
            let key = api_key(&environment.random());
            let keep_previous_until = keep_old.as_ref().map(|Lifetime { millis, .. }| now + millis);
            database.write(RotateKey { by, pid: pid.clone(), api_key: key.clone(), keep_previous_until, now }).await?;
            let old = match &keep_old {
                Some(Lifetime { text, .. }) => {
                    format!("The old key stays valid for {text}. Keys before it no longer work.")
                }
                None => "The old key no longer works.".to_owned(),
            };
            print_credentials(&pid, &key, None, json, &old);
        }
        StoreCommand::RotateLoginSecret { store, secret } => {
            let database = location.open_existing().await?;
            let pid = store.find(&database).await?.pid;
            let keys = secret.keys(&database, location, &environment).await?.context(NO_KEYS)?;
            let secret = login_secret::rotate(&database, &keys, by, &pid, &new_secret(&environment)).await?;
            if json {
                print(&json!({ "pid": pid, "loginsecret": secret }).to_string());
            } else {
                print(&format!("login secret  {secret}\n\nTokens signed with the old login secret are now rejected."));
            }
        }
        StoreCommand::RevokeSessions { store, email } => {
            let database = location.open_existing().await?;
            let pid = store.find(&database).await?.pid;
            let email = email.map(|email| normalize_email("--email", &email)).transpose()?;
            let revoked = database.write(RevokeSessions { by, pid, email, now }).await?;
            if json {
                print(&json!({ "revoked": revoked }).to_string());
            } else if revoked {
                print("Sessions revoked. Shoppers get new ones at their next login.");
            } else {
                print("No shopper of this store has this e-mail address; nothing was changed.");
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn new_secret(environment: &Environment) -> NewSecret {
    NewSecret { random: environment.random(), nonce: environment.random(), now: environment.now() }
}

async fn create(
    database: &Database,
    args: CreateArgs,
    location: &LocationArgs,
    environment: &Environment,
    json: bool,
) -> anyhow::Result<()> {
    let name = args.name.trim().to_owned();
    let is_name = (1..=200).contains(&name.chars().count()) && !name.contains(char::is_control);
    anyhow::ensure!(is_name, "--name must have 1 to 200 characters and no control characters");
    let pid = args.pid.clone().unwrap_or_else(|| pid(&environment.random()));
    anyhow::ensure!(is_pid(&pid), "--pid must be standard base64 of 32 bytes (44 characters)");
    let exists = database.read(FindStore { pid: pid.clone() }).await?.is_some();
    anyhow::ensure!(!exists, "--pid {pid} is already in use: see `{}`", hint(format_args!("store show {pid}")));
    let settings = args.settings();
    let keys = args.secret.keys(database, location, environment).await?;
    let key = api_key(&environment.random());
    let by = Operator::of_this_machine();
    database
        .write(CreateStore { by, pid: pid.clone(), name, api_key: key.clone(), settings, now: environment.now() })
        .await?;
    let secret = match &keys {
        Some(keys) => Some(login_secret::show(database, keys, by, &pid, &new_secret(environment)).await?),
        None => {
            print_error(&format!(
                "The store has no login secret yet: {NO_KEYS}, and run `{}`.",
                hint(format_args!("store show {pid} --secrets"))
            ));
            None
        }
    };
    let url = args.server.url(location);
    print_credentials(
        &pid,
        &key,
        secret.as_deref(),
        json,
        &format!(
            "Next: run `wishbone serve`, then check the key:  curl -u 'PID:API_KEY' {url}/storeadmin/me\n\n\
             Paste into any page, for a heart and the list that it fills:\n{}",
            snippet(&url, &pid)
        ),
    );
    Ok(())
}
