//! What an experiment found: figures, the paper's beside ours.
//!
//! Figures are of three [kinds](FigureKind), and counted apart: what is *compared* with a printed value can fail, *laws* are
//! checks of the code that cannot fail while the code is right, and what is *shown* says why it is not comparable. A run that
//! is smaller than the paper's, or of another configuration, judges no comparison, and says so.

mod figure;
mod tolerance;

pub use figure::{Figure, FigureKind};
pub use tolerance::Tolerance;

use crate::statistics::Sample;
use serde::Serialize;

/// Everything that an experiment found, in the shape of `results.json`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Results {
    /// The experiment's name.
    pub experiment: String,
    /// The seed that it was run with.
    pub seed: u64,
    /// How many cycles were run.
    pub cycles: u32,
    /// What the figures come to.
    pub tally: Tally,
    /// Why nothing is judged against the paper, where that is so.
    pub unjudged: Option<String>,
    /// Every parameter.
    pub config: serde_json::Value,
    /// The figures, in the order in which the paper gives them.
    pub figures: Vec<Figure>,
    /// Every parameter that the paper does not print, and what it was fitted to.
    pub fitted: Vec<Fitted>,
    /// Tables of what has more than one measure.
    pub tables: Vec<Table>,
    /// Lines behind the pictures.
    pub series: Vec<Series>,
    /// How to read the figures, and what does not reproduce.
    pub notes: Vec<String>,
}

/// Things in rows, measures in columns.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Table {
    /// What it shows.
    pub title: String,
    /// The measures.
    pub columns: Vec<String>,
    /// The things.
    pub rows: Vec<TableRow>,
}

/// One thing.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TableRow {
    /// What it is.
    pub name: String,
    /// For every column what was measured.
    pub cells: Vec<Cell>,
}

/// A mean.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Cell {
    /// The mean; nothing of nothing.
    pub value: Option<f64>,
    /// Half the width of its 95% interval.
    pub interval: Option<f64>,
}

impl Cell {
    /// The mean of a sample.
    pub fn of(sample: &Sample) -> Cell {
        Cell { value: sample.mean().map(shortened), interval: sample.half_width().map(shortened) }
    }
}

/// A parameter that was fitted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Fitted {
    /// Which, and its value.
    pub parameter: String,
    /// To which figures of the paper, or why this value where there are none.
    pub to: String,
}

/// What figures come to, by kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Tally {
    /// Figures compared with a printed value.
    pub compared: Count,
    /// How many of those had a parameter fitted to them.
    pub compared_fitted: usize,
    /// Laws.
    pub laws: Count,
    /// Figures that are only shown.
    pub shown: usize,
}

/// Figures of a kind that are judged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Count {
    /// How many there are.
    pub all: usize,
    /// How many were judged.
    pub judged: usize,
    /// How many of those are within their tolerance, or hold.
    pub held: usize,
}

impl Count {
    fn add(&mut self, within: Option<bool>) {
        self.all += 1;
        self.judged += usize::from(within.is_some());
        self.held += usize::from(within == Some(true));
    }
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

impl Tally {
    /// What these come to.
    pub fn of(figures: &[Figure]) -> Tally {
        let mut tally = Tally::default();
        for figure in figures {
            match figure.kind {
                FigureKind::Compared => {
                    tally.compared.add(figure.within);
                    tally.compared_fitted += usize::from(figure.fitted);
                }
                FigureKind::Law => tally.laws.add(figure.within),
                FigureKind::Shown => tally.shown += 1,
            }
        }
        tally
    }
}

impl Results {
    /// The same without a judgement on what is compared with the paper, for this reason.
    pub fn unjudged(mut self, why: String) -> Results {
        for figure in self.figures.iter_mut().filter(|figure| figure.kind == FigureKind::Compared) {
            (figure.within, figure.why) = (None, None);
        }
        self.tally = Tally::of(&self.figures);
        self.unjudged = Some(why);
        self
    }

    /// The figure of that name.
    pub fn figure(&self, name: &str) -> Option<&Figure> {
        self.figures.iter().find(|figure| figure.name == name)
    }

    /// The figures of a kind, in order.
    pub fn of_kind(&self, kind: FigureKind) -> impl Iterator<Item = &Figure> {
        self.figures.iter().filter(move |figure| figure.kind == kind)
    }

    /// What all figures of a kind come to, in a sentence.
    pub fn verdict(&self, kind: FigureKind) -> String {
        let Tally { compared, compared_fitted, laws, shown } = self.tally;
        match (kind, &self.unjudged) {
            (FigureKind::Compared, Some(why)) => {
                format!("{} beside the paper's, not judged: {why}", compared.all)
            }
            (FigureKind::Compared, None) => {
                let fitted = match compared_fitted {
                    0 => String::new(),
                    count => format!("; parameters were fitted to {count} of them"),
                };
                format!(
                    "{} of {} within the tolerance to either side{fitted}",
                    compared.held, compared.judged
                )
            }
            (FigureKind::Law, _) => {
                format!("{} of {} hold (checks of the code, not of the paper)", laws.held, laws.judged)
            }
            (FigureKind::Shown, _) => format!("{shown} that cannot be compared, with the reason"),
        }
    }
}

/// To a millionth: what is beyond is noise.
pub(crate) fn shortened(value: f64) -> f64 {
    (value * 1e6).round() / 1e6
}

#[cfg(test)]
mod tests {
    use super::*;

    fn results() -> Results {
        let band = Tolerance::relative(10.0, 0.1);
        let figures = vec![
            Figure::compared("a", 10.0, Some(10.5), band).fitted(),
            Figure::compared("b", 10.0, Some(12.0), band).because("why not"),
            Figure::law("c", Some(1.0), Tolerance::AtLeast(0.0)),
            Figure::shown("d", Some(1.0), Some(9.0), "no unit is printed"),
        ];
        Results {
            experiment: "x".into(),
            seed: 1,
            cycles: 5,
            tally: Tally::of(&figures),
            unjudged: None,
            config: serde_json::Value::Null,
            figures,
            fitted: Vec::new(),
            tables: Vec::new(),
            series: Vec::new(),
            notes: Vec::new(),
        }
    }

    #[test]
    fn kinds_are_counted_apart() {
        let results = results();
        let sentences = FigureKind::ALL.map(|kind| results.verdict(kind));
        assert_eq!(
            sentences,
            [
                "1 of 2 within the tolerance to either side; parameters were fitted to 1 of them",
                "1 of 1 hold (checks of the code, not of the paper)",
                "1 that cannot be compared, with the reason",
            ]
        );
    }

    #[test]
    fn a_small_run_does_not_turn_red() {
        let small = results().unjudged("a small run".into());
        assert_eq!(small.verdict(FigureKind::Compared), "2 beside the paper's, not judged: a small run");
        assert_eq!((small.tally.compared.judged, small.tally.laws.judged), (0, 1));
        assert!(small.figures.iter().all(|figure| figure.within != Some(false)));
    }
}
