//! Values that the examples of the API's description are filled with.

/// What examples are about. Those of the demo work as they stand.
#[derive(Clone, Debug)]
pub struct Examples(pub Vec<(&'static str, String)>);

impl Default for Examples {
    /// Nobody's.
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
        ];
        Self(values.map(|(name, value)| (name, value.to_owned())).into())
    }
}

impl Examples {
    pub(crate) fn fill(&self, example: &str) -> String {
        self.0.iter().fold(example.to_owned(), |text, (name, value)| text.replace(name, value))
    }
}

/// A form field as an option of curl, with no more quoting than the value needs.
pub(crate) fn form_field(name: &str, value: &str) -> String {
    let is_plain = value.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'));
    if is_plain { format!("-d {name}={value}") } else { format!("--data-urlencode '{name}={value}'") }
}
