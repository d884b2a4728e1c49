//! Media of messages.

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
}
