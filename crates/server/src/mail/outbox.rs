//! The outbox folder, which receives mails if no mail server is configured.

use std::collections::VecDeque;
use std::fs::{self, DirBuilder, OpenOptions};
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use wishbone_core::moment::Millis;

use crate::mail::attempt::{Attempt, Envelope, RenderedMail};

/// Number of mails that the outbox of the demo shop lists.
const RECENT: usize = 50;

pub struct Outbox {
    folder: PathBuf,
    recent: Mutex<VecDeque<RecentMail>>,
}

/// A mail as the outbox of the demo shop shows it.
#[derive(Clone, Debug)]
pub struct RecentMail {
    pub id: String,
    pub to: String,
    pub subject: String,
    pub at: Millis,
    pub text: String,
    pub html: String,
}

impl Outbox {
    pub fn new(folder: PathBuf) -> Self {
        Self { folder, recent: Mutex::default() }
    }

    /// Recent mails, newest first.
    pub fn recent(&self) -> Vec<RecentMail> {
        self.recent.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }

    /// Writes a mail. A retry replaces the file of the first attempt.
    pub(super) fn put(&self, envelope: &Envelope, rendered: &RenderedMail, message: &[u8]) -> Attempt {
        let id = envelope.id.to_string();
        if let Err(error) = self.write(&format!("{:013}-{id}", envelope.date), message) {
            return Attempt::later(format!("cannot write to the outbox {}: {error}", self.folder.display()));
        }
        let mut recent = self.recent.lock().unwrap_or_else(PoisonError::into_inner);
        recent.push_front(RecentMail {
            id,
            to: envelope.to.clone(),
            subject: rendered.subject.clone(),
            at: envelope.date,
            text: rendered.text.clone(),
            html: rendered.html.clone(),
        });
        recent.truncate(RECENT);
        Attempt::sent()
    }

    /// Writes a file atomically, so that programs that watch the folder never see a partial mail.
    fn write(&self, name: &str, message: &[u8]) -> std::io::Result<()> {
        DirBuilder::new().recursive(true).mode(0o700).create(&self.folder)?;
        let partial = self.folder.join(format!(".{name}.part"));
        let mut file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&partial)?;
        file.write_all(message)?;
        file.sync_all()?;
        fs::rename(&partial, self.folder.join(format!("{name}.eml")))
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }
}
