//! How many nodes are free when, as steps from now to for ever.
//!
//! **Problem.** Conservative backfilling keeps every promise in a calendar, in which it looks for the earliest time at which so
//! many nodes are free for so long, takes it, and gives back what was not used; ten thousand promises and more.
//!
//! **Method.** Steps (a moment, and how many nodes are free from then on) lie in chunks of at most [`CHUNK_MAX`]. A chunk knows
//! the least and the most of its steps, so that a search passes whole chunks that cannot begin or cannot end a stretch, and
//! carries an offset, so that taking and giving change it as a whole. Neighbours that say the same are joined.
//!
//! **Complexity.** A search, a taking or a giving over s steps costs O(s / [`CHUNK_MAX`] + [`CHUNK_MAX`]).
//!
//! ```
//! use walras_sim::baseline::Profile;
//! let mut free = Profile::new(4, 0);
//! free.take(0, 10, 3);
//! assert_eq!((free.earliest(0, 1, 20), free.earliest(0, 2, 5)), (0, 10));
//! free.give(6, 10, 3);
//! assert_eq!(free.earliest(0, 2, 5), 6);
//! ```

use std::collections::VecDeque;

/// A chunk with more steps is cut in two.
const CHUNK_MAX: usize = 64;

/// Later than everything.
pub(crate) const NEVER: i64 = i64::MAX;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Step {
    at: i64,
    free: i64,
}

#[derive(Clone, Debug)]
struct Chunk {
    steps: Vec<Step>,
    /// To be added to every step.
    offset: i64,
    least: i64,
    most: i64,
}

impl Chunk {
    fn new(steps: Vec<Step>) -> Chunk {
        let mut chunk = Chunk { steps, offset: 0, least: 0, most: 0 };
        chunk.measure();
        chunk
    }

    /// Finds its least and its most again.
    fn measure(&mut self) {
        self.least = self.steps.iter().map(|step| step.free).min().unwrap_or(0) + self.offset;
        self.most = self.steps.iter().map(|step| step.free).max().unwrap_or(0) + self.offset;
    }

    fn first(&self) -> i64 {
        self.steps.first().map_or(NEVER, |step| step.at)
    }
}

/// Free nodes over time.
#[derive(Clone, Debug)]
pub struct Profile {
    chunks: VecDeque<Chunk>,
}

impl Profile {
    /// So many nodes, free from then on.
    pub fn new(nodes: u32, from: i64) -> Profile {
        let all = Chunk::new(vec![Step { at: from, free: i64::from(nodes) }]);
        Profile { chunks: VecDeque::from([all]) }
    }

    /// How many steps there are.
    pub fn steps(&self) -> usize {
        self.chunks.iter().map(|chunk| chunk.steps.len()).sum()
    }

    /// The last chunk that begins by then, and the last of its steps that does.
    fn place(&self, at: i64) -> (usize, usize) {
        let chunk = self.chunks.partition_point(|chunk| chunk.first() <= at).saturating_sub(1);
        let step = self.chunks[chunk].steps.partition_point(|step| step.at <= at).saturating_sub(1);
        (chunk, step)
    }

    /// How many nodes are free at a moment.
    pub fn free(&self, at: i64) -> i64 {
        let (chunk, step) = self.place(at);
        let chunk = &self.chunks[chunk];
        chunk.steps[step].free + chunk.offset
    }

    /// The earliest moment, not before `from`, from which so many nodes are free for so long.
    pub fn earliest(&self, from: i64, nodes: u32, length: i64) -> i64 {
        self.earliest_before(from, NEVER, NEVER, nodes, length).unwrap_or(NEVER)
    }

    /// The same, but before `limit`, and nodes count as free from `own` on: whoever looks has them then.
    pub(crate) fn earliest_before(
        &self,
        from: i64,
        limit: i64,
        own: i64,
        nodes: u32,
        length: i64,
    ) -> Option<i64> {
        let nodes = i64::from(nodes);
        let (first_chunk, first_step) = self.place(from);
        let (mut chunk, mut step) = (first_chunk, first_step);
        let mut start = None;
        while let Some(here) = self.chunks.get(chunk) {
            // Nothing begins in this chunk, or nothing breaks what has begun before it.
            let passes = step == 0 && if start.is_some() { here.least >= nodes } else { here.most < nodes };
            let begins = here.steps.get(step).map_or(NEVER, |step| step.at).max(from);
            let wanted = start.map_or(NEVER, |start: i64| start.saturating_add(length).min(own));
            if begins >= wanted {
                return start;
            }
            if start.is_none() && begins >= limit {
                return None;
            }
            if passes {
                (chunk, step) = (chunk + 1, 0);
                continue;
            }
            for place in &here.steps[step..] {
                let at = place.at.max(from);
                if let Some(start) = start.filter(|start: &i64| at >= start.saturating_add(length).min(own)) {
                    return Some(start);
                }
                if place.free + here.offset < nodes {
                    start = None;
                } else if start.is_none() {
                    if at >= limit {
                        return None;
                    }
                    start = Some(at);
                }
            }
            (chunk, step) = (chunk + 1, 0);
        }
        start
    }

    /// Takes so many nodes for a time.
    pub fn take(&mut self, from: i64, until: i64, nodes: u32) {
        self.change(from, until, -i64::from(nodes));
    }

    /// Gives so many nodes back for a time.
    pub fn give(&mut self, from: i64, until: i64, nodes: u32) {
        self.change(from, until, i64::from(nodes));
    }

    fn change(&mut self, from: i64, until: i64, by: i64) {
        if from >= until {
            return;
        }
        self.cut(from);
        self.cut(until);
        let (mut chunk, mut step) = self.place(from);
        while let Some(here) = self.chunks.get_mut(chunk) {
            if here.first() >= until {
                break;
            }
            if step == 0 && here.steps.last().is_some_and(|step| step.at < until) {
                here.offset += by;
                here.least += by;
                here.most += by;
            } else {
                for place in here.steps[step..].iter_mut().take_while(|place| place.at < until) {
                    place.free += by;
                }
                here.measure();
            }
            (chunk, step) = (chunk + 1, 0);
        }
        self.join(until);
        self.join(from);
    }

    /// Makes a step at a moment.
    fn cut(&mut self, at: i64) {
        let (place, step) = self.place(at);
        let chunk = &mut self.chunks[place];
        if chunk.steps[step].at >= at {
            return;
        }
        let free = chunk.steps[step].free;
        chunk.steps.insert(step + 1, Step { at, free });
        if chunk.steps.len() > CHUNK_MAX {
            let offset = chunk.offset;
            let mut rest = Chunk::new(chunk.steps.split_off(CHUNK_MAX / 2));
            rest.offset = offset;
            rest.measure();
            chunk.measure();
            self.chunks.insert(place + 1, rest);
        }
    }

    /// Removes the step at a moment when it says what the one before says.
    fn join(&mut self, at: i64) {
        let (place, step) = self.place(at);
        let chunk = &self.chunks[place];
        let free = chunk.steps[step].free + chunk.offset;
        let before = match step.checked_sub(1) {
            Some(before) => Some(chunk.steps[before].free + chunk.offset),
            None => place.checked_sub(1).and_then(|before| {
                let chunk = &self.chunks[before];
                chunk.steps.last().map(|step| step.free + chunk.offset)
            }),
        };
        if chunk.steps[step].at != at || before != Some(free) {
            return;
        }
        let chunk = &mut self.chunks[place];
        chunk.steps.remove(step);
        if chunk.steps.is_empty() {
            self.chunks.remove(place);
        }
    }

    /// Forgets what was before.
    pub fn forget_before(&mut self, now: i64) {
        while self.chunks.get(1).is_some_and(|next| next.first() <= now) {
            self.chunks.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use walras_random::Draws;

    /// The same, moment by moment.
    struct Plain(Vec<i64>);

    fn place(at: i64) -> usize {
        usize::try_from(at).unwrap()
    }

    impl Plain {
        fn change(&mut self, from: i64, until: i64, by: i64) {
            self.0[place(from)..place(until)].iter_mut().for_each(|free| *free += by);
        }

        fn earliest(&self, from: i64, nodes: u32, length: i64) -> Option<i64> {
            let fits = |start: &i64| {
                let stretch = &self.0[place(*start)..place(start + length)];
                stretch.iter().all(|free| *free >= i64::from(nodes))
            };
            (from..3_900).find(fits)
        }
    }

    #[test]
    fn steps_say_what_moments_say() {
        for seed in 0..60 {
            let mut draws = Draws::new(seed);
            let mut below = |count: usize| i64::try_from(draws.below(count)).unwrap();
            let (mut profile, mut plain) = (Profile::new(8, 0), Plain(vec![8; 4_000]));
            let mut taken: Vec<(i64, i64, u32)> = Vec::new();
            let mut now = 0;
            for _ in 0..400 {
                let nodes = u32::try_from(1 + below(8)).unwrap();
                let (from, length) = (now + below(300), 1 + below(30));
                let start = profile.earliest(from, nodes, length);
                assert_eq!(Some(start), plain.earliest(from, nodes, length), "seed {seed}");
                if below(3) > 0 {
                    profile.take(start, start + length, nodes);
                    plain.change(start, start + length, -i64::from(nodes));
                    taken.push((start, start + length, nodes));
                } else if !taken.is_empty() {
                    let (start, end, nodes) = taken.swap_remove(place(below(taken.len())));
                    let from = start + below(place(end - start));
                    profile.give(from, end, nodes);
                    plain.change(from, end, i64::from(nodes));
                }
                let at = now + below(400);
                assert_eq!(profile.free(at), plain.0[place(at)], "seed {seed}");
                now += below(3);
                profile.forget_before(now);
            }
        }
    }

    #[test]
    fn who_looks_counts_what_they_have() {
        let mut profile = Profile::new(2, 0);
        profile.take(0, 5, 1);
        profile.take(8, 18, 2);
        // From 8 on it has the two nodes itself: it may begin at 5, and not before.
        assert_eq!(profile.earliest_before(0, 8, 8, 2, 10), Some(5));
        assert_eq!(profile.earliest_before(0, 5, 8, 2, 10), None);
        assert_eq!(profile.earliest_before(6, 8, 8, 1, 10), Some(6));
    }

    #[test]
    fn neighbours_that_say_the_same_are_joined() {
        let mut profile = Profile::new(3, 0);
        for start in 0..1_000 {
            profile.take(start, start + 1, 1);
        }
        assert_eq!(profile.steps(), 2);
        profile.give(0, 1_000, 1);
        assert_eq!(profile.steps(), 1);
    }
}
