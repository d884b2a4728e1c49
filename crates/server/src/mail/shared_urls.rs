//! Where share links lead.

use wishbone_core::mail::shared_list::SharedLink;
use wishbone_core::stores::settings::Settings;
use wishbone_core::tokens::Keys;

use crate::api::server::SHARED_PAGE;

/// This server's page of the list.
pub(crate) fn shared_page_url(keys: &Keys, public_url: &str, link: SharedLink) -> String {
    format!("{public_url}{SHARED_PAGE}?token={}", link.token(keys))
}

/// The page that the store has for shared lists, with the key of the link.
pub(crate) fn list_page_url(keys: &Keys, settings: &Settings, link: SharedLink) -> Option<String> {
    Some(settings.list_url.as_ref()?.replace("{lid}", &link.key(keys)))
}
