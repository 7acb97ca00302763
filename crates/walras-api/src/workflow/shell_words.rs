//! The words of a text as a shell splits them, where a format keeps arguments as they were typed: `-o res.txt`.
//!
//! Blanks part words; single quotes keep everything, double quotes all but a backslash before `"`, `\`, `$` and a back quote; a backslash outside
//! of quotes keeps the character after it. Nothing is expanded: no variables, no patterns, no comments. Time O(characters).

/// What a text leaves open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum LeftOpen {
    /// A quote.
    #[error("the quote {0} is not closed: expected words as a shell takes them")]
    Quote(char),
    /// A backslash at its end.
    #[error("nothing follows the backslash at the end: expected words as a shell takes them")]
    Backslash,
}

/// The words of a text.
pub(super) fn split(text: &str) -> Result<Vec<String>, LeftOpen> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        match (quote, character) {
            (Some(open), close) if open == close => quote = None,
            (Some('\''), inner) => word.get_or_insert_default().push(inner),
            (open, '\\') => {
                let next = characters.next().ok_or(LeftOpen::Backslash)?;
                let kept = word.get_or_insert_default();
                if open.is_some() && !matches!(next, '"' | '\\' | '$' | '`') {
                    kept.push('\\');
                }
                kept.push(next);
            }
            (Some(_), inner) => word.get_or_insert_default().push(inner),
            (None, '\'' | '"') => {
                quote = Some(character);
                word.get_or_insert_default();
            }
            (None, blank) if blank.is_whitespace() => words.extend(word.take()),
            (None, plain) => word.get_or_insert_default().push(plain),
        }
    }
    if let Some(open) = quote {
        return Err(LeftOpen::Quote(open));
    }
    words.extend(word);
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_those_of_a_shell() {
        for (text, words) in [
            ("", &[][..]),
            ("plain", &["plain"]),
            ("-o res.txt", &["-o", "res.txt"]),
            (" a\tb  c\n", &["a", "b", "c"]),
            ("'two words' \"three of them\"", &["two words", "three of them"]),
            ("--name=\"a b\"'c'd", &["--name=a bcd"]),
            ("''", &[""]),
            (r"a\ b \'", &["a b", "'"]),
            (r#""a\"b\n\\" 'a\'"#, &["a\"b\\n\\", "a\\"]),
            ("#5 $HOME *", &["#5", "$HOME", "*"]),
        ] {
            assert_eq!(split(text).unwrap(), words, "{text}");
        }
        assert_eq!(split("it's"), Err(LeftOpen::Quote('\'')));
        assert_eq!(split("\"a"), Err(LeftOpen::Quote('"')));
        assert_eq!(split("a\\"), Err(LeftOpen::Backslash));
    }
}
