//! The general solver behind [`walras_assign::program::Solver`]: linear programmes with duals, mixed-integer ones with a start.
//!
//! This crate is the only one that knows HiGHS, and it knows no scheduling. Every call is a fresh model on one thread
//! with a fixed seed, so that the same programme, start and effort give the same answer (unless seconds are limited).
//! What HiGHS refuses (values that are not numbers, columns that do not exist) is `Answer::Unknown`, never a panic.
//!
//! A row's dual is what one unit more of its limit adds to the least cost: at most zero for an upper limit, at least
//! zero for a lower one.
//!
//! HiGHS is built from source, which takes minutes, so it is a feature: without `highs` there is no solver, and [`solver`]
//! says so.
//!
//! ```
//! use walras_assign::program::{Answer, SolverEffort, LinearProgram};
//!
//! // 3 a + 4 b + 5 c in a sack of 8, worth 4, 5 and 6.
//! let mut program = LinearProgram::default();
//! let items = [4.0, 5.0, 6.0].map(|worth| program.column(-worth, 0.0, 1.0, true));
//! program.row(f64::NEG_INFINITY, 8.0, vec![(items[0], 3.0), (items[1], 4.0), (items[2], 5.0)]);
//! let Ok(solver) = walras_solve::solver() else { return };
//! let Answer::Optimal(point) = solver.solve(&program, None, &SolverEffort::UNLIMITED) else { panic!() };
//! assert_eq!(point.objective.round(), -10.0);
//! ```

#[cfg(feature = "highs")]
mod highs;
#[cfg(test)]
#[cfg(feature = "highs")]
mod tests;

#[cfg(feature = "highs")]
pub use highs::Highs;

use walras_assign::program::Solver;

/// This build has no solver.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("this needs the HiGHS solver, which this program was built without: build it with `make build`")]
pub struct NoSolver;

/// The solver that this build has.
#[cfg(feature = "highs")]
pub fn solver() -> Result<&'static (dyn Solver + Sync), NoSolver> {
    Ok(&Highs)
}

/// The solver that this build has: none.
#[cfg(not(feature = "highs"))]
pub fn solver() -> Result<&'static (dyn Solver + Sync), NoSolver> {
    Err(NoSolver)
}

/// The example of the README runs with the tests of the documentation.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
