//! What Slurm's users write: run times, memory, devices, features, and options on a `#SBATCH` line.

use super::directive::{DIRECTIVES, Takes, directive};
use walras_model::quantity::rounding;

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

/// How many nodes or tasks: `4`, or of a range such as `4-8` the least.
pub(super) fn count(text: &str) -> Option<u64> {
    let least = text.split_once('-').map_or(text, |(least, _)| least);
    let count: u64 = least.parse().ok()?;
    let most_is_number = text.split_once('-').is_none_or(|(_, most)| most.parse::<u64>().is_ok());
    (count > 0 && count <= u32::MAX.into() && most_is_number).then_some(count)
}

/// `number / by` towards more; `by` is not 0.
pub(super) fn upwards(number: u64, by: u64) -> u64 {
    u64::try_from(rounding::up(number.into(), by.into())).unwrap_or(u64::MAX)
}

/// Memory in mebibytes, rounded up: a number of them, or with a unit `K`, `M`, `G` or `T`. 0 for all that a node has.
pub(super) fn mebibytes(text: &str) -> Option<u64> {
    let text = text.strip_suffix(['B', 'b']).unwrap_or(text);
    let (number, kibibytes): (&str, u64) = match text.char_indices().last()? {
        (at, 'K' | 'k') => (text.get(..at)?, 1),
        (at, 'M' | 'm') => (text.get(..at)?, 1 << 10),
        (at, 'G' | 'g') => (text.get(..at)?, 1 << 20),
        (at, 'T' | 't') => (text.get(..at)?, 1 << 30),
        _ => (text, 1 << 10),
    };
    let digits = !number.is_empty() && number.len() <= 9 && number.bytes().all(|byte| byte.is_ascii_digit());
    let number: u64 = digits.then(|| number.parse().ok()).flatten()?;
    Some(upwards(number.checked_mul(kibibytes)?, 1 << 10))
}

/// How many devices, and of which type where it is said: `2`, `a100:2`; without a number, 1.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Devices {
    pub(super) count: u64,
    pub(super) kind: Option<String>,
}

/// GPUs as `--gpus` has them: `2` or `a100:2`.
pub(super) fn gpus(text: &str) -> Option<Devices> {
    let number = |text: &str| text.parse::<u64>().ok().filter(|count| *count <= 1_000_000);
    let plain = |character: char| character.is_alphanumeric() || "_-.".contains(character);
    let is_name = |text: &str| text.starts_with(char::is_alphabetic) && text.chars().all(plain);
    let name = |text: &str| is_name(text).then(|| text.to_owned());
    match text.rsplit_once(':') {
        Some((kind, count)) => Some(Devices { count: number(count)?, kind: Some(name(kind)?) }),
        None => match number(text) {
            Some(count) => Some(Devices { count, kind: None }),
            None => Some(Devices { count: 1, kind: Some(name(text)?) }),
        },
    }
}

/// GPUs as `--gres` has them: `gpu`, `gpu:2`, `gpu:a100` or `gpu:a100:2`; with `gres/` before it, too.
pub(super) fn gres(text: &str) -> Option<Devices> {
    let text = text.strip_prefix("gres/").or_else(|| text.strip_prefix("gres:")).unwrap_or(text);
    match text.strip_prefix("gpu")? {
        "" => Some(Devices { count: 1, kind: None }),
        rest => gpus(rest.strip_prefix([':', '='])?),
    }
}

/// The features of `--constraint`: of each list a node must have one. `a&b|c` without parentheses is not read: it could mean either.
pub(super) fn features(text: &str) -> Option<Vec<Vec<String>>> {
    let mixed = text.contains('&') && text.contains('|');
    let group = |text: &str| -> Option<Vec<String>> {
        let inner = text.strip_prefix('(').and_then(|text| text.strip_suffix(')'));
        if inner.is_none() && mixed && text.contains('|') {
            return None;
        }
        let names = inner.unwrap_or(text).split('|').map(|name| {
            let plain = |character: char| character.is_alphanumeric() || "_-.=:".contains(character);
            (!name.is_empty() && name.chars().all(plain)).then(|| name.to_owned())
        });
        names.collect()
    };
    text.split('&').map(|part| group(part.trim())).collect()
}

/// An option as Slurm has them, of a `#SBATCH` line or of the command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flag {
    /// As it is written, with its value.
    pub(super) text: String,
    /// Its long name; empty for a word that is no option.
    pub(super) name: String,
    pub(super) value: Option<String>,
}

impl Flag {
    /// An option of the command line, by its long name.
    pub fn new(name: &str, value: Option<String>) -> Flag {
        let text = match &value {
            Some(value) => format!("--{name}={value}"),
            None => format!("--{name}"),
        };
        Flag { text, name: name.to_owned(), value }
    }

    /// Its long name.
    pub fn name(&self) -> &str {
        &self.name
    }
}

/// The options of a line.
pub(super) fn flags(line: &str) -> Vec<Flag> {
    let mut flags = Vec::new();
    let mut words = words(line).into_iter().peekable();
    while let Some(word) = words.next() {
        let (name, mut value) = name_and_value(&word);
        let mut text = word;
        let takes = directive(&name).is_none_or(|directive| directive.takes == Takes::Value);
        if value.is_none() && !name.is_empty() && takes {
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
    let known = DIRECTIVES.iter().find(|directive| directive.short == Some(letter));
    let name = known.map_or_else(|| letter.to_string(), |directive| directive.name.to_owned());
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
    fn counts_and_names() {
        let cases =
            [("4", Some(4)), ("4-8", Some(4)), ("0", None), ("four", None), ("4-", None), ("-4", None)];
        for (text, expected) in cases {
            assert_eq!(count(text), expected, "{text}");
        }
    }

    #[test]
    fn memory_is_in_mebibytes_unless_it_says_otherwise() {
        let cases = [
            ("4096", Some(4_096)),
            ("4096M", Some(4_096)),
            ("4G", Some(4_096)),
            ("4GB", Some(4_096)),
            ("1T", Some(1 << 20)),
            ("1025K", Some(2)),
            ("0", Some(0)),
            ("-4G", None),
            ("4.5G", None),
            ("G", None),
            ("", None),
            ("lots", None),
            ("4P", None),
        ];
        for (text, expected) in cases {
            assert_eq!(mebibytes(text), expected, "{text}");
        }
    }

    #[test]
    fn gpus_and_their_types() {
        let of = |count, kind: Option<&str>| Some(Devices { count, kind: kind.map(str::to_owned) });
        assert_eq!(gres("gpu"), of(1, None));
        assert_eq!(gres("gpu:2"), of(2, None));
        assert_eq!(gres("gpu:a100"), of(1, Some("a100")));
        assert_eq!(gres("gres/gpu:a100:4"), of(4, Some("a100")));
        assert_eq!(gpus("v100:8"), of(8, Some("v100")));
        for wrong in ["lscratch:100", "gpus:2", "gpu:", "gpu:-1", "gpu:a:b:", ""] {
            assert_eq!(gres(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn features_with_and_and_or() {
        let lists = |text| features(text).map(|all| all.iter().map(|it| it.join("|")).collect::<Vec<_>>());
        assert_eq!(lists("intel"), Some(vec!["intel".to_owned()]));
        assert_eq!(lists("intel&gpu"), Some(vec!["intel".to_owned(), "gpu".to_owned()]));
        assert_eq!(lists("ib|opa"), Some(vec!["ib|opa".to_owned()]));
        assert_eq!(lists("(ib|opa)&intel"), Some(vec!["ib|opa".to_owned(), "intel".to_owned()]));
        for wrong in ["", "a&", "a|b&c", "[rack1|rack2]", "a*2&b*4", "a&&b"] {
            assert_eq!(lists(wrong), None, "{wrong}");
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
        assert_eq!(shown(" --exclusive stray"), ["exclusive=", "="]);
        assert_eq!(shown(" stray -"), ["=", "="]);
        assert_eq!(flags(" --gres gpu:1")[0].text, "--gres gpu:1");
    }
}
