//! Learning what somebody wants from what they chose.
//!
//! **Problem.** Given alternatives that somebody picked from or ranked, find weights of criteria under which they would
//! do the same again.
//!
//! **Method.** Every criterion is scaled over all alternatives that were ever shown, to a loss between 0 and 1. "This
//! rather than that" is a linear condition on the weights: the weighted loss of this is less. A linear programme finds
//! the weights, not negative and summing to one, that keep all conditions with the greatest margin. When none can,
//! another finds those that break them least, and the slack says by how much. With several segments per criterion the
//! loss may grow at a different pace in each (a piecewise-linear utility, as in UTA).
//!
//! The solver's floats are only rounded to weights in millionths; whether those reproduce the choices is then counted
//! in integers.
//!
//! Source: Jacquet-Lagrèze and Siskos, UTA (1982); the margin is ours.

use super::criterion::Criterion;
use super::weighted::{SCALE, scaled};
use walras_assign::program::{Answer, LinearProgram, Point, Solver, SolverEffort};

/// Alternatives that somebody chose from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// One value for each criterion.
    pub alternatives: Vec<Vec<i64>>,
    /// The first was preferred to the second, by their places.
    pub better: Vec<(usize, usize)>,
}

/// What somebody seems to want.
#[derive(Clone, Debug, PartialEq)]
pub struct Learnt {
    /// For each criterion what it counts.
    pub criteria: Vec<LearntCriterion>,
    /// How many preferences there were.
    pub pairs: usize,
    /// Those that the weights do not reproduce: the choice, the preferred, the other.
    pub broken: Vec<(usize, usize, usize)>,
    /// By how much every preference is kept, as a share of the greatest loss; 0 when some are not.
    pub margin: f64,
    /// By how much all preferences together are broken; 0 when none is.
    pub slack: f64,
}

/// What one criterion counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LearntCriterion {
    /// The criterion that this weight is of.
    pub criterion: Criterion,
    /// The least and the greatest value that were ever shown.
    pub range: (i64, i64),
    /// How much the loss grows in each segment from the best to the worst value, in millionths of all; one segment is
    /// the criterion's weight.
    pub segments: Vec<i64>,
}

impl LearntCriterion {
    /// The criterion's weight, in millionths.
    pub fn weight(&self) -> i64 {
        self.segments.iter().sum()
    }
}

/// Why nothing was learnt.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LearnError {
    /// There is no criterion, or no segment.
    #[error("there is no criterion to learn the weight of")]
    NoCriteria,
    /// Nothing was preferred to anything.
    #[error("nothing was preferred to anything")]
    NoPreference,
    /// An alternative of this choice has not one value for each criterion.
    #[error("choice {0}: an alternative has not one value for each criterion")]
    Values(usize),
    /// A preference of this choice names an alternative that is not there, or prefers one to itself.
    #[error("choice {0}: an alternative that is not there is preferred")]
    Places(usize),
    /// More preferences than a programme should have.
    #[error("{0} preferences are too many: at most {PAIRS_MAX}")]
    TooMany(usize),
    /// The solver gave no answer.
    #[error("the solver found no weights")]
    Unsolved,
}

/// Preferences, at most.
const PAIRS_MAX: usize = 100_000;
/// What a margin must exceed to be one.
const MARGIN_MIN: f64 = 1e-9;
/// The margin that is asked for when not all preferences can be kept.
const MARGIN_ASKED: f64 = 1e-3;

/// Weights under which somebody would choose as they did, or as nearly so as can be.
pub fn learn(
    criteria: &[Criterion],
    choices: &[Choice],
    segments: usize,
    solver: &dyn Solver,
) -> Result<Learnt, LearnError> {
    let lesson = Lesson::new(criteria, choices, segments)?;
    let kept = lesson.solve(solver, true)?;
    let margin = kept.values.get(lesson.width()).copied().unwrap_or(0.0);
    let (values, margin, slack) = if margin > MARGIN_MIN {
        (kept.values, margin, 0.0)
    } else {
        let near = lesson.solve(solver, false)?;
        let slack = near.values[lesson.width()..].iter().sum();
        (near.values, 0.0, slack)
    };
    let increments = lesson.rounded(&values);
    let broken = lesson.broken(&increments);
    let learnt = |(k, criterion): (usize, &Criterion)| LearntCriterion {
        criterion: criterion.clone(),
        range: lesson.shown[k],
        segments: increments[k * segments..(k + 1) * segments].to_vec(),
    };
    let (margin, slack) = if broken.is_empty() { (margin, 0.0) } else { (0.0, slack) };
    Ok(Learnt {
        criteria: criteria.iter().enumerate().map(learnt).collect(),
        pairs: lesson.pairs.len(),
        broken,
        margin,
        slack,
    })
}

/// Choices, taken apart.
struct Lesson {
    segments: usize,
    /// For each criterion the least and the greatest value shown.
    shown: Vec<(i64, i64)>,
    /// For each choice and alternative, how far into each segment of each criterion it lies, in [`SCALE`].
    depths: Vec<Vec<Vec<i64>>>,
    pairs: Vec<(usize, usize, usize)>,
}

impl Lesson {
    fn new(criteria: &[Criterion], choices: &[Choice], segments: usize) -> Result<Lesson, LearnError> {
        if criteria.is_empty() || segments == 0 {
            return Err(LearnError::NoCriteria);
        }
        let mut pairs = Vec::new();
        for (index, choice) in choices.iter().enumerate() {
            if choice.alternatives.iter().any(|row| row.len() != criteria.len()) {
                return Err(LearnError::Values(index));
            }
            for (this, that) in &choice.better {
                if this == that || (*this).max(*that) >= choice.alternatives.len() {
                    return Err(LearnError::Places(index));
                }
                pairs.push((index, *this, *that));
            }
        }
        match pairs.len() {
            0 => return Err(LearnError::NoPreference),
            count if count > PAIRS_MAX => return Err(LearnError::TooMany(count)),
            _ => {}
        }
        let column = |k: usize| choices.iter().flat_map(|choice| &choice.alternatives).map(move |row| row[k]);
        let ends = |k: usize| (column(k).min().unwrap_or(0), column(k).max().unwrap_or(0));
        let shown: Vec<(i64, i64)> = (0..criteria.len()).map(ends).collect();
        let depth = |row: &Vec<i64>| depths(criteria, &shown, row, segments);
        let depths = choices.iter().map(|choice| choice.alternatives.iter().map(depth).collect()).collect();
        Ok(Lesson { segments, shown, depths, pairs })
    }

    /// How many increments there are.
    fn width(&self) -> usize {
        self.shown.len() * self.segments
    }

    /// Either the greatest margin by which all preferences are kept, or the least slack with which they are.
    fn solve(&self, solver: &dyn Solver, keep_all: bool) -> Result<Point, LearnError> {
        let mut program = LinearProgram::default();
        let increments: Vec<usize> =
            (0..self.width()).map(|_| program.column(0.0, 0.0, 1.0, false)).collect();
        program.row(1.0, 1.0, increments.iter().map(|column| (*column, 1.0)).collect());
        let margin = keep_all.then(|| program.column(-1.0, -1.0, 1.0, false));
        for (choice, this, that) in &self.pairs {
            let rows = &self.depths[*choice];
            let mut terms: Vec<(usize, f64)> = (increments.iter().zip(rows[*that].iter().zip(&rows[*this])))
                .filter(|(_, (that, this))| that != this)
                .map(|(column, (that, this))| (*column, share(that - this)))
                .collect();
            match margin {
                Some(margin) => {
                    terms.push((margin, -1.0));
                    program.row(0.0, f64::INFINITY, terms);
                }
                None => {
                    terms.push((program.column(1.0, 0.0, f64::INFINITY, false), 1.0));
                    program.row(MARGIN_ASKED, f64::INFINITY, terms);
                }
            }
        }
        match solver.solve(&program, None, &SolverEffort::UNLIMITED) {
            Answer::Optimal(point) | Answer::Feasible { best: point, .. }
                if point.values.len() >= self.width() =>
            {
                Ok(point)
            }
            _ => Err(LearnError::Unsolved),
        }
    }

    /// Increments in millionths.
    fn rounded(&self, values: &[f64]) -> Vec<i64> {
        #[expect(clippy::cast_possible_truncation, reason = "clamped to at most a million first")]
        let round = |value: &f64| (value.clamp(0.0, 1.0) * MILLION_FLOAT).round() as i64;
        values[..self.width()].iter().map(round).collect()
    }

    /// The preferences that increments do not reproduce, counted in integers.
    fn broken(&self, increments: &[i64]) -> Vec<(usize, usize, usize)> {
        let loss = |depths: &[i64]| -> i128 {
            depths.iter().zip(increments).map(|(depth, step)| i128::from(*depth) * i128::from(*step)).sum()
        };
        let breaks = |(choice, this, that): &&(usize, usize, usize)| {
            let rows = &self.depths[*choice];
            loss(&rows[*this]) >= loss(&rows[*that])
        };
        self.pairs.iter().filter(breaks).copied().collect()
    }
}

const MILLION_FLOAT: f64 = 1e6;

/// How far into each segment of each criterion an alternative lies.
fn depths(criteria: &[Criterion], shown: &[(i64, i64)], row: &[i64], segments: usize) -> Vec<i64> {
    let count = i64::try_from(segments).unwrap_or(1);
    let mut depths = Vec::with_capacity(criteria.len() * segments);
    for ((criterion, (low, high)), value) in criteria.iter().zip(shown).zip(row) {
        let ends = [criterion.turned(*low), criterion.turned(*high)];
        let range = (i128::from(ends[0].min(ends[1])), i128::from(ends[0].max(ends[1])));
        let loss = scaled(criterion.turned(*value).into(), range);
        for segment in 0..count {
            depths.push((loss.saturating_mul(count) - segment * SCALE).clamp(0, SCALE));
        }
    }
    depths
}

/// A difference of depths as a float.
#[expect(clippy::cast_precision_loss, reason = "a thousand millionths fit exactly")]
fn share(depth: i64) -> f64 {
    depth as f64 / SCALE as f64
}
