//! The slot papers: windows by every search, combined by every choice, and the same alternatives by satisfaction.

use super::Config;
use super::market::{DrawnMarket, Got};
use crate::experiment::choice::{PaperLimits, best};
use crate::experiment::{CycleError, search};
use walras_core::choose::{Menu, MenuItem, Objective};
use walras_core::prefer::{
    Aggregation, CompromiseJob, CompromiseOption, CompromiseProblem, Party, PreferLimits, Voice, compromise,
};
use walras_core::{Algorithm, Criterion};

/// What a method decides: what every job got.
pub(super) type Decision = Vec<Option<Got>>;

/// The searches, and what they are called.
pub(super) fn searches() -> [(&'static str, Algorithm); 5] {
    [
        ("ALP", Algorithm::Alp),
        ("AMP", Algorithm::Amp),
        ("windows by cost", Algorithm::Criterion(Criterion::Cost)),
        ("windows by run time", Algorithm::Criterion(Criterion::Runtime)),
        ("windows by finish", Algorithm::Criterion(Criterion::Finish)),
    ]
}

/// The choices, and what they are called.
pub(super) const CHOICES: [(&str, Objective); 4] = [
    ("min cost", Objective::MinCost),
    ("min time", Objective::MinTime),
    ("max income", Objective::MaxIncome),
    ("max use", Objective::MaxUse),
];

/// For every search, every choice and then that by satisfaction.
pub(super) fn run(config: &Config, market: &DrawnMarket) -> Result<Vec<Decision>, CycleError> {
    let (offers, batch) = (market.offers()?, market.batch());
    let mut decisions = Vec::new();
    for (_, algorithm) in searches() {
        let config = search::config(algorithm, config.alternatives_per_job);
        let menu = Menu::new(&search::alternatives(&offers, &batch, &config, true)?, &batch);
        for (_, objective) in CHOICES {
            decisions.push(chosen(market, &menu, objective)?);
        }
        decisions.push(by_satisfaction(market, &menu)?);
    }
    Ok(decisions)
}

fn got(item: &MenuItem) -> Got {
    Got { cost: item.cost.as_micros(), finish: item.finish.as_millis() }
}

fn chosen(market: &DrawnMarket, menu: &Menu, objective: Objective) -> Result<Decision, CycleError> {
    let mut decision = vec![None; market.jobs.len()];
    if menu.jobs.is_empty() {
        return Ok(decision);
    }
    let (limits, _) = PaperLimits::of(menu)?;
    let found = best(menu, objective, limits)?;
    for (job, item) in menu.jobs.iter().zip(&found.items) {
        decision[job.job.index()] = item.map(|item| got(&job.items[item]));
    }
    Ok(decision)
}

/// The best compromise of all users over the same alternatives, which never overlap.
fn by_satisfaction(market: &DrawnMarket, menu: &Menu) -> Result<Decision, CycleError> {
    let mut decision = vec![None; market.jobs.len()];
    if menu.jobs.is_empty() {
        return Ok(decision);
    }
    let broken = |problem: String| CycleError::law(format!("a compromise can be sought: {problem}"));
    let mut jobs = Vec::new();
    for (user, job) in menu.jobs.iter().enumerate() {
        let loss = |item| market.loss(job.job.index(), got(item));
        let option = |item| CompromiseOption { loss: loss(item), takes: Vec::new(), adds: Vec::new() };
        jobs.push(CompromiseJob { user, options: job.items.iter().map(option).collect() });
    }
    let party = |user: usize| Party { name: format!("user-{user}"), weight: 1, voice: Voice::User };
    let parties = (0..menu.jobs.len()).map(party).collect();
    let problem = CompromiseProblem::new(jobs, parties, Vec::new(), Aggregation::STAKEHOLDERS)
        .map_err(|error| broken(error.to_string()))?;
    let found = compromise(&problem, &PreferLimits::default());
    let found = found.found().ok_or_else(|| broken("nothing was found".to_owned()))?;
    for (job, pick) in menu.jobs.iter().zip(&found.picks) {
        decision[job.job.index()] = pick.map(|pick| got(&job.items[pick]));
    }
    Ok(decision)
}
