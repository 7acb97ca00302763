//! HiGHS: every call is a fresh model on one thread.

use highs::{HighsModelStatus, HighsSolutionStatus, Model, RowProblem, Sense, SolvedModel};
use walras_assign::program::{Answer, LinearProgram, Point, Solver, SolverEffort};

/// The HiGHS solver (<https://highs.dev>), one thread per call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Highs;

impl Solver for Highs {
    fn solve(&self, program: &LinearProgram, start: Option<&[f64]>, effort: &SolverEffort) -> Answer {
        if !is_sound(program) {
            return Answer::Unknown;
        }
        if has_crossed_bounds(program) {
            return Answer::Infeasible;
        }
        let whole = program.columns.iter().any(|column| column.integer);
        let Some(mut model) = model(program, effort) else { return Answer::Unknown };
        if let Some(start) = start.filter(|start| whole && start.iter().all(|value| value.is_finite())) {
            // A start that HiGHS refuses is no reason to fail: it begins without one.
            let _ = model.try_set_solution(Some(start), None, None, None);
        }
        let Ok(solved) = model.try_solve() else { return Answer::Unknown };
        answer(program, &solved, whole, effort)
    }
}

/// Whether every number is one, and every term names a column that there is.
fn is_sound(program: &LinearProgram) -> bool {
    let columns = program.columns.len();
    let terms: usize = program.rows.iter().map(|row| row.terms.len()).sum();
    [columns, program.rows.len(), terms].into_iter().all(|size| i32::try_from(size).is_ok())
        && program
            .columns
            .iter()
            .all(|column| column.cost.is_finite() && !column.lower.is_nan() && !column.upper.is_nan())
        && program.rows.iter().all(|row| {
            !row.lower.is_nan()
                && !row.upper.is_nan()
                && row.terms.iter().all(|(at, factor)| *at < columns && factor.is_finite())
        })
}

/// Whether a column or row can have no value, seen without solving anything. HiGHS takes some of these for models
/// without contents, and refuses others.
fn has_crossed_bounds(program: &LinearProgram) -> bool {
    let empty =
        |lower: f64, upper: f64| lower > upper || lower == f64::INFINITY || upper == f64::NEG_INFINITY;
    program.columns.iter().any(|column| empty(column.lower, column.upper))
        || program.rows.iter().any(|row| {
            let nothing = row.terms.is_empty() && !(row.lower..=row.upper).contains(&0.0);
            nothing || empty(row.lower, row.upper)
        })
}

/// The programme as HiGHS has it; `None` where HiGHS refuses it.
fn model(program: &LinearProgram, effort: &SolverEffort) -> Option<Model> {
    let mut problem = RowProblem::default();
    let mut columns = Vec::with_capacity(program.columns.len());
    for column in &program.columns {
        let bounds = column.lower..=column.upper;
        columns.push(problem.add_column_with_integrality(column.cost, bounds, column.integer));
    }
    for row in &program.rows {
        problem.add_row(row.lower..=row.upper, row.terms.iter().map(|(at, factor)| (columns[*at], *factor)));
    }
    let mut model = problem.try_optimise(Sense::Minimise).ok()?;
    model.make_quiet();
    let nodes = effort.nodes.map_or(i32::MAX, |nodes| i32::try_from(nodes).unwrap_or(i32::MAX));
    let seconds = effort.seconds.map_or(f64::INFINITY, |seconds| seconds.max(0.0));
    model.try_set_option("threads", 1).ok()?;
    model.try_set_option("parallel", "off").ok()?;
    model.try_set_option("random_seed", 0).ok()?;
    model.try_set_option("time_limit", seconds).ok()?;
    model.try_set_option("mip_max_nodes", nodes).ok()?;
    model.try_set_option("mip_rel_gap", 0.0).ok()?;
    model.try_set_option("mip_abs_gap", effort.gap_absolute.max(0.0)).ok()?;
    Some(model)
}

fn answer(program: &LinearProgram, solved: &SolvedModel, whole: bool, effort: &SolverEffort) -> Answer {
    match solved.status() {
        HighsModelStatus::Optimal => Answer::Optimal(point(program, solved, whole)),
        HighsModelStatus::ModelEmpty => Answer::Optimal(Point {
            values: vec![0.0; program.columns.len()],
            objective: 0.0,
            duals: vec![0.0; program.rows.len()],
        }),
        HighsModelStatus::Infeasible => Answer::Infeasible,
        HighsModelStatus::Unbounded => Answer::Unbounded,
        HighsModelStatus::UnboundedOrInfeasible => unbounded_or_infeasible(program, effort),
        _ if solved.primal_solution_status() == HighsSolutionStatus::Feasible => {
            let bound = solved.double_info_value(c"mip_dual_bound").ok();
            let bound = bound.filter(|bound| whole && bound.is_finite()).unwrap_or(f64::NEG_INFINITY);
            Answer::Feasible { best: point(program, solved, whole), bound }
        }
        _ => Answer::Unknown,
    }
}

fn point(program: &LinearProgram, solved: &SolvedModel, whole: bool) -> Point {
    let solution = solved.get_solution();
    let values = solution.columns().to_vec();
    let objective = values.iter().zip(&program.columns).map(|(value, column)| value * column.cost).sum();
    let duals = if whole { Vec::new() } else { solution.dual_rows().to_vec() };
    Point { values, objective, duals }
}

/// HiGHS sometimes stops at "one of the two": without costs nothing is unbounded.
fn unbounded_or_infeasible(program: &LinearProgram, effort: &SolverEffort) -> Answer {
    let mut free = program.clone();
    free.columns.iter_mut().for_each(|column| column.cost = 0.0);
    match Highs.solve(&free, None, effort) {
        Answer::Optimal(_) | Answer::Feasible { .. } => Answer::Unbounded,
        Answer::Infeasible => Answer::Infeasible,
        Answer::Unbounded | Answer::Unknown => Answer::Unknown,
    }
}
