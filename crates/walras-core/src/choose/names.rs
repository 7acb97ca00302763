//! The one table of what objectives and totals are called: on the command line, in files, in the journal and in print.

use super::{Objective, Total};
use std::fmt;
use std::str::FromStr;
use walras_model::UnknownName;

/// Something that goes by a name.
pub trait Named: Copy + PartialEq + 'static {
    /// What kind of thing it is, for errors.
    const KIND: &'static str;
    /// What such a thing is, for descriptions of formats.
    const ABOUT: &'static str;
    /// All names, in the order of [`Named::ALL`].
    const NAMES: &'static [&'static str];
    /// All that there are.
    const ALL: &'static [Self];

    /// What it is called.
    fn name(self) -> &'static str {
        let at = Self::ALL.iter().position(|it| *it == self);
        at.and_then(|at| Self::NAMES.get(at)).copied().unwrap_or_default()
    }

    /// The one of that name.
    fn named(name: &str) -> Option<Self> {
        let at = Self::NAMES.iter().position(|it| *it == name)?;
        Self::ALL.get(at).copied()
    }

    /// None has this name.
    fn unknown(name: &str) -> UnknownName {
        UnknownName::new(Self::KIND, name, format!("one of {}", Self::NAMES.join(", ")))
    }
}

/// Names and what they stand for, in one list.
macro_rules! names {
    ($type:ident, $kind:literal, $about:literal, {$($name:literal => $variant:ident),* $(,)?}) => {
        impl Named for $type {
            const KIND: &'static str = $kind;
            const ABOUT: &'static str = $about;
            const NAMES: &'static [&'static str] = &[$($name),*];
            const ALL: &'static [$type] = &[$($type::$variant),*];
        }

        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.name())
            }
        }

        impl FromStr for $type {
            type Err = UnknownName;

            fn from_str(text: &str) -> Result<$type, UnknownName> {
                Self::named(text).ok_or_else(|| <$type>::unknown(text))
            }
        }

        #[cfg(feature = "serde")]
        impl serde::Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.name())
            }
        }

        #[cfg(feature = "serde")]
        impl<'de> serde::Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let name = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
                name.parse().map_err(serde::de::Error::custom)
            }
        }
    };
}

/// An objective without the weights or the order that some of them have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum ObjectiveName {
    /// [`Objective::MinTime`]
    MinTime,
    /// [`Objective::MinCost`]
    #[default]
    MinCost,
    /// [`Objective::MaxIncome`]
    MaxIncome,
    /// [`Objective::MaxUse`]
    MaxUse,
    /// [`Objective::MinMakespan`]
    MinMakespan,
    /// [`Objective::Weighted`]
    Weighted,
    /// [`Objective::Lexicographic`]
    Lexicographic,
    /// [`Objective::Satisfaction`]
    Satisfaction,
}

names!(ObjectiveName, "an objective", "What makes one combination better than another.", {
    "min-time" => MinTime,
    "min-cost" => MinCost,
    "max-income" => MaxIncome,
    "max-use" => MaxUse,
    "min-makespan" => MinMakespan,
    "weighted" => Weighted,
    "lexicographic" => Lexicographic,
    "satisfaction" => Satisfaction,
});

names!(Total, "a total", "A sum over what is chosen.", {
    "cost" => Cost,
    "time" => Time,
    "finish" => Finish,
    "income" => Income,
    "spare_budget" => SpareBudget,
    "spare_time" => SpareTime,
});

impl ObjectiveName {
    /// What makes a combination best by it, for people.
    pub fn meaning(self) -> &'static str {
        match self {
            ObjectiveName::MinTime => "Least total time, under the budget limit",
            ObjectiveName::MinCost => "Least total cost, under the time limit",
            ObjectiveName::MaxIncome => "Greatest income of the owners, under the time limit",
            ObjectiveName::MaxUse => "Greatest use of slots, under the budget limit",
            ObjectiveName::MinMakespan => "The last job ends first, then least total cost",
            ObjectiveName::Weighted => "Least weighted sum of totals",
            ObjectiveName::Lexicographic => "One total after the other decides, each among equals",
            ObjectiveName::Satisfaction => {
                "Users, owners and the administrator are most content, by the scenario's preferences"
            }
        }
    }

    /// The objective, unless it needs more than its name.
    pub fn objective(self) -> Option<Objective> {
        match self {
            ObjectiveName::MinTime => Some(Objective::MinTime),
            ObjectiveName::MinCost => Some(Objective::MinCost),
            ObjectiveName::MaxIncome => Some(Objective::MaxIncome),
            ObjectiveName::MaxUse => Some(Objective::MaxUse),
            ObjectiveName::MinMakespan => Some(Objective::MinMakespan),
            ObjectiveName::Satisfaction => Some(Objective::Satisfaction),
            ObjectiveName::Weighted | ObjectiveName::Lexicographic => None,
        }
    }
}

impl Objective {
    /// Its name, which leaves out weights and orders.
    pub fn name(&self) -> ObjectiveName {
        match self {
            Objective::MinTime => ObjectiveName::MinTime,
            Objective::MinCost => ObjectiveName::MinCost,
            Objective::MaxIncome => ObjectiveName::MaxIncome,
            Objective::MaxUse => ObjectiveName::MaxUse,
            Objective::MinMakespan => ObjectiveName::MinMakespan,
            Objective::Weighted(_) => ObjectiveName::Weighted,
            Objective::Lexicographic(_) => ObjectiveName::Lexicographic,
            Objective::Satisfaction => ObjectiveName::Satisfaction,
        }
    }
}

impl fmt::Display for Objective {
    /// Its name.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.name().fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole<T: Named + FromStr + fmt::Display + fmt::Debug>() {
        assert_eq!(T::NAMES.len(), T::ALL.len());
        for (name, it) in T::NAMES.iter().zip(T::ALL) {
            assert_eq!((T::named(name), it.name(), it.to_string()), (Some(*it), *name, (*name).to_owned()));
        }
        assert_eq!(T::named("best"), None);
    }

    #[test]
    fn every_name_stands_for_one_thing() {
        whole::<ObjectiveName>();
        whole::<Total>();
        let error = "best".parse::<Total>().unwrap_err().to_string();
        assert_eq!(
            error,
            "'best' is not a total: expected one of cost, time, finish, income, spare_budget, spare_time"
        );
    }

    #[test]
    fn objectives_know_their_names() {
        for name in ObjectiveName::ALL {
            assert!(name.objective().is_none_or(|objective| objective.name() == *name));
        }
        assert_eq!(Objective::Weighted(Vec::new()).to_string(), "weighted");
    }
}
