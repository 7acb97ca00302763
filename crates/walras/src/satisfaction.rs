//! Preferences in `walras plan`: what everybody makes of a choice, and what else could have been.

use crate::failure::Failure;
use crate::files;
use std::path::PathBuf;
use walras_api::{PlannedPareto, PlannedSatisfaction, Scenario};
use walras_core::plan::{BatchChoice, BatchPlan, BatchProblem, trade_off};
use walras_core::prefer::{Criterion, Negotiation, Stakeholders};
use walras_picture::{Line, LineChart, line_chart};

#[derive(clap::Args)]
pub(crate) struct ParetoArgs {
    /// Show the combinations to which none is better by one of two totals and not worse by the other, as in
    /// cost,finish; criteria as in the scenario's preferences
    #[arg(long, value_name = "X,Y", value_parser = two_criteria)]
    pareto: Option<[Criterion; 2]>,

    /// Write a picture of that front
    #[arg(long, value_name = "FILE.svg", requires = "pareto")]
    pareto_picture: Option<PathBuf>,
}

impl ParetoArgs {
    pub(crate) fn picture(&self) -> Option<&PathBuf> {
        self.pareto_picture.as_ref()
    }

    /// Whether a front is to be shown.
    pub(crate) fn wanted(&self) -> bool {
        self.pareto.is_some()
    }
}

/// Points of a front, at most.
const POINTS_MAX: usize = 1_000;

fn two_criteria(text: &str) -> Result<[Criterion; 2], String> {
    let wrong = || format!("'{text}' is not a pair of criteria, as in cost,finish");
    let (x, y) = text.split_once(',').ok_or_else(wrong)?;
    let criterion = |name: &str| name.trim().parse::<Criterion>().map_err(|unknown| unknown.to_string());
    let pair = [criterion(x)?, criterion(y)?];
    if pair[0] == pair[1] { Err(format!("{} is there twice", pair[0])) } else { Ok(pair) }
}

fn negotiation(plan: &BatchPlan) -> Option<&Negotiation> {
    plan.negotiation.as_ref().and_then(|negotiation| negotiation.as_ref().ok())
}

/// How content everybody is with what was chosen.
pub(crate) fn planned(
    scenario: &Scenario,
    stakeholders: &Stakeholders,
    plan: &BatchPlan,
) -> Option<PlannedSatisfaction> {
    let BatchChoice::Made(made) = &plan.choice else { return None };
    let compromise = made.compromise.as_ref()?;
    Some(PlannedSatisfaction::new(scenario, stakeholders, negotiation(plan)?, compromise))
}

/// The front, where one is asked for; its picture is written.
pub(crate) fn front(
    args: &ParetoArgs,
    scenario: &Scenario,
    stakeholders: &Stakeholders,
    problem: &BatchProblem<'_>,
    plan: &BatchPlan,
) -> Result<Option<PlannedPareto>, Failure> {
    let (Some([x, y]), Some(negotiation)) = (&args.pareto, negotiation(plan)) else { return Ok(None) };
    let Some(front) = trade_off(problem, plan, [x, y], POINTS_MAX) else { return Ok(None) };
    let (points, complete) = front.map_err(|error| Failure::Input(format!("--pareto: {error}")))?;
    let front = PlannedPareto::new(scenario, stakeholders, negotiation, [x, y], (&points, complete));
    if let Some(path) = &args.pareto_picture {
        files::write(path, &picture(&front))?;
    }
    Ok(Some(front))
}

fn picture(front: &PlannedPareto) -> String {
    let number = |text: &str| text.parse::<f64>().unwrap_or(f64::NAN);
    let points = front.points.iter().map(|point| (number(point.x.as_str()), number(point.y.as_str())));
    line_chart(&LineChart {
        id: "pareto",
        title: &format!("Pareto front: total {} against total {}", front.x, front.y),
        subtitle: "No combination is better by one of the two and not worse by the other",
        x_title: &front.x,
        y_title: &front.y,
        lines: vec![Line { name: "front", points: points.collect() }],
    })
}
