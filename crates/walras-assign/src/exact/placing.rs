//! A placing of jobs on sites that is being changed: rooms, costs, and the moves that improve it.
//!
//! A job that has no place counts a penalty above any cost, so that placing it is the greatest gain of all. Moves are chains:
//! a job goes where it costs less; where there is no room, one of the jobs there makes way and goes on, as long as
//! the chain so far saves anything. Every improving chain and cycle has a start from which all its parts save, so nothing is lost by that
//! rule (Lin and Kernighan).

use super::table::{Table, id};
use walras_model::market::Pair;

/// Sites that hold more jobs than this are not searched for one that makes way.
const CROWD: usize = 128;

/// No place.
pub(super) const NONE: u32 = u32::MAX;

/// Where every job is.
#[derive(Clone, Debug)]
pub(super) struct Placing {
    /// The site of each job, or [`NONE`].
    pub(super) sites: Vec<u32>,
    /// What each job costs there; the penalty without a place.
    costs: Vec<i64>,
    takes: Vec<u32>,
    at: Vec<Vec<u32>>,
    /// Where each job is in the list of its site.
    position: Vec<u32>,
    room: Vec<i64>,
    penalty: i64,
    /// Moves that save less are not made.
    least_gain: i64,
    /// What all cost together, penalties included.
    pub(super) cost: i64,
    /// How many have no place.
    pub(super) missing: usize,
}

impl Placing {
    /// Nobody placed.
    pub(super) fn new(table: &Table) -> Placing {
        let dearest = (0..table.jobs()).filter_map(|job| table.pairs(job).last()).map(|pair| pair.cost).max();
        let penalty = 2 * dearest.unwrap_or(0) + 1;
        let jobs = table.jobs();
        Placing {
            sites: vec![NONE; jobs],
            costs: vec![penalty; jobs],
            takes: vec![0; jobs],
            position: vec![0; jobs],
            at: vec![Vec::new(); table.sites()],
            room: table.capacities.iter().copied().map(i64::from).collect(),
            penalty,
            least_gain: 1 + (penalty >> 20),
            cost: penalty * i64::try_from(jobs).unwrap_or(i64::MAX / penalty),
            missing: jobs,
        }
    }

    /// The jobs on a site.
    pub(super) fn at(&self, site: usize) -> &[u32] {
        &self.at[site]
    }

    /// What is left of a site.
    pub(super) fn room(&self, site: usize) -> i64 {
        self.room[site]
    }

    fn fits(&self, pair: &Pair) -> bool {
        self.room[pair.site as usize] >= i64::from(pair.takes)
    }

    /// Puts a job that has no place somewhere, whether it fits or not.
    pub(super) fn put(&mut self, job: usize, pair: &Pair) {
        self.sites[job] = pair.site;
        self.cost += pair.cost - self.costs[job];
        self.costs[job] = pair.cost;
        self.takes[job] = pair.takes;
        self.room[pair.site as usize] -= i64::from(pair.takes);
        let there = &mut self.at[pair.site as usize];
        self.position[job] = id(there.len());
        there.push(id(job));
        self.missing -= 1;
    }

    /// Takes a job from its place; gives where it was.
    pub(super) fn take(&mut self, job: usize) -> Pair {
        let pair = Pair { site: self.sites[job], takes: self.takes[job], cost: self.costs[job] };
        let there = &mut self.at[pair.site as usize];
        let position = self.position[job];
        there.swap_remove(position as usize);
        if let Some(moved) = there.get(position as usize) {
            self.position[*moved as usize] = position;
        }
        self.room[pair.site as usize] += i64::from(pair.takes);
        self.sites[job] = NONE;
        self.cost += self.penalty - self.costs[job];
        self.costs[job] = self.penalty;
        self.takes[job] = 0;
        self.missing += 1;
        pair
    }

    /// Becomes like another placing of the same jobs, without new memory.
    pub(super) fn copy(&mut self, other: &Placing) {
        self.sites.copy_from_slice(&other.sites);
        self.costs.copy_from_slice(&other.costs);
        self.takes.copy_from_slice(&other.takes);
        self.position.copy_from_slice(&other.position);
        self.room.copy_from_slice(&other.room);
        for (at, others) in self.at.iter_mut().zip(&other.at) {
            at.clone_from(others);
        }
        (self.cost, self.missing) = (other.cost, other.missing);
    }

    /// Whether no site is overfilled.
    pub(super) fn is_sound(&self) -> bool {
        self.room.iter().all(|room| *room >= 0)
    }

    /// Whether this is better: fewer without a place, or as many at less cost.
    pub(super) fn beats(&self, other: &Placing) -> bool {
        (self.missing, self.cost) < (other.missing, other.cost)
    }

    /// Improves from some jobs on: jobs where others came or left join them.
    pub(super) fn settle(&mut self, table: &Table, mut queue: Vec<usize>, depth: usize, work: &mut u64) {
        while let Some(job) = queue.pop() {
            let home = self.sites[job];
            if *work == 0 || !(self.move_one(table, job, depth, work) || self.trade(table, job, work)) {
                continue;
            }
            for site in [home, self.sites[job]].into_iter().filter(|site| *site != NONE) {
                let there = &self.at[site as usize];
                queue.extend(there.iter().take(8).map(|other| *other as usize).filter(|other| *other != job));
            }
            queue.push(job);
        }
    }

    /// Improves until no job has an improving chain of that depth, or the work is used up.
    pub(super) fn improve(&mut self, table: &Table, depth: usize, work: &mut u64) {
        let mut queue: Vec<usize> = (0..table.jobs()).collect();
        loop {
            let before = self.cost;
            for job in &queue {
                while *work > 0 && (self.move_one(table, *job, depth, work) || self.trade(table, *job, work))
                {
                }
            }
            if self.cost == before || *work == 0 {
                return;
            }
            queue.sort_by_key(|job| std::cmp::Reverse(self.costs[*job] - table.pairs(*job)[0].cost));
        }
    }

    /// One improving chain that begins with this job.
    pub(super) fn move_one(&mut self, table: &Table, job: usize, depth: usize, work: &mut u64) -> bool {
        let cost = self.costs[job];
        let from = (self.sites[job] != NONE).then(|| self.take(job));
        if self.chase(table, job, cost - self.least_gain, from.map(|pair| pair.site), depth, work) {
            return true;
        }
        if let Some(pair) = from {
            self.put(job, &pair);
        }
        false
    }

    /// Finds a place below `limit` for a job without one, moving others on if need be.
    fn chase(
        &mut self,
        table: &Table,
        job: usize,
        limit: i64,
        from: Option<u32>,
        depth: usize,
        work: &mut u64,
    ) -> bool {
        let pairs = table.pairs(job);
        let affordable = pairs.partition_point(|pair| pair.cost < limit);
        *work = work.saturating_sub(affordable as u64 + 1);
        let candidates = pairs[..affordable].iter().filter(|pair| Some(pair.site) != from);
        if let Some(pair) = candidates.clone().find(|pair| self.fits(pair)) {
            self.put(job, pair);
            return true;
        }
        if depth == 0 {
            return false;
        }
        candidates
            .clone()
            .any(|pair| *work > 0 && self.push_in(table, job, pair, limit - pair.cost, depth, work))
    }

    /// Puts a job on a full site if one that makes way finds a place that costs less than `gain` more.
    fn push_in(
        &mut self,
        table: &Table,
        job: usize,
        pair: &Pair,
        gain: i64,
        depth: usize,
        work: &mut u64,
    ) -> bool {
        let site = pair.site as usize;
        if self.at[site].len() > CROWD {
            return false;
        }
        for position in 0..self.at[site].len() {
            let other = self.at[site][position] as usize;
            if self.room[site] + i64::from(self.takes[other]) < i64::from(pair.takes) {
                continue;
            }
            let limit = self.costs[other] + gain;
            if !self.worth_trying(table, other, limit, pair.site, depth - 1, work) {
                continue;
            }
            let was = self.take(other);
            self.put(job, pair);
            if self.chase(table, other, limit, Some(pair.site), depth - 1, work) {
                return true;
            }
            self.take(job);
            self.put(other, &was);
            // Back in its position, so that the walk over the list goes on.
            let last = self.at[site].len() - 1;
            self.at[site].swap(position, last);
            for at in [position, last] {
                self.position[self.at[site][at] as usize] = id(at);
            }
        }
        false
    }

    /// Whether a chain could go on with this job: at the last step only if it fits somewhere as things are.
    fn worth_trying(
        &self,
        table: &Table,
        job: usize,
        limit: i64,
        from: u32,
        depth: usize,
        work: &mut u64,
    ) -> bool {
        let pairs = table.pairs(job);
        if depth > 0 {
            return pairs[0].cost < limit;
        }
        for pair in pairs {
            if pair.cost >= limit {
                return false;
            }
            *work = work.saturating_sub(1);
            if pair.site != from && self.fits(pair) {
                return true;
            }
        }
        false
    }

    /// Trades the places of a job on a crowded site and one elsewhere: chains do not look into crowds.
    fn trade(&mut self, table: &Table, job: usize, work: &mut u64) -> bool {
        let home = self.sites[job];
        if home == NONE || self.at[home as usize].len() <= CROWD {
            return false;
        }
        let was = Pair { site: home, takes: self.takes[job], cost: self.costs[job] };
        for pair in table.pairs(job) {
            for position in 0..self.at[pair.site as usize].len().min(CROWD) {
                *work = work.saturating_sub(1);
                let other = self.at[pair.site as usize][position] as usize;
                if pair.cost - was.cost >= self.costs[other]
                    || self.room[pair.site as usize] + i64::from(self.takes[other]) < i64::from(pair.takes)
                {
                    continue;
                }
                let Some(back) = table.pairs(other).iter().find(|back| back.site == home) else { continue };
                let saved = self.costs[other] - back.cost - (pair.cost - was.cost);
                if saved > self.least_gain
                    && self.room[home as usize] + i64::from(was.takes) >= i64::from(back.takes)
                {
                    let (back, pair) = (*back, *pair);
                    self.take(job);
                    self.take(other);
                    self.put(job, &pair);
                    self.put(other, &back);
                    return true;
                }
            }
        }
        false
    }
}
