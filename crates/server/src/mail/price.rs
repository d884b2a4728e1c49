//! Prices and counts as a locale writes them, by ICU. Prices are decimal text throughout, never floating point.

use icu_decimal::DecimalFormatter;
use icu_decimal::input::Decimal;
use icu_experimental::dimension::currency::CurrencyType;
use icu_experimental::dimension::currency::formatter::CurrencyFormatter;
use icu_locale_core::{LanguageIdentifier, Locale};

/// Formats a price with as many decimals as its currency has; without a currency, as a plain number. Text that is no
/// number is returned as it is.
pub(super) fn format_price(price: &str, currency: Option<&str>, locale: &LanguageIdentifier) -> String {
    let Ok(number) = Decimal::try_from_str(price) else { return price.to_owned() };
    let locale = Locale::from(locale.clone());
    let currency = currency.and_then(|code| CurrencyType::try_from_str(code).ok());
    let formatted = match currency {
        Some(currency) => CurrencyFormatter::try_new_symbol((&locale).into(), currency, Default::default())
            .map(|formatter| formatter.format_fixed_decimal(&number).to_string()),
        None => DecimalFormatter::try_new((&locale).into(), Default::default())
            .map(|formatter| formatter.format(&number).to_string()),
    };
    formatted.unwrap_or_else(|_| price.to_owned())
}

pub(super) fn format_count(count: i64, locale: &LanguageIdentifier) -> String {
    format_price(&count.to_string(), None, locale)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mail::languages::parse_tag;

    fn price(price: &str, currency: Option<&str>, tag: &str) -> String {
        format_price(price, currency, &parse_tag(tag).unwrap())
    }

    #[test]
    fn a_price_is_written_as_its_locale_and_currency_demand() {
        for (text, currency, tag, expected) in [
            ("1234.5", "EUR", "en", "€1,234.50"),
            ("1234.5", "EUR", "de", "1.234,50\u{a0}€"),
            ("1234.5", "EUR", "de-AT", "€\u{a0}1\u{a0}234,50"),
            ("1234.5", "EUR", "fr", "1\u{202f}234,50\u{a0}€"),
            ("49.90", "EUR", "nl", "€\u{a0}49,90"),
            ("19.95", "BRL", "pt-BR", "R$\u{a0}19,95"),
            ("1980", "JPY", "ja", "￥1,980"),
            ("1980", "JPY", "en", "¥1,980"),
            ("1.5", "KWD", "en", "KWD\u{a0}1.500"),
            ("9007199254740993.10", "USD", "en", "$9,007,199,254,740,993.10"),
        ] {
            assert_eq!(price(text, Some(currency), tag), expected, "{text} {currency} {tag}");
        }
    }

    #[test]
    fn without_a_currency_a_price_is_a_number_with_its_digits() {
        assert_eq!(price("49.90", None, "en"), "49.90");
        assert_eq!(price("1234.5", None, "de"), "1.234,5");
        assert_eq!(price("on request", Some("EUR"), "de"), "on request");
    }
}
