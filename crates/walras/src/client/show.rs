//! For people: tables, times in their own zone, text that cannot play tricks on a terminal.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use walras_api::service::Stamp;

/// Text of the service without characters that would change how a terminal shows it.
pub(crate) fn clean(text: &str) -> String {
    let tricky = |character: char| {
        character.is_control()
            || matches!(character, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    text.chars().map(|character| if tricky(character) { '\u{fffd}' } else { character }).collect()
}

/// A point in time in that zone, to the second.
pub(crate) fn time_in(stamp: Stamp, zone: &TimeZone) -> String {
    match Timestamp::from_millisecond(stamp.time().as_millis()) {
        Ok(moment) => moment.to_zoned(zone.clone()).strftime("%Y-%m-%d %H:%M:%S").to_string(),
        Err(_) => stamp.to_string(),
    }
}

/// A point in time in the zone of this machine.
pub(crate) fn time(stamp: Stamp) -> String {
    time_in(stamp, &TimeZone::system())
}

/// A point in time that may not be known.
pub(crate) fn time_or(stamp: Option<Stamp>) -> String {
    stamp.map_or_else(|| "-".to_owned(), time)
}

/// Something that may not be there.
pub(crate) fn or_dash(value: Option<&impl ToString>) -> String {
    value.map_or_else(|| "-".to_owned(), ToString::to_string)
}

/// Columns as wide as their widest cell. The first row is the heading; a heading that begins with `>` goes to the right.
pub(crate) fn table<const COLUMNS: usize>(heading: [&str; COLUMNS], rows: &[[String; COLUMNS]]) -> String {
    let titles = heading.map(|title| title.trim_start_matches('>').to_owned());
    let rows: Vec<[String; COLUMNS]> =
        rows.iter().map(|row| row.each_ref().map(|cell| clean(cell))).collect();
    let mut widths = titles.each_ref().map(|title| title.chars().count());
    for row in &rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let mut text = String::new();
    for row in std::iter::once(&titles).chain(&rows) {
        let cells = row.iter().zip(widths).zip(heading).map(|((cell, width), title)| {
            if title.starts_with('>') { format!("{cell:>width$}") } else { format!("{cell:<width$}") }
        });
        let line: Vec<String> = cells.collect();
        text.push_str(line.join("  ").trim_end());
        text.push('\n');
    }
    text
}

/// A table, or a sentence when it has no rows.
pub(crate) fn table_or<const COLUMNS: usize>(
    heading: [&str; COLUMNS],
    rows: &[[String; COLUMNS]],
    none: &str,
) -> String {
    if rows.is_empty() { format!("{none}\n") } else { table(heading, rows) }
}

/// JSON as it came, over several lines: nothing of it is changed but the space between.
pub(crate) fn pretty(json: &str) -> String {
    let mut text = String::with_capacity(json.len() * 2);
    let (mut depth, mut quoted, mut escaped) = (0_usize, false, false);
    let newline = |text: &mut String, depth: usize| {
        text.push('\n');
        text.push_str(&"  ".repeat(depth));
    };
    let mut characters = json.chars().peekable();
    while let Some(character) = characters.next() {
        if quoted {
            text.push(character);
            quoted = escaped || character != '"';
            escaped = character == '\\' && !escaped;
            continue;
        }
        match character {
            space if space.is_ascii_whitespace() => {}
            '{' | '[' => {
                text.push(character);
                while characters.next_if(char::is_ascii_whitespace).is_some() {}
                if let Some(close) = characters.next_if(|next| matches!(next, '}' | ']')) {
                    text.push(close);
                } else {
                    depth += 1;
                    newline(&mut text, depth);
                }
            }
            '}' | ']' => {
                depth = depth.saturating_sub(1);
                newline(&mut text, depth);
                text.push(character);
            }
            ',' => {
                text.push(',');
                newline(&mut text, depth);
            }
            ':' => text.push_str(": "),
            other => {
                quoted = other == '"';
                text.push(other);
            }
        }
    }
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_keeps_its_order_and_its_digits() {
        let text = r#"{"b": 12345678901234567890.10, "a":[1, {}, [ ], "x,{\"}"]}"#;
        insta::assert_snapshot!(pretty(text), @r#"
        {
          "b": 12345678901234567890.10,
          "a": [
            1,
            {},
            [],
            "x,{\"}"
          ]
        }
        "#);
        let again: serde_json::Value = serde_json::from_str(&pretty(text)).unwrap();
        assert_eq!(again, serde_json::from_str::<serde_json::Value>(text).unwrap());
    }

    #[test]
    fn tables_line_up_and_are_harmless() {
        let rows = [["1".into(), "a\u{1b}[31m".into()], ["20".into(), "b".into()]];
        assert_eq!(table([">job", "name"], &rows), "job  name\n  1  a\u{fffd}[31m\n 20  b\n");
    }

    #[test]
    fn times_are_in_the_zone() {
        let stamp: Stamp = "2026-11-15T23:30:00.500Z".parse().unwrap();
        assert_eq!(time_in(stamp, &TimeZone::fixed(jiff::tz::offset(1))), "2026-11-16 00:30:00");
    }
}
