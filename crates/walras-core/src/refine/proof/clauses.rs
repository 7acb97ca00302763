//! Facts of which at least one holds.
//!
//! Two facts of every clause are watched (Moskewicz and others 2001): only when one of them fails is the clause looked at. Then
//! another one is watched instead; where none is left, the last must hold. A fact fails when its opposite is known, so it is watched on the
//! other side of its number, with the value from which on it fails.

use super::trail::{Contradiction, Fact, Step, Trail};

#[derive(Clone, Copy, Debug)]
struct Watch {
    /// From here on the watched fact fails.
    least: i64,
    clause: usize,
}

/// All clauses, and who watches what.
#[derive(Clone, Debug)]
pub(super) struct Clauses {
    clauses: Vec<Vec<Fact>>,
    /// By clause: how many suppositions it joined when it was learned; 0 for those that stay.
    joined: Vec<usize>,
    watches: Vec<Vec<Watch>>,
    room: Vec<Fact>,
}

impl Clauses {
    pub(super) fn new(sides: usize) -> Clauses {
        Clauses {
            clauses: Vec::new(),
            joined: Vec::new(),
            watches: vec![Vec::new(); sides],
            room: Vec::new(),
        }
    }

    /// A clause of two facts or more; when all but the first fail, the second failed last.
    pub(super) fn add(&mut self, facts: Vec<Fact>, joined: usize) {
        let clause = self.clauses.len();
        self.watch(clause, &facts);
        self.clauses.push(facts);
        self.joined.push(joined);
    }

    fn watch(&mut self, clause: usize, facts: &[Fact]) {
        for fact in facts.iter().take(2).map(|fact| fact.not()) {
            self.watches[fact.side].push(Watch { least: fact.least, clause });
        }
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.clauses.len()
    }

    /// What follows from a step; how many watches were looked at is added to `looked`.
    pub(super) fn follow(
        &mut self,
        trail: &mut Trail,
        step: Step,
        looked: &mut u64,
    ) -> Result<(), Contradiction> {
        let mut watches = std::mem::take(&mut self.watches[step.side]);
        *looked += watches.len() as u64 / 4;
        let mut outcome = Ok(());
        let mut at = 0;
        while at < watches.len() {
            let watch = watches[at];
            let fails_now = step.was < watch.least && watch.least <= step.now;
            if !fails_now || self.stays(trail, step.side, watch, &mut outcome, looked) {
                at += 1;
            } else {
                watches.swap_remove(at);
            }
            if outcome.is_err() {
                break;
            }
        }
        // Facts of the same side that fail later may be watched by now.
        watches.append(&mut self.watches[step.side]);
        self.watches[step.side] = watches;
        outcome
    }

    /// Whether a clause goes on watching the fact that fails.
    fn stays(
        &mut self,
        trail: &mut Trail,
        side: usize,
        watch: Watch,
        outcome: &mut Result<(), Contradiction>,
        looked: &mut u64,
    ) -> bool {
        let facts = &mut self.clauses[watch.clause];
        let failed = Fact { side, least: watch.least }.not();
        if facts[0] == failed {
            facts.swap(0, 1);
        }
        if trail.holds(facts[0]) {
            return true;
        }
        *looked += facts.len() as u64 / 2;
        let other = (2..facts.len()).find(|at| !trail.holds(facts[*at].not()));
        if let Some(other) = other {
            facts.swap(1, other);
            let next = facts[1].not();
            self.watches[next.side].push(Watch { least: next.least, clause: watch.clause });
            return false;
        }
        self.room.clear();
        self.room.extend(facts[1..].iter().map(|fact| fact.not()));
        let last = facts[0];
        *outcome = if trail.holds(last.not()) {
            self.room.push(last.not());
            Err(trail.contradict(&self.room))
        } else {
            trail.learn(last, &self.room)
        };
        true
    }

    /// Forgets the half of what was learned that joins most suppositions, and what says nothing more. Nothing may be supposed.
    pub(super) fn forget(&mut self, trail: &Trail) {
        let mut joined: Vec<(usize, usize)> = (0..self.len()).map(|at| (self.joined[at], at)).collect();
        // Of those that join as many, the later one is kept.
        joined.sort_unstable_by_key(|(joined, at)| (*joined, std::cmp::Reverse(*at)));
        joined.truncate(self.len() - joined.iter().filter(|(joined, _)| *joined > 2).count() / 2);
        let mut kept: Vec<usize> = joined.into_iter().map(|(_, at)| at).collect();
        kept.sort_unstable();
        let old = std::mem::replace(self, Clauses::new(trail.sides()));
        for at in kept {
            let facts = &old.clauses[at];
            let open: Vec<Fact> = facts.iter().copied().filter(|fact| !trail.holds(fact.not())).collect();
            if open.len() > 1 && !facts.iter().any(|fact| trail.holds(*fact)) {
                self.add(open, old.joined[at]);
            }
        }
    }
}
