//! Names that nobody can tell apart: characters that are not seen, and letters that look like others.
//!
//! **Problem.** Whoever may choose a name chooses one that looks like somebody else's, and is paid or admitted in their place.
//!
//! **Method.** A small part of Unicode's rules for identifiers (UTS 39). Characters that are not seen, spaces but the plain one, marks that go
//! onto others and letters in other dress (full width, mathematical, superscript) are refused, so that what looks the same is written the same. Letters of
//! Latin, Greek, Cyrillic and Armenian are not mixed; and a name of another script all of whose letters look like Latin ones is refused too. Time
//! O(characters).
//!
//! ```
//! use walras_api::service::name_fault;
//! assert!(name_fault("ada").is_none());
//! assert!(name_fault("Jürgen Groß").is_none());
//! assert!(name_fault("Мария").is_none());
//! assert!(name_fault("\u{430}da").is_some(), "a Cyrillic letter among Latin ones");
//! ```

use std::fmt;

/// Why a name cannot be told from others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NameFault {
    /// It has a character that is not seen, or that changes how others are shown.
    Unseen(char),
    /// It has a letter or a sign that looks like another.
    Disguised(char),
    /// Its letters are of several scripts.
    Mixed(char),
    /// It is of another script, and looks as if it were Latin.
    Lookalike,
}

impl fmt::Display for NameFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let code = |character: &char| format!("U+{:04X}", u32::from(*character));
        match self {
            NameFault::Unseen(it) => write!(f, "has a character that is not seen, {}", code(it)),
            NameFault::Disguised(it) => {
                write!(f, "has a character that looks like another, {}: write the plain one", code(it))
            }
            NameFault::Mixed(it) => {
                write!(f, "has letters of several scripts, which look alike: {} is of another", code(it))
            }
            NameFault::Lookalike => {
                f.write_str("has only letters that look like Latin ones: it could be taken for another name")
            }
        }
    }
}

impl std::error::Error for NameFault {}

/// Characters that are not seen, that order text, or that are for nobody in particular.
const UNSEEN: [(u32, u32); 26] = [
    (0x00, 0x1f),
    (0x7f, 0xa0),
    (0xad, 0xad),
    (0x34f, 0x34f),
    (0x61c, 0x61c),
    (0x115f, 0x1160),
    (0x1680, 0x1680),
    (0x17b4, 0x17b5),
    (0x180b, 0x180f),
    (0x2000, 0x200f),
    (0x2028, 0x202f),
    (0x205f, 0x206f),
    (0x2800, 0x2800),
    (0x3000, 0x3000),
    (0x3164, 0x3164),
    (0xd800, 0xf8ff),
    (0xfe00, 0xfe0f),
    (0xfeff, 0xfeff),
    (0xffa0, 0xffa0),
    (0xfff0, 0xffff),
    (0x1bca0, 0x1bca3),
    (0x1d159, 0x1d159),
    (0x1d173, 0x1d17a),
    (0xe0000, 0xe0fff),
    (0xf_0000, 0xf_ffff),
    (0x10_0000, 0x10_ffff),
];
/// Marks that go onto the character before them, and letters and signs in other dress.
const DISGUISED: [(u32, u32); 18] = [
    (0x2b0, 0x36f),
    (0x483, 0x489),
    (0x1ab0, 0x1aff),
    (0x1d00, 0x1dff),
    (0x2010, 0x2015),
    (0x2018, 0x201f),
    (0x2024, 0x2027),
    (0x2032, 0x2037),
    (0x2039, 0x203a),
    (0x2044, 0x2044),
    (0x2070, 0x209f),
    (0x20d0, 0x20ff),
    (0x2100, 0x218f),
    (0x2212, 0x2236),
    (0x2460, 0x24ff),
    (0xfe20, 0xfe6f),
    (0xff00, 0xffef),
    (0x1d400, 0x1d7ff),
];
/// Scripts whose letters look like each other's.
const SCRIPTS: [&[(u32, u32)]; 4] = [
    &[
        (0x41, 0x5a),
        (0x61, 0x7a),
        (0xaa, 0xaa),
        (0xba, 0xba),
        (0xc0, 0xd6),
        (0xd8, 0xf6),
        (0xf8, 0x24f),
        (0x1e00, 0x1eff),
    ],
    &[(0x370, 0x3ff), (0x1f00, 0x1fff)],
    &[(0x400, 0x52f), (0x1c80, 0x1c8f), (0x2de0, 0x2dff), (0xa640, 0xa69f)],
    &[(0x531, 0x58f)],
];
/// Letters of Greek, Cyrillic and Armenian that look like Latin ones.
const LOOKALIKES: &str = "ΑΒΕΖΗΙΚΜΝΟΡΤΥΧαγικνορυχϲϳ\
                          АВЕЅІЈКМНОРСТУХҮҺԀԌԚԜабвгеѕіјкмнорсԁтухүһгԛԝӏ\
                          ՍՕօսհոցգքղ";

fn is_in(character: char, ranges: &[(u32, u32)]) -> bool {
    let code = u32::from(character);
    ranges.iter().any(|(first, last)| (*first..=*last).contains(&code))
}

/// Why some of a text is not seen.
pub fn unseen(text: &str) -> Option<NameFault> {
    text.chars().find(|it| is_in(*it, &UNSEEN)).map(NameFault::Unseen)
}

/// Why a name can be taken for another.
pub fn name_fault(name: &str) -> Option<NameFault> {
    let edge = |it: Option<char>| it.filter(|it| it.is_whitespace()).map(NameFault::Unseen);
    if let Some(fault) =
        unseen(name).or_else(|| edge(name.chars().next())).or_else(|| edge(name.chars().last()))
    {
        return Some(fault);
    }
    if let Some(found) = name.chars().find(|it| is_in(*it, &DISGUISED)) {
        return Some(NameFault::Disguised(found));
    }
    let script = |it: char| SCRIPTS.iter().position(|ranges| is_in(it, ranges));
    let letters: Vec<(char, usize)> = name.chars().filter_map(|it| Some((it, script(it)?))).collect();
    let (_, first) = *letters.first()?;
    if let Some((other, _)) = letters.iter().find(|(_, script)| *script != first) {
        return Some(NameFault::Mixed(*other));
    }
    let foreign = first != 0 && letters.iter().all(|(letter, _)| LOOKALIKES.contains(*letter));
    foreign.then_some(NameFault::Lookalike)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_looks_like_another_name_is_refused() {
        for name in [
            "ada",
            "Ada Lovelace",
            "müller-3",
            "Ørsted",
            "Мария",
            "Γιώργος",
            "小林",
            "ünï ☃",
            "a.b_c@d",
            "o'neil",
        ] {
            assert_eq!(name_fault(name), None, "{name}");
        }
        for (name, fault) in [
            ("a\u{200b}da", NameFault::Unseen('\u{200b}')),
            ("\u{202e}gnp.exe", NameFault::Unseen('\u{202e}')),
            ("ada\u{a0}", NameFault::Unseen('\u{a0}')),
            ("ada ", NameFault::Unseen(' ')),
            (" ada", NameFault::Unseen(' ')),
            ("ada\u{fe0f}", NameFault::Unseen('\u{fe0f}')),
            ("a\u{308}da", NameFault::Disguised('\u{308}')),
            ("\u{ff41}da", NameFault::Disguised('\u{ff41}')),
            ("\u{1d4d0}da", NameFault::Disguised('\u{1d4d0}')),
            ("a\u{2010}b", NameFault::Disguised('\u{2010}')),
            ("\u{430}da", NameFault::Mixed('d')),
            ("od\u{3b1}", NameFault::Mixed('\u{3b1}')),
            ("\u{430}\u{441}\u{435}", NameFault::Lookalike),
        ] {
            assert_eq!(name_fault(name), Some(fault), "{name:?}");
        }
    }
}
