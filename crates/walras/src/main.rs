//! The command line: reads files, calls the libraries, prints what they say.
//!
//! Exit codes: 0 all is well; 1 a plan does not hold what it claims; 2 the input or the call is wrong; 70 a
//! fault of Walras itself.

mod assign;
mod audit;
mod choice;
mod examples;
mod failure;
mod files;
mod picture;
mod plan;
mod predict;
mod preferences;
mod replay;
mod reproduce;
mod satisfaction;
mod simulate;
mod table;
mod two_tier;
mod verify;
mod workflow;

use clap::{Parser, Subcommand, ValueEnum};
use failure::Failure;
use std::process::ExitCode;

/// A market for compute time: finds every way to run every job on priced free time, and says why not.
#[derive(Parser)]
#[command(name = "walras", version, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Show, for every job of a scenario, all the windows in which it could run, and choose one for each
    Plan(plan::Args),
    /// Give every task of a workflow a node and a time
    Workflow(workflow::Args),
    /// Assign the jobs of a scenario to the sites that sell capacity, proven best
    Assign(assign::Args),
    /// Check a plan against its scenario, with code that shares nothing with the search
    Verify(verify::Args),
    /// Run an experiment of the papers and show its figures beside theirs
    Reproduce(reproduce::Args),
    /// Live through a simulated world, with everything that can go wrong, and check every promise
    Simulate(simulate::Args),
    /// Decide a journal again and say whether every byte is the same
    Replay(replay::Args),
    /// Check every promise from a journal alone, with code that shares nothing with the broker
    Audit(audit::Args),
    /// Predict how long a job will run and wait, from a history of finished jobs
    Predict(predict::Args),
    /// What people want: learn it from what they chose
    Preferences(preferences::Args),
    /// Print the JSON Schema of a file format
    Schema {
        /// Which format
        format: Format,
    },
    /// Print a built-in file, to start your own from
    Example {
        /// Which file
        #[arg(default_value = "federation")]
        name: examples::File,
    },
}

#[derive(Clone, Copy, ValueEnum)]
enum Format {
    /// What `walras plan` reads
    Scenario,
    /// Workflows of our own
    Workflow,
}

fn main() -> ExitCode {
    match run(Cli::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}

fn run(cli: Cli) -> Result<(), Failure> {
    match cli.command {
        Command::Plan(args) => plan::run(&args),
        Command::Workflow(args) => workflow::run(&args),
        Command::Assign(args) => assign::run(&args),
        Command::Verify(args) => verify::run(&args),
        Command::Reproduce(args) => reproduce::run(&args),
        Command::Simulate(args) => simulate::run(&args),
        Command::Replay(args) => replay::run(&args),
        Command::Audit(args) => audit::run(&args),
        Command::Predict(args) => predict::run(&args),
        Command::Preferences(args) => preferences::run(&args),
        Command::Schema { format } => {
            let schema = match format {
                Format::Scenario => walras_api::scenario_schema(),
                Format::Workflow => walras_api::workflow_schema(),
            };
            let schema = serde_json::to_string_pretty(&schema);
            files::print(&format!("{}\n", schema.map_err(Failure::fault)?))
        }
        Command::Example { name } => files::print(name.text()),
    }
}
