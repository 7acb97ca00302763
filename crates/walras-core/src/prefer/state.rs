//! An assignment that is being built or changed, with its value kept up to date.
//!
//! A job that is still open counts with the least that it could add anywhere, so that the value of a partial
//! assignment is a bound for all that it can become. One change costs O(log parties), plus what the totals that it
//! touches cost.

use super::preference::{Aggregation, aggregate, relative};
use super::problem::{CompromiseProblem, Voice};
use super::weighted::{SCALE, Weighted};
use walras_model::quantity::MILLION;

/// What a job has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pick {
    /// Not decided.
    Open,
    /// This option.
    Option(usize),
    /// Nothing: it is not served.
    Out,
}

/// An unserved job outweighs everything else.
pub(super) const UNSERVED: i128 = 1_000_000_000_000_000_000_000_000_000_000;

/// What stays the same while assignments change.
pub(super) struct Model<'a> {
    pub(super) problem: &'a CompromiseProblem,
    /// For each party how many jobs it has.
    job_counts: Vec<i64>,
    /// For each total its party, its range, and what open jobs add at least; all turned so that less is better.
    total_party: Vec<usize>,
    ranges: Vec<(i128, i128)>,
    /// For each job the least that it adds to totals, without zeros.
    least: Vec<Vec<(usize, i64)>>,
    /// For each job the least loss of its options.
    pub(super) least_loss: Vec<i64>,
    /// For each party its level in a lexicographic order, and for each level how many it has.
    level_of: Vec<usize>,
    level_counts: Vec<i128>,
    /// For each total the direction: -1 when more is better.
    signs: Vec<i64>,
}

impl<'a> Model<'a> {
    pub(super) fn new(problem: &'a CompromiseProblem) -> Model<'a> {
        let count = problem.totals();
        let (mut total_party, mut signs) = (vec![0; count], vec![1; count]);
        let mut given = vec![None; count];
        for (index, party) in problem.parties.iter().enumerate() {
            let Voice::Collective(it) = &party.voice else { continue };
            for (place, weighted) in (it.first_total..).zip(it.preference.weighted()) {
                total_party[place] = index;
                signs[place] = weighted.criterion.turned(1);
                given[place] = weighted.turned_range().map(|(low, high)| (i128::from(low), i128::from(high)));
            }
        }
        let mut job_counts = vec![0; problem.parties.len()];
        for job in &problem.jobs {
            job_counts[job.user] += 1;
        }
        let (least, ranges) = extremes(problem, &signs);
        let ranges = given.iter().zip(ranges).map(|(given, available)| given.unwrap_or(available)).collect();
        let least_loss =
            |job: &super::CompromiseJob| job.options.iter().map(|it| it.loss).min().unwrap_or(SCALE);
        let (level_of, level_counts) = levels(&problem.weights);
        Model {
            problem,
            job_counts,
            total_party,
            ranges,
            least,
            least_loss: problem.jobs.iter().map(least_loss).collect(),
            level_of,
            level_counts,
            signs,
        }
    }

    /// For each party how many jobs it has.
    pub(super) fn job_counts(&self) -> &[i64] {
        &self.job_counts
    }
}

/// What each job adds at least to each total, and the range of each total.
type Extremes = (Vec<Vec<(usize, i64)>>, Vec<(i128, i128)>);

fn extremes(problem: &CompromiseProblem, signs: &[i64]) -> Extremes {
    let mut ranges = vec![(0_i128, 0_i128); signs.len()];
    let mut all = Vec::with_capacity(problem.jobs.len());
    for job in &problem.jobs {
        let mut bounds: Vec<Option<(i64, i64, usize)>> = vec![None; signs.len()];
        for option in &job.options {
            for (place, value) in &option.adds {
                let value = value.saturating_mul(signs[*place]);
                let (low, high, seen) = bounds[*place].unwrap_or((value, value, 0));
                bounds[*place] = Some((low.min(value), high.max(value), seen + 1));
            }
        }
        let mut least = Vec::new();
        for (place, bound) in bounds.iter().enumerate() {
            let Some((mut low, mut high, seen)) = *bound else { continue };
            if seen < job.options.len() {
                // Some option adds nothing.
                (low, high) = (low.min(0), high.max(0));
            }
            ranges[place] = (ranges[place].0 + i128::from(low), ranges[place].1 + i128::from(high));
            if low != 0 {
                least.push((place, low));
            }
        }
        all.push(least);
    }
    (all, ranges)
}

/// Greatest weight first.
fn levels(weights: &[i64]) -> (Vec<usize>, Vec<i128>) {
    let mut distinct: Vec<i64> = weights.to_vec();
    distinct.sort_unstable_by(|one, other| other.cmp(one));
    distinct.dedup();
    let level = |weight: &i64| {
        distinct.iter().position(|it| it == weight).expect("every weight is among the distinct ones")
    };
    let level_of: Vec<usize> = weights.iter().map(level).collect();
    let mut counts = vec![0; distinct.len()];
    for level in &level_of {
        counts[*level] += 1;
    }
    (level_of, counts)
}

/// An assignment, whole or in part.
#[derive(Clone)]
pub(super) struct State<'m> {
    model: &'m Model<'m>,
    picks: Vec<Pick>,
    used: Vec<i64>,
    totals: Vec<i128>,
    loss_sums: Vec<i64>,
    losses: Vec<i64>,
    /// The weighted losses as a tree of maxima; the leaves are its second half.
    maxima: Vec<i64>,
    sum: i128,
    level_sums: Vec<i128>,
    unserved: i128,
    touched: Vec<usize>,
}

impl<'m> State<'m> {
    /// Everything is open.
    pub(super) fn new(model: &'m Model<'m>) -> State<'m> {
        let problem = model.problem;
        let leaves = problem.parties.len().next_power_of_two();
        let mut state = State {
            model,
            picks: vec![Pick::Open; problem.jobs.len()],
            used: vec![0; problem.capacities.len()],
            totals: vec![0; problem.totals()],
            loss_sums: vec![0; problem.parties.len()],
            losses: vec![0; problem.parties.len()],
            maxima: vec![0; 2 * leaves],
            sum: 0,
            level_sums: vec![0; model.level_counts.len()],
            unserved: 0,
            touched: Vec::new(),
        };
        for job in 0..problem.jobs.len() {
            state.count(job, Pick::Open, 1);
        }
        for party in 0..problem.parties.len() {
            state.refresh(party);
        }
        state.touched.clear();
        state
    }

    pub(super) fn pick(&self, job: usize) -> Pick {
        self.picks[job]
    }

    pub(super) fn picks(&self) -> &[Pick] {
        &self.picks
    }

    /// Each party's loss.
    pub(super) fn losses(&self) -> &[i64] {
        &self.losses
    }

    /// How many jobs are not served.
    pub(super) fn unserved(&self) -> i128 {
        self.unserved
    }

    /// Whether the capacities have room for one more option.
    pub(super) fn fits(&self, job: usize, option: usize) -> bool {
        let takes = &self.model.problem.jobs[job].options[option].takes;
        takes.iter().all(|(place, units)| {
            self.used[*place].saturating_add(*units) <= self.model.problem.capacities[*place]
        })
    }

    /// The first capacity that has no room for an option.
    pub(super) fn lacks(&self, job: usize, option: usize) -> Option<usize> {
        let takes = &self.model.problem.jobs[job].options[option].takes;
        let over = |(place, units): &&(usize, i64)| {
            self.used[*place].saturating_add(*units) > self.model.problem.capacities[*place]
        };
        takes.iter().find(over).map(|(place, _)| *place)
    }

    /// Gives a job something else.
    pub(super) fn set(&mut self, job: usize, pick: Pick) {
        let old = self.picks[job];
        if old == pick {
            return;
        }
        self.count(job, old, -1);
        self.count(job, pick, 1);
        self.picks[job] = pick;
        let mut touched = std::mem::take(&mut self.touched);
        touched.sort_unstable();
        touched.dedup();
        for party in touched.drain(..) {
            self.refresh(party);
        }
        self.touched = touched;
    }

    /// The value, less is better: unserved jobs first, then the aggregate of all losses.
    pub(super) fn value(&self) -> i128 {
        let aggregate = match self.model.problem.across {
            Aggregation::Chebyshev { l1 } => {
                i128::from(self.maxima[1]) * i128::from(MILLION) + i128::from(l1) * self.sum
            }
            Aggregation::Mean => self.sum,
            Aggregation::Lexicographic => {
                let level = |value: i128, (sum, count): (&i128, &i128)| {
                    value * (i128::from(MILLION) + 1)
                        + sum * i128::from(MILLION) / (count * i128::from(SCALE)).max(1)
                };
                self.level_sums.iter().zip(&self.model.level_counts).fold(0, level)
            }
        };
        self.unserved * UNSERVED + aggregate
    }

    /// Adds what a pick contributes, or takes it away.
    fn count(&mut self, job: usize, pick: Pick, sign: i64) {
        let model = self.model;
        let entry = &model.problem.jobs[job];
        let loss = match pick {
            Pick::Open => {
                self.add(&model.least[job], sign, false);
                model.least_loss[job]
            }
            Pick::Out => {
                self.unserved += i128::from(sign);
                SCALE
            }
            Pick::Option(option) => {
                let option = &entry.options[option];
                for (place, units) in &option.takes {
                    self.used[*place] += sign * units;
                }
                self.add(&option.adds, sign, true);
                option.loss
            }
        };
        self.loss_sums[entry.user] += sign * loss;
        self.touched.push(entry.user);
    }

    fn add(&mut self, adds: &[(usize, i64)], sign: i64, turn: bool) {
        for (place, value) in adds {
            let turned = if turn { self.model.signs[*place] } else { 1 };
            self.totals[*place] += i128::from(*value) * i128::from(sign * turned);
            self.touched.push(self.model.total_party[*place]);
        }
    }

    /// Computes a party's loss again.
    fn refresh(&mut self, party: usize) {
        let loss = match &self.model.problem.parties[party].voice {
            Voice::User => self.loss_sums[party] / self.model.job_counts[party].max(1),
            Voice::Collective(it) => {
                let weighted = it.preference.weighted();
                let weights: Vec<i64> = weighted.iter().map(|entry| entry.weight).collect();
                let places = it.first_total..it.first_total + weighted.len();
                let loss = |(place, entry): (usize, &Weighted)| {
                    entry.loss(self.totals[place], self.model.ranges[place])
                };
                let losses: Vec<i64> = places.zip(weighted).map(loss).collect();
                let aggregation = it.preference.aggregation();
                relative(aggregation, &weights, aggregate(aggregation, &weights, &losses))
            }
        };
        let weight = self.model.problem.weights[party];
        self.sum += i128::from(weight) * i128::from(loss - self.losses[party]);
        self.level_sums[self.model.level_of[party]] += i128::from(loss - self.losses[party]);
        self.losses[party] = loss;
        let mut place = self.maxima.len() / 2 + party;
        self.maxima[place] = weight * loss;
        while place > 1 {
            place /= 2;
            self.maxima[place] = self.maxima[2 * place].max(self.maxima[2 * place + 1]);
        }
    }
}
