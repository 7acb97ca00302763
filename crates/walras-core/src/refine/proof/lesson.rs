//! What a contradiction teaches.
//!
//! **Problem.** Some facts cannot all hold. They follow from suppositions; which few facts, of which only one is from the last
//! supposition, cannot all hold either?
//!
//! **Method** (first unique implication point; Marques-Silva and Sakallah 1999, over bounds of numbers as in Ohrimenko, Stuckey and
//! Codish 2009). The latest of the facts is replaced by those that it follows from, until only one of the last supposition is left. Of
//! two facts on one side the stronger one does for both. Facts that follow from the others at one remove are left out.

use super::trail::{Fact, Trail};
use std::collections::BinaryHeap;

/// What cannot all hold: the opposite of each, of which at least one holds.
#[derive(Clone, Debug)]
pub(super) struct Lesson {
    /// First the one of the last supposition, then one of the last among the others.
    pub(super) clause: Vec<Fact>,
    /// The contradiction needs so many suppositions; with fewer, so many, all but the first fail.
    pub(super) needs: usize,
    pub(super) level: usize,
    /// How many suppositions are joined.
    pub(super) joined: usize,
}

/// Room for tracing.
#[derive(Clone, Debug)]
pub(super) struct Tracer {
    /// By side: what is needed of it, and the step that gave it.
    need: Vec<Option<(i64, usize)>>,
    heap: BinaryHeap<(usize, usize)>,
    /// The numbers that were looked at on the way.
    pub(super) met: Vec<usize>,
    /// How many facts were looked at.
    pub(super) looked: u64,
}

impl Tracer {
    pub(super) fn new(sides: usize) -> Tracer {
        Tracer { need: vec![None; sides], heap: BinaryHeap::new(), met: Vec::new(), looked: 0 }
    }

    /// Adds a fact, unless it holds without suppositions.
    fn add(&mut self, trail: &Trail, fact: Fact) {
        assert!(trail.holds(fact), "what is known follows from what is known");
        self.looked += 1;
        if self.need[fact.side].is_some_and(|(least, _)| least >= fact.least) {
            return;
        }
        let Some(step) = trail.made_by(fact) else { return };
        if trail.level_of(step) == 0 {
            return;
        }
        self.need[fact.side] = Some((fact.least, step));
        self.heap.push((step, fact.side));
    }

    /// The latest fact that is needed.
    fn latest(&mut self) -> Option<(usize, Fact)> {
        while let Some((step, side)) = self.heap.peek().copied() {
            match self.need[side] {
                Some((least, at)) if at == step => return Some((step, Fact { side, least })),
                _ => self.heap.pop(),
            };
        }
        None
    }

    /// Takes it out.
    fn pop(&mut self) -> Option<(usize, Fact)> {
        let latest = self.latest()?;
        self.heap.pop();
        self.need[latest.1.side] = None;
        Some(latest)
    }

    /// What the trail's contradiction teaches; nothing when it needs no supposition.
    pub(super) fn trace(&mut self, trail: &Trail) -> Option<Lesson> {
        self.met.clear();
        for fact in &trail.conflict {
            self.add(trail, *fact);
        }
        // A contradiction may be older than the last supposition when that one changed nothing.
        let level = trail.level_of(self.latest()?.0);
        loop {
            let (step, fact) = self.pop()?;
            self.met.push(fact.number());
            let next = self.latest();
            if next.is_none_or(|(next, _)| trail.level_of(next) < level) {
                return Some(self.lesson(trail, fact, level));
            }
            for cause in trail.causes(step) {
                self.add(trail, *cause);
            }
        }
    }

    /// The last fact and the others that are needed, which are cleared.
    fn lesson(&mut self, trail: &Trail, last: Fact, needs: usize) -> Lesson {
        let mut others: Vec<(usize, Fact)> = Vec::new();
        while let Some(other) = self.pop() {
            others.push(other);
        }
        for (step, fact) in &others {
            self.need[fact.side] = Some((fact.least, *step));
        }
        let follows = |step: usize| {
            let causes = trail.causes(step);
            let is_needed = |cause: &Fact| {
                self.need[cause.side].is_some_and(|(least, at)| least >= cause.least && at < step)
                    || trail.made_by(*cause).is_none_or(|made| trail.level_of(made) == 0)
            };
            !causes.is_empty() && causes.iter().all(is_needed)
        };
        let kept: Vec<(usize, Fact)> = others.iter().copied().filter(|(step, _)| !follows(*step)).collect();
        for (_, fact) in &others {
            self.need[fact.side] = None;
        }
        self.met.extend(kept.iter().map(|(_, fact)| fact.number()));
        let mut levels: Vec<usize> = kept.iter().map(|(step, _)| trail.level_of(*step)).collect();
        levels.dedup();
        let mut clause = vec![last.not()];
        // They come out of the heap the latest first.
        clause.extend(kept.iter().map(|(_, fact)| fact.not()));
        Lesson { clause, needs, level: levels.first().copied().unwrap_or(0), joined: levels.len() + 1 }
    }
}
