//! The searches as the papers tell them, without any cleverness: what the real ones are held against.
//!
//! Nothing here uses the slot list, its index or the heaps; every step looks at every slot again.

#![allow(dead_code, unreachable_pub, clippy::unwrap_used, reason = "tests and benchmarks each use a part")]

use walras_core::*;
use walras_model::*;

/// A free slot, a candidate, or a part of a window; times in milliseconds, costs in micro-credits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    pub node: NodeId,
    pub start: i64,
    pub end: i64,
    pub cost: i64,
}

/// A window: its start, and its parts in order of their nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OracleWindow {
    pub start: i64,
    pub parts: Vec<Part>,
}

impl OracleWindow {
    pub fn of(window: &Window) -> OracleWindow {
        let parts = window.placements().iter().map(|placement| Part {
            node: placement.node,
            start: placement.interval.start().as_millis(),
            end: placement.interval.end().as_millis(),
            cost: placement.cost.as_micros(),
        });
        OracleWindow { start: window.start().as_millis(), parts: parts.collect() }
    }

    pub fn cost(&self) -> i64 {
        self.parts.iter().map(|part| part.cost).sum()
    }

    pub fn end(&self) -> i64 {
        self.parts.iter().map(|part| part.end).max().unwrap_or(self.start)
    }
}

/// A slot that is free, with its rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FreeSlot {
    pub start: i64,
    pub node: NodeId,
    pub end: i64,
    pub rate: i64,
}

/// The offers' slots in order of start, then node.
pub fn free_slots(offers: &Offers) -> Vec<FreeSlot> {
    let slot = |slot: &Slot| FreeSlot {
        start: slot.start().as_millis(),
        node: slot.node(),
        end: slot.end().as_millis(),
        rate: slot.rate().as_micros_per_second(),
    };
    offers.slots().iter().map(slot).collect()
}

/// Run time on a node, in milliseconds, if the node fits the request.
pub fn runtime(offers: &Offers, request: &Request, node: NodeId) -> Option<i64> {
    let node = offers.node(node);
    let sites = request.scope.sites.as_ref();
    let fits = node.performance >= request.performance_min
        && sites.is_none_or(|sites| sites.contains(&node.site))
        && request.requires.iter().all(|requirement| {
            node.attributes.get(&requirement.attribute).is_some_and(|value| match &requirement.test {
                Test::Equals(wanted) => wanted == value,
                Test::OneOf(wanted) => wanted.iter().any(|wanted| wanted == value),
                Test::Range { min, max } => matches!(value, Value::Number(number)
                    if min.is_none_or(|min| min <= *number) && max.is_none_or(|max| *number <= max)),
            })
        });
    let (work, speed) = (i128::from(request.work.as_millis()), i128::from(node.performance.as_millionths()));
    let runtime = (work * 1_000_000 + speed - 1) / speed;
    fits.then(|| i64::try_from(runtime).unwrap())
}

pub fn cost(rate: i64, runtime: i64) -> i64 {
    let product = i128::from(rate) * i128::from(runtime);
    i64::try_from((product + 999) / 1_000).unwrap()
}

/// S, or no limit.
pub fn budget(request: &Request, factor: Factor) -> i64 {
    if let Some(budget) = request.budget {
        return budget.as_micros();
    }
    let Some(price_max) = request.price_max else { return i64::MAX };
    let (work, speed) =
        (i128::from(request.work.as_millis()), i128::from(request.performance_min.as_millionths()));
    let t = i64::try_from((work * 1_000_000 + speed - 1) / speed).unwrap();
    let per_task = i128::from(cost(price_max.as_micros_per_second(), t));
    let total = per_task * i128::from(request.tasks) * i128::from(factor.as_millionths()) / 1_000_000;
    i64::try_from(total).unwrap()
}

/// The limits that an algorithm observes: price cap per slot, budget.
pub fn limits(request: &Request, algorithm: &Algorithm, factor: Factor) -> (i64, i64) {
    match algorithm {
        Algorithm::Alp => (
            request.price_max.map_or(i64::MAX, |rate| rate.as_micros_per_second()),
            request.budget.map_or(i64::MAX, |budget| budget.as_micros()),
        ),
        _ => (i64::MAX, budget(request, factor)),
    }
}

/// The part of a slot that a task would take when it starts at `start`, if it can.
pub fn part_at(
    offers: &Offers,
    request: &Request,
    slot: &FreeSlot,
    rate_max: i64,
    start: i64,
) -> Option<Part> {
    let runtime = runtime(offers, request, slot.node)?;
    let deadline = request.deadline.map_or(i64::MAX, |deadline| deadline.as_millis());
    let end = start.checked_add(runtime)?;
    (slot.rate <= rate_max && slot.start <= start && end <= slot.end && end <= deadline).then(|| Part {
        node: slot.node,
        start,
        end,
        cost: cost(slot.rate, runtime),
    })
}

/// ALP or AMP, step by step: a slot joins; the N cheapest that can still start now are the window if they
/// are affordable.
pub fn first_window(
    offers: &Offers,
    slots: &[FreeSlot],
    request: &Request,
    algorithm: &Algorithm,
    factor: Factor,
) -> Option<OracleWindow> {
    let (rate_max, budget) = limits(request, algorithm, factor);
    let earliest = request.earliest.map_or(i64::MIN, |earliest| earliest.as_millis());
    let n = request.tasks as usize;
    for joined in 0..slots.len() {
        let start = slots[joined].start.max(earliest);
        if part_at(offers, request, &slots[joined], rate_max, start).is_none() {
            continue;
        }
        let alive: Vec<Part> = slots[..=joined]
            .iter()
            .filter_map(|slot| part_at(offers, request, slot, rate_max, start))
            .collect();
        for site in sites(offers, request) {
            let mut pool: Vec<Part> = alive
                .iter()
                .copied()
                .filter(|part| site.is_none_or(|site| offers.node(part.node).site == site))
                .collect();
            // A stable sort keeps the list's order among equal costs.
            pool.sort_by_key(|part| part.cost);
            pool.truncate(n);
            if pool.len() == n && pool.iter().map(|part| part.cost).sum::<i64>() <= budget {
                pool.sort_by_key(|part| part.node);
                return Some(OracleWindow { start, parts: pool });
            }
        }
    }
    None
}

/// Each site alone where the request wants one, otherwise all together.
pub fn sites(offers: &Offers, request: &Request) -> Vec<Option<SiteId>> {
    if !request.scope.same_site {
        return vec![None];
    }
    (0..offers.sites().len()).map(SiteId::from_index).collect()
}

/// Takes a window out of the list.
pub fn subtract(slots: &mut Vec<FreeSlot>, window: &OracleWindow) {
    for part in &window.parts {
        let index = slots
            .iter()
            .position(|slot| slot.node == part.node && slot.start <= part.start && part.end <= slot.end)
            .expect("the window lies in free time");
        let slot = slots.remove(index);
        for (start, end) in [(slot.start, part.start), (part.end, slot.end)] {
            if start < end {
                slots.push(FreeSlot { start, end, ..slot });
            }
        }
    }
    slots.sort_by_key(|slot| (slot.start, slot.node));
}

/// All alternatives, searching from the head each time.
pub fn all_alternatives(
    offers: &Offers,
    batch: &Batch,
    algorithm: &Algorithm,
    factor: Factor,
) -> Vec<(JobId, OracleWindow)> {
    let mut slots = free_slots(offers);
    let mut active = batch.by_priority();
    let mut found = Vec::new();
    while !active.is_empty() {
        active.retain(|job| match first_window(offers, &slots, batch.request(*job), algorithm, factor) {
            Some(window) => {
                subtract(&mut slots, &window);
                found.push((*job, window));
                true
            }
            None => false,
        });
    }
    found
}

/// Every feasible window at every start that a slot or the request names, by trying all subsets.
pub fn every_window(
    offers: &Offers,
    slots: &[FreeSlot],
    request: &Request,
    algorithm: &Algorithm,
    factor: Factor,
) -> Vec<OracleWindow> {
    let (rate_max, budget) = limits(request, algorithm, factor);
    let earliest = request.earliest.map_or(i64::MIN, |earliest| earliest.as_millis());
    let mut starts: Vec<i64> = slots.iter().map(|slot| slot.start.max(earliest)).collect();
    starts.sort_unstable();
    starts.dedup();
    let mut windows = Vec::new();
    for start in starts {
        let alive: Vec<Part> =
            slots.iter().filter_map(|slot| part_at(offers, request, slot, rate_max, start)).collect();
        assert!(alive.len() <= 16, "too large for brute force");
        for subset in 0_u32..1 << alive.len() {
            let chosen = alive.iter().enumerate().filter(|(index, _)| subset >> index & 1 == 1);
            let mut parts: Vec<Part> = chosen.map(|(_, part)| *part).collect();
            parts.sort_by_key(|part| part.node);
            let site = |part: &Part| offers.node(part.node).site;
            let one_site = parts.windows(2).all(|pair| site(&pair[0]) == site(&pair[1]));
            if parts.len() == request.tasks as usize
                && parts.iter().map(|part| part.cost).sum::<i64>() <= budget
                && (one_site || !request.scope.same_site)
            {
                windows.push(OracleWindow { start, parts });
            }
        }
    }
    windows
}

/// All alternatives by plain calls, each starting at the head of what is left: for lists too long for the
/// steps above, and to measure what resuming gains.
pub fn alternatives_from_the_head(
    offers: &Offers,
    batch: &Batch,
    config: &SearchConfig,
) -> Vec<(JobId, Window)> {
    let mut list = walras_core::slots::SlotList::from_offers(offers);
    let mut active = batch.by_priority();
    let mut found = Vec::new();
    while !active.is_empty() {
        active.retain(|job| match find_window(&list, offers, batch.request(*job), config).found() {
            Some(window) => {
                list.subtract(&window).expect("a window found on the list can be cut from it");
                found.push((*job, window));
                true
            }
            None => false,
        });
    }
    found
}
