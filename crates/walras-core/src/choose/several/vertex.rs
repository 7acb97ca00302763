//! The linear relaxation of a knapsack with several limits, from one vertex of its dual to the next.
//!
//! **Problem.** Prices λ ≥ 0 with the greatest D(λ) = Σ min(v + λ·w) - λ·W, over the candidates that are left.
//!
//! **Method.** D is concave and made of planes. A vertex is where as many conditions hold as there are limits: a limit
//! without a price, or two candidates of one class that cost the same. The slopes at a vertex, in terms of its
//! conditions, are the shares that the relaxation takes of the candidates; where a share is negative, letting go of
//! that condition leads up along an edge. The edge is followed past every class whose cheapest candidate changes, as
//! long as it leads up, and the condition that stops it is taken instead: the dual simplex method with long steps, on
//! a basis whose size is the number of limits. Classes cost nothing (Dantzig and Van Slyke's generalised upper bounds).
//! Every λ gives a valid bound, so that a class from which candidates were taken away needs no repair: the climb goes
//! on from where it was.
//!
//! **Complexity.** O(m·N + m²) a step, N candidates, m limits.
//!
//! Floats throughout: what is found guides, and [`super::whole`] counts again what is said.

use super::change::Change;
use super::inverse::Inverse;
use super::left::Left;
use super::table::{Table, dot};
use std::collections::BinaryHeap;

/// What is too small to follow.
const TINY: f64 = 1e-9;
/// A share nearer than this to nothing or all is that.
const WHOLE: f64 = 1e-7;
/// The inverse is computed anew after so many steps.
const REFRESH: u32 = 40;

/// What holds at a vertex.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tight {
    /// The limit has no price.
    Unpriced(usize),
    /// Two candidates of a class cost the same.
    Tie { class: usize, from: usize, to: usize },
}

/// The part of a candidate that the relaxation takes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Share {
    pub(super) class: usize,
    pub(super) candidate: usize,
    pub(super) part: f64,
}

/// Where a climb ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Climb {
    /// At the top, or where its steps ran out.
    Vertex,
    /// It leads up for ever in the direction kept: nothing keeps the limits.
    Endless,
}

/// The vertex at hand and what is known of it.
pub(super) struct Climber<'a> {
    table: &'a Table,
    /// The conditions; their rows make the matrix whose inverse is kept.
    pub(super) tight: Vec<Tight>,
    pub(super) prices: Vec<f64>,
    /// The cheapest candidate of each class.
    pub(super) keys: Vec<usize>,
    /// The direction of the last step.
    pub(super) direction: Vec<f64>,
    /// Steps taken, over all climbs.
    pub(super) steps: u64,
    /// What each condition weighs: minus the share of a tie's second candidate.
    slopes: Vec<f64>,
    inverse: Inverse,
    ties: Vec<u32>,
    costs: Vec<f64>,
    rates: Vec<f64>,
    left: Vec<bool>,
}

impl<'a> Climber<'a> {
    pub(super) fn new(table: &'a Table) -> Climber<'a> {
        let (limits, candidates) = (table.limits, table.values.len());
        Climber {
            table,
            tight: (0..limits).map(Tight::Unpriced).collect(),
            prices: vec![0.0; limits],
            keys: table.firsts[..table.classes()].to_vec(),
            direction: vec![0.0; limits],
            steps: 0,
            slopes: vec![0.0; limits],
            inverse: Inverse::new(limits),
            ties: vec![0; table.classes()],
            costs: vec![0.0; candidates],
            rates: vec![0.0; candidates],
            left: vec![false; candidates],
        }
    }

    /// Climbs from the conditions at hand over the candidates that are left.
    pub(super) fn climb(&mut self, left: &Left, steps_max: u32) -> Climb {
        self.left.fill(false);
        for member in &left.members {
            self.left[*member] = true;
        }
        self.start(left);
        for step in 1..=steps_max {
            if step % REFRESH == 0 {
                self.start(left);
            }
            self.weigh();
            let Some((leaving, sign)) = self.steepest() else { return Climb::Vertex };
            self.steps += 1;
            if !self.follow(left, leaving, sign) {
                return Climb::Endless;
            }
        }
        self.weigh();
        Climb::Vertex
    }

    /// The shares that are neither nothing nor all, by class.
    pub(super) fn shares(&self) -> Vec<Share> {
        let mut shares: Vec<Share> = Vec::new();
        for (tight, slope) in self.tight.iter().zip(&self.slopes) {
            if let Tight::Tie { class, to, .. } = *tight
                && self.is_live(tight)
            {
                shares.push(Share { class, candidate: to, part: -slope });
            }
        }
        shares.sort_by_key(|share| (share.class, share.candidate));
        let mut keys: Vec<Share> = Vec::new();
        for group in shares.chunk_by(|a, b| a.class == b.class) {
            let taken: f64 = group.iter().map(|share| share.part).sum();
            let class = group[0].class;
            keys.push(Share { class, candidate: self.keys[class], part: 1.0 - taken });
        }
        shares.extend(keys);
        shares.retain(|share| (WHOLE..1.0 - WHOLE).contains(&share.part));
        shares.sort_by_key(|share| (share.class, share.candidate));
        shares
    }

    /// Whether a tie is between candidates that are left, one of them the class's key.
    fn is_live(&self, tight: &Tight) -> bool {
        match *tight {
            Tight::Unpriced(_) => false,
            Tight::Tie { class, from, to } => self.left[from] && self.left[to] && self.keys[class] == from,
        }
    }

    /// Computes the vertex of the conditions, the costs there and the keys.
    fn start(&mut self, left: &Left) {
        self.choose_keys();
        if !self.invert() {
            self.tight = (0..self.table.limits).map(Tight::Unpriced).collect();
            self.invert();
        }
        self.prices.fill(0.0);
        for (condition, tight) in self.tight.iter().enumerate() {
            let Tight::Tie { from, to, .. } = *tight else { continue };
            let value = self.table.values[from] - self.table.values[to];
            for (price, entry) in self.prices.iter_mut().zip(self.inverse.column(condition)) {
                *price += value * entry;
            }
        }
        self.prices.iter_mut().for_each(|price| *price = price.max(0.0));
        for member in left.undecided() {
            self.costs[member] = self.table.values[member] + dot(self.table.row(member), &self.prices);
        }
        self.ties.fill(0);
        for tight in &self.tight {
            if let Tight::Tie { class, from, to } = *tight
                && self.left[from]
                && self.left[to]
            {
                self.ties[class] += 1;
                self.keys[class] = from;
            }
        }
        for (class, range) in left.firsts.windows(2).enumerate() {
            if range[1] - range[0] == 1 {
                self.keys[class] = left.members[range[0]];
            }
        }
        for &class in &left.open {
            let cheapest =
                left.of(class).iter().copied().min_by(|a, b| self.costs[*a].total_cmp(&self.costs[*b]));
            if self.ties[class] == 0
                && let Some(cheapest) = cheapest
            {
                self.keys[class] = cheapest;
            }
        }
    }

    /// Writes the ties of every class from one of its tied candidates that are left.
    fn choose_keys(&mut self) {
        for at in 0..self.tight.len() {
            let Tight::Tie { class, from, to } = self.tight[at] else { continue };
            if !self.left[from] && self.left[to] {
                self.turn(class, from, to);
            }
        }
    }

    /// Writes the ties of a class that begin at one candidate from another one of them.
    fn turn(&mut self, class: usize, old: usize, new: usize) {
        for tight in &mut self.tight {
            if let Tight::Tie { class: other, from, to } = tight
                && *other == class
                && *from == old
            {
                *from = new;
                if *to == new {
                    *to = old;
                }
            }
        }
    }

    /// A condition's row of the matrix.
    fn condition_row(&self, tight: Tight, row: &mut [f64]) {
        match tight {
            Tight::Unpriced(limit) => {
                row.fill(0.0);
                row[limit] = 1.0;
            }
            Tight::Tie { from, to, .. } => {
                for ((entry, to), from) in row.iter_mut().zip(self.table.row(to)).zip(self.table.row(from)) {
                    *entry = to - from;
                }
            }
        }
    }

    fn invert(&mut self) -> bool {
        let mut rows = vec![0.0; self.table.limits * self.table.limits];
        for (row, tight) in rows.chunks_mut(self.table.limits.max(1)).zip(&self.tight) {
            self.condition_row(*tight, row);
        }
        self.inverse.of(&rows)
    }

    /// Computes the conditions' weights, with the candidate of the largest share as every class's key.
    fn weigh(&mut self) {
        self.slopes = self.weights();
        let mut turned = false;
        for at in 0..self.tight.len() {
            let Tight::Tie { class, from, .. } = self.tight[at] else { continue };
            if !self.is_live(&self.tight[at]) {
                continue;
            }
            let mut key_share = 1.0;
            let (mut largest, mut first) = ((0.0, from), true);
            for (other, tight) in self.tight.iter().enumerate() {
                if let Tight::Tie { class: same, to, .. } = *tight
                    && same == class
                    && self.is_live(tight)
                {
                    first &= other >= at;
                    key_share += self.slopes[other];
                    if -self.slopes[other] > largest.0 {
                        largest = (-self.slopes[other], to);
                    }
                }
            }
            if first && largest.0 > key_share {
                self.turn_with_inverse(class, from, largest.1);
                turned = true;
            }
        }
        if turned {
            self.slopes = self.weights();
        }
    }

    fn weights(&self) -> Vec<f64> {
        let mut over: Vec<f64> = self.table.rooms.iter().map(|room| -room).collect();
        for key in &self.keys {
            over.iter_mut().zip(self.table.row(*key)).for_each(|(sum, takes)| *sum += takes);
        }
        (0..self.table.limits).map(|at| dot(self.inverse.column(at), &over)).collect()
    }

    /// Turns a class's ties and keeps the inverse: a row that is subtracted from others is a column that takes them away.
    fn turn_with_inverse(&mut self, class: usize, old: usize, new: usize) {
        let of_class = |tight: &Tight| matches!(*tight, Tight::Tie { class: same, from, .. } if same == class && from == old);
        let members: Vec<usize> = (0..self.tight.len()).filter(|at| of_class(&self.tight[*at])).collect();
        let turned = |tight: &Tight| matches!(*tight, Tight::Tie { to, .. } if to == new);
        let Some(pivot) = members.iter().copied().find(|at| turned(&self.tight[*at])) else { return };
        self.inverse.turn(&members, pivot);
        self.turn(class, old, new);
        self.keys[class] = new;
    }

    /// The condition whose edge leads up most steeply, and the side to leave it on.
    fn steepest(&self) -> Option<(usize, f64)> {
        let mut best: Option<(f64, usize, f64)> = None;
        for (at, tight) in self.tight.iter().enumerate() {
            let slope = self.slopes[at];
            let either_side = matches!(tight, Tight::Tie { .. }) && !self.is_live(tight);
            let (up, sign) = if either_side { (slope.abs(), slope.signum()) } else { (slope, 1.0) };
            if up <= TINY {
                continue;
            }
            let edge = self.inverse.column(at);
            let steepness = up * up / dot(edge, edge).max(1e-30);
            if best.is_none_or(|(most, ..)| steepness > most) {
                best = Some((steepness, at, sign));
            }
        }
        best.map(|(_, at, sign)| (at, sign))
    }

    /// Follows an edge as long as it leads up; `false` if that never ends.
    fn follow(&mut self, left: &Left, leaving: usize, sign: f64) -> bool {
        let mut slope = self.slopes[leaving].abs();
        self.direction = self.inverse.column(leaving).iter().map(|entry| entry * sign).collect();
        for member in left.undecided() {
            self.rates[member] = dot(self.table.row(member), &self.direction);
        }
        if let Tight::Tie { class, .. } = self.tight[leaving]
            && self.is_live(&self.tight[leaving])
        {
            self.ties[class] -= 1;
        }
        let mut changes: BinaryHeap<Change> =
            left.open.iter().filter_map(|class| self.next_change(left, *class, 0.0)).collect();
        let wall = self.wall();
        let (length, entering) = loop {
            let next = changes.pop().filter(|change| wall.is_none_or(|(end, _)| change.at <= end));
            let Some(Change { at: length, class, candidate }) = next else {
                let Some((length, limit)) = wall else { return false };
                break (length, Tight::Unpriced(limit));
            };
            let key = self.keys[class];
            let after = slope + self.rates[candidate] - self.rates[key];
            if after <= 0.0 || self.ties[class] > 0 {
                self.ties[class] += 1;
                break (length, Tight::Tie { class, from: key, to: candidate });
            }
            slope = after;
            self.keys[class] = candidate;
            changes.extend(self.next_change(left, class, length));
        };
        self.step(left, length, leaving, entering);
        true
    }

    /// Where on the way the cheapest candidate of a class changes next, and to which.
    fn next_change(&self, left: &Left, class: usize, from: f64) -> Option<Change> {
        let key = self.keys[class];
        let mut first: Option<Change> = None;
        for &member in left.of(class) {
            let closing = self.rates[key] - self.rates[member];
            if closing > TINY {
                let at = ((self.costs[member] - self.costs[key]) / closing).max(from);
                if first.as_ref().is_none_or(|first| at < first.at) {
                    first = Some(Change { at, class, candidate: member });
                }
            }
        }
        first
    }

    /// Where on the way a price comes to nothing, and which.
    fn wall(&self) -> Option<(f64, usize)> {
        let mut first: Option<(f64, usize)> = None;
        for (limit, (price, rate)) in self.prices.iter().zip(&self.direction).enumerate() {
            if *rate < -TINY && !self.tight.contains(&Tight::Unpriced(limit)) {
                let at = price / -rate;
                if first.is_none_or(|(least, _)| at < least) {
                    first = Some((at, limit));
                }
            }
        }
        first
    }

    /// Goes so far and exchanges the conditions.
    fn step(&mut self, left: &Left, length: f64, leaving: usize, entering: Tight) {
        for (price, rate) in self.prices.iter_mut().zip(&self.direction) {
            *price = (*price + length * rate).max(0.0);
        }
        for member in left.undecided() {
            self.costs[member] += length * self.rates[member];
        }
        let mut row = vec![0.0; self.table.limits];
        self.condition_row(entering, &mut row);
        self.inverse.exchange(leaving, &row);
        self.tight[leaving] = entering;
    }
}
