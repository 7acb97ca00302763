//! For people: tables, times in their own zone, text that cannot play tricks on a terminal.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use std::sync::atomic::{AtomicBool, Ordering};
use walras_api::service::Stamp;

/// Whether times are in UTC, where somebody wants that.
static UTC: AtomicBool = AtomicBool::new(false);

/// From now on times are in UTC.
pub(crate) fn use_utc() {
    UTC.store(true, Ordering::Relaxed);
}

/// The zone of times: this machine's, unless UTC is wanted.
pub(crate) fn zone() -> TimeZone {
    if UTC.load(Ordering::Relaxed) { TimeZone::UTC } else { TimeZone::system() }
}

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
    time_in(stamp, &zone())
}

/// The same where there is little room: without the day, when that is today.
pub(crate) fn short_time(stamp: Stamp) -> String {
    short_time_in(stamp, Timestamp::now(), &zone())
}

pub(crate) fn short_time_in(stamp: Stamp, now: Timestamp, zone: &TimeZone) -> String {
    let Ok(moment) = Timestamp::from_millisecond(stamp.time().as_millis()) else { return stamp.to_string() };
    let (moment, now) = (moment.to_zoned(zone.clone()), now.to_zoned(zone.clone()));
    let format = if moment.date() == now.date() { "%H:%M:%S" } else { "%m-%d %H:%M" };
    moment.strftime(format).to_string()
}

/// A sentence of the service: harmless, and with its points in time in the zone of this machine.
pub(crate) fn told(text: &str) -> String {
    clean(&localised(text, &zone()))
}

/// Text in which every point in time as the service writes it (`2026-11-15T12:30:00.000Z`) is one in that zone.
pub(crate) fn localised(text: &str, zone: &TimeZone) -> String {
    let mut local = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(|character: char| character.is_ascii_digit()) {
        let (before, from) = rest.split_at(at);
        let digits = |character: char| character.is_ascii_digit() || "-T:.Z".contains(character);
        let length = from.find(|character| !digits(character)).unwrap_or(from.len());
        let (word, after) = from.split_at(length);
        // A sentence may end behind it.
        let bare = word.trim_end_matches(['.', ':', '-']);
        local.push_str(before);
        match bare.parse::<Stamp>() {
            Ok(stamp) if bare.ends_with('Z') && !before.ends_with(char::is_alphanumeric) => {
                local.push_str(&time_in(stamp, zone));
                local.push_str(&word[bare.len()..]);
            }
            _ => local.push_str(word),
        }
        rest = after;
    }
    local + rest
}

/// Text of at most so many columns; what is left out is told by a dot-dot-dot.
pub(crate) fn cut(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    let kept: String = text.chars().take(width.saturating_sub(1)).collect();
    if width == 0 { String::new() } else { format!("{}…", kept.trim_end()) }
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
    table_within(&heading, rows, None)
}

/// The same of any number of columns; lines are cut at a width.
pub(crate) fn table_within(
    heading: &[&str],
    rows: &[impl AsRef<[String]>],
    width_max: Option<usize>,
) -> String {
    let titles: Vec<String> = heading.iter().map(|title| title.trim_start_matches('>').to_owned()).collect();
    let rows: Vec<Vec<String>> =
        rows.iter().map(|row| row.as_ref().iter().map(|cell| clean(cell)).collect()).collect();
    let mut widths: Vec<usize> = titles.iter().map(|title| title.chars().count()).collect();
    for row in &rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let mut text = String::new();
    for row in std::iter::once(&titles).chain(&rows) {
        let cells = row.iter().zip(&widths).zip(heading).map(|((cell, width), title)| {
            if title.starts_with('>') { format!("{cell:>width$}") } else { format!("{cell:<width$}") }
        });
        let line: Vec<String> = cells.collect();
        let line = line.join("  ");
        let line = line.trim_end();
        text.push_str(&width_max.map_or_else(|| line.to_owned(), |width| cut(line, width)));
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
    fn sentences_have_their_times_in_the_zone() {
        let zone = TimeZone::fixed(jiff::tz::offset(1));
        let text = "It starts at 2026-11-15T23:30:00.000Z. Job 17 (x2026-11-15T23:30:00Z) by 2026-11-15T12:00:00Z, 12.5.";
        let expected =
            "It starts at 2026-11-16 00:30:00. Job 17 (x2026-11-15T23:30:00Z) by 2026-11-15 13:00:00, 12.5.";
        assert_eq!(localised(text, &zone), expected);
        assert_eq!(localised("", &zone), "");
        assert_eq!(localised("ä 3 of 4: 5-6", &zone), "ä 3 of 4: 5-6");
    }

    #[test]
    fn what_is_too_long_is_cut_and_says_so() {
        assert_eq!(
            (cut("abc", 3), cut("abcd", 3), cut("ab  cd", 4)),
            ("abc".into(), "ab…".into(), "ab…".into())
        );
        assert_eq!((cut("abc", 0), cut("", 0)), (String::new(), String::new()));
        let rows = [["1".to_owned(), "äöüabc".to_owned()]];
        assert_eq!(table_within(&[">job", "why"], &rows, Some(8)), "job  why\n  1  äö…\n");
    }

    #[test]
    fn times_are_in_the_zone() {
        let zone = TimeZone::fixed(jiff::tz::offset(1));
        let now: Timestamp = "2026-11-16T12:00:00Z".parse().unwrap();
        let short = |text: &str| short_time_in(text.parse().unwrap(), now, &zone);
        assert_eq!(short("2026-11-15T23:30:00Z"), "00:30:00");
        assert_eq!(short("2026-11-15T22:30:00Z"), "11-15 23:30");
        let stamp: Stamp = "2026-11-15T23:30:00.500Z".parse().unwrap();
        assert_eq!(time_in(stamp, &TimeZone::fixed(jiff::tz::offset(1))), "2026-11-16 00:30:00");
    }
}
