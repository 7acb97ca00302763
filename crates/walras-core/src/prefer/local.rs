//! Local search: moves of one job, swaps of two, and restarts from a shaken best.

use super::best::Best;
use super::state::{Model, Pick, State};
use std::collections::BTreeSet;
use walras_random::Draws;

/// What it costs to see whether an option fits, and what to try it.
const LOOK: u64 = 1;
const TRIAL: u64 = 20;

/// How many steps may be spent, and how often to start again.
#[derive(Clone, Copy)]
pub(super) struct LocalEffort {
    pub(super) steps: u64,
    pub(super) restarts: u32,
    pub(super) seed: u64,
}

/// Improves the best assignment, or makes a first one, within the effort.
pub(super) fn improve(model: &Model<'_>, best: &mut Best, effort: LocalEffort) {
    let mut search = Search::new(model, effort);
    match best.picks.clone() {
        Some(picks) => search.take(&picks),
        None => search.build(),
    }
    search.descend();
    best.offer(&search.state);
    for _ in 0..effort.restarts {
        if search.steps == 0 {
            break;
        }
        if let Some(picks) = best.picks.clone() {
            search.take(&picks);
        }
        search.shake();
        search.descend();
        best.offer(&search.state);
    }
}

struct Search<'m> {
    model: &'m Model<'m>,
    state: State<'m>,
    /// For each capacity the jobs that take of it.
    holders: Vec<BTreeSet<usize>>,
    /// For each job its options, least loss first.
    options: Vec<Vec<usize>>,
    /// Whether owners or the administrator look at totals: then even a worse option can be better for all.
    collective: bool,
    steps: u64,
    random: Draws,
}

impl<'m> Search<'m> {
    fn new(model: &'m Model<'m>, effort: LocalEffort) -> Search<'m> {
        let sorted = |job: &super::CompromiseJob| {
            let mut order: Vec<usize> = (0..job.options.len()).collect();
            order.sort_by_key(|option| job.options[*option].loss);
            order
        };
        Search {
            model,
            state: State::new(model),
            holders: vec![BTreeSet::new(); model.problem.capacities.len()],
            options: model.problem.jobs.iter().map(sorted).collect(),
            collective: model.problem.totals() > 0,
            steps: effort.steps,
            random: Draws::new(effort.seed),
        }
    }

    fn spend(&mut self, steps: u64) {
        self.steps = self.steps.saturating_sub(steps);
    }

    /// A number below `bound`.
    fn draw(&mut self, bound: usize) -> usize {
        let bound = u64::try_from(bound.max(1)).unwrap_or(u64::MAX);
        usize::try_from(self.random.any() % bound).expect("a draw below a position is one")
    }

    /// Sets a pick for good.
    fn settle(&mut self, job: usize, pick: Pick) {
        for (old, hold) in [(self.state.pick(job), false), (pick, true)] {
            let Pick::Option(option) = old else { continue };
            for (place, _) in &self.model.problem.jobs[job].options[option].takes {
                if hold {
                    self.holders[*place].insert(job);
                } else {
                    self.holders[*place].remove(&job);
                }
            }
        }
        self.state.set(job, pick);
    }

    fn take(&mut self, picks: &[Pick]) {
        // Out first, so that nothing ever takes more than there is.
        for job in 0..picks.len() {
            self.settle(job, Pick::Out);
        }
        for (job, pick) in picks.iter().enumerate() {
            self.settle(job, *pick);
        }
    }

    /// Job by job, those with the fewest options first: the best that still fits.
    fn build(&mut self) {
        let mut order: Vec<usize> = (0..self.options.len()).collect();
        order.sort_by_key(|job| (self.options[*job].len(), *job));
        for job in order {
            let fitting = self.options[job].iter().find(|option| self.state.fits(job, **option));
            let pick = fitting.map_or(Pick::Out, |option| Pick::Option(*option));
            self.settle(job, pick);
        }
    }

    /// Gives some jobs something at random.
    fn shake(&mut self) {
        let jobs = self.options.len();
        // A few jobs, or many: some better assignments are several changes away.
        for _ in 0..=self.draw((jobs / 10).max(4)) {
            let job = self.draw(jobs);
            if self.options[job].is_empty() {
                continue;
            }
            let place = self.draw(self.options[job].len());
            let option = self.options[job][place];
            self.settle(job, Pick::Out);
            // Whoever stands in the way goes: the descent finds them another place, or none.
            while let Some(capacity) = self.state.lacks(job, option) {
                let holders: Vec<usize> = self.holders[capacity].iter().copied().collect();
                let place = self.draw(holders.len());
                let Some(holder) = holders.get(place) else { break };
                self.settle(*holder, Pick::Out);
            }
            if self.state.fits(job, option) {
                self.settle(job, Pick::Option(option));
            }
        }
    }

    /// Moves and swaps until none is an improvement, the least content first.
    fn descend(&mut self) {
        loop {
            let before = self.state.value();
            let mut order: Vec<usize> = (0..self.options.len()).collect();
            let discontent = |job: &usize| {
                let user = self.model.problem.jobs[*job].user;
                self.model.problem.weights[user] * self.state.losses()[user]
            };
            order.sort_by_cached_key(|job| (std::cmp::Reverse(discontent(job)), *job));
            for job in order {
                self.improve_job(job);
                if self.steps == 0 {
                    return;
                }
            }
            if self.state.value() >= before {
                return;
            }
        }
    }

    fn loss_of(&self, job: usize, pick: Pick) -> i64 {
        match pick {
            Pick::Option(option) => self.model.problem.jobs[job].options[option].loss,
            Pick::Open | Pick::Out => i64::MAX,
        }
    }

    /// The best move of one job, or else its first improving swap.
    fn improve_job(&mut self, job: usize) {
        let held = self.state.pick(job);
        let held_loss = self.loss_of(job, held);
        let mut least = (self.state.value(), held);
        let mut blocked = Vec::new();
        for place in 0..self.options[job].len() {
            let option = self.options[job][place];
            let loss = self.loss_of(job, Pick::Option(option));
            if (loss >= held_loss && !self.collective) || self.steps == 0 {
                break;
            }
            if held == Pick::Option(option) {
                continue;
            }
            self.spend(LOOK);
            self.state.set(job, Pick::Out);
            if let Some(capacity) = self.state.lacks(job, option) {
                if loss < held_loss || self.collective {
                    blocked.push((option, capacity));
                }
                continue;
            }
            self.spend(TRIAL);
            self.state.set(job, Pick::Option(option));
            least = least.min_by_value((self.state.value(), Pick::Option(option)));
        }
        self.state.set(job, held);
        if least.1 != held {
            self.settle(job, least.1);
        } else {
            for (option, capacity) in blocked {
                if self.steps == 0 || self.swap(job, option, capacity) {
                    return;
                }
            }
        }
    }

    /// Takes an option for a job by moving somebody who stands in its way; whether that was an improvement.
    fn swap(&mut self, job: usize, option: usize, capacity: usize) -> bool {
        let before = self.state.value();
        let held = self.state.pick(job);
        let others: Vec<usize> =
            self.holders[capacity].iter().copied().filter(|other| *other != job).collect();
        for other in others {
            let other_held = self.state.pick(other);
            self.spend(TRIAL);
            self.state.set(job, Pick::Out);
            self.state.set(other, Pick::Out);
            if self.state.fits(job, option) {
                self.state.set(job, Pick::Option(option));
                let found = self.best_place(other, before);
                if let Some(found) = found {
                    self.restore(&[(job, held), (other, other_held)]);
                    self.settle(other, Pick::Out);
                    self.settle(job, Pick::Option(option));
                    self.settle(other, found);
                    return true;
                }
            }
            self.restore(&[(job, held), (other, other_held)]);
            if self.steps == 0 {
                return false;
            }
        }
        false
    }

    /// Where a job that is out should go, if anywhere, so that the value falls below `limit`.
    fn best_place(&mut self, job: usize, limit: i128) -> Option<Pick> {
        let mut least = (limit, Pick::Open).min_by_value((self.state.value(), Pick::Out));
        for place in 0..self.options[job].len() {
            let option = self.options[job][place];
            if self.steps == 0 {
                break;
            }
            self.spend(LOOK);
            self.state.set(job, Pick::Out);
            if !self.state.fits(job, option) {
                continue;
            }
            self.spend(TRIAL);
            self.state.set(job, Pick::Option(option));
            least = least.min_by_value((self.state.value(), Pick::Option(option)));
            if !self.collective {
                // Options are in order of loss, and nobody else looks at more.
                break;
            }
        }
        self.state.set(job, Pick::Out);
        (least.1 != Pick::Open).then_some(least.1)
    }

    fn restore(&mut self, picks: &[(usize, Pick)]) {
        for (job, _) in picks {
            self.state.set(*job, Pick::Out);
        }
        for (job, pick) in picks {
            self.state.set(*job, *pick);
        }
    }
}

/// The one with the smaller value; the first among equals.
trait LeastValue {
    fn min_by_value(self, other: Self) -> Self;
}

impl LeastValue for (i128, Pick) {
    fn min_by_value(self, other: Self) -> Self {
        if other.0 < self.0 { other } else { self }
    }
}
