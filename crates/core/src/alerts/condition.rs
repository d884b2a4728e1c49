//! Whether an alert is true: checked when it becomes due, and again when it is sent.

use crate::catalog::alert_events::VariantState;
use crate::catalog::topic::Topic;
use crate::stores::alert_settings::AlertSettings;

/// What a subscription waits for.
#[derive(Clone, Debug)]
pub(crate) struct Condition {
    pub(crate) topic: Topic,
    pub(crate) target_price: Option<f64>,
    /// The price when the shopper subscribed.
    pub(crate) base_price: Option<f64>,
    pub(crate) quantity: Option<i64>,
}

impl Condition {
    /// `previous_price` is that before the event, for shoppers who subscribed when no price was known.
    pub(crate) fn holds(&self, now: &VariantState, previous_price: Option<f64>, settings: &AlertSettings) -> bool {
        match self.topic {
            Topic::BackInStock => {
                let wanted = self.quantity.unwrap_or(1);
                now.is_in_stock() && now.stock.is_none_or(|stock| stock >= wanted)
            }
            Topic::ComingSoon => now.is_in_stock(),
            Topic::PriceDrop => now.price.is_some_and(|price| match self.target_price {
                Some(target) => price <= target,
                None => self.base_price.or(previous_price).is_some_and(|base| price < base),
            }),
            Topic::LowStock => {
                now.is_in_stock() && now.stock.is_some_and(|stock| (1..=settings.low_stock).contains(&stock))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(condition: &Condition, stock: Option<i64>, price: Option<f64>) -> bool {
        let now = VariantState { deleted: false, stock, price, was_in_stock: true };
        condition.holds(&now, Some(20.0), &AlertSettings::default())
    }

    fn condition(topic: Topic) -> Condition {
        Condition { topic, target_price: None, base_price: None, quantity: None }
    }

    #[test]
    fn stock_alerts_hold_while_there_is_stock() {
        let wants_five = Condition { quantity: Some(5), ..condition(Topic::BackInStock) };
        for (stock, any, five, low) in [
            (Some(0), false, false, false),
            (Some(1), true, false, true),
            (Some(5), true, true, true),
            (Some(6), true, true, false),
            (None, true, true, false),
        ] {
            assert_eq!(holds(&condition(Topic::BackInStock), stock, None), any, "{stock:?}");
            assert_eq!(holds(&condition(Topic::ComingSoon), stock, None), any, "{stock:?}");
            assert_eq!(holds(&wants_five, stock, None), five, "{stock:?}");
            assert_eq!(holds(&condition(Topic::LowStock), stock, None), low, "{stock:?}");
        }
    }

    #[test]
    fn a_price_drop_is_below_the_price_at_the_time_of_subscribing_or_at_the_target() {
        let at = |base_price, target_price| Condition { base_price, target_price, ..condition(Topic::PriceDrop) };
        assert!(holds(&at(Some(10.0), None), None, Some(9.99)));
        assert!(!holds(&at(Some(10.0), None), None, Some(10.0)));
        assert!(holds(&at(Some(10.0), Some(8.0)), None, Some(8.0)));
        assert!(!holds(&at(Some(10.0), Some(8.0)), None, Some(8.01)));
        assert!(holds(&at(None, None), None, Some(19.0)), "below the price before the event");
        assert!(!holds(&at(Some(10.0), None), None, None));
    }
}
