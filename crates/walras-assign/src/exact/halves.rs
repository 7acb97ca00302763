//! A few sites filled at once: two lists of what half of the jobs could do, and which of them fit each other.
//!
//! **Problem.** Some empty sites, jobs that must go there, and a limit on what the filling may lose against the [rest's](super::rest)
//! bound. Capacities are met almost exactly by any good filling: each unit of room that stays empty counts as much as a job
//! that loses its value. Moving one job, or two, hardly ever hits that; millions of combinations must be looked at.
//!
//! **Method.** Each job begins at its cheapest place. Half of the jobs make one list, the others another: all deviations in
//! which some of them go elsewhere and lose no more than a threshold altogether, at most so many. A deviation of the one half
//! and a deviation of the other are a filling if no site overflows and what stays empty is worth little. The second list is
//! sorted by what it puts on two of the sites; for each deviation of the first, those that could fit lie next to each other (meet in the
//! middle, Horowitz and Sahni 1974). Lists of 30,000 stand for 10⁹ fillings.
//!
//! **Complexity.** O(L log L) for lists of L deviations, and what is looked at while matching, which is counted as work.

use super::rest::{Choice, Rest};

/// As many deviations as a list should have.
pub(super) const DEVIATIONS: usize = 30_000;
/// Steps by which the threshold of a list is found.
const STEPS: usize = 512;
const STEPS_WIDE: i64 = 512;
/// Loads are counted in 32 bits.
const LOAD_MAX: i64 = 1 << 30;

/// A job that can go elsewhere.
struct Mover {
    job: usize,
    /// What it loses, and which of its choices that is; least first.
    losses: Vec<(i64, usize)>,
}

/// Some jobs of a half that go elsewhere than to their cheapest places: another deviation, and one more job.
#[derive(Clone, Copy)]
struct Deviation {
    loss: i64,
    parent: u32,
    mover: u32,
    choice: u32,
}

/// All deviations of half of the jobs that lose little; what each puts on the sites more than the cheapest places do.
struct List {
    deviations: Vec<Deviation>,
    loads: Vec<i32>,
}

/// The filling of all open sites that loses least, and less than `most`: a choice for each job. None where none was found.
///
/// `deviations_max` bounds each of the lists.
pub(super) fn fill(rest: &Rest, most: i64, deviations_max: usize, work: &mut u64) -> Option<Vec<usize>> {
    let sites: Vec<usize> = (0..rest.sites.len()).filter(|site| rest.open[*site]).collect();
    if sites.iter().any(|site| rest.rooms[*site] > LOAD_MAX) || most <= 0 {
        return None;
    }
    let mut filling = Vec::with_capacity(rest.jobs.len());
    let mut room: Vec<i64> = sites.iter().map(|site| rest.rooms[*site]).collect();
    let mut movers = Vec::new();
    for (job, choices) in rest.choices().enumerate() {
        let (least, best) = choices.iter().enumerate().map(|(at, choice)| (rest.price(choice), at)).min()?;
        filling.push(best);
        let at = sites.iter().position(|site| *site == choices[best].at)?;
        room[at] -= choices[best].takes;
        let others = choices.iter().enumerate().filter(|(at, _)| *at != best);
        let losses = others.map(|(at, choice)| (rest.price(choice) - least, at));
        let mut losses: Vec<(i64, usize)> = losses.filter(|(loss, _)| *loss < most).collect();
        if !losses.is_empty() {
            losses.sort_unstable();
            movers.push(Mover { job, losses });
        }
    }
    movers.sort_by_key(|mover| (mover.losses[0].0, mover.job));
    let (one, other): (Vec<_>, Vec<_>) = movers.into_iter().enumerate().partition(|(at, _)| at % 2 == 0);
    let halves = [one, other].map(|half| half.into_iter().map(|(_, mover)| mover).collect::<Vec<_>>());
    let task = Task { rest, sites: &sites, filling: &filling, room: &room };
    let lists = [task.list(&halves[0], most, deviations_max)?, task.list(&halves[1], most, deviations_max)?];
    *work = work.saturating_sub(lists.iter().map(|list| list.deviations.len() as u64 * 10).sum());
    let met = task.meet(&lists[0], &lists[1], most, work)?;
    for ((list, movers), mut at) in lists.iter().zip(&halves).zip([met.0, met.1]) {
        while at != 0 {
            let deviation = list.deviations[at];
            filling[movers[deviation.mover as usize].job] = deviation.choice as usize;
            at = deviation.parent as usize;
        }
    }
    Some(filling)
}

struct Task<'a> {
    rest: &'a Rest,
    sites: &'a [usize],
    filling: &'a [usize],
    /// What is left of each site when all jobs have their cheapest places; below zero where they overflow.
    room: &'a [i64],
}

impl Task<'_> {
    /// The deviations of some jobs that lose less than `most`, as many of the best as are allowed.
    fn list(&self, movers: &[Mover], most: i64, deviations_max: usize) -> Option<List> {
        let threshold = threshold(movers, most, deviations_max);
        let width = self.sites.len();
        let mut list = List {
            deviations: vec![Deviation { loss: 0, parent: 0, mover: u32::MAX, choice: 0 }],
            loads: vec![0; width],
        };
        let mut at = 0;
        while at < list.deviations.len() {
            let deviation = list.deviations[at];
            let first = if at == 0 { 0 } else { deviation.mover as usize + 1 };
            for (number, mover) in movers.iter().enumerate().skip(first) {
                let left = threshold - deviation.loss;
                if mover.losses[0].0 > left {
                    break;
                }
                for (loss, choice) in mover.losses.iter().take_while(|(loss, _)| *loss <= left) {
                    if list.deviations.len() >= deviations_max {
                        return Some(list);
                    }
                    list.deviations.push(Deviation {
                        loss: deviation.loss + loss,
                        parent: u32::try_from(at).ok()?,
                        mover: u32::try_from(number).ok()?,
                        choice: u32::try_from(*choice).ok()?,
                    });
                    self.put(&mut list.loads, at * width, mover.job, *choice)?;
                }
            }
            at += 1;
        }
        Some(list)
    }

    /// Adds the loads of a deviation: those that begin at `from`, and one more job that goes elsewhere.
    fn put(&self, loads: &mut Vec<i32>, from: usize, job: usize, choice: usize) -> Option<()> {
        let choices = self.rest.choices_of(job);
        let (was, goes): (&Choice, &Choice) = (&choices[self.filling[job]], &choices[choice]);
        for (number, site) in self.sites.iter().enumerate() {
            let mut load = i64::from(loads[from + number]);
            load += if *site == goes.at { goes.takes } else { 0 };
            load -= if *site == was.at { was.takes } else { 0 };
            loads.push(i32::try_from(load).ok()?);
        }
        Some(())
    }

    /// Two deviations that together lose least, less than `most`, and overfill nothing.
    fn meet(&self, one: &List, other: &List, mut most: i64, work: &mut u64) -> Option<(usize, usize)> {
        let width = self.sites.len();
        let values: Vec<i64> = self.sites.iter().map(|site| self.rest.values[*site]).collect();
        let mut by_value: Vec<usize> = (0..width).collect();
        by_value.sort_by_key(|site| std::cmp::Reverse(values[*site]));
        let (first, second) = (*by_value.first()?, *by_value.get(1)?);
        let index = Index::new(other, width, first, second);
        let mut met = None;
        for (number, deviation) in one.deviations.iter().enumerate() {
            if deviation.loss >= most || *work == 0 {
                continue;
            }
            let loads = &one.loads[number * width..][..width];
            let room = |site: usize| self.room[site] - i64::from(loads[site]);
            // What stays empty is worth no more than may still be lost; room that is worth nothing may all stay empty.
            let empty =
                |site: usize| (most - deviation.loss).checked_div(values[site]).unwrap_or(4 * LOAD_MAX);
            let window = |site: usize| room(site) - empty(site)..=room(site);
            let (low, high) = (window(first), window(second));
            let mut looked = 8;
            for group in index.groups(*low.start(), *low.end()) {
                looked += 4;
                for at in index.within(group, *high.start(), *high.end()) {
                    looked += 1;
                    let other_loads = &index.loads[at * width..][..width];
                    let mut loss = deviation.loss + index.losses[at];
                    for (site, load) in other_loads.iter().enumerate() {
                        let empty = room(site) - i64::from(*load);
                        loss += if empty < 0 { i64::MAX / 64 } else { empty * values[site] };
                        if loss >= most {
                            break;
                        }
                    }
                    if loss < most {
                        most = loss;
                        met = Some((number, index.order[at]));
                    }
                }
            }
            *work = work.saturating_sub(looked);
        }
        met
    }
}

/// A list sorted by what it puts on two sites.
struct Index {
    /// Which deviation of the list each is.
    order: Vec<usize>,
    losses: Vec<i64>,
    loads: Vec<i32>,
    /// What those of a group put on the second site.
    seconds: Vec<i64>,
    /// What a group puts on the first site, and where it begins and ends.
    heads: Vec<(i64, usize, usize)>,
}

impl Index {
    fn new(list: &List, width: usize, first: usize, second: usize) -> Index {
        let load = |deviation: usize, site: usize| list.loads[deviation * width + site];
        let mut order: Vec<usize> = (0..list.deviations.len()).collect();
        order.sort_unstable_by_key(|deviation| {
            (load(*deviation, first), load(*deviation, second), list.deviations[*deviation].loss, *deviation)
        });
        let mut heads: Vec<(i64, usize, usize)> = Vec::new();
        for (at, deviation) in order.iter().enumerate() {
            let head = i64::from(load(*deviation, first));
            match heads.last_mut() {
                Some((last, _, end)) if *last == head => *end = at + 1,
                _ => heads.push((head, at, at + 1)),
            }
        }
        Index {
            losses: order.iter().map(|deviation| list.deviations[*deviation].loss).collect(),
            loads: order
                .iter()
                .flat_map(|deviation| &list.loads[deviation * width..][..width])
                .copied()
                .collect(),
            seconds: order.iter().map(|deviation| i64::from(load(*deviation, second))).collect(),
            heads,
            order,
        }
    }

    /// The groups that put on the first site something within these bounds.
    fn groups(&self, low: i64, high: i64) -> impl Iterator<Item = &(i64, usize, usize)> {
        let begin = self.heads.partition_point(|(head, ..)| *head < low);
        self.heads[begin..].iter().take_while(move |(head, ..)| *head <= high)
    }

    /// Those of a group that put on the second site something within these bounds.
    fn within(&self, group: &(i64, usize, usize), low: i64, high: i64) -> impl Iterator<Item = usize> {
        let (_, begin, end) = *group;
        let from = begin + self.seconds[begin..end].partition_point(|second| *second < low);
        (from..end).take_while(move |at| self.seconds[*at] <= high)
    }
}

/// What the deviations of a list may lose, so that there are at most so many: counted in steps, which never counts too few.
fn threshold(movers: &[Mover], most: i64, deviations_max: usize) -> i64 {
    let step = most / STEPS_WIDE + 1;
    let steps_of = |loss: i64| usize::try_from(loss / step).unwrap_or(STEPS);
    let mut counts = vec![0_u64; STEPS];
    counts[0] = 1;
    for mover in movers {
        for at in (0..STEPS).rev() {
            let with = mover.losses.iter().map(|(loss, _)| steps_of(*loss)).take_while(|steps| *steps <= at);
            let sum = with
                .map(|steps| if steps == 0 { 0 } else { counts[at - steps] })
                .fold(0, u64::saturating_add);
            let ties = mover.losses.iter().take_while(|(loss, _)| steps_of(*loss) == 0).count() as u64;
            counts[at] = counts[at].saturating_mul(ties + 1).saturating_add(sum);
        }
    }
    let mut all = 0_u64;
    let within = counts.iter().take_while(|count| {
        all = all.saturating_add(**count);
        all <= deviations_max as u64
    });
    let steps = i64::try_from(within.count()).unwrap_or(0);
    (steps * step - 1).clamp(0, most - 1)
}

#[cfg(test)]
mod tests {
    use super::super::placing::Placing;
    use super::super::table::{Table, id};
    use super::*;
    use proptest::prelude::*;
    use walras_model::market::Pair;

    /// The least that any filling costs; none where nothing fits.
    fn brute(rest: &Rest) -> Option<i64> {
        fn from(rest: &Rest, job: usize, room: &mut [i64]) -> Option<i64> {
            if job == rest.jobs.len() {
                return Some(0);
            }
            let mut best = None;
            for choice in rest.choices_of(job) {
                room[choice.at] -= choice.takes;
                if room[choice.at] >= 0
                    && let Some(others) = from(rest, job + 1, room)
                {
                    let cost = others + choice.cost;
                    best = Some(best.map_or(cost, |best: i64| best.min(cost)));
                }
                room[choice.at] += choice.takes;
            }
            best
        }
        from(rest, 0, &mut rest.rooms.clone())
    }

    /// A rest of all sites, and of all jobs, wherever they were.
    fn rest(rooms: &[u32], jobs: &[Vec<(u32, i64)>], values: &[i64]) -> Rest {
        let pairs = jobs.iter().map(|job| {
            let places = job.iter().zip(0..).take(rooms.len());
            places.map(|((takes, cost), site)| Pair { site, takes: *takes, cost: *cost }).collect()
        });
        let table = Table::part(rooms.to_vec(), pairs.collect(), 0);
        let mut placing = Placing::new(&table);
        for job in 0..table.jobs() {
            placing.put(job, &table.pairs(job)[0]);
        }
        Rest::new(&table, &placing, (0..id(rooms.len())).collect(), values)
    }

    proptest! {
        /// With lists that hold everything, the best filling below the limit is found, whatever the values are; and a
        /// filling costs the bound and what it loses.
        #[test]
        fn lists_find_the_best_filling(
            rooms in prop::collection::vec(5_u32..14, 2..4),
            jobs in prop::collection::vec(prop::collection::vec((1_u32..6, 1_i64..30), 3), 1..7),
            values in prop::collection::vec(0_i64..6, 3),
            steps in 0_usize..6,
            most in 1_i64..80,
        ) {
            let mut rest = rest(&rooms, &jobs, &values);
            let priced = rest.value(1_000, steps.max(1));
            let best = brute(&rest);
            let found = fill(&rest, most, 1 << 20, &mut u64::MAX.clone());
            let Some(bound) = priced else { return Ok(()) };
            prop_assert!(best.is_none_or(|best| bound <= best));
            let cost = found.map(|found| {
                let mut room = rest.rooms.clone();
                let mut cost = 0;
                for (at, choices) in found.iter().zip(rest.choices()) {
                    room[choices[*at].at] -= choices[*at].takes;
                    cost += choices[*at].cost;
                }
                assert!(room.iter().all(|room| *room >= 0), "nothing overflows");
                cost
            });
            match best {
                Some(best) if best - bound < most => prop_assert_eq!(cost, Some(best)),
                Some(best) => prop_assert!(cost.is_none_or(|cost| cost >= best)),
                None => prop_assert_eq!(cost, None),
            }
            // Short lists find what they find, and nothing that does not fit.
            if let Some(short) = fill(&rest, most, 3, &mut 100) {
                prop_assert_eq!(short.len(), rest.jobs.len());
            }
        }
    }
}
