//! `walras preferences`

use crate::client::http::Client;
use crate::client::settings::Connect;
use crate::client::show::pretty;
use crate::failure::Failure;
use crate::files;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use walras_api::service::ChoicesView;
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
        #[arg(required_unless_present = "mine", conflicts_with = "mine")]
        choices: Option<PathBuf>,

        /// Learn from what you took of the service's quotes
        #[arg(long)]
        mine: bool,

        /// In how many segments a criterion's loss may grow at a different pace; 1 gives plain weights
        #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=20))]
        segments: u8,

        #[command(flatten)]
        connect: Connect,
    },
    /// Print what you were shown by the service's quotes and what you took (choices/1)
    Mine {
        #[command(flatten)]
        connect: Connect,
    },
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let (choices, segments, connect) = match &args.command {
        Command::Learn { choices, mine: _, segments, connect } => (choices, segments, connect),
        Command::Mine { connect } => return files::print(&pretty(&own_choices(connect)?)),
    };
    let solver = walras_solve::solver().map_err(Failure::input)?;
    let (source, read) = match choices {
        Some(path) => (path.display().to_string(), read(path)?),
        None => (OWN.to_owned(), read_own(&own_choices(connect)?)?),
    };
    let learnt = learn(&read.criteria, &read.choices, usize::from(*segments), solver);
    let learnt = learnt.map_err(|error| Failure::Input(format!("{source}: {error}")))?;
    if connect.json {
        let text = serde_json::to_string_pretty(&to_json(&learnt)).map_err(Failure::fault)?;
        return files::print(&format!("{text}\n"));
    }
    files::print(&to_text(&learnt))
}

/// What the service's answer is called in errors.
const OWN: &str = "your choices";

/// What the caller took of the service's quotes, as the service says it.
fn own_choices(connect: &Connect) -> Result<String, Failure> {
    Ok(Client::of(connect)?.get("/v1/choices")?.text)
}

fn read_own(text: &str) -> Result<Choices, Failure> {
    let view: ChoicesView = serde_json::from_str(text).map_err(Failure::fault)?;
    if view.choices.is_empty() {
        let none = "you have taken none of several options of a quote yet: there is nothing to learn from";
        return Err(Failure::Input(none.to_owned()));
    }
    read_choices(text.as_bytes(), OWN, Syntax::Json).map_err(Failure::input)
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
    for LearntCriterion { criterion, range: (low, high), .. } in &learnt.criteria {
        let _ = writeln!(text, "  {criterion}: [{}, {}]", number(*low), number(*high));
    }
    let shaped = |it: &&LearntCriterion| it.segments.len() > 1 && it.weight() > 0;
    for (place, LearntCriterion { criterion, segments, .. }) in
        learnt.criteria.iter().filter(shaped).enumerate()
    {
        text += if place == 0 { "segments:\n" } else { "" };
        let steps: Vec<String> = segments.iter().map(|step| number(*step)).collect();
        let _ = writeln!(text, "  {criterion}: [{}]", steps.join(", "));
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
