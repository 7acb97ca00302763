//! Several loads and latencies from one file: every point is a study with a directory of its own.

use super::{Args, Asked, Failure, output, simulate, words};
use crate::files;
use std::path::Path;
use walras_sim::config::read_config;
use walras_sim::study::{PolicySpec, Sweep};

/// Files larger than this are refused: 1 MiB.
const BYTES_MAX: usize = 1 << 20;

pub(super) fn run(args: &Args, file: &Path) -> Result<(), Failure> {
    let wrong = |problem: String| Failure::Input(format!("{}: {problem}", file.display()));
    let sweep: Sweep =
        read_config(&files::read_text(file, BYTES_MAX)?).map_err(|error| wrong(error.to_string()))?;
    let stated: Result<Vec<PolicySpec>, _> = sweep.policy.iter().map(|words| words.parse()).collect();
    let stated = stated.map_err(|error| wrong(error.to_string()))?;
    let policies = if stated.is_empty() { args.policies.clone() } else { stated };
    for point in sweep.points() {
        let load = point.load.map(|load| words::multiplier(&load.to_string())).transpose();
        let latency = point.latency.map(|latency| words::seconds(&latency.to_string())).transpose();
        let asked = Asked {
            load: load.map_err(wrong)?.or(args.load),
            latency: latency.map_err(wrong)?.or(args.latency),
            policies: policies.clone(),
        };
        let words = point.words();
        let name = if words.is_empty() { "as-it-is".to_owned() } else { output::plain_name(&words) };
        let out = args.out.as_ref().map(|out| out.join(name));
        if let Some(directory) = &out {
            output::make(directory)?;
        }
        let text = simulate(args, &asked, out.as_deref())?;
        files::print(&format!("{words}\n{text}\n"))?;
    }
    Ok(())
}
