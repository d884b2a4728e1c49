//! Values that the examples of the API's description are filled with.

/// Stands for the server's URL in the commands of `/docs`, because it is known only when the page is requested.
pub(crate) const BASE: &str = "{base}";

/// Values of the examples. Those of the demo work as they are.
#[derive(Clone, Debug)]
pub struct Examples(pub Vec<(&'static str, String)>);

impl Default for Examples {
    /// Values that belong to no store.
    fn default() -> Self {
        let regid = "AQAAAAAAAAABAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
        let values = [
            ("{base}", "https://lists.example"),
            ("{pid}", "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="),
            ("{regid}", regid),
            ("{guest_regid}", regid),
            ("{sessionid}", "7d1e6b6e-6f1b-4c43-9d0b-6a2f5c1f0c11-API"),
            ("{lid}", "0b0a5b8e-7f7b-4d3e-8f69-0d8f1f1b7a01"),
            ("{spare_lid}", "0b0a5b8e-7f7b-4d3e-8f69-0d8f1f1b7a02"),
            ("{saved_lid}", "0b0a5b8e-7f7b-4d3e-8f69-0d8f1f1b7a03"),
            ("{epi}", "1"),
            ("{empi}", "1001"),
            ("{du}", "https://shop.example/p/1"),
            ("{saved_epi}", "2"),
            ("{saved_empi}", "1002"),
            ("{saved_du}", "https://shop.example/p/2"),
            ("{webhook}", "0b0a5b8e-7f7b-4d3e-8f69-0d8f1f1b7a04"),
        ];
        Self(values.map(|(name, value)| (name, value.to_owned())).into())
    }
}

impl Examples {
    /// Shell variables in place of what differs from store to store.
    pub(crate) fn variables() -> Self {
        let variable = |name: &str| match name {
            "{pid}" => Some("$PID"),
            "{regid}" => Some("$REGID"),
            "{guest_regid}" => Some("$GUEST_REGID"),
            "{sessionid}" => Some("$SESSIONID"),
            "{lid}" | "{spare_lid}" => Some("$LID"),
            "{saved_lid}" => Some("$SAVED_LID"),
            "{webhook}" => Some("$WEBHOOK"),
            BASE => Some(BASE),
            _ => None,
        };
        let Self(values) = Self::default();
        let or_variable = |(name, value)| (name, variable(name).map_or(value, str::to_owned));
        Self(values.into_iter().map(or_variable).collect())
    }

    pub(crate) fn fill(&self, example: &str) -> String {
        self.0.iter().fold(example.to_owned(), |text, (name, value)| text.replace(name, value))
    }
}

/// A form field as an option of curl, with no more quoting than the value needs. A shell variable is left to the shell;
/// ids contain nothing that must be encoded.
pub(crate) fn form_field(name: &str, value: &str) -> String {
    if value.strip_prefix('$').is_some_and(|name| name.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_')) {
        return format!("-d {name}=\"{value}\"");
    }
    let is_plain = value.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'));
    if is_plain { format!("-d {name}={value}") } else { format!("--data-urlencode '{name}={value}'") }
}
