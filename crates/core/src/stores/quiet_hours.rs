//! Quiet hours: the time of day in which a store sends no alerts, digests and reminders.

use std::fmt;
use std::str::FromStr;

use jiff::Timestamp;
use jiff::civil::Time;
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};

use crate::moment::Millis;

/// A time of day, from `start` to `end`, past midnight if it ends before it starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct QuietHours {
    start: Time,
    end: Time,
}

impl QuietHours {
    fn contain(self, time: Time) -> bool {
        if self.start < self.end {
            self.start <= time && time < self.end
        } else {
            self.start <= time || time < self.end
        }
    }

    /// When the quiet hours that contain `now` end; `None` if it is not quiet.
    pub(super) fn end_after(self, now: Millis, time_zone: &str) -> Option<Millis> {
        // A stored name was valid when it was set; UTC stands in for one that was removed from the time zone database.
        let zone = TimeZone::get(time_zone).unwrap_or(TimeZone::UTC);
        let local = zone.to_datetime(Timestamp::from_millisecond(now).ok()?);
        if !self.contain(local.time()) {
            return None;
        }
        let day = if local.time() < self.end { local.date() } else { local.date().tomorrow().ok()? };
        let end = zone.to_ambiguous_timestamp(day.to_datetime(self.end));
        // Clocks that are set back show the end twice; one that they skip has passed when they have moved.
        let first = end.compatible().ok()?.as_millisecond();
        if first > now { Some(first) } else { end.later().ok().map(Timestamp::as_millisecond).filter(|end| *end > now) }
    }
}

impl FromStr for QuietHours {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parsed = text.split_once('-').and_then(|(start, end)| Some(Self { start: time(start)?, end: time(end)? }));
        parsed
            .filter(|hours| hours.start != hours.end)
            .ok_or_else(|| "expected two different times of day, such as 22:00-08:00".to_owned())
    }
}

impl fmt::Display for QuietHours {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { start, end } = self;
        write!(f, "{:02}:{:02}-{:02}:{:02}", start.hour(), start.minute(), end.hour(), end.minute())
    }
}

impl TryFrom<String> for QuietHours {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<QuietHours> for String {
    fn from(hours: QuietHours) -> Self {
        hours.to_string()
    }
}

/// `HH:MM`.
fn time(text: &str) -> Option<Time> {
    let (hour, minute) = text.split_once(':')?;
    let number = |digits: &str| {
        let is_number = digits.len() == 2 && digits.bytes().all(|byte| byte.is_ascii_digit());
        if is_number { digits.parse::<i8>().ok() } else { None }
    };
    Time::new(number(hour)?, number(minute)?, 0, 0).ok()
}

/// The name of a time zone as the IANA database writes it, such as `Europe/Berlin`.
pub fn time_zone_name(text: &str) -> Option<String> {
    TimeZone::get(text).ok()?.iana_name().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The end of the quiet hours in UTC, or `-`.
    fn end(hours: &str, zone: &str, now: &str) -> String {
        let now = now.parse::<Timestamp>().unwrap().as_millisecond();
        let end = hours.parse::<QuietHours>().unwrap().end_after(now, zone);
        end.map_or("-".to_owned(), |end| Timestamp::from_millisecond(end).unwrap().to_string())
    }

    #[test]
    fn quiet_hours_may_pass_midnight() {
        for (now, expected) in [
            ("2026-06-01T21:59:59.999Z", "-"),
            ("2026-06-01T22:00:00Z", "2026-06-02T08:00:00Z"),
            ("2026-06-02T00:00:00Z", "2026-06-02T08:00:00Z"),
            ("2026-06-02T07:59:59.999Z", "2026-06-02T08:00:00Z"),
            ("2026-06-02T08:00:00Z", "-"),
        ] {
            assert_eq!(end("22:00-08:00", "UTC", now), expected, "{now}");
        }
        assert_eq!(end("12:00-13:30", "UTC", "2026-06-01T12:15:00Z"), "2026-06-01T13:30:00Z");
        assert_eq!(end("12:00-13:30", "UTC", "2026-06-01T22:15:00Z"), "-");
        assert_eq!(end("20:00-00:00", "UTC", "2026-06-01T22:15:00Z"), "2026-06-02T00:00:00Z");
    }

    #[test]
    fn they_follow_the_clocks_of_the_time_zone() {
        let berlin = |now| end("22:00-08:00", "Europe/Berlin", now);
        assert_eq!(berlin("2026-01-10T21:00:00Z"), "2026-01-11T07:00:00Z");
        assert_eq!(berlin("2026-07-10T20:00:00Z"), "2026-07-11T06:00:00Z");
        // The nights in which the clocks change.
        assert_eq!(berlin("2026-03-28T22:30:00Z"), "2026-03-29T06:00:00Z");
        assert_eq!(berlin("2026-10-24T20:30:00Z"), "2026-10-25T07:00:00Z");
    }

    #[test]
    fn an_end_that_the_clocks_skip_or_repeat_is_after_now() {
        // From 2:00 to 3:00: there is no 2:30.
        assert_eq!(end("22:00-02:30", "Europe/Berlin", "2026-03-29T00:30:00Z"), "2026-03-29T01:30:00Z");
        // From 3:00 back to 2:00: there are two.
        assert_eq!(end("22:00-02:30", "Europe/Berlin", "2026-10-25T00:10:00Z"), "2026-10-25T00:30:00Z");
        assert_eq!(end("22:00-02:30", "Europe/Berlin", "2026-10-25T01:10:00Z"), "2026-10-25T01:30:00Z");
    }

    #[test]
    fn only_two_different_times_of_day_are_quiet_hours() {
        for text in ["22:00-08:00", "00:00-23:59"] {
            assert_eq!(text.parse::<QuietHours>().unwrap().to_string(), text);
        }
        for bad in ["", "22-8", "8:00-9:00", "08:00-24:00", "08:00-08:00", "08:00–09:00", "+8:00-09:00", "08:00-09:00 "]
        {
            assert!(bad.parse::<QuietHours>().is_err(), "{bad}");
        }
    }

    #[test]
    fn time_zones_have_the_names_of_the_iana_database() {
        assert_eq!(time_zone_name("europe/berlin").as_deref(), Some("Europe/Berlin"));
        assert_eq!(time_zone_name("UTC").as_deref(), Some("UTC"));
        for bad in ["", "Berlin", "CET+1", "../etc/passwd", "Europe/Berlin "] {
            assert_eq!(time_zone_name(bad), None, "{bad}");
        }
    }
}
