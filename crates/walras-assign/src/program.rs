//! Linear and mixed-integer programmes, and what solves them.
//!
//! Some questions are answered best by a general solver: the relaxations that a heuristic starts from, the small
//! rest that is left when everything else is decided. The core states them as a [`LinearProgram`] and takes whatever
//! [`Solver`] it is given; which one that is, it does not know (`walras-solve` has HiGHS).
//!
//! Values are floats, as such solvers have them. Nothing in the core takes an amount of money or time from them: they say
//! which pairs to take, and costs and bounds are then counted in whole numbers.
//!
//! ```
//! use walras_assign::program::LinearProgram;
//! let mut program = LinearProgram::default();
//! let x = program.column(-1.0, 0.0, 1.0, true);
//! let y = program.column(-2.0, 0.0, 1.0, true);
//! program.row(f64::NEG_INFINITY, 1.0, vec![(x, 1.0), (y, 1.0)]);
//! assert_eq!(program.columns.len(), 2);
//! ```

/// A variable of a [`LinearProgram`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Column {
    /// What one unit adds to the value that is minimised.
    pub cost: f64,
    /// The least value that it may take.
    pub lower: f64,
    /// The greatest value that it may take.
    pub upper: f64,
    /// Whether it must be a whole number.
    pub integer: bool,
}

/// A condition of a [`LinearProgram`]: `lower ≤ Σ factor · column ≤ upper`.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The least value of the sum; minus infinity for none.
    pub lower: f64,
    /// The greatest value of the sum; infinity for none.
    pub upper: f64,
    /// Columns by position, each at most once, and their factors.
    pub terms: Vec<(usize, f64)>,
}

/// A linear programme, mixed-integer when some column is whole: the least cost subject to the rows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LinearProgram {
    /// The variables.
    pub columns: Vec<Column>,
    /// The conditions.
    pub rows: Vec<Row>,
}

impl LinearProgram {
    /// Adds a variable; gives its position.
    pub fn column(&mut self, cost: f64, lower: f64, upper: f64, integer: bool) -> usize {
        self.columns.push(Column { cost, lower, upper, integer });
        self.columns.len() - 1
    }

    /// Adds a condition; gives its position.
    pub fn row(&mut self, lower: f64, upper: f64, terms: Vec<(usize, f64)>) -> usize {
        self.rows.push(Row { lower, upper, terms });
        self.rows.len() - 1
    }
}

/// How long and how exactly a solver is to work.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SolverEffort {
    /// Stop after about so many seconds, where given. What is then found may differ from run to run.
    pub seconds: Option<f64>,
    /// Stop after so many nodes of branch and bound, where given.
    pub nodes: Option<u64>,
    /// A solution within this of the bound counts as optimal.
    pub gap_absolute: f64,
}

impl SolverEffort {
    /// No limit, and the optimum itself.
    pub const UNLIMITED: SolverEffort = SolverEffort { seconds: None, nodes: None, gap_absolute: 0.0 };
}

/// Values for all columns.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// One value per column.
    pub values: Vec<f64>,
    /// What they cost together.
    pub objective: f64,
    /// One dual value per row; empty for programmes with whole columns.
    pub duals: Vec<f64>,
}

/// What a solver found.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// This is the least, up to the solver's tolerances.
    Optimal(Point),
    /// This is feasible; the effort was spent before it was proven least.
    Feasible {
        /// The best that was found.
        best: Point,
        /// No point costs less.
        bound: f64,
    },
    /// No point satisfies all rows.
    Infeasible,
    /// There are points of any low cost.
    Unbounded,
    /// The effort was spent, or the solver failed, before any point was found.
    Unknown,
}

/// Something that solves programmes. The same programme, start and effort (without seconds) give the same answer.
pub trait Solver {
    /// The least of `program`; `start` is a feasible point to begin with, where one is known.
    fn solve(&self, program: &LinearProgram, start: Option<&[f64]>, effort: &SolverEffort) -> Answer;
}
