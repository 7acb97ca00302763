//! One figure, and of which kind it is.

use super::{Tolerance, shortened};
use crate::statistics::Sample;
use serde::Serialize;

/// What a figure says about the paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FigureKind {
    /// The paper prints a value, and how far ours may be from it, to either side, was stated before the run. It can fail.
    Compared,
    /// True by proof: a check of the code, which says nothing about the paper.
    Law,
    /// Not comparable, for the reason that it names.
    Shown,
}

impl FigureKind {
    /// All of them, in the order in which they are shown.
    pub const ALL: [FigureKind; 3] = [FigureKind::Compared, FigureKind::Law, FigureKind::Shown];

    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            FigureKind::Compared => "compared",
            FigureKind::Law => "laws",
            FigureKind::Shown => "shown",
        }
    }
}

/// One figure.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Figure {
    /// What it is, e.g. `min time: time, AMP`.
    pub name: String,
    /// What it says about the paper.
    pub kind: FigureKind,
    /// What the paper prints.
    pub paper: Option<f64>,
    /// What came out here; nothing when no cycle counted.
    pub ours: Option<f64>,
    /// Half the width of the 95% interval of ours, where ours is the mean of a sample.
    pub interval: Option<f64>,
    /// Where ours must lie.
    pub tolerance: Option<Tolerance>,
    /// Whether it does; nothing where that is not judged.
    pub within: Option<bool>,
    /// Whether a parameter was fitted to the paper's value: that it comes out is then no confirmation.
    pub fitted: bool,
    /// Why it is not comparable, or why it does not come out.
    pub why: Option<String>,
}

impl Figure {
    fn new(name: &str, kind: FigureKind, paper: Option<f64>, ours: Option<f64>) -> Figure {
        let ours = ours.map(shortened);
        let (name, paper) = (name.to_owned(), paper.map(shortened));
        Figure {
            name,
            kind,
            paper,
            ours,
            interval: None,
            tolerance: None,
            within: None,
            fitted: false,
            why: None,
        }
    }

    fn judged(mut self, tolerance: Tolerance) -> Figure {
        self.within = self.ours.map(|value| tolerance.admits(value));
        self.tolerance = Some(tolerance);
        self
    }

    /// A figure that the paper prints, and that must come within a tolerance to either side of it.
    pub fn compared(name: &str, paper: f64, ours: Option<f64>, tolerance: Tolerance) -> Figure {
        Figure::new(name, FigureKind::Compared, Some(paper), ours).judged(tolerance)
    }

    /// What is true by proof, as a number that must lie somewhere.
    pub fn law(name: &str, ours: Option<f64>, tolerance: Tolerance) -> Figure {
        Figure::new(name, FigureKind::Law, None, ours).judged(tolerance)
    }

    /// What is true by proof and was checked so often: a check that fails ends the run.
    pub fn checked(name: &str, checks: usize) -> Figure {
        let figure = Figure::new(name, FigureKind::Law, None, Some(checks as f64));
        Figure { within: (checks > 0).then_some(true), ..figure }
    }

    /// A figure to look at, with the paper's where it is printed, and why it cannot be compared.
    pub fn shown(name: &str, paper: Option<f64>, ours: Option<f64>, why: &str) -> Figure {
        Figure { why: Some(why.to_owned()), ..Figure::new(name, FigureKind::Shown, paper, ours) }
    }

    /// The same as the mean of a sample, with its interval.
    pub fn over(mut self, sample: &Sample) -> Figure {
        self.interval = sample.half_width().map(shortened);
        self
    }

    /// The same where a parameter was fitted to the paper's value.
    pub fn fitted(mut self) -> Figure {
        self.fitted = true;
        self
    }

    /// The same with the reason, should it not come out.
    pub fn because(mut self, why: &str) -> Figure {
        if self.within == Some(false) {
            self.why = Some(why.to_owned());
        }
        self
    }

    /// How far ours is from the paper's, in per cent of the paper's.
    pub fn difference_percent(&self) -> Option<f64> {
        let (paper, ours) = (self.paper?, self.ours?);
        Some((ours / paper - 1.0) * 100.0).filter(|percent| percent.is_finite())
    }
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
    fn reasons_are_for_what_does_not_come_out() {
        let figure = |ours| {
            let tolerance = Tolerance::relative(50.0, 0.02);
            Figure::compared("time", 50.0, Some(ours), tolerance).because("nodes are slow")
        };
        assert_eq!(figure(50.0).why, None);
        assert_eq!(figure(60.0).why.as_deref(), Some("nodes are slow"));
        assert_eq!(Figure::checked("nothing is lost", 0).within, None);
        assert_eq!(Figure::checked("nothing is lost", 7).within, Some(true));
    }
}
