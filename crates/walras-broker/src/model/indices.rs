//! Which elements an array has, as Slurm writes it: `1-10:2,20%4`.
//!
//! Indices are a set: what is named twice is there once, and the order in which elements are named is not the order in which they run.
//! An element's place among all of them, lowest index first, is its rank.
//!
//! ```
//! use walras_broker::indices::Indices;
//! let all: Indices = "20,1-10:2%4".parse().unwrap();
//! assert_eq!((all.count(), all.limit()), (6, Some(4)));
//! assert_eq!((all.index_at(1), all.rank_of(20), all.rank_of(4)), (Some(3), Some(5), None));
//! assert_eq!(all.to_string(), "1-9:2,20%4");
//! ```

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// An array has at most so many elements.
pub const ELEMENTS_MAX: u32 = 100_000;
/// The highest index of an element.
pub const INDEX_MAX: u32 = 999_999_999;

/// The indices of an array's elements, and how many may run at once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Indices {
    /// Without overlap, in order.
    runs: Vec<Run>,
    limit: Option<u32>,
}

/// Indices at equal distances.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Run {
    first: u32,
    /// At least 1.
    step: u32,
    /// At least 1.
    count: u32,
    /// How many are in the runs before it.
    before: u32,
}

impl Run {
    fn last(&self) -> u32 {
        self.first + self.step * (self.count - 1)
    }
}

/// Why text names no elements.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadIndices {
    /// Something is neither an index, nor a range, nor a range with a step.
    #[error("'{0}' is neither an index, nor a range such as 1-10, nor a range with a step such as 1-10:2")]
    NotARange(String),
    /// An index is too high.
    #[error("the index {0} is too high: expected at most {INDEX_MAX}")]
    TooHigh(String),
    /// A range ends before it begins.
    #[error("the range {first}-{last} is empty: its end is before its begin")]
    Empty {
        /// Where it begins.
        first: u32,
        /// Where it ends.
        last: u32,
    },
    /// A step leads nowhere.
    #[error("the step of {0} is 0: expected at least 1")]
    NoStep(String),
    /// There are too many elements.
    #[error("there are {0} elements or more: expected at most {ELEMENTS_MAX}")]
    TooMany(u64),
    /// Not even one element may run at once, or that is no number.
    #[error("'%{0}' does not say how many elements may run at once: expected a number of at least 1")]
    NoLimit(String),
}

/// Text is kept in messages up to so many characters.
const SHOWN: usize = 40;

fn shown(text: &str) -> String {
    text.chars().take(SHOWN).collect()
}

fn index(text: &str) -> Result<u32, BadIndices> {
    if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(BadIndices::NotARange(shown(text)));
    }
    text.parse().ok().filter(|index| *index <= INDEX_MAX).ok_or_else(|| BadIndices::TooHigh(shown(text)))
}

/// One item of the list: first, last and step.
fn range(text: &str) -> Result<(u32, u32, u32), BadIndices> {
    let unfit =
        |why| if let BadIndices::NotARange(_) = why { BadIndices::NotARange(shown(text)) } else { why };
    let Some((first, rest)) = text.split_once('-') else {
        let only = index(text).map_err(unfit)?;
        return Ok((only, only, 1));
    };
    let (last, step) = rest.split_once(':').map_or((rest, None), |(last, step)| (last, Some(step)));
    let (first, last) = (index(first).map_err(unfit)?, index(last).map_err(unfit)?);
    let step = step.map_or(Ok(1), |step| index(step).map_err(unfit))?;
    match step {
        0 => Err(BadIndices::NoStep(shown(text))),
        _ if last < first => Err(BadIndices::Empty { first, last }),
        _ => Ok((first, last, step)),
    }
}

impl FromStr for Indices {
    type Err = BadIndices;

    fn from_str(text: &str) -> Result<Indices, BadIndices> {
        let (list, limit) = match text.split_once('%') {
            None => (text, None),
            Some((list, limit)) => {
                let number = index(limit).ok().filter(|limit| *limit > 0);
                (list, Some(number.ok_or_else(|| BadIndices::NoLimit(shown(limit)))?))
            }
        };
        let mut named: Vec<u32> = Vec::new();
        let mut count: u64 = 0;
        for item in list.split(',') {
            let (first, last, step) = range(item.trim())?;
            // What is named twice counts twice here, so that no list can be long for nothing.
            count += u64::from((last - first) / step) + 1;
            if count > u64::from(ELEMENTS_MAX) {
                return Err(BadIndices::TooMany(count));
            }
            named.extend((first..=last).step_by(step as usize));
        }
        named.sort_unstable();
        named.dedup();
        Ok(Indices { runs: runs(&named), limit })
    }
}

/// Runs of equal distances, each as long as it can be from where the last one ended.
fn runs(named: &[u32]) -> Vec<Run> {
    let mut runs = Vec::new();
    let (mut rest, mut before) = (named, 0);
    while let [first, others @ ..] = rest {
        let step = others.first().map_or(1, |second| second - first);
        let alike = rest.windows(2).take_while(|pair| pair[1] - pair[0] == step).count() + 1;
        // Two that happen to be apart are no run.
        let count = if alike == 2 && step > 1 { 1 } else { alike };
        let length = u32::try_from(count).unwrap_or(ELEMENTS_MAX);
        runs.push(Run { first: *first, step: if count == 1 { 1 } else { step }, count: length, before });
        before += length;
        rest = &rest[count..];
    }
    runs
}

impl Indices {
    /// How many elements there are; at least one.
    pub fn count(&self) -> u32 {
        self.runs.last().map_or(0, |run| run.before + run.count)
    }

    /// How many may run at once, where that is limited.
    pub fn limit(&self) -> Option<u32> {
        self.limit
    }

    /// The lowest index.
    pub fn lowest(&self) -> u32 {
        self.runs.first().map_or(0, |run| run.first)
    }

    /// The highest index.
    pub fn highest(&self) -> u32 {
        self.runs.last().map_or(0, Run::last)
    }

    /// How far apart all of them are, where they are equally and three or more; 1 otherwise, as Slurm says of lists.
    pub fn step(&self) -> u32 {
        match self.runs.as_slice() {
            [only] => only.step,
            _ => 1,
        }
    }

    /// The index of a rank.
    pub fn index_at(&self, rank: u32) -> Option<u32> {
        let place = self.runs.partition_point(|run| run.before <= rank).checked_sub(1)?;
        let run = self.runs.get(place)?;
        let within = rank - run.before;
        (within < run.count).then(|| run.first + run.step * within)
    }

    /// The rank of an index; `None` where no element has it.
    pub fn rank_of(&self, index: u32) -> Option<u32> {
        let place = self.runs.partition_point(|run| run.first <= index).checked_sub(1)?;
        let run = self.runs.get(place)?;
        let apart = index - run.first;
        let within = apart / run.step;
        (apart.is_multiple_of(run.step) && within < run.count).then(|| run.before + within)
    }

    /// The elements of some ranks as text, such as `3-9,12`; at most so many items, and dots for the rest.
    pub fn text_of(&self, ranks: impl Iterator<Item = (u32, u32)>, items: usize) -> String {
        let mut parts: Vec<String> = Vec::new();
        for (mut from, to) in ranks {
            while from < to {
                if parts.len() == items {
                    parts.push("...".to_owned());
                    return parts.join(",");
                }
                let place = self.runs.partition_point(|run| run.before <= from).saturating_sub(1);
                let Some(run) = self.runs.get(place) else { return parts.join(",") };
                let end = to.min(run.before + run.count).max(from + 1);
                let at = |rank: u32| run.first + run.step * (rank - run.before);
                parts.push(run_text(at(from), at(end - 1), run.step));
                from = end;
            }
        }
        parts.join(",")
    }
}

fn run_text(first: u32, last: u32, step: u32) -> String {
    match step {
        _ if first == last => first.to_string(),
        1 => format!("{first}-{last}"),
        _ => format!("{first}-{last}:{step}"),
    }
}

impl fmt::Display for Indices {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text_of([(0, self.count())].into_iter(), usize::MAX))?;
        self.limit.map_or(Ok(()), |limit| write!(f, "%{limit}"))
    }
}

impl From<Indices> for String {
    fn from(indices: Indices) -> String {
        indices.to_string()
    }
}

impl TryFrom<String> for Indices {
    type Error = BadIndices;

    fn try_from(text: String) -> Result<Indices, BadIndices> {
        text.parse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    #[test]
    fn what_names_no_elements_is_refused_with_the_reason() {
        let why = |text: &str| text.parse::<Indices>().unwrap_err().to_string();
        let range = "is neither an index, nor a range such as 1-10, nor a range with a step such as 1-10:2";
        for text in ["", "a", "1-", "-1", "1-2-3", "1:2", "1,,2", "+1", "1-5:x"] {
            let item = if text == "1,,2" { "" } else { text };
            assert_eq!(why(text), format!("'{item}' {range}"));
        }
        assert_eq!(why("5-1"), "the range 5-1 is empty: its end is before its begin");
        assert_eq!(why("1-5:0"), "the step of 1-5:0 is 0: expected at least 1");
        assert_eq!(why("1-1000000000"), "the index 1000000000 is too high: expected at most 999999999");
        assert_eq!(why("0-999999999"), "there are 1000000000 elements or more: expected at most 100000");
        assert_eq!(why("1-100000,1"), "there are 100001 elements or more: expected at most 100000");
        for text in ["1-4%0", "1-4%", "1-4%x", "1-4%-1"] {
            assert!(why(text).ends_with("expected a number of at least 1"), "{text}");
        }
        assert_eq!("1-100000".parse::<Indices>().unwrap().count(), ELEMENTS_MAX);
    }

    proptest! {
        /// Against the plain set: ranks and indices are each other's, and the text reads back as the same.
        #[test]
        fn indices_are_the_set_that_is_named(
            items in prop::collection::vec((0_u32..60, 0_u32..30, 1_u32..7), 1..6),
            limit in prop::option::of(1_u32..9),
        ) {
            let text: Vec<String> = items.iter().map(|(first, more, step)| {
                if *more == 0 { first.to_string() } else { format!("{first}-{}:{step}", first + more) }
            }).collect();
            let text = text.join(",") + &limit.map_or_else(String::new, |limit| format!("%{limit}"));
            let set: BTreeSet<u32> = items.iter()
                .flat_map(|(first, more, step)| (*first..=first + more).step_by(*step as usize)).collect();
            let indices: Indices = text.parse().unwrap();
            prop_assert_eq!(indices.count() as usize, set.len());
            prop_assert_eq!((indices.lowest(), indices.highest()), (*set.first().unwrap(), *set.last().unwrap()));
            let apart: BTreeSet<u32> = set.iter().zip(set.iter().skip(1)).map(|(one, next)| next - one).collect();
            let step = apart.first().copied().filter(|_| apart.len() == 1 && set.len() > 2).unwrap_or(1);
            prop_assert_eq!(indices.step(), step);
            for (rank, index) in (0..).zip(&set) {
                prop_assert_eq!(indices.index_at(rank), Some(*index));
            }
            prop_assert_eq!(indices.index_at(indices.count()), None);
            for index in 0..100 {
                let rank = set.iter().position(|it| *it == index).map(|rank| u32::try_from(rank).unwrap());
                prop_assert_eq!(indices.rank_of(index), rank);
            }
            prop_assert_eq!(indices.to_string().parse::<Indices>().unwrap(), indices);
        }
    }
}
