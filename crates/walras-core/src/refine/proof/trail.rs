//! What is known of numbers while suppositions are made and taken back, and what it follows from.
//!
//! Every number has two sides: that it is at least something, and that it is at most something. Both are kept as "at least", the second
//! with its sign turned, so that one rule does for both. Knowledge only grows until a supposition is taken back. Every step keeps the facts
//! that it follows from, so that a contradiction can be traced to the suppositions that make it ([`super::lesson`]).
//!
//! A number may have a *guard*, which is 0 or 1: it says something only if the guard is 1. Two sides of such a number that exclude each other
//! are no contradiction, but show that the guard is 0; then nothing more is learned of the number.

/// One side of a number: twice its index for the lower one, one more for the upper one.
pub(super) type Side = usize;

/// No step.
pub(super) const NONE: usize = usize::MAX;

/// A side is at least so much.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fact {
    pub(super) side: Side,
    pub(super) least: i64,
}

impl Fact {
    pub(super) fn at_least(number: usize, value: i64) -> Fact {
        Fact { side: 2 * number, least: value }
    }

    pub(super) fn at_most(number: usize, value: i64) -> Fact {
        Fact { side: 2 * number + 1, least: -value }
    }

    pub(super) fn not(self) -> Fact {
        Fact { side: self.side ^ 1, least: 1 - self.least }
    }

    pub(super) fn number(self) -> usize {
        self.side / 2
    }
}

/// The facts in [`Trail::conflict`] cannot all hold.
#[derive(Clone, Copy, Debug)]
pub(super) struct Contradiction;

/// A side that became known better.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    pub(super) side: Side,
    pub(super) was: i64,
    pub(super) now: i64,
    /// The step before on the same side.
    before: usize,
    /// The facts that it follows from, from here up to there; none for a supposition.
    causes: (usize, usize),
}

/// What is known, step by step.
#[derive(Clone, Debug)]
pub(super) struct Trail {
    /// By side.
    known: Vec<i64>,
    /// By side: the step that made it so.
    last: Vec<usize>,
    /// By number: its guard.
    guard: Vec<usize>,
    steps: Vec<Step>,
    /// How many steps there were before each supposition.
    marks: Vec<usize>,
    causes: Vec<Fact>,
    pub(super) conflict: Vec<Fact>,
}

impl Trail {
    /// Numbers between these, each with the number of its guard, or [`NONE`].
    pub(super) fn new(numbers: impl Iterator<Item = (i64, i64, usize)>) -> Trail {
        let (mut known, mut guard) = (Vec::new(), Vec::new());
        for (least, most, guarded_by) in numbers {
            known.extend([least, -most]);
            guard.push(guarded_by);
        }
        Trail {
            last: vec![NONE; known.len()],
            known,
            guard,
            steps: Vec::new(),
            marks: Vec::new(),
            causes: Vec::new(),
            conflict: Vec::new(),
        }
    }

    pub(super) fn least(&self, number: usize) -> i64 {
        self.known[2 * number]
    }

    pub(super) fn most(&self, number: usize) -> i64 {
        -self.known[2 * number + 1]
    }

    pub(super) fn holds(&self, fact: Fact) -> bool {
        self.known[fact.side] >= fact.least
    }

    pub(super) fn is_known(&self, number: usize) -> bool {
        self.least(number) == self.most(number)
    }

    pub(super) fn sides(&self) -> usize {
        self.known.len()
    }

    pub(super) fn len(&self) -> usize {
        self.steps.len()
    }

    pub(super) fn step(&self, at: usize) -> Step {
        self.steps[at]
    }

    pub(super) fn causes(&self, at: usize) -> &[Fact] {
        let (from, to) = self.steps[at].causes;
        &self.causes[from..to]
    }

    /// How many suppositions are made.
    pub(super) fn level(&self) -> usize {
        self.marks.len()
    }

    /// How many suppositions were made when a step was.
    pub(super) fn level_of(&self, step: usize) -> usize {
        self.marks.partition_point(|mark| *mark <= step)
    }

    /// The step that made a fact hold that holds; nothing when it does from the beginning.
    pub(super) fn made_by(&self, fact: Fact) -> Option<usize> {
        let mut at = self.last[fact.side];
        while at != NONE {
            let step = &self.steps[at];
            if step.was < fact.least {
                return Some(at);
            }
            at = step.before;
        }
        None
    }

    /// A supposition: nothing follows from nothing.
    pub(super) fn suppose(&mut self, fact: Fact) {
        self.marks.push(self.steps.len());
        let here = self.causes.len();
        self.put(fact, (here, here));
    }

    /// A fact that follows from others, which hold.
    pub(super) fn learn(&mut self, fact: Fact, causes: &[Fact]) -> Result<(), Contradiction> {
        if self.holds(fact) {
            return Ok(());
        }
        let guard = self.guard[fact.number()];
        if guard != NONE && self.most(guard) == 0 {
            return Ok(());
        }
        let refuted = self.holds(fact.not());
        if refuted && (guard == NONE || self.least(guard) == 1) {
            self.conflict.clear();
            self.conflict.extend_from_slice(causes);
            self.conflict.push(fact.not());
            if guard != NONE {
                self.conflict.push(Fact::at_least(guard, 1));
            }
            return Err(Contradiction);
        }
        let from = self.causes.len();
        self.causes.extend_from_slice(causes);
        if refuted {
            self.causes.push(fact.not());
        }
        let fact = if refuted { Fact::at_most(guard, 0) } else { fact };
        self.put(fact, (from, self.causes.len()));
        Ok(())
    }

    /// These facts hold, and cannot.
    pub(super) fn contradict(&mut self, causes: &[Fact]) -> Contradiction {
        self.conflict.clear();
        self.conflict.extend_from_slice(causes);
        Contradiction
    }

    fn put(&mut self, fact: Fact, causes: (usize, usize)) {
        let Fact { side, least } = fact;
        let step = Step { side, was: self.known[side], now: least, before: self.last[side], causes };
        self.known[side] = least;
        self.last[side] = self.steps.len();
        self.steps.push(step);
    }

    /// Takes back all suppositions but the first so many.
    pub(super) fn back_to(&mut self, level: usize) {
        let Some(mark) = self.marks.get(level).copied() else { return };
        self.marks.truncate(level);
        for step in self.steps.drain(mark..).rev() {
            self.known[step.side] = step.was;
            self.last[step.side] = step.before;
            self.causes.truncate(step.causes.0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers 0 and 1 are 0 or 1, number 2 is between 0 and 10 if number 1 is 1.
    fn trail() -> Trail {
        Trail::new([(0, 1, NONE), (0, 1, NONE), (0, 10, 1)].into_iter())
    }

    #[test]
    fn what_was_supposed_is_taken_back() {
        let mut trail = trail();
        trail.suppose(Fact::at_least(0, 1));
        trail.learn(Fact::at_least(2, 4), &[Fact::at_least(0, 1)]).unwrap();
        trail.suppose(Fact::at_most(2, 6));
        assert_eq!((trail.least(2), trail.most(2), trail.level()), (4, 6, 2));
        assert_eq!(trail.made_by(Fact::at_least(2, 3)), Some(1));
        assert_eq!(trail.made_by(Fact::at_least(2, 0)), None);
        assert_eq!(trail.level_of(1), 1);
        trail.back_to(1);
        assert_eq!((trail.least(2), trail.most(2)), (4, 10));
        trail.back_to(0);
        assert_eq!((trail.least(2), trail.least(0), trail.len()), (0, 0, 0));
    }

    #[test]
    fn sides_that_exclude_each_other_refute_the_guard() {
        let mut trail = trail();
        trail.suppose(Fact::at_most(2, 3));
        trail.learn(Fact::at_least(2, 4), &[]).unwrap();
        assert_eq!((trail.most(1), trail.least(2)), (0, 0));
        assert_eq!(trail.causes(1), [Fact::at_most(2, 3)]);
        trail.back_to(0);
        trail.suppose(Fact::at_least(1, 1));
        trail.learn(Fact::at_most(2, 3), &[]).unwrap();
        assert!(trail.learn(Fact::at_least(2, 4), &[Fact::at_least(0, 0)]).is_err());
        assert_eq!(trail.conflict, [Fact::at_least(0, 0), Fact::at_most(2, 3), Fact::at_least(1, 1)]);
    }
}
