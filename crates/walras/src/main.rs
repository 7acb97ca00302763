//! The command line: reads files, calls the libraries, prints what they say.
//!
//! Exit codes: 0 all is well; 1 what was asked for did not come about (a plan does not hold what it claims, not every job is
//! placed, a workflow has no schedule, a job failed, a quote was not honoured, there is no such thing); 2 the input or the call is wrong; 3 not allowed; 4 the service cannot
//! be reached; 70 a fault of Walras itself.

#[cfg(any(test, not(feature = "simulator")))]
mod absent;
mod assign;
mod audit;
mod backup;
mod choice;
mod clearing;
mod client;
mod cores;
mod demo;
mod examples;
mod failure;
mod files;
mod journal;
#[cfg(feature = "simulator")]
mod pack;
mod pages;
mod picture;
mod plan;
#[cfg(feature = "simulator")]
mod predict;
mod preferences;
mod replay;
#[cfg(feature = "simulator")]
mod reproduce;
mod satisfaction;
mod serve;
#[cfg(feature = "simulator")]
mod simulate;
mod table;
#[cfg(feature = "simulator")]
mod terminal;
mod two_tier;
mod verify;
mod watch;
mod workflow;
mod world;

#[cfg(not(feature = "simulator"))]
use absent::{self as pack, self as predict, self as reproduce, self as simulate};
use clap::{FromArgMatches, Parser, Subcommand, ValueEnum};
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
    /// Run the service: a broker with a durable journal, an HTTP API and sites
    Serve(serve::Args),
    /// Show everything: a VO with simulated sites and this machine, users, owners and jobs of every kind
    Demo(demo::Args),
    /// Watch over one part of a job on a local site
    #[command(hide = true)]
    Supervise {
        /// The directory of the part
        directory: std::path::PathBuf,
    },
    /// Watch over one hold on a node of a Slurm cluster
    #[command(hide = true)]
    SuperviseHold {
        /// The directory of the hold
        directory: std::path::PathBuf,
    },
    /// Compare policies on a trace: the broker on a virtual clock, beside what schedulers do today
    Simulate(simulate::Args),
    /// Pack jobs that take cores and memory of nodes: the usual ways, beside the broker that sells nodes in units
    Pack(pack::Args),
    /// Live through a simulated world, with everything that can go wrong, and check every promise
    World(world::Args),
    /// Decide a journal again and say whether every byte is the same
    Replay(replay::Args),
    /// Check every promise from a journal alone, with code that shares nothing with the broker
    Audit(audit::Args),
    /// Copy what a service keeps, also while it runs
    Backup(backup::Args),
    /// A service's journal as a file
    #[command(subcommand)]
    Journal(journal::Command),
    /// Predict how long a job will run and wait, from a history of finished jobs
    Predict(predict::Args),
    /// What people want: learn it from what they chose
    Preferences(preferences::Args),
    #[command(flatten)]
    Client(client::Command),
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
    /// Print what makes a shell complete the commands of walras
    Completions {
        /// Which shell
        shell: clap_complete::Shell,
    },
    /// Write the manual, a page for every command
    Man {
        /// Where to; made when it is not there
        directory: std::path::PathBuf,
    },
}

#[derive(Clone, Copy, ValueEnum)]
enum Format {
    /// What `walras plan` reads
    Scenario,
    /// Workflows of our own
    Workflow,
    /// Jobs as the service takes them
    Job,
}

fn main() -> ExitCode {
    failure::tell_panics_briefly();
    let matches = pages::command().try_get_matches().unwrap_or_else(|error| pages::told(error).exit());
    let cli = Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    if let Command::Supervise { directory } = &cli.command {
        return walras_sites::local::supervise(directory);
    }
    if let Command::SuperviseHold { directory } = &cli.command {
        return walras_sites::slurm::supervise_hold(directory);
    }
    match failure::guarded(|| run(cli)) {
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
        Command::Serve(args) => serve::run(&args),
        Command::Demo(args) => demo::run(&args),
        // They have an exit code of their own, and have had it.
        Command::Supervise { .. } | Command::SuperviseHold { .. } => Ok(()),
        Command::Simulate(args) => simulate::run(&args),
        Command::Pack(args) => pack::run(&args),
        Command::World(args) => world::run(&args),
        Command::Replay(args) => replay::run(&args),
        Command::Audit(args) => audit::run(&args),
        Command::Backup(args) => backup::run(&args),
        Command::Journal(command) => journal::run(&command),
        Command::Predict(args) => predict::run(&args),
        Command::Preferences(args) => preferences::run(&args),
        Command::Client(command) => client::run(&command),
        Command::Completions { shell } => pages::completions(shell),
        Command::Man { directory } => pages::man(&directory),
        Command::Schema { format } => {
            let schema = match format {
                Format::Scenario => walras_api::scenario_schema(),
                Format::Workflow => walras_api::workflow_schema(),
                Format::Job => walras_api::job_schema(),
            };
            let schema = serde_json::to_string_pretty(&schema);
            files::print(&format!("{}\n", schema.map_err(Failure::fault)?))
        }
        Command::Example { name } => files::print(name.text()),
    }
}
