//! What is left of the nodes while tasks and gangs are put on them, and the best place for the next.
//!
//! A gang starts when its data is there, or when some node is free again: at each such moment, and for each length that a node of the site
//! would make it have, the cheapest nodes are taken of those that are free for so long.

use super::super::best::Fuel;
use super::super::instance::NEVER;
use super::{Gang, Gangs, STARTS_MAX, Wide};

/// Which place of a task is the best.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rule {
    /// Where it ends first; among equals, for the least money.
    Finish,
    /// Where it costs least; among equals, where it ends first.
    Cost,
    /// Where it ends first, and not on the site at this place if there is another.
    NotHere(usize),
}

/// The tasks that have a place, and the time that is left.
#[derive(Clone, Debug)]
pub(super) struct Board {
    pub(super) gangs: Gangs,
    /// By lane, in order and disjoint.
    pub(super) free: Vec<Vec<(i64, i64)>>,
}

impl Board {
    pub(super) fn new(wide: &Wide) -> Board {
        Board { gangs: Gangs(vec![None; wide.instance.tasks]), free: wide.instance.free.clone() }
    }

    /// Puts a task on its best place; it stays without one where there is none, or where one before it has none.
    pub(super) fn put(&mut self, wide: &Wide, task: usize, rule: Rule, fuel: &mut Fuel) {
        let before = wide.instance.before.of(task);
        if before.iter().any(|flow| self.gangs.0[flow.task as usize].is_none()) {
            return;
        }
        if let Some(gang) = self.best(wide, task, rule, fuel) {
            self.take(task, gang);
        }
    }

    /// The best place of a task over all sites.
    fn best(&self, wide: &Wide, task: usize, rule: Rule, fuel: &mut Fuel) -> Option<Gang> {
        let mut best: Option<((i64, i64, i64), Gang)> = None;
        for (site, lanes) in wide.sites.iter().enumerate() {
            let shunned = i64::from(rule == Rule::NotHere(site));
            let lanes = lanes.iter().copied().filter(|lane| wide.instance.runtime(task, *lane) != NEVER);
            let lanes: Vec<usize> = lanes.collect();
            fuel.burn(u64::try_from(lanes.len()).unwrap_or(u64::MAX).max(1));
            let offer = |gang: Gang| {
                let cost = wide.cost(&gang.lanes, gang.end - gang.start);
                let value = match rule {
                    Rule::Finish | Rule::NotHere(_) => (shunned, gang.end, cost),
                    Rule::Cost => (shunned, cost, gang.end),
                };
                if best.as_ref().is_none_or(|(least, _)| value < *least) {
                    best = Some((value, gang));
                }
            };
            match wide.nodes[task] {
                1 => self.alone(wide, task, &lanes, offer),
                _ => self.together(wide, task, &lanes, rule, fuel, offer),
            }
        }
        best.map(|(_, gang)| gang)
    }

    /// The first place on each lane.
    fn alone(&self, wide: &Wide, task: usize, lanes: &[usize], mut offer: impl FnMut(Gang)) {
        for lane in lanes {
            let ready = wide.ready(&self.gangs, task, &[*lane]);
            if let Some(start) = self.earliest(wide, &[*lane], ready, wide.instance.runtime(task, *lane)) {
                let end = start + wide.instance.runtime(task, *lane);
                offer(Gang { lanes: vec![*lane], start, end });
            }
        }
    }

    /// The places of a gang on one site that no other of its places there beats by the rule.
    fn together(
        &self,
        wide: &Wide,
        task: usize,
        lanes: &[usize],
        rule: Rule,
        fuel: &mut Fuel,
        mut offer: impl FnMut(Gang),
    ) {
        if lanes.len() < wide.nodes[task] {
            return;
        }
        // To a gang data is as long on its way on all nodes of its site.
        let ready = wide.ready(&self.gangs, task, &lanes[..wide.nodes[task]]);
        let fastest = lanes.iter().map(|lane| wide.instance.runtime(task, *lane)).min().unwrap_or(0);
        let mut ends = i64::MAX;
        for start in self.starts(lanes, ready).into_iter().take(STARTS_MAX) {
            if rule != Rule::Cost && start.saturating_add(fastest) >= ends {
                return;
            }
            fuel.burn(u64::try_from(lanes.len()).unwrap_or(u64::MAX));
            for gang in self.at(wide, task, lanes, start, rule) {
                ends = ends.min(gang.end);
                offer(gang);
            }
        }
    }

    /// The moments from `ready` on at which a lane is free again, and `ready` itself.
    fn starts(&self, lanes: &[usize], ready: i64) -> Vec<i64> {
        let pieces = lanes.iter().flat_map(|lane| self.free[*lane].iter());
        let mut starts: Vec<i64> = pieces.map(|(start, _)| *start).filter(|start| *start > ready).collect();
        starts.push(ready);
        starts.sort_unstable();
        starts.dedup();
        starts
    }

    /// The gangs that can start at a moment: the shortest, and for the least money also the longer ones.
    fn at(&self, wide: &Wide, task: usize, lanes: &[usize], start: i64, rule: Rule) -> Vec<Gang> {
        // A task that takes no time may be where others are, as long as the owner is not.
        let until = |lane: &usize, length: i64| {
            let free = if length == 0 { &wide.instance.free } else { &self.free };
            piece(&free[*lane], start)
                .map(|piece| piece.1)
                .filter(|until| start.saturating_add(length) <= *until)
        };
        let usable = lanes.iter().map(|lane| (wide.instance.runtime(task, *lane), *lane));
        let mut usable: Vec<(i64, usize)> =
            usable.filter(|(runtime, lane)| until(lane, *runtime).is_some()).collect();
        usable.sort_unstable();
        let mut lengths: Vec<i64> = usable.iter().map(|(runtime, _)| *runtime).collect();
        lengths.dedup();
        let mut gangs = Vec::new();
        for length in lengths {
            let mut fit: Vec<(walras_model::Rate, usize)> = usable
                .iter()
                .filter(|(runtime, lane)| *runtime <= length && until(lane, length).is_some())
                .map(|(_, lane)| (wide.instance.costs.rate[*lane], *lane))
                .collect();
            fit.sort_unstable();
            // Where a node has several prices it is several lanes.
            let mut seen = vec![false; wide.instance.costs.nodes];
            let node = |lane: usize| wide.instance.costs.node[lane] as usize;
            fit.retain(|(_, lane)| !std::mem::replace(&mut seen[node(*lane)], true));
            if fit.len() < wide.nodes[task] {
                continue;
            }
            let mut lanes: Vec<usize> = fit.iter().take(wide.nodes[task]).map(|(_, lane)| *lane).collect();
            lanes.sort_unstable();
            // The cheapest may be faster than they need be.
            let end = start + wide.runtime(task, &lanes);
            gangs.push(Gang { lanes, start, end });
            if rule != Rule::Cost {
                break;
            }
        }
        gangs
    }

    /// The first moment from `ready` on at which all of these lanes are free for so long.
    pub(super) fn earliest(&self, wide: &Wide, lanes: &[usize], ready: i64, length: i64) -> Option<i64> {
        let free = if length == 0 { &wide.instance.free } else { &self.free };
        let mut start = ready;
        loop {
            let mut later = start;
            for lane in lanes {
                let holds = |piece: &&(i64, i64)| {
                    later.max(piece.0).checked_add(length).is_some_and(|end| end <= piece.1)
                };
                let pieces = &free[*lane];
                let from = pieces.partition_point(|piece| piece.1 < later);
                later = later.max(pieces[from..].iter().find(holds)?.0);
            }
            if later == start {
                return Some(start);
            }
            start = later;
        }
    }

    /// Takes a gang's time from its lanes.
    pub(super) fn take(&mut self, task: usize, gang: Gang) {
        for lane in gang.lanes.iter().filter(|_| gang.start < gang.end) {
            let pieces = &mut self.free[*lane];
            let holds = |piece: &(i64, i64)| piece.0 <= gang.start && gang.end <= piece.1;
            let Some(place) = pieces.iter().position(holds) else { continue };
            let (start, end) = pieces[place];
            pieces.splice(place..=place, [(start, gang.start), (gang.end, end)]);
        }
        self.gangs.0[task] = Some(gang);
    }
}

/// The piece of free time that has a moment; the last of them, where two meet there.
fn piece(pieces: &[(i64, i64)], at: i64) -> Option<(i64, i64)> {
    let next = pieces.partition_point(|(start, _)| *start <= at);
    let piece = *pieces.get(next.checked_sub(1)?)?;
    (at <= piece.1).then_some(piece)
}
