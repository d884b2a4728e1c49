//! A mail as a mail server gets it, and the text that its reader sees.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

#[derive(Clone, Debug)]
pub(crate) struct Mail {
    pub(crate) recipient: String,
    pub(crate) raw: Vec<u8>,
}

impl Mail {
    /// The bodies of all parts, decoded, one after the other.
    pub(crate) fn text(&self) -> String {
        let raw = String::from_utf8_lossy(&self.raw);
        let parts = raw.split("\r\n--").filter_map(|part| part.split_once("\r\n\r\n"));
        parts.map(|(head, body)| decode(&head.to_ascii_lowercase(), body)).collect()
    }

    /// The first URL that begins like this.
    pub(crate) fn link(&self, start: &str) -> Option<String> {
        let text = self.text();
        let link = &text[text.find(start)?..];
        let end = link.find(|c: char| c.is_whitespace() || "\"<>&".contains(c)).unwrap_or(link.len());
        Some(link[..end].to_owned())
    }
}

fn decode(head: &str, body: &str) -> String {
    let bytes = if head.contains("transfer-encoding: base64") {
        let digits: String = body.chars().filter(|c| !c.is_whitespace()).collect();
        STANDARD.decode(digits).unwrap_or_default()
    } else if head.contains("transfer-encoding: quoted-printable") {
        unquoted(&body.replace("=\r\n", ""))
    } else {
        body.as_bytes().to_vec()
    };
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Quoted-printable text without its soft line breaks, decoded.
fn unquoted(text: &str) -> Vec<u8> {
    let (mut out, mut rest) = (Vec::new(), text.as_bytes());
    while let Some((first, after)) = rest.split_first() {
        let digits = after.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
        match digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()).filter(|_| *first == b'=') {
            Some(byte) => {
                out.push(byte);
                rest = &after[2..];
            }
            None => {
                out.push(*first);
                rest = after;
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_parts_of_a_mail_are_decoded() {
        let raw = "Subject: x\r\nContent-Type: multipart/alternative; boundary=b\r\n\r\n--b\r\n\
                   Content-Transfer-Encoding: quoted-printable\r\n\r\nhttps://a.example/?to=\r\nken=3Dx y\r\n--b\r\n\
                   Content-Transfer-Encoding: base64\r\n\r\nPGI+\r\n--b--\r\n";
        let mail = Mail { recipient: String::new(), raw: raw.into() };
        assert_eq!(mail.text(), "https://a.example/?token=x y<b>");
        assert_eq!(mail.link("https://a").as_deref(), Some("https://a.example/?token=x"));
    }
}
