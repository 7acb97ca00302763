//! Text that has to fit: names made fit to show, widths estimated, labels cut.
//!
//! An SVG cannot measure text, and the reader's font is unknown. Widths are therefore estimated from the
//! widest of the fonts that the font stack usually meets (DejaVu Sans), so what fits by
//! estimate fits.

/// What replaces a character that cannot be shown.
const REPLACEMENT: char = '\u{FFFD}';

/// Longer names are cut, in tooltips too, so that the size of a picture stays bounded.
const NAME_CHARS_MAX: usize = 120;

/// How much wider bold text is.
const BOLD: f64 = 1.12;

/// Plain or bold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Weight {
    Plain,
    Bold,
}

/// The size and weight of a piece of text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Font {
    pub(crate) size: f64,
    pub(crate) weight: Weight,
}

impl Font {
    pub(crate) const fn plain(size: f64) -> Font {
        Font { size, weight: Weight::Plain }
    }

    pub(crate) const fn bold(size: f64) -> Font {
        Font { size, weight: Weight::Bold }
    }

    /// An upper estimate of the width of `text` in pixels.
    pub(crate) fn width(self, text: &str) -> f64 {
        let em: f64 = text.chars().map(em_width).sum();
        let factor = if self.weight == Weight::Bold { BOLD } else { 1.0 };
        em * self.size * factor
    }

    /// `text`, or as much of both its ends as fits with `…` between; `None` when not even two characters would.
    ///
    /// Names of one family differ at their ends (`render-frame-17`), so that an end is worth as much as a beginning.
    pub(crate) fn fit(self, text: &str, width: f64) -> Option<String> {
        if self.width(text) <= width {
            return Some(text.to_owned());
        }
        let all: Vec<char> = text.chars().collect();
        let mut room = width - self.width("…");
        let (mut head, mut tail) = (0, 0);
        while head + tail < all.len() {
            let from_head = head <= tail;
            let next = if from_head { all[head] } else { all[all.len() - 1 - tail] };
            room -= self.width(next.encode_utf8(&mut [0; 4]));
            if room < 0.0 {
                break;
            }
            *if from_head { &mut head } else { &mut tail } += 1;
        }
        let (first, last): (String, String) =
            (all[..head].iter().collect(), all[all.len() - tail..].iter().collect());
        (head + tail >= 2).then(|| format!("{}…{}", first.trim_end(), last.trim_start()))
    }

    /// `name` followed by `suffix`, where the name may be cut but the suffix may not.
    pub(crate) fn fit_with_suffix(self, name: &str, suffix: &str, width: f64) -> Option<String> {
        let name = self.fit(name, width - self.width(suffix))?;
        Some(format!("{name}{suffix}"))
    }
}

/// A name on one line, without what cannot be shown, of bounded length: what is too long loses its middle.
pub(crate) fn clean_name(name: &str) -> String {
    let one_line = |character: char| if character.is_whitespace() { ' ' } else { legal(character) };
    if name.chars().nth(NAME_CHARS_MAX).is_none() {
        return name.chars().map(one_line).collect();
    }
    let half = NAME_CHARS_MAX / 2;
    let head: String = name.chars().take(half).map(one_line).collect();
    let tail: Vec<char> = name.chars().rev().take(half).collect();
    let tail: String = tail.into_iter().rev().map(one_line).collect();
    format!("{head}…{tail}")
}

/// The character itself, or a replacement when XML forbids it or it would reorder the text around it.
pub(crate) fn legal(character: char) -> char {
    match character {
        '\n' | '\t' => character,
        '\u{FFFE}' | '\u{FFFF}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' => REPLACEMENT,
        _ if character.is_control() => REPLACEMENT,
        _ => character,
    }
}

/// The width of one character in units of the font size.
fn em_width(character: char) -> f64 {
    match character {
        'i' | 'j' | 'l' | ' ' | '.' | ',' | '\'' | '|' | '·' | ':' | ';' | 'I' => 0.34,
        'f' | 't' | 'r' | '(' | ')' | '[' | ']' | '-' | '/' | '!' | '"' => 0.42,
        'm' | 'w' | 'M' | 'W' | '@' | '%' | '…' => 1.0,
        'a'..='z' | '0'..='9' | '_' | '–' => 0.64,
        '\u{300}'..='\u{36F}' => 0.0,
        '\u{20}'..='\u{10FF}' => 0.84,
        '\u{1F000}'.. => 1.4,
        _ => 1.05,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fits_is_unchanged() {
        let font = Font::plain(10.0);
        assert_eq!(font.fit("cpu1", font.width("cpu1")).as_deref(), Some("cpu1"));
        assert_eq!(font.fit("", 0.0).as_deref(), Some(""));
    }

    #[test]
    fn what_does_not_fit_is_cut_and_never_wider() {
        let font = Font::bold(11.0);
        let name = "molecular dynamics, straße 中文 🦀";
        for width in (0..300).map(f64::from) {
            if let Some(text) = font.fit(name, width) {
                assert!(font.width(&text) <= width, "{text:?} at {width}");
                assert!(text == name || text.contains('…'));
            }
        }
        assert_eq!(font.fit(name, 20.0), None);
    }

    #[test]
    fn names_that_differ_at_their_ends_stay_different() {
        let font = Font::plain(12.0);
        let cut = |name: &str| font.fit(name, 80.0).unwrap();
        let (one, other) = (cut("render-frame-number-17"), cut("render-frame-number-18"));
        assert!(one != other && one.ends_with("17") && one.starts_with("ren") && one.contains('…'), "{one}");
        let long = format!("{}1", "x".repeat(500));
        assert!(clean_name(&long).ends_with('1'), "{}", clean_name(&long));
    }

    #[test]
    fn the_suffix_stays_whole() {
        let font = Font::plain(10.0);
        let fitted = font.fit_with_suffix("simulation", "·12", 60.0).unwrap();
        assert!(fitted.starts_with("si") && fitted.ends_with("n·12"), "{fitted}");
        assert_eq!(font.fit_with_suffix("simulation", "·12", 20.0), None);
    }

    #[test]
    fn names_become_one_legal_line() {
        assert_eq!(clean_name("a\nb\u{0}c\u{202E}d\u{FFFF}é"), "a b\u{FFFD}c\u{FFFD}d\u{FFFD}é");
        let long = clean_name(&"x".repeat(1_000));
        assert_eq!(long.chars().count(), NAME_CHARS_MAX + 1);
    }
}
