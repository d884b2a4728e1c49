//! Limits on mails per hour.

use wishbone_storage::{FromRow, Row};

use crate::error::{Error, Limit, Result};
use crate::moment::Millis;

pub(crate) const HOUR: Millis = 3_600_000;

/// The mails of the last hour.
pub(crate) struct RecentMails {
    count: i64,
    oldest: Millis,
}

impl FromRow for RecentMails {
    fn from_row(row: &dyn Row) -> wishbone_storage::Result<Self> {
        Ok(Self { count: row.int(0)?, oldest: row.int(1)? })
    }
}

/// Fails if the mails of the last hour are `max` or more.
pub(crate) fn check_hourly_rate(
    recent: Option<RecentMails>,
    max: i64,
    who: &str,
    what: &str,
    now: Millis,
) -> Result<()> {
    let RecentMails { count, oldest } =
        recent.filter(|recent| recent.count > 0).unwrap_or(RecentMails { count: 0, oldest: now });
    if count < max {
        return Ok(());
    }
    // The limit admits another mail when the oldest of the hour is an hour old.
    let retry_after = (oldest + HOUR - now + 999) / 1_000;
    Err(Error::rate_limited(format!("{who} {max} {what} per hour"), Limit { max, retry_after: retry_after.max(1) }))
}
