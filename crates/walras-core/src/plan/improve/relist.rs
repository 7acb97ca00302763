//! The alternatives of an improved plan: what is chosen, and what was found before and is not in its way.
//!
//! Alternatives never overlap, so a window that was found before stays only where no new one takes its time. Each names as its source the
//! piece that is there when all alternatives before it have been cut; where nodes are sold in units, one that stays only where its units are
//! left, and its source is where the stretch begins that it lies in.

use super::ground::Left;
use crate::search::{Alternatives, Mode, SearchConfig, Unscheduled};
use std::collections::{BTreeMap, BTreeSet};
use walras_model::id::{JobId, NodeId};
use walras_model::interval::Interval;
use walras_model::offer::{Offers, SlotKey};
use walras_model::window::{Alternative, Placement, Window};
use walras_model::{Explanation, Reason};

/// The alternatives, and by job the place of the window that is chosen; `None` when they do not fit what is offered.
pub(super) fn relisted(
    offers: &Offers,
    search: &SearchConfig,
    found: &Alternatives,
    chosen: &[Option<Window>],
) -> Option<(Alternatives, Vec<Option<usize>>)> {
    let limits = &search.limits;
    let per_job_max = match search.mode {
        Mode::AllAlternatives => limits.alternatives_per_job_max,
        Mode::FirstOnTheFly => 1,
    };
    let same = |one: &Window, other: &Window| times(one).eq(times(other));
    let is_chosen =
        |it: &Alternative| chosen[it.job.index()].as_ref().is_some_and(|window| same(window, &it.window));
    // Where nodes are sold in units, a job may have the same window twice; one of them is chosen.
    let mut known: BTreeMap<JobId, usize> = BTreeMap::new();
    for (place, it) in found.found.iter().enumerate().filter(|(_, it)| is_chosen(it)) {
        known.entry(it.job).or_insert(place);
    }
    let mut new = Vec::new();
    for (index, window) in chosen.iter().enumerate() {
        if let (Some(job), Some(window)) = (JobId::from_index(index), window)
            && !known.contains_key(&job)
        {
            new.push(Alternative { job, window: window.clone(), bound: None });
        }
    }
    let mut left = match offers.is_divided() {
        true => Room::in_units(offers, chosen),
        false => Room::Whole(Taken::by(offers, &new)),
    };
    let mut counts: Vec<u32> = chosen.iter().map(|window| u32::from(window.is_some())).collect();
    let mut room = (limits.alternatives_max as usize).saturating_sub(chosen.iter().flatten().count());
    let mut all = Vec::with_capacity(found.found.len());
    let mut picks = vec![None; chosen.len()];
    for (place, it) in found.found.iter().enumerate() {
        let count = &mut counts[it.job.index()];
        if known.get(&it.job) == Some(&place) {
            picks[it.job.index()] = Some(all.len());
        } else {
            if *count >= per_job_max || room == 0 || !left.has_room(&it.window) {
                continue;
            }
            *count += 1;
            room -= 1;
        }
        all.push(it.clone());
    }
    for it in new {
        picks[it.job.index()] = Some(all.len());
        all.push(it);
    }
    let all = match offers.is_divided() {
        true => with_stretches(offers, all)?,
        false => with_sources(offers, all)?,
    };
    let unscheduled = unscheduled(found, &all, chosen.len());
    let limits_hit = found.limits_hit.clone();
    let Alternatives { slots_scanned, beyond, .. } = *found;
    Some((Alternatives { found: all, unscheduled, slots_scanned, limits_hit, beyond }, picks))
}

fn times(window: &Window) -> impl Iterator<Item = (NodeId, Interval)> {
    window.placements().iter().map(|it| (it.node, it.interval))
}

/// Those who still have no window, and those whose windows others took.
fn unscheduled(found: &Alternatives, all: &[Alternative], jobs: usize) -> Vec<Unscheduled> {
    let with_window: BTreeSet<JobId> = all.iter().map(|it| it.job).collect();
    let explanation = |job: JobId| {
        let known = found.unscheduled.iter().find(|it| it.job == job).map(|it| it.explanation.clone());
        known
            .unwrap_or_else(|| Explanation { reasons: vec![Reason::LeftForOthers], ..Explanation::default() })
    };
    let without = (0..jobs).filter_map(JobId::from_index).filter(|job| !with_window.contains(job));
    without.map(|job| Unscheduled { job, explanation: explanation(job) }).collect()
}

/// Where old windows may stay.
enum Room {
    /// Where no new one is.
    Whole(Taken),
    /// Where units are left by those that are chosen, and by old ones that stay.
    InUnits(Left),
}

impl Room {
    fn in_units(offers: &Offers, chosen: &[Option<Window>]) -> Room {
        let mut left = Left::new(offers);
        chosen.iter().flatten().for_each(|window| left.change(window, 1));
        Room::InUnits(left)
    }

    /// Whether a window may stay; it then does.
    fn has_room(&mut self, window: &Window) -> bool {
        match self {
            Room::Whole(taken) => !taken.overlaps(window),
            Room::InUnits(left) => {
                let has = left.has(window);
                if has {
                    left.change(window, 1);
                }
                has
            }
        }
    }
}

/// By node: what windows take, in order.
struct Taken(Vec<Vec<Interval>>);

impl Taken {
    fn by(offers: &Offers, windows: &[Alternative]) -> Taken {
        let mut taken = vec![Vec::new(); offers.nodes().len()];
        for (node, interval) in windows.iter().flat_map(|it| times(&it.window)) {
            taken[node.index()].push(interval);
        }
        for intervals in &mut taken {
            intervals.sort_unstable_by_key(|interval| interval.start());
        }
        Taken(taken)
    }

    fn overlaps(&self, window: &Window) -> bool {
        times(window).any(|(node, interval)| {
            let taken = &self.0[node.index()];
            let after = taken.partition_point(|it| it.start() < interval.end());
            after.checked_sub(1).is_some_and(|last| taken[last].end() > interval.start())
        })
    }
}

/// Names for each placement the stretch of its node that has enough units for it, when all are free.
fn with_stretches(offers: &Offers, all: Vec<Alternative>) -> Option<Vec<Alternative>> {
    let left = Left::new(offers);
    let mut listed = Vec::with_capacity(all.len());
    for it in all {
        let begins = left.begins(&it.window)?;
        let placements = it.window.placements().iter().zip(begins);
        let with = |(placement, start): (&Placement, _)| Placement {
            source: SlotKey { start, node: placement.node },
            ..*placement
        };
        listed.push(Alternative { window: Window::sharing(placements.map(with).collect())?, ..it });
    }
    Some(listed)
}

/// Cuts the windows one after the other, and names the piece that each placement was cut from.
fn with_sources(offers: &Offers, all: Vec<Alternative>) -> Option<Vec<Alternative>> {
    let mut free: Vec<Vec<Interval>> = vec![Vec::new(); offers.nodes().len()];
    for slot in offers.slots() {
        free[slot.node().index()].push(Interval::new(slot.start(), slot.end())?);
    }
    let mut cut = |it: &Placement| {
        let pieces = &mut free[it.node.index()];
        let at = pieces.partition_point(|piece| piece.start() <= it.interval.start()).checked_sub(1)?;
        let piece = pieces.remove(at);
        if piece.end() < it.interval.end() {
            return None;
        }
        let rest = [(piece.start(), it.interval.start()), (it.interval.end(), piece.end())];
        let rest = rest.into_iter().filter_map(|(from, until)| Interval::new(from, until));
        pieces.splice(at..at, rest);
        Some(Placement { source: SlotKey { start: piece.start(), node: it.node }, ..*it })
    };
    let mut listed = Vec::with_capacity(all.len());
    for it in all {
        let placements = it.window.placements().iter().map(&mut cut).collect::<Option<Vec<_>>>()?;
        listed.push(Alternative { window: Window::new(placements)?, ..it });
    }
    Some(listed)
}
