//! Arrays: every element at most once, no more at once than the limit, all of them together within the budget.
//!
//! Where every element is is kept one by one, without the broker's ranges. Time O(elements) for an event that names some.

use crate::Auditor;
use crate::elements::{At, Elements, number_at};
use crate::finding::{EndFault, FindingKind, Thing};
use crate::look::Look;
use crate::state::{Job, JobPhase};
use std::sync::Arc;
use walras_broker::gate::Which;
use walras_broker::id::JobNumber;
use walras_broker::indices::Indices;
use walras_broker::input::Input;
use walras_broker::job::{JobEnd, JobSpec, Why};
use walras_broker::ranks::Ranks;

impl Auditor {
    /// An array has come; the numbers after its own are its elements'.
    pub(crate) fn array_queued(&mut self, number: JobNumber, indices: &Indices) {
        let count = indices.count();
        self.last.job += u64::from(count);
        let elements = Elements {
            indices: indices.clone(),
            at: vec![At::Pending; count as usize],
            live: 0,
            liens: 0,
            spent: 0,
            unwell: 0,
            cancelled: 0,
            cut: None,
        };
        self.arrays.insert(number, elements);
    }

    /// The number of what is named.
    pub(crate) fn number_of(&self, which: Which) -> Option<JobNumber> {
        let Some(index) = which.element else { return Some(which.job) };
        let rank = self.arrays.get(&which.job)?.indices.rank_of(index)?;
        Some(number_at(which.job, rank))
    }

    /// The array and the rank of an element.
    fn place_of(&self, number: JobNumber) -> Option<(JobNumber, usize)> {
        let (array, elements) = self.arrays.range(..number).next_back()?;
        let rank = usize::try_from(number.get().checked_sub(array.get() + 1)?).ok()?;
        (rank < elements.indices.count() as usize).then_some((*array, rank))
    }

    /// Whether a number is that of an element that is no job yet.
    pub(crate) fn is_pending(&self, number: JobNumber) -> bool {
        let at = |(array, rank): (JobNumber, usize)| self.arrays.get(&array)?.at.get(rank).copied();
        self.place_of(number).and_then(at) == Some(At::Pending)
    }

    pub(crate) fn drawn(&mut self, look: &mut Look<'_>, number: JobNumber, elements: &Ranks) {
        let Some(array) = self.jobs.get(&number).filter(|job| job.phase == JobPhase::Drawing) else {
            return look.report(FindingKind::FreedWrongly { job: number });
        };
        let (spec, ready_at) = (Arc::clone(&array.spec), array.ready_at);
        for rank in elements.iter() {
            let Some(all) = self.arrays.get_mut(&number) else { return };
            let element = number_at(number, rank);
            match all.at.get_mut(rank as usize).filter(|at| **at == At::Pending) {
                Some(at) => *at = At::Live,
                None => return look.report(FindingKind::ElementTwice { array: number, element }),
            }
            all.live += 1;
            if all.indices.limit().is_some_and(|limit| all.live > limit) {
                look.report(FindingKind::TooManyAtOnce { array: number, live: all.live });
            }
            let job = Job::new(&spec, ready_at, look.position, JobPhase::Queued);
            self.jobs.insert(element, Job { element: Some(number), ..job });
        }
    }

    pub(crate) fn cut(
        &mut self,
        look: &mut Look<'_>,
        number: JobNumber,
        elements: &Ranks,
        end: &JobEnd,
        whole: bool,
    ) {
        let Some(array) = self.jobs.get(&number).filter(|job| job.spec.array.is_some()).cloned() else {
            return look.report(FindingKind::NotThere { thing: Thing::Job, number: number.get() });
        };
        if let Some(why) = self.cut_fault(look, number, &array, elements, end) {
            look.report(FindingKind::WrongEnd { job: number, why });
        }
        for rank in elements.iter() {
            let element = number_at(number, rank);
            let Some(all) = self.arrays.get_mut(&number) else { return };
            match all.at.get_mut(rank as usize).filter(|at| **at == At::Pending) {
                Some(at) => *at = At::Ended,
                None => return look.report(FindingKind::ElementTwice { array: number, element }),
            }
            all.count(end);
            self.ended_number(look, element, false);
        }
        if let Some(all) = self.arrays.get_mut(&number).filter(|_| whole) {
            all.cut = Some(end.clone());
        }
    }

    fn cut_fault(
        &self,
        look: &Look<'_>,
        number: JobNumber,
        array: &Job,
        elements: &Ranks,
        end: &JobEnd,
    ) -> Option<EndFault> {
        let (fits, fault) = match end {
            JobEnd::Cancelled => {
                let named = |job: JobNumber| {
                    let only = elements.len() == 1
                        && elements.iter().next().map(|rank| number_at(number, rank)) == Some(job);
                    job == number || only
                };
                let told = matches!(look.input, Input::CancelJob { user, job } if named(*job) && *user == array.spec.user);
                let named = |asked: &Ranks| elements.iter().all(|rank| asked.contains(rank));
                let several = matches!(look.input, Input::CancelElements { user, array: of, elements: asked }
                    if *of == number && *user == array.spec.user && named(asked));
                (told || several, EndFault::NotCancelled)
            }
            JobEnd::GivenUp(Why::DeadlinePassed) => {
                let deadline = array.spec.request.deadline;
                (deadline.is_some_and(|deadline| deadline <= look.now), EndFault::InTime)
            }
            JobEnd::GivenUp(Why::NeverMet(on)) => (self.is_never_met(array, on), EndFault::NotInVain),
            JobEnd::Done | JobEnd::Failed(_) | JobEnd::GivenUp(_) => (false, EndFault::NotDone),
        };
        (!fits).then_some(fault)
    }

    /// An element that was a job has ended.
    pub(crate) fn element_over(
        &mut self,
        look: &mut Look<'_>,
        array: JobNumber,
        number: JobNumber,
        end: &JobEnd,
    ) {
        let rank = self.place_of(number).map(|(_, rank)| rank);
        if let Some(all) = self.arrays.get_mut(&array) {
            match rank.and_then(|rank| all.at.get_mut(rank)).filter(|at| **at == At::Live) {
                Some(at) => *at = At::Ended,
                None => look.report(FindingKind::ElementTwice { array, element: number }),
            }
            all.live = all.live.saturating_sub(1);
            all.count(end);
        }
        self.ended_number(look, number, *end == JobEnd::Done);
    }

    /// What is wrong with the end of an array.
    pub(crate) fn array_end_fault(&mut self, number: JobNumber, end: &JobEnd) -> Option<EndFault> {
        let all = self.arrays.get_mut(&number)?;
        let over = std::mem::take(&mut all.at).into_iter().all(|at| at == At::Ended);
        (!over || !all.is_end(end)).then_some(EndFault::NotDone)
    }

    /// What elements of an array may still cost, where it has a budget and a job is one of them.
    pub(crate) fn left_for(&self, job: &Job) -> Option<i128> {
        let all = self.arrays.get(&job.element?)?;
        let budget = i128::from(job.spec.request.budget?.as_micros());
        Some(budget - all.spent - all.liens)
    }

    /// What is held for an element changes, and what it was charged.
    pub(crate) fn element_money(&mut self, job: JobNumber, lien: i128, charge: i128) {
        let array = self.jobs.get(&job).and_then(|job| job.element);
        if let Some(all) = array.and_then(|array| self.arrays.get_mut(&array)) {
            all.liens += lien;
            all.spent += charge;
        }
    }

    /// Whether a user cancels an element among others of its array.
    pub(crate) fn is_among(&self, input: &Input, element: JobNumber, user: &str) -> bool {
        let Some((array, rank)) = self.place_of(element) else { return false };
        let Ok(rank) = u32::try_from(rank) else { return false };
        matches!(input, Input::CancelElements { user: by, array: of, elements }
            if *of == array && by == user && elements.contains(rank))
    }

    /// Whether whoever cancels one job cancels another with it: an array its elements.
    pub(crate) fn is_part_of(&self, job: JobNumber, whole: JobNumber) -> bool {
        job == whole || self.jobs.get(&job).is_some_and(|job| job.element == Some(whole))
    }
}

impl Job {
    /// A job that has just come.
    pub(crate) fn new(spec: &Arc<JobSpec>, ready_at: walras_model::Time, since: u64, phase: JobPhase) -> Job {
        Job {
            spec: Arc::clone(spec),
            ready_at,
            held: spec.gate.held,
            waits: phase == JobPhase::Waiting,
            element: None,
            phase,
            since,
            attempts: 0,
            vanished: 0,
            done: Default::default(),
            copies: Default::default(),
            spent: 0,
            earlier: Default::default(),
            spares: Vec::new(),
            plan: None,
            promise: None,
            offered: None,
        }
    }
}
