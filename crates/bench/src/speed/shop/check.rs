//! Reads that follow a write must see it.

use anyhow::{Context, ensure};
use serde::Deserialize;
use serde_json::Value;

/// What a read must show after a write.
#[derive(Clone, Debug)]
pub(super) struct Expectation {
    pub(super) variant: i64,
    /// The list that it is about; `None` for any list of the shopper.
    pub(super) lid: Option<String>,
    pub(super) is_present: bool,
}

// Only the fields that are checked: pages are long, and the driver must stay cheap.
#[derive(Deserialize)]
struct Page {
    data: List,
}

#[derive(Deserialize)]
struct List {
    listcontents: Vec<Item>,
}

#[derive(Deserialize)]
struct Item {
    epi: i64,
}

impl Expectation {
    /// Checks the first page of the list, newest items first.
    pub(super) fn check_page(&self, body: &[u8]) -> anyhow::Result<()> {
        let page: Page = serde_json::from_slice(body).context("not a page of a list")?;
        self.check(page.data.listcontents.iter().any(|item| item.epi == self.variant), "page")
    }

    /// Checks the response of `contains` for the variant and others.
    pub(super) fn check_contains(&self, body: &[u8]) -> anyhow::Result<()> {
        let response: Value = serde_json::from_slice(body).context("the response of contains is not JSON")?;
        let lists = response["data"][self.variant.to_string()].as_array().map_or(&[][..], Vec::as_slice);
        let found = match &self.lid {
            Some(lid) => lists.iter().any(|list| list == lid),
            None => !lists.is_empty(),
        };
        self.check(found, "contains")
    }

    fn check(&self, found: bool, read: &str) -> anyhow::Result<()> {
        let Self { variant, lid, is_present } = self;
        let (write, state) = if *is_present { ("added", "does not have") } else { ("removed", "still has") };
        let list = lid.as_ref().map_or("any list of the shopper".to_owned(), |lid| format!("list {lid}"));
        ensure!(
            found == *is_present,
            "stale read: item {variant} was {write}, but {read} {state} it (in {list}): the server did not see its own write"
        );
        Ok(())
    }
}

/// Whether the response to an add says that the item is new, so that it is the first one of the list.
pub(super) fn is_new(body: &[u8]) -> bool {
    let Ok(response) = serde_json::from_slice::<Value>(body) else { return false };
    let item = &response["a"][0];
    item["cts"].is_i64() && item["cts"] == item["uts"]
}

#[cfg(test)]
mod tests {
    use super::*;

    const LID: &str = "ff4c04df-cce6-4256-bb62-5fde3a9f808a";

    fn expectation(is_present: bool) -> Expectation {
        Expectation { variant: 7, lid: Some(LID.to_owned()), is_present }
    }

    #[test]
    fn a_page_must_show_what_was_added_and_not_what_was_removed() {
        let with = br#"{"data":{"listcontents":[{"epi":8},{"epi":7}]}}"#;
        let without = br#"{"data":{"listcontents":[{"epi":8},{"epi":77}]}}"#;
        assert!(expectation(true).check_page(with).is_ok() && expectation(false).check_page(without).is_ok());
        let stale = expectation(true).check_page(without).unwrap_err().to_string();
        assert!(stale.contains("stale read: item 7 was added"), "{stale}");
        assert!(expectation(false).check_page(with).is_err());
        assert!(expectation(false).check_page(b"{}").is_err());
    }

    #[test]
    fn contains_must_name_the_list_or_any_if_none_is_known() {
        let here = format!(r#"{{"data":{{"7":["{LID}"]}}}}"#);
        let elsewhere = br#"{"data":{"7":["another"],"8":[]}}"#;
        let nowhere = br#"{"data":{}}"#;
        assert!(expectation(true).check_contains(here.as_bytes()).is_ok());
        assert!(expectation(false).check_contains(elsewhere).is_ok());
        assert!(expectation(true).check_contains(elsewhere).is_err());
        assert!(expectation(false).check_contains(here.as_bytes()).is_err());
        let merged = Expectation { lid: None, ..expectation(true) };
        assert!(merged.check_contains(elsewhere).is_ok() && merged.check_contains(nowhere).is_err());
    }

    #[test]
    fn an_item_is_new_if_it_was_never_updated() {
        assert!(is_new(br#"{"a":[{"cts":5,"uts":5}]}"#));
        assert!(!is_new(br#"{"a":[{"cts":5,"uts":6}]}"#) && !is_new(br#"{"d":[]}"#));
    }
}
