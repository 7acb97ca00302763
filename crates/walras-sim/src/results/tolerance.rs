//! Where a figure must lie.

use super::shortened;
use serde::{Serialize, Serializer};

/// Where a figure must lie. As JSON it is an object with `low` and `high`, either of which may be null.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Tolerance {
    /// So far from the paper's figure, as a share of it.
    Relative {
        /// The paper's figure.
        paper: f64,
        /// The share.
        share: f64,
    },
    /// So far from the paper's figure.
    Absolute {
        /// The paper's figure.
        paper: f64,
        /// The distance.
        distance: f64,
    },
    /// From here to there.
    Between(f64, f64),
    /// At least this.
    AtLeast(f64),
    /// More than this.
    Above(f64),
}

impl Tolerance {
    /// `share` of the paper's figure to either side.
    pub fn relative(paper: f64, share: f64) -> Tolerance {
        Tolerance::Relative { paper, share }
    }

    /// `distance` to either side of the paper's figure.
    pub fn absolute(paper: f64, distance: f64) -> Tolerance {
        Tolerance::Absolute { paper, distance }
    }

    /// The bounds, where there are any.
    pub fn bounds(self) -> (Option<f64>, Option<f64>) {
        match self {
            Tolerance::Relative { paper, share } => {
                let distance = (paper * share).abs();
                (Some(shortened(paper - distance)), Some(shortened(paper + distance)))
            }
            Tolerance::Absolute { paper, distance } => {
                (Some(shortened(paper - distance)), Some(shortened(paper + distance)))
            }
            Tolerance::Between(low, high) => (Some(low), Some(high)),
            Tolerance::AtLeast(low) | Tolerance::Above(low) => (Some(low), None),
        }
    }

    /// Whether a value is within.
    pub fn admits(self, value: f64) -> bool {
        let (low, high) = self.bounds();
        let above = low.is_none_or(|low| match self {
            Tolerance::Above(_) => value > low,
            _ => value >= low,
        });
        above && high.is_none_or(|high| value <= high)
    }
}

impl std::fmt::Display for Tolerance {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Tolerance::Relative { share, .. } => write!(f, "±{}%", shortened(share * 100.0)),
            Tolerance::Absolute { distance, .. } => write!(f, "±{distance}"),
            Tolerance::Between(low, high) => write!(f, "{low}–{high}"),
            Tolerance::AtLeast(low) => write!(f, "≥ {low}"),
            Tolerance::Above(low) => write!(f, "> {low}"),
        }
    }
}

impl Serialize for Tolerance {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Bounds {
            low: Option<f64>,
            high: Option<f64>,
        }
        let (low, high) = self.bounds();
        Bounds { low, high }.serialize(serializer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tolerances_read_well() {
        assert_eq!(Tolerance::relative(7.39, 0.04).to_string(), "±4%");
        assert_eq!(Tolerance::absolute(4.18, 0.05).to_string(), "±0.05");
        assert_eq!(Tolerance::Between(0.3, 0.36).to_string(), "0.3–0.36");
        let json = serde_json::to_string(&Tolerance::absolute(4.18, 0.05)).unwrap();
        assert_eq!(json, r#"{"low":4.13,"high":4.23}"#);
    }
}
