//! Colours of buttons: the store's brand colour, with text and background that stay readable (WCAG contrast).

use serde::Serialize;

const NEUTRAL: Color = Color([0x1c, 0x1c, 0x1a]);
const LIGHT_SURFACE: Color = Color([0xff; 3]);
const DARK_SURFACE: Color = Color([0x1c, 0x20, 0x24]);

/// Contrast below which a button does not stand out from what is around it.
const MIN_CONTRAST: f64 = 1.3;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Color([u8; 3]);

/// The colours of a button on light and on dark surfaces, as CSS.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct ButtonColors {
    background: String,
    color: String,
    dark_background: String,
    dark_color: String,
}

impl ButtonColors {
    /// `brand` is `#rrggbb`.
    pub(super) fn new(brand: Option<&str>) -> Self {
        let brand = brand.and_then(Color::parse).unwrap_or(NEUTRAL);
        let [(background, color), (dark_background, dark_color)] =
            [LIGHT_SURFACE, DARK_SURFACE].map(|surface| brand.on(surface)).map(|(back, text)| (back.css(), text.css()));
        Self { background, color, dark_background, dark_color }
    }
}

impl Color {
    fn parse(text: &str) -> Option<Self> {
        let value = u32::from_str_radix(text.strip_prefix('#').filter(|hex| hex.len() == 6)?, 16).ok()?;
        let [_, red, green, blue] = value.to_be_bytes();
        Some(Self([red, green, blue]))
    }

    fn css(self) -> String {
        let Self([red, green, blue]) = self;
        format!("#{red:02x}{green:02x}{blue:02x}")
    }

    /// Background and text of a button on a surface. A brand colour that would vanish there becomes the text.
    fn on(self, surface: Self) -> (Self, Self) {
        let (black, white) = (Self([0; 3]), Self([0xff; 3]));
        let text = if self.contrast(white) >= self.contrast(black) { white } else { black };
        if self.contrast(surface) < MIN_CONTRAST { (text, self) } else { (self, text) }
    }

    fn contrast(self, other: Self) -> f64 {
        let (a, b) = (self.luminance(), other.luminance());
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    fn luminance(self) -> f64 {
        let [red, green, blue] = self.0.map(|channel| {
            let value = f64::from(channel) / 255.0;
            if value <= 0.040_45 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
        });
        0.2126 * red + 0.7152 * green + 0.0722 * blue
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_on_any_button_is_readable() {
        for red in (0..=255).step_by(15) {
            for green in (0..=255).step_by(15) {
                for blue in (0..=255).step_by(15) {
                    let colors = ButtonColors::new(Some(&Color([red, green, blue]).css()));
                    for (back, text) in
                        [(&colors.background, &colors.color), (&colors.dark_background, &colors.dark_color)]
                    {
                        let contrast = Color::parse(back).unwrap().contrast(Color::parse(text).unwrap());
                        assert!(contrast >= 4.5, "{back} {text} {contrast}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_button_stands_out_from_its_surface() {
        assert_eq!(ButtonColors::new(Some("#ffffff")).background, "#000000");
        assert_eq!(ButtonColors::new(None).dark_background, "#ffffff");
        assert_eq!(ButtonColors::new(Some("#1a7f5a")).dark_background, "#1a7f5a");
    }
}
