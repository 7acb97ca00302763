//! `walras preferences`

use crate::failure::Failure;
use crate::files;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use walras_api::{Choices, SCENARIO_BYTES_MAX, Syntax, read_choices};
use walras_core::prefer::{Learnt, LearntCriterion, learn};
use walras_model::Decimal;

#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand)]
enum Command {
    /// Learn how much criteria count from what somebody picked or ranked
    Learn {
        /// What was shown and what was chosen (choices/1, .yaml, .yml or .json)
        choices: PathBuf,

        /// In how many segments a criterion's loss may grow at a different pace; 1 gives plain weights
        #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=20))]
        segments: u8,

        /// Print what was learnt as JSON
        #[arg(long)]
        json: bool,
    },
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let Command::Learn { choices, segments, json } = &args.command;
    let solver = walras_solve::solver().map_err(Failure::input)?;
    let read = read(choices)?;
    let learnt = learn(&read.criteria, &read.choices, usize::from(*segments), solver);
    let learnt = learnt.map_err(|error| Failure::Input(format!("{}: {error}", choices.display())))?;
    if *json {
        let text = serde_json::to_string_pretty(&to_json(&learnt)).map_err(Failure::fault)?;
        return files::print(&format!("{text}\n"));
    }
    files::print(&to_text(&learnt))
}

fn read(path: &Path) -> Result<Choices, Failure> {
    let syntax = Syntax::of_path(path).map_err(Failure::input)?;
    let bytes = files::read(path, SCENARIO_BYTES_MAX)?;
    read_choices(&bytes, &path.display().to_string(), syntax).map_err(Failure::input)
}

/// How many preferences that are not reproduced are shown one by one.
const BROKEN_SHOWN: usize = 10;

fn number(millionths: i64) -> String {
    Decimal::new(millionths.into(), 6).to_string()
}

fn to_text(learnt: &Learnt) -> String {
    let (pairs, broken) = (learnt.pairs, learnt.broken.len());
    let mut text = format!("{} of {pairs} preferences reproduced", pairs - broken);
    let _ = match broken {
        0 => writeln!(text, "; the margin is {:.6}", learnt.margin),
        _ => writeln!(text, "; the slack is {:.6}: no such weights give all of them", learnt.slack),
    };
    for (choice, this, that) in learnt.broken.iter().take(BROKEN_SHOWN) {
        let _ = writeln!(text, "  choice {choice}: alternative {this} rather than {that} is not reproduced");
    }
    if let Some(more @ 1..) = broken.checked_sub(BROKEN_SHOWN) {
        let _ = writeln!(text, "  and {more} more (see --json)");
    }
    text += "\naggregation: mean\nprefers:\n";
    for it in &learnt.criteria {
        let _ = writeln!(text, "  {}: {}", it.criterion, number(it.weight()));
    }
    text += "ranges:\n";
    for LearntCriterion { criterion, range: (low, high), segments } in &learnt.criteria {
        let _ = write!(text, "  {criterion}: [{}, {}]", number(*low), number(*high));
        if segments.len() > 1 {
            let steps: Vec<String> = segments.iter().map(|step| number(*step)).collect();
            let _ = write!(text, "  # from best to worst: {}", steps.join(", "));
        }
        text.push('\n');
    }
    text
}

fn to_json(learnt: &Learnt) -> Value {
    let real = |millionths: i64| millionths as f64 / 1e6;
    let criterion = |it: &LearntCriterion| {
        json!({
            "criterion": it.criterion.to_string(),
            "weight": real(it.weight()),
            "range": [real(it.range.0), real(it.range.1)],
            "segments": it.segments.iter().map(|step| real(*step)).collect::<Vec<_>>(),
        })
    };
    let broken = |(choice, this, that): &(usize, usize, usize)| json!({ "choice": choice, "preferred": this, "to": that });
    json!({
        "criteria": learnt.criteria.iter().map(criterion).collect::<Vec<_>>(),
        "preferences": learnt.pairs,
        "reproduced": learnt.pairs - learnt.broken.len(),
        "margin": learnt.margin,
        "slack": learnt.slack,
        "broken": learnt.broken.iter().map(broken).collect::<Vec<_>>(),
    })
}
