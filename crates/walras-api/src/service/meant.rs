//! Which jobs a word names: a job, an element of an array, or several elements as lists show them.
//!
//! ```
//! use walras_api::service::Meant;
//! let meant: Meant = "17_[3-9:2,12]".parse().unwrap();
//! assert_eq!(meant.to_string(), "17_[3-9:2,12]");
//! assert_eq!("17_[3]".parse::<Meant>().unwrap().to_string(), "17_3");
//! assert!("17_[3-9%2]".parse::<Meant>().is_err() && "17_[1,3,...]".parse::<Meant>().is_err());
//! ```

use std::fmt;
use std::str::FromStr;
use walras_broker::gate::{NoWhich, Which};
use walras_broker::id::JobNumber;
use walras_broker::indices::{BadIndices, Indices};

/// What a word names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Meant {
    /// A job, an array as a whole, or one element.
    One(Which),
    /// Several elements of an array.
    Elements {
        /// The array.
        array: JobNumber,
        /// Which of its elements.
        indices: Indices,
    },
}

/// Why a word names no jobs.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoneMeant {
    /// It is neither a number nor a number with an index.
    #[error("expected a job's number, or an array's with one index or several: 17, 18_3 or 18_[3-9,12]")]
    NoWhich,
    /// What is in its brackets names no elements.
    #[error("{0}")]
    BadIndices(BadIndices),
    /// It says how many may run at once.
    #[error("a limit belongs to the whole array: expected indices alone, such as 18_[3-9,12]")]
    Limit,
    /// A list left some out.
    #[error(
        "the dots stand for elements that the list had no room for: name those that are meant, such as 18_[3-90000], or the whole array as 18"
    )]
    Dots,
}

impl From<NoWhich> for NoneMeant {
    fn from(_: NoWhich) -> NoneMeant {
        NoneMeant::NoWhich
    }
}

impl Meant {
    /// The job, or the array that the elements are of.
    pub fn job(&self) -> JobNumber {
        match self {
            Meant::One(which) => which.job,
            Meant::Elements { array, .. } => *array,
        }
    }

    /// Each by itself, unless they are more than that.
    pub fn each(&self, most: u32) -> Option<Vec<Which>> {
        match self {
            Meant::One(which) => Some(vec![*which]),
            Meant::Elements { array, indices } if indices.count() <= most => {
                let all = (0..indices.count()).filter_map(|rank| indices.index_at(rank));
                Some(all.map(|index| Which { job: *array, element: Some(index) }).collect())
            }
            Meant::Elements { .. } => None,
        }
    }
}

impl fmt::Display for Meant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Meant::One(which) => which.fmt(f),
            Meant::Elements { array, indices } => write!(f, "{array}_[{indices}]"),
        }
    }
}

impl FromStr for Meant {
    type Err = NoneMeant;

    fn from_str(text: &str) -> Result<Meant, NoneMeant> {
        let Some((job, list)) = text.split_once("_[") else { return Ok(Meant::One(text.parse()?)) };
        let list = list.strip_suffix(']').ok_or(NoneMeant::NoWhich)?;
        if list.split(',').any(|item| item == "...") {
            return Err(NoneMeant::Dots);
        }
        let whole: Which = job.parse()?;
        let indices: Indices = list.parse().map_err(NoneMeant::BadIndices)?;
        match (whole.element, indices.limit()) {
            (Some(_), _) => Err(NoneMeant::NoWhich),
            (None, Some(_)) => Err(NoneMeant::Limit),
            (None, None) if indices.count() == 1 => {
                Ok(Meant::One(Which { element: Some(indices.lowest()), ..whole }))
            }
            (None, None) => Ok(Meant::Elements { array: whole.job, indices }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_names_nothing_says_what_would_be_right() {
        let why = |text: &str| text.parse::<Meant>().unwrap_err().to_string();
        for text in ["", "x", "17_", "17_[3", "_[3]", "17_2_[3]", "17[3]", "-17"] {
            assert!(why(text).starts_with("expected a job's number"), "{text}: {}", why(text));
        }
        assert!(why("17_[9-3]").contains("its end is before its begin"));
        assert!(why("17_[0-999999999]").contains("expected at most 100000"));
        assert!(why("17_[1,3,5,...]").starts_with("the dots stand for"));
        assert!(why("17_[1-4%2]").starts_with("a limit belongs to"));
    }

    #[test]
    fn each_is_named_where_they_are_few() {
        let each = |text: &str| {
            text.parse::<Meant>()
                .unwrap()
                .each(3)
                .map(|all| all.iter().map(Which::to_string).collect::<Vec<_>>())
        };
        assert_eq!(each("17"), Some(vec!["17".to_owned()]));
        assert_eq!(each("17_[5,1-2]"), Some(["17_1", "17_2", "17_5"].map(str::to_owned).into()));
        assert_eq!(each("17_[1-4]"), None);
    }
}
