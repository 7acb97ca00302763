//! What an experiment found: figures, the paper's beside ours.

use serde::{Serialize, Serializer};

/// Everything that an experiment found, in the shape of `results.json`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Results {
    /// The experiment's name.
    pub experiment: String,
    /// The seed that it was run with.
    pub seed: u64,
    /// How many cycles were run.
    pub cycles: u32,
    /// Every parameter.
    pub config: serde_json::Value,
    /// The figures, in the order in which the paper gives them.
    pub figures: Vec<Figure>,
    /// Lines behind the pictures.
    pub series: Vec<Series>,
    /// How to read the figures, and what does not reproduce.
    pub notes: Vec<String>,
}

/// One figure.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Figure {
    /// What it is, e.g. `min time: time, AMP`.
    pub name: String,
    /// What the paper prints.
    pub paper: Option<f64>,
    /// What came out here; nothing when no cycle counted.
    pub ours: Option<f64>,
    /// Where ours must lie.
    pub tolerance: Option<Tolerance>,
    /// Whether it does.
    pub within: Option<bool>,
}

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

/// A line: points of `y` over `x`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Series {
    /// What it is.
    pub name: String,
    /// The points on the horizontal axis, one for each value of `y`.
    pub x: Vec<f64>,
    /// The values at these points.
    pub y: Vec<f64>,
}

impl Figure {
    /// A figure that the paper prints, and that must come within a tolerance.
    pub fn compared(name: &str, paper: f64, ours: Option<f64>, tolerance: Tolerance) -> Figure {
        Figure { paper: Some(paper), ..Figure::law(name, ours, tolerance) }
    }

    /// A figure that must hold, and that the paper does not print.
    pub fn law(name: &str, ours: Option<f64>, tolerance: Tolerance) -> Figure {
        let ours = ours.map(shortened);
        let within = ours.map(|value| tolerance.admits(value));
        Figure { name: name.to_owned(), paper: None, ours, tolerance: Some(tolerance), within }
    }

    /// A figure to look at, with the paper's where it is printed.
    pub fn shown(name: &str, paper: Option<f64>, ours: Option<f64>) -> Figure {
        let ours = ours.map(shortened);
        Figure { name: name.to_owned(), paper, ours, tolerance: None, within: None }
    }

    /// How far ours is from the paper's, in per cent of the paper's.
    pub fn difference_percent(&self) -> Option<f64> {
        let (paper, ours) = (self.paper?, self.ours?);
        Some((ours / paper - 1.0) * 100.0).filter(|percent| percent.is_finite())
    }
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

impl Results {
    /// The figure of that name.
    pub fn figure(&self, name: &str) -> Option<&Figure> {
        self.figures.iter().find(|figure| figure.name == name)
    }

    /// How many figures have a tolerance, and how many of those are within it.
    pub fn held(&self) -> (usize, usize) {
        let judged: Vec<bool> = self.figures.iter().filter_map(|figure| figure.within).collect();
        (judged.len(), judged.iter().filter(|within| **within).count())
    }
}

/// To a millionth: what is beyond is noise.
pub(crate) fn shortened(value: f64) -> f64 {
    (value * 1e6).round() / 1e6
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tolerances_judge() {
        let near = Figure::compared("time", 50.0, Some(50.9), Tolerance::relative(50.0, 0.02));
        assert_eq!(near.within, Some(true));
        assert_eq!(near.difference_percent().map(shortened), Some(1.8));
        let far = Figure::compared("time", 50.0, Some(51.1), Tolerance::relative(50.0, 0.02));
        assert_eq!(far.within, Some(false));
        assert!(Tolerance::AtLeast(0.99).admits(0.99));
        assert!(!Tolerance::Above(0.0).admits(0.0));
        assert!(Tolerance::Between(0.3, 0.36).admits(0.36));
        assert_eq!(Figure::law("share", None, Tolerance::AtLeast(0.99)).within, None);
    }

    #[test]
    fn tolerances_read_well() {
        assert_eq!(Tolerance::relative(7.39, 0.04).to_string(), "±4%");
        assert_eq!(Tolerance::absolute(4.18, 0.05).to_string(), "±0.05");
        assert_eq!(Tolerance::Between(0.3, 0.36).to_string(), "0.3–0.36");
        let json = serde_json::to_string(&Tolerance::absolute(4.18, 0.05)).unwrap();
        assert_eq!(json, r#"{"low":4.13,"high":4.23}"#);
    }
}
