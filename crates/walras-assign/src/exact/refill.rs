//! Refills: some sites are emptied, closed again one by one, and the last few filled at once.
//!
//! **Problem.** Where what a job costs and what it takes are opposed (class d of the public instances), every site of a good
//! placing is full to the last unit and no job is far from its cheapest place. Chains of moves, and exact fillings of
//! a few sites, end where every site loses a little: filling the last unit of a site needs many combinations, and few sites have few.
//!
//! **Method.** Losses are gathered in a few sites instead, where there are combinations enough to be rid of them. Sites are
//! emptied; all but the last few are closed, one after the other, each with the set of jobs that raises the [bound](super::rest) of what is
//! left least: a knapsack, in which a job's profit is what its cheapest other place would cost. Among many jobs there
//! are many sets that fill a site exactly, so closing costs next to nothing. The few sites that are left last are filled by
//! matching two [lists](super::halves). Jobs with several like places there are kept back for them, since they
//! are what the lists have to choose from. Closing is cheap and matching is not: of several plans the one is matched
//! for which the number of fillings, times the chance that one fits, promises most.
//!
//! **Complexity.** A plan: jobs × sites emptied × steps of valuing, for every site closed; a matching: see there.

use super::halves::fill;
use super::knapsack::Knapsack;
use super::neighbourhood::around;
use super::placing::Placing;
use super::rest::Rest;
use super::table::{Table, id};
use walras_model::market::Pair;
use walras_random::Draws;

/// Plans of which one is matched.
const PLANS: usize = 12;
/// The most sites that are emptied at once, and the fewest and most that are filled last.
const EMPTIED_MAX: usize = 24;
const LAST_LEAST: usize = 3;
const LAST_MOST: usize = 6;
/// The most jobs that are moved at once.
const JOBS_MAX: usize = 4_000;
/// Steps of valuing at first, after each closing, and before the last sites are filled.
const STEPS_FIRST: usize = 40;
const STEPS_CLOSING: usize = 12;
const STEPS_LAST: usize = 80;
/// The most ways in each list.
const WAYS: usize = 30_000;

/// What refills start from.
pub(super) struct Refills<'a> {
    pub(super) table: &'a Table,
    /// What a unit of each site's room is worth, roughly.
    pub(super) values: &'a [i64],
}

/// Sites closed, and what is left to be filled.
struct Plan {
    emptied: Vec<u32>,
    placed: Vec<(usize, Pair)>,
    rest: Rest,
    /// A filling that loses less is better than what is known.
    most: i64,
    promise: f64,
}

impl Refills<'_> {
    /// A better placing, if this refill found one. All jobs of `best` must have places.
    pub(super) fn refill(&self, best: &Placing, dice: &mut Draws, work: &mut u64) -> Option<Placing> {
        let mut plan: Option<Plan> = None;
        for _ in 0..PLANS {
            let next = self.plan(best, dice, work);
            if let Some(next) = next
                && plan.as_ref().is_none_or(|plan| next.promise > plan.promise)
            {
                plan = Some(next);
            }
        }
        let plan = plan?;
        let filling = fill(&plan.rest, plan.most, WAYS, work)?;
        let mut placing = best.clone();
        for site in &plan.emptied {
            while let Some(job) = placing.at(*site as usize).last() {
                placing.take(*job as usize);
            }
        }
        for (job, pair) in &plan.placed {
            placing.put(*job, pair);
        }
        for ((job, choices), at) in plan.rest.jobs.iter().zip(&plan.rest.choices).zip(filling) {
            placing.put(*job, &plan.rest.pair(&choices[at]));
        }
        (placing.is_sound() && placing.beats(best)).then_some(placing)
    }

    /// Empties some sites and closes most of them again; none where that leads nowhere.
    fn plan(&self, best: &Placing, dice: &mut Draws, work: &mut u64) -> Option<Plan> {
        let emptied = self.some_sites(best, dice);
        let last = (LAST_LEAST + dice.below(LAST_MOST - LAST_LEAST + 1)).min(emptied.len());
        let jobs: usize = emptied.iter().map(|site| best.at(*site as usize).len()).sum();
        *work = work.saturating_sub(self.table.sites() as u64 + 1);
        if jobs > JOBS_MAX {
            return None;
        }
        let mut rest = Rest::new(self.table, best, emptied.clone(), self.values);
        let mut pays = |rest: &Rest, steps: usize| {
            let pairs: usize = rest.choices.iter().map(Vec::len).sum();
            *work = work.saturating_sub((pairs * steps) as u64);
        };
        let unit = 1_i64 << self.table.shift;
        let now: i64 = rest
            .jobs
            .iter()
            .zip(&rest.choices)
            .map(|(job, choices)| {
                let home = choices.iter().find(|choice| rest.sites[choice.at] == best.sites[*job]);
                home.map_or(0, |choice| choice.cost)
            })
            .sum();
        let mut target = now - unit + 1;
        pays(&rest, STEPS_FIRST);
        let bound = rest.value(target, STEPS_FIRST)?;
        let closing = emptied.len() - last;
        let reserved = self.reserved(&rest, closing, (target - bound).max(0) / 4, dice);
        let mut knapsack = Knapsack::default();
        let mut items = Vec::new();
        let mut placed = Vec::with_capacity(rest.jobs.len());
        for site in 0..closing {
            pays(&rest, STEPS_CLOSING + 4);
            rest.wanted(site, &reserved, target, &mut items);
            knapsack.solve(&mut items, self.table.capacities[emptied[site] as usize]);
            let stay: Vec<u32> = items.iter().map(|item| item.job).collect();
            let closed = rest.close(site, &stay);
            target -= closed.iter().map(|(_, pair)| pair.cost).sum::<i64>();
            placed.extend(closed);
            if rest.value(target, STEPS_CLOSING)? >= target {
                return None;
            }
        }
        pays(&rest, STEPS_LAST);
        let most = target - rest.value(target, STEPS_LAST)?;
        let promise = promise(&rest, most);
        (most > 0).then_some(Plan { emptied, placed, rest, most, promise })
    }

    /// Which sites to empty: some around one, or some anywhere; in any order.
    fn some_sites(&self, best: &Placing, dice: &mut Draws) -> Vec<u32> {
        let sites = self.table.sites();
        let most = sites.min(EMPTIED_MAX);
        let least = most.min(LAST_MOST);
        let count = least + dice.below(most - least + 1).max(dice.below(most - least + 1));
        let mut chosen: Vec<u32> = if dice.below(2) == 0 && count < sites {
            around(self.table, best, id(dice.below(sites)), count)
        } else {
            (0..id(sites)).collect()
        };
        for at in (1..chosen.len()).rev() {
            chosen.swap(at, dice.below(at + 1));
        }
        chosen.truncate(count);
        chosen
    }

    /// What jobs that have several like places on the last sites are kept back with.
    fn reserved(&self, rest: &Rest, closing: usize, reach: i64, dice: &mut Draws) -> Vec<i64> {
        let part = i64::try_from(dice.below(4)).unwrap_or(0);
        let mut reserved = vec![0; self.table.jobs()];
        for (job, choices) in rest.jobs.iter().zip(&rest.choices) {
            let mut last: Vec<i64> = choices
                .iter()
                .filter(|choice| choice.at >= closing)
                .map(|choice| rest.price(choice))
                .collect();
            last.sort_unstable();
            let least = choices.iter().map(|choice| rest.price(choice)).min();
            if let (Some(second), Some(least)) = (last.get(1), least) {
                reserved[*job] = (reach - (second - least)).max(0) * part / 4;
            }
        }
        reserved
    }
}

/// The logarithm of how many fillings to expect: how many lose little enough, times the chance that one fits.
fn promise(rest: &Rest, most: i64) -> f64 {
    let mut near = 0_u32;
    let mut takes = 0;
    let mut places = 0;
    for choices in &rest.choices {
        let Some(least) = choices.iter().map(|choice| rest.price(choice)).min() else { continue };
        let others = choices.iter().filter(|choice| rest.price(choice) - least < most).count();
        near += id(others.saturating_sub(1));
        takes += choices.iter().map(|choice| choice.takes).sum::<i64>();
        places += id(choices.len());
    }
    let ways = (2.0 * f64::from(near).sqrt()).min(2.0 * (WAYS as f64).ln());
    let spread = SPREAD * takes as f64 / f64::from(places.max(1));
    let mut chance = 0.0;
    let mut open = 0_u32;
    for (_, value) in rest.open.iter().zip(&rest.values).filter(|(open, _)| **open) {
        open += 1;
        let window = most as f64 / f64::from(open) / (*value as f64 * spread).max(1.0);
        chance += window.ln().min(0.0);
    }
    ways + chance
}

/// What is put on a site differs between ways by about so many jobs.
const SPREAD: f64 = 5.0;
