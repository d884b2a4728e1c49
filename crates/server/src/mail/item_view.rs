//! A product as templates see it.

use serde::Serialize;
use wishbone_core::mail::message::{AlertMessage, MessageItem};
use wishbone_core::mail::shop_url::ShopUrl;
use wishbone_core::subscriptions::confirm::ConfirmedProduct;

use crate::mail::letterhead::Letterhead;

#[derive(Serialize)]
pub(super) struct ItemView {
    pub(super) title: String,
    variant: String,
    price: Option<String>,
    previous_price: Option<String>,
    quantity: i64,
    pub(super) link: Option<ShopUrl>,
    pub(super) image: Option<ShopUrl>,
    /// Units in stock, if they are few.
    left: Option<i64>,
    topic: Option<String>,
}

impl ItemView {
    pub(super) fn new(letterhead: &Letterhead, item: &MessageItem) -> Self {
        let title = Some(item.title.to_string()).filter(|title| !title.is_empty());
        Self {
            title: title.unwrap_or_else(|| letterhead.text("product.untitled", None, &[])),
            variant: item.variant.to_string(),
            price: item.price.as_deref().map(|price| letterhead.price(price)),
            previous_price: None,
            quantity: item.quantity,
            link: letterhead.origins.own(&item.link),
            image: letterhead.origins.own(&item.image),
            left: None,
            topic: None,
        }
    }

    pub(super) fn of_alert(letterhead: &Letterhead, message: &AlertMessage) -> Self {
        let is = |topic| message.topic == topic;
        let previous = message.previous_price.as_deref().filter(|_| is("pricedrop") && message.item.price.is_some());
        Self {
            previous_price: previous.map(|price| letterhead.price(price)),
            left: message.stock.filter(|stock| is("lowstock") && *stock > 0),
            topic: Some(message.topic.clone()),
            ..Self::new(letterhead, &message.item)
        }
    }

    pub(super) fn of_request(letterhead: &Letterhead, request: &ConfirmedProduct) -> Self {
        Self { topic: Some(request.topic.clone()), ..Self::new(letterhead, &request.item) }
    }

    pub(super) fn with_left(self, left: Option<i64>) -> Self {
        Self { left, ..self }
    }
}
