//! Where else a task could go, seen from a whole schedule.
//!
//! **Problem.** One task is taken out of a sequence. Of all lanes, and all places between the tasks there, which would
//! leave most room between the end that it could have and the end that it must not pass?
//!
//! **Method** (after Mastrolilli and Gambardella 2000, for the flexible job shop). Every task has an earliest end, from the tasks
//! before it, and a latest start, from those after it, that leaves the end of everything where it is. Taking a task out moves
//! only ends of tasks behind it and latest starts of tasks ahead of it, and only those that the graph lets it pass matter. A place
//! between two tasks of a lane then has a *room*: what is left between the earliest end there and the latest one. A place with room
//! makes nothing later; the one with the most room is where the task disturbs least.
//!
//! **Complexity.** O(tasks passed + edges of these + lanes) for all places of a task, and O(tasks) to read the order.
//!
//! **Example.** Two tasks of 5 wait for each other's lane, and another lane of the same speed is idle: there the second has
//! room of 5.

use super::arrival::Arrivals;
use super::instance::{Instance, NEVER};
use super::sequence::Sequence;
use super::timeline::{earliest, latest};
use walras_random::Draws;

/// No start is early enough.
const TOO_LATE: i64 = i64::MIN / 4;

/// A place in a sequence for a task that was taken out of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Insertion {
    pub(super) lane: usize,
    /// Its position in the order without the task.
    pub(super) position: usize,
    room: i64,
    start: i64,
    /// The positions that are the same place.
    from: usize,
    to: usize,
}

/// Latest starts, and room for computing them.
#[derive(Clone, Debug)]
pub(super) struct Places {
    /// When the sequence that was read ends.
    finish: i64,
    /// By task: its latest start in the whole sequence.
    late: Vec<i64>,
    /// By task: its latest start without the task that is taken out.
    late_without: Vec<i64>,
    /// By lane: the latest start of the next task behind.
    due: Vec<i64>,
    due_behind: Vec<i64>,
    /// By lane: the end of the task ahead, and the position after it.
    ahead: Vec<(i64, usize)>,
    ready: Arrivals,
    needed: Arrivals,
}

/// A task that looks for a place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wish {
    pub(super) task: usize,
    /// The positions that the graph allows it, first and last.
    pub(super) range: (usize, usize),
    /// What it may cost.
    pub(super) allowance: i64,
    /// Rooms count up to so much less, by chance.
    pub(super) noise: i64,
}

impl Places {
    pub(super) fn new(instance: &Instance) -> Places {
        Places {
            finish: 0,
            late: vec![0; instance.tasks],
            late_without: vec![0; instance.tasks],
            due: vec![0; instance.lanes],
            due_behind: vec![0; instance.lanes],
            ahead: vec![(0, 0); instance.lanes],
            ready: Arrivals::new(instance),
            needed: Arrivals::new(instance),
        }
    }

    /// Computes the latest starts of a timed sequence.
    pub(super) fn read(&mut self, instance: &Instance, now: &Sequence, units: &mut u64) {
        (self.finish, _) = now.last();
        self.due.fill(self.finish);
        for task in now.order.iter().rev().map(|task| *task as usize) {
            let lane = now.lane[task] as usize;
            let mut end = self.due[lane];
            for flow in instance.after.of(task) {
                let after = flow.task as usize;
                end = end.min(self.late[after] - instance.transfer(flow, lane, now.lane[after] as usize));
            }
            self.late[task] =
                latest(&instance.free[lane], end, instance.runtime(task, lane)).unwrap_or(TOO_LATE);
            self.due[lane] = self.late[task];
            *units += 1 + instance.after.of(task).len() as u64;
        }
    }

    /// The best other place for a task. `trial` must be as what was read; ends behind the task are changed in it.
    pub(super) fn best(
        &mut self,
        instance: &Instance,
        trial: &mut Sequence,
        wish: Wish,
        draws: &mut Draws,
        units: &mut u64,
    ) -> Option<Insertion> {
        let Wish { task, range: (first, last), .. } = wish;
        let at = trial.position[task] as usize;
        self.look_behind(trial, at, last);
        self.late_ahead(instance, trial, first, at, units);
        let of = |other: usize| (trial.lane[other] as usize, trial.end[other]);
        self.ready.spread(instance, instance.before.of(task), instance.earliest, |other| Some(of(other)));
        let late = &self.late;
        let needed = |other: usize| Some((trial.lane[other] as usize, -late[other]));
        self.needed.spread(instance, instance.after.of(task), -self.finish, needed);
        self.ahead.fill((instance.earliest, first));
        for other in &trial.order[..first] {
            let other = *other as usize;
            let ahead = &mut self.ahead[trial.lane[other] as usize].0;
            *ahead = trial.end[other].max(*ahead);
        }
        *units += (trial.order.len() / 8 + instance.lanes + last + 1 - first) as u64;
        *units += (instance.before.of(task).len() + instance.after.of(task).len()) as u64;
        self.sweep(instance, trial, wish, draws)
    }

    /// Latest starts behind the position, by lane: `due` right behind it, `due_behind` from `last` on.
    fn look_behind(&mut self, trial: &Sequence, at: usize, last: usize) {
        self.due.fill(self.finish);
        for position in (at + 1..trial.order.len()).rev() {
            if position == last {
                self.due_behind.clone_from(&self.due);
            }
            let other = trial.order[position] as usize;
            self.due[trial.lane[other] as usize] = self.late[other];
        }
        if last <= at {
            self.due_behind.clone_from(&self.due);
        }
    }

    /// Latest starts of the tasks from `first` to the one that is taken out.
    fn late_ahead(
        &mut self,
        instance: &Instance,
        trial: &Sequence,
        first: usize,
        at: usize,
        units: &mut u64,
    ) {
        for position in (first..at).rev() {
            let other = trial.order[position] as usize;
            let lane = trial.lane[other] as usize;
            let mut end = self.due[lane];
            for flow in instance.after.of(other) {
                let after = flow.task as usize;
                let is_ahead = (trial.position[after] as usize) < at;
                let late = if is_ahead { self.late_without[after] } else { self.late[after] };
                end = end.min(late - instance.transfer(flow, lane, trial.lane[after] as usize));
            }
            self.late_without[other] =
                latest(&instance.free[lane], end, instance.runtime(other, lane)).unwrap_or(TOO_LATE);
            self.due[lane] = self.late_without[other];
            *units += 1 + instance.after.of(other).len() as u64;
        }
    }

    /// Looks at every place from the first position to the last.
    fn sweep(
        &mut self,
        instance: &Instance,
        trial: &mut Sequence,
        wish: Wish,
        draws: &mut Draws,
    ) -> Option<Insertion> {
        let Wish { task, range: (first, last), .. } = wish;
        let at = trial.position[task] as usize;
        let own = trial.lane[task] as usize;
        let mut best: Option<(i64, Insertion)> = None;
        let mut look = |insertion: Option<Insertion>| {
            let Some(insertion) = insertion else { return };
            if insertion.lane == own && insertion.from <= at && at <= insertion.to {
                return;
            }
            if wish.allowance != i64::MAX && instance.cost(task, insertion.lane) > wish.allowance {
                return;
            }
            let noise = draws.below(usize::try_from(wish.noise).unwrap_or(0) + 1);
            let value = insertion.room.saturating_sub(i64::try_from(noise).unwrap_or(0));
            if best.is_none_or(|(most, _)| value > most) {
                best = Some((value, insertion));
            }
        };
        for position in first..=last {
            let other = trial.order[position] as usize;
            if other == task {
                continue;
            }
            let lane = trial.lane[other] as usize;
            let late = if position < at { self.late_without[other] } else { self.late[other] };
            look(self.insertion(instance, task, lane, late, position));
            if position > at {
                retime(instance, trial, other, self.ahead[lane].0);
            }
            self.ahead[lane] = (trial.end[other].max(self.ahead[lane].0), position + 1);
        }
        for lane in 0..instance.lanes {
            look(self.insertion(instance, task, lane, self.due_behind[lane], last + 1));
        }
        let (_, mut insertion) = best?;
        // Where it starts among the others, so that the order stays one of starts.
        let starts_before = |position: usize| {
            let other = trial.order[position] as usize;
            other == task || trial.start[other] < insertion.start
        };
        let position =
            (insertion.from..insertion.to).find(|position| !starts_before(*position)).unwrap_or(insertion.to);
        // Without the task, those behind it are one position further ahead.
        insertion.position = if position > at { position - 1 } else { position };
        Some(insertion)
    }

    /// The place on a lane behind the task ahead and before one that starts at `late` at the latest.
    fn insertion(
        &self,
        instance: &Instance,
        task: usize,
        lane: usize,
        late: i64,
        to: usize,
    ) -> Option<Insertion> {
        let length = instance.runtime(task, lane);
        if length == NEVER {
            return None;
        }
        let (ahead, from) = self.ahead[lane];
        let start = earliest(&instance.free[lane], self.ready.ready[lane].max(ahead), length)?;
        let end = late.min(-self.needed.ready[lane]);
        Some(Insertion { lane, position: to, room: end - start - length, start, from, to })
    }
}

/// Gives a task behind the one taken out its time without it.
fn retime(instance: &Instance, trial: &mut Sequence, task: usize, ahead: i64) {
    let lane = trial.lane[task] as usize;
    let mut ready = ahead;
    for flow in instance.before.of(task) {
        let before = flow.task as usize;
        ready = ready.max(trial.end[before] + instance.transfer(flow, trial.lane[before] as usize, lane));
    }
    let length = instance.runtime(task, lane);
    if let Some(start) = earliest(&instance.free[lane], ready, length) {
        trial.start[task] = start;
        trial.end[task] = start + length;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::refine::baseline::Baseline;
    use crate::refine::list::Board;
    use crate::refine::random;
    use crate::refine::sequence::{Fronts, Timed};

    /// When everything ends after a task has gone somewhere else.
    fn finish_with(instance: &Instance, now: &Sequence, task: usize, lane: usize, position: usize) -> i64 {
        let mut moved = now.clone();
        moved.lane[task] = u32::try_from(lane).unwrap();
        moved.shift(now.position[task] as usize, position);
        let no_tail = vec![0; instance.tasks];
        let timed = moved.time(instance, 0, (i64::MAX, &no_tail), &mut Fronts::default(), &mut 0);
        assert_eq!(timed, Timed::Done);
        moved.last().0
    }

    /// Room is what the end has to spare, and no other place has more of it.
    #[test]
    fn the_best_place_is_found() {
        for seed in 0..60 {
            let instance = random::instance(12, 4, seed);
            let placed = Baseline::Heft.place(&instance, &mut Board::new(&instance));
            let mut now = Sequence::of(&instance, &placed);
            let no_tail = vec![0; instance.tasks];
            now.time(&instance, 0, (i64::MAX, &no_tail), &mut Fronts::default(), &mut 0);
            now.sort();
            let mut places = Places::new(&instance);
            places.read(&instance, &now, &mut 0);
            for task in 0..instance.tasks {
                let first = instance.before.of(task).iter().map(|flow| now.position[flow.task as usize] + 1);
                let last = instance.after.of(task).iter().map(|flow| now.position[flow.task as usize] - 1);
                let range = (first.max().unwrap_or(0) as usize, last.min().unwrap_or(11) as usize);
                let wish = Wish { task, range, allowance: i64::MAX, noise: 0 };
                let mut draws = Draws::new(seed);
                let trial = &mut now.clone();
                let insertion = places.best(&instance, trial, wish, &mut draws, &mut 0).unwrap();
                let finish = now.last().0;
                let moved = finish_with(&instance, &now, task, insertion.lane, insertion.position);
                assert!(moved <= finish.max(finish - insertion.room));
                assert!(insertion.room >= 0 || moved == finish - insertion.room);
                let own = now.lane[task] as usize;
                for lane in (0..instance.lanes).filter(|lane| *lane != own) {
                    for position in range.0..=range.1 {
                        let other = finish_with(&instance, &now, task, lane, position);
                        assert!(other >= moved, "seed {seed}, task {task}");
                    }
                }
            }
        }
    }
}
