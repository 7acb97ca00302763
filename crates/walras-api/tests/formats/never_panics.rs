//! Whatever a file contains: no panic, and every rejection says where and what.

use crate::{CAPACITY, EXAMPLE, EXAMPLE_JSON};
use proptest::prelude::*;
use walras_api::{ErrorKind, Syntax, read_plan, read_scenario};

/// Reads a scenario and checks what is said when it is refused.
fn check(bytes: &[u8], syntax: Syntax) -> Result<(), TestCaseError> {
    let Err(error) = read_scenario(bytes, "some.file", syntax) else { return Ok(()) };
    check_text(&error)
}

fn check_text(error: &walras_api::ReadError) -> Result<(), TestCaseError> {
    let text = error.to_string();
    prop_assert!(text.starts_with("some.file"), "{}", text);
    prop_assert!(!error.problem.is_empty());
    prop_assert!(!text.chars().any(char::is_control), "{:?}", text);
    prop_assert!(text.chars().count() < 1_000, "{}", text);
    match error.kind {
        ErrorKind::Syntax => prop_assert!(error.position.is_some(), "{}", text),
        ErrorKind::Value | ErrorKind::Shape => {
            prop_assert!(!error.path.is_empty(), "{}", text);
            prop_assert!(text.contains(&error.path), "{}", text);
        }
        ErrorKind::Version | ErrorKind::TooLarge => {}
    }
    if error.kind == ErrorKind::Value {
        prop_assert!(error.value.is_some(), "{}", text);
    }
    if let Some(value) = &error.value {
        prop_assert!(!value.is_empty() && text.contains(value), "{}", text);
    }
    Ok(())
}

/// Fragments that mean something in either syntax, or nearly do.
fn fragment() -> impl Strategy<Value = String> {
    let known = [
        "null",
        "-1",
        "0",
        "1e999",
        ".nan",
        "-.inf",
        "1e-9",
        "9223372036854775808",
        "0.1",
        "[",
        "]",
        "{",
        "}",
        ",",
        ": ",
        "\n",
        "  - ",
        "\t",
        "&a ",
        "*a",
        "<<: *a",
        "!!int ",
        "---\n",
        "'",
        "\"",
        "# ",
        "|\n",
        "true",
        "[1, 2]",
        "[2, 1]",
        "[[0, 1], [0, 1]]",
        "{min: 1}",
        "name",
        "price",
        "busy",
        "free",
        "requires",
        "capacity: ",
        "{processors: 3, mips: 2, price: 1}",
        "prices",
        "tasks: [1, 2]",
        "kind: split",
        "user",
        "1000000",
        "\u{0}",
        "\u{1b}",
        "\u{202e}",
        "\u{fffd}",
        "\\u0000",
        "1_000",
        "0x1F",
        "1:30",
        "?",
        "~",
    ];
    prop_oneof![4 => prop::sample::select(known.to_vec()).prop_map(str::to_owned), 1 => ".{0,12}"]
}

/// A valid text with some parts cut out and replaced.
fn mutate(text: &str, edits: &[(prop::sample::Index, usize, String)]) -> String {
    let mut characters: Vec<char> = text.chars().collect();
    for (at, length, replacement) in edits {
        let at = at.index(characters.len() + 1);
        let end = (at + length).min(characters.len());
        characters.splice(at..end, replacement.chars());
    }
    characters.into_iter().collect()
}

fn edits() -> impl Strategy<Value = Vec<(prop::sample::Index, usize, String)>> {
    prop::collection::vec((any::<prop::sample::Index>(), 0_usize..12, fragment()), 1..4)
}

/// A valid text with one of its numbers or words replaced by a fragment.
fn replace_word(text: &str, at: prop::sample::Index, replacement: &str) -> String {
    let is_part = |character: char| character.is_alphanumeric() || matches!(character, '.' | '_' | '-');
    let starts: Vec<usize> = (0..text.len())
        .filter(|at| text[*at..].starts_with(is_part) && !text[..*at].ends_with(is_part))
        .collect();
    let start = starts[at.index(starts.len())];
    let length = text[start..].find(|character| !is_part(character)).unwrap_or(text.len() - start);
    format!("{}{replacement}{}", &text[..start], &text[start + length..])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_048))]

    #[test]
    fn arbitrary_bytes(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        check(&bytes, Syntax::Yaml)?;
        check(&bytes, Syntax::Json)?;
    }

    #[test]
    fn arbitrary_fragments(parts in prop::collection::vec(fragment(), 0..30)) {
        let text = parts.concat();
        check(text.as_bytes(), Syntax::Yaml)?;
        check(text.as_bytes(), Syntax::Json)?;
        check(format!("walras: scenario/1\n{text}").as_bytes(), Syntax::Yaml)?;
    }

    #[test]
    fn mutated_scenarios(edits in edits()) {
        check(mutate(EXAMPLE, &edits).as_bytes(), Syntax::Yaml)?;
        check(mutate(CAPACITY, &edits).as_bytes(), Syntax::Yaml)?;
        check(mutate(EXAMPLE_JSON, &edits).as_bytes(), Syntax::Json)?;
        check(mutate(EXAMPLE_JSON, &edits).as_bytes(), Syntax::Yaml)?;
    }

    #[test]
    fn replaced_words(at: prop::sample::Index, replacement in fragment()) {
        check(replace_word(EXAMPLE, at, &replacement).as_bytes(), Syntax::Yaml)?;
        check(replace_word(CAPACITY, at, &replacement).as_bytes(), Syntax::Yaml)?;
        check(replace_word(EXAMPLE_JSON, at, &replacement).as_bytes(), Syntax::Json)?;
    }

    #[test]
    fn mutated_plans(edits in edits()) {
        let text = mutate(crate::plans::PLAN, &edits);
        if let Err(error) = read_plan(text.as_bytes(), "some.file") {
            check_text(&error)?;
        }
    }
}
