//! Sort keys of titles: the Unicode collation algorithm in its root order. Keys are stored and compared as bytes, so that
//! every storage engine sorts alike.

use std::sync::LazyLock;

use icu_collator::options::CollatorOptions;
use icu_collator::{Collator, CollatorBorrowed, CollatorPreferences};

/// Longer keys would make page tokens too long for a URL. Titles with equal prefixes of this length are ties.
const MAX_KEY_LENGTH: usize = 400;

static COLLATOR: LazyLock<CollatorBorrowed<'static>> = LazyLock::new(root_collator);

#[allow(clippy::expect_used, reason = "the root order is compiled in; another order would sort stored keys wrongly")]
fn root_collator() -> CollatorBorrowed<'static> {
    Collator::try_new(CollatorPreferences::default(), CollatorOptions::default()).expect("the root collation")
}

/// Returns `None` for an empty title.
pub(crate) fn title_key(title: &str) -> Option<Vec<u8>> {
    let title = title.trim();
    if title.is_empty() {
        return None;
    }
    let mut key = Vec::with_capacity(title.len() * 2);
    let Ok(()) = COLLATOR.write_sort_key_to(title, &mut key);
    key.truncate(MAX_KEY_LENGTH);
    Some(key)
}

#[cfg(test)]
mod tests {
    use super::title_key;

    #[test]
    fn titles_sort_as_people_expect() {
        let mut titles = ["zebra", "Éclair", "Apple", "äpfel", "apple", "Zebra 2"];
        titles.sort_by_key(|title| title_key(title));
        assert_eq!(titles, ["äpfel", "apple", "Apple", "Éclair", "zebra", "Zebra 2"]);
    }

    #[test]
    fn an_empty_title_has_no_key() {
        assert_eq!(title_key("  "), None);
    }
}
