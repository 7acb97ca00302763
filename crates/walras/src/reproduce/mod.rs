//! `walras reproduce`

mod table;

use crate::cores;
use crate::failure::Failure;
use crate::files;
use crate::terminal::StatusLine;
use std::fmt::Write as _;
use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use walras_sim::experiment::{Experiment, ExperimentError, Options, Reproduction};
use walras_sim::report;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Which experiment; without it, the experiments are listed
    experiment: Option<Experiment>,

    /// What all random draws follow from
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    /// How many cycles to run, instead of as many as the paper
    #[arg(long, value_name = "N", requires = "experiment", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    cycles: Option<u32>,

    /// How many threads to use, instead of one for each core; results do not depend on it
    #[arg(long, value_name = "N", requires = "experiment", value_parser = clap::value_parser!(u16).range(1..=1_024))]
    threads: Option<u16>,

    /// Write results.json, the paper's pictures as SVG, and report.html into this directory
    #[arg(long, value_name = "DIR", requires = "experiment")]
    out: Option<PathBuf>,

    /// Print the results, or the list of experiments, as JSON
    #[arg(long)]
    json: bool,

    /// Change parameters of the experiment by a file (YAML or JSON); what it leaves out stays as it is
    #[arg(long, value_name = "FILE", requires = "experiment")]
    config: Option<PathBuf>,
}

/// Configuration files larger than this are refused: 1 MiB.
const CONFIG_BYTES_MAX: usize = 1024 * 1024;

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let Some(experiment) = args.experiment else {
        return files::print(&list(args.json)?);
    };
    let config = args.config.as_deref().map(|path| files::read_text(path, CONFIG_BYTES_MAX)).transpose()?;
    let reproduction = reproduce(args, experiment, config.as_deref())?;
    if let Some(directory) = &args.out {
        write(directory, &reproduction)?;
    }
    if args.json {
        return files::print(&report::json(&reproduction).map_err(Failure::fault)?);
    }
    let colours = std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    files::print(&table::of_results(&reproduction.results, colours))
}

/// All experiments.
fn list(json: bool) -> Result<String, Failure> {
    if json {
        let item = |experiment: Experiment| {
            serde_json::json!({
                "name": experiment.name(),
                "cycles": experiment.cycles_default(),
                "summary": experiment.summary(),
            })
        };
        let list = serde_json::json!({ "experiments": Experiment::ALL.map(item) });
        return Ok(serde_json::to_string_pretty(&list).map_err(Failure::fault)? + "\n");
    }
    let mut text = String::new();
    for experiment in Experiment::ALL {
        let (name, cycles) = (experiment.name(), experiment.cycles_default());
        let _ = writeln!(text, "{name:<20}{cycles:>6} cycles  {}", experiment.summary());
    }
    text += "\nRun one with: walras reproduce EXPERIMENT [--out DIR]\n";
    Ok(text)
}

fn reproduce(args: &Args, experiment: Experiment, config: Option<&str>) -> Result<Reproduction, Failure> {
    let progress = Progress::new(experiment.name());
    let options = Options {
        seed: args.seed,
        cycles: args.cycles.unwrap_or(experiment.cycles_default()),
        threads: cores::threads(args.threads),
        progress: &|done, total| progress.show(done, total),
        solver: walras_solve::solver().ok(),
    };
    let result = experiment.run(config, &options);
    progress.line.clear();
    result.map_err(|error| match (&error, &args.config) {
        (ExperimentError::Config(error), Some(path)) => {
            Failure::Input(format!("{}: {error}", path.display()))
        }
        (ExperimentError::NoSolver, _) => Failure::input(walras_solve::NoSolver),
        (ExperimentError::Config(_), None) | (ExperimentError::Law(_), _) => Failure::fault(error),
    })
}

fn write(directory: &Path, reproduction: &Reproduction) -> Result<(), Failure> {
    let cannot = |error| Failure::Input(format!("{}: cannot be made: {error}", directory.display()));
    std::fs::create_dir_all(directory).map_err(cannot)?;
    for file in report::files(reproduction).map_err(Failure::fault)? {
        files::write(&directory.join(&file.name), &file.text)?;
    }
    Ok(())
}

/// How far a run has come, on standard error, when somebody is there to see it.
struct Progress {
    name: &'static str,
    line: StatusLine,
    percent: AtomicU32,
}

impl Progress {
    fn new(name: &'static str) -> Progress {
        Progress { name, line: StatusLine::new(), percent: AtomicU32::new(0) }
    }

    fn show(&self, done: u32, total: u32) {
        let percent = u32::try_from(u64::from(done) * 100 / u64::from(total.max(1))).unwrap_or(100);
        // Several threads report; only the one that raises the percentage writes.
        if self.line.is_visible() && self.percent.fetch_max(percent, Ordering::Relaxed) < percent {
            self.line.show(&format!("{}: {percent}%", self.name));
        }
    }
}
