//! Templates: which jobs are alike, and what follows from those that have finished.

use super::feature::Feature;
use std::fmt;

/// Which jobs are alike, and how a value is made from them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Template {
    /// Jobs that agree in all of these are alike; without any, all jobs are.
    pub features: &'static [Feature],
    /// What is averaged.
    pub basis: Basis,
    /// How it is averaged.
    pub statistic: Statistic,
}

/// What is averaged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Basis {
    /// The times themselves.
    Time,
    /// The times as shares of the users' estimates.
    Share,
}

/// How it is averaged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Statistic {
    /// The mean of the last two.
    LastTwo,
    /// The median of at most the last five.
    MedianOfFive,
    /// The median of at most the last 25.
    MedianOfMany,
    /// The mean of all.
    Mean,
}

use Feature::{Executable, Group, Partition, Queue, RequestedMemory, RequestedTime, Size, SizeClass, User};

/// The likenesses that are tried, from specific to general.
pub(super) const LIKENESSES: [&[Feature]; 18] = [
    &[User, Executable, Size, Queue, RequestedTime, RequestedMemory],
    &[User, Executable, Size, RequestedTime],
    &[User, Size, Queue, RequestedTime],
    &[User, Size, RequestedTime],
    &[User, RequestedTime],
    &[User, Executable, Size],
    &[User, Size, Queue],
    &[User, Size],
    &[User, Executable],
    &[User, Queue],
    &[User],
    &[Group, RequestedTime],
    &[SizeClass, RequestedTime],
    &[Queue, Partition, SizeClass],
    &[Queue, SizeClass],
    &[Queue],
    &[Group],
    &[],
];

pub(super) const BASES: [Basis; 2] = [Basis::Time, Basis::Share];
pub(super) const STATISTICS: [Statistic; 4] =
    [Statistic::LastTwo, Statistic::MedianOfFive, Statistic::MedianOfMany, Statistic::Mean];

/// How many templates one likeness has.
pub(super) const PER_LIKENESS: usize = BASES.len() * STATISTICS.len();

/// How many templates there are.
pub(super) const COUNT: usize = LIKENESSES.len() * PER_LIKENESS;

/// All templates, from specific to general.
pub const TEMPLATES: [Template; COUNT] = all();

const fn all() -> [Template; COUNT] {
    let first = Template { features: &[], basis: Basis::Time, statistic: Statistic::Mean };
    let mut templates = [first; COUNT];
    let mut place = 0;
    while place < COUNT {
        let within = place % PER_LIKENESS;
        templates[place] = Template {
            features: LIKENESSES[place / PER_LIKENESS],
            basis: BASES[within / STATISTICS.len()],
            statistic: STATISTICS[within % STATISTICS.len()],
        };
        place += 1;
    }
    templates
}

impl Template {
    /// The features in words: `user + size`, or `all jobs`.
    pub fn likeness(&self) -> String {
        if self.features.is_empty() {
            return "all jobs".to_owned();
        }
        let names: Vec<&str> = self.features.iter().map(|feature| feature.name()).collect();
        format!("same {}", names.join(" + "))
    }
}

impl fmt::Display for Template {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let of = match self.basis {
            Basis::Time => "",
            Basis::Share => " as a share of the estimate",
        };
        write!(f, "{}{of}, {}", self.statistic, self.likeness())
    }
}

impl fmt::Display for Statistic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Statistic::LastTwo => "mean of the last 2",
            Statistic::MedianOfFive => "median of the last 5",
            Statistic::MedianOfMany => "median of the last 25",
            Statistic::Mean => "mean",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::predict::feature::FEATURES_MAX;

    #[test]
    fn templates_are_all_different_and_short_enough() {
        for (index, one) in TEMPLATES.iter().enumerate() {
            assert!(one.features.len() <= FEATURES_MAX);
            assert!(TEMPLATES[index + 1..].iter().all(|other| one != other), "{one}");
        }
    }

    #[test]
    fn templates_read_as_people_say_it() {
        let template =
            Template { features: &[User, Size], basis: Basis::Share, statistic: Statistic::MedianOfFive };
        assert_eq!(template.to_string(), "median of the last 5 as a share of the estimate, same user + size");
    }
}
