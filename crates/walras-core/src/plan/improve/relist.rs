//! The alternatives of an improved plan: what is chosen, and what was found before and is not in its way.
//!
//! Alternatives never overlap, so a window that was found before stays only where no new one takes its time. Each names as its source the
//! piece that is there when all alternatives before it have been cut.

use crate::search::{Alternatives, Mode, SearchConfig, Unscheduled};
use std::collections::BTreeSet;
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
    let known: BTreeSet<JobId> = found.found.iter().filter(|it| is_chosen(it)).map(|it| it.job).collect();
    let mut new = Vec::new();
    for (index, window) in chosen.iter().enumerate() {
        if let (Some(job), Some(window)) = (JobId::from_index(index), window)
            && !known.contains(&job)
        {
            new.push(Alternative { job, window: window.clone(), bound: None });
        }
    }
    let in_the_way = Taken::by(offers, &new);
    let mut counts: Vec<u32> = chosen.iter().map(|window| u32::from(window.is_some())).collect();
    let mut room = (limits.alternatives_max as usize).saturating_sub(chosen.iter().flatten().count());
    let mut all = Vec::with_capacity(found.found.len());
    for it in &found.found {
        let count = &mut counts[it.job.index()];
        if !is_chosen(it) {
            if *count >= per_job_max || room == 0 || in_the_way.overlaps(&it.window) {
                continue;
            }
            *count += 1;
            room -= 1;
        }
        all.push(it.clone());
    }
    all.extend(new);
    let all = with_sources(offers, all)?;
    let mut picks = vec![None; chosen.len()];
    for (place, it) in all.iter().enumerate() {
        if is_chosen(it) {
            picks[it.job.index()] = Some(place);
        }
    }
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
