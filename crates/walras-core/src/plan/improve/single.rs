//! The best window of one job on what is free, exactly.
//!
//! **Problem.** Over all starts, choose N candidates that are alive such that an [aim](super::aim::Aim) is least, the real cost is within the
//! budget, and every limit of the request is kept.
//!
//! **Method.** Only the starts of free pieces (and the request's earliest) are tried: any window can be moved forward to the last of
//! them with every candidate still alive, and ends no later. At each start the candidates are gone through in order of run time, each
//! in turn as the slowest of the window: with it go the N - 1 cheapest of those before it. Every set of N has a slowest one, and none
//! with the same slowest is cheaper, so nothing better is missed whenever dearer is not better. A start is passed over when
//! even the N cheapest alive, at the best run time there is, do not beat the best so far; and those are not tried as the slowest
//! with which they do not, where longer is never better. A candidate that is too dear or too slow for any better window is not taken in at all.
//!
//! Where dearer is better (income), dear ones within the budget are taken ([`dearest`](super::dearest)): a good window, not a proven one.
//!
//! Costs may be distorted by a little noise per node, so that repeated searches differ; budgets always hold for real costs.
//!
//! **Complexity.** O(p log m) for p pieces with m alive at once, plus O(m log N) for each start that passes the test. Both count as
//! slots read.

use super::aim::{Measure, Value};
use super::dearest::{Dearest, within};
use super::free::Piece;
use super::ranks::Wanted;
use crate::search::{Candidate, Cheapest, Entry};
use std::collections::BinaryHeap;
use walras_model::id::SiteId;
use walras_model::interval::Interval;
use walras_model::quantity::{Rate, Span, Time};
use walras_model::window::{Placement, Window};

/// A window, and for each of its placements the place of the offered slot that it lies in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) window: Window,
    pub(super) origins: Vec<usize>,
}

/// The candidate of a rank.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Alive {
    pub(super) expiry: i64,
    pub(super) runtime: i64,
    /// As it is compared.
    pub(super) seeming: i64,
    pub(super) cost: i64,
    pub(super) rate: i64,
    pub(super) node: usize,
    /// Its stretch, and its place there.
    pub(super) piece: (usize, usize),
}

impl Alive {
    /// No two are equal.
    pub(super) fn dearness(&self) -> (i64, (usize, usize)) {
        (self.seeming, self.piece)
    }
}

const DEAD: Alive =
    Alive { expiry: i64::MIN, runtime: 0, seeming: 0, cost: 0, rate: 0, node: 0, piece: (0, 0) };

/// What a window is compared by: its value, then its end, then what it seems to cost.
type Key = (Value, i128, i128);

struct Best {
    key: Key,
    start: i64,
    members: Vec<Alive>,
}

struct Sweep<'a> {
    wanted: Wanted<'a>,
    alive: Vec<Alive>,
    cheapest: Vec<Cheapest>,
    changed: Vec<bool>,
    heap: BinaryHeap<(i64, usize)>,
    /// Where dearer is better.
    dearest: Option<Dearest>,
    best: Option<Best>,
    /// Ranks gone through at starts that passed the test.
    ranks_read: u64,
}

/// Going through so many ranks counts as much as reading a slot: it takes longer than that, so that plans under limits take up to
/// three times as long as others.
const RANKS_FOR_A_SLOT: u64 = 32;
/// Where dearer is better, all of them are sorted, which takes so many times as long.
const DEAR_RANKS: u64 = 8;

/// The best window on what is free; adds to the slots read.
pub(super) fn best_window(pieces: &[Vec<Piece>], wanted: Wanted<'_>, slots_read: &mut u64) -> Option<Found> {
    let view = wanted.view;
    if view.tasks == 0 || view.nodes_fitting < view.tasks {
        return None;
    }
    let mut sweep = Sweep {
        wanted,
        alive: vec![DEAD; wanted.ranks.pools.len()],
        cheapest: vec![Cheapest::new(view.tasks); view.pool_count],
        changed: vec![false; view.pool_count],
        heap: BinaryHeap::new(),
        dearest: wanted.aim.likes_dear().then(|| Dearest::new(view.tasks, view.pool_count)),
        best: None,
        ranks_read: 0,
    };
    sweep.run(pieces, slots_read);
    *slots_read += sweep.ranks_read / RANKS_FOR_A_SLOT;
    let Best { start, members, .. } = sweep.best?;
    window(pieces, start, &members)
}

impl Sweep<'_> {
    fn run(&mut self, pieces: &[Vec<Piece>], slots_read: &mut u64) {
        let wanted = self.wanted;
        let earliest = wanted.view.earliest.max(wanted.earliest);
        let last = wanted.view.deadline.min(wanted.finish_max).saturating_sub(wanted.view.runtime_min);
        let mut now = i64::MIN;
        for (place, piece) in in_order(pieces) {
            let start = piece.slot.start().as_millis().max(earliest);
            if start > last || (start > now && self.settled(start)) {
                break;
            }
            *slots_read += 1;
            let Some((rank, alive)) = self.candidate(piece, place, start) else { continue };
            if start > now {
                self.try_start(now);
                now = start;
            }
            let pool = wanted.ranks.pools[rank];
            self.changed[pool] = true;
            if let Some(dearest) = &mut self.dearest {
                dearest.join(pool, alive, now);
                continue;
            }
            self.alive[rank] = alive;
            self.cheapest[pool].advance(now);
            self.cheapest[pool].join(Entry::new(alive.seeming, piece.slot.key(), alive.expiry));
        }
        self.try_start(now);
    }

    fn candidate(&self, piece: &Piece, place: (usize, usize), start: i64) -> Option<(usize, Alive)> {
        let (wanted, view) = (&self.wanted, self.wanted.view);
        let node = piece.slot.node().index();
        let rank = wanted.ranks.of_node[node]? as usize;
        let runtime = view.runtimes[node];
        let owner = wanted.ranks.owners[rank];
        if runtime > wanted.runtime_max || wanted.closed.get(owner) == Some(&true) {
            return None;
        }
        let end = piece.slot.end().as_millis().min(view.deadline).min(wanted.finish_max);
        let (expiry, rate) = (end - runtime, view.rate_of(&piece.slot));
        if expiry < start || rate > view.rate_max {
            return None;
        }
        let cost = Candidate { slot: &piece.slot, start, expiry, runtime, rate }.cost();
        if self.dearest.is_some() && i128::from(cost) + wanted.ranks.others_least > self.cost_max() {
            return None;
        }
        let noise = wanted.noise.get(owner).copied().unwrap_or(0);
        // Small costs are multiplied first, so that noise is not rounded away; large ones have digits to spare.
        let extra = if cost >> 40 == 0 { (cost * noise) >> 10 } else { (cost >> 10).saturating_mul(noise) };
        let seeming = cost.saturating_add(extra);
        if self.is_needless(seeming, start, runtime) {
            return None;
        }
        Some((rank, Alive { expiry, runtime, seeming, cost, rate, node, piece: place }))
    }

    /// Whether every window with this candidate is worse than the best so far, whatever goes with it.
    fn is_needless(&self, seeming: i64, start: i64, runtime: i64) -> bool {
        let (form, ranks) = (self.wanted.aim.forms[0], self.wanted.ranks);
        let Some(best) = self.best.as_ref().filter(|_| form.cost >= 0) else { return false };
        let longer_is_no_better = form.time + form.finish >= 0;
        let time = if longer_is_no_better { runtime.max(ranks.runtime_least) } else { ranks.runtime_most };
        let (cost, time) = (i128::from(seeming) + ranks.others_least, i128::from(time));
        form.value(Measure { cost, time, finish: i128::from(start) + time }) > best.key.0[0]
    }

    /// What a window may cost.
    fn cost_max(&self) -> i128 {
        i128::from(self.wanted.cost_max.min(self.wanted.view.budget))
    }

    /// Whether no later start can be better.
    fn settled(&self, start: i64) -> bool {
        let first = self.wanted.aim.forms[0];
        let least = i128::from(start) + i128::from(self.wanted.ranks.runtime_least);
        first.cost == 0
            && first.time == 0
            && first.finish > 0
            && self.best.as_ref().is_some_and(|best| first.finish * least > best.key.0[0])
    }

    /// Tries a start with all that is alive.
    fn try_start(&mut self, now: i64) {
        for pool in 0..self.changed.len() {
            if !std::mem::replace(&mut self.changed[pool], false) {
                continue;
            }
            if let Some(dearest) = self.dearest.take() {
                if self.may_be_dearer(dearest.most(pool), now) {
                    self.dear_window(dearest.of_pool(pool), now);
                }
                self.dearest = Some(dearest);
            } else if self.hopeful(pool, now) {
                self.slowest_in_turn(pool, now);
            }
        }
    }

    /// Whether the cheapest alive, were they the fastest as well, would beat the best so far.
    fn hopeful(&mut self, pool: usize, now: i64) -> bool {
        self.cheapest[pool].advance(now);
        let Some(cost) = self.cheapest[pool].sum() else { return false };
        let wanted = &self.wanted;
        if self.wanted.noise.is_empty() && cost > self.cost_max() {
            return false;
        }
        let Some(best) = &self.best else { return true };
        let ranks = wanted.ranks;
        let bound = wanted.aim.forms.map(|form| {
            let slow = i128::from(if form.time + form.finish >= 0 {
                ranks.runtime_least
            } else {
                ranks.runtime_most
            });
            form.value(Measure { cost, time: slow, finish: i128::from(now) + slow })
        });
        let finish = i128::from(now) + i128::from(ranks.runtime_least);
        (bound, finish) < (best.key.0, best.key.1)
    }

    /// The best with each candidate in turn as the slowest.
    fn slowest_in_turn(&mut self, pool: usize, now: i64) {
        let others = self.wanted.view.tasks - 1;
        let cost_max = self.cost_max();
        self.heap.clear();
        let (mut sum, mut seeming) = (0_i128, 0_i128);
        let ranks = self.worth_as_slowest(pool, now);
        self.ranks_read += ranks as u64;
        for rank in 0..ranks {
            let alive = self.alive[rank];
            if alive.expiry < now || !self.usable(rank, pool, now) {
                continue;
            }
            if self.heap.len() == others {
                let cost = sum + i128::from(alive.cost);
                if cost <= cost_max {
                    self.consider(rank, seeming + i128::from(alive.seeming), now);
                }
            }
            if others == 0 {
                continue;
            }
            self.heap.push((alive.seeming, rank));
            sum += i128::from(alive.cost);
            seeming += i128::from(alive.seeming);
            if self.heap.len() > others
                && let Some((_, out)) = self.heap.pop()
            {
                sum -= i128::from(self.alive[out].cost);
                seeming -= i128::from(self.alive[out].seeming);
            }
        }
    }

    /// How many ranks, fastest first, may be the slowest of a window that beats the best so far: even with the N cheapest alive the
    /// others do not.
    fn worth_as_slowest(&self, pool: usize, now: i64) -> usize {
        let aim = self.wanted.aim;
        let longer_is_no_better = aim.forms.iter().all(|form| form.time + form.finish >= 0);
        let (Some(best), Some(cost), true) = (&self.best, self.cheapest[pool].sum(), longer_is_no_better)
        else {
            return self.alive.len();
        };
        self.wanted.ranks.runtimes.partition_point(|runtime| {
            let time = i128::from(*runtime);
            let finish = i128::from(now) + time;
            (aim.value(Measure { cost, time, finish }), finish, cost) < best.key
        })
    }

    fn usable(&self, rank: usize, pool: usize, now: i64) -> bool {
        let alive = &self.alive[rank];
        self.wanted.ranks.pools[rank] == pool
            && self.wanted.admits.is_none_or(|admits| {
                interval(now, alive.runtime)
                    .is_some_and(|interval| admits(self.wanted.ranks.owners[rank], interval))
            })
    }

    /// The candidate at this rank as the slowest, with those on the heap.
    fn consider(&mut self, rank: usize, cost: i128, now: i64) {
        let time = i128::from(self.alive[rank].runtime);
        let finish = i128::from(now) + time;
        let key = (self.wanted.aim.value(Measure { cost, time, finish }), finish, cost);
        if self.best.as_ref().is_none_or(|best| key < best.key) {
            let members = self.heap.iter().map(|(_, rank)| *rank).chain([rank]);
            let members = members.map(|rank| self.alive[rank]).collect();
            self.best = Some(Best { key, start: now, members });
        }
    }

    /// Whether windows that seem to cost so much at most may beat the best so far.
    fn may_be_dearer(&self, most: Option<i128>, now: i64) -> bool {
        let Some(mut cost) = most else { return false };
        let (wanted, form) = (&self.wanted, self.wanted.aim.forms[0]);
        let Some(best) = self.best.as_ref().filter(|_| form.cost < 0) else { return true };
        if wanted.noise.is_empty() {
            cost = cost.min(self.cost_max());
        }
        let ranks = wanted.ranks;
        let longer_is_no_better = form.time + form.finish >= 0;
        let time = i128::from(if longer_is_no_better { ranks.runtime_least } else { ranks.runtime_most });
        let finish = i128::from(now) + i128::from(ranks.runtime_least);
        let value = form.value(Measure { cost, time, finish: i128::from(now) + time });
        if wanted.aim.is_single() {
            (value, finish) < (best.key.0[0], best.key.1)
        } else {
            value <= best.key.0[0]
        }
    }

    /// The node that a node or lane belongs to.
    fn owner(&self, node: usize) -> Option<usize> {
        let ranks = self.wanted.ranks;
        ranks.of_node[node].map(|rank| ranks.owners[rank as usize])
    }

    /// A dear window of those alive, dearest first, within the budget.
    fn dear_window(&mut self, all: &[Alive], now: i64) {
        let cost_max = self.cost_max();
        let admitted: Vec<Alive>;
        let all = match self.wanted.admits {
            None => all,
            Some(admits) => {
                let admits = |alive: &&Alive| {
                    let owner = self.owner(alive.node);
                    let interval = interval(now, alive.runtime);
                    owner.zip(interval).is_some_and(|(owner, interval)| admits(owner, interval))
                };
                admitted = all.iter().filter(admits).copied().collect();
                &admitted
            }
        };
        self.ranks_read += DEAR_RANKS * all.len() as u64;
        let is_distorted = !self.wanted.noise.is_empty();
        let Some(places) = within(all, self.wanted.view.tasks, cost_max, is_distorted) else { return };
        let members: Vec<Alive> = places.into_iter().map(|place| all[place]).collect();
        let time = members.iter().map(|alive| i128::from(alive.runtime)).max().unwrap_or(0);
        let cost = members.iter().map(|alive| i128::from(alive.seeming)).sum();
        let finish = i128::from(now) + time;
        let key = (self.wanted.aim.value(Measure { cost, time, finish }), finish, cost);
        if self.best.as_ref().is_none_or(|best| key < best.key) {
            self.best = Some(Best { key, start: now, members });
        }
    }
}

/// All pieces, each with its stretch and its place there.
fn in_order(pieces: &[Vec<Piece>]) -> impl Iterator<Item = ((usize, usize), &Piece)> {
    let of_stretch = |(stretch, pieces)| {
        let pieces: &Vec<Piece> = pieces;
        pieces.iter().enumerate().map(move |(at, piece)| ((stretch, at), piece))
    };
    pieces.iter().enumerate().flat_map(of_stretch)
}

fn interval(start: i64, runtime: i64) -> Option<Interval> {
    let start = Time::from_millis(start)?;
    Interval::new(start, start.checked_add(Span::from_millis(runtime)?)?)
}

fn window(pieces: &[Vec<Piece>], start: i64, members: &[Alive]) -> Option<Found> {
    let mut members = members.to_vec();
    members.sort_by_key(|alive| alive.node);
    let placement = |alive: &Alive| {
        let (rate, slot) =
            (Rate::from_micros_per_second(alive.rate)?, &pieces[alive.piece.0][alive.piece.1].slot);
        let interval = interval(start, alive.runtime)?;
        let cost = rate.cost_of(interval.span())?;
        Some(Placement { units: slot.units(), node: slot.node(), interval, rate, cost, source: slot.key() })
    };
    let window = Window::new(members.iter().map(placement).collect::<Option<Vec<_>>>()?)?;
    Some(Found {
        window,
        origins: members.iter().map(|alive| pieces[alive.piece.0][alive.piece.1].origin).collect(),
    })
}

/// By node: whether it belongs to one of these sites.
pub(super) fn on_sites(nodes: &[walras_model::offer::Node], sites: &[SiteId]) -> Vec<bool> {
    nodes.iter().map(|node| sites.contains(&node.site)).collect()
}
