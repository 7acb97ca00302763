//! The best plan of a tiny batch, by trying every window of every job with every window of the others.

use crate::random;
use walras_model::*;
use walras_random::Draws;

/// Three nodes over 12 ms and up to four jobs of one or two tasks.
pub fn tiny(draws: &mut Draws) -> (Offers, Batch) {
    let number =
        |draws: &mut Draws, least: i64, most: usize| least + i64::try_from(draws.below(most)).unwrap();
    let horizon = random::interval(0, 12);
    let (mut nodes, mut slots) = (Vec::new(), Vec::new());
    for index in 0..3_u32 {
        let start = number(draws, 0, 4);
        let end = start + number(draws, 4, 9);
        let rate = Rate::from_micros_per_second(number(draws, 1_000, 9_000)).unwrap();
        let free = [random::interval(start, end.min(12))];
        slots.extend(offer::slots_of_node(NodeId::new(index), rate, &free).unwrap());
        nodes.push(Node {
            division: Default::default(),
            name: format!("n{index}"),
            site: SiteId::new(0),
            performance: Performance::from_millionths(number(draws, 1, 2) * 1_000_000).unwrap(),
            watts: None,
            attributes: Attributes::new(),
        });
    }
    let request = |draws: &mut Draws, index: usize| {
        let work = Work::from_millis(number(draws, 2, 6)).unwrap();
        let mut request =
            Request::new(&format!("j{index}"), u32::try_from(1 + draws.below(2)).unwrap(), work);
        if draws.below(2) == 0 {
            request.budget = Some(Money::from_micros(number(draws, 20, 60)));
        }
        request
    };
    let jobs = 2 + draws.below(2);
    let requests = (0..jobs).map(|index| request(draws, index)).collect();
    (Offers::new(horizon, vec![Site { name: "s".into() }], nodes, slots).unwrap(), Batch::new(requests))
}

/// Parts of a window: node, start, end.
pub type Parts = Vec<(usize, i64, i64)>;

/// Every window of a job: its parts, and its cost.
pub fn windows(offers: &Offers, request: &Request) -> Vec<(Parts, i64)> {
    let slot_at = |start: i64, node: usize| {
        offers.slots().iter().find_map(|slot| {
            let runtime = request.work.runtime_on(offers.nodes()[node].performance)?;
            let held = slot.node().index() == node
                && slot.start().as_millis() <= start
                && start + runtime.as_millis() <= slot.end().as_millis();
            held.then(|| {
                (
                    (node, start, start + runtime.as_millis()),
                    slot.rate().cost_of(runtime).unwrap().as_micros(),
                )
            })
        })
    };
    let mut all = Vec::new();
    for start in 0..12 {
        for set in 1..8_usize {
            let nodes: Vec<usize> = (0..3).filter(|node| set & (1 << node) != 0).collect();
            let parts: Option<Vec<_>> = nodes.iter().map(|node| slot_at(start, *node)).collect();
            let Some(parts) = parts.filter(|parts| parts.len() == request.tasks as usize) else { continue };
            let cost = parts.iter().map(|part| part.1).sum();
            if request.budget.is_none_or(|budget| cost <= budget.as_micros()) {
                all.push((parts.into_iter().map(|part| part.0).collect(), cost));
            }
        }
    }
    all
}

/// The fewest left out, then the least value, of all plans.
pub fn best_of_all(jobs: &[Vec<(Parts, i64)>], taken: &mut Parts, by_makespan: bool) -> (usize, i64) {
    let Some((first, rest)) = jobs.split_first() else { return (0, 0) };
    let (out, value) = best_of_all(rest, taken, by_makespan);
    let mut best = (out + 1, value);
    for (parts, cost) in first {
        let clash = |part: &(usize, i64, i64)| {
            taken.iter().any(|other| part.0 == other.0 && part.1 < other.2 && other.1 < part.2)
        };
        if parts.iter().any(clash) {
            continue;
        }
        let before = taken.len();
        taken.extend(parts);
        let (out, value) = best_of_all(rest, taken, by_makespan);
        taken.truncate(before);
        let end = parts.iter().map(|part| part.2).max().unwrap();
        best = best.min((out, if by_makespan { value.max(end) } else { value + cost }));
    }
    best
}
