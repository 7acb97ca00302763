//! Every combination of options that a file lists: each is a study with a directory of its own, and all are compared in one table.

use super::{Args, Done, Failure, output, simulate};
use crate::files;
use clap::builder::Resettable;
use clap::{Args as _, FromArgMatches as _};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use walras_sim::config::read_config;
use walras_sim::study::{Point, PolicySpec, Sweep, Swept, names, quoted, summary, sweep_page};

/// Files larger than this are refused: 1 MiB.
const BYTES_MAX: usize = 1 << 20;

pub(super) fn run(args: &Args, file: &Path) -> Result<(), Failure> {
    let wrong = |problem: String| Failure::Input(format!("{}: {problem}", file.display()));
    let sweep: Sweep =
        read_config(&files::read_text(file, BYTES_MAX)?).map_err(|error| wrong(error.to_string()))?;
    let stated: Result<Vec<PolicySpec>, _> = sweep.policies().iter().map(|words| words.parse()).collect();
    let mut args = args.clone();
    match stated.map_err(|error| wrong(error.to_string()))? {
        stated if stated.is_empty() => {}
        stated => args.policies = stated,
    }
    // What is wrong at a point is said before the first is run.
    let points = sweep.points();
    let asked: Result<Vec<Args>, String> = points.iter().map(|point| at(&args, point)).collect();
    let asked = asked.map_err(wrong)?;
    let mut taken = BTreeSet::new();
    let mut over: Vec<(Point, Done)> = Vec::new();
    for (point, asked) in points.into_iter().zip(asked) {
        let out = args.out.as_ref().map(|out| out.join(name(&point, &mut taken)));
        if let Some(directory) = &out {
            output::make(directory)?;
        }
        let done = simulate(&asked, out.as_deref())?;
        files::print(&format!("{}\n{}\n", point.words(), done.table()))?;
        over.push((point, done));
    }
    let Some(out) = &args.out else { return Ok(()) };
    files::write(&out.join("sweep.csv"), &table(&over))?;
    let swept: Vec<Swept<'_>> =
        over.iter().map(|(point, done)| Swept { point, study: &done.study, runs: &done.runs }).collect();
    files::write(&out.join("sweep.html"), &sweep_page(&swept))
}

/// What is asked for at a point: an option of the call, as if it had been given there.
fn at(args: &Args, point: &Point) -> Result<Args, String> {
    let command = clap::Command::new("sweep").no_binary_name(true).disable_help_flag(true);
    let command = Args::augment_args_for_update(command);
    let command = command.mut_args(|arg| match arg.get_id().as_str() {
        // Where jobs come from stays as it is, and need not be said again.
        "traces" => clap::Arg::new("traces").num_args(0..).value_parser(clap::value_parser!(PathBuf)),
        _ => arg.default_value(Resettable::Reset),
    });
    let options = point.0.iter().map(|(option, value)| format!("--{option}={value}"));
    let said = |error: clap::Error| {
        let text = error.to_string();
        text.lines().next().unwrap_or_default().trim_start_matches("error: ").to_owned()
    };
    let matches = command.try_get_matches_from(options).map_err(said)?;
    let mut args = args.clone();
    args.update_from_arg_matches(&matches).map_err(said)?;
    Ok(args)
}

/// The name of a point's directory; no two points have the same.
fn name(point: &Point, taken: &mut BTreeSet<String>) -> String {
    let words = point.words();
    let name = if words.is_empty() { "as-it-is".to_owned() } else { output::plain_name(&words) };
    let name = if taken.contains(&name) { format!("{name}-{}", taken.len()) } else { name };
    taken.insert(name.clone());
    name
}

/// One line for every point and policy: what was varied, and every figure with half the width of its interval over seeds.
fn table(over: &[(Point, Done)]) -> String {
    let mut figures: Vec<String> = Vec::new();
    for (_, done) in over {
        figures
            .extend(names(&done.runs).into_iter().filter(|name| !figures.contains(name)).collect::<Vec<_>>());
    }
    let mut text = String::new();
    for (option, _) in over.first().map(|(point, _)| point.0.as_slice()).unwrap_or_default() {
        let _ = write!(text, "{option},");
    }
    text += "policy";
    for name in &figures {
        let name = name.replace(' ', "_");
        let _ = write!(text, ",{},{}", quoted(&name), quoted(&format!("{name}_half_width")));
    }
    text.push('\n');
    for (point, done) in over {
        for policy in done.study.policies.iter().map(ToString::to_string) {
            for (_, value) in &point.0 {
                let _ = write!(text, "{},", quoted(value));
            }
            text += &quoted(&policy);
            let of = summary(&done.runs, &policy);
            for name in &figures {
                let (mean, half) = of.get(name).map_or((None, None), |(mean, half)| (Some(mean), *half));
                let cell = |value: Option<f64>| value.map(|value| value.to_string()).unwrap_or_default();
                let _ = write!(text, ",{},{}", cell(mean.copied()), cell(half));
            }
            text.push('\n');
        }
    }
    text
}
