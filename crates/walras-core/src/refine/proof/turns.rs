//! Tasks on one node take turns.
//!
//! What follows for a lane from the tasks that must be on it, for each of them and for each other one if it were there too:
//! - *pairs*: of two tasks one goes first; when it cannot be the one, it is the other, and when it can be neither, the second task is not
//!   there;
//! - *sets before and after*: a task starts after all that are known to go before it, which take turns themselves;
//! - *windows* (edge finding; Carlier and Pinson 1989): tasks that must run between two moments fill the time there; one more that could
//!   not begin before goes after all of them, one that could not end after goes before them, and one that could do neither is not there.
//!
//! **Complexity.** O(k² · (k + o)) for k tasks that must be on the lane and o others that may.

use super::model::Model;
use super::trail::{Contradiction, Fact, Trail};

/// The tasks of one lane.
#[derive(Clone, Debug, Default)]
pub(super) struct Turns {
    /// Those that must be there, and all that may.
    sure: Vec<usize>,
    all: Vec<usize>,
    members: Vec<usize>,
    causes: Vec<Fact>,
}

/// One lane while it is looked at.
struct Lane<'a, 'b> {
    model: &'a Model<'b>,
    lane: usize,
}

impl Lane<'_, '_> {
    fn length(&self, task: usize) -> i64 {
        self.model.instance.runtime(task, self.lane)
    }

    fn on(&self, task: usize) -> Fact {
        Fact::at_least(self.model.on(task, self.lane), 1)
    }

    fn is_on(&self, trail: &Trail, task: usize) -> bool {
        trail.holds(self.on(task))
    }

    fn head(&self, trail: &Trail, task: usize) -> i64 {
        trail.least(self.model.start(task, self.lane))
    }

    fn last(&self, trail: &Trail, task: usize) -> i64 {
        trail.most(self.model.start(task, self.lane))
    }

    /// Starts no sooner.
    fn from(&self, task: usize, time: i64) -> Fact {
        Fact::at_least(self.model.start(task, self.lane), time)
    }

    /// Starts no later.
    fn until(&self, task: usize, time: i64) -> Fact {
        Fact::at_most(self.model.start(task, self.lane), time)
    }

    /// Ends no later.
    fn ends_by(&self, task: usize, time: i64) -> Fact {
        self.until(task, time - self.length(task))
    }

    fn end(&self, trail: &Trail, task: usize) -> i64 {
        self.last(trail, task) + self.length(task)
    }
}

impl Turns {
    /// What follows on a lane; how many pairs and windows were looked at is added to `looked`.
    pub(super) fn follow(
        &mut self,
        model: &Model<'_>,
        trail: &mut Trail,
        lane: usize,
        looked: &mut u64,
    ) -> Result<(), Contradiction> {
        let here = Lane { model, lane };
        let takes_time = |task: &usize| here.length(*task) > 0;
        self.all.clear();
        self.all.extend((0..model.tasks).filter(|task| model.may(trail, *task, lane)).filter(takes_time));
        self.sure.clear();
        self.sure.extend(self.all.iter().filter(|task| here.is_on(trail, **task)));
        *looked += model.tasks as u64 / 4 + (self.sure.len() * self.all.len()) as u64;
        for one in 0..self.sure.len() {
            for other in 0..self.all.len() {
                if self.sure[one] != self.all[other] {
                    self.pair(&here, trail, self.sure[one], self.all[other])?;
                }
            }
        }
        if self.sure.len() > 1 {
            for task in 0..self.all.len() {
                self.after_all(&here, trail, self.all[task])?;
                self.before_all(&here, trail, self.all[task])?;
            }
        }
        self.windows(&here, trail, looked)
    }

    /// What follows for the second of two tasks, of which the first is there.
    fn pair(
        &mut self,
        here: &Lane<'_, '_>,
        trail: &mut Trail,
        one: usize,
        other: usize,
    ) -> Result<(), Contradiction> {
        if !here.model.may(trail, other, here.lane) {
            return Ok(());
        }
        let (length, other_length) = (here.length(one), here.length(other));
        let (first, last) = (here.head(trail, one), here.last(trail, one));
        let (other_first, other_last) = (here.head(trail, other), here.last(trail, other));
        let (forwards, backwards) = (here.model.before(one, other), here.model.before(other, one));
        if trail.holds(forwards) {
            let causes = [here.on(one), forwards, here.from(one, first)];
            return trail.learn(here.from(other, first + length), &causes);
        }
        if trail.holds(backwards) {
            let causes = [here.on(one), backwards, here.until(one, last)];
            return trail.learn(here.until(other, last - other_length), &causes);
        }
        let is_sure = here.is_on(trail, other);
        let not_first = [here.from(one, other_last + 1 - length), here.until(other, other_last)];
        let not_after = [here.from(other, last + 1 - other_length), here.until(one, last)];
        self.causes.clear();
        self.causes.push(here.on(one));
        match (first + length > other_last, other_first + other_length > last) {
            (false, false) => Ok(()),
            (true, true) => {
                self.causes.extend(not_first.into_iter().chain(not_after));
                trail.learn(here.on(other).not(), &self.causes)
            }
            (true, false) => {
                self.causes.extend(not_first);
                self.causes.push(here.until(one, last));
                trail.learn(here.until(other, last - other_length), &self.causes)?;
                self.ordered(here, trail, backwards, is_sure, other)
            }
            (false, true) => {
                self.causes.extend(not_after);
                self.causes.push(here.from(one, first));
                trail.learn(here.from(other, first + length), &self.causes)?;
                self.ordered(here, trail, forwards, is_sure, other)
            }
        }
    }

    /// The order that is left of two tasks when both are there; the causes end with one that it does not need.
    fn ordered(
        &mut self,
        here: &Lane<'_, '_>,
        trail: &mut Trail,
        order: Fact,
        is_sure: bool,
        other: usize,
    ) -> Result<(), Contradiction> {
        if !is_sure {
            return Ok(());
        }
        self.causes.pop();
        self.causes.push(here.on(other));
        trail.learn(order, &self.causes)
    }

    /// A task starts after all that go before it.
    fn after_all(
        &mut self,
        here: &Lane<'_, '_>,
        trail: &mut Trail,
        task: usize,
    ) -> Result<(), Contradiction> {
        let goes_before = |other: usize| trail.holds(here.model.before(other, task));
        self.members.clear();
        self.members.extend(self.sure.iter().filter(|other| **other != task && goes_before(**other)));
        self.members.sort_unstable_by_key(|other| (-here.head(trail, *other), *other));
        let (mut sum, mut best) = (0, (i64::MIN, 0, 0));
        for (at, other) in self.members.iter().enumerate() {
            sum += here.length(*other);
            let from = here.head(trail, *other);
            best = best.max((from + sum, from, at + 1));
        }
        let (start, from, count) = best;
        if count == 0 || start <= here.head(trail, task) {
            return Ok(());
        }
        self.causes.clear();
        for other in &self.members[..count] {
            self.causes.extend([here.on(*other), here.model.before(*other, task), here.from(*other, from)]);
        }
        trail.learn(here.from(task, start), &self.causes)
    }

    /// A task ends before all that go after it.
    fn before_all(
        &mut self,
        here: &Lane<'_, '_>,
        trail: &mut Trail,
        task: usize,
    ) -> Result<(), Contradiction> {
        let goes_after = |other: usize| trail.holds(here.model.before(task, other));
        self.members.clear();
        self.members.extend(self.sure.iter().filter(|other| **other != task && goes_after(**other)));
        self.members.sort_unstable_by_key(|other| (here.end(trail, *other), *other));
        let (mut sum, mut best) = (0, (i64::MAX, 0, 0));
        for (at, other) in self.members.iter().enumerate() {
            sum += here.length(*other);
            let until = here.end(trail, *other);
            best = best.min((until - sum, until, at + 1));
        }
        let (end, until, count) = best;
        if count == 0 || end >= here.end(trail, task) {
            return Ok(());
        }
        self.causes.clear();
        for other in &self.members[..count] {
            self.causes.extend([
                here.on(*other),
                here.model.before(task, *other),
                here.ends_by(*other, until),
            ]);
        }
        trail.learn(here.ends_by(task, end), &self.causes)
    }

    /// Between two moments there is only so much time.
    fn windows(
        &mut self,
        here: &Lane<'_, '_>,
        trail: &mut Trail,
        looked: &mut u64,
    ) -> Result<(), Contradiction> {
        let mut begins: Vec<i64> = self.sure.iter().map(|task| here.head(trail, *task)).collect();
        begins.sort_unstable();
        begins.dedup();
        for begin in begins {
            // What is learned on the way makes ends earlier, so that these still hold.
            let inside = self.sure.iter().filter(|task| here.head(trail, **task) >= begin);
            let mut by_end: Vec<(i64, usize)> = inside.map(|task| (here.end(trail, *task), *task)).collect();
            by_end.sort_unstable();
            self.members.clear();
            let mut load = 0;
            for (at, (end, task)) in by_end.iter().enumerate() {
                self.members.push(*task);
                load += here.length(*task);
                if by_end.get(at + 1).is_none_or(|(next, _)| next > end) {
                    *looked += self.all.len() as u64;
                    self.window(here, trail, (begin, *end), load)?;
                }
            }
        }
        Ok(())
    }

    /// What follows from members that must run between two moments.
    fn window(
        &mut self,
        here: &Lane<'_, '_>,
        trail: &mut Trail,
        (begin, end): (i64, i64),
        load: i64,
    ) -> Result<(), Contradiction> {
        self.causes.clear();
        if load > end - begin {
            self.inside(here, begin, end);
            return Err(trail.contradict(&self.causes));
        }
        for at in 0..self.all.len() {
            let task = self.all[at];
            let length = here.length(task);
            if load + length <= end - begin || self.members.contains(&task) {
                continue;
            }
            let is_late = here.head(trail, task) >= begin;
            let is_early = here.end(trail, task) <= end;
            if !(is_late || is_early) || !here.model.may(trail, task, here.lane) {
                continue;
            }
            self.causes.clear();
            self.inside(here, begin, end);
            if is_late {
                self.causes.push(here.from(task, begin));
            }
            if is_early {
                self.causes.push(here.ends_by(task, end));
            }
            let follows = match (is_late, is_early) {
                (true, true) => here.on(task).not(),
                (true, false) => here.from(task, begin + load),
                _ => here.ends_by(task, end - load),
            };
            trail.learn(follows, &self.causes)?;
        }
        Ok(())
    }

    /// The members are there and run between two moments.
    fn inside(&mut self, here: &Lane<'_, '_>, begin: i64, end: i64) {
        for task in &self.members {
            self.causes.extend([here.on(*task), here.from(*task, begin), here.ends_by(*task, end)]);
        }
    }
}
