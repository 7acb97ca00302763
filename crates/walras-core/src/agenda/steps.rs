//! A step function of time: how many are free from when on.
//!
//! **Problem.** Thousands of windows are put into a calendar and taken out again at every change. In one long list each of them moves
//! all steps behind it, and a search reads all steps before the first that has room.
//!
//! **Method.** Steps lie in blocks. A block knows the least and the most that is free in it, and a change over the whole of it is one number
//! beside it. A search steps over blocks in which nothing can begin, and over those in which nothing can stop it.
//!
//! **Complexity.** For s steps in blocks of b: a change O(b + s / b), the least between two moments the same, a search O(s / b + b · k) where
//! it looks into k blocks.

/// A block of more steps than this becomes two.
const BLOCK_MAX: usize = 64;

/// From a moment on, so many are free.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Step {
    pub(super) at: i64,
    pub(super) free: i32,
}

/// Some steps in a row; never none.
#[derive(Clone, Debug)]
struct Block {
    /// Beside what every step says.
    offset: i32,
    steps: Vec<Step>,
    /// Without the offset.
    least: i32,
    most: i32,
}

impl Block {
    fn new(steps: Vec<Step>) -> Block {
        let mut block = Block { offset: 0, steps, least: 0, most: 0 };
        block.measure();
        block
    }

    fn measure(&mut self) {
        self.least = self.steps.iter().map(|step| step.free).min().unwrap_or(0);
        self.most = self.steps.iter().map(|step| step.free).max().unwrap_or(0);
    }

    fn starts(&self) -> i64 {
        self.steps.first().map_or(i64::MIN, |step| step.at)
    }

    fn free(&self, place: usize) -> i32 {
        self.steps[place].free + self.offset
    }
}

/// A step function; nothing is free before its first step, and what the last one says is free for ever.
#[derive(Clone, Debug, Default)]
pub(super) struct Steps {
    blocks: Vec<Block>,
}

/// Where a step is: block, and place in it.
type Position = (usize, usize);

impl Steps {
    /// Steps in order of time.
    pub(super) fn new(steps: &[Step]) -> Steps {
        Steps { blocks: steps.chunks(BLOCK_MAX).map(|steps| Block::new(steps.to_vec())).collect() }
    }

    /// Changes what is free between two moments by so many.
    pub(super) fn change(&mut self, from: i64, until: i64, by: i32) {
        if from >= until {
            return;
        }
        let last = self.split(until);
        let first = self.split(from);
        // The first split may have moved the last by one place, or into a block of its own.
        let last = self.find(until).unwrap_or(last);
        for block in first.0..=last.0.min(self.blocks.len() - 1) {
            let block_of = &mut self.blocks[block];
            let low = if block == first.0 { first.1 } else { 0 };
            let high = if block == last.0 { last.1 } else { block_of.steps.len() };
            if low == 0 && high == block_of.steps.len() {
                block_of.offset += by;
            } else if low < high {
                block_of.steps[low..high].iter_mut().for_each(|step| step.free += by);
                block_of.measure();
            }
        }
        self.join(last);
        self.join(first);
    }

    /// The least that is free between two moments, as far as it matters: nothing below nothing.
    pub(super) fn least(&self, from: i64, until: i64) -> i32 {
        let Some((mut block, mut place)) = self.at(from) else { return 0 };
        let mut least = i32::MAX;
        while let Some(of) = self.blocks.get(block) {
            let whole = place == 0 && self.blocks.get(block + 1).is_some_and(|next| next.starts() < until);
            if whole {
                least = least.min(of.least + of.offset);
            } else {
                for step in of.steps[place..].iter().take_while(|step| step.at < until) {
                    least = least.min(step.free + of.offset);
                }
            }
            if least <= 0 || of.steps.last().is_some_and(|step| step.at >= until) {
                break;
            }
            (block, place) = (block + 1, 0);
        }
        least.max(0)
    }

    /// The first moment, no earlier than one and no later than another, from which on so many are free for so long. What is free from
    /// the last step on does not count.
    pub(super) fn earliest(
        &self,
        (from, last): (i64, i64),
        nodes: i32,
        millis: i64,
        read: &mut u64,
    ) -> Option<i64> {
        let (mut block, mut place) = self.at(from).unwrap_or((0, 0));
        let mut start: Option<i64> = None;
        while let Some(of) = self.blocks.get(block) {
            *read += 1;
            let (least, most) = (of.least + of.offset, of.most + of.offset);
            let passes = match start {
                None if of.starts() > last => return None,
                None => most < nodes,
                // Its last step may be the one that is long enough after the start.
                Some(start) => least >= nodes && of.steps.last().is_some_and(|step| step.at < start + millis),
            };
            if !passes {
                for step in &of.steps[place..] {
                    *read += 1;
                    match start {
                        Some(start) if step.at >= start + millis => return Some(start),
                        None if step.at > last => return None,
                        _ if step.free + of.offset < nodes => start = None,
                        None => start = Some(step.at.max(from)).filter(|start| *start <= last),
                        Some(_) => {}
                    }
                }
            }
            (block, place) = (block + 1, 0);
        }
        None
    }

    /// The moments at which more become free, between two others.
    pub(super) fn openings(&self, from: i64, last: i64) -> impl Iterator<Item = i64> {
        let first = self.after(from);
        let mut before = self.before(first).map_or(0, |(block, place)| self.blocks[block].free(place));
        let blocks = self.blocks.iter().enumerate().skip(first.0);
        let steps = blocks.flat_map(move |(block, of)| {
            let skipped = if block == first.0 { first.1 } else { 0 };
            of.steps[skipped..].iter().map(|step| (step.at, step.free + of.offset))
        });
        steps.take_while(move |(at, _)| *at <= last).filter_map(move |(at, free)| {
            let opens = free > before;
            before = free;
            opens.then_some(at)
        })
    }

    /// The first moment, no earlier than one and no later than another, at which more become free, and one at least for so long.
    pub(super) fn next_opening(&self, (from, last): (i64, i64), millis: i64) -> Option<i64> {
        let (mut block, mut place) = self.after(from);
        let mut before =
            self.before((block, place)).map_or(0, |(block, place)| self.blocks[block].free(place));
        while let Some(of) = self.blocks.get(block).filter(|of| of.starts() <= last) {
            if of.most + of.offset < 1 {
                before = 0;
            } else {
                for step in &of.steps[place..] {
                    if step.at > last {
                        return None;
                    }
                    let free = step.free + of.offset;
                    if free > before.max(0) && self.least(step.at, step.at.saturating_add(millis)) > 0 {
                        return Some(step.at);
                    }
                    before = free;
                }
            }
            (block, place) = (block + 1, 0);
        }
        None
    }

    /// The first moment at which nothing is free, after one at which something is; the last moment of all where there is none.
    pub(super) fn ends(&self, after: i64) -> i64 {
        let (first, skipped) = self.after(after.saturating_add(1));
        let blocks = self.blocks.iter().enumerate().skip(first);
        let taken = blocks.filter(|(_, block)| block.least + block.offset <= 0).find_map(|(place, block)| {
            let steps = &block.steps[if place == first { skipped } else { 0 }..];
            steps.iter().find(|step| step.free + block.offset <= 0)
        });
        taken.map_or(i64::MAX, |step| step.at)
    }

    /// The longest time in which something is free all along, of those that begin until then. What is free from the last step on does not
    /// count.
    pub(super) fn longest_until(&self, last: i64) -> i64 {
        let (mut longest, mut since) = (0, None);
        for block in &self.blocks {
            if since.is_none() && block.starts() > last {
                break;
            }
            let goes_on = since.is_some() && block.least + block.offset > 0;
            for step in block.steps.iter().filter(|_| !goes_on) {
                match since {
                    None if step.free + block.offset > 0 && step.at <= last => since = Some(step.at),
                    Some(start) if step.free + block.offset <= 0 => {
                        longest = longest.max(step.at.saturating_sub(start));
                        since = None;
                    }
                    None | Some(_) => {}
                }
            }
        }
        longest
    }

    /// The most that is free at a moment until then.
    pub(super) fn most_until(&self, last: i64) -> i32 {
        let blocks = self.blocks.iter().take_while(|block| block.starts() <= last);
        let of_block = |block: &Block| {
            let steps = block.steps.iter().take_while(|step| step.at <= last);
            steps.map(|step| step.free + block.offset).max().unwrap_or(0)
        };
        blocks.map(of_block).max().unwrap_or(0)
    }

    /// The step that holds at a moment; `None` before the first.
    fn at(&self, moment: i64) -> Option<Position> {
        let block = self.blocks.partition_point(|block| block.starts() <= moment).checked_sub(1)?;
        let place = self.blocks[block].steps.partition_point(|step| step.at <= moment).checked_sub(1)?;
        Some((block, place))
    }

    /// The step of exactly that moment.
    fn find(&self, moment: i64) -> Option<Position> {
        self.at(moment).filter(|(block, place)| self.blocks[*block].steps[*place].at == moment)
    }

    /// The first step no earlier than a moment, or the end.
    fn after(&self, moment: i64) -> Position {
        match self.at(moment) {
            None => (0, 0),
            Some((block, place)) if self.blocks[block].steps[place].at == moment => (block, place),
            Some((block, place)) if place + 1 < self.blocks[block].steps.len() => (block, place + 1),
            Some((block, _)) => (block + 1, 0),
        }
    }

    /// The step before one.
    fn before(&self, (block, place): Position) -> Option<Position> {
        match place.checked_sub(1) {
            Some(place) => Some((block, place)),
            None => {
                let block = block.checked_sub(1)?;
                Some((block, self.blocks[block].steps.len() - 1))
            }
        }
    }

    /// Makes a step at a moment; gives where it is.
    fn split(&mut self, moment: i64) -> Position {
        let Some((block, place)) = self.at(moment) else {
            let step = Step { at: moment, free: 0 };
            match self.blocks.first_mut() {
                None => self.blocks.push(Block::new(vec![step])),
                Some(first) => {
                    first.steps.insert(0, Step { free: -first.offset, ..step });
                    first.measure();
                    self.halve(0);
                }
            }
            return (0, 0);
        };
        let of = &mut self.blocks[block];
        if of.steps[place].at == moment {
            return (block, place);
        }
        let step = Step { at: moment, free: of.steps[place].free };
        of.steps.insert(place + 1, step);
        if !self.halve(block) {
            return (block, place + 1);
        }
        self.find(moment).unwrap_or((block, place + 1))
    }

    /// Makes two blocks of one that is too long.
    fn halve(&mut self, block: usize) -> bool {
        let of = &mut self.blocks[block];
        if of.steps.len() <= BLOCK_MAX {
            return false;
        }
        let offset = of.offset;
        let mut second = Block::new(of.steps.split_off(BLOCK_MAX / 2));
        second.offset = offset;
        of.measure();
        self.blocks.insert(block + 1, second);
        true
    }

    /// Takes a step away that says what the one before it says.
    fn join(&mut self, (block, place): Position) {
        let Some(before) = self.before((block, place)) else { return };
        let Some(of) = self.blocks.get(block).filter(|of| place < of.steps.len()) else { return };
        if of.free(place) != self.blocks[before.0].free(before.1) {
            return;
        }
        let of = &mut self.blocks[block];
        of.steps.remove(place);
        if of.steps.is_empty() {
            self.blocks.remove(block);
        } else {
            of.measure();
        }
    }

    /// All steps, in order of time.
    #[cfg(test)]
    pub(super) fn all(&self) -> Vec<Step> {
        let of = |block: &Block| {
            block.steps.iter().map(|step| Step { at: step.at, free: step.free + block.offset }).collect()
        };
        self.blocks.iter().flat_map(|block| -> Vec<Step> { of(block) }).collect()
    }
}

#[cfg(test)]
mod tests;
