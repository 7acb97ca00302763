//! Rates of sites and works of jobs whose products come closest to the costs from below.
//!
//! Rates and works are means of costs over each other, taken in turn; then each work is lowered, and each rate raised, as far
//! as the costs ask and allow. Where costs are products that were rounded up, this finds them but for the rounding.

use super::table::Table;

/// Rounds of reaching from known rates and works to others.
const SPREADS_MAX: usize = 64;
/// Rounds of taking means.
const ROUNDS: usize = 12;
/// The share of all costs that the products must explain.
const SHARE_LEAST: f64 = 0.999;

/// Products that no cost is below.
pub(super) struct Fit {
    /// By site: zero for "nowhere", infinite where no job may go.
    pub(super) rates: Vec<f64>,
    /// By job: zero for those that cost nothing.
    pub(super) works: Vec<f64>,
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
    (explained >= SHARE_LEAST * all).then_some(Fit { rates, works })
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
