//! Assignments to capacity, ours beside HiGHS alone: the same markets, one run, one thread each.
//!
//! `make bench-assign` measures 50 jobs on 25 to 200 sites and 500 on 200; `make bench-assign ARGS=large` the larger
//! markets, where HiGHS alone is asked only up to 10⁶ pairs, since it needs too much memory beyond.
//! `make bench-assign ARGS="500 200 2.0 pair 20"` measures one market: jobs, sites, how many times 4 to 12 processors a
//! site has, prices per `site` or per `pair`, seconds. A sixth number is the seed.
//!
//! HiGHS alone is told how many jobs can be served, which it would have to find out first. Our limit is on processor
//! time where the system tells it, so that other programmes do not disturb the figure. That of HiGHS is on the clock:
//! where others slowed us down, it gets as much more of it.

use std::io::Write;
use std::time::Instant;
use walras_assign::exact::{ExactLimits, Watch, solve};
use walras_assign::program::{Answer, LinearProgram, Solver, SolverEffort};
use walras_model::market::{Choices, Instance, Pair, Serve};
use walras_random::Draws;
use walras_solve::Highs;

/// HiGHS alone is not asked beyond this.
const PAIRS_MAX: usize = 1_000_000;

/// One market, and how long to work on it.
#[derive(Clone, Copy)]
struct Case {
    jobs: usize,
    sites: usize,
    /// How many times 4 to 12 processors a site has, in tenths.
    tenths: usize,
    per_pair: bool,
    seconds: f64,
    seed: u64,
}

#[expect(clippy::print_stdout, reason = "an example's output")]
fn main() -> Result<(), &'static str> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let cases = match arguments.first().map(String::as_str) {
        None => small(),
        Some("large") => large(),
        Some(_) => vec![one(&arguments).ok_or("JOBS SITES TIMES site|pair SECONDS [SEED]")?],
    };
    println!(
        "  jobs × sites prices  tasks / processors  limit  walras: gap      CPU  served      HiGHS: gap      CPU"
    );
    for case in cases {
        let instance = case.market().ok_or("costs out of range")?;
        let (ours, slower, weight) = case.measure(&instance);
        print!("{ours}");
        std::io::stdout().flush().map_err(|_| "nobody listens")?;
        println!("{}", case.alone(&instance, slower, weight));
    }
    if let Some(kilobytes) = memory() {
        println!("most memory: {} MB", kilobytes / 1_000);
    }
    Ok(())
}

/// The paper's sizes, and ten times as many jobs with processors for all of them and for two thirds.
fn small() -> Vec<Case> {
    let mut cases = Vec::new();
    for per_pair in [false, true] {
        for sites in [25, 50, 100, 200] {
            cases.push(Case { jobs: 50, sites, tenths: 10, per_pair, seconds: 20.0, seed: 1 });
        }
        cases.push(Case { jobs: 50, sites: 25, tenths: 20, per_pair, seconds: 20.0, seed: 1 });
        for tenths in [20, 10] {
            cases.push(Case { jobs: 500, sites: 200, tenths, per_pair, seconds: 20.0, seed: 1 });
        }
    }
    cases
}

fn large() -> Vec<Case> {
    let sizes = [(2_000, 500, 32), (10_000, 1_000, 80)].into_iter();
    let case =
        |(jobs, sites, tenths), per_pair| Case { jobs, sites, tenths, per_pair, seconds: 55.0, seed: 1 };
    sizes.flat_map(|size| [case(size, false), case(size, true)]).collect()
}

fn one(arguments: &[String]) -> Option<Case> {
    let [jobs, sites, times, prices, seconds, rest @ ..] = arguments else { return None };
    let (whole, tenth) = times.split_once('.').unwrap_or((times, "0"));
    Some(Case {
        jobs: jobs.parse().ok().filter(|jobs| *jobs > 0)?,
        sites: sites.parse().ok().filter(|sites| *sites > 0)?,
        tenths: 10 * whole.parse::<usize>().ok()?
            + tenth.parse::<usize>().ok().filter(|tenth| *tenth < 10)?,
        per_pair: prices == "pair",
        seconds: seconds.parse().ok()?,
        seed: rest.first().map_or(Some(1), |seed| seed.parse().ok())?,
    })
}

/// Numbers that follow from a seed.
struct Chance(Draws);

impl Chance {
    fn below(&mut self, limit: u64) -> u64 {
        self.0.any() % limit
    }

    /// About a Gaussian of mean `mean` and standard deviation `deviation`: the sum of twelve draws.
    fn bell(&mut self, mean: u64, deviation: u64) -> u64 {
        let sum: u64 = (0..12).map(|_| self.below(1_001)).sum();
        (mean + deviation * sum / 1_000).saturating_sub(6 * deviation)
    }

    /// Credits per processor and second, in millionths: 4.5, but for up to half a credit.
    fn price(&mut self) -> u64 {
        self.bell(4_500_000, 166_667).clamp(4_000_000, 5_000_000)
    }
}

impl Case {
    /// Sites of speeds 0.7 to 1.3; jobs of 5 tasks ± 30%, work 400 ± 10%, 500 s more than at speed 1 to end in, and
    /// twice the mean price at speed 1 to spend.
    fn market(&self) -> Option<Instance> {
        let mut chance = Chance(Draws::new(self.seed));
        let processors = |chance: &mut Chance| (4 + chance.below(9)) * self.tenths as u64 / 10;
        let capacities: Option<Vec<u32>> =
            (0..self.sites).map(|_| u32::try_from(processors(&mut chance)).ok()).collect();
        let sites: Vec<(u64, u64)> =
            (0..self.sites).map(|_| (700 + chance.below(601), chance.price())).collect();
        let mut jobs = Vec::with_capacity(self.jobs);
        for _ in 0..self.jobs {
            let tasks = (chance.bell(5_000, 1_500) + 500).div_euclid(1_000).max(1);
            let work = chance.bell(400_000, 40_000);
            let mut pairs = Vec::with_capacity(self.sites);
            for (site, (speed, price)) in (0..).zip(&sites) {
                let price = if self.per_pair { chance.price() } else { *price };
                let runtime = (work * 1_000).div_ceil(*speed);
                let cost = (tasks * price * runtime).div_ceil(1_000);
                if runtime <= work + 500_000 && cost <= 9_000 * work * tasks {
                    let (takes, cost) = (u32::try_from(tasks).ok()?, i64::try_from(cost).ok()?);
                    pairs.push(Pair { site, takes, cost });
                }
            }
            jobs.push(Choices { weight: 1, pairs });
        }
        Instance::new(capacities?, jobs, Serve::Most).ok()
    }

    /// Ours: a line's beginning, how much slower the clock was than the processor, and the weight that can be served.
    fn measure(&self, instance: &Instance) -> (String, f64, u64) {
        let (clock, start) = (Instant::now(), processor_seconds());
        let solved =
            solve(instance, &Highs, &ExactLimits::default(), &Timer { start, seconds: self.seconds });
        let ours = processor_seconds() - start;
        let slower = (clock.elapsed().as_secs_f64() / ours.max(0.001)).max(1.0);
        let gap = if solved.is_optimal() { "proven".to_owned() } else { percent(solved.gap()) };
        let processors: u64 = instance.capacities().iter().copied().map(u64::from).sum();
        let takes = |job| instance.pairs(job).first().map_or(0, |pair| u64::from(pair.takes));
        let tasks: u64 = (0..instance.jobs()).map(takes).sum();
        let prices = if self.per_pair { "pair" } else { "site" };
        let served = if solved.worth.weight == solved.weight_bound {
            solved.worth.jobs.to_string()
        } else {
            format!("{} of {}", solved.worth.weight, solved.weight_bound)
        };
        let line = format!(
            "{:>6} × {:<5} {prices:<6} {tasks:>7} / {processors:<10} {:>4.0} s {gap:>12} {ours:>6.2} s {served:>7}",
            self.jobs, self.sites, self.seconds,
        );
        (line, slower, solved.weight_bound)
    }

    /// HiGHS alone: the line's end.
    fn alone(&self, instance: &Instance, slower: f64, weight: u64) -> String {
        if instance.pairs_all() > PAIRS_MAX {
            return format!(" {:>15}", "not asked");
        }
        let (gap, seconds) = highs(instance, weight, self.seconds * slower);
        format!(" {gap:>15} {seconds:>6.2} s")
    }
}

struct Timer {
    start: f64,
    seconds: f64,
}

impl Watch for Timer {
    fn seconds_left(&self) -> f64 {
        self.seconds - (processor_seconds() - self.start)
    }
}

/// The instance as one mixed-integer programme, with what can be served given; the gap that is left.
fn highs(instance: &Instance, weight: u64, seconds: f64) -> (String, f64) {
    let mut program = LinearProgram::default();
    let mut served = Vec::new();
    let mut loads = vec![Vec::new(); instance.capacities().len()];
    for job in 0..instance.jobs() {
        let mut once = Vec::new();
        for pair in instance.pairs(job) {
            let column = program.column(pair.cost as f64 / 1e9, 0.0, 1.0, true);
            once.push((column, 1.0));
            loads[pair.site as usize].push((column, f64::from(pair.takes)));
        }
        let is_served = program.column(0.0, 0.0, 1.0, false);
        once.push((is_served, -1.0));
        served.push((is_served, 1.0));
        program.row(0.0, 0.0, once);
    }
    for (load, capacity) in loads.into_iter().zip(instance.capacities()) {
        program.row(f64::NEG_INFINITY, f64::from(*capacity), load);
    }
    program.row(weight as f64, f64::INFINITY, served);
    let start = processor_seconds();
    let answer =
        Highs.solve(&program, None, &SolverEffort { seconds: Some(seconds), nodes: None, gap_absolute: 0.0 });
    let gap = match answer {
        Answer::Optimal(_) => "proven".to_owned(),
        Answer::Feasible { best, bound } => percent((best.objective - bound) / best.objective),
        Answer::Infeasible | Answer::Unbounded | Answer::Unknown => "nothing found".to_owned(),
    };
    (gap, processor_seconds() - start)
}

fn percent(gap: f64) -> String {
    format!("{:.4}%", 100.0 * gap)
}

/// What this thread has computed, where the system tells; the clock elsewhere.
fn processor_seconds() -> f64 {
    static START: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanos = told.and_then(|text| text.split_whitespace().next()?.parse::<f64>().ok());
    nanos.map_or_else(|| START.get_or_init(Instant::now).elapsed().as_secs_f64(), |nanos| nanos / 1e9)
}

/// The most memory this process ever held, in kilobytes.
fn memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}
