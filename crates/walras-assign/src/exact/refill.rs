//! Refills: some sites are emptied, closed again one by one, and the last few filled at once.
//!
//! **Problem.** Where what a job costs and what it takes are opposed (class d of the public instances), every site of a good
//! placing is full to the last unit and no job is far from its cheapest place. Chains of moves, dives and exact fillings of
//! a few sites end where every site loses a little: to be rid of the last unit needs many combinations, and a few sites
//! have few.
//!
//! **Method.** Sites are emptied. All but the last few are closed, one after the other, each with the set of jobs that raises
//! the [bound](super::rest) of what is left least: a knapsack, in which a job's profit is what its cheapest other place
//! would cost. Among many jobs there are many sets that fill a site exactly, so the first sites cost next to
//! nothing; several that lose little are [drawn](super::closing), and the plans with the least bounds go on (a beam). What is lost is
//! gathered in the sites that are left last, which are filled by matching two [lists](super::halves); of the plans those
//! are matched for which the number of fillings, times the chance that one fits, promises most.
//!
//! **Complexity.** For every site closed, at most [`PLANS`] knapsacks and [`TRIES`] times jobs × sites × steps of valuing; for a matching, see
//! there. Both are counted as work.
//!
//! **Sources.** Own work; a knapsack per site against prices is Fisher, Jaikumar and Van Wassenhove's (1986).

use super::closing::Closing;
use super::halves::{DEVIATIONS, fill};
use super::neighbourhood::around;
use super::placing::Placing;
use super::rest::Rest;
use super::table::{Table, id};
use walras_model::market::Pair;
use walras_random::Draws;

/// The most sites that are emptied at once; the fewest, and the fewest and most that are filled last.
const EMPTIED_MAX: usize = 24;
const EMPTIED_LEAST: usize = 6;
const LAST_LEAST: usize = 4;
const LAST_MOST: usize = 5;
/// The most jobs that are moved at once.
const JOBS_MAX: usize = 4_000;
/// Ways to close a site that are tried, the plans that are kept of them, and those that are matched in the end.
const TRIES: usize = 64;
const PLANS: usize = 16;
const MATCHED: usize = 8;
/// A closing may lose one part in so many of what may still be lost, or half of that.
const ALLOWED_PART: i64 = 8;
/// Where all sites could be emptied, one refill in so many empties some.
const SOME_EVERY: usize = 4;
/// Cells of a closing's table that take as long as a step of other work.
const CELLS_PER_STEP: u64 = 4;
/// Steps of valuing at first, after each closing, and before the last sites are filled.
const STEPS_FIRST: usize = 40;
const STEPS_CLOSING: usize = 12;
const STEPS_LAST: usize = 80;
/// What deviations put on a site differs by about so many jobs.
const SPREAD: f64 = 5.0;

/// What refills start from.
pub(super) struct Refills<'a> {
    pub(super) table: &'a Table,
    /// What a unit of each site's room is worth, roughly.
    pub(super) values: &'a [i64],
}

/// Some sites closed, and what is left to be filled.
struct Plan {
    placed: Vec<(usize, Pair)>,
    rest: Rest,
    /// A filling of the rest that costs less is better than what is known.
    target: i64,
    /// No filling of the rest costs less.
    bound: i64,
}

impl Refills<'_> {
    /// A better placing, if this refill found one. All jobs of `best` must have places.
    pub(super) fn refill(&self, best: &Placing, dice: &mut Draws, work: &mut u64) -> Option<Placing> {
        let emptied = self.some_sites(best, dice);
        let last = LAST_LEAST + dice.below(LAST_MOST - LAST_LEAST + 1);
        let jobs: usize = emptied.iter().map(|site| best.at(*site as usize).len()).sum();
        *work = work.saturating_sub(self.table.sites() as u64 + 1);
        if jobs > JOBS_MAX {
            return None;
        }
        let mut plans = vec![self.begin(best, &emptied, work)?];
        let part = if dice.below(2) == 0 { ALLOWED_PART } else { 2 * ALLOWED_PART };
        for site in 0..emptied.len().saturating_sub(last) {
            plans = self.close_all(&plans, site, part, dice, work);
        }
        for plan in ranked(plans, work) {
            if let Some(filling) = fill(&plan.rest, plan.target - plan.bound, DEVIATIONS, work) {
                let placing = plan.apply(best, &emptied, &filling);
                return (placing.is_sound() && placing.beats(best)).then_some(placing);
            }
        }
        None
    }

    /// Which sites to empty: some around one, or some anywhere, or all where they are few; in any order.
    fn some_sites(&self, best: &Placing, dice: &mut Draws) -> Vec<u32> {
        let sites = self.table.sites();
        let most = sites.min(EMPTIED_MAX);
        let least = most.min(EMPTIED_LEAST);
        let all = most == sites && dice.below(SOME_EVERY) > 0;
        let count = if all { most } else { least + dice.below(most - least + 1) };
        let mut chosen: Vec<u32> = if count < sites && dice.below(2) == 0 {
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

    /// Some sites emptied, none closed; none where nothing can be won.
    fn begin(&self, best: &Placing, emptied: &[u32], work: &mut u64) -> Option<Plan> {
        let mut rest = Rest::new(self.table, best, emptied.to_vec(), self.values);
        let costs = rest.jobs.iter().zip(rest.choices()).map(|(job, choices)| {
            let home = choices.iter().find(|choice| rest.sites[choice.at] == best.sites[*job]);
            home.map_or(0, |choice| choice.cost)
        });
        let target = costs.sum::<i64>() + 1 - (1_i64 << self.table.shift);
        pay(&rest, STEPS_FIRST, work);
        let bound = rest.value(target, STEPS_FIRST)?;
        (bound < target).then_some(Plan { placed: Vec::new(), rest, target, bound })
    }

    /// Closes a site in several ways in each plan; the plans with the least bounds. A closing may lose one part in `part` of what
    /// its plan may still lose.
    fn close_all(
        &self,
        plans: &[Plan],
        site: usize,
        part: i64,
        dice: &mut Draws,
        work: &mut u64,
    ) -> Vec<Plan> {
        let mut next: Vec<Plan> = Vec::new();
        for plan in plans {
            let most = (plan.target - plan.bound) / part;
            let capacity = self.table.capacities[plan.rest.sites[site] as usize];
            let wanted = plan.rest.wanted(site, plan.target);
            let Some(closing) = Closing::new(wanted, capacity, most, dice) else { continue };
            *work = work.saturating_sub(closing.cells() / CELLS_PER_STEP);
            for number in 0..TRIES / plans.len() {
                pay(&plan.rest, STEPS_CLOSING, work);
                let most = if number == 0 { 0 } else { most };
                next.extend(plan.close(site, &closing.draw(most, dice)));
            }
        }
        next.sort_by_key(Plan::left);
        next.dedup_by_key(|plan| plan.left());
        next.truncate(PLANS);
        next
    }
}

impl Plan {
    /// What may still be lost, negated, and how many jobs are left; the least first.
    fn left(&self) -> (i64, usize) {
        (self.bound - self.target, self.rest.jobs.len())
    }

    /// One more site closed, with these jobs; none where nothing can be won any more.
    fn close(&self, site: usize, stay: &[u32]) -> Option<Plan> {
        let mut placed = self.placed.clone();
        let mut rest = self.rest.close(site, stay, &mut placed);
        let closed = &placed[self.placed.len()..];
        let target = self.target - closed.iter().map(|(_, pair)| pair.cost).sum::<i64>();
        let bound = rest.value(target, STEPS_CLOSING)?;
        (bound < target).then_some(Plan { placed, rest, target, bound })
    }

    /// The placing that follows from filling the rest in this way.
    fn apply(&self, best: &Placing, emptied: &[u32], filling: &[usize]) -> Placing {
        let mut placing = best.clone();
        for site in emptied {
            while let Some(job) = placing.at(*site as usize).last() {
                placing.take(*job as usize);
            }
        }
        for (job, pair) in &self.placed {
            placing.put(*job, pair);
        }
        for ((job, choices), at) in self.rest.jobs.iter().zip(self.rest.choices()).zip(filling) {
            placing.put(*job, &self.rest.pair(&choices[*at]));
        }
        placing
    }

    /// The logarithm of how many fillings to expect: how many lose little enough, times the chance that one fits.
    fn promise(&self) -> f64 {
        let (rest, most) = (&self.rest, self.target - self.bound);
        // Valuing leaves only places with which a filling can lose less than that.
        let places = rest.places().len();
        let near = places.saturating_sub(rest.jobs.len()) as f64;
        let takes: i64 = rest.places().iter().map(|choice| choice.takes).sum();
        let spread = SPREAD * takes as f64 / places.max(1) as f64;
        let mut promise = (2.0 * near.sqrt()).min(2.0 * (DEVIATIONS as f64).ln());
        let open = rest.open.iter().zip(&rest.values).filter(|(open, _)| **open);
        for ((_, value), number) in open.zip(1_u32..) {
            let window = most as f64 / f64::from(number) / (*value as f64 * spread).max(1.0);
            promise += window.ln().min(0.0);
        }
        promise
    }
}

/// The plans that promise most, the most first.
fn ranked(mut plans: Vec<Plan>, work: &mut u64) -> Vec<Plan> {
    let mut ranked: Vec<(f64, Plan)> = Vec::with_capacity(plans.len());
    for mut plan in plans.drain(..) {
        pay(&plan.rest, STEPS_LAST, work);
        let Some(bound) = plan.rest.value(plan.target, STEPS_LAST) else { continue };
        plan.bound = bound;
        if bound < plan.target {
            ranked.push((plan.promise(), plan));
        }
    }
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
    ranked.into_iter().map(|(_, plan)| plan).take(MATCHED).collect()
}

/// Counts what so many steps of valuing look at.
fn pay(rest: &Rest, steps: usize, work: &mut u64) {
    *work = work.saturating_sub((rest.places().len() * steps) as u64);
}

#[cfg(test)]
mod tests {
    use super::super::repair::place_missing;
    use super::*;
    use proptest::prelude::*;

    /// Jobs that cost the more the less they take, and sites with a share of what an even distribution would take.
    fn opposed(sites: u32, jobs: usize, percent: u32, dice: &mut Draws) -> Table {
        let mut draw = |count: usize| i64::try_from(dice.below(count)).unwrap();
        let mut loads = vec![0; sites as usize];
        let mut pairs = Vec::new();
        for _ in 0..jobs {
            let places = (0..sites).map(|site| {
                let takes = 1 + draw(100);
                loads[site as usize] += takes;
                Pair { site, takes: u32::try_from(takes).unwrap(), cost: (111 - takes + draw(21) - 10) << 20 }
            });
            pairs.push(places.collect());
        }
        let share = |load: &i64| u32::try_from(*load).unwrap() / sites * percent / 100;
        Table::part(loads.iter().map(share).collect(), pairs, 20)
    }

    /// A placing that no chain of moves improves.
    fn placed(table: &Table) -> Placing {
        let mut placing = Placing::new(table);
        let mut work = 10_000_000;
        (1..4).for_each(|depth| place_missing(table, &mut placing, depth, &mut work));
        placing.improve(table, 2, &mut work);
        placing
    }

    fn cheapest(table: &Table, job: usize, room: &mut [i64]) -> Option<i64> {
        if job == table.jobs() {
            return Some(0);
        }
        let mut best: Option<i64> = None;
        for pair in table.pairs(job) {
            room[pair.site as usize] -= i64::from(pair.takes);
            if room[pair.site as usize] >= 0
                && let Some(others) = cheapest(table, job + 1, room)
            {
                best = Some(best.map_or(i64::MAX, |best| best).min(others + pair.cost));
            }
            room[pair.site as usize] += i64::from(pair.takes);
        }
        best
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        /// Whatever is found is sound, better than before, and no better than the best there is.
        #[test]
        fn refills_are_sound_and_never_below_the_optimum(seed in any::<u64>(), sites in 3_u32..6, percent in 80_u32..130) {
            let mut dice = Draws::new(seed);
            let table = opposed(sites, 7, percent, &mut dice);
            let mut best = placed(&table);
            prop_assume!(best.missing == 0);
            let mut room: Vec<i64> = table.capacities.iter().copied().map(i64::from).collect();
            let optimum = cheapest(&table, 0, &mut room).expect("a placing is known");
            let values = vec![1 << 20; table.sites()];
            for _ in 0..6 {
                let refills = Refills { table: &table, values: &values };
                if let Some(next) = refills.refill(&best, &mut dice, &mut 10_000_000) {
                    prop_assert!(next.is_sound() && next.missing == 0);
                    prop_assert!(optimum <= next.cost && next.cost < best.cost);
                    best = next;
                }
            }
        }
    }

    #[test]
    fn what_chains_no_longer_improve_is_refilled() {
        let mut dice = Draws::new(7);
        let table = opposed(8, 120, 80, &mut dice);
        let mut best = placed(&table);
        assert_eq!(best.missing, 0);
        let before = best.cost >> table.shift;
        let values = vec![1 << 20; table.sites()];
        for _ in 0..6 {
            let refills = Refills { table: &table, values: &values };
            best = refills.refill(&best, &mut dice, &mut 100_000_000).unwrap_or(best);
        }
        let after = best.cost >> table.shift;
        assert!(best.is_sound() && best.missing == 0);
        assert!(after + 40 <= before, "{before} became {after}");
    }
}
