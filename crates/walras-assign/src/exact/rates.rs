//! Proof where sites ask about one rate of everybody: like jobs by their work, sites by their rates.
//!
//! **Problem.** Markets with one price per site are the hardest to prove by pairs or sets: where a job costs about
//! `rate × work`, very many placings cost almost the same.
//!
//! **Method.** Products `rate · work` that no cost is below are a relaxation (`fit`). Jobs that take equally much are *like*.
//! How many of each kind of like jobs go to each site says all: with the counts given, the products add up to the least
//! when the heaviest jobs go where the rate is lowest (the rearrangement inequality). So a shortest path is left, site by site in
//! the order of rates, whose states count the jobs of each kind that are placed. Prices bound what a state loses;
//! states that lose too much are dropped, and the window of what may be lost opens until the end is reached. Then
//! every path that is not dearer than the best placing is walked, and its jobs go to its places at their true costs
//! (`matching`, kind by kind). When all are walked, what is best is best of all.
//!
//! **Complexity.** States times sets per site; both are counted, and beyond [`WORK_MAX`] nothing is proven.
//!
//! **Precision.** All whole numbers. Products are rounded down, so that what they bound from below stays bounded.

use super::fit::fit;
use super::kinds::{Splitting, Stop, kinds, least};
use super::limits::Watch;
use super::matching::{BARRED, match_all};
use super::placing::Placing;
use super::table::{Table, id};
use walras_model::market::Pair;

/// Sets tried at states, and places tried in matchings, before giving up.
const WORK_MAX: u64 = 50_000_000;
/// Jobs times the places of all sites, at most.
const CELLS_MAX: u64 = 4_000_000;
/// The first window: the bound's part of one in so many; then several times as wide each time.
const WINDOW_FIRST: i64 = 100_000;
const WIDER: i64 = 3;

/// The relaxed problem as a route from stop to stop.
pub(super) struct Route<'a> {
    table: &'a Table,
    kinds: Vec<Splitting>,
    stops: Vec<Stop>,
    /// What each job costs at each site: `costs[job * sites + site]`.
    costs: Vec<i64>,
    /// The state in which all are placed.
    end: u64,
    /// No placing costs less, by the prices.
    floor: i64,
}

/// The states that can be reached before a stop, with the least that was lost on the way; by state.
type Layer = Vec<(u64, i64)>;

impl<'a> Route<'a> {
    /// The route through a market; none where rates do not explain the costs, or where there is too much to count.
    pub(super) fn new(table: &'a Table, out: Option<usize>, prices: &[i64]) -> Option<Route<'a>> {
        let cells: u64 = table.capacities.iter().map(|room| u64::from(*room) + 1).sum();
        if cells.saturating_mul(table.jobs() as u64) > CELLS_MAX {
            return None;
        }
        let fitted = fit(table, out)?;
        let kinds = kinds(table, out, &fitted, prices)?;
        let stop = |(site, rate): (usize, i64)| {
            let (room, nowhere) = (table.capacities[site], out == Some(site));
            let mut stop = Stop { site, rate, room, nowhere, least: Vec::new() };
            stop.least = least(&stop, &kinds);
            stop
        };
        let open = fitted.rates.iter().enumerate().filter_map(|(site, rate)| rate.map(|rate| (site, rate)));
        let mut stops: Vec<Stop> = open.map(stop).collect();
        stops.sort_by_key(|stop| (stop.rate, stop.site));
        let floor = prices.iter().sum::<i64>() + stops.iter().map(Stop::floor).sum::<i64>();
        let mut costs = vec![BARRED; table.jobs() * table.sites()];
        for job in 0..table.jobs() {
            for pair in table.pairs(job) {
                costs[job * table.sites() + pair.site as usize] = pair.cost;
            }
        }
        let end = kinds.iter().map(|kind| (kind.jobs.len() as u64) << kind.shift).sum();
        Some(Route { table, kinds, stops, costs, end, floor })
    }

    /// Looks for the best placing of all; whether `best` is proven to be it.
    pub(super) fn settle(&self, best: &mut Placing, watch: &dyn Watch) -> bool {
        let mut work = WORK_MAX;
        let mut window = (self.floor.abs() / WINDOW_FIRST).max(1);
        loop {
            let whole = window >= self.slack(best);
            window = window.min(self.slack(best));
            let Some(layers) = self.layers(window, &mut work, watch) else { return false };
            let mut walk = Walk { route: self, layers: &layers, chosen: Vec::new(), best, window, work };
            if !walk.back(self.stops.len(), self.end, 0) {
                return false;
            }
            work = walk.work;
            if best.missing == 0 && window >= self.slack(best) {
                return true;
            }
            if whole {
                return false;
            }
            // What is wider than everything is as good as everything.
            window = window.saturating_mul(WIDER);
        }
    }

    /// What a better placing than the best can lose at most.
    fn slack(&self, best: &Placing) -> i64 {
        // Penalties for missing jobs are above any cost.
        let unit = if best.missing == 0 { 1_i64 << self.table.shift } else { 0 };
        best.cost - unit - self.floor
    }

    /// The states before every stop that lose at most `window`, and after the last; none when the work is used up.
    fn layers(&self, window: i64, work: &mut u64, watch: &dyn Watch) -> Option<Vec<Layer>> {
        let mut layers: Vec<Layer> = vec![vec![(0, 0)]];
        for stop in &self.stops {
            let mut next = Vec::new();
            for (state, lost) in layers.last().into_iter().flatten() {
                let mut sets = Sets { kinds: &self.kinds, stop, most: window - lost, back: false, work };
                let begin = next.len();
                if !sets.list(*state, &mut next) {
                    return None;
                }
                next[begin..].iter_mut().for_each(|(_, more)| *more += lost);
            }
            if watch.seconds_left() <= 0.0 {
                return None;
            }
            next.sort_unstable();
            next.dedup_by_key(|(state, _)| *state);
            layers.push(next);
        }
        Some(layers)
    }
}

/// The sets of jobs that a stop may take at a state, or (`back`) with which a state may have been reached from it.
struct Sets<'a> {
    kinds: &'a [Splitting],
    stop: &'a Stop,
    /// What the set may lose.
    most: i64,
    back: bool,
    work: &'a mut u64,
}

impl Sets<'_> {
    /// Adds the state on the other side and what is lost for each set; whether the work sufficed.
    fn list(&mut self, state: u64, found: &mut Vec<(u64, i64)>) -> bool {
        self.add(0, self.stop.room, state, 0, found)
    }

    fn add(&mut self, kind: usize, room: u32, state: u64, worth: i64, found: &mut Vec<(u64, i64)>) -> bool {
        let Some(of) = self.kinds.get(kind) else {
            found.push((state, (worth - self.stop.floor()).max(0)));
            return true;
        };
        let (here, takes) = (of.count(state), self.stop.takes(of));
        let left = if self.back { here } else { of.jobs.len() - here };
        let fit = room.checked_div(takes).map_or(left, |fit| left.min(fit as usize));
        for count in 0..=fit {
            if *self.work == 0 {
                return false;
            }
            *self.work -= 1;
            let (from, to) = if self.back { (here - count, here) } else { (here, here + count) };
            let worth = worth + of.worth(self.stop.rate, from, to);
            let room = room - takes.saturating_mul(id(count)).min(room);
            if worth + self.stop.least[kind + 1][room as usize] - self.stop.floor() > self.most {
                continue;
            }
            let moved = (count as u64) << of.shift;
            let state = if self.back { state - moved } else { state + moved };
            if !self.add(kind + 1, room, state, worth, found) {
                return false;
            }
        }
        true
    }
}

/// A walk from the end back over all paths that lose little enough.
struct Walk<'a> {
    route: &'a Route<'a>,
    layers: &'a [Layer],
    /// The states after the stops behind, last stop first.
    chosen: Vec<u64>,
    best: &'a mut Placing,
    window: i64,
    work: u64,
}

impl Walk<'_> {
    /// All paths that reach this state before the stop of this number and have lost so much after it; whether the
    /// work sufficed.
    fn back(&mut self, number: usize, state: u64, lost: i64) -> bool {
        let Some(before) = number.checked_sub(1) else { return self.arrive() };
        let stop = &self.route.stops[before];
        let most = self.window.min(self.route.slack(self.best)) - lost;
        let mut sets = Sets { kinds: &self.route.kinds, stop, most, back: true, work: &mut self.work };
        let mut found = Vec::new();
        if !sets.list(state, &mut found) {
            return false;
        }
        let layer = &self.layers[before];
        let mut open: Vec<(i64, u64, i64)> = Vec::new();
        for (from, here) in found {
            if let Ok(place) = layer.binary_search_by_key(&from, |(state, _)| *state) {
                open.push((layer[place].1 + here + lost, from, here + lost));
            }
        }
        open.sort_unstable_by_key(|path| (path.0, path.1));
        self.chosen.push(state);
        for (all, from, lost) in open {
            if all > self.window.min(self.route.slack(self.best)) {
                break;
            }
            if !self.back(before, from, lost) {
                return false;
            }
        }
        self.chosen.pop();
        true
    }

    /// A whole path: its jobs go to its places at their true costs.
    fn arrive(&mut self) -> bool {
        let route = self.route;
        let sites = route.table.sites();
        let mut placing = Placing::new(route.table);
        for kind in &route.kinds {
            let mut places = Vec::with_capacity(kind.jobs.len());
            let mut before = 0;
            for (stop, state) in route.stops.iter().zip(self.chosen.iter().rev()) {
                let after = kind.count(*state);
                places.extend(std::iter::repeat_n(stop, after - before));
                before = after;
            }
            let n = places.len();
            // A matching may take as many steps as the cube, and takes far fewer.
            let Some(work) = self.work.checked_sub((n * n * n / 4) as u64) else { return false };
            self.work = work;
            let cost = |job: usize, place: usize| route.costs[kind.jobs[job] * sites + places[place].site];
            let Some((_, matched)) = match_all(n, cost) else { return true };
            for (job, place) in matched.into_iter().enumerate() {
                let stop = places[place];
                let pair = Pair { site: id(stop.site), takes: stop.takes(kind), cost: cost(job, place) };
                placing.put(kind.jobs[job], &pair);
            }
        }
        if placing.beats(self.best) {
            *self.best = placing;
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::super::limits::NoWatch;
    use super::super::placing::NONE;
    use super::super::table::Nowhere;
    use super::super::table::Table;
    use super::*;
    use proptest::prelude::*;
    use walras_model::market::{Choices, Instance, Serve};

    /// The least cost of placing the jobs from `job` on in these rooms, every way tried.
    fn least(table: &Table, job: usize, rooms: &mut [u32]) -> Option<i64> {
        if job == table.jobs() {
            return Some(0);
        }
        let mut best = None;
        for pair in table.pairs(job) {
            let site = pair.site as usize;
            if let Some(room) = rooms[site].checked_sub(pair.takes) {
                rooms[site] = room;
                let cost = least(table, job + 1, rooms).map(|cost| cost + pair.cost);
                rooms[site] += pair.takes;
                best = best.into_iter().chain(cost).min();
            }
        }
        best
    }

    /// A market of few jobs and sites: run times rounded up, one price per site, some pairs barred.
    fn markets() -> impl Strategy<Value = Instance> {
        let sites = prop::collection::vec((0_u32..6, 700_u64..1_300, 4_000_u64..5_000), 1..5);
        let jobs = prop::collection::vec((0_u32..4, 3_900_u64..4_100, 1_u32..3, any::<u8>()), 1..7);
        (sites, jobs).prop_map(|(sites, jobs)| {
            let choices = jobs.into_iter().map(|(takes, work, weight, barred)| {
                let pair = |(site, (_, speed, price)): (usize, &(u32, u64, u64))| {
                    let cost = u64::from(takes) * price * (work * 1_000).div_ceil(*speed);
                    // About one pair in eight is barred.
                    let open = !(u32::from(barred) * 7 + 13 * id(site)).is_multiple_of(8);
                    open.then(|| Pair { site: id(site), takes, cost: i64::try_from(cost).unwrap() })
                };
                Choices { weight, pairs: sites.iter().enumerate().filter_map(pair).collect() }
            });
            let rooms = sites.iter().map(|(room, ..)| *room).collect();
            Instance::new(rooms, choices.collect(), Serve::Most).expect("a possible market")
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]
        #[test]
        fn settles_what_every_way_tried_finds(
            instance in markets(),
            room in 0_u32..6,
            prices in prop::collection::vec(0_i64..60_000_000, 6),
        ) {
            let nowhere = if room == 0 { Nowhere::Closed } else { Nowhere::Room(room) };
            let table = Table::new(&instance, nowhere);
            let out = (room > 0).then_some(instance.capacities().len());
            let prices: Vec<i64> = prices.iter().take(table.jobs()).map(|price| price << table.shift).collect();
            let route = Route::new(&table, out, &prices).expect("rates explain the costs");
            let mut best = Placing::new(&table);
            let settled = route.settle(&mut best, &NoWatch);
            let truth = least(&table, 0, &mut table.capacities.clone());
            prop_assert_eq!(settled, truth.is_some());
            if let Some(truth) = truth {
                prop_assert_eq!(best.cost, truth);
                prop_assert!(best.sites.iter().all(|site| *site != NONE));
            }
        }
    }
}
