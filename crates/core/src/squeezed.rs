//! An answer that is kept small: the words of products in it are the dictionary's, and what is between them is nearly
//! the same for each item.

use lz4_flex::block::{compress, decompress_into};

use crate::dictionary::{Dictionary, Place};

/// Where in an answer words stand, and where they lie.
#[derive(Clone, Copy)]
pub struct Span {
    pub(crate) at: u32,
    pub(crate) place: Place,
}

pub struct Squeezed {
    between: Box<[u8]>,
    between_length: u32,
    spans: Box<[Span]>,
}

impl Squeezed {
    /// Of an answer, and of all spans in it in their order.
    pub fn new(answer: &[u8], spans: &[Span]) -> Self {
        let mut between = Vec::with_capacity(answer.len());
        let mut rest = 0;
        for span in spans {
            between.extend_from_slice(&answer[rest..span.at as usize]);
            rest = span.at as usize + usize::from(span.place.length);
        }
        between.extend_from_slice(&answer[rest..]);
        Self { between: compress(&between).into(), between_length: between.len() as u32, spans: spans.into() }
    }

    /// The answer as it was; `None` when the dictionary has forgotten some of it.
    pub fn unfold(&self, dictionary: &Dictionary) -> Option<Vec<u8>> {
        let mut between = vec![0; self.between_length as usize];
        decompress_into(&self.between, &mut between).ok()?;
        let open = dictionary.open();
        // All look-ups before the first copy: they do not wait for each other.
        let words: Vec<&[u8]> = self.spans.iter().map(|span| open.words(span.place)).collect::<Option<_>>()?;
        let mut out = Vec::with_capacity(between.len() + words.iter().map(|words| words.len()).sum::<usize>());
        let mut rest = &between[..];
        for (span, words) in self.spans.iter().zip(words) {
            let (before, after) = rest.split_at_checked((span.at as usize).checked_sub(out.len())?)?;
            out.extend_from_slice(before);
            out.extend_from_slice(words);
            rest = after;
        }
        out.extend_from_slice(rest);
        Some(out)
    }

    /// How much memory it takes.
    pub fn bytes(&self) -> usize {
        self.between.len() + size_of_val(&*self.spans)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dictionary::State;

    #[test]
    fn an_answer_comes_back_as_it_was_until_words_are_forgotten() {
        let dictionary = Dictionary::new(None, 1 << 20);
        let state = State::Stamped { stamp: 7, at: 0 };
        let (mut answer, mut spans) = (b"{\"items\":[".to_vec(), Vec::new());
        for variant in 0..50 {
            let words = format!("\"dt\":\"Words of number {variant}\"");
            dictionary.keep((1, variant), state, Some(&words));
            let place = dictionary.open().find((1, variant), state).flatten().unwrap();
            answer.extend_from_slice(format!("{{\"epi\":{variant},").as_bytes());
            spans.push(Span { at: answer.len() as u32, place });
            answer.extend_from_slice(words.as_bytes());
            answer.extend_from_slice(b",\"pid\":\"the same for each of them\"},");
        }
        let squeezed = Squeezed::new(&answer, &spans);
        assert!(squeezed.bytes() < answer.len() / 2, "{} of {}", squeezed.bytes(), answer.len());
        assert_eq!(squeezed.unfold(&dictionary), Some(answer));
        let other_words = "x".repeat(1 << 10);
        (0..2_000).for_each(|variant| dictionary.keep((2, variant), state, Some(&other_words)));
        assert_eq!(squeezed.unfold(&dictionary), None);
    }

    #[test]
    fn an_answer_without_words_is_kept_too() {
        let dictionary = Dictionary::new(None, 1 << 20);
        for answer in [&b""[..], b"{}", &[b'x'; 100_000]] {
            assert_eq!(Squeezed::new(answer, &[]).unfold(&dictionary).as_deref(), Some(answer));
        }
    }
}
