//! One cycle: draw, search once, choose the best and at random for every number of alternatives and every problem.

use super::{Config, PaperProblem, fitted};
use crate::experiment::choice::{PaperLimits, best};
use crate::experiment::{CycleError, search};
use walras_core::Algorithm;
use walras_core::choose::{AppliedLimits, Combination, Menu, choose_random};
use walras_random::Purpose;
use walras_random::Stream;

/// What is kept of a cycle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Record {
    /// The plain reading: for each number of alternatives the four problems. `None` when no job had any.
    pub(super) plain: Option<Vec<[Compared; 4]>>,
    /// The fitted reading: the four problems.
    pub(super) fitted: [Compared; 4],
}

/// A problem solved twice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Compared {
    pub(super) optimum: Sums,
    pub(super) random: Sums,
    /// T* in time units or B* in micro-credits.
    pub(super) limit: i128,
}

/// What a combination comes to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Sums {
    pub(super) jobs: u64,
    pub(super) time: i128,
    pub(super) cost: i128,
}

impl Sums {
    pub(super) fn of(combination: &Combination) -> Sums {
        let totals = combination.totals;
        Sums { jobs: u64::from(totals.served), time: totals.time, cost: totals.cost }
    }

    pub(super) fn add(&mut self, other: Sums) {
        self.jobs += other.jobs;
        self.time += other.time;
        self.cost += other.cost;
    }
}

/// The numbers of alternatives for which a cycle is solved: that of the tables first, then those compared.
pub(super) fn counts(config: &Config) -> impl Iterator<Item = u32> {
    std::iter::once(config.alternatives_per_job).chain(config.alternatives_compared.iter().copied())
}

/// Cycle `number` of a seed.
pub(super) fn run(config: &Config, seed: u64, number: u32) -> Result<Record, CycleError> {
    let verify = number.is_multiple_of(config.verify_every);
    let plain = plain(config, seed, number, verify)?;
    let fitted = fitted::run(&config.fitted, seed, number, verify)?;
    for (problem, compared) in
        PaperProblem::ALL.into_iter().cycle().zip(plain.iter().flatten().flatten().chain(&fitted))
    {
        check_best(problem, compared)?;
    }
    Ok(Record { plain, fitted })
}

/// The best is no worse than what was drawn at random within the same limit.
fn check_best(problem: PaperProblem, Compared { optimum, random, .. }: &Compared) -> Result<(), CycleError> {
    let holds = match problem {
        PaperProblem::MaxIncome => optimum.cost >= random.cost,
        PaperProblem::MinTime => optimum.time <= random.time,
        PaperProblem::MinCost => optimum.cost <= random.cost,
        PaperProblem::MaxUse => optimum.time >= random.time,
    };
    match holds {
        true => Ok(()),
        false => {
            Err(CycleError::law(format!("the best of {} is no worse than a random one", problem.title())))
        }
    }
}

/// The plain reading.
fn plain(
    config: &Config,
    seed: u64,
    number: u32,
    verify: bool,
) -> Result<Option<Vec<[Compared; 4]>>, CycleError> {
    let offers = config.slots.draw(&mut Purpose::Slots.stream(seed, number))?;
    let batch = config.jobs.draw(&mut Purpose::Jobs.stream(seed, number))?;
    let most = counts(config).max().unwrap_or(1);
    let found = search::alternatives(&offers, &batch, &search::config(Algorithm::Amp, most), verify)?;
    let menu = Menu::new(&found, &batch);
    if menu.jobs.is_empty() {
        return Ok(None);
    }
    // The same draws for every number of alternatives, so that they differ in the alternatives alone.
    let solve = |count| compare(&first_of_each(&menu, count), &mut Purpose::Choices.stream(seed, number));
    counts(config).map(solve).collect::<Result<_, _>>().map(Some)
}

/// The menu under a limit on alternatives per job.
fn first_of_each(menu: &Menu, count: u32) -> Menu {
    let mut menu = menu.clone();
    menu.jobs.iter_mut().for_each(|job| job.items.truncate(count as usize));
    menu
}

/// All four problems, each at its best and at random.
fn compare(menu: &Menu, stream: &mut Stream) -> Result<[Compared; 4], CycleError> {
    let (limits, richest) = PaperLimits::of(menu)?;
    let mut compared = [Compared::default(); 4];
    for (slot, problem) in compared.iter_mut().zip(PaperProblem::ALL) {
        let optimum = match problem {
            PaperProblem::MaxIncome => richest.clone(),
            _ => best(menu, problem.objective(), limits)?,
        };
        let applied = match problem.limits_time() {
            true => AppliedLimits { time: Some(limits.time), budget: None },
            false => AppliedLimits { time: None, budget: Some(limits.budget) },
        };
        let random = choose_random(menu, applied, &mut |count| stream.index(count));
        let limit = if problem.limits_time() { limits.time } else { limits.budget };
        *slot = Compared { optimum: Sums::of(&optimum), random: Sums::of(&random), limit };
    }
    Ok(compared)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_on_alternatives_keeps_the_first_of_each_job() {
        let config = Config::default();
        for number in 0..5 {
            let offers = config.slots.draw(&mut Purpose::Slots.stream(1, number)).unwrap();
            let batch = config.jobs.draw(&mut Purpose::Jobs.stream(1, number)).unwrap();
            let menu = |most| {
                let search = search::config(Algorithm::Amp, most);
                Menu::new(&search::alternatives(&offers, &batch, &search, false).unwrap(), &batch)
            };
            let strip = |menu: Menu| {
                let items = |job: walras_core::choose::MenuJob| {
                    job.items.into_iter().map(|item| (item.cost, item.time, item.finish)).collect::<Vec<_>>()
                };
                menu.jobs.into_iter().map(items).collect::<Vec<_>>()
            };
            for count in [1, 2, 5] {
                assert_eq!(strip(menu(count)), strip(first_of_each(&menu(10), count)));
            }
        }
    }
}
