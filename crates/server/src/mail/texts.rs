//! The texts of one mail or page: the store's own in the shopper's language, then the built-in ones.

use icu_locale_core::{LanguageIdentifier, Locale};
use icu_plurals::{PluralCategory, PluralRules};
use minijinja::HtmlEscape;
use wishbone_core::mail::customization::Customization;

use crate::mail::languages::{
    DEFAULT_LANGUAGE, TextMap, builtin, default_texts, lookup_chain, parse_tag, split_plural,
};
use crate::mail::price::format_count;

/// Maximum bytes of a text with its values: more than the longest text of a store and the longest title, both escaped. A
/// value can be a text too.
const MAX_TEXT: usize = 16_000;

/// A value of a placeholder.
pub(crate) type Argument<'a> = (&'a str, &'a str);

#[derive(Debug)]
pub(crate) struct Texts {
    /// The tag of the texts, with the region and script that were asked for.
    pub(crate) locale: LanguageIdentifier,
    /// The store's own texts, the most specific language first.
    own: Vec<TextMap>,
    builtin: Option<&'static TextMap>,
}

impl Texts {
    /// The texts in the first of these languages that exists, else in English.
    pub(crate) fn new(wanted: &[&str], customization: &Customization) -> Self {
        let tags = wanted.iter().filter_map(|tag| parse_tag(tag));
        let tags = tags.chain(parse_tag(DEFAULT_LANGUAGE));
        let mut found = tags.filter_map(|tag| Self::of_language(tag, customization));
        found.next().unwrap_or_else(|| Self { locale: LanguageIdentifier::UNKNOWN, own: Vec::new(), builtin: None })
    }

    /// `None` if the language is neither built in nor completely translated by the store.
    fn of_language(locale: LanguageIdentifier, customization: &Customization) -> Option<Self> {
        let chain = lookup_chain(&locale);
        let own: Vec<TextMap> = chain.iter().filter_map(|tag| customization.texts.get(tag)).cloned().collect();
        let builtin = chain.iter().find_map(|tag| builtin(tag));
        let is_complete = builtin.is_some() || (!own.is_empty() && missing(&own).is_empty());
        is_complete.then_some(Self { locale, own, builtin })
    }

    /// The language tag, for the `lang` attribute.
    pub(crate) fn tag(&self) -> String {
        self.locale.to_string()
    }

    /// The direction of the language, for the `dir` attribute.
    pub(crate) fn direction(&self) -> &'static str {
        let language = self.locale.language.as_str();
        if ["ar", "ckb", "dv", "fa", "he", "ps", "sd", "ug", "ur", "yi"].contains(&language) { "rtl" } else { "ltr" }
    }

    /// A text with its values. With a count, in the plural form of that count.
    pub(crate) fn plain(&self, key: &str, count: Option<i64>, arguments: &[Argument<'_>]) -> Option<String> {
        let text = self.find(key, count)?;
        Some(self.fill(text, count, arguments, |value| value.to_owned(), |text| text.to_owned()))
    }

    /// The same as HTML: escaped, and with values isolated from the direction of what is around them.
    pub(crate) fn html(&self, key: &str, count: Option<i64>, arguments: &[Argument<'_>]) -> Option<String> {
        let text = self.find(key, count)?;
        let escape = |text: &str| HtmlEscape(text).to_string();
        Some(self.fill(text, count, arguments, |value| format!("<bdi>{}</bdi>", escape(value)), escape))
    }

    fn find(&self, key: &str, count: Option<i64>) -> Option<&str> {
        let layers = self.own.iter().chain(self.builtin).chain(std::iter::once(default_texts()));
        let form = count.map(|count| format!("{key}.{}", self.category(count)));
        let other = count.map(|_| format!("{key}.other"));
        let keys: Vec<&str> = form.iter().chain(&other).map(String::as_str).chain([key]).collect();
        layers.into_iter().find_map(|texts| keys.iter().find_map(|key| texts.get(*key))).map(String::as_str)
    }

    fn category(&self, count: i64) -> &'static str {
        let count = usize::try_from(count).unwrap_or_default();
        let rules = PluralRules::try_new_cardinal(Locale::from(self.locale.clone()).into());
        match rules.map_or(PluralCategory::Other, |rules| rules.category_for(count)) {
            PluralCategory::Zero => "zero",
            PluralCategory::One => "one",
            PluralCategory::Two => "two",
            PluralCategory::Few => "few",
            PluralCategory::Many => "many",
            PluralCategory::Other => "other",
        }
    }

    /// Replaces the placeholders of a text. An unknown one stays as it is. Ends before what would make the text too long.
    fn fill(
        &self,
        text: &str,
        count: Option<i64>,
        arguments: &[Argument<'_>],
        value: impl Fn(&str) -> String,
        literal: impl Fn(&str) -> String,
    ) -> String {
        let mut out = String::new();
        let mut push = |part: String| {
            let fits = out.len() + part.len() <= MAX_TEXT;
            if fits {
                out.push_str(&part);
            }
            fits
        };
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('{') {
            if !push(literal(before)) {
                return out;
            }
            rest = after;
            let Some((name, mut after)) = after.split_once('}') else { continue };
            let argument = arguments.iter().find(|(known, _)| *known == name).map(|(_, text)| *text);
            // The full stop of "My shop & Co." also ends the sentence.
            if argument.is_some_and(|text| text.ends_with('.')) && !after.starts_with("..") {
                after = after.strip_prefix('.').unwrap_or(after);
            }
            let known = argument.map(&value);
            let known = known.or_else(|| count.filter(|_| name == "count").map(|n| format_count(n, &self.locale)));
            if !push(known.unwrap_or_else(|| literal(&format!("{{{name}}}")))) {
                return out;
            }
            rest = after;
        }
        push(literal(rest));
        out
    }
}

/// The texts that a store's own language lacks. Of a plural text, the form `other` is enough.
pub(crate) fn missing(own: &[TextMap]) -> Vec<String> {
    let has = |key: &str| own.iter().any(|texts| texts.contains_key(key));
    let required = default_texts().keys().filter_map(|key| match split_plural(key) {
        (_, None | Some("other")) => Some(key.clone()),
        _ => None,
    });
    required.filter(|key| !has(key)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(wanted: &[&str], key: &str, count: Option<i64>) -> String {
        Texts::new(wanted, &Customization::default()).plain(key, count, &[("store", "<b>")]).unwrap()
    }

    #[test]
    fn the_first_language_that_exists_is_used() {
        let button = |wanted: &[&str]| plain(wanted, "confirmation.button", None);
        assert_eq!(button(&["pt-BR", "de"]), "Confirmar");
        assert_eq!(button(&["pl", "de-AT"]), "Bestätigen");
        assert_eq!(button(&["German", "x"]), "Confirm");
        assert_eq!(Texts::new(&["de-AT"], &Customization::default()).tag(), "de-AT");
    }

    #[test]
    fn a_count_selects_the_plural_form() {
        let more = |tag, count| plain(&[tag], "list.more", Some(count));
        assert_eq!(
            (more("en", 1), more("en", 2)),
            ("1 more item on the list".into(), "2 more items on the list".into())
        );
        assert_eq!(more("en", 1_234), "1,234 more items on the list");
        assert_eq!(more("fr", 1), "1 autre article dans la liste");
        assert_eq!(more("ja", 1), "ほかに1点の商品があります");
    }

    #[test]
    fn html_escapes_values_and_isolates_them() {
        let texts = Texts::new(&["en"], &Customization::default());
        let html = texts.html("unsubscribe.heading", None, &[("store", "<b>{store}")]).unwrap();
        assert_eq!(html, "Unsubscribe from <bdi>&lt;b&gt;{store}</bdi>?");
    }

    #[test]
    fn a_name_that_ends_with_a_full_stop_ends_the_sentence_too() {
        let name = "Fernweh & Co.";
        for tag in ["en", "de", "es", "fr", "it", "ja", "nl", "pt"] {
            let texts = Texts::new(&[tag], &Customization::default());
            for key in default_texts().keys() {
                let arguments = [("store", name), ("list", name), ("sender", name), ("product", name), ("topic", name)];
                let both = [texts.plain(key, None, &arguments), texts.html(key, None, &arguments)].map(Option::unwrap);
                for text in both.map(|text| text.replace("</bdi>", "")) {
                    assert!(!text.contains("Co.."), "{tag} {key}: {text}");
                }
            }
        }
        let texts = Texts::new(&["en"], &Customization::default());
        let intro = |store| texts.plain("pricedrop.intro", None, &[("store", store)]).unwrap();
        assert_eq!(intro("Fernweh"), "A product you are watching at Fernweh now costs less.");
        let text = |store| texts.plain("reminder.footer", None, &[("store", store)]).unwrap();
        assert!(
            text("Fernweh").ends_with("Fernweh.") && text(name).ends_with("& Co."),
            "{} {}",
            text("Fernweh"),
            text(name)
        );
    }

    #[test]
    fn a_store_changes_texts_and_adds_languages() {
        let mut customization = Customization::default();
        let mut set = |tag: &str, key: &str, text: &str| {
            customization.texts.entry(tag.to_owned()).or_default().insert(key.to_owned(), text.to_owned());
        };
        set("de", "confirmation.button", "Passt");
        set("pl", "confirmation.button", "Potwierdź");
        let of = |tag, customization: &Customization| {
            Texts::new(&[tag], customization).plain("confirmation.button", None, &[]).unwrap()
        };
        assert_eq!(of("de-CH", &customization), "Passt");
        assert_eq!(of("pl", &customization), "Confirm", "an incomplete language is not used");
        for key in missing(&[TextMap::new()]) {
            customization.texts.entry("pl".to_owned()).or_default().entry(key).or_insert_with(|| "x".to_owned());
        }
        assert_eq!(of("pl-PL", &customization), "Potwierdź");
    }
}
