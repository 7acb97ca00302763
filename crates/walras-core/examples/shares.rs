//! Windows on nodes that are sold in units, at size: how long they take, and with `intervals=N` how much memory.
//!
//! `cargo run --release -p walras-core --example shares`, or `… -- nodes=1000 units=64 intervals=20000 jobs=100 search=amp`.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::disallowed_types,
    reason = "an example: fixed inputs, printed figures, and the clock for these"
)]

use std::time::Instant;
use walras_core::{Algorithm, Mode, SearchConfig, SearchLimits, find_alternatives};
use walras_model::*;
use walras_random::Draws;

/// What to draw and to search.
struct Size {
    nodes: u32,
    units: u32,
    intervals: u32,
    jobs: usize,
    search: Algorithm,
}

fn size() -> Size {
    let mut size = Size { nodes: 1_000, units: 64, intervals: 20_000, jobs: 100, search: Algorithm::Amp };
    for argument in std::env::args().skip(1) {
        match argument.split_once('=') {
            Some(("nodes", it)) => size.nodes = it.parse().unwrap(),
            Some(("units", it)) => size.units = it.parse().unwrap(),
            Some(("intervals", it)) => size.intervals = it.parse().unwrap(),
            Some(("jobs", it)) => size.jobs = it.parse().unwrap(),
            Some(("search", it)) => size.search = it.parse().unwrap(),
            Some(_) | None => panic!("{argument} is not known: nodes=, units=, intervals=, jobs= or search="),
        }
    }
    size
}

/// Up to so many of something, at least one.
fn draw(draws: &mut Draws, most: usize) -> i64 {
    1 + i64::try_from(draws.below(most)).unwrap()
}

/// Nodes of as many cores as units, with 4 GB for each and eight GPUs on every eighth of them; what is free of each goes up and down by chance.
fn offers(size: &Size) -> Offers {
    let mut draws = Draws::new(22);
    let (mut nodes, mut slots, mut end) = (Vec::new(), Vec::new(), 0);
    for number in 0..size.nodes {
        let mut resources = vec![("cores", u64::from(size.units)), ("memory_gb", 4 * u64::from(size.units))];
        if number % 8 == 0 && size.units.is_multiple_of(8) {
            resources.push(("gpus", u64::from(size.units)));
        }
        let resources = resources.into_iter().map(|(name, amount)| (name.to_owned(), amount)).collect();
        let division = Division::new(size.units, resources).unwrap();
        let mut attributes = Attributes::new();
        division.state_in(&mut attributes).unwrap();
        nodes.push(Node {
            name: format!("n{number}"),
            site: SiteId::new(number % 4),
            performance: Performance::from_millionths(1_000_000 + 1_000 * draw(&mut draws, 1_000)).unwrap(),
            watts: None,
            attributes,
            division,
        });
        let rate = Rate::from_micros_per_second(64_000 + 1_000 * draw(&mut draws, 64)).unwrap();
        let mut at = 0;
        for _ in 0..size.intervals / size.nodes {
            let until = at + 10_000 + 1_000 * draw(&mut draws, 240);
            let free = u32::try_from(draws.below(size.units as usize + 1)).unwrap();
            let time = |millis| Time::from_millis(millis).unwrap();
            let interval = Interval::new(time(at), time(until)).unwrap();
            let slot = Slot::new(NodeId::new(number), interval, rate).unwrap();
            slots.extend((free > 0).then(|| slot.with_units(free)));
            (at, end) = (until, end.max(until));
        }
    }
    let sites = (0..4).map(|site| Site { name: format!("s{site}") }).collect();
    let horizon = Interval::new(Time::from_millis(0).unwrap(), Time::from_millis(end).unwrap()).unwrap();
    Offers::new(horizon, sites, nodes, slots).unwrap()
}

fn least(name: &str, amount: i64) -> Requirement {
    let min = Some(Fixed::from_millionths(1_000_000 * amount));
    Requirement { attribute: name.to_owned(), test: Test::Range { min, max: None } }
}

/// So many tasks of so many cores for 100 s, at up to twice the usual price.
fn request(name: &str, tasks: u32, cores: i64) -> Request {
    let mut request = Request::new(name, tasks, Work::from_millis(100_000).unwrap());
    request.requires.push(least("cores", cores));
    request.price_max = Rate::from_micros_per_second(4_000 * cores);
    request
}

/// Jobs of 1 to 64 tasks of 1, 2, 4, 8 or 16 cores, half of them with more memory than belongs to these.
fn jobs(count: usize) -> Batch {
    let mut draws = Draws::new(23);
    let job = |number: usize| {
        let tasks = u32::try_from(draw(&mut draws, 64)).unwrap();
        let cores = 1 << draws.below(5);
        let mut request = request(&format!("J{number}"), tasks, cores);
        if draws.below(2) == 0 {
            request.requires.push(least("memory_gb", 6 * cores));
            request.price_max = Rate::from_micros_per_second(8_000 * cores);
        }
        request
    };
    Batch::new((0..count).map(job).collect())
}

/// The most memory that was ever used, in megabytes, where the system says it.
fn memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().trim_end_matches(" kB").parse::<u64>().ok()? / 1_024)
}

fn main() {
    let size = size();
    let offers = offers(&size);
    println!("{} nodes of {} units, {} steps; {}", size.nodes, size.units, offers.slots().len(), size.search);
    println!("drawn: {} MB at most", memory().unwrap_or_default());
    let config = |mode, alternatives_per_job_max| SearchConfig {
        algorithm: size.search.clone(),
        mode,
        limits: SearchLimits { alternatives_per_job_max, ..SearchLimits::default() },
        ..SearchConfig::default()
    };
    let wide = Batch::new(vec![request("wide", 256, 4)]);
    for mode in [Mode::FirstOnTheFly, Mode::AllAlternatives] {
        let begin = Instant::now();
        let found = find_alternatives(&offers, &wide, &config(mode, 1));
        let (took, windows) = (begin.elapsed(), found.found.len());
        println!("a window of 256 tasks of 4 cores, {mode:?}: {windows} found, {took:.2?}");
    }
    println!("{} MB at most", memory().unwrap_or_default());
    let jobs = jobs(size.jobs);
    let begin = Instant::now();
    let found = find_alternatives(&offers, &jobs, &config(Mode::AllAlternatives, u32::MAX));
    let (took, windows, read) = (begin.elapsed(), found.found.len(), found.slots_scanned);
    println!("all alternatives of {} jobs: {windows} found, {read} steps read, {took:.2?}", size.jobs);
    println!("{} MB at most", memory().unwrap_or_default());
}
