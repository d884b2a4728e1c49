//! Fills the demo store, with the same operations that a storefront calls.

use crate::environment::Environment;
use serde_json::value::to_raw_value;
use serde_json::{Value, json};
use uuid::Uuid;
use wishbone_core::catalog::feed::UpsertProducts;
use wishbone_core::catalog::feed_input::FeedInputs;
use wishbone_core::catalog::topic::Topic;
use wishbone_core::error::{Error, Result};
use wishbone_core::identity::caller::{Claim, Credentials, Shopper, device_guest};
use wishbone_core::identity::shoppers::generate_regid;
use wishbone_core::items::change::ChangeItems;
use wishbone_core::items::input::{Action, ItemInputs};
use wishbone_core::lists::create::{CreateList, ListDetails};
use wishbone_core::lists::row::WISHLIST;
use wishbone_core::lists::save_for_later::EnsureSaveForLater;
use wishbone_core::mail::list_mail::MailList;
use wishbone_core::mail::medium::Medium;
use wishbone_core::moment::{HOUR, Moment};
use wishbone_core::operator::Operator;
use wishbone_core::stores::admin::StoreAdmin;
use wishbone_core::stores::alert_settings::AlertSettings;
use wishbone_core::stores::login_secret;
use wishbone_core::stores::manage::CreateStore;
use wishbone_core::stores::record_cache::RecordCache;
use wishbone_core::stores::settings::{Feature, Plan, Settings};
use wishbone_core::subscriptions::create::CreateSubscriptions;
use wishbone_core::subscriptions::product::RequestedProducts;
use wishbone_core::tokens::{Keys, api_key, pid};
use wishbone_core::webhooks::endpoints::{CreateWebhook, NewSecret};
use wishbone_core::webhooks::event_type::EventSet;
use wishbone_storage::Database;

use crate::demo::catalogue;

pub(super) const NAME: &str = "Fernweh & Co.";
/// The currency of mails, and of the pages in `shop_files`.
const CURRENCY: &str = "EUR";
/// The accent of the pages in `shop_files`.
const BRAND_COLOR: &str = "#1d625b";
/// The shopper with the most lists.
pub(super) const ANN: &str = "ann@fernweh.example";
/// Another shopper.
pub(super) const BEN: &str = "ben@fernweh.example";
/// The sender domain of the demo's mails.
pub const MAIL_DOMAIN: &str = "fernweh.example";

/// The filled demo store.
pub struct DemoStore {
    pub pid: String,
    pub api_key: String,
    /// The owner, and the secret with which the shop's server signs logins.
    pub by: StoreAdmin,
    pub login_secret: String,
    pub email: &'static str,
    pub credentials: Credentials,
    pub long_list: String,
    /// An item of the long list.
    pub liked: DemoItem,
    pub empty_list: String,
    pub guest_regid: String,
    pub saved_list: String,
    /// An item of the save-for-later list.
    pub saved: DemoItem,
    /// The id of a webhook.
    pub webhook: String,
    pub counts: DemoCounts,
}

pub struct DemoItem {
    pub variant_id: i64,
    pub product_id: i64,
    pub url: String,
}

pub struct DemoCounts {
    pub variants: usize,
    pub shoppers: usize,
    pub lists: usize,
    pub items: usize,
}

/// The server to fill.
#[derive(Clone, Copy)]
pub struct Target<'a> {
    pub database: &'a Database,
    pub keys: &'a Keys,
    pub environment: &'a Environment,
}

pub async fn fill(target: Target<'_>, base: &str) -> Result<DemoStore> {
    let products = catalogue::products(base);
    let mut filler = Filler::start(target, base, products).await?;

    let ann = filler.login(ANN).await?;
    let everything = filler.every(37, 300);
    let liked = demo_item(&everything)?;
    let long_list = filler.list(&ann, "Everything I ever liked", None, everything).await?;
    let trip = filler.every(29, 12);
    filler.list(&ann, "Summer in the Alps", Some("Hut to hut, second week of July"), filler.with_notes(trip)).await?;
    let wishes = filler.list(&ann, "Birthday wishes", Some("For everyone who asks"), filler.every(13, 24)).await?;
    filler.mail(&ann, &wishes, BEN, "You asked what I would like.\nAny of these!").await?;
    let empty_list = filler.list(&ann, "Kitchen, one day", None, Vec::new()).await?;
    let saved_items = filler.with_quantities(filler.every(41, 6));
    let saved = demo_item(&saved_items)?;
    let saved_list = filler.save_for_later(&ann, saved_items).await?;
    filler.subscribe(ANN, 4).await?;

    let ben = filler.login(BEN).await?;
    filler.list(&ben, "My wishlist", None, filler.every(17, 8)).await?;
    filler.list(&ben, "For Ann", Some("Do not tell her"), filler.every(23, 5)).await?;
    filler.subscribe(BEN, 2).await?;
    let chloe = filler.login("chloe@fernweh.example").await?;
    filler.list(&chloe, "Wohnung einrichten", None, filler.every(7, 41)).await?;
    filler.save_for_later(&chloe, filler.every(31, 3)).await?;
    let credentials = device_guest(target.database, target.keys, &filler.by, target.environment.uuid()).await?;
    let guest = filler.prove(&credentials).await?;
    filler.list(&guest, "My wishlist", None, filler.every(19, 3)).await?;

    let webhook = filler.webhook().await?;
    let login_secret = filler.login_secret().await?;

    Ok(DemoStore {
        webhook,
        login_secret,
        by: filler.by.clone(),
        pid: filler.by.store().pid.clone(),
        api_key: filler.api_key,
        email: ANN,
        credentials: filler.credentials.ok_or_else(|| Error::internal("no shopper has logged in"))?,
        long_list,
        liked,
        empty_list,
        guest_regid: credentials.regid,
        saved_list,
        saved,
        counts: DemoCounts { variants: filler.products.len(), shoppers: 4, lists: filler.lists, items: filler.items },
    })
}

fn demo_item(items: &[Value]) -> Result<DemoItem> {
    let read = |item: &Value| {
        Some(DemoItem {
            variant_id: item.get("epi")?.as_i64()?,
            product_id: item.get("empi")?.as_i64()?,
            url: item.get("du")?.as_str()?.to_owned(),
        })
    };
    items.first().and_then(read).ok_or_else(|| Error::internal("the catalogue is empty"))
}

struct Filler<'a> {
    target: Target<'a>,
    by: StoreAdmin,
    api_key: String,
    products: Vec<Value>,
    /// Credentials of the first shopper to log in.
    credentials: Option<Credentials>,
    /// Age of the next record; decreases with every record.
    hours_ago: i64,
    lists: usize,
    items: usize,
}

impl<'a> Filler<'a> {
    async fn start(target: Target<'a>, base: &str, products: Vec<Value>) -> Result<Self> {
        let (pid, api_key) = (pid(&target.environment.random()), api_key(&target.environment.random()));
        let settings = Settings {
            plan: Plan::Enterprise,
            features: [Feature::SortFilter, Feature::SaveForLater, Feature::Subscriptions].into(),
            list_url: Some(format!("{base}/demo/shared?wishlist={{lid}}")),
            alerts: AlertSettings {
                currency: Some(CURRENCY.to_owned()),
                logo: Some(format!("{base}/demo/logo.svg")),
                brand_color: Some(BRAND_COLOR.to_owned()),
                ..AlertSettings::default()
            },
            ..Settings::default()
        };
        let create = CreateStore {
            by: Operator::of_this_machine(),
            pid: pid.clone(),
            name: NAME.into(),
            api_key: api_key.clone(),
            settings,
            now: target.environment.now(),
        };
        target.database.write(create).await?;
        let by = StoreAdmin::authenticate(target.database, &pid, &api_key, target.environment.now()).await?;
        for chunk in products.chunks(500) {
            let products = FeedInputs::parse("products", &Value::from(chunk).to_string())?;
            let upsert = UpsertProducts { by: by.clone(), products, moment: target.environment.moment() };
            if let Some(failed) = target.database.write(upsert).await?.failed.first() {
                return Err(Error::internal(format!("invalid product in the demo catalogue: {failed:?}")));
            }
        }
        Ok(Self { target, by, api_key, products, credentials: None, hours_ago: 24 * 40, lists: 0, items: 0 })
    }

    /// The time of the next record. Steps decrease: old lists are days apart, recent ones hours.
    fn moment(&mut self) -> Moment {
        self.hours_ago -= (self.hours_ago / 25).max(1);
        let moment = self.target.environment.moment();
        Moment { now: moment.now - self.hours_ago.max(0) * HOUR, ..moment }
    }

    async fn login(&mut self, email: &str) -> Result<Shopper> {
        let moment = self.moment();
        let credentials =
            generate_regid(self.target.database, self.target.keys, self.by.clone(), email.to_owned(), moment).await?;
        let shopper = self.prove(&credentials).await?;
        self.credentials.get_or_insert(credentials);
        Ok(shopper)
    }

    async fn prove(&self, credentials: &Credentials) -> Result<Shopper> {
        let pid = &self.by.store().pid;
        let claim = Claim::look_up(
            self.target.database,
            self.target.keys,
            pid,
            Some(&credentials.regid),
            &RecordCache::default(),
        )
        .await?;
        claim.prove(self.target.database, self.target.keys, &credentials.sessionid).await
    }

    /// `count` distinct variants: every `step`th of the catalogue, wrapping around.
    fn every(&self, step: usize, count: usize) -> Vec<Value> {
        let total = self.products.len();
        let mut taken = vec![false; total];
        let mut at = step;
        let mut out = Vec::with_capacity(count);
        while out.len() < count.min(total) {
            while taken[at % total] {
                at += 1;
            }
            taken[at % total] = true;
            let product = &self.products[at % total];
            out.push(json!({ "epi": product["epi"], "empi": product["empi"], "du": product["du"] }));
            at += step;
        }
        out
    }

    fn with_notes(&self, mut items: Vec<Value>) -> Vec<Value> {
        let notes = ["In my size, please", "Only if it is really light", "Ask Ben, he has one"];
        let labels = ["Must have", "Nice to have"];
        for (i, item) in items.iter_mut().enumerate() {
            if i % 3 == 0 {
                item["note"] = notes[i / 3 % notes.len()].into();
            }
            item["clbls"] = json!([labels[i % labels.len()]]);
            item["cprops"] = json!({ "priority": i % 5 + 1 });
        }
        items
    }

    fn with_quantities(&self, mut items: Vec<Value>) -> Vec<Value> {
        for (i, item) in items.iter_mut().enumerate() {
            item["qty"] = (i % 3 + 1).into();
        }
        items
    }

    async fn list(&mut self, by: &Shopper, name: &str, note: Option<&str>, items: Vec<Value>) -> Result<String> {
        let details =
            ListDetails { name: Some(name.to_owned()), note: note.map(str::to_owned), ..ListDetails::default() };
        let create = CreateList { by: by.clone(), list_type: WISHLIST.to_owned(), details, moment: self.moment() };
        let list = self.target.database.write(create).await?.list_id;
        self.add(by, list, items).await
    }

    /// Queues a mail, dated now, so that it is sent as soon as the demo runs.
    async fn mail(&mut self, by: &Shopper, lid: &str, address: &str, note: &str) -> Result<()> {
        let mail = MailList {
            clients: Vec::new(),
            by: by.clone(),
            list: Uuid::try_parse(lid).map_err(Error::internal)?.into(),
            sender: "Ann".to_owned(),
            owner_name: Some("Ann".to_owned()),
            address: address.to_owned(),
            note: Some(note.to_owned()),
            domain: MAIL_DOMAIN.to_owned(),
            moment: self.target.environment.moment(),
        };
        self.target.database.write(mail).await?;
        Ok(())
    }

    async fn save_for_later(&mut self, by: &Shopper, items: Vec<Value>) -> Result<String> {
        let details = ListDetails { name: Some("Saved for later".to_owned()), ..ListDetails::default() };
        let ensure = EnsureSaveForLater { by: by.clone(), details, moment: self.moment() };
        let list = self.target.database.write(ensure).await?.list_id;
        self.add(by, list, items).await
    }

    /// Adds items in several calls, so that their times differ.
    async fn add(&mut self, by: &Shopper, list: Uuid, items: Vec<Value>) -> Result<String> {
        self.lists += 1;
        self.items += items.len();
        for chunk in items.chunks(items.len().div_ceil(20).max(1)) {
            let inputs = vec![ItemInputs::parse(Action::Add, "a", &Value::from(chunk.to_vec()).to_string())?];
            let moment = self.moment();
            let change = ChangeItems { by: by.clone(), list: list.into(), inputs, only_save_for_later: false, moment };
            self.target.database.write(change).await?;
        }
        Ok(list.to_string())
    }

    async fn login_secret(&self) -> Result<String> {
        let Target { database, keys, environment } = self.target;
        let (random, nonce, now) = (environment.random(), environment.random(), environment.now());
        let new = login_secret::NewSecret { random, nonce, now };
        login_secret::show(database, keys, Operator::of_this_machine(), &self.by.store().pid, &new).await
    }

    /// Creates a webhook, to an address that nobody has.
    async fn webhook(&mut self) -> Result<String> {
        let Target { database, keys, environment } = self.target;
        let new = NewSecret { random: environment.random(), nonce: environment.random() };
        let (url, events) = ("https://fernweh.example/webhooks".to_owned(), EventSet::parse(["alert.failed"])?);
        let create = CreateWebhook::new(self.by.clone(), keys, url, events, &new, &self.moment())?;
        Ok(database.write(create).await?.to_string())
    }

    /// Subscribes to products that are out of stock.
    async fn subscribe(&mut self, email: &str, count: usize) -> Result<()> {
        let sold_out = self.products.iter().filter(|product| product["stock"] == json!(0));
        let products: Vec<_> =
            sold_out.take(count).map(to_raw_value).collect::<std::result::Result<_, _>>().map_err(Error::internal)?;
        let products = RequestedProducts::read(products.iter().map(|product| &**product))?;
        let create = CreateSubscriptions {
            by: self.by.clone(),
            medium: Medium::Email,
            address: email.to_owned(),
            topics: vec![Topic::BackInStock],
            products,
            extras: None,
            mailing_list: false,
            moment: self.moment(),
        };
        self.target.database.write(create).await?;
        Ok(())
    }
}
