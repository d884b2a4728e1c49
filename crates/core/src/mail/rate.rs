//! Limits on mails per hour and per day.

use wishbone_storage::{FromRow, Row};

use crate::error::{Error, Limit, Result};
use crate::moment::{DAY, HOUR, Millis};

#[derive(Clone, Copy)]
pub(crate) enum Period {
    Hour,
    Day,
}

impl Period {
    pub(crate) const fn millis(self) -> Millis {
        match self {
            Self::Hour => HOUR,
            Self::Day => DAY,
        }
    }
}

/// The mails of a period.
#[derive(Default)]
pub(crate) struct RecentMails {
    pub(crate) count: i64,
    oldest: Millis,
}

impl FromRow for RecentMails {
    fn from_row(row: &dyn Row) -> wishbone_storage::Result<Self> {
        Ok(Self { count: row.int(0)?, oldest: row.int(1)? })
    }
}

/// Fails if the mails of the period are `max` or more.
pub(crate) fn check_rate(
    recent: Option<RecentMails>,
    max: i64,
    period: Period,
    who: &str,
    what: &str,
    now: Millis,
) -> Result<()> {
    let RecentMails { count, oldest } =
        recent.filter(|recent| recent.count > 0).unwrap_or(RecentMails { count: 0, oldest: now });
    if count < max {
        return Ok(());
    }
    // The limit admits another mail when the oldest is older than the period.
    let retry_after = (oldest + period.millis() - now + 999) / 1_000;
    let per = match period {
        Period::Hour => "hour",
        Period::Day => "day",
    };
    Err(Error::rate_limited(format!("{who} {max} {what} per {per}"), Limit { max, retry_after: retry_after.max(1) }))
}
