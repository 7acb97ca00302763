//! `walras verify`

use crate::failure::Failure;
use crate::{files, two_tier};
use serde_json::json;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use walras_api::{PLAN_BYTES_MAX, Plan, Scenario, read_plan};
use walras_verify::verify_plan;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The plan, as `walras plan --json` prints it
    plan: PathBuf,

    /// The scenario that it was made for
    scenario: PathBuf,

    /// Print what was found as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let mut scenario = files::read_scenario_file(&args.scenario)?;
    let source = args.plan.display().to_string();
    let plan = read_plan(&files::read(&args.plan, PLAN_BYTES_MAX)?, &source).map_err(Failure::input)?;
    if plan.unit != scenario.unit {
        let (ours, theirs) = (plan.unit.symbol(), scenario.unit.symbol());
        let problem = format!("{source}: unit: {ours} is not the unit of the scenario, which is {theirs}");
        return Err(Failure::Input(problem));
    }
    let (workflows, _) = two_tier::read(&scenario, Some(args.scenario.parent().unwrap_or(Path::new(""))))?;
    set_sizes(&plan, &mut scenario);
    let claim = plan.to_claim(&source).map_err(Failure::input)?;
    let violations = verify_plan(&claim, &scenario.offers, &scenario.batch, plan.rules());
    let mut violations: Vec<String> = violations.iter().map(ToString::to_string).collect();
    violations
        .extend(plan.workflow_violations(&claim, &scenario, &workflows, &source).map_err(Failure::input)?);
    files::print(&if args.json {
        as_json(claim.alternatives.len(), &violations)
    } else {
        as_text(claim.alternatives.len(), &violations)
    })?;
    if violations.is_empty() { Ok(()) } else { Err(Failure::Refuted) }
}

/// How large a workflow's windows are is the plan's decision; that its tasks go into them is what is checked.
fn set_sizes(plan: &Plan, scenario: &mut Scenario) {
    for planned in &plan.workflows {
        let job = scenario.batch.requests().iter().position(|request| request.name == planned.job);
        if let (Some(job), Some(size)) = (job, planned.size(plan.unit))
            && scenario.workflows[job].is_some()
        {
            scenario.set_size(job, size);
        }
    }
}

fn as_json(alternatives: usize, violations: &[String]) -> String {
    let report = json!({
        "schema": "walras.verification/1",
        "verified": violations.is_empty(),
        "alternatives": alternatives,
        "violations": violations,
    });
    format!("{report:#}\n")
}

fn as_text(alternatives: usize, violations: &[String]) -> String {
    let mut text = String::new();
    for violation in violations {
        let _ = writeln!(text, "{violation}");
    }
    let verdict = match violations.len() {
        0 if alternatives == 1 => "verified: 1 alternative holds".to_owned(),
        0 => format!("verified: {alternatives} alternatives hold"),
        1 => "refuted: 1 violation".to_owned(),
        more => format!("refuted: {more} violations"),
    };
    let _ = writeln!(text, "{verdict}");
    text
}
