//! What Slurm's users write: run times, points in time, and options on a `#SBATCH` line.

use jiff::civil::DateTime;
use jiff::tz::TimeZone;

/// A time limit in seconds, in any of Slurm's formats: minutes, minutes:seconds, hours:minutes:seconds, days-hours,
/// days-hours:minutes and days-hours:minutes:seconds. `None` for anything else, and for no limit at all.
pub(super) fn limit_seconds(text: &str) -> Option<u64> {
    let number = |part: &str| -> Option<u64> {
        let digits = !part.is_empty() && part.len() <= 9 && part.bytes().all(|byte| byte.is_ascii_digit());
        digits.then(|| part.parse().ok()).flatten()
    };
    let numbers = |text: &str| text.split(':').map(number).collect::<Option<Vec<u64>>>();
    let of = |days: u64, hours: u64, minutes: u64, seconds: u64| {
        Some(((days * 24 + hours) * 60 + minutes) * 60 + seconds)
    };
    let seconds = match text.split_once('-') {
        Some((days, rest)) => match (number(days)?, numbers(rest)?.as_slice()) {
            (days, [hours]) => of(days, *hours, 0, 0),
            (days, [hours, minutes]) => of(days, *hours, *minutes, 0),
            (days, [hours, minutes, seconds]) => of(days, *hours, *minutes, *seconds),
            _ => None,
        },
        None => match numbers(text)?.as_slice() {
            [minutes] => of(0, 0, *minutes, 0),
            [minutes, seconds] => of(0, 0, *minutes, *seconds),
            [hours, minutes, seconds] => of(0, *hours, *minutes, *seconds),
            _ => None,
        },
    };
    seconds.filter(|seconds| *seconds > 0)
}

/// A point in time as a job file has it: `now+2hours`, or a date and a time of day in that zone. Slurm knows other ways
/// (`16:00`, `tomorrow`); those give `None`.
pub(super) fn point(text: &str, zone: &TimeZone) -> Option<String> {
    if let Some(later) = text.strip_prefix("now+") {
        let digits = later.bytes().take_while(u8::is_ascii_digit).count();
        let count: u64 = later.get(..digits)?.parse().ok()?;
        let unit: u64 = match later.get(digits..)? {
            "" | "second" | "seconds" => 1,
            "minute" | "minutes" => 60,
            "hour" | "hours" => 3_600,
            "day" | "days" => 86_400,
            "week" | "weeks" => 604_800,
            _ => return None,
        };
        return Some(format!("{}s", count.checked_mul(unit)?));
    }
    let civil: DateTime = text.parse().ok()?;
    Some(civil.to_zoned(zone.clone()).ok()?.timestamp().to_string())
}

/// How many nodes or tasks: `4`, or of a range such as `4-8` the least.
pub(super) fn count(text: &str) -> Option<u64> {
    let least = text.split_once('-').map_or(text, |(least, _)| least);
    let count: u64 = least.parse().ok()?;
    let most_is_number = text.split_once('-').is_none_or(|(_, most)| most.parse::<u64>().is_ok());
    (count > 0 && count <= u32::MAX.into() && most_is_number).then_some(count)
}

/// The name of an output file with Slurm's patterns filled in, as far as that can be done before the job runs: `%x`, the
/// job's name, and `%%`. `None` for others, such as `%j`, and for anything that is not a plain name.
pub(super) fn output_name(pattern: &str, job: &str) -> Option<String> {
    let mut name = String::new();
    let mut characters = pattern.chars();
    while let Some(character) = characters.next() {
        match character {
            '%' => match characters.next()? {
                'x' => name.push_str(job),
                '%' => name.push('%'),
                _ => return None,
            },
            '/' | '\\' => return None,
            plain => name.push(plain),
        }
    }
    let plain = !name.is_empty() && !name.contains(['/', '\\']) && name != "." && name != "..";
    plain.then_some(name)
}

/// An option of a `#SBATCH` line.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Flag {
    /// As it is written, with its value.
    pub(super) text: String,
    /// Its long name; empty for a word that is no option.
    pub(super) name: String,
    pub(super) value: Option<String>,
}

/// The options of a line.
pub(super) fn flags(line: &str) -> Vec<Flag> {
    let mut flags = Vec::new();
    let mut words = words(line).into_iter().peekable();
    while let Some(word) = words.next() {
        let (name, mut value) = name_and_value(&word);
        let mut text = word;
        if value.is_none() && !name.is_empty() {
            value = words.next_if(|next| !next.starts_with('-'));
            if let Some(value) = &value {
                text = format!("{text} {value}");
            }
        }
        flags.push(Flag { text, name, value });
    }
    flags
}

fn name_and_value(word: &str) -> (String, Option<String>) {
    if let Some(long) = word.strip_prefix("--") {
        return match long.split_once('=') {
            Some((name, value)) => (name.to_owned(), Some(value.to_owned())),
            None => (long.to_owned(), None),
        };
    }
    let mut short = word.strip_prefix('-').unwrap_or_default().chars();
    let Some(letter) = short.next() else { return (String::new(), None) };
    let rest = short.as_str();
    let rest = rest.strip_prefix('=').unwrap_or(rest);
    let name = match letter {
        'N' => "nodes".to_owned(),
        'n' => "ntasks".to_owned(),
        't' => "time".to_owned(),
        'J' => "job-name".to_owned(),
        'o' => "output".to_owned(),
        'a' => "array".to_owned(),
        'b' => "begin".to_owned(),
        'd' => "dependency".to_owned(),
        'H' => "hold".to_owned(),
        other => other.to_string(),
    };
    (name, (!rest.is_empty()).then(|| rest.to_owned()))
}

/// The words of a line; quotes keep spaces together, `#` begins a comment.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for character in line.chars() {
        match (quote, character) {
            (Some(open), close) if open == close => quote = None,
            (Some(_), inner) => word.get_or_insert_default().push(inner),
            (None, '\'' | '"') => {
                quote = Some(character);
                word.get_or_insert_default();
            }
            (None, '#') if word.is_none() => break,
            (None, space) if space.is_whitespace() => words.extend(word.take()),
            (None, plain) => word.get_or_insert_default().push(plain),
        }
    }
    words.extend(word);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_of_a_time_limit() {
        let cases = [
            ("10", Some(600)),
            ("10:30", Some(630)),
            ("01:02:03", Some(3_723)),
            ("2-3", Some(183_600)),
            ("2-3:4", Some(183_840)),
            ("2-03:04:05", Some(183_845)),
            ("0", None),
            ("0:00", None),
            ("UNLIMITED", None),
            ("-1", None),
            ("", None),
            ("1:2:3:4", None),
            ("1-", None),
            ("1-2:3:4:5", None),
            ("99999999999999999999", None),
            ("+5", None),
            ("1.5", None),
        ];
        for (text, seconds) in cases {
            assert_eq!(limit_seconds(text), seconds, "{text}");
        }
    }

    #[test]
    fn points_in_time() {
        let zone = TimeZone::fixed(jiff::tz::offset(1));
        let cases = [
            ("now+2hours", Some("7200s")),
            ("now+90", Some("90s")),
            ("now+1week", Some("604800s")),
            ("2026-11-15T12:30", Some("2026-11-15T11:30:00Z")),
            ("2026-11-15T12:30:01", Some("2026-11-15T11:30:01Z")),
            ("2026-11-15", Some("2026-11-14T23:00:00Z")),
            ("16:00", None),
            ("tomorrow", None),
            ("now+2fortnights", None),
            ("now+99999999999999999999weeks", None),
            ("now+", None),
        ];
        for (text, point_text) in cases {
            assert_eq!(point(text, &zone).as_deref(), point_text, "{text}");
        }
    }

    #[test]
    fn counts_and_names() {
        let cases =
            [("4", Some(4)), ("4-8", Some(4)), ("0", None), ("four", None), ("4-", None), ("-4", None)];
        for (text, expected) in cases {
            assert_eq!(count(text), expected, "{text}");
        }
        let cases = [
            ("out.txt", Some("out.txt")),
            ("%x.out", Some("fit.out")),
            ("100%%", Some("100%")),
            ("slurm-%j.out", None),
            ("%", None),
            ("/tmp/out", None),
            ("..", None),
            ("", None),
        ];
        for (pattern, expected) in cases {
            assert_eq!(output_name(pattern, "fit").as_deref(), expected, "{pattern}");
        }
    }

    #[test]
    fn options_of_a_line() {
        let shown = |line| {
            let flags = flags(line).into_iter();
            flags.map(|flag| format!("{}={}", flag.name, flag.value.unwrap_or_default())).collect::<Vec<_>>()
        };
        assert_eq!(shown(" -N2 -n 4 --time=10 # why"), ["nodes=2", "ntasks=4", "time=10"]);
        assert_eq!(shown(" --job-name 'two words'"), ["job-name=two words"]);
        assert_eq!(shown(" --exclusive --gres gpu:1"), ["exclusive=", "gres=gpu:1"]);
        assert_eq!(shown(" stray -"), ["=", "="]);
        assert_eq!(flags(" --gres gpu:1")[0].text, "--gres gpu:1");
    }
}
