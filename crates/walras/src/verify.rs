//! `walras verify`

use crate::failure::Failure;
use crate::files;
use serde_json::json;
use std::fmt::Write;
use std::path::PathBuf;
use walras_api::{PLAN_BYTES_MAX, read_plan};
use walras_core::{Violation, verify_plan};

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
    let scenario = files::read_scenario_file(&args.scenario)?;
    let source = args.plan.display().to_string();
    let plan = read_plan(&files::read(&args.plan, PLAN_BYTES_MAX)?, &source).map_err(Failure::input)?;
    if plan.unit != scenario.unit {
        let (ours, theirs) = (plan.unit.symbol(), scenario.unit.symbol());
        let problem = format!("{source}: unit: {ours} is not the unit of the scenario, which is {theirs}");
        return Err(Failure::Input(problem));
    }
    let claim = plan.to_claim(&source).map_err(Failure::input)?;
    let violations = verify_plan(&claim, &scenario.offers, &scenario.batch, plan.rules());
    files::print(&if args.json {
        as_json(claim.alternatives.len(), &violations)
    } else {
        as_text(claim.alternatives.len(), &violations)
    })?;
    if violations.is_empty() { Ok(()) } else { Err(Failure::Refuted) }
}

fn as_json(alternatives: usize, violations: &[Violation]) -> String {
    let texts: Vec<String> = violations.iter().map(Violation::to_string).collect();
    let report = json!({
        "schema": "walras.verification/1",
        "verified": violations.is_empty(),
        "alternatives": alternatives,
        "violations": texts,
    });
    format!("{report:#}\n")
}

fn as_text(alternatives: usize, violations: &[Violation]) -> String {
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
