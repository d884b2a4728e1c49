//! The types of events, and sets of them as bits of an integer.

use crate::error::{Error, Result};

macro_rules! event_types {
    ($($name:ident = $code:literal $text:literal,)*) => {
        /// The type of an event. Its code is stored and never changes.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum EventType { $($name = $code,)* }

        impl EventType {
            pub const ALL: &[Self] = &[$(Self::$name,)*];
            /// The names, in the order of [`Self::ALL`].
            pub const NAMES: &[&str] = &[$($text,)*];

            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }
        }
    };
}

event_types! {
    ListCreated = 0 "list.created",
    ListUpdated = 1 "list.updated",
    ListDeleted = 2 "list.deleted",
    ListShared = 3 "list.shared",
    ItemAdded = 4 "item.added",
    ItemUpdated = 5 "item.updated",
    ItemRemoved = 6 "item.removed",
    ShopperMerged = 7 "shopper.merged",
    SubscriptionCreated = 8 "subscription.created",
    SubscriptionConfirmed = 9 "subscription.confirmed",
    SubscriptionRemoved = 10 "subscription.removed",
    AlertSent = 11 "alert.sent",
    AlertFailed = 12 "alert.failed",
}

impl EventType {
    pub(crate) const fn code(self) -> i64 {
        self as i64
    }

    pub(crate) fn from_code(code: i64) -> Option<Self> {
        Self::ALL.iter().copied().find(|known| known.code() == code)
    }

    pub(crate) const fn bit(self) -> i64 {
        1 << self.code()
    }
}

/// A set of event types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventSet(pub(crate) i64);

const ANY: &str = "*";

impl EventSet {
    /// All types, also those of later versions.
    pub const ALL: Self = Self(-1);

    /// Parses type names, or `*` for all.
    pub fn parse<'a>(names: impl IntoIterator<Item = &'a str>) -> Result<Self> {
        let mut bits = 0;
        for name in names {
            bits |= match EventType::ALL.iter().find(|known| known.as_str() == name) {
                Some(known) => known.bit(),
                None if name == ANY => Self::ALL.0,
                None => {
                    let rule = format!("must contain only {} or *", EventType::NAMES.join(", "));
                    return Err(Error::invalid("events", rule));
                }
            };
        }
        Ok(Self(bits))
    }

    pub fn names(self) -> Vec<&'static str> {
        if self == Self::ALL {
            return vec![ANY];
        }
        EventType::ALL.iter().filter(|known| self.contains(**known)).map(|known| known.as_str()).collect()
    }

    pub(crate) const fn contains(self, event_type: EventType) -> bool {
        self.0 & event_type.bit() != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_has_the_names_that_it_was_parsed_from() {
        let set = EventSet::parse(["item.added", "list.created", "item.added"]).unwrap();
        assert_eq!(set.names(), ["list.created", "item.added"]);
        assert!(set.contains(EventType::ItemAdded) && !set.contains(EventType::ItemRemoved));
        assert_eq!(EventSet::parse(["alert.sent", "*"]).unwrap().names(), ["*"]);
        assert!(EventSet::parse(["item.*"]).unwrap_err().message.contains("alert.failed or *"));
    }

    #[test]
    fn codes_lead_back_to_their_types() {
        for known in EventType::ALL {
            assert_eq!(EventType::from_code(known.code()), Some(*known));
        }
        assert_eq!(EventType::from_code(63), None);
    }
}
