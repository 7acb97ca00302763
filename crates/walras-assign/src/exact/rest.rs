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
    /// Where the jobs may go, those of one job beside each other, and where those of each job end.
    places: Vec<Choice>,
    ends: Vec<usize>,
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
        let (mut places, mut ends) = (Vec::new(), Vec::with_capacity(jobs.len()));
        for job in &jobs {
            places.extend(table.pairs(*job).iter().filter_map(choice));
            ends.push(places.len());
        }
        Rest {
            values: sites.iter().map(|site| values[*site as usize]).collect(),
            open: vec![true; sites.len()],
            sites,
            rooms,
            jobs,
            places,
            ends,
        }
    }

    /// Where each of the jobs may go, in their order.
    pub(super) fn choices(&self) -> impl Iterator<Item = &[Choice]> {
        let begins = std::iter::once(&0).chain(&self.ends);
        begins.zip(&self.ends).map(|(begin, end)| &self.places[*begin..*end])
    }

    /// Where one of the jobs may go.
    pub(super) fn choices_of(&self, job: usize) -> &[Choice] {
        let begin = job.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.places[begin..self.ends[job]]
    }

    /// All places that jobs may have.
    pub(super) fn places(&self) -> &[Choice] {
        &self.places
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
        for choices in self.choices() {
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
            if best >= target {
                break;
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
        let (mut next, mut begin) = (0, 0);
        for job in 0..self.ends.len() {
            let end = self.ends[job];
            let least = self.places[begin..end].iter().map(|choice| self.price(choice)).min().unwrap_or(0);
            for at in begin..end {
                if self.price(&self.places[at]) - least < most.max(1) {
                    self.places[next] = self.places[at];
                    next += 1;
                }
            }
            self.ends[job] = next;
            begin = end;
        }
        self.places.truncate(next);
    }

    /// The jobs, by position, that a site would take at a profit against their cheapest other places; `must` is the profit of
    /// those that have none.
    pub(super) fn wanted(&self, site: usize, must: i64) -> Vec<Item> {
        let mut items = Vec::new();
        for (job, choices) in self.choices().enumerate() {
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

    /// What is left when a site is closed for good: these jobs stay there, the others go elsewhere. Adds who stays, and how.
    pub(super) fn close(&self, site: usize, stay: &[u32], placed: &mut Vec<(usize, Pair)>) -> Rest {
        let mut stays = vec![false; self.jobs.len()];
        stay.iter().for_each(|job| stays[*job as usize] = true);
        let left = self.jobs.len() - stay.len();
        let mut rest = Rest {
            sites: self.sites.clone(),
            rooms: self.rooms.clone(),
            values: self.values.clone(),
            open: self.open.clone(),
            jobs: Vec::with_capacity(left),
            places: Vec::with_capacity(self.places.len()),
            ends: Vec::with_capacity(left),
        };
        for ((job, choices), stays) in self.jobs.iter().zip(self.choices()).zip(stays) {
            if stays {
                let here = choices.iter().find(|choice| choice.at == site);
                placed.extend(here.map(|choice| (*job, self.pair(choice))));
            } else {
                rest.places.extend(choices.iter().filter(|choice| choice.at != site));
                rest.ends.push(rest.places.len());
                rest.jobs.push(*job);
            }
        }
        rest.open[site] = false;
        rest.values[site] = 0;
        rest
    }

    /// A choice as a pair of the problem.
    pub(super) fn pair(&self, choice: &Choice) -> Pair {
        let takes = u32::try_from(choice.takes).unwrap_or(u32::MAX);
        Pair { site: self.sites[choice.at], takes, cost: choice.cost }
    }
}
