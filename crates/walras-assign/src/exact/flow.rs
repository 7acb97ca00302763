//! The linear relaxation as a flow: jobs may be divided, so each processor finds its own cheapest site.
//!
//! Where a job takes the same of every site, the relaxation is a transportation problem. Jobs come one after the
//! other; each is placed along the shortest way to a site with room, moving others on where that is cheaper
//! (successive shortest paths), and the prices of the sites passed rise by what the way saved them (Walras's
//! auctioneer, with every step exact). Prices are zero where there is room, and no job would rather be elsewhere: that is the optimum, and its
//! prices are the relaxation's dual.
//!
//! Work: for each job, at most sites × jobs per site × sites. `None` when a job takes different amounts, or when
//! that could be too much.

use super::table::Table;

/// With more pairs than this, only every second, third … job takes part, with that part of the capacities.
const PAIRS_MAX: usize = 1_000_000;
/// How often the price of staying out is halved between its bounds.
const HALVINGS: usize = 6;

/// The relaxation's solution.
pub(super) struct Divided {
    /// What a unit of each site's capacity is worth.
    pub(super) values: Vec<f64>,
    /// The site that has most of each job, where one has any and all jobs took part.
    pub(super) sites: Vec<Option<u32>>,
}

/// The cheapest way to place everything when jobs may be divided.
///
/// `out` is the site that stands for staying out, where there is one.
pub(super) fn divide(table: &Table, out: Option<usize>) -> Option<Divided> {
    let stride = table.pairs_all().div_ceil(PAIRS_MAX).max(1);
    let rows = rows(table, out, stride)?;
    let Some(out) = out else { return Some(Flow::new(table, &rows, stride, 0.0, None).run().divided()) };
    let room = f64::from(table.capacities[out]) / stride as f64;
    let dearest = (0..table.jobs()).filter_map(|job| table.pairs(job).last()).map(|pair| pair.cost).max();
    let (mut low, mut high) = (0.0, 1.5 * dearest.unwrap_or(1) as f64);
    let mut best = None;
    for _ in 0..HALVINGS {
        let middle = (low + high) / 2.0;
        let flow = Flow::new(table, &rows, stride, middle, Some(out)).run();
        if flow.left_out > room {
            low = middle;
        } else {
            high = middle;
        }
        let mut divided = flow.divided();
        divided.values[out] = middle;
        best = Some(divided);
    }
    best
}

/// One job: how many units, what a unit costs on each site, and what it weighs when it stays out.
struct Row {
    units: u32,
    weight: u32,
    costs: Vec<f64>,
}

fn rows(table: &Table, out: Option<usize>, stride: usize) -> Option<Vec<Row>> {
    let mut rows = Vec::with_capacity(table.jobs());
    for job in (0..table.jobs()).step_by(stride) {
        let mut row = Row { units: 0, weight: 0, costs: vec![f64::INFINITY; table.sites()] };
        for pair in table.pairs(job) {
            if Some(pair.site as usize) == out {
                row.weight = pair.takes;
                continue;
            }
            if row.units != 0 && row.units != pair.takes || pair.takes == 0 {
                return None;
            }
            row.units = pair.takes;
            row.costs[pair.site as usize] = pair.cost as f64 / f64::from(pair.takes);
        }
        rows.push(row);
    }
    Some(rows)
}

struct Flow<'a> {
    rows: &'a [Row],
    /// What a unit of weight costs when it stays out.
    price_out: f64,
    out: Option<usize>,
    values: Vec<f64>,
    room: Vec<i64>,
    /// The jobs on each site, and how many of their units.
    at: Vec<Vec<(usize, i64)>>,
    left_out: f64,
}

impl<'a> Flow<'a> {
    fn new(table: &Table, rows: &'a [Row], stride: usize, price_out: f64, out: Option<usize>) -> Flow<'a> {
        let part = i64::try_from(stride).unwrap_or(1);
        let mut room: Vec<i64> =
            table.capacities.iter().map(|capacity| (i64::from(*capacity) + part / 2) / part).collect();
        if let Some(out) = out {
            room[out] = i64::MAX / 2;
        }
        let sites = table.sites();
        Flow {
            rows,
            price_out,
            out,
            values: vec![0.0; sites],
            room,
            at: vec![Vec::new(); sites],
            left_out: 0.0,
        }
    }

    fn run(mut self) -> Flow<'a> {
        for job in 0..self.rows.len() {
            let mut left = i64::from(self.rows[job].units);
            while left > 0 {
                let placed = self.place(job, left);
                if placed == 0 {
                    break;
                }
                left -= placed;
            }
        }
        if let Some(out) = self.out {
            let weight = |(job, units): &(usize, i64)| {
                let row = &self.rows[*job];
                f64::from(row.weight) * *units as f64 / f64::from(row.units)
            };
            self.left_out = self.at[out].iter().map(weight).sum();
        }
        self
    }

    fn divided(self) -> Divided {
        let mut most = vec![(0, None); self.rows.len()];
        for (site, at) in (0..).zip(&self.at) {
            for &(job, units) in at {
                if units > most[job].0 {
                    most[job] = (units, Some(site));
                }
            }
        }
        let sites = most.into_iter().map(|(_, site)| site).collect();
        Divided { values: self.values, sites }
    }

    /// What a unit of a job costs on a site, the site's value included.
    fn cost(&self, job: usize, site: usize) -> f64 {
        let row = &self.rows[job];
        if Some(site) == self.out {
            if row.weight == 0 {
                f64::INFINITY
            } else {
                self.price_out * f64::from(row.weight) / f64::from(row.units)
            }
        } else {
            row.costs[site] + self.values[site]
        }
    }

    /// Places units of a job along the shortest way to a site with room; gives how many.
    fn place(&mut self, job: usize, units: i64) -> i64 {
        let sites = self.values.len();
        let mut distance: Vec<f64> = (0..sites).map(|site| self.cost(job, site)).collect();
        let mut before: Vec<Option<(usize, usize)>> = vec![None; sites];
        let mut done = vec![false; sites];
        let target = loop {
            let open = (0..sites).filter(|site| !done[*site]);
            let Some(site) = open.min_by(|a, b| distance[*a].total_cmp(&distance[*b])) else { return 0 };
            if distance[site].is_infinite() {
                return 0;
            }
            if self.room[site] > 0 {
                break site;
            }
            done[site] = true;
            for &(other, _) in &self.at[site] {
                let base = distance[site] - self.cost(other, site);
                self.relax(other, base, site, &done, &mut distance, &mut before);
            }
        };
        for site in 0..sites {
            if done[site] {
                self.values[site] += (distance[target] - distance[site]).max(0.0);
            }
        }
        self.shift(job, units, target, &before)
    }

    /// Shortens the ways that go on with a job from a site.
    fn relax(
        &self,
        job: usize,
        base: f64,
        from: usize,
        done: &[bool],
        distance: &mut [f64],
        before: &mut [Option<(usize, usize)>],
    ) {
        let costs = self.rows[job].costs.iter().zip(&self.values);
        let ways = distance.iter_mut().zip(before.iter_mut()).zip(done);
        for ((cost, value), ((distance, before), done)) in costs.zip(ways) {
            let length = base + cost + value;
            if length < *distance && !done {
                *distance = length;
                *before = Some((from, job));
            }
        }
        if let Some(out) = self.out {
            let length = base + self.cost(job, out);
            if length < distance[out] && !done[out] {
                distance[out] = length;
                before[out] = Some((from, job));
            }
        }
    }

    /// Moves units along the way that ends at `target`.
    fn shift(&mut self, job: usize, units: i64, target: usize, before: &[Option<(usize, usize)>]) -> i64 {
        let mut amount = units.min(self.room[target]);
        let mut site = target;
        while let Some((from, other)) = before[site] {
            let held = self.at[from].iter().find(|(held, _)| *held == other).map_or(0, |(_, units)| *units);
            amount = amount.min(held);
            site = from;
        }
        let mut site = target;
        self.room[target] -= amount;
        while let Some((from, other)) = before[site] {
            add(&mut self.at[site], other, amount);
            add(&mut self.at[from], other, -amount);
            site = from;
        }
        add(&mut self.at[site], job, amount);
        amount
    }
}

fn add(at: &mut Vec<(usize, i64)>, job: usize, units: i64) {
    match at.iter().position(|(other, _)| *other == job) {
        Some(position) => {
            at[position].1 += units;
            if at[position].1 == 0 {
                at.swap_remove(position);
            }
        }
        None => at.push((job, units)),
    }
}
