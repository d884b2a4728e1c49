//! The result of an attempt, in the row of the mail.

use wishbone_storage::Tx;

use crate::attempts::{Backoff, shorten};
use crate::error::Result;
use crate::mail::queue::{DueMail, RETENTION};
use crate::moment::{HOUR, Millis};

pub(crate) const BACKOFF: Backoff = Backoff { first: 5_000, max: 6 * HOUR };

/// With this backoff, the last attempt is about a day after the first.
pub(crate) const MAX_ATTEMPTS: i64 = 12;

/// Marks a mail as finished, and deletes its address and content.
pub(super) async fn finish<T: Tx>(tx: &mut T, mail: &DueMail, attempt: i64, state: i64, now: Millis) -> Result<()> {
    tx.execute(FINISH.bind(&[
        state.into(),
        (now + RETENTION).into(),
        now.into(),
        mail.store_id.into(),
        mail.mail_id.as_bytes().into(),
        attempt.into(),
    ]))
    .await?;
    Ok(())
}

pub(super) async fn record_problem<T: Tx>(
    tx: &mut T,
    mail: &DueMail,
    attempt: i64,
    state: i64,
    problem: &str,
    due_at: Millis,
    now: Millis,
) -> Result<()> {
    let problem = shorten(problem);
    tx.execute(RECORD_PROBLEM.bind(&[
        state.into(),
        (&problem).into(),
        due_at.into(),
        now.into(),
        mail.store_id.into(),
        mail.mail_id.as_bytes().into(),
        attempt.into(),
    ]))
    .await?;
    Ok(())
}

statements! {
    FINISH = "update mails set state = $1, address = null, content = null, problem = null, due_at = $2, updated_at = $3
              where store_id = $4 and mail_id = $5 and state = 2 and attempts = $6";
    RECORD_PROBLEM = "update mails set state = $1, problem = $2, due_at = $3, updated_at = $4
                      where store_id = $5 and mail_id = $6 and state = 2 and attempts = $7";
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::moment::DAY;

    #[test]
    fn attempts_are_spread_over_about_a_day() {
        for (jitter, first) in [(0, [5_000, 15_000, 45_000]), (u8::MAX, [7_500, 22_500, 67_500])] {
            let delays: Vec<Millis> = (1..MAX_ATTEMPTS).map(|attempt| BACKOFF.pause(attempt, jitter)).collect();
            assert_eq!(delays[..3], first);
            let total: Millis = delays.iter().sum();
            assert!((DAY * 3 / 4..2 * DAY).contains(&total), "{total}");
        }
    }
}
