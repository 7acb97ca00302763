//! Branch and bound over the linear relaxation, the least bounds first.
//!
//! A node is the candidates that are left. Its relaxation is climbed from its parent's vertex, its bound is counted in
//! whole numbers, and candidates that lose too much against the best choice known are taken out. What is left is
//! split in two, with one candidate alone and without it. The open node with the least bound is next, and is split in the class that
//! the relaxation shares most evenly, which raises bounds; from there a dive goes down, always with the largest share, until
//! nothing is left, which finds choices.

use super::incumbent::Incumbent;
use super::left::Left;
use super::table::Table;
use super::vertex::{Climb, Climber, Share, Tight};
use super::whole::{Whole, room_below, value_of};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

/// Steps of one climb; a vertex below the top bounds as well, only less.
const STEPS_MAX: u32 = 2_000;
/// With more open nodes than this, or this many candidates in all of them, the newest is next.
const OPEN_MAX: usize = 50_000;
const OPEN_CANDIDATES_MAX: usize = 1 << 29;
/// Every so many nodes the relaxation is made whole and repaired.
const REPAIR_EVERY: u64 = 16;

/// Candidates that are left, and what is known of them.
struct Node {
    bits: Box<[u64]>,
    tight: Box<[Tight]>,
    bound: i128,
}

/// Nodes that are still to be looked into.
pub(super) struct Tree<'a> {
    table: &'a Table,
    climber: Climber<'a>,
    left: Left,
    /// By bound, then the newest.
    open: BinaryHeap<(Reverse<i128>, u64)>,
    nodes: BTreeMap<u64, Node>,
    born: u64,
}

impl<'a> Tree<'a> {
    /// A tree over all candidates.
    pub(super) fn new(table: &'a Table) -> Tree<'a> {
        let mut bits = vec![0_u64; table.values.len() / 64 + 1];
        for at in 0..table.values.len() {
            bits[at / 64] |= 1 << (at % 64);
        }
        let climber = Climber::new(table);
        let tight = climber.tight.as_slice().into();
        let mut tree = Tree {
            table,
            climber,
            left: Left::default(),
            open: BinaryHeap::new(),
            nodes: BTreeMap::new(),
            born: 0,
        };
        tree.push(Node { bits: bits.into(), tight, bound: i128::MIN / 4 });
        tree
    }

    fn push(&mut self, node: Node) {
        self.born += 1;
        self.open.push((Reverse(node.bound), self.born));
        self.nodes.insert(self.born, node);
    }

    fn pop(&mut self) -> Option<Node> {
        let many = self.nodes.len() > OPEN_MAX
            || self.nodes.len().saturating_mul(self.table.values.len()) > OPEN_CANDIDATES_MAX;
        if many {
            return self.nodes.pop_last().map(|(_, node)| node);
        }
        loop {
            let (_, born) = self.open.pop()?;
            if let Some(node) = self.nodes.remove(&born) {
                return Some(node);
            }
        }
    }

    /// The least value that anything open may have; `None` if nothing is open.
    pub(super) fn bound(&self) -> Option<i128> {
        self.nodes.values().map(|node| value_of(node.bound)).min()
    }

    /// Looks into nodes until none is open or the work is done; whether none is open.
    pub(super) fn search(&mut self, whole: &mut Whole, best: &mut Incumbent<'_>, mut work: u64) -> bool {
        loop {
            let Some(node) = self.pop() else { return true };
            let mut next = Some(node);
            let mut is_first = true;
            while let Some(node) = next {
                if work == 0 {
                    self.push(node);
                    return false;
                }
                let before = self.climber.steps;
                let dive = !is_first;
                next = self.look_into(node, dive, whole, best);
                is_first = false;
                let steps = self.climber.steps - before;
                let cost = (steps + 3).saturating_mul(self.left.members.len() as u64);
                work = work.saturating_sub(cost);
            }
        }
    }

    /// Bounds a node and splits it; one part is to be looked into next, the other is open.
    fn look_into(
        &mut self,
        mut node: Node,
        dive: bool,
        whole: &mut Whole,
        best: &mut Incumbent<'_>,
    ) -> Option<Node> {
        if best.value().is_some_and(|value| room_below(value, node.bound) < 0) {
            return None;
        }
        self.spread(&node.bits);
        if self.left.firsts.windows(2).any(|range| range[0] == range[1]) {
            return None;
        }
        self.climber.tight.copy_from_slice(&node.tight);
        if self.climber.climb(&self.left, STEPS_MAX) == Climb::Endless
            && whole.refutes(&self.left, &self.table.real(&self.climber.direction))
        {
            return None;
        }
        let bound = whole.bound(&self.left, &self.table.real(&self.climber.prices));
        let shares = self.climber.shares();
        self.offer(best, &shares);
        node.bound = node.bound.max(bound);
        if let Some(value) = best.value() {
            if room_below(value, node.bound) < 0 {
                return None;
            }
            self.take_out(&mut node.bits, &whole.losses, room_below(value, bound));
        }
        self.split(node, dive, &shares)
    }

    /// Lists the candidates that are left.
    fn spread(&mut self, bits: &[u64]) {
        self.left.members.clear();
        self.left.firsts.clear();
        for class in 0..self.table.classes() {
            self.left.firsts.push(self.left.members.len());
            let all = self.table.firsts[class]..self.table.firsts[class + 1];
            self.left.members.extend(all.filter(|at| bits[at / 64] >> (at % 64) & 1 == 1));
        }
        self.left.firsts.push(self.left.members.len());
        self.left.open.clear();
        let several = |class: &usize| self.left.firsts[class + 1] - self.left.firsts[*class] > 1;
        self.left.open = (0..self.table.classes()).filter(several).collect();
    }

    /// Takes out the candidates that lose more than this.
    fn take_out(&self, bits: &mut [u64], losses: &[i128], room: i128) {
        for &member in &self.left.members {
            if losses[member] > room {
                bits[member / 64] &= !(1 << (member % 64));
            }
        }
    }

    /// Offers the keys; now and then also repaired.
    fn offer(&mut self, best: &mut Incumbent<'_>, shares: &[Share]) {
        let keys = self.climber.keys.iter().zip(&self.table.firsts);
        let chosen: Vec<usize> = keys.map(|(key, first)| key - first).collect();
        if self.born % REPAIR_EVERY == 1 {
            let prices = self.table.real(&self.climber.prices);
            best.repair(chosen, &prices);
        } else if shares.len() <= 3 {
            best.offer(&chosen);
        }
    }

    fn split(&mut self, node: Node, dive: bool, shares: &[Share]) -> Option<Node> {
        let (class, candidate) = (if dive { most_certain(shares) } else { most_even(shares) })
            .or_else(|| self.any_open(&node.bits))?;
        let mut with = node.bits.clone();
        let mut without = node.bits;
        for at in self.table.firsts[class]..self.table.firsts[class + 1] {
            if at == candidate {
                without[at / 64] &= !(1 << (at % 64));
            } else {
                with[at / 64] &= !(1 << (at % 64));
            }
        }
        let tight: Box<[Tight]> = self.climber.tight.as_slice().into();
        self.push(Node { bits: without, tight: tight.clone(), bound: node.bound });
        Some(Node { bits: with, tight, bound: node.bound })
    }

    /// A class of which more than one candidate is left, and its cheapest.
    fn any_open(&self, bits: &[u64]) -> Option<(usize, usize)> {
        let is_left = |at: &usize| bits[at / 64] >> (at % 64) & 1 == 1;
        let several = |class: &usize| {
            (self.table.firsts[*class]..self.table.firsts[class + 1]).filter(is_left).count() > 1
        };
        (0..self.table.classes()).find(several).map(|class| (class, self.climber.keys[class]))
    }
}

/// The class whose largest share is least, and its candidate.
fn most_even(shares: &[Share]) -> Option<(usize, usize)> {
    let by_part = |a: &&Share, b: &&Share| a.part.total_cmp(&b.part).then(b.candidate.cmp(&a.candidate));
    let groups = shares.chunk_by(|a, b| a.class == b.class).filter_map(|group| group.iter().max_by(by_part));
    groups.min_by(by_part).map(|share| (share.class, share.candidate))
}

/// The largest share.
fn most_certain(shares: &[Share]) -> Option<(usize, usize)> {
    shares.iter().max_by(|a, b| a.part.total_cmp(&b.part)).map(|share| (share.class, share.candidate))
}
