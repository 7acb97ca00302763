//! One forward pass over a slot list, with what cannot matter left out.
//!
//! **Problem.** Feed a selector every slot on which a task of the request fits, in order of start, until it
//! has its window. Slots before the earliest start take part from there on.
//!
//! **Method.** Before a group or block is read, its summary is asked two questions. *Can any of its slots
//! join?* If none is long, fast or cheap enough, it is passed over for good. *Can a window be completed in
//! it?* If fewer slots than tasks are ever alive at once, it is put off: should a later block be read, those
//! of its slots that reach into that block join first. Every slot is read at most once, and usually few are.
//!
//! **Complexity.** O(n) slots in the worst case, plus the selector's work for those that join.
//!
//! Source: the slot search of Toporkov et al. (ALP and AMP, steps 2° to 5°); the run time on a node is
//! work / performance, rounded up, where the papers' conditions 2°b and 4° print the product.

use super::view::View;
use crate::slots::{SLOTS_PER_BLOCK_MAX, SlotList, Summary};
use std::ops::ControlFlow;
use walras_model::offer::{Slot, SlotKey};
use walras_model::quantity::rounding;

/// A slot that a task fits on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidate<'a> {
    pub(crate) slot: &'a Slot,
    /// When the task could start: the slot's start, or the request's earliest.
    pub(crate) start: i64,
    /// The last time when it could still start.
    pub(crate) expiry: i64,
    pub(crate) runtime: i64,
    /// What it costs per second.
    pub(crate) rate: i64,
}

impl<'a> Candidate<'a> {
    /// The candidate that a slot makes, if a task fits on it.
    pub(crate) fn new(slot: &'a Slot, view: &View) -> Option<Candidate<'a>> {
        let runtime = view.runtimes[slot.node().index()];
        let start = slot.start().as_millis().max(view.earliest);
        let length = slot.end().as_millis().min(view.deadline) - start;
        let rate = view.rate_of(slot);
        let fits = length >= runtime && rate <= view.rate_max;
        fits.then(|| Candidate { slot, start, expiry: start + (length - runtime), runtime, rate })
    }

    /// What the task costs here, in micro-credits: rate × run time, rounded up, as [`walras_model::Rate::cost_of`].
    ///
    /// [`Slot::new`] guarantees that the product fits, and [`walras_model::Offers`] that it does for every user's rate.
    #[inline]
    pub(crate) fn cost(&self) -> i64 {
        rounding::cost(self.rate, self.runtime)
    }
}

/// What gathers candidates into windows.
pub(crate) trait Selector {
    /// Takes a candidate; starts never go back. `Break` ends the scan.
    fn join(&mut self, candidate: Candidate<'_>) -> ControlFlow<()>;
}

/// Scans `list` for `view`, counting into `slots_scanned`.
pub(crate) fn scan(list: &SlotList, view: &View, selector: &mut impl Selector, slots_scanned: &mut u64) {
    let mut scan = Scan::new(list, view, slots_scanned);
    let _ = scan.run(selector);
}

/// Goes on behind `position` with a selector that has been given everything up to there.
pub(crate) fn scan_on(
    list: &SlotList,
    view: &View,
    position: SlotKey,
    selector: &mut impl Selector,
    slots_scanned: &mut u64,
) {
    let mut scan = Scan::new(list, view, slots_scanned);
    let _ = scan.run_on(position, selector);
}

struct Scan<'a> {
    list: &'a SlotList,
    view: &'a View,
    /// The length class that all usable slots belong to.
    class: usize,
    slots_scanned: &'a mut u64,
}

/// A block's place: its group, and its place in the group.
type Position = (usize, usize);

impl<'a> Scan<'a> {
    fn new(list: &'a SlotList, view: &'a View, slots_scanned: &'a mut u64) -> Self {
        Scan { list, view, class: list.lengths().class_of(view.runtime_min), slots_scanned }
    }

    /// The rest of the block that holds `position`, then all that follow.
    fn run_on(&mut self, position: SlotKey, selector: &mut impl Selector) -> ControlFlow<()> {
        let Some((group, block)) = self.list.position_of(position) else { return ControlFlow::Continue(()) };
        let here = &self.list.groups()[group].blocks[block];
        if !self.none_can_join(&here.summary) {
            let from = here.slots.partition_point(|slot| slot.key() <= position);
            self.read(&here.slots[from..], i64::MIN, selector)?;
        }
        self.run_from((group, block + 1), None, selector)
    }

    fn run(&mut self, selector: &mut impl Selector) -> ControlFlow<()> {
        let first = self.first_position();
        let mut put_off = (first > (0, 0)).then_some((0, 0));
        let groups = self.list.groups();
        if put_off.is_some() && self.enough_alive(&groups[first.0].blocks[first.1].summary) {
            // At the earliest start itself, slots from before may be enough, though none joins after it.
            put_off = None;
            self.make_up((0, 0), first, self.view.earliest, selector)?;
        }
        self.run_from(first, put_off, selector)
    }

    /// Reads from `first` on what may matter.
    fn run_from(
        &mut self,
        first: Position,
        mut put_off: Option<Position>,
        selector: &mut impl Selector,
    ) -> ControlFlow<()> {
        let groups = self.list.groups();
        for (g, group) in groups.iter().enumerate().skip(first.0) {
            if self.starts_too_late(group.from.start.as_millis()) {
                break;
            }
            let skip = if g == first.0 { first.1 } else { 0 };
            if self.passes_over(&group.summary, (g, skip), &mut put_off) {
                continue;
            }
            for (b, block) in group.blocks.iter().enumerate().skip(skip) {
                if self.starts_too_late(block.from.start.as_millis()) {
                    return ControlFlow::Continue(());
                }
                if self.passes_over(&block.summary, (g, b), &mut put_off) {
                    continue;
                }
                let from = block.from.start.as_millis().max(self.view.earliest);
                if let Some(position) = put_off.take() {
                    self.make_up(position, (g, b), from, selector)?;
                }
                self.read(&block.slots, i64::MIN, selector)?;
            }
        }
        ControlFlow::Continue(())
    }

    /// The block in whose range the earliest start lies.
    fn first_position(&self) -> Position {
        let earliest = self.view.earliest;
        let groups = self.list.groups();
        let before = |start: walras_model::Time| start.as_millis() < earliest;
        let group = groups.partition_point(|group| before(group.from.start)).saturating_sub(1);
        let blocks = groups.get(group).map_or(&[][..], |group| &group.blocks);
        (group, blocks.partition_point(|block| before(block.from.start)).saturating_sub(1))
    }

    fn starts_too_late(&self, from: i64) -> bool {
        from.max(self.view.earliest).saturating_add(self.view.runtime_min) > self.view.deadline
    }

    /// Whether a stretch need not be read now; notes it when it may have to be made up for later.
    fn passes_over(&self, summary: &Summary, at: Position, put_off: &mut Option<Position>) -> bool {
        if self.none_can_join(summary) {
            return true;
        }
        let complete = self.enough_alive(summary);
        if !complete && put_off.is_none() {
            *put_off = Some(at);
        }
        !complete
    }

    fn enough_alive(&self, summary: &Summary) -> bool {
        summary.alive_max[self.class] as usize >= self.view.tasks
    }

    fn none_can_join(&self, summary: &Summary) -> bool {
        let view = self.view;
        let cost_min = rounding::down(i128::from(summary.rate_min) * i128::from(view.runtime_min), 1_000);
        summary.longest < view.runtime_min
            || summary.performance_max < view.performance_min
            || summary.rate_min > view.rate_max
            || cost_min > i128::from(view.budget)
    }

    /// Lets slots of blocks that were put off join, where they are still usable at `now`.
    fn make_up(
        &mut self,
        from: Position,
        to: Position,
        now: i64,
        selector: &mut impl Selector,
    ) -> ControlFlow<()> {
        let needed = now.saturating_add(self.view.runtime_min);
        let usable = |summary: &Summary| summary.end_max >= needed && !self.none_can_join(summary);
        let groups = self.list.groups();
        let mut blocks = Vec::new();
        for (g, group) in groups.iter().enumerate().take(to.0 + 1).skip(from.0) {
            if !usable(&group.summary) {
                continue;
            }
            let first = if g == from.0 { from.1 } else { 0 };
            let last = if g == to.0 { to.1 } else { group.blocks.len() };
            blocks.extend(group.blocks[first..last].iter().filter(|block| usable(&block.summary)));
        }
        blocks.into_iter().try_for_each(|block| self.read(&block.slots, now, selector))
    }

    /// Lets every slot of (a part of) a block join on which a task fits and can still start at `alive_at`.
    #[inline]
    fn read(&mut self, slots: &[Slot], alive_at: i64, selector: &mut impl Selector) -> ControlFlow<()> {
        *self.slots_scanned += slots.len() as u64;
        read_block(slots, self.view, alive_at, self.view.earliest, selector)
    }
}

/// Lets every slot join on which a task fits that starts at `from` or when the slot does.
pub(crate) fn join_all(
    slots: &[Slot],
    view: &View,
    from: i64,
    selector: &mut impl Selector,
) -> ControlFlow<()> {
    slots.chunks(SLOTS_PER_BLOCK_MAX).try_for_each(|slots| read_block(slots, view, from, from, selector))
}

/// Lets every slot join on which a task fits and can still start at `alive_at`; none starts before `from`.
///
/// Which slots fit is as good as random, so they are picked without branching first.
#[inline]
fn read_block(
    slots: &[Slot],
    view: &View,
    alive_at: i64,
    from: i64,
    selector: &mut impl Selector,
) -> ControlFlow<()> {
    let mut fitting = [0_u16; SLOTS_PER_BLOCK_MAX];
    let mut count = 0;
    let opening = alive_at.max(from);
    for (index, slot) in (0_u16..).zip(slots) {
        let runtime = view.runtimes[slot.node().index()];
        let start = slot.start().as_millis().max(opening);
        let length = slot.end().as_millis().min(view.deadline) - start;
        let fits = (length >= runtime) & (slot.rate().as_micros_per_second() <= view.rate_max);
        fitting[count] = index;
        count += usize::from(fits);
    }
    for index in &fitting[..count] {
        let slot = &slots[usize::from(*index)];
        let runtime = view.runtimes[slot.node().index()];
        let start = slot.start().as_millis().max(from);
        let expiry = slot.end().as_millis().min(view.deadline) - runtime;
        let rate = view.rate_of(slot);
        // Others may pay less than this user.
        if rate <= view.rate_max {
            selector.join(Candidate { slot, start, expiry, runtime, rate })?;
        }
    }
    ControlFlow::Continue(())
}
