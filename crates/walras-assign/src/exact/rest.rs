//! What is left of a problem: some empty sites, the jobs that must go there, and what a unit of each site's room is worth.
//!
//! With a value for room, every job has a cheapest place, `cost + value · takes`, and what all pay there, less what all
//! room is worth, is a bound: no filling of these sites costs less (the capacities relaxed, the linear relaxation's
//! bound where the values are best). A filling costs the bound, what its jobs lose against their cheapest
//! places, and what the room that stays empty is worth; nothing else. So a good filling is one in which few jobs lose
//! a little and no room stays empty.

use super::knapsack::Item;
use super::placing::Placing;
use super::table::{Table, id, whole};
use walras_model::market::Pair;

/// How much shorter the steps get when the bound does not rise.
const SHORTER: f64 = 0.75;

/// A place that a job may have; the site is its position among those left.
#[derive(Clone, Copy, Debug)]
pub(super) struct Choice {
    pub(super) at: usize,
    pub(super) takes: i64,
    pub(super) cost: i64,
}

/// Empty sites, and the jobs that must go there.
#[derive(Clone, Debug)]
pub(super) struct Rest {
    /// The sites, by their ids.
    pub(super) sites: Vec<u32>,
    pub(super) rooms: Vec<i64>,
    /// What a unit of room is worth.
    pub(super) values: Vec<i64>,
    pub(super) open: Vec<bool>,
    pub(super) jobs: Vec<usize>,
    /// Where each of the jobs may go, in the same order.
    pub(super) choices: Vec<Vec<Choice>>,
}

impl Rest {
    /// These sites without their jobs.
    pub(super) fn new(table: &Table, placing: &Placing, sites: Vec<u32>, values: &[i64]) -> Rest {
        let mut local = vec![usize::MAX; table.sites()];
        for (at, site) in sites.iter().enumerate() {
            local[*site as usize] = at;
        }
        let jobs: Vec<usize> =
            sites.iter().flat_map(|site| placing.at(*site as usize)).map(|job| *job as usize).collect();
        let rooms: Vec<i64> = sites.iter().map(|site| i64::from(table.capacities[*site as usize])).collect();
        let choice = |pair: &Pair| {
            let (at, takes) = (local[pair.site as usize], i64::from(pair.takes));
            (at != usize::MAX && takes <= rooms[at]).then_some(Choice { at, takes, cost: pair.cost })
        };
        let choices = jobs.iter().map(|job| table.pairs(*job).iter().filter_map(choice).collect()).collect();
        Rest {
            values: sites.iter().map(|site| values[*site as usize]).collect(),
            open: vec![true; sites.len()],
            sites,
            rooms,
            jobs,
            choices,
        }
    }

    /// What a job pays for a place, room included.
    pub(super) fn price(&self, choice: &Choice) -> i64 {
        choice.cost.saturating_add(self.values[choice.at].saturating_mul(choice.takes))
    }

    /// The bound at the present values, and by how much more than its room each site is wanted. None where a job has no place.
    fn bound(&self, excess: &mut [i64]) -> Option<i64> {
        let mut bound = 0_i64;
        for (at, excess) in excess.iter_mut().enumerate() {
            *excess = 0;
            if self.open[at] {
                *excess = -self.rooms[at];
                bound = bound.saturating_sub(self.values[at].saturating_mul(self.rooms[at]));
            }
        }
        for choices in &self.choices {
            let (mut least, mut best) = (i64::MAX, None);
            for choice in choices {
                let price = self.price(choice);
                if price < least {
                    (least, best) = (price, Some(choice));
                }
            }
            let best = best?;
            bound = bound.saturating_add(least);
            excess[best.at] += best.takes;
        }
        Some(bound)
    }

    /// Moves the values for a greater bound, in so many steps; gives the greatest, none where a job has no place.
    ///
    /// `target` is what a filling costs that is known or hoped for.
    pub(super) fn value(&mut self, target: i64, steps: usize) -> Option<i64> {
        let mut excess = vec![0; self.sites.len()];
        let (mut best, mut kept) = (i64::MIN, self.values.clone());
        let mut length = 1.0;
        for _ in 0..steps {
            let bound = self.bound(&mut excess)?;
            if bound > best {
                best = bound;
                kept.copy_from_slice(&self.values);
            } else {
                length *= SHORTER;
            }
            let pull = |(excess, value): (&i64, &i64)| {
                if *value > 0 || *excess > 0 { (*excess as f64) * (*excess as f64) } else { 0.0 }
            };
            let norm: f64 = excess.iter().zip(&self.values).map(pull).sum();
            if norm < 0.5 {
                break;
            }
            let step = length * (target - bound).max(1) as f64 / norm;
            for (value, excess) in self.values.iter_mut().zip(&excess) {
                *value = value.saturating_add(whole(step * (*excess as f64))).max(0);
            }
        }
        self.values = kept;
        self.forget(target - best);
        Some(best)
    }

    /// Forgets places where a job loses so much that no filling with it is below the target.
    fn forget(&mut self, most: i64) {
        let values = &self.values;
        let price =
            |choice: &Choice| choice.cost.saturating_add(values[choice.at].saturating_mul(choice.takes));
        for choices in &mut self.choices {
            let least = choices.iter().map(price).min().unwrap_or(0);
            choices.retain(|choice| price(choice) - least < most.max(1));
        }
    }

    /// The jobs, by position, that a site would take at a profit against their cheapest other places; `must` is the profit of
    /// those that have none.
    pub(super) fn wanted(&self, site: usize, must: i64) -> Vec<Item> {
        let mut items = Vec::new();
        for (job, choices) in self.choices.iter().enumerate() {
            let Some(choice) = choices.iter().find(|choice| choice.at == site) else { continue };
            let others = choices.iter().filter(|choice| choice.at != site);
            let cheapest = others.map(|choice| self.price(choice)).min();
            let profit = cheapest.map_or(must, |cheapest| cheapest - choice.cost);
            if let (true, Ok(takes)) = (profit > 0, u32::try_from(choice.takes)) {
                items.push(Item { profit, takes, job: id(job) });
            }
        }
        items
    }

    /// Closes a site for good: these jobs stay there, the others go elsewhere. Gives who stays, and how.
    pub(super) fn close(&mut self, site: usize, stay: &[Item]) -> Vec<(usize, Pair)> {
        let mut stays = vec![false; self.jobs.len()];
        stay.iter().for_each(|item| stays[item.job as usize] = true);
        let mut placed = Vec::with_capacity(stay.len());
        let mut next = 0;
        for (job, stays) in stays.into_iter().enumerate() {
            let mut choices = std::mem::take(&mut self.choices[job]);
            if stays {
                let here = choices.iter().find(|choice| choice.at == site);
                placed.extend(here.map(|choice| (self.jobs[job], self.pair(choice))));
                continue;
            }
            choices.retain(|choice| choice.at != site);
            self.choices[next] = choices;
            self.jobs[next] = self.jobs[job];
            next += 1;
        }
        self.jobs.truncate(next);
        self.choices.truncate(next);
        self.open[site] = false;
        self.values[site] = 0;
        placed
    }

    /// A choice as a pair of the problem.
    pub(super) fn pair(&self, choice: &Choice) -> Pair {
        let takes = u32::try_from(choice.takes).unwrap_or(u32::MAX);
        Pair { site: self.sites[choice.at], takes, cost: choice.cost }
    }
}
