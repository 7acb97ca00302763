//! `walras verify`

use crate::failure::Failure;
use crate::{files, two_tier};
use serde::Serialize;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use walras_api::{PLAN_BYTES_MAX, Plan, PlanViolation, Scenario, read_plan};

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
    let violations = plan.violations(&claim, &scenario, &workflows, &source).map_err(Failure::input)?;
    files::print(&if args.json {
        as_json(claim.alternatives.len(), &violations)?
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

/// What was found, as it is printed for programs.
#[derive(Serialize)]
struct Verification<'a> {
    schema: &'static str,
    verified: bool,
    alternatives: usize,
    violations: Vec<Found<'a>>,
}

/// One thing that is wrong: what, where, with its numbers, and in words.
#[derive(Serialize)]
struct Found<'a> {
    #[serde(flatten)]
    violation: &'a PlanViolation,
    sentence: String,
}

fn as_json(alternatives: usize, violations: &[PlanViolation]) -> Result<String, Failure> {
    let found = violations.iter().map(|violation| Found { violation, sentence: violation.to_string() });
    let verification = Verification {
        schema: "walras.verification/1",
        verified: violations.is_empty(),
        alternatives,
        violations: found.collect(),
    };
    let text = serde_json::to_string_pretty(&verification).map_err(Failure::fault)?;
    Ok(format!("{text}\n"))
}

fn as_text(alternatives: usize, violations: &[PlanViolation]) -> String {
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
