//! The built-in languages of mails and pages: one file of texts each.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use icu_locale_core::LanguageIdentifier;

/// Texts by key. The key of a plural form ends in its CLDR category, such as `list.more.one`.
pub(crate) type TextMap = BTreeMap<String, String>;

/// The language of last resort, whose keys are the known ones.
pub(crate) const DEFAULT_LANGUAGE: &str = "en";

const PLURAL_CATEGORIES: [&str; 6] = ["zero", "one", "two", "few", "many", "other"];

macro_rules! languages {
    ($($tag:literal),*) => {
        [$(($tag, include_str!(concat!("../../languages/", $tag, ".json")))),*]
    };
}

static LANGUAGES: LazyLock<BTreeMap<&'static str, TextMap>> = LazyLock::new(|| {
    // A test parses every file.
    let parse = |text| serde_json::from_str(text).unwrap_or_default();
    languages!["de", "en", "es", "fr", "it", "ja", "nl", "pt"].map(|(tag, text)| (tag, parse(text))).into()
});

/// The texts of a built-in language.
pub(crate) fn builtin(tag: &str) -> Option<&'static TextMap> {
    LANGUAGES.get(tag)
}

/// The texts of [`DEFAULT_LANGUAGE`].
pub(crate) fn default_texts() -> &'static TextMap {
    static NONE: TextMap = TextMap::new();
    builtin(DEFAULT_LANGUAGE).unwrap_or(&NONE)
}

pub(crate) fn builtin_tags() -> impl Iterator<Item = &'static str> {
    LANGUAGES.keys().copied()
}

/// Parses a BCP 47 tag; accepts `_` between its parts.
pub(crate) fn parse_tag(text: &str) -> Option<LanguageIdentifier> {
    let tag = LanguageIdentifier::try_from_str(&text.trim().replace('_', "-")).ok()?;
    (!tag.language.is_unknown()).then_some(tag)
}

/// A tag and the more general ones it falls back to: `de-AT`, then `de`.
pub(crate) fn lookup_chain(tag: &LanguageIdentifier) -> Vec<String> {
    let text = tag.to_string();
    let ends = std::iter::once(text.len()).chain(text.rmatch_indices('-').map(|(end, _)| end));
    ends.map(|end| text[..end].to_owned()).collect()
}

/// Splits the plural category from a key: `list.more.one` is a form of `list.more`.
pub(crate) fn split_plural(key: &str) -> (&str, Option<&str>) {
    match key.rsplit_once('.') {
        Some((base, category)) if PLURAL_CATEGORIES.contains(&category) => (base, Some(category)),
        _ => (key, None),
    }
}

/// The placeholders of a text, such as `store` in `Unsubscribe from {store}?`.
pub(crate) fn placeholders(text: &str) -> impl Iterator<Item = &str> {
    text.split('{').skip(1).filter_map(|rest| rest.split_once('}').map(|(name, _)| name))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn bases(texts: &TextMap) -> BTreeMap<&str, BTreeSet<&str>> {
        let mut bases: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for (key, text) in texts {
            bases.entry(split_plural(key).0).or_default().extend(placeholders(text));
        }
        bases
    }

    #[test]
    fn every_language_has_every_text_with_the_same_placeholders() {
        assert_eq!(LANGUAGES.len(), 8);
        for (tag, texts) in LANGUAGES.iter() {
            assert_eq!(bases(texts), bases(default_texts()), "{tag}");
            for (key, text) in texts {
                assert!(!text.trim().is_empty() && !text.contains(['<', '\n']), "{tag} {key}");
                if let (base, Some(_)) = split_plural(key) {
                    assert!(texts.contains_key(&format!("{base}.other")), "{tag} {key}");
                }
            }
        }
    }

    #[test]
    fn a_tag_falls_back_to_more_general_ones() {
        let chain = |text| parse_tag(text).map(|tag| lookup_chain(&tag));
        assert_eq!(chain("pt_br").unwrap(), ["pt-BR", "pt"]);
        assert_eq!(chain("zh-hant-TW").unwrap(), ["zh-Hant-TW", "zh-Hant", "zh"]);
        assert_eq!(chain(" DE ").unwrap(), ["de"]);
        assert!(chain("").is_none() && chain("und").is_none() && chain("d€").is_none());
    }
}
