//! Solves generalised assignment instances in the OR-Library's text format without a general solver: sites and jobs,
//! then the costs and what is taken, a row per site each, then the capacities. Every job must be placed.
//!
//! `cargo run --release -p walras-assign --example orlib -- SECONDS[/SEED] FILE…`, in seconds of processor time (Linux); with
//! `0` the limits on work alone end the search, and results repeat exactly.

use walras_assign::exact::{ExactLimits, NoWatch, Watch, solve};
use walras_assign::program::{Answer, LinearProgram, Solver, SolverEffort};
use walras_model::market::{Choices, Instance, Pair, Serve};

/// A solver that never knows.
struct Nobody;

impl Solver for Nobody {
    fn solve(&self, _: &LinearProgram, _: Option<&[f64]>, _: &SolverEffort) -> Answer {
        Answer::Unknown
    }
}

/// Seconds of processor time of this thread that are left.
struct ProcessorTime {
    until: f64,
}

impl ProcessorTime {
    fn used() -> f64 {
        let text = std::fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
        let nanoseconds = text.split_whitespace().next().and_then(|word| word.parse::<f64>().ok());
        nanoseconds.map_or(f64::INFINITY, |nanoseconds| nanoseconds / 1e9)
    }
}

impl Watch for ProcessorTime {
    fn seconds_left(&self) -> f64 {
        (self.until - ProcessorTime::used()).max(0.0)
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let effort = arguments.next().ok_or("usage: orlib SECONDS[/SEED] FILE…")?;
    let (seconds, seed) = effort.split_once('/').unwrap_or((&effort, "1"));
    let seconds: f64 = seconds.parse()?;
    let limits = ExactLimits { seed: seed.parse()?, ..ExactLimits::default() };
    for path in arguments {
        let instance =
            read(&std::fs::read_to_string(&path)?).ok_or_else(|| format!("{path}: not such a file"))?;
        let begun = ProcessorTime::used();
        let solved = if seconds > 0.0 {
            solve(&instance, &Nobody, &limits, &ProcessorTime { until: begun + seconds })
        } else {
            solve(&instance, &Nobody, &limits, &NoWatch)
        };
        let sound = solved.assignment.as_ref().and_then(|found| found.worth(&instance)) == Some(solved.worth);
        #[expect(clippy::print_stdout, reason = "an example's output")]
        {
            println!(
                "{path}: cost {} bound {} gap {:.4}% verified {sound} seconds {:.1}",
                solved.worth.cost,
                solved.cost_bound,
                solved.gap() * 100.0,
                ProcessorTime::used() - begun,
            );
        }
    }
    Ok(())
}

fn read(text: &str) -> Option<Instance> {
    let mut numbers = text.split_whitespace().map(|word| word.parse::<u32>().ok());
    let mut row = |count: u32| -> Option<Vec<u32>> { (0..count).map(|_| numbers.next()?).collect() };
    let [sites, jobs] = row(2)?.try_into().ok()?;
    let costs: Vec<Vec<u32>> = (0..sites).map(|_| row(jobs)).collect::<Option<_>>()?;
    let takes: Vec<Vec<u32>> = (0..sites).map(|_| row(jobs)).collect::<Option<_>>()?;
    let capacities = row(sites)?;
    let choices = (0..jobs as usize).map(|job| {
        let pair = |site: u32| {
            let (takes, cost) = (takes[site as usize][job], costs[site as usize][job]);
            Pair { site, takes, cost: cost.into() }
        };
        Choices { weight: 1, pairs: (0..sites).map(pair).collect() }
    });
    Instance::new(capacities, choices.collect(), Serve::All).ok()
}
