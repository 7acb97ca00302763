//! Rates of sites and works of jobs whose products come closest to the costs from below.
//!
//! Rates and works are means of costs over each other, taken in turn; then each work is lowered, and each rate raised, as far
//! as the costs ask and allow. Where costs are products that were rounded up, this finds them but for the rounding.
//!
//! All of that is a guess in floating-point numbers. What leaves this file is whole numbers, of which each product is held against
//! its cost once more and lowered where it is above: no proof rests on a float.

use super::table::Table;

/// Rounds of reaching from known rates and works to others.
const SPREADS_MAX: usize = 64;
/// Rounds of taking means.
const ROUNDS: usize = 12;
/// The share of all costs that the products must explain.
const SHARE_LEAST: f64 = 0.999;

/// The greatest rate has so many bits, and all works together so many, so that products fit 128 bits with room to spare.
const RATE_BITS: i32 = 50;
const WORK_BITS: i32 = 60;
/// No product counts for more: a bound may always be lower, and sums over all kinds of jobs stay in 64 bits.
const PRODUCT_MAX: i64 = i64::MAX / 128;

/// Products that no cost is below.
pub(super) struct Fit {
    /// By site: zero for "nowhere", none where no job may go.
    pub(super) rates: Vec<Option<i64>>,
    /// By job: zero for those that cost nothing.
    pub(super) works: Vec<i64>,
    /// A rate times a work is a cost times two to this.
    pub(super) scale: u32,
}

/// What a sum of works costs at a rate, rounded down.
pub(super) fn product(rate: i64, works: i64, scale: u32) -> i64 {
    let cost = (i128::from(rate) * i128::from(works)) >> scale;
    i64::try_from(cost).map_or(PRODUCT_MAX, |cost| cost.min(PRODUCT_MAX))
}

/// The products that explain the costs; none where they do so badly, or where costs are negative.
pub(super) fn fit(table: &Table, out: Option<usize>) -> Option<Fit> {
    let mut entries: Vec<(usize, usize, f64)> = Vec::with_capacity(table.pairs_all());
    for job in 0..table.jobs() {
        for pair in table.pairs(job).iter().filter(|pair| out != Some(pair.site as usize)) {
            entries.push((job, pair.site as usize, pair.cost as f64));
        }
    }
    if entries.iter().any(|(.., cost)| *cost < 0.0) {
        return None;
    }
    let mut rates = vec![0.0; table.sites()];
    let mut works = vec![0.0; table.jobs()];
    let by_job = |entry: &(usize, usize, f64)| (entry.0, entry.1, entry.2);
    let by_site = |entry: &(usize, usize, f64)| (entry.1, entry.0, entry.2);
    // From one site to the jobs that may go there, from them to their sites, and so on, so that few pairs suffice.
    let mut spreads = 0;
    while let Some((_, site, _)) =
        entries.iter().find(|(job, site, cost)| *cost > 0.0 && (works[*job] == 0.0 || rates[*site] == 0.0))
    {
        if spreads == SPREADS_MAX {
            return None;
        }
        spreads += 1;
        let known = rates.iter().filter(|rate| **rate > 0.0).count();
        works = means(entries.iter().map(by_job), table.jobs(), &rates);
        rates = means(entries.iter().map(by_site), table.sites(), &works);
        let grown = rates.iter().filter(|rate| **rate > 0.0).count() > known;
        if !grown && rates[*site] == 0.0 {
            rates[*site] = 1.0;
        }
    }
    for _ in 0..ROUNDS {
        works = means(entries.iter().map(by_job), table.jobs(), &rates);
        rates = means(entries.iter().map(by_site), table.sites(), &works);
    }
    let works = leasts(entries.iter().map(by_job), table.jobs(), &rates);
    let works: Vec<f64> = works.into_iter().map(|work| if work.is_finite() { work } else { 0.0 }).collect();
    let mut rates = leasts(entries.iter().map(by_site), table.sites(), &works);
    for (_, site, _) in &entries {
        // Only jobs that cost nothing go there.
        if rates[*site].is_infinite() {
            rates[*site] = 0.0;
        }
    }
    if let Some(out) = out {
        rates[out] = 0.0;
    }
    let explained: f64 = entries.iter().map(|(job, site, _)| works[*job] * rates[*site]).sum();
    let all: f64 = entries.iter().map(|(.., cost)| cost).sum();
    (explained >= SHARE_LEAST * all).then(|| whole(table, out, &rates, &works))
}

/// Rates and works as whole numbers whose products no cost is below.
fn whole(table: &Table, out: Option<usize>, rates: &[f64], works: &[f64]) -> Fit {
    let open = rates.iter().copied().filter(|rate| rate.is_finite());
    let (dearest, all) = (open.fold(0.0, f64::max), works.iter().sum::<f64>());
    let up = |bits: i32, most: f64| if most > 0.0 { bits - exponent(most) } else { 0 };
    let (rate_up, work_up) = (up(RATE_BITS, dearest), up(WORK_BITS, all));
    let Ok(scale) = u32::try_from(rate_up + work_up) else {
        // Costs beyond any range that is counted; products of nothing are below them, too.
        return Fit { rates: rates.iter().map(|_| Some(0)).collect(), works: vec![0; works.len()], scale: 0 };
    };
    let rate = |rate: &f64| rate.is_finite().then(|| count(rate * f64::from(rate_up).exp2()));
    let rates: Vec<Option<i64>> = rates.iter().map(rate).collect();
    let mut works: Vec<i64> = works.iter().map(|work| count(work * f64::from(work_up).exp2())).collect();
    for (job, work) in works.iter_mut().enumerate() {
        for pair in table.pairs(job).iter().filter(|pair| out != Some(pair.site as usize)) {
            let rate = i128::from(rates[pair.site as usize].unwrap_or(0));
            if rate * i128::from(*work) > i128::from(pair.cost) << scale {
                let most = (i128::from(pair.cost) << scale) / rate;
                *work = i64::try_from(most).expect("a work that is lowered is smaller than it was");
            }
        }
    }
    Fit { rates, works, scale }
}

/// Two to this is above the number.
#[expect(clippy::cast_possible_truncation, reason = "exponents of doubles are small")]
fn exponent(number: f64) -> i32 {
    number.log2().floor() as i32 + 1
}

/// A number that is not negative, rounded down.
#[expect(clippy::cast_possible_truncation, reason = "casts saturate, and values stay far inside 64 bits")]
fn count(number: f64) -> i64 {
    number.max(0.0) as i64
}

/// The mean of `cost / factor` by the first position; zero where there is none.
fn means(entries: impl Iterator<Item = (usize, usize, f64)>, count: usize, factors: &[f64]) -> Vec<f64> {
    let mut sums = vec![(0.0, 0.0); count];
    for (to, from, cost) in entries.filter(|(_, from, _)| factors[*from] > 0.0) {
        sums[to].0 += cost / factors[from];
        sums[to].1 += 1.0;
    }
    sums.into_iter().map(|(sum, count): (f64, f64)| if count > 0.0 { sum / count } else { 0.0 }).collect()
}

/// The least of `cost / factor` by the first position; infinite where there is none.
fn leasts(entries: impl Iterator<Item = (usize, usize, f64)>, count: usize, factors: &[f64]) -> Vec<f64> {
    let mut leasts = vec![f64::INFINITY; count];
    for (to, from, cost) in entries.filter(|(_, from, _)| factors[*from] > 0.0) {
        leasts[to] = leasts[to].min(cost / factors[from]);
    }
    leasts
}
