//! How much work the lanes can do between two moments.

use super::instance::Instance;
use walras_model::quantity::rounding;

/// The free speed of all lanes together, over time.
#[derive(Clone, Debug)]
pub(super) struct Profile {
    /// From this moment on there is this much free speed; what could be done before it since the first.
    steps: Vec<(i64, i128, i128)>,
    /// The speeds of the fastest lane, of the two fastest together, and so on.
    fastest: Vec<i128>,
}

impl Profile {
    pub(super) fn new(instance: &Instance) -> Profile {
        let speeds = || instance.costs.performance.iter().map(|speed| i128::from(*speed));
        let mut changes: Vec<(i64, i128)> = Vec::new();
        for (free, speed) in instance.free.iter().zip(speeds()) {
            changes.extend(free.iter().flat_map(|(start, end)| [(*start, speed), (*end, -speed)]));
        }
        changes.sort_unstable();
        let mut steps: Vec<(i64, i128, i128)> = Vec::with_capacity(changes.len());
        let (mut speed, mut done) = (0, 0);
        for (time, change) in changes {
            if let Some((before, _, _)) = steps.last() {
                done += speed * i128::from(time - before);
            }
            speed += change;
            steps.push((time, speed, done));
        }
        let mut fastest: Vec<i128> = speeds().collect();
        fastest.sort_unstable_by_key(|speed| -speed);
        let mut sum = 0;
        for speed in &mut fastest {
            sum += *speed;
            *speed = sum;
        }
        Profile { steps, fastest }
    }

    /// What can be done before a moment.
    fn before(&self, time: i64) -> i128 {
        let at = self.steps.partition_point(|(step, _, _)| *step <= time);
        match at.checked_sub(1).map(|last| self.steps[last]) {
            Some((step, speed, done)) => done + speed * i128::from(time - step),
            None => 0,
        }
    }

    /// No sooner than this, so much work can be done from `start` on; when the free time does not suffice, no sooner than
    /// its end.
    pub(super) fn done(&self, start: i64, work: i128) -> i64 {
        if work <= 0 {
            return start;
        }
        let goal = self.before(start) + work;
        let at = self.steps.partition_point(|(_, _, done)| *done < goal);
        let Some((step, speed, done)) = at.checked_sub(1).map(|last| self.steps[last]) else { return start };
        let rest = if speed > 0 { rounding::up(goal - done, speed) } else { 0 };
        start.max(step.saturating_add(i64::try_from(rest).unwrap_or(i64::MAX / 4)))
    }

    /// The same for work of so many tasks, of which each uses one lane at a time; owners' tasks are left out.
    pub(super) fn done_by_few(&self, start: i64, work: i128, count: usize) -> i64 {
        let Some(speed) = count.checked_sub(1).and_then(|last| self.fastest.get(last)) else { return start };
        let rest = rounding::up(work, (*speed).max(1));
        start.saturating_add(i64::try_from(rest).unwrap_or(i64::MAX / 4))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_is_done_where_there_is_free_time() {
        // Speed 2 in [0, 10), nothing until 20, speed 3 in [20, 30).
        let steps = vec![(0, 2, 0), (10, 0, 20), (20, 3, 20), (30, 0, 50)];
        let profile = Profile { steps, fastest: vec![3, 5] };
        assert_eq!(profile.done(0, 0), 0);
        assert_eq!(profile.done(0, 20), 10);
        assert_eq!(profile.done(0, 21), 21);
        assert_eq!(profile.done(5, 20), 24);
        assert_eq!(profile.done(12, 3), 21);
        assert_eq!(profile.done(25, 1_000), 30);
        assert_eq!(profile.done_by_few(5, 7, 1), 8);
        assert_eq!(profile.done_by_few(5, 7, 2), 7);
        assert_eq!(profile.done_by_few(5, 7, 3), 5);
    }
}
