//! Prices from inside: the search for one job against trying everything, sums of prices against adding them up.

use super::grid::{Grid, Prices};
use super::single::{Hint, Search};
use super::want::{Delay, Want};
use super::{ClearingLimits, PlannedWant, bound_of_planned};
use crate::agenda::{Terms, Worth};
use crate::search::{Algorithm, View};
use walras_model::*;
use walras_random::Draws;

const HORIZON: i64 = 40;

fn number(draws: &mut Draws, least: i64, most: i64) -> i64 {
    least + i64::try_from(draws.below(usize::try_from(most - least + 1).unwrap())).unwrap()
}

fn interval(start: i64, end: i64) -> Interval {
    Interval::new(Time::from_millis(start).unwrap(), Time::from_millis(end).unwrap()).unwrap()
}

/// Up to five nodes of two sites, each with one or two slots.
fn offers(draws: &mut Draws) -> Offers {
    let (mut nodes, mut slots) = (Vec::new(), Vec::new());
    for index in 0..number(draws, 1, 5) {
        let (first, gap) = (number(draws, 0, 9), number(draws, 12, 25));
        let free = [interval(first, gap), interval(gap + number(draws, 0, 3), HORIZON)];
        let rate = Rate::from_micros_per_second(number(draws, 1_000, 9_000)).unwrap();
        let id = NodeId::from_index(usize::try_from(index).unwrap()).unwrap();
        slots.extend(walras_model::offer::slots_of_node(id, rate, &free).unwrap());
        nodes.push(Node {
            division: Default::default(),
            name: format!("n{index}"),
            site: SiteId::new(u32::try_from(index % 2).unwrap()),
            performance: Performance::from_millionths(number(draws, 5, 20) * 100_000).unwrap(),
            watts: None,
            attributes: Attributes::new(),
        });
    }
    let sites = vec![Site { name: "a".into() }, Site { name: "b".into() }];
    Offers::new(interval(0, HORIZON), sites, nodes, slots).unwrap()
}

fn request(draws: &mut Draws) -> Request {
    let tasks = u32::try_from(number(draws, 1, 3)).unwrap();
    let mut request = Request::new("J", tasks, Work::from_millis(number(draws, 1, 12)).unwrap());
    request.performance_min = Performance::from_millionths(500_000).unwrap();
    request.scope.same_site = draws.below(4) == 0;
    request.budget = (draws.below(2) == 0).then(|| Money::from_micros(number(draws, 5, 90)));
    request.deadline = (draws.below(3) == 0).then(|| Time::from_millis(number(draws, 10, HORIZON)).unwrap());
    request
}

/// The least of all starts and all sets of seats.
fn by_trying(want: &Want, grid: &Grid, prices: &[i64]) -> Option<i128> {
    let mut best = None;
    for seats in &want.pools {
        for start in 0..HORIZON {
            for set in 0..1_usize << seats.len() {
                let chosen: Vec<_> =
                    (0..seats.len()).filter(|at| set & (1 << at) != 0).map(|at| seats[at]).collect();
                let alive = chosen.iter().all(|seat| seat.first <= start && start <= seat.last);
                let cost: i128 = chosen.iter().map(|seat| i128::from(seat.cost)).sum();
                if chosen.len() != want.tasks || !alive || cost > i128::from(want.budget) {
                    continue;
                }
                let paid = chosen.iter().flat_map(|seat| grid.parts(seat.node, start, start + seat.runtime));
                let paid: i128 = paid.map(|(cell, millis)| i128::from(prices[cell] * millis)).sum();
                // What is late counts by the millisecond.
                let late = want.delay.map_or(0, |delay| (start - delay.from).max(0) * delay.each);
                let value =
                    i128::from(late) + paid + chosen.iter().map(|seat| i128::from(seat.own)).sum::<i128>();
                best = Some(best.map_or(value, |best: i128| best.min(value)));
            }
        }
    }
    best
}

#[test]
fn the_best_window_is_the_best_of_all() {
    let (mut found, mut with_hint) = (0, 0);
    for seed in 0..600 {
        let mut draws = Draws::new(seed);
        let (offers, request) = (offers(&mut draws), request(&mut draws));
        let view = View::new(&offers, &request, &Algorithm::Amp, Factor::ONE);
        let mut want = Want::new(&offers, &view);
        want.count_costs(16);
        let (from, each) = (number(&mut draws, 0, 30), number(&mut draws, 0, 60));
        want.delay = (draws.below(2) == 0).then_some(Delay { from, each });
        let grid = Grid::new(&offers, 1 << draws.below(4), usize::MAX);
        let (mut search, mut hint) = (Search::default(), Hint::default());
        for _ in 0..3 {
            let drawn = grid.free.iter().map(|free| if *free > 0 { number(&mut draws, 0, 90) } else { 0 });
            let drawn: Vec<i64> = drawn.collect();
            let prices = Prices::new(&grid, &drawn);
            let expected = by_trying(&want, &grid, &drawn);
            let shown = search.best(&want, &prices, &mut hint, 100);
            assert_eq!(shown.as_ref().map(|shown| shown.value), expected, "seed {seed}");
            assert_eq!(shown.as_ref().map(|shown| shown.bound), expected, "seed {seed}");
            let rough = search.best(&want, &prices, &mut hint.clone(), 2);
            if let (Some(rough), Some(expected)) = (rough, expected) {
                assert!(rough.bound <= expected && expected <= rough.value, "seed {seed}");
                assert!(rough.value - (rough.value >> 2) <= rough.bound, "seed {seed}");
                with_hint += 1;
            }
            found += usize::from(shown.is_some());
        }
    }
    assert!(found > 1_000 && with_hint > 1_000, "{found} {with_hint}");
}

#[test]
fn prices_add_up() {
    for seed in 0..100 {
        let mut draws = Draws::new(seed);
        let offers = offers(&mut draws);
        let grid = Grid::new(&offers, number(&mut draws, 1, 100), usize::MAX);
        let free: i64 = offers.slots().iter().map(|slot| slot.span().as_millis()).sum();
        assert_eq!(grid.free.iter().sum::<i64>(), free);
        let drawn: Vec<i64> =
            grid.free.iter().map(|free| if *free > 0 { number(&mut draws, 0, 9) } else { 0 }).collect();
        let prices = Prices::new(&grid, &drawn);
        let all = drawn.iter().zip(&grid.free).map(|(price, free)| i128::from(price * free)).sum::<i128>();
        assert_eq!(prices.of_all(&grid), all);
        for slot in offers.slots() {
            let (node, from, until) = (slot.node().index(), slot.start().as_millis(), slot.end().as_millis());
            let sum: i64 = grid.parts(node, from, until).map(|(cell, millis)| drawn[cell] * millis).sum();
            assert_eq!(prices.until(node, until) - prices.until(node, from), sum);
        }
    }
}

/// A node, and from when until when it is taken.
type Part = (usize, (i64, i64));

/// All plans of a few jobs, one after the other in every order, each on every set of nodes as early as can be there.
struct AllPlans<'a> {
    offers: &'a Offers,
    jobs: &'a [(Request, Worth)],
    /// By node: what is taken.
    taken: Vec<Vec<(i64, i64)>>,
    windows: Vec<Option<Terms>>,
    /// Of plans with windows for all: the least cost, the least loss in thousandths, and the windows of the latter.
    cost: Option<i128>,
    loss: Option<(i128, Vec<Terms>)>,
    /// Who is served where, in a plan that serves as many as can be.
    most: Vec<Option<Terms>>,
}

impl AllPlans<'_> {
    fn go(&mut self) {
        let count = self.windows.iter().flatten().count();
        if count > self.most.iter().flatten().count() {
            self.most = self.windows.clone();
        }
        if count == self.jobs.len() {
            let windows: Vec<Terms> = self.windows.iter().flatten().copied().collect();
            let cost = windows.iter().map(|it| i128::from(it.cost.as_micros())).sum();
            let score = |(it, (_, worth)): (&Terms, &(Request, Worth))| worth.score_of(it.cost, it.finish);
            let loss: i128 = windows.iter().zip(self.jobs).map(score).sum();
            self.cost = Some(self.cost.map_or(cost, |known| known.min(cost)));
            if self.loss.as_ref().is_none_or(|(known, _)| loss < *known) {
                self.loss = Some((loss, windows));
            }
        }
        let nodes = self.offers.nodes().len();
        for job in 0..self.jobs.len() {
            let sets = if self.windows[job].is_none() { 0..1_u32 << nodes } else { 0..0 };
            for set in sets {
                let chosen: Vec<usize> = (0..nodes).filter(|node| set & (1 << node) != 0).collect();
                let Some((terms, parts)) = self.earliest(job, &chosen) else { continue };
                parts.iter().for_each(|(node, part)| self.taken[*node].push(*part));
                self.windows[job] = Some(terms);
                self.go();
                self.windows[job] = None;
                parts.iter().for_each(|(node, _)| {
                    self.taken[*node].pop();
                });
            }
        }
    }

    fn earliest(&self, job: usize, chosen: &[usize]) -> Option<(Terms, Vec<Part>)> {
        let request = &self.jobs[job].0;
        let sites = || chosen.iter().map(|node| self.offers.nodes()[*node].site);
        if chosen.len() != request.tasks as usize
            || request.scope.same_site && sites().any(|site| Some(site) != sites().next())
        {
            return None;
        }
        let runtime = |node: &usize| {
            let performance = self.offers.nodes()[*node].performance;
            (performance >= request.performance_min).then(|| request.work.runtime_on(performance))?
        };
        let spans: Vec<Span> = chosen.iter().map(runtime).collect::<Option<_>>()?;
        let slots = |node: usize| self.offers.slots().iter().filter(move |slot| slot.node().index() == node);
        let rate = |node: usize| slots(node).next().map(Slot::rate);
        let cost: Money =
            chosen.iter().zip(&spans).map(|(node, span)| rate(*node).unwrap().cost_of(*span).unwrap()).sum();
        if request.budget_limit(Factor::ONE).is_some_and(|most| cost > most) {
            return None;
        }
        let free = |node: usize, from: i64, until: i64| {
            let inside = |slot: &Slot| slot.start().as_millis() <= from && until <= slot.end().as_millis();
            slots(node).any(inside)
                && self.taken[node].iter().all(|taken| until <= taken.0 || taken.1 <= from)
        };
        let fits = |start: &i64| {
            chosen.iter().zip(&spans).all(|(node, span)| free(*node, *start, start + span.as_millis()))
        };
        let start = (0..HORIZON).find(fits)?;
        let ends = |span: &Span| start + span.as_millis();
        let finish = spans.iter().map(ends).max()?;
        let at = |millis: i64| Time::from_millis(millis).unwrap();
        if request.deadline.is_some_and(|deadline| at(finish) > deadline) {
            return None;
        }
        let parts = chosen.iter().zip(&spans).map(|(node, span)| (*node, (start, ends(span)))).collect();
        Some((Terms { start: at(start), finish: at(finish), cost }, parts))
    }
}

/// What is said of those who are planned is never above the best of all plans, and mostly next to it.
#[test]
fn no_plan_beats_what_is_said_of_those_who_are_planned() {
    let (mut plans, mut near, mut left, mut exact) = (0, [0; 2], 0, 0);
    for seed in 0..400 {
        let mut draws = Draws::new(seed ^ 0xb0d);
        let offers = offers(&mut draws);
        if offers.nodes().len() > 3 {
            continue;
        }
        let job = |draws: &mut Draws| {
            let mut request = request(draws);
            request.tasks = request.tasks.min(2);
            let from = Time::from_millis(number(draws, 0, 20)).unwrap();
            (request, Worth { per_second: number(draws, 0, 6_000), from })
        };
        let jobs: Vec<(Request, Worth)> = (0..number(&mut draws, 1, 4)).map(|_| job(&mut draws)).collect();
        let mut all = AllPlans {
            offers: &offers,
            jobs: &jobs,
            taken: vec![Vec::new(); offers.nodes().len()],
            windows: vec![None; jobs.len()],
            cost: None,
            loss: None,
            most: vec![None; jobs.len()],
        };
        all.go();
        let limits = ClearingLimits::default();
        let Some(((loss, windows), cost)) = all.loss.clone().zip(all.cost) else {
            // Not all can be served: how many is bounded.
            let wanted = || jobs.iter().zip(&all.most);
            let served = wanted().filter_map(|((request, worth), window)| {
                Some(PlannedWant { request, window: (*window)?, worth: *worth })
            });
            let served: Vec<PlannedWant<'_>> = served.collect();
            let others = wanted().filter(|(_, window)| window.is_none()).map(|((request, _), _)| request);
            let others: Vec<&Request> = others.collect();
            let bound = bound_of_planned(&offers, &served, &others, &limits);
            assert_eq!(bound.is_some(), !served.is_empty(), "seed {seed}");
            if let Some(bound) = bound {
                assert!(bound.served_most >= served.len(), "seed {seed}: {bound:?}");
                left += 1;
                exact += usize::from(bound.served_most == served.len());
            }
            continue;
        };
        let wanted = jobs.iter().zip(&windows);
        let planned: Vec<PlannedWant<'_>> = wanted
            .map(|((request, worth), window)| PlannedWant { request, window: *window, worth: *worth })
            .collect();
        let bound = bound_of_planned(&offers, &planned, &[], &limits).expect("all are planned");
        assert_eq!((bound.served, bound.served_most), (jobs.len(), jobs.len()), "seed {seed}");
        assert_eq!(bound.loss, quantity::rounding::up(loss, 1_000), "seed {seed}");
        assert!(bound.cost_least <= cost && cost <= bound.cost, "seed {seed}: {bound:?} {cost}");
        assert!(bound.loss_least * 1_000 <= loss, "seed {seed}: {bound:?} {loss}");
        plans += 1;
        near[0] += usize::from(bound.cost_least * 100 >= cost * 99);
        near[1] += usize::from(bound.loss_least * 100_000 >= loss * 95);
    }
    assert!(plans > 60 && left > 30, "{plans} {left}");
    assert!(exact * 10 >= left * 9, "{exact} of {left}");
    assert!(near[0] * 10 >= plans * 9 && near[1] * 10 >= plans * 6, "{near:?} of {plans}");
}
