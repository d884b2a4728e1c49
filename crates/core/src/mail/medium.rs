//! Media of messages.

use icu_normalizer::ComposingNormalizerBorrowed;

use crate::error::{Error, Result};
use crate::identity::profile;
use crate::stores::alert_settings::AlertSettings;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Medium {
    Email,
    Sms,
}

impl Medium {
    pub fn parse(text: &str) -> Result<Self> {
        match text {
            "email" => Ok(Self::Email),
            "sms" => Ok(Self::Sms),
            _ => Err(Error::invalid("medium", "must be email or sms")),
        }
    }

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Email => "email",
            Self::Sms => "sms",
        }
    }

    /// Returns the address in the form in which it is stored and compared.
    pub fn normalize(self, text: &str) -> Result<String> {
        match self {
            Self::Email => profile::normalize_email("mediumvalue", text),
            Self::Sms => {
                let number: String = text.chars().filter(|c| !" -().".contains(*c)).collect();
                // The prefix of international calls, as it is dialled in most countries.
                let number = number.strip_prefix("00").map_or_else(|| number.clone(), |rest| format!("+{rest}"));
                let digits = number.strip_prefix('+').unwrap_or(&number);
                if (6..=15).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit()) {
                    return Ok(number);
                }
                Err(Error::invalid("mediumvalue", "must be a phone number such as +4915112345678"))
            }
        }
    }

    /// Fails if the store sends nothing to the country of a normalized address.
    pub(crate) fn require_country(self, settings: &AlertSettings, address: &str) -> Result<()> {
        if self == Self::Email || settings.sends_sms_to(address) {
            return Ok(());
        }
        let countries = settings.sms_countries.join(", ");
        let rule = format!("must be a number with country code, such as +4915112345678, in {countries}");
        Err(Error::invalid("mediumvalue", rule))
    }

    /// What an address is counted as. Tags (`ann+shop@…`), capital letters, other encodings of a letter and of the domain and,
    /// at Gmail, dots lead to the same mailbox. Addresses are stored with these differences: rows and links depend on that.
    pub(crate) fn mailbox(self, address: &str) -> String {
        match self {
            Self::Sms => address.trim_start_matches(['+', '0']).to_owned(),
            Self::Email => {
                let (local, domain) = address.rsplit_once('@').unwrap_or((address, ""));
                let nfc = ComposingNormalizerBorrowed::new_nfc();
                let folded = nfc.normalize(&nfc.normalize(local).to_lowercase()).into_owned();
                let local = folded.split('+').next().unwrap_or_default();
                match idna::domain_to_unicode(domain).0.as_str() {
                    "gmail.com" | "googlemail.com" => format!("{}@gmail.com", local.replace('.', "")),
                    domain => format!("{local}@{domain}"),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_an_address_do_not_make_another_mailbox() {
        for (address, counted) in [
            ("ann+1@example.com", "ann@example.com"),
            ("ann+a+b@example.com", "ann@example.com"),
            ("a.nn@example.com", "a.nn@example.com"),
            ("a.n.n+x@googlemail.com", "ann@gmail.com"),
            ("+1@example.com", "@example.com"),
            ("x@xn--bcher-kva.example", "x@bücher.example"),
            ("x@bu\u{308}cher.example", "x@bücher.example"),
            ("ÄNN+1@example.com", "änn@example.com"),
            ("a\u{308}nn@example.com", "änn@example.com"),
        ] {
            assert_eq!(Medium::Email.mailbox(address), counted);
        }
        assert_eq!(Medium::Sms.mailbox("+4915112345678"), Medium::Sms.mailbox("4915112345678"));
    }
}
