//! Product pictures of the demo, rendered on request: every drawing in every colour.
//!
//! A picture is named by its drawing and its colour, such as `rain-jacket-moss`.

use crate::demo::drawings::DRAWINGS;

struct Colour {
    name: &'static str,
    base: u32,
    /// A pale background that contrasts with the colour.
    background: u32,
}

const fn colour(name: &'static str, base: u32, background: u32) -> Colour {
    Colour { name, base, background }
}

const COLOURS: &[Colour] = &[
    colour("amber", 0xe0a030, 0xe9eee6),
    colour("clay", 0xc97a5b, 0xf3e6dc),
    colour("coal", 0x4c4d57, 0xe6e4e1),
    colour("copper", 0xb9683c, 0xe6ece8),
    colour("fern", 0x4d8a62, 0xe5eddd),
    colour("ink", 0x3a4f7c, 0xe2e8f0),
    colour("lilac", 0x9c8bc6, 0xefe9f2),
    colour("mint", 0x85c2a8, 0xf3ece0),
    colour("moss", 0x768f45, 0xedeed9),
    colour("oak", 0xb98a56, 0xebe9df),
    colour("plum", 0x80496f, 0xf0e4ea),
    colour("poppy", 0xd84b37, 0xf5e7de),
    colour("rose", 0xdb8d98, 0xf5e9e6),
    colour("rust", 0xbf5a30, 0xf4e8d9),
    colour("sand", 0xd6b685, 0xe3e9e6),
    colour("sky", 0x6ba4cd, 0xe6eff3),
    colour("slate", 0x6a7d90, 0xe7eaec),
    colour("snow", 0xe9e2d5, 0xb3c5ce),
    colour("teal", 0x2f8688, 0xe0eeea),
];

/// Materials, whose colour is the same in every variant.
const MATERIALS: &[(&str, u32)] = &[
    ("$bark", 0x8a5c3a),
    ("$coffee", 0x5b3a2b),
    ("$cream", 0xfbf2e0),
    ("$fern", 0x5f9a5c),
    ("$glow", 0xf8cf66),
    ("$ink", 0x35323f),
    ("$iron", 0x7f8a96),
    ("$paper", 0xfffcf5),
    ("$poppy", 0xd9503c),
    ("$sand", 0xdcc6a0),
    ("$sky", 0x8fc1de),
    ("$steel", 0xbcc5cc),
    ("$wood", 0xc4935f),
];

const WARM_WHITE: u32 = 0xfff7e8;
/// The colour of shadows, a dark violet; neutral shadows would look muddy.
const NIGHT: u32 = 0x241d3a;

/// Renders a picture as SVG; `None` if there is no such drawing or colour.
pub(crate) fn draw(file: &str) -> Option<String> {
    let (drawing_name, colour_name) = file.rsplit_once('-')?;
    let drawing = DRAWINGS.iter().find(|drawing| drawing.name == drawing_name)?;
    let colour = COLOURS.iter().find(|colour| colour.name == colour_name)?;

    let tones = [
        ("$base", colour.base),
        ("$light", blend(colour.base, WARM_WHITE, 38)),
        ("$dark", blend(colour.base, NIGHT, 24)),
        ("$deep", blend(colour.base, NIGHT, 48)),
    ];
    let mut shapes = drawing.shapes.to_owned();
    for (name, value) in tones.iter().chain(MATERIALS) {
        shapes = shapes.replace(name, &format!("#{value:06x}"));
    }

    let background = colour.background;
    let halo = blend(background, WARM_WHITE, 50);
    let shadow = blend(background, NIGHT, 18);
    let half_width = drawing.shadow;
    Some(format!(
        r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 400" width="400" height="400">
<rect width="400" height="400" fill="#{background:06x}"/>
<circle cx="200" cy="200" r="148" fill="#{halo:06x}"/>
<g transform="translate(29 31) scale(.855)" fill="none" stroke-linecap="round" stroke-linejoin="round">
<ellipse cx="200" cy="341" rx="{half_width}" ry="13" fill="#{shadow:06x}"/>
{shapes}
</g>
</svg>
"##
    ))
}

/// `colour` moved `percent` of the way to `target`, channel by channel.
fn blend(colour: u32, target: u32, percent: u32) -> u32 {
    [16, 8, 0].into_iter().fold(0, |blended, shift| {
        let (from, to) = ((colour >> shift) & 0xff, (target >> shift) & 0xff);
        (blended << 8) | ((from * (100 - percent) + to * percent) / 100)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_drawing_in_every_colour_is_well_formed() {
        for drawing in DRAWINGS {
            for colour in COLOURS {
                let name = format!("{}-{}", drawing.name, colour.name);
                let svg = draw(&name).unwrap();
                assert!(!svg.contains('$'), "{name} has a tone that is not in the tables");
                assert_well_formed(&name, &svg);
            }
        }
    }

    /// Checks that tags nest and close, and that attribute quotes pair up. The drawings have no text, comments or entities.
    fn assert_well_formed(name: &str, svg: &str) {
        let mut open = Vec::new();
        for (position, piece) in svg.split('<').enumerate() {
            let Some((tag, text)) = piece.split_once('>') else {
                assert!(position == 0 && piece.is_empty(), "{name}: unclosed <{piece}");
                continue;
            };
            assert!(text.trim().is_empty(), "{name}: text {text:?}");
            assert!(tag.matches('"').count() % 2 == 0, "{name}: odd quotes in <{tag}>");
            assert!(!tag.contains('&'), "{name}: entity in <{tag}>");
            let element = tag.split_whitespace().next().unwrap_or_default();
            if let Some(closed) = element.strip_prefix('/') {
                assert_eq!(open.pop(), Some(closed), "{name}");
            } else if !tag.ends_with('/') {
                open.push(element);
            }
        }
        assert!(open.is_empty(), "{name}: {open:?} never closed");
    }

    #[test]
    fn unknown_names_yield_no_picture() {
        for name in ["", "-", "moss", "rain-jacket", "rain-jacket-", "rain-jacket-beige", "piano-moss", "-moss"] {
            assert_eq!(draw(name), None, "{name}");
        }
    }

    #[test]
    fn blending_interpolates_between_two_colours() {
        assert_eq!(blend(0x00_64_ff, 0xff_00_ff, 0), 0x00_64_ff);
        assert_eq!(blend(0x00_64_ff, 0xff_00_ff, 100), 0xff_00_ff);
        assert_eq!(blend(0x00_64_ff, 0xff_00_ff, 50), 0x7f_32_ff);
    }
}
