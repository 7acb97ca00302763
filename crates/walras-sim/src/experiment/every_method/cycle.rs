//! One market by every method.

use super::market::DrawnMarket;
use super::optimum::{self, Measure};
use super::windows::{self, CHOICES, Decision};
use super::{Config, capacity, domains};
use crate::experiment::CycleError;
use walras_assign::program::Solver;
use walras_core::prefer::SCALE;

/// The papers, and the optimum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Family {
    Windows,
    Satisfaction,
    Capacity,
    TwoTiers,
    Optimum,
}

/// A method, as it is called and whose it is.
pub(super) struct Method {
    pub(super) name: String,
    pub(super) family: Family,
}

/// All methods, in the order of a record's rows.
pub(super) fn methods() -> Vec<Method> {
    let mut methods = Vec::new();
    for (search, _) in windows::searches() {
        for (choice, _) in CHOICES {
            methods.push(Method { name: format!("{search}, {choice}"), family: Family::Windows });
        }
        methods.push(Method { name: format!("{search}, satisfaction"), family: Family::Satisfaction });
    }
    let mut add = |name: &str, family| methods.push(Method { name: name.to_owned(), family });
    capacity::Method::ALL.iter().for_each(|method| add(method.name(), Family::Capacity));
    domains::STRATEGIES.iter().for_each(|(name, _)| add(name, Family::TwoTiers));
    Measure::ALL.iter().for_each(|measure| add(measure.name(), Family::Optimum));
    methods
}

/// What a method comes to on a market.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Row {
    /// Share of the jobs served.
    pub(super) served: f64,
    /// Of the jobs served: mean cost in credits, mean finish in seconds from the start; nothing where nobody is.
    pub(super) cost: f64,
    pub(super) finish: f64,
    /// Mean over all jobs; who is not served is not content at all.
    pub(super) satisfaction: f64,
    /// How far cost, finish and dissatisfaction are above the proven joint optimum, where both serve as many jobs; in per cent,
    /// of satisfaction in points.
    pub(super) above: [f64; 3],
}

/// A market's rows in the order of [`methods`], and for which measures the joint optimum was proven.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Record {
    pub(super) rows: Vec<Row>,
    pub(super) proven: [bool; 3],
    /// How many comparisons with a proven optimum the law was checked by.
    pub(super) checks: usize,
}

/// Cycle `number` of a seed.
pub(super) fn run(
    config: &Config,
    seed: u64,
    number: u32,
    solver: &dyn Solver,
) -> Result<Record, CycleError> {
    let market = DrawnMarket::draw(config, seed, number)?;
    let mut decisions = windows::run(config, &market)?;
    decisions.extend(capacity::run(config, &market, (seed, number), solver)?);
    decisions.extend(domains::run(&market)?);
    let optima = Measure::ALL.map(|measure| optimum::find(&market, measure, config.steps_max));
    let proven = [0, 1, 2].map(|place: usize| optima[place].proven);
    let best = [0, 1, 2].map(|place: usize| Measure::ALL[place].value(&market, &optima[place].decision));
    decisions.extend(optima.into_iter().map(|found| found.decision));
    let mut checks = 0;
    for (method, decision) in methods().iter().zip(&decisions) {
        for (place, measure) in Measure::ALL.into_iter().enumerate() {
            // Tasks that start apart have more ways than the optimum knows.
            if method.family == Family::TwoTiers || !proven[place] {
                continue;
            }
            checks += 1;
            if measure.value(&market, decision) < best[place] {
                return Err(CycleError::law(format!("{} does not beat the {}", method.name, measure.name())));
            }
        }
    }
    let rows = decisions.iter().map(|decision| row(&market, decision, best, proven)).collect();
    Ok(Record { rows, proven, checks })
}

fn row(market: &DrawnMarket, decision: &Decision, best: [(usize, i128); 3], proven: [bool; 3]) -> Row {
    let jobs = decision.len() as f64;
    let served: Vec<_> = decision.iter().flatten().collect();
    let count = served.len() as f64;
    let start = market.start.as_millis();
    let losses = decision.iter().enumerate();
    let losses: i64 = losses.map(|(job, got)| got.map_or(SCALE, |got| market.loss(job, got))).sum();
    let above = [0, 1, 2].map(|place: usize| {
        let measure = Measure::ALL[place];
        let ((left_out, least), (own_left_out, own)) = (best[place], measure.value(market, decision));
        match (proven[place] && left_out == own_left_out, measure) {
            (false, _) => f64::NAN,
            (true, Measure::Loss) => (own - least) as f64 / SCALE as f64 / count.max(1.0) * 100.0,
            (true, Measure::Cost | Measure::Finish) => (own as f64 / least as f64 - 1.0) * 100.0,
        }
    });
    Row {
        served: count / jobs,
        cost: served.iter().map(|got| got.cost as f64 / 1e6).sum::<f64>() / count,
        finish: served.iter().map(|got| (got.finish - start) as f64 / 1e3).sum::<f64>() / count,
        satisfaction: 1.0 - losses as f64 / SCALE as f64 / jobs,
        above,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All orders and sites of four jobs, each started as soon as enough nodes are free, without any bound.
    fn tried(market: &DrawnMarket, measure: Measure) -> (usize, i128) {
        fn go(
            market: &DrawnMarket,
            measure: Measure,
            open: &mut Vec<usize>,
            free: &mut Vec<Vec<i64>>,
            decision: &mut Decision,
        ) -> (usize, i128) {
            let mut best = measure.value(market, decision);
            for at in 0..open.len() {
                let job = open.remove(at);
                for site in 0..free.len() {
                    let Some((runtime, cost)) = market.terms(job, site) else { continue };
                    let tasks = market.jobs[job].tasks as usize;
                    let start = free[site][tasks - 1];
                    let got = super::super::market::Got { cost, finish: start + runtime };
                    let wish = &market.jobs[job];
                    if cost > wish.budget.as_micros() || got.finish > wish.deadline.as_millis() {
                        continue;
                    }
                    let kept = free[site].clone();
                    free[site][..tasks].fill(got.finish);
                    free[site].sort_unstable();
                    decision[job] = Some(got);
                    best = best.min(go(market, measure, open, free, decision));
                    decision[job] = None;
                    free[site] = kept;
                }
                open.insert(at, job);
            }
            best
        }
        let start = market.start.as_millis();
        let mut free = market.domains.iter().map(|domain| vec![start; domain.nodes as usize]).collect();
        let jobs = market.jobs.len();
        go(market, measure, &mut (0..jobs).collect(), &mut free, &mut vec![None; jobs])
    }

    #[test]
    fn the_joint_optimum_is_the_best_of_everything_tried() {
        let deadline = crate::generate::RealRange(60.0, 200.0);
        let config = Config { jobs: 4, sites: 2, deadline, ..Config::default() };
        for number in 0..40 {
            let market = DrawnMarket::draw(&config, 9, number).unwrap();
            for measure in Measure::ALL {
                let found = optimum::find(&market, measure, u64::MAX);
                assert!(found.proven);
                assert_eq!(measure.value(&market, &found.decision), tried(&market, measure), "{number}");
            }
        }
    }

    #[test]
    fn a_bound_on_steps_shows() {
        let market = DrawnMarket::draw(&Config::default(), 1, 0).unwrap();
        assert!(!optimum::find(&market, Measure::Cost, 3).proven);
        assert_eq!(methods().len(), 25 + 6 + 2 + 3);
    }
}
