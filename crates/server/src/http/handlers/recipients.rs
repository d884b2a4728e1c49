//! The unsubscribe page that mails link to, and one-click unsubscribe (RFC 8058).

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use wishbone_core::catalog::topic::Topic;
use wishbone_core::mail::customization::FindMailContext;
use wishbone_core::mail::recipients::{FindMailPreference, MailPreference, Recipient, SetMailPreference};
use wishbone_core::subscriptions::unsubscribe::{AlertLink, FindSentAlert, Scope, SentAlert, SetAlertPreference};

use crate::app::App;
use crate::http::handlers::mail_pages::{enter, invalid_link, read_link, store_page};
use crate::http::request::body::read_body;
use crate::http::request::form::Form;
use crate::http::response::error::Result;
use crate::mail::letterhead::Letterhead;
use crate::mail::pages::{UnsubscribeState, unsubscribe_page};

/// The link of a mail: about all mail of the store or, in an alert, also about its topic.
#[derive(Clone, Copy)]
enum Link {
    Mail(Recipient),
    Alert(AlertLink),
}

impl Link {
    fn parse(app: &App, query: Option<&str>) -> Option<Self> {
        read_link(query, |token| {
            let mail = Recipient::of_token(&app.keys, token).map(Self::Mail);
            mail.or_else(|| AlertLink::of_token(&app.keys, token).map(Self::Alert))
        })
    }

    fn recipient(self) -> Recipient {
        match self {
            Self::Mail(recipient) => recipient,
            Self::Alert(alert) => alert.recipient,
        }
    }

    fn topic(self) -> Option<Topic> {
        match self {
            Self::Mail(_) => None,
            Self::Alert(alert) => Some(alert.topic),
        }
    }
}

/// GET changes nothing: mail programs and virus scanners open links before people do.
pub(crate) async fn page(State(app): State<Arc<App>>, request: Request) -> Result<Response> {
    let _slot = enter(&app, request.uri().query())?;
    show(&app, Link::parse(&app, request.uri().query()), request.headers()).await
}

/// Called by a button of the page, or by a mail program with `List-Unsubscribe=One-Click`.
pub(crate) async fn answer(State(app): State<Arc<App>>, request: Request) -> Result<Response> {
    let _slot = enter(&app, request.uri().query())?;
    let (link, headers) = (Link::parse(&app, request.uri().query()), request.headers().clone());
    let Some(by) = link else { return show(&app, None, &headers).await };
    let body = read_body(request, &app, app.limits.form_bytes).await?;
    let form = Form::parse(&body).unwrap_or_default();
    let unsubscribed = form.get("again") != Some("true");
    let now = app.environment.now();
    match by {
        Link::Mail(by) => app.database.write(SetMailPreference { by, unsubscribed, now }).await?,
        Link::Alert(by) => {
            let scope = if form.get("scope") == Some("all") { Scope::Store } else { Scope::Topic };
            app.database.write(SetAlertPreference { by, scope, unsubscribed, now }).await?;
        }
    }
    show(&app, link, &headers).await
}

async fn show(app: &App, link: Option<Link>, headers: &HeaderMap) -> Result<Response> {
    let Some(link) = link else {
        return invalid_link(app, headers).await;
    };
    let (by, topic) = (link.recipient(), link.topic());
    // The address tells the language.
    let (product, address) = match link {
        Link::Mail(_) => None,
        Link::Alert(by) => app.database.read(FindSentAlert { by }).await?,
    }
    .map(|SentAlert { product, address }| (product, address))
    .unzip();
    let context = app.database.read(FindMailContext { by, address, for_confirmation: false }).await?;
    let Some(context) = context else {
        return invalid_link(app, headers).await;
    };
    let state = match app.database.read(FindMailPreference { by, topic }).await? {
        MailPreference { unsubscribed: true, .. } => UnsubscribeState::Unsubscribed,
        MailPreference { refuses_topic: true, .. } => UnsubscribeState::UnsubscribedFromTopic,
        MailPreference { .. } => UnsubscribeState::Subscribed,
    };
    let topic = topic.map(Topic::as_str);
    let render = move |letterhead: &Letterhead| unsubscribe_page(letterhead, topic, state, product.as_ref());
    store_page(app, StatusCode::OK, context, render).await
}
