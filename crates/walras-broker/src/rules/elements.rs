//! Elements of arrays: which jobs they are, how many become jobs at a time, and what each may cost.
//!
//! **What each may cost.** The budget of an array is for all elements together. What is left of it beside what was charged, is held and is
//! promised is divided evenly among the elements that have nothing yet, so that no order of decisions can overspend it, and what some did
//! not need is there for the others.
//!
//! **Complexity.** O(log arrays) for a name, O(elements that are jobs) for a budget.

use crate::model::array::{Array, number_at, rank_at};
use crate::model::gate::Which;
use crate::model::id::JobNumber;
use crate::model::job::{Job, Phase};
use crate::model::state::State;
use walras_model::Money;
use walras_model::quantity::rounding;

impl State {
    /// The array of which a number is an element's.
    pub fn array_of(&self, number: JobNumber) -> Option<(&Array, u32)> {
        let (_, array) = self.arrays.range(..number).next_back()?;
        array.rank_of(number).map(|rank| (array, rank))
    }

    /// A job by the name that people know it by.
    pub fn which(&self, number: JobNumber) -> Which {
        let element = self.array_of(number).and_then(|(array, rank)| {
            Some(Which { job: array.number, element: Some(array.indices.index_at(rank)?) })
        });
        element.or_else(|| self.past_which(number)).unwrap_or(Which::whole(number))
    }

    fn past_which(&self, number: JobNumber) -> Option<Which> {
        let (array, past) = self.past.range(..number).next_back()?;
        let indices = &past.array.as_ref()?.indices;
        let rank = rank_at(*array, indices.count(), number)?;
        Some(Which { job: *array, element: Some(indices.index_at(rank)?) })
    }

    /// The number of what is named; `None` where there is no such element.
    pub fn number_of(&self, which: Which) -> Option<JobNumber> {
        let Some(index) = which.element else { return Some(which.job) };
        let open = self.arrays.get(&which.job).map(|array| &array.indices);
        let past = || self.past.get(&which.job)?.array.as_ref().map(|array| &array.indices);
        let rank = open.or_else(past)?.rank_of(index)?;
        Some(number_at(which.job, rank))
    }

    /// So many elements of a user wait for a window at a time: as many as a plan can make use of.
    pub(crate) fn window(&self) -> u32 {
        let planned = self.promises().map_or(u32::MAX, |promises| promises.replanned_max);
        self.policy.batch_max.min(planned).max(1)
    }

    /// The elements of an array that are jobs.
    pub(crate) fn live_elements<'a>(&'a self, array: &'a Array) -> impl Iterator<Item = &'a Job> {
        array.live.iter().filter_map(|rank| self.jobs.get(&number_at(array.number, rank)))
    }

    /// How many elements of an array are jobs that have no window for certain.
    pub(crate) fn unreserved(&self, array: &Array) -> u32 {
        let waits = |job: &&Job| !matches!(job.phase, Phase::Reserved(_));
        u32::try_from(self.live_elements(array).filter(waits).count()).unwrap_or(u32::MAX)
    }

    /// How many more elements of an array may be jobs at once, by its own limit.
    pub(crate) fn at_once(array: &Array) -> u32 {
        let most = array.indices.limit().unwrap_or(u32::MAX);
        most.saturating_sub(array.live.len()).min(array.pending.len())
    }

    /// Whether elements wait to become jobs, and may.
    pub(crate) fn may_draw(&self, array: &Array) -> bool {
        !array.waiting && State::at_once(array) > 0 && self.unreserved(array) < self.window()
    }

    /// What an element may cost, where its array has a budget.
    pub(crate) fn element_budget(&self, job: &Job) -> Option<Money> {
        let array = self.arrays.get(&job.element?.array)?;
        let budget = array.spec.request.budget?;
        let own = self.committed_for(job);
        if let Some(own) = own {
            return Some(own);
        }
        let (mut taken, mut open) = (i128::from(array.spent.as_micros()), i128::from(array.pending.len()));
        for other in self.live_elements(array) {
            match self.committed_for(other) {
                Some(amount) => taken += i128::from(amount.as_micros()),
                None => open += 1,
            }
        }
        let left = rounding::down((i128::from(budget.as_micros()) - taken).max(0), open.max(1));
        let left =
            i64::try_from(left).expect("charges and liens are not negative: no more is left than the budget");
        Some(Money::from_micros(left))
    }

    /// What is held for a job, or promised to be the most; `None` where nothing is.
    fn committed_for(&self, job: &Job) -> Option<Money> {
        match job.phase {
            Phase::Reserved(number) => self.reservations.get(&number).map(|it| it.lien),
            Phase::Planned => job.promise.map(|promise| promise.cost),
            Phase::Waiting | Phase::Queued | Phase::Planning => None,
        }
    }
}
